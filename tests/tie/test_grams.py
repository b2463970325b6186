"""The n-grams of patterns: every text that matches has one, so no rule is passed over where it matches."""

import json
import sys
from datetime import date
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

import qtie.tie.cascade as cascade
from qtie.tie.grammar import GrammarExtractor
from qtie.tie.grams import compiled, grams_of
from qtie.tie.program import candidates

FILES = [files("qtie.tie.en").joinpath(f"{name}.jsonl") for name in ("examples", "negatives")]
PATTERNS = [
    r"(?:early|late|mid)[- ](?P<year>\d{4})s?",
    r"\d+ ?(?:%|°[cf]?)",
    r"(?:the )?(?P<u>days?|weeks?|months?)(?= before)",
    r"(?:q[1-4]|[12]h)'?\d\d",
    r"a{3,}b{5}c?d{0,2}e+f",
    r"not(?:hing| a day)? (?:before|after)(?! \d)",
    r"[a-c]x[^y]z.\d[\d,]\w",
    r"(?:in|on|) ?x|yz",
    r"v?\d{3}\.\d+",
]

TEXTS = [
    "who led the ministry three years before March 2019",
    "the 2nd half of 1H2021, nineteen eighty-four and half a dozen days in the 1990s",
    "٣ May ２０１９ – Q3’19 vs 5/6/2010, €2,000 at 14:00",
    "papers of the last two weeks, not after Christmas 2015 or since\u00a0the turn of the century",
]


@given(st.data(), st.sampled_from(PATTERNS))
def test_every_match_has_one_of_its_pattern_s_grams(data: st.DataObject, pattern: str) -> None:
    text = data.draw(st.from_regex(pattern))
    _, needed = compiled(pattern)
    assert not needed or needed & grams_of(text)


def test_what_no_match_can_lack_is_told() -> None:
    needed = {
        r"(?:the )?week of <x>": {"wee"},
        r"(?:years?|months?) ago": {"ago"},
        r"(?:19|20)\d\d-w\d\d": {"00-"},
        r"\d{1,2}(?:st|nd)": {"st", "nd"},
        r"in|on the": {"in", "the"},
        r"ab*": {"a"},
        r"\d+ ?%": {"%"},
        r"(?:in )?[xy]": set(),
    }
    assert {pattern: set(compiled(pattern)[1]) for pattern in needed} == needed


def test_without_python_s_own_parser_every_rule_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    assert compiled(r"(?P<u>week)s?")[1] == {"wee"}
    monkeypatch.setitem(sys.modules, "re._parser", None)
    pattern, needed = compiled(r"(?P<u>week)s?")
    assert (pattern.match("weeks")["u"], needed) == ("week", frozenset())


def test_no_rule_is_passed_over_where_it_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    tried, passed = 0, 0
    matches = cascade._matches

    def watched(skeleton: cascade.Skeleton, stage: list[cascade.Rule]) -> list[object]:
        nonlocal tried, passed
        for rule in stage:
            is_tried = bool(skeleton.rules & rule.bit)
            assert is_tried or not rule.pattern.search(skeleton.text), (rule.name, skeleton.text)
            tried, passed = tried + is_tried, passed + (not is_tried)
        return matches(skeleton, stage)

    monkeypatch.setattr(cascade, "_matches", watched)
    lines = [json.loads(line)["text"] for file in FILES for line in file.read_text(encoding="utf-8").splitlines()]
    for text in [*TEXTS, *lines]:
        GrammarExtractor().extract(text, reference_date=date(2025, 6, 15))
        candidates(text, reference_date=date(2025, 6, 15))
    assert passed > 2 * tried
