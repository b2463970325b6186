"""The events of a lexicon: JSON lines with names, days and where these are from.

`events.jsonl` comes with the package. Each line has `names` (the first is the event's label), `interval` (EDTF, both
ends included; `2022-02-24/..` still goes on), `note` (its source) and, for terms of office and what comes in series,
`kinds` ("US president", "Winter Olympics") and `people` (names of the one whose term it is).
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from qtie.errors import ConfigError, IntervalError
from qtie.interval import TimeInterval
from qtie.rewriting.names import name_key

__all__ = ["LexiconEvent", "read_events", "shipped_events"]

_FIELDS = ("names", "interval", "note", "kinds", "people")


@dataclass(frozen=True, slots=True, kw_only=True)
class LexiconEvent:
    """An event and its days, both ends included; an open end is one that still goes on."""

    names: tuple[str, ...]
    interval: TimeInterval
    note: str = ""
    """Where its days are from."""
    kinds: tuple[str, ...] = ()
    """What it is one of: of a term the office, of games and elections their series."""
    people: tuple[str, ...] = ()
    """Names of the one whose term of office it is."""

    @property
    def label(self) -> str:
        """Its first name."""
        return self.names[0]


def read_events(path: Path | str) -> list[LexiconEvent]:
    """The events of a JSONL file.

    Raises:
        ConfigError: the file cannot be read, or a line is no event; names file, line and field.
    """
    try:
        text = Path(path).read_text("utf-8-sig")
    except (OSError, ValueError) as error:  # ValueError: not UTF-8
        raise ConfigError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from error
    return _parsed(text, source=str(path))


@lru_cache(maxsize=1)
def shipped_events() -> tuple[LexiconEvent, ...]:
    """The events that come with the package.

    Example:
        >>> [str(event.interval) for event in shipped_events() if event.label == "Battle of Waterloo"]
        ['1815-06-18/1815-06-18']
    """
    text = files("qtie.rewriting").joinpath("events.jsonl").read_text("utf-8")
    return tuple(_parsed(text, source="events.jsonl"))


def _parsed(text: str, *, source: str) -> list[LexiconEvent]:
    events: list[LexiconEvent] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                events.append(_event(json.loads(line)))
            except (ValueError, RecursionError) as error:
                raise ConfigError(f"{source}, line {number}: {error}") from error
    return events


def _event(record: Any) -> LexiconEvent:
    if not isinstance(record, dict):
        raise ConfigError("an event must be a JSON object with names and interval")
    if unknown := [name for name in record if name not in _FIELDS]:
        raise ConfigError(f"unknown field {unknown[0]!r}; one of {', '.join(_FIELDS)}")
    names = _texts(record, "names")
    if not names or not all(map(name_key, names)):
        raise ConfigError("field 'names': must be a list of at least one name, each with a word")
    interval, note = record.get("interval"), record.get("note", "")
    if not isinstance(interval, str) or not isinstance(note, str):
        raise ConfigError(f"field {'note' if isinstance(interval, str) else 'interval'!r}: must be a text")
    try:
        days = TimeInterval.parse(interval)
    except IntervalError as error:
        raise ConfigError(f"field 'interval': {error}") from error
    return LexiconEvent(
        names=names, interval=days, note=note, kinds=_texts(record, "kinds"), people=_texts(record, "people")
    )


def _texts(record: Mapping[str, Any], field: str) -> tuple[str, ...]:
    values = record.get(field, [])
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise ConfigError(f"field {field!r}: must be a list of texts")
    return tuple(values)
