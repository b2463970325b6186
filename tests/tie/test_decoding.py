"""Programs from logits, and the programs that queries with known intervals were written for."""

import itertools
from datetime import date

import numpy as np
import pytest

from qtie.intent import TemporalIntent
from qtie.tie.accuracy import platt_scaling
from qtie.tie.dataset.breadth import varied
from qtie.tie.decoding import N_LOGITS, Calibration, decode, likely_programs, log_odds
from qtie.tie.examples import batches_of, make_examples, with_program
from qtie.tie.model import ModelExtractor
from qtie.tie.program import Step, candidates, execute

MODEL = ModelExtractor()


def days(query: str, row: dict) -> list[str]:
    """What a labelled row's program says, carried out over the query's candidates."""
    reference = date.fromisoformat(row["reference_date"])
    found = candidates(query, reference_date=reference)
    steps = {tuple(step["span"]): step for step in row["steps"]}
    fields = ("operator", "role", "target", "negated")
    program = [
        Step(**{name: steps[c.start, c.end][name] for name in fields})
        if (c.start, c.end) in steps
        else Step(operator="none")
        for c in found
    ]
    constraints = tuple(execute(found, program, reference_date=reference))
    return [str(interval) for interval in TemporalIntent(query=query, constraints=constraints).intervals]


@pytest.mark.parametrize("seed", range(20))
def test_likely_programs_are_well_formed_different_and_begin_with_the_best(seed: int) -> None:
    encoded = MODEL._encoded("from 2010 to 2015, three years before 1990", date(2024, 6, 15))
    logits = np.random.default_rng(seed).normal(0, 3, (len(encoded.ids), N_LOGITS)).astype(np.float32)
    programs = list(itertools.islice(likely_programs(encoded, logits, Calibration()), 40))
    assert programs[0].log_probability >= decode(encoded, logits, Calibration()).log_probability
    assert len({program.steps for program in programs}) == len(programs)
    for program in programs:
        operators = [s.operator for s in program.steps if s.operator not in ("none", "operand")]
        assert operators.count("from") == operators.count("to")


@pytest.mark.parametrize(
    ("query", "intervals", "operators"),
    [
        ("who led it before 2010", ["../2009-12-31"], ["before"]),
        ("mayors 2010-2014", ["2010-01-01/2014-12-31"], ["from", "to"]),
        ("three years before 2019, who won", ["2016-01-01/2016-12-31"], ["in", "operand"]),
        ("room 2010", [], []),
    ],
)
def test_the_program_of_known_intervals(query: str, intervals: list[str], operators: list[str]) -> None:
    row = {"query": query, "reference_date": "2024-06-15", "intervals": intervals}
    labelled = with_program(row, MODEL)
    assert labelled is not None
    assert [step["operator"] for step in labelled["steps"]] == operators
    assert days(query, labelled) == intervals


def test_an_unlikely_meaning_is_found_too() -> None:
    row = {"query": "who led it before 2010", "reference_date": "2024-06-15", "intervals": ["2010-01-01/.."]}
    labelled = with_program(row, MODEL)
    assert labelled is not None
    assert days(row["query"], labelled) == row["intervals"]


def test_what_no_program_says_has_none() -> None:
    assert with_program({"query": "who led it before 2010", "intervals": ["1812-01-01/1813-02-03"]}, MODEL) is None


def test_a_row_s_target_and_own_program_are_kept() -> None:
    row = {"query": "mayors in 2010", "intervals": ["2010-01-01/2010-12-31"], "target": "start"}
    labelled = with_program(row, MODEL)
    assert labelled is not None
    assert [step["target"] for step in labelled["steps"]] == ["start"]
    assert with_program(labelled, MODEL) is labelled


def test_years_move_together_and_what_is_no_time_stays() -> None:
    step = {"span": [5, 9], "operator": "from", "role": "none", "target": "any", "negated": False}
    rows = [{"query": "from 1990 to 1995", "steps": [step]}, {"query": "Windows 2000", "steps": []}]
    moved = [row["query"] for row in varied(rows, seed=1, n=20)]
    assert moved[:2] == ["from 1990 to 1995", "Windows 2000"]
    assert {query for query in moved if query[0] == "W"} == {"Windows 2000"}
    gaps = {int(query[13:]) - int(query[5:9]) for query in moved if query[0] == "f"}
    assert gaps == {5}
    assert len(set(moved)) > 5


def test_batches_are_the_same_for_a_seed_and_go_on_where_they_stopped() -> None:
    rows = [{"query": f"won in {year}", "steps": []} for year in range(1900, 1930)]
    examples, n_left_out = make_examples(rows, MODEL.model.tokenizer.to_str(), n_processes=1)
    assert (len(examples), n_left_out) == (30, 0)
    first, again = (batches_of(examples, 8, piece_dropout=0.2, seed=3, skip=n) for n in (0, 2))
    for _ in range(2):
        next(first)
    for one, other in itertools.islice(zip(first, again, strict=True), 6):
        assert all((a == b).all() for a, b in zip(one, other, strict=True))


def test_platt_scaling_finds_the_share_that_is_right() -> None:
    rng = np.random.default_rng(0)
    scores = rng.normal(1, 2, 4000)
    right = rng.random(4000) < 1 / (1 + np.exp(-(0.5 * scores + 0.3)))
    slope, offset = platt_scaling(zip(scores.tolist(), right.tolist(), strict=True))
    assert (slope, offset) == (pytest.approx(0.5, abs=0.07), pytest.approx(0.3, abs=0.12))
    assert platt_scaling([(1.0, True)]) == (1.0, 0.0)


def test_log_odds_are_finite() -> None:
    assert -21.1 < log_odds(-1e9) < -20.9
    assert 20 < log_odds(0.0) < 22
