"""The routes of the page: a few files, under a policy that lets nothing but them run."""

from collections.abc import Awaitable, Callable
from functools import cache
from hashlib import sha256
from importlib.resources import files

from qtie.display.html import PAGE_SCRIPTS, display_file
from qtie.errors import require

require("fastapi", extra="serve")

from fastapi import FastAPI, Request, Response

__all__ = ["is_page", "mount_page"]

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
"""Nothing from elsewhere, nothing inline; and no text can become markup, whatever a script does."""
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-cache",  # asked again each time, and answered with 304
}
_TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript"}
_STYLES = ("timeline.css", "page.css")
"""Of `qtie.display`; the page's own comes after them."""
_SCRIPTS = ("service.js", "snippets.js", "reading.js", "page.js")
"""The page's own; they come after those that pages share."""


def is_page(path: str) -> bool:
    """Whether the path is one of the page's, which hold no data and need no token.

    Example:
        >>> is_page("/"), is_page("/page/page.js"), is_page("/page/../search")
        (True, True, False)
    """
    return path in _files()


def mount_page(app: FastAPI) -> None:
    """Adds `/` and the files below `/page/`; there is no other path, so none leads elsewhere."""
    for path, content in _files().items():
        app.get(path, include_in_schema=False)(_sender(path, content))


def _sender(path: str, content: bytes) -> Callable[[Request], Awaitable[Response]]:
    """Sends the file, or says that the browser has it."""
    headers = _HEADERS | {"ETag": f'"{sha256(content).hexdigest()[:20]}"'}
    kind = _TYPES.get(path.rpartition(".")[2], "text/html")

    async def send(request: Request) -> Response:
        if request.headers.get("if-none-match") == headers["ETag"]:
            return Response(status_code=304, headers=headers)
        return Response(content, media_type=kind, headers=headers)

    return send


@cache
def _files() -> dict[str, bytes]:
    """What is sent, by path: the page, and all its styles and all its scripts as one file each."""
    styles = [*map(display_file, _STYLES), _own_file("page.css")]
    scripts = [*map(display_file, PAGE_SCRIPTS), *map(_own_file, _SCRIPTS)]
    texts = {"/": _own_file("index.html"), "/page/page.css": "".join(styles), "/page/page.js": "".join(scripts)}
    return {path: text.encode() for path, text in texts.items()}


def _own_file(name: str) -> str:
    return files("qtie.service.page").joinpath(name).read_text(encoding="utf-8")
