"""Tables of results: Markdown and LaTeX with the best value bold and the second underlined."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["Column", "Table"]

Value = str | int | float | None
_LATEX = str.maketrans({"&": r"\&", "%": r"\%", "_": r"\_", "#": r"\#", "$": r"\$", "~": r"\textasciitilde{}"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column's name, which of its numbers is best, and how many digits are shown."""

    name: str
    best: Literal["max", "min"] | None = None
    digits: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Named rows of numbers and words, already in the unit they are shown in.

    Rows that share a value under `group` are compared with each other; without that key, all are.

    Example:
        >>> table = Table(
        ...     name="overall", title="Overall", columns=(Column(name="ranker"), Column(name="P@1", best="max")),
        ...     rows=[{"ranker": "none", "P@1": 53.75}, {"ranker": "qtie", "P@1": 97}, {"ranker": "sum", "P@1": 90}],
        ... )
        >>> print(table.markdown())
        | ranker |       P@1 |
        | ------ | --------: |
        | none   |      53.8 |
        | qtie   |    **97** |
        | sum    | <u>90</u> |
    """

    name: str
    """Names its files: letters, digits and hyphens."""
    title: str
    columns: Sequence[Column]
    rows: Sequence[Mapping[str, Any]]
    note: str = ""
    """What a reader must know to read the numbers rightly."""

    def ranks(self) -> dict[tuple[int, str], int]:
        """Which cells hold a column's best (1) or second value (2), by row number and column; equal ones share it."""
        found: dict[tuple[int, str], int] = {}
        for column in self.columns:
            groups: dict[object, dict[int, float]] = {}
            for number, row in enumerate(self.rows):
                value = row.get(column.name)
                if column.best and isinstance(value, int | float):
                    shown = round(float(value), column.digits)
                    groups.setdefault(row.get("group"), {})[number] = shown
            for values in groups.values():
                places = sorted(set(values.values()), reverse=column.best == "max")
                if len(places) > 1:  # where all are equal none is best
                    marked = {place: rank for rank, place in enumerate(places[:2], start=1)}
                    found |= {(n, column.name): marked[value] for n, value in values.items() if value in marked}
        return found

    def markdown(self) -> str:
        """As a table of Markdown, its columns aligned."""
        marks = {1: "**{}**", 2: "<u>{}</u>", None: "{}"}
        cells = self._cells(lambda text, rank: marks[rank].format(text.replace("|", r"\|")))
        names = [column.name for column in self.columns]
        widths = [max(map(len, column)) for column in zip(names, *cells, strict=True)]
        numeric = [column.best is not None or self._is_numeric(column.name) for column in self.columns]
        rule = [
            ("-" * (width - 1) + ":" if right else "-" * width) for width, right in zip(widths, numeric, strict=True)
        ]
        lines = []
        for row in (names, *cells):
            shown = zip(row, widths, numeric, strict=True)
            lines.append([cell.rjust(width) if right else cell.ljust(width) for cell, width, right in shown])
        return "\n".join("| " + " | ".join(line) + " |" for line in (lines[0], rule, *lines[1:]))

    def latex(self) -> str:
        """As a `table` of LaTeX for the package booktabs."""
        marks = {1: r"\textbf{{{}}}", 2: r"\underline{{{}}}", None: "{}"}
        cells = self._cells(lambda text, rank: marks[rank].format(text.translate(_LATEX)))
        align = "".join("r" if self._is_numeric(column.name) else "l" for column in self.columns)
        head = " & ".join(column.name.translate(_LATEX) for column in self.columns)
        body = []
        for number, row in enumerate(cells):
            if number and self.rows[number].get("group") != self.rows[number - 1].get("group"):
                body.append(r"\midrule")
            body.append(" & ".join(row) + r" \\")
        return "\n".join(
            [
                r"\begin{table}", r"\centering", rf"\caption{{{self.title.translate(_LATEX)}}}",
                rf"\label{{tab:{self.name}}}", rf"\begin{{tabular}}{{{align}}}", r"\toprule",
                rf"{head} \\", r"\midrule", *body, r"\bottomrule", r"\end{tabular}", r"\end{table}",
            ]
        )  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready record."""
        columns = [{"name": column.name, "best": column.best, "digits": column.digits} for column in self.columns]
        rows = [dict(row) for row in self.rows]
        return {"name": self.name, "title": self.title, "note": self.note, "columns": columns, "rows": rows}

    def _cells(self, marked: Any) -> list[list[str]]:
        ranks = self.ranks()
        return [
            [
                marked(_shown(row.get(column.name), column.digits), ranks.get((number, column.name)))
                for column in self.columns
            ]
            for number, row in enumerate(self.rows)
        ]

    def _is_numeric(self, name: str) -> bool:
        values = [row.get(name) for row in self.rows if row.get(name) is not None]
        return bool(values) and all(isinstance(value, int | float) for value in values)


def _shown(value: Value, digits: int) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return "–" if value != value else f"{value:,.{digits}f}"
    return f"{value:,}" if isinstance(value, int) else value
