"""A language model that answers from the facts that were found, each of its answers checked against them.

As TimeR4's last stage: the model is given the question and the facts with their dates, and names the answers. One that
stands in no fact, or a date that no fact has, is refused.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from qtie.errors import LlmError
from qtie.evaluation.answers import as_date, normalized
from qtie.interval import Granularity, TimeInterval, unit_of
from qtie.llm.chat import ChatModel, ChatOptions
from qtie.tkg.answer import TkgAnswer
from qtie.tkg.fact import Fact
from qtie.tkg.pipeline import TkgPipeline

__all__ = ["ReasonedAnswer", "TkgReasoner", "checked_answers", "reasoning_prompt"]

_OPTIONS = ChatOptions(max_tokens=64, stop=("\n",))
_SEPARATOR = ";"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasonedAnswer:
    """A model's answers, as far as the facts bear them out; else those of the pipeline."""

    answers: tuple[str, ...]
    """The best first."""
    refused: tuple[str, ...]
    """What the model said and no fact does."""
    pipeline: TkgAnswer
    """The stages before the model."""
    reason: str = ""
    """Why the answers are the pipeline's own; empty where they are the model's."""

    def to_dict(self) -> dict[str, Any]:
        """The pipeline's record with these answers."""
        reason = "; ".join(filter(None, (self.pipeline.reason, self.reason)))
        own = {"answers": list(self.answers), "best_answers": list(self.answers), "refused": list(self.refused)}
        return {**self.pipeline.to_dict(), **own, "abstained": bool(reason) or not self.answers, "reason": reason}

    def explain(self) -> str:
        """The stages before the model, and what became of its answers."""
        lines = [self.pipeline.explain(), f"model: {'; '.join(self.answers) if not self.reason else self.reason}"]
        return "\n".join([*lines, *(f"refused: {each}, which stands in no fact" for each in self.refused)])


class TkgReasoner:
    """Asks a language model to answer from the facts that a pipeline finds.

    Args:
        pipeline: finds the facts.
        chat: answers from them.
    """

    def __init__(self, pipeline: TkgPipeline, chat: ChatModel) -> None:
        self.pipeline, self.chat = pipeline, chat

    def ask(self, question: str, *, reference_date: date | None = None) -> ReasonedAnswer:
        """The model's answers that the facts bear out; the pipeline's where it gives none."""
        found = self.pipeline.ask(question, reference_date=reference_date)
        facts = [ranked.fact for ranked in found.facts]
        if found.question.asks not in ("entity", "date"):  # counted, or decided, exactly or not at all
            return ReasonedAnswer(answers=found.answers, refused=(), pipeline=found)
        try:
            said = self.chat.complete(reasoning_prompt(question, facts), _OPTIONS)
        except LlmError as error:
            return ReasonedAnswer(
                answers=found.answers,
                refused=(),
                pipeline=found,
                reason=f"the model failed, the answers are without it: {error}",
            )
        answers, refused = checked_answers(said, facts)
        if not answers:
            reason = "the model names nothing that stands in the facts"
            return ReasonedAnswer(answers=found.answers, refused=refused, pipeline=found, reason=reason)
        return ReasonedAnswer(answers=answers, refused=refused, pipeline=found)


def reasoning_prompt(question: str, facts: Sequence[Fact]) -> str:
    """The prompt: what to do, the facts with their dates, the question.

    Example:
        >>> year = TimeInterval.year(2012)
        >>> fact = Fact(subject="Iran", predicate="Consult", object="Iraq", interval=year, fact_id="f")
        >>> print(reasoning_prompt("Who consulted Iraq?", [fact]))
        Answer the question from these facts alone. Several answers are separated by semicolons.
        Facts:
        - Iran Consult Iraq in 2012
        Question: Who consulted Iraq?
        Answer:
    """
    listed = [f"- {' '.join(fact.verbalized.split())}" for fact in facts]
    asked = " ".join(question.split())
    task = "Answer the question from these facts alone. Several answers are separated by semicolons."
    return "\n".join([task, "Facts:", *listed, f"Question: {asked}", "Answer:"])


def checked_answers(said: str, facts: Sequence[Fact]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What a model said, parted into answers that stand in the facts, in the facts' spelling, and others.

    A name is a subject or object; a date is that of a fact, or the month or year of one.

    Example:
        >>> year = TimeInterval.year(2012)
        >>> fact = Fact(subject="Iran", predicate="Consult", object="Iraq", interval=year, fact_id="f")
        >>> checked_answers("iran; 2012; 2013; Oman", [fact])
        (('Iran', '2012'), ('2013', 'Oman'))
    """
    labels = {normalized(label): label for fact in facts for label in (fact.object, fact.subject)}
    days = [fact.interval for fact in facts if fact.interval is not None]
    answers: dict[str, None] = {}
    refused: dict[str, None] = {}
    for part in (part.strip(" .-*\t") for part in said.split(_SEPARATOR)):
        name = labels.get(normalized(part))
        interval = as_date(part)
        if name is not None:
            answers[name] = None
        elif interval is not None and any(_is_dated(fact_days, interval) for fact_days in days):
            answers[part] = None
        elif part:
            refused[part] = None
    return tuple(answers), tuple(refused)


def _is_dated(days: TimeInterval, said: TimeInterval) -> bool:
    """Whether a date is a fact's first or last day, or the month or year of one."""
    if days == said:
        return True
    bounds = [day for day in (days.start, days.end) if day is not None]
    units = (Granularity.DAY, Granularity.MONTH, Granularity.YEAR)
    return any(unit_of(day, unit) == said for day in bounds for unit in units)
