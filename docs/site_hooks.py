"""What the documentation site adds to the pages as they stand in the repository: links, examples, formulas."""

import re
from pathlib import Path
from typing import Any

import griffe
from latex2mathml.converter import convert

ROOT = Path(__file__).parents[1]
_SOURCE_LINK = re.compile(r"\]\((?:\.\./)+qtie/([\w/]+)\.py\)")
_EXAMPLE_LINK = re.compile(r"\]\(\.\./examples/(\w+)\.py\)")
_OTHER_LINK = re.compile(r"\[([^\]\[]+)\]\(\.\./[^)]+\)")
_EXAMPLE = re.compile(r"^Example:$", re.MULTILINE)
_FORMULA = re.compile(r"^\.\. math:: (.+)$", re.MULTILINE)


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Links to files of the repository lead to the reference and the examples, or become plain words."""
    if page.file.src_uri == "examples.md":
        markdown += "".join(map(_example, sorted((ROOT / "examples").glob("*.py"))))
    if page.file.src_uri.startswith("reference/"):
        return markdown
    markdown = _SOURCE_LINK.sub(lambda link: f"][qtie.{link[1].replace('/', '.')}]", markdown)
    markdown = _EXAMPLE_LINK.sub(r"](examples.md#\1)", markdown)
    return _OTHER_LINK.sub(r"\1", markdown)


def _example(script: Path) -> str:
    return f"\n\n## {script.stem} {{#{script.stem}}}\n\n```python\n{script.read_text(encoding='utf-8').strip()}\n```\n"


class Docstrings(griffe.Extension):
    """Formulas become MathML, which browsers draw without a script; examples become code."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrites the docstring of one object."""
        if obj.docstring:
            text = _EXAMPLE.sub("Examples:", obj.docstring.value)
            obj.docstring.value = _FORMULA.sub(lambda found: convert(found[1], display="block"), text)
