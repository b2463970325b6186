"""What tests of pages share: hostile text, the elements of a page, and the page as a browser has it."""

import shutil
from html.parser import HTMLParser
from pathlib import Path

import pytest
from commands import output_of

HOSTILE = "</script><script>document.title='broken'</script><img src=x onerror=\"document.title='broken'\">"
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")


class Elements(HTMLParser):
    """The elements of a page, each a name and its attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.found]

    @property
    def attributes(self) -> list[str]:
        return [key for _, attributes in self.found for key in attributes]


def rendered(page: Path) -> str:
    """The page's source after its scripts have run."""
    assert CHROMIUM is not None
    options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={page.parent / 'profile'}"]
    command = [CHROMIUM, *options, "--virtual-time-budget=4000", "--dump-dom", page.as_uri()]
    return output_of(*command, timeout=120)
