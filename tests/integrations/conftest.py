"""What the adapters' tests share: notes, every form of a time, embeddings of words, and a heartbeat."""

import asyncio
import os
import re
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, date, datetime
from typing import Any, TypeVar
from zlib import crc32

import numpy as np
import pytest

from qtie.intent import TemporalIntent
from qtie.reranker import TemporalReranker
from qtie.tie.grammar import GrammarExtractor

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"  # no test asks the network for anything

Result = TypeVar("Result")

FORMS_OF_2019: dict[str, dict[str, Any]] = {
    "day": {"date": "2019-05-12"},
    "month": {"published_at": "2019-05"},
    "year text": {"date": "2019"},
    "year number": {"year": 2019},
    "EDTF interval": {"event_date": "2019-05-12/2019-06-01"},
    "zoned datetime text": {"timestamp": "2019-05-12T08:00:00+02:00"},
    "epoch seconds": {"timestamp": 1557619200},
    "epoch milliseconds": {"timestamp": 1557619200000},
    "epoch microseconds": {"timestamp": 1557619200000000},
    "validity": {"valid_from": "2019-01-01", "valid_to": "2019-12-31"},
    "open validity": {"valid_from": "2018-11-01"},
    "event before publication": {"event_date": "2019-05-12", "published_at": "2025-01-01"},
    "ingestion is not asked for": {"date": "2019-05-12", "created_at": "2025-01-01"},
}
OBJECTS_OF_2019: dict[str, dict[str, Any]] = {
    "date object": {"date": date(2019, 5, 12)},
    "datetime object": {"date": datetime(2019, 5, 12, 8, tzinfo=UTC)},
}


@pytest.fixture(params=[*FORMS_OF_2019, *OBJECTS_OF_2019])
def in_2019(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Metadata of a document of 2019, in each form that users store."""
    return {**FORMS_OF_2019, **OBJECTS_OF_2019}[request.param]


@pytest.fixture
def notes() -> list[tuple[str, dict[str, Any]]]:
    """Texts and metadata; the first is the best by its words, the second by its time."""
    return [
        ("Elke Brandt leads the ministry", {"date": "2019-05-06", "id": "elke"}),
        ("Jonas Weber leads the large ministry", {"date": "2016-03-14", "id": "jonas"}),
        ("Nobody knows who leads a ministry", {"id": "nobody"}),
        ("Apples are harvested", {"date": "2016-09-01", "id": "apples"}),
    ]


@pytest.fixture
def embed() -> Callable[[str], list[float]]:
    """A text as a unit vector of its hashed words."""

    def vector_of(text: str) -> list[float]:
        vector = np.zeros(256)
        for word in re.findall(r"\w+", text.lower()):
            vector[crc32(word.encode()) % 256] += 1
        unit: list[float] = (vector / max(float(np.linalg.norm(vector)), 1e-9)).tolist()
        return unit

    return vector_of


class SlowExtractor:
    """Reads a query in a third of a second, as a language model might."""

    def extract(self, query: str, *, reference_date: date | None = None) -> TemporalIntent:
        time.sleep(0.3)
        return GrammarExtractor().extract(query, reference_date=reference_date)


@pytest.fixture
def slow() -> TemporalReranker:
    return TemporalReranker(SlowExtractor())


@pytest.fixture
def heartbeat() -> Callable[[Callable[[], Awaitable[Result]]], tuple[Result, int]]:
    """Awaits something, and counts how often the event loop had its turn meanwhile."""

    async def measured(begin: Callable[[], Awaitable[Result]]) -> tuple[Result, int]:
        n_beats = 0

        async def beat() -> None:
            nonlocal n_beats
            while True:
                await asyncio.sleep(0.01)
                n_beats += 1

        beating = asyncio.create_task(beat())
        result = await begin()
        beating.cancel()
        return result, n_beats

    return lambda begin: asyncio.run(measured(begin))
