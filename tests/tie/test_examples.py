"""The lines beside the English rules: what each query means, by which rule, and what is no time at all."""

import json
from collections import Counter
from datetime import date
from importlib.resources import files

import pytest

from qtie.intent import IntentOptions
from qtie.tie.cascade import run_stage
from qtie.tie.en.clauses import CLAUSES
from qtie.tie.en.holidays import HOLIDAYS
from qtie.tie.en.operators import OPERATIONS, RANGES
from qtie.tie.en.parts import PARTS
from qtie.tie.en.relative import NAMED, RELATIVE
from qtie.tie.en.sharing import YEARED
from qtie.tie.en.shifts import SHIFTS
from qtie.tie.en.spelling import NUMBER_WORDS, SPELLING
from qtie.tie.grammar import GrammarExtractor
from qtie.tie.values import DATES, read_values, skeleton_of

STAGES = (
    *(SPELLING, NUMBER_WORDS, HOLIDAYS, DATES, NAMED, YEARED),
    *(PARTS, RELATIVE, SHIFTS, RANGES, OPERATIONS, CLAUSES),
)
REFERENCE_DATE = "2025-06-15"


def lines(name):
    text = files("qtie.tie.en").joinpath(name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


EXAMPLES, NEGATIVES = lines("examples.jsonl"), lines("negatives.jsonl")


def rules_fired(text, reference_date):
    """The rules that read `text`, stage by stage as the grammar runs them."""
    skeleton = skeleton_of(text, reference_date=reference_date, options=IntentOptions())
    read_values(skeleton)
    run_stage(skeleton, RANGES, once=True)
    run_stage(skeleton, OPERATIONS, once=True)
    run_stage(skeleton, CLAUSES)
    return skeleton.fired


@pytest.mark.parametrize("line", EXAMPLES, ids=lambda line: line["text"])
def test_example(line):
    reference_date = date.fromisoformat(line.get("reference_date", REFERENCE_DATE))
    intent = GrammarExtractor().extract(line["text"], reference_date=reference_date)
    assert (" or ".join(map(str, intent.intervals)) or None) == line["interval"]
    assert intent.preference == line.get("preference", intent.preference)
    assert line["rule"] in rules_fired(line["text"], reference_date)


@pytest.mark.parametrize("line", NEGATIVES, ids=lambda line: line["text"])
def test_negative(line):
    intent = GrammarExtractor().extract(line["text"], reference_date=date.fromisoformat(REFERENCE_DATE))
    assert not intent.constraints
    assert not intent.is_temporal
    assert intent.semantic_query == line["text"]


@pytest.mark.parametrize("rule", sorted({rule.name for stage in STAGES for rule in stage}))
def test_every_rule_has_three_lines(rule):
    assert sum(line["rule"] == rule for line in EXAMPLES) >= 3


def test_every_line_names_a_rule_and_says_something_new():
    assert {line["rule"] for line in EXAMPLES} <= {rule.name for stage in STAGES for rule in stage}
    said = Counter((line["text"], line.get("reference_date")) for line in (*EXAMPLES, *NEGATIVES))
    assert [text for text, n in said.items() if n > 1] == []


def test_a_rule_s_name_is_its_own():
    for stage in STAGES:
        assert [name for name, n in Counter(rule.name for rule in stage).items() if n > 1] == []
