"""Questions and pools of made-up documents."""

from collections.abc import Callable
from datetime import date

import pytest

from qtie.baselines.ranker import Pool, Question
from qtie.document import Document
from qtie.tie.grammar import GrammarExtractor

Ask = Callable[..., Question]


@pytest.fixture(scope="session")
def ask() -> Ask:
    """A question with the intent that the grammar reads from it."""
    extractor = GrammarExtractor()

    def asked(text: str, reference_date: date | None = None) -> Question:
        intent = extractor.extract(text, reference_date=reference_date)
        return Question(text=text, intent=intent, reference_date=reference_date)

    return asked


@pytest.fixture(scope="session")
def dated() -> Callable[..., Pool]:
    """A pool of documents with these timestamps, in order; None is undated, a tuple several times."""

    def pool(*stamps: str | tuple[str, ...] | None) -> Pool:
        return Pool(
            [
                Document.from_record(
                    {
                        "_id": f"d{i}",
                        "text": f"text {i}",
                        "times": {"timestamp": list(s) if isinstance(s, tuple) else s},
                    }
                )
                for i, s in enumerate(stamps)
            ]
        )

    return pool
