"""Times and intents made worse on purpose: what changes, and what does not."""

import json
from datetime import date
from pathlib import Path

import pytest

from qtie.document import Document
from qtie.errors import EvaluationError
from qtie.evaluation.datasets import Query
from qtie.evaluation.grid.document_times import changed_times
from qtie.evaluation.grid.intents import PARTS, changed_intents, is_right
from qtie.interval import TimeInterval
from qtie.tie.grammar import GrammarExtractor

DOCUMENTS = tuple(
    Document.from_record({"_id": str(year), "text": f"Born 1867, won in {year}, 2.1905 km", "date": str(year)})
    for year in range(1901, 2001)
)
EXTRACTOR = GrammarExtractor()


def intervals(change: str, seed: int = 0) -> list[TimeInterval | None]:
    return [
        document.times["timestamp"][0].interval if "timestamp" in document.times else None
        for document in changed_times(change, DOCUMENTS, seed=seed)
    ]


class TestTimes:
    def test_given(self) -> None:
        assert changed_times("given", DOCUMENTS) == DOCUMENTS

    def test_extremes_span_the_years_of_the_text(self) -> None:
        assert intervals("extremes") == [TimeInterval.years(1867, year) for year in range(1901, 2001)]
        (undated,) = changed_times("extremes", (Document.from_record({"_id": "a", "text": "no year", "date": "1990"}),))
        assert undated.times == {}

    def test_focus_reads_the_text_alone(self) -> None:
        (changed,) = changed_times(
            "focus", (Document.from_record({"_id": "a", "text": "Won in 1911.", "date": "1990"}),)
        )
        assert {str(time.interval) for times in changed.times.values() for time in times} == {"1911-01-01/1911-12-31"}

    @pytest.mark.parametrize(("share", "low", "high"), [(0, 0, 0), (0.25, 10, 40), (0.75, 60, 90), (1, 100, 100)])
    def test_dropped(self, share: float, low: int, high: int) -> None:
        assert low <= intervals(f"dropped:{share}").count(None) <= high

    def test_more_dropped_drops_those_of_fewer_too(self) -> None:
        few, many = intervals("dropped:0.25"), intervals("dropped:0.5")
        assert all(b is None for a, b in zip(few, many, strict=True) if a is None)

    def test_shifted_stays_within_its_years(self) -> None:
        years = [interval.start for interval in intervals("shifted:2") if interval]
        moved = [TimeInterval.year(year).start for year in range(1901, 2001)]
        differences = {round((a - b) / 365.25) for a, b in zip(years, moved, strict=True)}  # type: ignore[operator]
        assert differences == {-2, -1, 0, 1, 2}
        assert intervals("shifted:2") == intervals("shifted:2")
        assert intervals("shifted:2") != intervals("shifted:2", seed=1)

    def test_coarsened_keeps_open_sides(self) -> None:
        term = Document.from_record({"_id": "a", "text": "", "valid_from": "1997-05-02"})
        (changed,) = changed_times("coarsened", (term,))
        assert str(changed.times["validity"][0].interval) == "1990-01-01/.."


def queries(n: int = 40) -> list[Query]:
    return [
        Query(query_id=f"q{year}", text=f"who won in {year}", interval=TimeInterval.year(year))
        for year in range(1950, 1950 + n)
    ]


class TestIntents:
    @pytest.mark.parametrize("accuracy", [1.0, 0.8, 0.5, 0.0])
    def test_spoiled_to_the_accuracy(self, accuracy: float) -> None:
        asked = queries()
        read = [EXTRACTOR.extract(query.text) for query in asked]
        changed = changed_intents(f"accuracy:{accuracy}", read, asked)
        right = [is_right(intent, query) for intent, query in zip(changed, asked, strict=True)]
        assert sum(map(bool, right)) == round(accuracy * len(asked))

    def test_lower_accuracies_spoil_more_of_the_same(self) -> None:
        asked = queries()
        read = [EXTRACTOR.extract(query.text) for query in asked]
        high, low = (changed_intents(f"accuracy:{a}", read, asked) for a in (0.8, 0.4))
        assert all(b == a for a, b, before in zip(high, low, read, strict=True) if a != before)

    def test_errors_are_of_three_kinds(self) -> None:
        asked = queries(60)
        changed = changed_intents("accuracy:0", [EXTRACTOR.extract(query.text) for query in asked], asked)
        missed = sum(not intent.is_temporal for intent in changed)
        opened = sum(None in (i.interval.start, i.interval.end) for i in changed if i.interval)
        assert min(missed, opened, len(asked) - missed - opened) >= 8

    @pytest.mark.parametrize("part", PARTS)
    def test_without_a_part(self, part: str) -> None:
        texts = {
            "relation": "in office throughout 1999",
            "facets": "who was born in 1950",
            "preference": "latest budget",
        }
        intent = EXTRACTOR.extract(texts.get(part, "who won in 1999"), reference_date=date(2025, 6, 15))
        (changed,) = changed_intents(f"without:{part}", [intent], queries(1))
        assert changed.intervals == intent.intervals
        if part != "relation":
            assert changed != intent
        assert changed_intents(f"without:{part}", [changed], queries(1)) == (changed,)

    def test_predictions(self, tmp_path: Path) -> None:
        asked = queries(2)
        read = [EXTRACTOR.extract(query.text) for query in asked]
        path = tmp_path / "step100.jsonl"
        wrong = EXTRACTOR.extract("who won since 1990").to_dict()
        path.write_text("".join(json.dumps({**wrong, "query": query.text}) + "\n" for query in asked))
        changed = changed_intents(f"predictions:{path}", read, asked)
        assert [str(intent.interval) for intent in changed] == ["1990-01-01/.."] * 2
        with pytest.raises(EvaluationError, match="no prediction for query 'q1952'"):
            changed_intents(f"predictions:{path}", [*read, read[0]], queries(3))

    def test_right_where_the_data_tells(self) -> None:
        intent = EXTRACTOR.extract("who won in 1990")
        assert is_right(intent, Query(query_id="q", text="")) is None
        assert is_right(intent, Query(query_id="q", text="", atemporal=True)) is False
