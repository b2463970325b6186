"""The engine under the grammar: stages of rules that rewrite a query until only its time is left.

The query's text is kept as a skeleton in which every part that has been read is one private character standing for
its node (a `Timex`, then a `TemporalConstraint`), so that a later rule can say `before <V>`. Each character remembers
the characters of the query that it came from. A rule is a name, a pattern and a reading; in patterns `<V>` is a time
value, `<C>` a constraint, `<x:V>` the same as a named group, `<N>` a number and `<U>` a unit of time.
"""

import itertools
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from qtie.errors import IntervalError
from qtie.intent import IntentOptions, TemporalConstraint
from qtie.tie.grams import compiled, grams_of
from qtie.tie.timex import Timex

__all__ = ["MASK", "Context", "Found", "Rule", "Skeleton", "rules", "run_stage"]

Node = Timex | TemporalConstraint
MASK = "\uf800"
"""Stands for words that were read as something that is no time."""

_VALUES, _CONSTRAINTS = "[\ue000-\ue7ff]", "[\ue800-\uefff]"
_A_VALUE, _A_CONSTRAINT = re.compile(_VALUES), re.compile(_CONSTRAINTS)
_BLOCK = 0x800
_REACH = 100
"""Characters before a node that a rule's words may take up."""
_UNIT_WORDS = (
    r"hours?|hrs?|days?|nights?|weeks?|wks?|fortnights?|months?|mths?|mos?|quarters?|qtrs?|half[- ]years?|semesters?"
    r"|years?|yrs?|decades?|century|centuries|millennium|millennia|weekends?|halves|half|seasons?|springs?|summers?"
    r"|autumns?|winters?|mondays?|tuesdays?|wednesdays?|thursdays?|fridays?|saturdays?|sundays?"
)
_MACROS = {
    "V": _VALUES,
    "C": _CONSTRAINTS,
    "N": r"\d{1,4}|a couple(?: of)?|couple(?: of)?|(?:a )?few|several|(?:a )?dozen|half a dozen|an|a|one",
    "U": _UNIT_WORDS,
}


@dataclass(frozen=True, slots=True)
class Context:
    """What a reading may need besides the words: the reference day, if given, and the options."""

    reference: int | None
    options: IntentOptions


class Skeleton:
    """A query being read."""

    __slots__ = ("_starts", "context", "fired", "nodes", "origins", "query", "rule_of", "rules", "text")

    def __init__(self, text: str, context: Context, *, query: str = "") -> None:
        self.text = text
        self.query = query or text
        self.origins = [(i, i + 1) for i in range(len(text))]
        self.nodes: dict[str, Node] = {}
        self.rule_of: dict[str, str] = {}
        self.fired: list[str] = []
        self.context = context
        self.rules = _rules_for(text)
        """A set of bits: the rules whose characters have stood in the text."""
        self._starts: dict[str, int] = {}

    def replace(self, start: int, end: int, by: Node | str, rule: str = "") -> None:
        """Put text or a node in the place of the characters from `start` to `end`."""
        self.fired.append(rule)
        if not isinstance(by, str):
            block = 0xE000 if isinstance(by, Timex) else 0xE800
            char = chr(block + len(self.nodes) % _BLOCK)
            self.nodes[char] = by
            self.rule_of[char] = rule
            by = char
        covered = self.origins[start:end] or [(self.origins[start - 1][1],) * 2 if start else (0, 0)]
        self.origins[start:end] = [(covered[0][0], covered[-1][1])] * len(by)
        self.text = self.text[:start] + by + self.text[end:]
        self.rules |= _rules_for(self.text[max(0, start - 2) : start + len(by) + 2])
        self._starts = {}

    @property
    def starts(self) -> dict[str, int]:
        """Where to begin to look for rules that need no node, a value (V), a constraint (C); nowhere without one."""
        if not self._starts:
            self._starts = {"": 0}
            for needs, node in (("V", _A_VALUE), ("C", _A_CONSTRAINT)):
                if match := node.search(self.text):
                    self._starts[needs] = max(0, match.start() - _REACH)
        return self._starts


class Found:
    """A rule's match; groups by name, as text or as the node they stand for."""

    __slots__ = ("match", "skeleton")

    def __init__(self, match: re.Match[str], skeleton: Skeleton) -> None:
        self.match = match
        self.skeleton = skeleton

    def __getitem__(self, name: str) -> str:
        return self.match.groupdict().get(name) or ""

    def timex(self, name: str) -> Timex:
        """The time value that the group stands for."""
        node = self.skeleton.nodes[self.match[name]]
        assert isinstance(node, Timex)
        return node

    def constraint(self, name: str) -> TemporalConstraint:
        """The constraint that the group stands for."""
        node = self.skeleton.nodes[self.match[name]]
        assert isinstance(node, TemporalConstraint)
        return node

    @property
    def context(self) -> Context:
        """The reference day and the options."""
        return self.skeleton.context


