"""The page: reads what `qtie bench` wrote and writes report.html beside it."""

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from gzip import compress
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any

from qtie.display.html import PAGE_SCRIPTS, display_file
from qtie.errors import EvaluationError, require
from qtie.evaluation.report.cases import Case, read_cases
from qtie.evaluation.report.standings import standings
from qtie.evaluation.tables import Column, Table
from qtie.whole_file import write_whole

__all__ = ["write_report"]

LARGEST_PAGE = 2_000_000
"""Bytes; what tables and plots leave of them is for queries."""
_KEYS = (
    *("command", "experiments", "titles", "seed", "seconds", "versions", "config", "data", "cells", "failed"),
    *("tables", "plots"),
)
_CASES_A_FILE = (1, 3, 5, 8, 12, 20, 30, 40, 60)
_SHOWN_MEASURES = ("P@1", "R@5", "nDCG@10")


def write_report(folder: str | Path, *, ranker: str = "qtie") -> Path:
    """Writes report.html into the folder: summary, tables, plots, and a browser of queries, in one file.

    The page asks the network for nothing and runs no script but its own: a content security policy lists the hashes of
    the two it has, and all text from data is escaped. It stays below 2 MB by showing fewer queries, and says so.

    Args:
        folder: what `qtie bench --out` wrote: `results.json`, its plots, and `queries/*.jsonl` where there are any.
        ranker: whose places the summary states.

    Returns:
        The path of the page.

    Raises:
        EvaluationError: a file is missing or damaged; names it.
        MissingExtraError: Jinja2 is not installed.
    """
    folder = Path(folder)
    source = folder / "results.json"
    results = _read_results(source)
    cases_by_file = [read_cases(path, after=ranker) for path in sorted((folder / "queries").glob("*.jsonl"))]
    try:
        context, content = _context(results, ranker), _content(results, folder)
    except (KeyError, TypeError, AttributeError) as error:
        raise EvaluationError(f"{source}: not as qtie bench writes it: {error!r}") from error
    page = _page(context, content, cases_by_file)
    path = folder / "report.html"
    write_whole(path, lambda file: file.write(page.encode()))
    return path


def _page(context: Mapping[str, Any], content: Mapping[str, Any], cases_by_file: Sequence[Sequence[Case]]) -> str:
    """The page of what the template and the scripts show, with as many queries as there is room for."""
    jinja2 = require("jinja2", extra="bench")
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    template = environment.from_string(_part("page.html"))
    style = display_file("timeline.css") + display_file("page.css") + _part("page.css")
    script = "".join([*map(display_file, PAGE_SCRIPTS), *map(_part, ("tables.js", "browser.js", "page.js"))])
    parts = {"style": style, "script": script, "style_hash": _hash(style), "script_hash": _hash(script)}
    n_recorded = sum(map(len, cases_by_file))
    shown = {**context, **parts, "content": _packed(content), "n_recorded": n_recorded}
    shell: str = template.render(shown, n_cases=n_recorded, cases="")
    n_cases, cases = _fitting(cases_by_file, LARGEST_PAGE - len(shell.encode()))
    page: str = template.render(shown, n_cases=n_cases, cases=cases)
    return page


def _read_results(path: Path) -> dict[str, Any]:
    try:
        results = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise EvaluationError(f"{path}: cannot be read: {error}") from error
    if not isinstance(results, dict) or any(key not in results for key in _KEYS):
        raise EvaluationError(f"{path}: not as qtie bench writes it: expected an object with {', '.join(_KEYS)}")
    return results


def _context(results: Mapping[str, Any], ranker: str) -> dict[str, Any]:
    """What the template shows."""
    compared = standings([cell for cell in results["cells"] if cell["experiment"] == "overall"], ranker=ranker)
    whole = [found for found in compared if found.subset == "all"]
    shown = [name for name in _SHOWN_MEASURES if any(found.measure == name for found in whole)]
    matrix: dict[tuple[str, str], dict[str, Any]] = {}
    for found in whole:
        matrix.setdefault((found.dataset, found.retriever), {})[found.measure] = found
    return {
        "results": results,
        "ranker": ranker,
        "whole": whole,
        "behind": sorted((found for found in compared if found.place > 1), key=lambda found: found.lead),
        "shown_measures": shown,
        "matrix": matrix,
        "experiments": [
            {
                "name": name,
                "title": results["titles"].get(name, name),
                "tables": [table for table in results["tables"] if table["experiment"] == name],
                "plots": [plot for plot in results["plots"] if plot["experiment"] == name],
            }
            for name in results["experiments"]
        ],
        "n_documents": sum(data["documents"] for data in results["data"].values()),
        "n_queries": sum(data["queries"] for data in results["data"].values()),
    }


def _content(results: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """What the page's scripts show, but for the queries: tables and plots by name."""
    return {
        "tables": {table["name"]: _table(table) for table in results["tables"]},
        "plots": {plot["name"]: _plot(folder / plot["file"]) for plot in results["plots"]},
    }


def _table(record: Mapping[str, Any]) -> dict[str, Any]:
    """A table as the page shows it: texts, the places of best (1) and second (2), and where groups of rows start."""
    columns = [Column(**column) for column in record["columns"]]
    rows = record["rows"]
    table = Table(name=record["name"], title=record["title"], columns=columns, rows=rows)
    groups = [row.get("group") for row in rows]
    starts = [number for number in range(1, len(rows)) if groups[number] != groups[number - 1]]
    if len(starts) >= len(set(groups)) or len(starts) == len(rows) - 1:  # groups lie across each other, or have one row
        starts = []
    return {
        "heads": [
            {"name": column.name, "numeric": any(isinstance(row.get(column.name), int | float) for row in rows)}
            for column in columns
        ],
        "rows": [[_text(row.get(column.name), column.digits) for column in columns] for row in rows],
        "places": [
            [number, [column.name for column in columns].index(name), place]
            for (number, name), place in table.ranks().items()
        ],
        "starts": starts,
    }


def _text(value: str | float | None, digits: int) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return "–" if value != value else f"{value:,.{digits}f}"
    return f"{value:,}" if isinstance(value, int) else value


def _plot(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise EvaluationError(f"{path}: the plot cannot be read: {error}") from error


def _fitting(cases_by_file: Sequence[Sequence[Case]], n_bytes: int) -> tuple[int, str]:
    """As many of each file's first cases as fit, packed, and their number; at least one a file is kept."""
    n_cases, packed = 0, _packed([])
    for n in _CASES_A_FILE:
        cases = [case for cases in cases_by_file for case in cases[:n]]
        if len(cases) == n_cases:
            break
        more = _packed(cases)
        if n_cases and len(more) > n_bytes:
            break
        n_cases, packed = len(cases), more
    return n_cases, packed


def _packed(content: object) -> str:
    """What the page unpacks: JSON, gzip, base64."""
    text = json.dumps(content, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    return b64encode(compress(text.encode(), mtime=0)).decode()


def _part(name: str) -> str:
    return files("qtie.evaluation.report").joinpath(name).read_text(encoding="utf-8")


def _hash(source: str) -> str:
    """A source for a content security policy: this script or style, and no other."""
    return f"sha256-{b64encode(sha256(source.encode()).digest()).decode()}"
