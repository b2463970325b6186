"""From the model's logits to a well-formed program: what no program can say is never chosen.

The network gives logits for every word piece, one group of columns for each decision in `HEADS`. Of a candidate's
pieces the first one decides operator, role, target and negation; every piece has a tag; the piece at position 0
decides the preference.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from qtie.intent import Preference
from qtie.tie.program import Candidate, Operator, Role, Step

__all__ = ["HEADS", "N_LOGITS", "Calibration", "Encoded", "Program", "decode", "likely_programs", "log_odds"]

Floats = NDArray[np.float32]
Span = tuple[int, int]

HEADS: dict[str, tuple[Any, ...]] = {
    "operator": get_args(Operator),
    "role": get_args(Role),
    "target": ("any", "start", "end", "born", "died", "published"),
    "negated": (False, True),
    "tag": ("outside", "begin", "inside", "preference"),
    "preference": (None, *get_args(Preference)),
}
"""What each group of columns chooses between, in the order of the columns."""
_ENDS = np.cumsum([len(labels) for labels in HEADS.values()]).tolist()
N_LOGITS: int = _ENDS[-1]
"""Columns in all."""
_COLUMNS = {name: slice(end - len(HEADS[name]), end) for name, end in zip(HEADS, _ENDS, strict=True)}
_NONE, _OPERAND, _FROM, _TO, _AS_OF = map(HEADS["operator"].index, ("none", "operand", "from", "to", "as of"))
_NO_ROLE = HEADS["role"].index("none")
_WITH_OPERAND = frozenset(range(1, 8))
"""The roles that need a value beside the duration; `program` lists them first."""
_NO_PREFERENCE = np.array([label is None for label in HEADS["preference"]])
_N_CHOICES, _N_BEAMS = 4, 64


class Encoded(NamedTuple):
    """A query as the network reads it: word pieces, their kinds, and where they and the candidates stand."""

    found: list[Candidate]
    ids: list[int]
    kinds: list[int]
    """0 outside candidates; else by the candidate's unit, odd at its first piece."""
    offsets: list[Span]
    """The characters of each piece."""
    firsts: list[int]
    """The first piece of each candidate; 0 for one that was cut off."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """What makes the product of a program's probabilities the share of such programs that are right; fitted on dev.

    Platt (1999), "Probabilistic outputs for support vector machines", with the product's log-odds as the score.
    """

    temperature: float = 1.0
    """Divides the logits: Guo et al. (2017), "On calibration of modern neural networks"."""
    slope: float = 1.0
    offset: float = 0.0
    margin: float = 0.0
    """How much likelier, in log-odds, a time or a preference must be than none to be chosen."""

    def confidence(self, log_probability: float) -> float:
        """The share of programs of this log-probability that are right, in (0, 1)."""
        scaled = self.slope * log_odds(log_probability) + self.offset
        return 1 / (1 + math.exp(-max(-50.0, min(50.0, scaled))))


def log_odds(log_probability: float) -> float:
    """The logarithm of p / (1 − p), in about ±21.

    Example:
        >>> round(log_odds(math.log(0.5)), 9)
        0.0
    """
    log_probability = max(-21.0, min(log_probability, -1e-9))
    return log_probability - math.log(-math.expm1(log_probability))


@dataclass(frozen=True, slots=True)
class Program:
    """What the model says of a query: a step for each candidate, and the preference."""

    steps: tuple[Step, ...]
    preference: Preference | None
    preference_span: Span | None
    log_probability: float
    """The product over all decisions, as a logarithm."""

    @property
    def log_odds(self) -> float:
        """The same as log-odds: what the calibration scales."""
        return log_odds(self.log_probability)


def decode(encoded: Encoded, logits: Floats, calibration: Calibration) -> Program:
    """The likeliest well-formed program.

    In one, each duration that counts from a value has one, each operand has its duration, the lower bound of a
    range is followed by its upper bound, and a preference has words of its own ("as of" is enough for the latest),
    "earliest" beside a time.

    Args:
        logits: shape (n_pieces, N_LOGITS), any finite numbers.
    """
    scores, tags = _scores(encoded, logits, calibration), _tags(logits)
    probability, chosen = _search(encoded, scores["operator"], scores["role"], calibration.margin)[0]
    return _program(encoded, logits, calibration, probability, chosen, scores, tags)


def likely_programs(encoded: Encoded, logits: Floats, calibration: Calibration) -> Iterator[Program]:
    """Well-formed programs, likely ones first: where it is known what a query means, the first that says so is meant.

    Example:
        >>> encoded = Encoded([], ids=[1, 2], kinds=[0, 0], offsets=[(0, 0), (0, 0)], firsts=[])
        >>> [program.steps for program in likely_programs(encoded, np.zeros((2, N_LOGITS)), Calibration())]
        [()]
    """
    scores, tags = _scores(encoded, logits, calibration), _tags(logits)
    found = _search(encoded, scores["operator"], scores["role"], calibration.margin, widely=True)
    for probability, chosen in found:
        yield _program(encoded, logits, calibration, probability, chosen, scores, tags)


_BY_CANDIDATE = ("operator", "role", "target", "negated")


def _scores(encoded: Encoded, logits: Floats, calibration: Calibration) -> dict[str, Floats]:
    """The log-probabilities of each decision on each candidate."""
    pieces = encoded.firsts
    return {name: _log_softmax(logits[pieces, _COLUMNS[name]] / calibration.temperature) for name in _BY_CANDIDATE}


def _tags(logits: Floats) -> list[int]:
    return logits[:, _COLUMNS["tag"]].argmax(axis=-1).tolist()  # type: ignore[no-any-return]


def _program(
    encoded: Encoded, logits: Floats, calibration: Calibration, score: float, chosen: "list[Choice]",
    scores: dict[str, Floats], tags: list[int],
) -> Program:  # fmt: skip
    """The program of those operators and roles, its other decisions each the likeliest."""
    steps = []
    for at, (operator, role) in enumerate(chosen):
        if operator in (_NONE, _OPERAND):
            steps.append(Step(operator=HEADS["operator"][operator]))
            continue
        target, negated = int(scores["target"][at].argmax()), int(scores["negated"][at].argmax())
        score += float(scores["target"][at, target] + scores["negated"][at, negated])
        steps.append(
            Step(
                operator=HEADS["operator"][operator],
                role=HEADS["role"][role],
                target=HEADS["target"][target],
                negated=HEADS["negated"][negated],
                phrase=_phrase(encoded, at, tags),
            )
        )
    span = _preference_span(encoded, tags)
    preferences = _log_softmax(logits[:1, _COLUMNS["preference"]] / calibration.temperature)[0]
    if span is None and _AS_OF not in (operator for operator, _ in chosen):
        preferences[HEADS["preference"].index("latest")] = -np.inf
    if span is None or all(operator == _NONE for operator, _ in chosen):
        preferences[HEADS["preference"].index("earliest")] = -np.inf
    preference = int((preferences + calibration.margin * _NO_PREFERENCE).argmax())
    score += float(preferences[preference])
    return Program(tuple(steps), HEADS["preference"][preference], span if preference else None, score)


def _log_softmax(logits: Floats) -> Floats:
    shifted = logits - logits.max(axis=-1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True)), dtype=np.float32)


Choice = tuple[int, int]
"""An operator and a role, by their places in `HEADS`."""


def _search(
    encoded: Encoded, operators: Floats, roles: Floats, margin: float, *, widely: bool = False
) -> list[tuple[float, list[Choice]]]:
    """Log-probability, operators and roles of well-formed programs, best first, by beam search.

    Only the best one, unless it is looked for `widely`.
    """
    nothing: list[Choice] = [(_NONE, _NO_ROLE)] * len(encoded.found)
    choices = [
        _choices(candidate, first, operators[at], roles[at], margin, _N_CHOICES * (2 if widely else 1))
        for at, (candidate, first) in enumerate(zip(encoded.found, encoded.firsts, strict=True))
    ]
    best = [options[0][2] for options in choices]
    if not widely and _well_formed(best):
        return [(sum(options[0][1] for options in choices), best)]
    beams: list[tuple[float, float, list[Choice]]] = [(0.0, 0.0, [])]
    for options in choices:
        grown = [(b + s, p + q, [*made, c]) for b, p, made in beams for s, q, c in options]
        beams = sorted(grown, key=lambda beam: -beam[0])[: _N_BEAMS * (4 if widely else 1)]
    found = [(probability, made) for _, probability, made in beams if _well_formed(made)]
    none = sum(p for options in choices for _, p, choice in options if choice == nothing[0])
    return found or [(none, nothing)]


def _choices(
    candidate: Candidate, first: int, operators: Floats, roles: Floats, margin: float, n: int
) -> list[tuple[float, float, Choice]]:
    """The `n` likely choices with score and log-probability, best first, "not a time" among them."""
    likely = np.argsort(-operators, kind="stable")[:n].tolist() if first else []
    if candidate.is_duration:
        likely_roles = [role for role in np.argsort(-roles, kind="stable")[:n].tolist() if role != _NO_ROLE]
        none = float(operators[_NONE] + roles[_NO_ROLE])
        pairs = [
            (o, r, float(operators[o] + roles[r])) for o in likely if o not in (_NONE, _OPERAND) for r in likely_roles
        ]
    else:
        none = float(operators[_NONE])
        pairs = [(o, _NO_ROLE, float(operators[o])) for o in likely if o != _NONE]
    made = [(score, score, (operator, role)) for operator, role, score in pairs]
    return sorted([*made, (none + margin, none, (_NONE, _NO_ROLE))], key=lambda choice: -choice[0])


def _well_formed(chosen: Sequence[Choice]) -> bool:
    """Whether durations and operands match one to one, and every "from" is followed by its "to"."""
    n_operands = sum(operator == _OPERAND for operator, _ in chosen)
    if n_operands != sum(role in _WITH_OPERAND for _, role in chosen):
        return False
    expected = False
    for operator, _ in chosen:
        if operator in (_NONE, _OPERAND):
            continue
        if (operator == _TO) != expected:
            return False
        expected = operator == _FROM
    return not expected


def _phrase(encoded: Encoded, at: int, tags: list[int]) -> Span:
    """The characters of the tagged pieces around a candidate: back to "begin", on until the next one."""
    candidate, offsets = encoded.found[at], encoded.offsets
    first = last = encoded.firsts[at]
    while tags[first] == 2 and tags[first - 1] in (1, 2) and first > 1:
        first -= 1
    while last + 1 < len(offsets) and (offsets[last + 1][0] < candidate.end or tags[last + 1] == 2):
        last += 1
    last = last if offsets[last][1] else last - 1  # the closing piece has no characters
    return min(candidate.start, offsets[first][0]), max(candidate.end, offsets[last][1])


def _preference_span(encoded: Encoded, tags: list[int]) -> Span | None:
    """The characters of the first run of pieces that state the preference."""
    inner = [at for at in range(1, len(tags) - 1) if tags[at] == 3]
    if not inner:
        return None
    last = next(at for at in inner if at + 1 not in inner)
    return encoded.offsets[inner[0]][0], encoded.offsets[last][1]