Read = Callable[[Found], Node | str | None]
ReadT = TypeVar("ReadT", bound=Read)


@dataclass(frozen=True, slots=True)
class Rule:
    """A name, a pattern and a reading; a reading of None refuses the match."""

    name: str
    pattern: re.Pattern[str]
    read: Read
    at: str
    """The group that is replaced; the rest of the pattern is context. Empty: the whole match."""
    needs: str
    """V, C: the nodes without which the rule cannot match."""
    bit: int
    """Its place in `Skeleton.rules`."""


class _Add(Protocol):
    def __call__(self, name: str, pattern: str, *, at: str = "") -> Callable[[ReadT], ReadT]: ...


def rules(stage: list[Rule]) -> _Add:
    """A decorator that adds rules to `stage`: `@rule("before", r"before <x:V>")`."""

    def rule(name: str, pattern: str, *, at: str = "") -> Callable[[ReadT], ReadT]:
        def add(read: ReadT) -> ReadT:
            needs = "C" if _needs(pattern, "C>") else "V" if _needs(pattern, "V>") else ""
            expression, grams = compiled(_expand(pattern))
            stage.append(Rule(name, expression, read, at, needs, _registered(grams)))
            return read

        return add

    return rule


_RULES_BY_GRAM: dict[str, int] = {}
_ANY_TEXT = ""
_n_rules = itertools.count()


def _registered(grams: Iterable[str]) -> int:
    """The bit of a new rule, noted under every n-gram with which its pattern may match."""
    bit = 1 << next(_n_rules)
    for gram in grams or (_ANY_TEXT,):
        _RULES_BY_GRAM[gram] = _RULES_BY_GRAM.get(gram, 0) | bit
    return bit


def _rules_for(text: str) -> int:
    """The bits of all rules that may match in the text."""
    found = _RULES_BY_GRAM.get(_ANY_TEXT, 0)
    for gram in _RULES_BY_GRAM.keys() & grams_of(text):
        found |= _RULES_BY_GRAM[gram]
    return found


def _needs(pattern: str, macro: str) -> bool:
    return macro in pattern and not re.search(r"\|(?![^(]*\))", pattern)


def _expand(pattern: str) -> str:
    """The regular expression of a rule's pattern: macros written out, not inside a word."""
    pattern = re.sub(r"<(\w+):([VCNU])>", lambda m: f"(?P<{m[1]}>{_MACROS[m[2]]})", pattern)
    pattern = re.sub(r"<([VCNU])>", lambda m: f"(?:{_MACROS[m[1]]})", pattern)
    return rf"(?<![\w])(?:{pattern})(?![\w])"


def run_stage(skeleton: Skeleton, stage: Sequence[Rule], *, once: bool = False) -> bool:
    """Apply a stage's rules, longest match first and then in their order, until none applies; whether any did."""
    applied = False
    for _ in range(1 if once else 12):
        matches = _matches(skeleton, stage)
        if not matches:
            break
        changed = False
        taken: list[tuple[int, int]] = []
        edits: list[tuple[int, int, Node | str, str]] = []
        for start, end, _, rule, found in sorted(matches, key=lambda m: (m[0] - m[1], m[2], m[0])):
            if any(start < other_end and other_start < end for other_start, other_end in taken):
                continue
            try:
                node = rule.read(found)
            except (IntervalError, OverflowError):
                continue  # no such day: not a time
            if node is None:
                continue
            taken.append((start, end))
            edits.append((start, end, node, rule.name))
        for start, end, node, name in sorted(edits, key=lambda edit: -edit[0]):
            changed = changed or node != skeleton.text[start:end]
            skeleton.replace(start, end, node, name)
        if not changed:
            break
        applied = True
    return applied


def _matches(skeleton: Skeleton, stage: Sequence[Rule]) -> list[tuple[int, int, int, Rule, Found]]:
    """Every rule's matches, overlapping ones too: a reading may refuse the first."""
    text, starts, found = skeleton.text, skeleton.starts, []
    for order, rule in enumerate(stage):
        if not skeleton.rules & rule.bit or (start := starts.get(rule.needs)) is None:
            continue
        search = rule.pattern.search
        match = search(text, start)
        while match:
            if match.end() > match.start():
                found.append((*match.span(rule.at or 0), order, rule, Found(match, skeleton)))
            match = search(text, match.start() + 1)
    return found
