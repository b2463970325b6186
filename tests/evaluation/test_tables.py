import re
from pathlib import Path

from qtie.evaluation.plots import Plot, Series
from qtie.evaluation.tables import Column, Table

TABLE = Table(
    name="t", title="50 % & more",
    columns=(Column(name="ranker_name"), Column(name="P@1", best="max"), Column(name="ms", best="min")),
    rows=(
        {"group": "a", "ranker_name": "x|y", "P@1": 50.04, "ms": 2.0}, {"group": "a", "ranker_name": "z", "P@1": 50.0},
        {"group": "a", "ranker_name": "w", "P@1": 10.0, "ms": 1.0}, {"group": "b", "ranker_name": "v", "P@1": 1.0},
    ),
)  # fmt: skip


def test_best_and_second_of_each_group_equal_ones_share() -> None:
    assert TABLE.ranks() == {(0, "P@1"): 1, (1, "P@1"): 1, (2, "P@1"): 2, (2, "ms"): 1, (0, "ms"): 2}


def test_markdown_columns_align_and_missing_cells_are_empty() -> None:
    lines = TABLE.markdown().splitlines()
    assert len({len(line) for line in lines}) == 1
    assert r"x\|y" in lines[2]
    assert lines[3].split("|")[3].strip() == ""
    assert "**50.0**" in lines[2]
    assert "<u>10.0</u>" in lines[4]


def test_latex_escapes_and_marks() -> None:
    latex = TABLE.latex()
    assert r"\caption{50 \% \& more}" in latex
    assert r"ranker\_name" in latex
    assert r"\textbf{50.0}" in latex
    assert r"\underline{10.0}" in latex
    assert latex.count(r"\midrule") == 2


def test_numbers_that_are_none() -> None:
    table = Table(name="t", title="", columns=(Column(name="n"),), rows=({"n": float("nan")}, {"n": 1234567}))
    assert [line.strip("| ") for line in table.markdown().splitlines()[2:]] == ["–", "1,234,567"]


def test_plots_are_the_same_bytes_each_time(tmp_path: Path) -> None:
    for kind in ("lines", "bars", "points"):
        plot = Plot(
            name=kind, title="Title", x_label="x", y_label="y", kind=kind,  # type: ignore[arg-type]
            series=[Series(label="ours", x=[1.0, 2.0], y=[3.0, 4.0]), Series(label="other", x=[1.0], y=[2.0])],
            marks={"default": 1.5} if kind == "lines" else {}, log_x=kind == "points",
        )  # fmt: skip
        plot.write_svg(tmp_path / "a.svg")
        plot.write_svg(tmp_path / "b.svg")
        text = (tmp_path / "a.svg").read_text()
        assert text == (tmp_path / "b.svg").read_text()
        assert {"Title", "ours", "other"} <= set(re.findall(r">([^<>]+)</text>", text))
