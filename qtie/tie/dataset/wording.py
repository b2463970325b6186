"""The wording families of each operator and the carrier sentences, each with the splits in which it occurs."""

import tomllib
from collections import Counter
from functools import cache
from importlib.resources import files
from random import Random
from typing import Literal, NamedTuple

__all__ = ["Carrier", "Family", "Split", "carriers", "draw_family", "families", "fillers", "operators", "split_of"]

Split = Literal["train", "dev", "test"]
Position = Literal["any", "post", "pre"]
_UNSEEN = {"train": 0.0, "dev": 0.4, "test": 0.75}
"""How often a family that only occurs in the split is taken, where there is one."""

_N_PLAIN, _PLAIN_SHARE = 8, 0.25
"""The first families of an operator are the plain ones; how often one of these few is taken."""


class Family(NamedTuple):
    """One way to say an operator, and where it may stand: anywhere, right after a noun, before it."""

    name: str
    template: str
    position: Position
    split: Split


class Carrier(NamedTuple):
    """A sentence with a place for the time phrase; `kind` is the letter that `carriers.toml` explains."""

    domain: str
    kind: str
    template: str
    split: Split


def _table(name: str) -> dict[str, dict[str, str]]:
    return tomllib.loads(files(__package__).joinpath(name).read_text(encoding="utf-8"))


@cache
def families(operator: str) -> tuple[Family, ...]:
    """Every wording family of an operator, of all splits."""
    found = []
    splits: tuple[Split, ...] = ("train", "dev", "test")
    for split in splits:
        for line in _table("wording.toml")[operator][split].strip().splitlines():
            position, colon, template = line.partition(": ")
            if colon and position in ("post", "pre"):
                at: Position = "post" if position == "post" else "pre"
                found.append(Family(f"{operator}: {line}", template, at, split))
            else:
                found.append(Family(f"{operator}: {line}", line, "any", split))
    return tuple(found)


def operators() -> tuple[str, ...]:
    """What there are wording families of, in the order of `wording.toml`."""
    return tuple(_table("wording.toml"))


def draw_family(operator: str, split: Split, rng: Random, *, slots: str = "", nested: bool = False) -> Family:
    """A family that may occur in the split and has the slots named; `nested`: one that no noun has to stand beside."""
    usable = [f for f in families(operator) if all(f"{{{slot}}}" in f.template for slot in slots)]
    usable = [f for f in usable if not nested or f.position == "any"]
    unseen = [f for f in usable if f.split == split != "train"]
    if unseen and rng.random() < _UNSEEN[split]:
        return rng.choice(unseen)
    seen = [f for f in usable if f.split == "train"]
    return rng.choice(seen[:_N_PLAIN] if rng.random() < _PLAIN_SHARE else seen)


def split_of(nth: int) -> Split:
    """The one split in which the n-th carrier of its kind occurs: a seventh in test, a fourteenth in dev."""
    return "test" if nth % 7 == 3 else "dev" if nth % 14 == 5 else "train"


@cache
def carriers(kinds: str, split: Split) -> tuple[Carrier, ...]:
    """The carriers of the kinds whose letters are given, of one split."""
    found = []
    count: Counter[str] = Counter()
    known: set[str] = set()
    for domain, table in _table("carriers.toml").items():
        for line in table["lines"].strip().splitlines():
            kind, _, template = line.partition(": ")
            if template in known:
                continue
            known.add(template)
            if split_of(count[kind]) == split and kind in kinds:
                found.append(Carrier(domain, kind, template, split))
            count[kind] += 1
    return tuple(found)


@cache
def fillers() -> dict[str, tuple[str, ...]]:
    """The names and nouns for the slots of carriers and negatives."""
    tables = _table("fillers.toml")["fillers"]
    return {name: tuple(text.replace("\n", " ").strip().split("; ")) for name, text in tables.items()}
