"""A ranking as one piece of HTML that needs nothing else: for notebooks and pages."""

import json
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Any

from qtie.display.timeline import ranking_timeline
from qtie.intent import TemporalIntent
from qtie.ranking import RankedDocument, Ranking

__all__ = ["display_file", "embedded_json", "highlighted", "html_of"]

_ESCAPES = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}


def html_of(ranking: Ranking, *, k: int = 20) -> str:
    """The first k documents with the query, what was read from it, and the timeline; asks the network for nothing.

    The table is plain HTML and stands alone where scripts do not run. All text is escaped, and the same ranking
    gives the same HTML.

    Example:
        >>> atemporal = Ranking((), TemporalIntent(query="<b>who</b>"))
        >>> "&lt;b&gt;who&lt;/b&gt;" in html_of(atemporal)
        True
    """
    data = embedded_json(ranking_timeline(ranking, k=k))
    place = f"qtie-{sha256(data.encode()).hexdigest()[:16]}"
    rows = "".join(_row(ranked, timed=ranking.intent.is_temporal) for ranked in ranking[:k])
    omitted = f"<p>{len(ranking) - k:,} more documents are not shown.</p>" if len(ranking) > k else ""
    reading = "<br>".join(escape(line) for line in [*ranking.intent.explain().splitlines(), ranking.method] if line)
    return f"""<div class="qtie-ranking">
<style>{display_file("timeline.css")}{display_file("ranking.css")}</style>
<p class="query">{highlighted(ranking.intent)}</p>
<p class="reading">{reading}</p>
<div class="{place}"></div>
<table>
<thead><tr><th>Rank</th><th>Moved</th><th>Document</th><th>Time</th><th>Relation</th><th>S_sem</th><th>S_temp</th><th>Score</th></tr></thead>
<tbody>{rows}</tbody>
</table>
{omitted}<script>(() => {{
{display_file("timeline.js")}
const data = {data};
for (const place of document.getElementsByClassName("{place}")) place.firstChild || qtieTimeline(place, data);
}})();</script>
</div>"""


def highlighted(intent: TemporalIntent) -> str:
    """The query as HTML, the words that state the time in `<mark>`.

    Example:
        >>> from qtie.intent import TemporalConstraint
        >>> from qtie.interval import TimeInterval
        >>> said = TemporalConstraint(interval=TimeInterval.year(2016), span=(8, 15))
        >>> highlighted(TemporalIntent(query="R&D <x> in 2016", constraints=(said,)))
        'R&amp;D &lt;x&gt; <mark>in 2016</mark>'
    """
    pieces, at = [], 0
    for start, end in intent.spans:
        pieces += [escape(intent.query[at:start]), "<mark>", escape(intent.query[start:end]), "</mark>"]
        at = end
    return "".join([*pieces, escape(intent.query[at:])])


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


def _row(ranked: RankedDocument, *, timed: bool) -> str:
    moved = ranked.rank_before - ranked.rank
    arrow = f"↑{moved}" if moved > 0 else f"↓{-moved}" if moved < 0 else "="
    document = ranked.document
    label = f"<b>{escape(ranked.doc_id)}</b> {escape(document.title or document.text[:160])}"
    time = "no time" if ranked.time is None else "/".join(dict.fromkeys(str(ranked.time).split("/")))  # one day once
    temporal = f"{ranked.temporal_score:.3f}" if timed else "–"
    words = f"<td>{ranked.rank}</td><td>{arrow}</td><td>{label}</td><td>{time}</td><td>{escape(ranked.relation)}</td>"
    scores = f"<td>{ranked.semantic_score:.3f}</td><td>{temporal}</td><td>{ranked.score:.3f}</td>"
    return f"<tr>{words}{scores}</tr>\n"
