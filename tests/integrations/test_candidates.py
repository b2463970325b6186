"""What all adapters share."""

import subprocess
import sys
from collections.abc import Callable
from datetime import date
from math import exp
from typing import Any

import pytest

from qtie.defaults import COSINE_TEMPERATURE
from qtie.errors import ConfigError, DocumentError
from qtie.integrations.candidates import Place, places, reference_day
from qtie.interval import TimeInterval
from qtie.reranker import TemporalReranker

Note = tuple[str, dict[str, Any]]


def _record(note: Note) -> dict[str, Any]:
    return {"text": note[0], "metadata": note[1]}


def _ids(ranked: list[Place[Note]]) -> list[str]:
    return [place.item[1]["id"] for place in ranked]


def test_time_decides_between_like_topics(notes: list[Note]) -> None:
    ranked = places(TemporalReranker(), "who leads the ministry in 2016", notes, record=_record)
    assert _ids(ranked)[0] == "jonas"
    assert ranked[0].item is notes[1]
    assert ranked[0].temporal == {
        "intervals": ["2016-01-01/2016-12-31"],
        "cues": ["in 2016"],
        "time": "2016-03-14/2016-03-14",
        "relation": "during",
        "semantic_score": pytest.approx(0.917, abs=0.001),
        "temporal_score": pytest.approx(1.0),
        "rank": 1,
        "rank_before": 2,
    }


def test_atemporal_queries_change_nothing(notes: list[Note]) -> None:
    scores: list[list[float | None] | None] = [None, [None] * 4, [0.4, 0.9, None, 0.1], [0.4, 0.9, 0.3, 0.1]]
    for given in scores:
        ranked = places(TemporalReranker(), "who leads room 2099", notes, record=_record, scores=given)
        assert [place.item for place in ranked] == notes
        assert [place.score for place in ranked] == (given or [None] * 4)


def test_an_incomplete_list_of_scores_gives_way_to_the_order(notes: list[Note]) -> None:
    query = "who leads the ministry in 2016"
    partly = places(TemporalReranker(), query, notes, record=_record, scores=[0.9, None, 0.1, 0.1])
    assert partly == places(TemporalReranker(), query, notes, record=_record)


def test_equal_scores_keep_their_order() -> None:
    notes = [("Budget passed", {"date": "2019", "id": str(number)}) for number in range(120)]
    ranked = places(TemporalReranker(), "budget in 2019", notes, record=_record, scores=[0.5] * 120)
    assert _ids(ranked) == [str(number) for number in range(120)]


def test_scores_that_must_be_guessed_may_be_named(notes: list[Note]) -> None:
    def semantic_scores(reranker: TemporalReranker, normalization: str | None) -> dict[str, float]:
        scores, query = [0.9, 0.45, 0.2, 0.1], "who leads the ministry in 2016"
        ranked = places(reranker, query, notes, record=_record, scores=scores, normalization=normalization)
        return {place.item[1]["id"]: place.temporal["semantic_score"] for place in ranked}

    cosine = TemporalReranker(normalization="cosine")
    assert semantic_scores(TemporalReranker(), "bm25")["jonas"] == pytest.approx(0.505)
    assert semantic_scores(TemporalReranker(), None)["jonas"] == pytest.approx(exp(-0.45 / COSINE_TEMPERATURE))
    assert semantic_scores(cosine, "bm25") == semantic_scores(TemporalReranker(), None)


def test_the_caller_may_ask_for_days(notes: list[Note]) -> None:
    asked = TimeInterval.year(2016)
    assert _ids(places(TemporalReranker(), "who leads", notes, record=_record, interval=asked))[0] == "jonas"


def test_the_clock_is_an_argument(notes: list[Note]) -> None:
    days = iter([date(2017, 1, 1), date(2020, 1, 1)])
    first, second = (
        _ids(places(TemporalReranker(), "ministry last year", notes, record=_record, reference_date=lambda: next(days)))
        for _ in range(2)
    )
    assert (first[0], second[0]) == ("jonas", "elke")
    assert reference_day(None) is None


def test_bad_input_is_one_error(notes: list[Note]) -> None:
    with pytest.raises(ConfigError, match="k must be at least 1"):
        places(TemporalReranker(), "in 2016", notes, record=_record, k=0)
    with pytest.raises(DocumentError, match="finite"):
        places(TemporalReranker(), "in 2016", notes, record=_record, scores=[1.0, float("nan"), 1.0, 1.0])


def test_heartbeat_notices_what_blocks(slow: TemporalReranker, heartbeat: Callable[..., tuple[Any, int]]) -> None:
    async def blocking() -> Any:
        return slow.rank("in 2016", ["a"])

    assert heartbeat(blocking)[1] == 0


@pytest.mark.parametrize(
    ("module", "package", "extra"),
    [
        ("langchain", "langchain_core", "langchain"),
        ("llama_index", "llama_index", "llama-index"),
        ("haystack", "haystack", "haystack"),
        ("rerankers", "rerankers", "rerankers"),
        ("pyterrier", "pyterrier", "pyterrier"),
        ("lancedb", "lancedb", "lancedb"),
    ],
)
def test_a_missing_framework_is_one_line(module: str, package: str, extra: str) -> None:
    code = (
        "import sys\n"
        "class Absent:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name.split('.')[0] == {package!r}:\n"
        "            raise ModuleNotFoundError(f'No module named {name!r}', name=name)\n"
        "sys.meta_path.insert(0, Absent())\n"
        f"import qtie.integrations.{module}\n"
    )
    failed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    last = failed.stderr.strip().splitlines()[-1]
    assert last.startswith("qtie.errors.MissingExtraError: ")
    assert last.endswith(f'is missing; try: pip install "qtie[{extra}]"')
