"""A language model as an extractor: it says the interval, and the grammar finds the words where both agree."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from qtie.errors import ConfigError, IntentParseError, LlmError, QtieWarning
from qtie.intent import IntentExtractor, IntentOptions, TemporalConstraint, TemporalIntent
from qtie.interval import Granularity, TimeInterval
from qtie.llm.chat import ChatModel, ChatOptions
from qtie.tie.grammar import GrammarExtractor
from qtie.tie.prompt import Bounds, Unit, answer_schema, intent_prompt, parse_answer

__all__ = ["LlmExtractor"]

_MAX_TOKENS = 64
"""An answer in JSON is about 45, where every digit is one."""
_STOP = ("\n###",)
"""Where the next part of the prompt would begin."""
_MAX_CHARACTERS = 2000
_PREFERENCES = ("latest", "current", "earliest")
_ANY_DAY = date(2001, 2, 3)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A query as it is asked, and how the grammar reads it."""

    query: str
    day: date | None
    grammar: TemporalIntent


class LlmExtractor:
    """Reads queries with any language model; an `IntentExtractor`.

    The model's answer is the intent's interval. Where the grammar reads the same interval, its constraints are kept:
    the words (which leave the semantic query), target, relation and preference. Where it does not, there is one
    constraint without words, and the semantic query is the whole query: nobody said which words state the time.

    Without a `reference_date`, a query such as "last year" stays unresolved, as the grammar leaves it, and the model is
    not asked: it would make up a date. `IntentOptions` shape the grammar's part alone.

    What the model does not answer, or not with an interval, is read by `fallback`, with a warning and with both names
    in the intent's `extractor`: "grammar (openai failed: timeout)".

    Args:
        chat: the model.
        granularity: what it is asked for. By the month, an answer is the paper's label, whose strict bounds are months:
            "before 2019" is ../2019-01, and a side that the label leaves out stays open.
        shots: how many demonstrations the prompt has, in [0, 4]; 0 for a model that was tuned on prompts without.
        json_schema: constrain the answer, where the server can.
        fallback: what reads queries that the model fails on; None raises.
        confidence: of readings that the grammar does not share, in [0, 1]; measure yours with `qtie tie evaluate`.

    Raises:
        ConfigError: an argument out of its range.

    Example:
        >>> class Historian:
        ...     name = identity = "historian"
        ...
        ...     def complete_many(self, prompts, options, *, on_answer=None):
        ...         return ["1939-09-01, 1945-09-02" if "war" in each else "2016-01-01, 2016-12-31" for each in prompts]
        >>> extractor = LlmExtractor(Historian(), shots=0)
        >>> for intent in extractor.extract_batch(["the price of bread during the war", "who won in 2016"]):
        ...     print(intent.interval, "|", intent.semantic_query, "|", intent.extractor)
        1939-09-01/1945-09-02 | the price of bread during the war | historian
        2016-01-01/2016-12-31 | who won | historian
    """

    def __init__(
        self,
        chat: ChatModel,
        *,
        granularity: Unit = "day",
        shots: int = 4,
        json_schema: bool = False,
        fallback: IntentExtractor | None = None,
        confidence: float = 0.7,
        options: IntentOptions | None = None,
    ) -> None:
        if not 0 <= confidence <= 1:
            raise ConfigError(f"confidence must be from 0 to 1, not {confidence!r}")
        intent_prompt("", shots=shots, granularity=granularity)  # raises where they are out of range
        self.chat = chat
        self.name = chat.name
        self.granularity: Unit = granularity
        self.shots = shots
        self.fallback = fallback
        self.confidence = confidence
        self.options = options or IntentOptions()
        self._grammar = GrammarExtractor(self.options)
        schema = answer_schema(granularity) if json_schema else None
        self._chat_options = ChatOptions(max_tokens=_MAX_TOKENS, stop=_STOP, schema=schema)

    def extract(self, query: str, *, reference_date: date | None = None) -> TemporalIntent:
        """The time that the query asks for.

        Args:
            query: the text as typed, of any length; what follows the first 2,000 characters is not read.
            reference_date: what "last year" counts from; without it such words stay unresolved.

        Raises:
            LlmError: the model gives no answer, and there is no fallback.
            IntentParseError: its answer is no interval, and there is no fallback.
        """
        return self.extract_batch([query], reference_dates=[reference_date])[0]

    def extract_batch(
        self, queries: Sequence[str], *, reference_dates: Sequence[date | None] | None = None
    ) -> list[TemporalIntent]:
        """The intents of many queries, in order; asked together, as many at a time as the model takes.

        Raises:
            LlmError: as `extract`, for the first query of which it is so, after all were asked.
            IntentParseError: as `extract`.
        """
        days: Sequence[date | None] = [None] * len(queries) if reference_dates is None else reference_dates
        asked = [
            _Asked(query, day, self._grammar.extract(query, reference_date=day))
            for query, day in zip(queries, days, strict=True)
        ]
        prompts = {at: self._prompt(one) for at, one in enumerate(asked) if not self._lacks_a_day(one)}
        given = self.chat.complete_many(list(prompts.values()), self._chat_options) if prompts else []
        answers = dict(zip(prompts, given, strict=True))
        return [self._intent(one, answers[at]) if at in answers else one.grammar for at, one in enumerate(asked)]

    def _prompt(self, asked: _Asked) -> str:
        return intent_prompt(
            asked.query[:_MAX_CHARACTERS],
            shots=self.shots,
            granularity=self.granularity,
            reference_date=asked.day,
        )

    def _lacks_a_day(self, asked: _Asked) -> bool:
        """Whether the query's time depends on a day of asking that is not given."""
        n_unresolved = _n_unresolved(asked.grammar)
        if asked.day is not None or not n_unresolved:
            return False
        return _n_unresolved(self._grammar.extract(asked.query, reference_date=_ANY_DAY)) < n_unresolved

    def _intent(self, asked: _Asked, answer: str | LlmError) -> TemporalIntent:
        try:
            if isinstance(answer, LlmError):
                raise answer
            bounds = parse_answer(answer, self.granularity)
        except (LlmError, IntentParseError) as error:
            return self._fallen_back(asked, error)
        if self._agrees(bounds, asked.grammar):
            return replace(asked.grammar, extractor=self.name)
        constraints = (self._constraint(bounds),) if bounds != (None, None) else ()
        return TemporalIntent(
            query=asked.query,
            constraints=constraints,
            reference_date=asked.day,
            extractor=self.name,
            options=self.options,
        )

    def _agrees(self, bounds: Bounds, grammar: TemporalIntent) -> bool:
        """Whether the grammar reads these bounds, or a preference alone, which bounds cannot state."""
        if self.granularity == "month":
            same = bounds == grammar.month_pair()
        else:
            same = _interval(bounds) == (grammar.interval or TimeInterval())
        resolved = [c for c in grammar.constraints if c.resolved]
        return same or (bounds == (None, None) and all(c.operator in _PREFERENCES for c in resolved))

    def _constraint(self, bounds: Bounds) -> TemporalConstraint:
        interval = _interval(bounds)
        return TemporalConstraint(
            interval=interval,
            raw=interval,
            granularity=Granularity.parse(self.granularity),
            confidence=self.confidence,
            rule=self.name,
        )

    def _fallen_back(self, asked: _Asked, error: LlmError | IntentParseError) -> TemporalIntent:
        if self.fallback is None:
            raise error
        reason = error.reason if isinstance(error, LlmError) else "no interval in the answer"
        intent = self.fallback.extract(asked.query, reference_date=asked.day)
        failed = f"{self.name} failed: {reason}"
        said = f"{self.name}: {error}" if isinstance(error, LlmError) else failed
        warnings.warn(f"{said}; {intent.extractor} reads such queries", QtieWarning, stacklevel=4)
        return replace(intent, extractor=f"{intent.extractor} ({failed})")


def _n_unresolved(intent: TemporalIntent) -> int:
    return sum(not constraint.resolved for constraint in intent.constraints)


def _interval(bounds: Bounds) -> TimeInterval:
    """From the first day of the first bound to the last day of the last."""
    start, end = (None if bound is None else TimeInterval.parse(bound) for bound in bounds)
    return TimeInterval(start.start if start else None, end.end if end else None)
