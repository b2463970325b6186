"""Documents of every kind of time, and an extractor without a model."""

from datetime import date

import pytest

from qtie.document import Document
from qtie.reranker import TemporalReranker
from qtie.tie.grammar import GrammarExtractor

RECORDS = [
    {"_id": "plain", "text": "The budget passed.", "date": "2016-05-09"},
    {"_id": "coarse", "text": "The budget was debated.", "title": "Debate", "date": "2019"},
    {"_id": "term", "text": "The treasurer defended the budget.", "valid_from": "1997-05", "valid_to": "2007-06-27"},
    {"_id": "open", "text": "The budget act.", "metadata": {"valid_from": "2012-02-29", "lang": "en"}, "score": 0.25},
    {"_id": "undated", "text": "A budget without a date"},
    {"_id": "person", "text": "Marta Ruiz (born 3 May 1881) wrote the budget.", "date": "1911"},
    {
        "_id": "both",
        "text": "Ä€𝄞 budget\nsecond line",
        "date": "2020-01-02",
        "times": {"event": ["1969-07-20", "-0043"]},
    },
    {"_id": "o'hara; --", "text": "Quotes in an id.", "metadata": {"nested": {"deep": [1, None, "x"]}}},
]


@pytest.fixture
def documents() -> list[Document]:
    made = Document(doc_id="made", text="", metadata={"day": date(2020, 2, 29), "n": 1.5})
    return [*map(Document.from_record, RECORDS), made]


@pytest.fixture
def reranker() -> TemporalReranker:
    return TemporalReranker(GrammarExtractor())
