"""Measures of answers, on cases decided by hand."""

import pytest

from qtie.errors import EvaluationError
from qtie.evaluation.answers import answer_accuracy, exact_match, hit, hits_at_k, same_answer, token_f1


def test_hit_is_a_substring_and_takes_dates_as_they_stand() -> None:
    assert hit("It was ANGELA Merkel.", ["Angela Merkel"]) == 1
    assert hit("Germany", ["German"]) == 1
    assert hit("in May 2012", ["2012-05"]) == 0


@pytest.mark.parametrize(
    ("output", "gold", "expected"),
    [
        ("Germany won.", "German", 0),
        ("The winner was the U.N.", "UN", 1),
        ("on 13 May 2012", "2012-05-13", 1),
        ("on May 13th, 2012", "2012-05", 1),
        ("in May 2012", "2012-05-13", 0),
        ("in 2012", "2012-05", 0),
        ("nothing known", "2012", 0),
        ("flight 2012A", "2012", 0),
    ],
)
def test_answer_accuracy(output: str, gold: str, expected: int) -> None:
    assert answer_accuracy(output, [gold, "nobody at all"]) == expected


def test_token_f1_takes_the_best_gold_answer() -> None:
    assert token_f1("the president Barack Obama", ["Barack Obama", "Obama"]) == pytest.approx(0.8)
    assert token_f1("nobody", ["Obama"]) == 0
    assert token_f1("", ["Obama"]) == 0
    assert exact_match("The Obama!", ["obama"]) == 1


def test_hits_at_k_counts_ranks_and_can_be_strict() -> None:
    ranked = ["Iraq", "May 2012"]
    assert [hits_at_k(ranked, ["2012-05"], k) for k in (1, 2)] == [0, 1]
    assert hits_at_k(ranked, ["2012-05"], 2, strict=True) == 0
    assert hits_at_k([], ["Iraq"]) == 0


def test_dates_agree_at_the_granularity_of_the_gold_answer() -> None:
    assert same_answer("2012-05-13", "May 2012")
    assert not same_answer("2012-05", "2012-05-13")
    assert not same_answer("Boeing 2012", "2012")


@pytest.mark.parametrize("measure", [hit, answer_accuracy, token_f1, exact_match])
def test_no_gold_answer_is_an_error(measure: object) -> None:
    with pytest.raises(EvaluationError, match="no gold answer"):
        measure("something", [])  # type: ignore[operator]


def test_a_lone_gold_text_is_one_answer() -> None:
    assert hit("ab", "b a") == 0
    with pytest.raises(EvaluationError, match="k must be"):
        hits_at_k(["a"], ["a"], 0)
