"""Plots of results as SVG files; the same numbers give the same bytes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from qtie.errors import require
from qtie.whole_file import write_whole

__all__ = ["Plot", "Series"]

_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#5d5d5d", "#8c6d31", "#000000")
"""Told apart by colour-blind readers too: Okabe & Ito (2008), "Color universal design"."""
_MARKERS = "osD^vP*Xh"


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """The points of one label, in order."""

    label: str
    x: Sequence[float | str]
    y: Sequence[float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """Series over one pair of axes: lines, bars in groups, or single points with their labels."""

    name: str
    """Names its file: letters, digits and hyphens."""
    title: str
    x_label: str
    y_label: str
    series: Sequence[Series]
    kind: Literal["lines", "bars", "points"] = "lines"
    log_x: bool = False
    log_y: bool = False
    marks: Mapping[str, float] = field(default_factory=dict)
    """Vertical lines by label, such as the default of what is swept."""

    def write_svg(self, path: Path) -> None:
        """Draws the plot.

        Raises:
            MissingExtraError: matplotlib is not installed.
        """
        matplotlib = require("matplotlib", extra="bench")
        figure_module = require("matplotlib.figure", extra="bench")
        style = {
            "svg.hashsalt": self.name,
            "svg.fonttype": "none",
            "font.size": 9,
            "axes.spines.top": False,
            "axes.spines.right": False,
        }
        with matplotlib.rc_context(style):
            figure = figure_module.Figure(figsize=(6.4, 3.6), layout="constrained")
            axes = figure.add_subplot()
            {"lines": self._lines, "bars": self._bars, "points": self._points}[self.kind](axes)
            axes.set(title=self.title, xlabel=self.x_label, ylabel=self.y_label)
            axes.grid(axis="y", alpha=0.25)
            if self.log_x:
                axes.set_xscale("log")
            if self.log_y:
                axes.set_yscale("log")
            if len(self.series) > 1 or self.marks:
                axes.legend(fontsize=7, frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
            write_whole(path, lambda file: figure.savefig(file, format="svg", metadata={"Date": None}))

    def _lines(self, axes: Any) -> None:
        for number, series in enumerate(self.series):
            axes.plot(series.x, series.y, label=series.label, linewidth=1.4, markersize=3.5, **_look(number))
        for label, at in self.marks.items():
            axes.axvline(at, color="#999999", linestyle=":", linewidth=1, label=label)

    def _bars(self, axes: Any) -> None:
        names = list(dict.fromkeys(str(x) for series in self.series for x in series.x))
        width = 0.8 / len(self.series)
        for number, series in enumerate(self.series):
            left = [names.index(str(x)) - 0.4 + (number + 0.5) * width for x in series.x]
            axes.bar(left, series.y, width, label=series.label, color=_COLOURS[number % len(_COLOURS)])
        crowded = len(names) > 6
        axes.set_xticks(range(len(names)), names, rotation=35 if crowded else 0, ha="right" if crowded else "center")

    def _points(self, axes: Any) -> None:
        for number, series in enumerate(self.series):
            axes.plot(series.x, series.y, label=series.label, linestyle="none", markersize=6, **_look(number))


def _look(number: int) -> dict[str, str]:
    return {"color": _COLOURS[number % len(_COLOURS)], "marker": _MARKERS[number % len(_MARKERS)]}
