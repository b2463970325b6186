"""Pieces of HTML that need nothing else and hold no markup from data: for notebooks and pages."""

import json
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Any

__all__ = [
    "PAGE_SCRIPTS",
    "TIMELINE_SCRIPTS",
    "display_file",
    "embedded_json",
    "framed",
    "highlighted",
    "lines_html",
    "timeline_html",
]

TIMELINE_SCRIPTS = ("elements.js", "days.js", "axis.js", "timeline.js")
"""The scripts of the timeline, in the order in which they must run."""
PAGE_SCRIPTS = (*TIMELINE_SCRIPTS, "documents.js")
"""Those that pages with lists of documents need."""
_ESCAPES = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}


def framed(*pieces: str) -> str:
    """The pieces of HTML in one block with the style that they share.

    Example:
        >>> framed("<p>none</p>").endswith("<p>none</p></div>")
        True
    """
    style = display_file("timeline.css") + display_file("ranking.css")
    return f'<div class="qtie-ranking">\n<style>{style}</style>\n{"".join(pieces)}</div>'


def timeline_html(data: dict[str, Any]) -> str:
    """The timeline of `qtie.display.timeline.timeline`, with the script that draws it; asks the network for nothing.

    Example:
        >>> html = timeline_html({"intervals": [], "reference_date": None, "documents": []})
        >>> html.count("<script>")
        1
    """
    text = embedded_json(data)
    place = f"qtie-{sha256(text.encode()).hexdigest()[:16]}"
    return f"""<div class="{place}"></div><script>(() => {{
{"".join(map(display_file, TIMELINE_SCRIPTS))}
const data = {text};
for (const place of document.getElementsByClassName("{place}")) place.firstChild || qtieTimeline(place, data);
}})();</script>
"""


def highlighted(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """The text as HTML, the characters of the spans in `<mark>`.

    Args:
        spans: first character and one after the last, disjoint and in order.

    Example:
        >>> highlighted("R&D <x> in 2016", [(8, 15)])
        'R&amp;D &lt;x&gt; <mark>in 2016</mark>'
    """
    pieces, at = [], 0
    for start, end in spans:
        pieces += [escape(text[at:start]), "<mark>", escape(text[start:end]), "</mark>"]
        at = end
    return "".join([*pieces, escape(text[at:])])


def lines_html(kind: str, *lines: str) -> str:
    """A paragraph of that class, each line escaped; empty lines are left out.

    Example:
        >>> lines_html("reading", "a < b", "", "c")
        '<p class="reading">a &lt; b<br>c</p>'
    """
    return f'<p class="{kind}">{"<br>".join(escape(line) for line in lines if line)}</p>'


def embedded_json(value: Any) -> str:
    r"""JSON that may stand in a `<script>`: no text in it can end the script or open a comment.

    Example:
        >>> embedded_json({"text": "</script><!--"})
        '{"text": "\\u003c/script\\u003e\\u003c!--"}'
    """
    return json.dumps(value, ensure_ascii=False, allow_nan=False).translate(_ESCAPES)


@cache
def display_file(name: str) -> str:
    """A style or script of this folder."""
    return files("qtie.display").joinpath(name).read_text(encoding="utf-8")
