"""A language model's answers to labelled queries, and how many are right: strictly read, and repaired."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from qtie.errors import IntentParseError, LlmError
from qtie.llm.chat import ChatModel, ChatOptions
from qtie.tie.labelled import LabelledQuery
from qtie.tie.prompt import Bounds, Unit, intent_prompt, parse_answer, repair_answer

__all__ = ["Answered", "answered", "shares_right"]

_OPTIONS = ChatOptions(max_tokens=32, stop=("\n###",))


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A labelled query with what was answered: as given, as it is read, and as a lenient reader repairs it."""

    query_id: str
    query: str
    label: Bounds
    answer: str
    bounds: Bounds | None
    """None where the answer is outside the format."""
    repaired: Bounds | None
    """None where nothing could be made of it."""


def answered(
    chat: ChatModel, queries: Sequence[LabelledQuery], *, granularity: Unit = "month", shots: int = 0
) -> list[Answered]:
    """The queries with the model's answers, in order.

    Raises:
        LlmError: the model gives no answer to one of them.
    """
    prompts = [
        intent_prompt(query.query, shots=shots, granularity=granularity, reference_date=query.reference_date)
        for query in queries
    ]
    found = []
    for query, answer in zip(queries, chat.complete_many(prompts, _OPTIONS), strict=True):
        if isinstance(answer, LlmError):
            raise answer
        found.append(
            Answered(
                query_id=query.query_id,
                query=query.query,
                label=query.bounds,
                answer=answer,
                bounds=_read(parse_answer, answer, granularity),
                repaired=_read(repair_answer, answer, granularity),
            )
        )
    return found


def _read(read: Callable[[str, Unit], Bounds], answer: str, granularity: Unit) -> Bounds | None:
    try:
        return read(answer, granularity)
    except IntentParseError:
        return None


def shares_right(rows: Sequence[Answered]) -> dict[str, float]:
    """The shares, in [0, 1], of answers that are right at their start, their end and both, and that are in the format.

    Example:
        >>> label = ("2017-01", None)
        >>> row = Answered(query_id="1", query="", label=label, answer="from 2017", bounds=None, repaired=label)
        >>> shares_right([row])
        {'start': 0.0, 'end': 0.0, 'both': 0.0, 'both, repaired': 1.0, 'in the format': 0.0}
    """
    n = max(1, len(rows))
    return {
        "start": sum(row.bounds is not None and row.bounds[0] == row.label[0] for row in rows) / n,
        "end": sum(row.bounds is not None and row.bounds[1] == row.label[1] for row in rows) / n,
        "both": sum(row.bounds == row.label for row in rows) / n,
        "both, repaired": sum(row.repaired == row.label for row in rows) / n,
        "in the format": sum(row.bounds is not None for row in rows) / n,
    }
