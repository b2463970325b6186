"""Which characters a pattern cannot match without, so that most rules need not be looked for in most texts.

Cox (2012), "Regular expression matching with a trigram index, or how Google Code Search worked": of the parts that all
matches share, the most telling one is kept, as a set of n-grams one of which stands in every text that matches.
"""

import re
from collections.abc import Iterator
from importlib import import_module
from operator import add
from typing import Any

__all__ = ["compiled", "grams_of"]

_DIGITS = str.maketrans("123456789", "000000000")
_LENGTH = 3
_MOST_COPIES = 4
_COSTS = (0, 30, 8, 1)


def grams_of(text: str) -> set[str]:
    """The characters, and the pairs and triples that follow one another, with 0 for every digit.

    Example:
        >>> sorted(grams_of("x 99"))
        [' ', ' 0', ' 00', '0', '00', 'x', 'x ', 'x 0']
    """
    text = text.translate(_DIGITS) if text.isascii() else "".join("0" if char.isdecimal() else char for char in text)
    pairs = list(map(add, text, text[1:]))
    return {*text, *pairs, *map(add, pairs, text[2:])}


def compiled(pattern: str) -> tuple[re.Pattern[str], frozenset[str]]:
    """The pattern, and n-grams as of `grams_of`, one of which is in every text that it matches; none: it needs none.

    Example:
        >>> sorted(compiled(r"(?:early|late|mid)[- ](?P<year>\\d{4})s?")[1])
        ['ear', 'lat', 'mid']
        >>> compiled(r"(?:\\d+ ?%)?")[1]
        frozenset()
    """
    try:  # CPython's own and without promise: without them every rule is looked for
        parse, compile_parsed = import_module("re._parser").parse, import_module("re._compiler").compile
    except (ImportError, AttributeError):
        return re.compile(pattern), frozenset()
    parsed = parse(pattern)  # once, for both: it is the greater part of the work
    return compile_parsed(parsed), _needed(parsed)


def _needed(parsed: Any) -> frozenset[str]:
    shared = list(_shared(parsed))
    return min(shared, key=_cost) if len(shared) > 1 else shared[0] if shared else frozenset()


def _cost(grams: frozenset[str]) -> int:
    """How often about a text has one of them: digits are in most queries, signs in few, three letters in fewer."""
    return sum(30 if gram.isdigit() else _COSTS[len(gram)] if gram.isalnum() else 1 for gram in grams)


def _shared(parsed: Any) -> Iterator[frozenset[str]]:
    """Sets of n-grams of each of which a match of a parsed sequence has one."""
    run = ""
    for part in _parts(parsed):
        if isinstance(part, str) and part:
            run += part
            continue
        yield from _of_run(run)
        run = ""
        if isinstance(part, frozenset):
            yield part
    yield from _of_run(run)


def _of_run(run: str) -> Iterator[frozenset[str]]:
    """The beginning of the longest word of characters that stand together."""
    if " " in run:
        run = max(run.split(" "), key=lambda word: (min(len(word), _LENGTH), "0" not in word))
    if run:
        yield frozenset((run[:_LENGTH],))


def _parts(parsed: Any) -> Iterator[str | frozenset[str]]:
    """A sequence's known characters one by one, "" where an unknown one may stand, and what its alternatives share."""
    for operation, argument in parsed.data:
        name = operation.name
        if name == "LITERAL":
            yield "0" if chr(argument).isdecimal() else chr(argument)
        elif name == "IN":
            yield "0" if all(map(_is_digits, argument)) else ""
        elif name == "SUBPATTERN":
            yield from _parts(argument[-1])
        elif name in ("MAX_REPEAT", "MIN_REPEAT"):
            yield from _repeated(*argument)
        elif name in ("BRANCH", "ASSERT"):
            alternatives = argument[1] if name == "BRANCH" else argument[1:]
            shared = [_needed(one) for one in alternatives]
            yield frozenset().union(*shared) if all(shared) else ""
        elif name not in ("ASSERT_NOT", "AT"):
            yield ""


def _repeated(least: int, most: int, parsed: Any) -> Iterator[str | frozenset[str]]:
    for _ in range(min(least, _MOST_COPIES)):
        yield from _parts(parsed)
    if least != most or least > _MOST_COPIES:
        yield ""
        yield from _parts(parsed) if least else ()  # the last copy stands before what follows


def _is_digits(member: tuple[Any, Any]) -> bool:
    name, argument = member[0].name, member[1]
    if name == "CATEGORY":
        return bool(argument.name == "CATEGORY_DIGIT")
    return name in ("LITERAL", "RANGE") and all(
        chr(code).isdecimal() for code in (argument if name == "RANGE" else [argument])
    )
