"""Numbers and words that are no times: queries made of them, and nouns to put beside a real time."""

import tomllib
from functools import cache
from importlib.resources import files
from random import Random
from typing import NamedTuple

from qtie.tie.dataset.marked import expanded, filled
from qtie.tie.dataset.wording import Split, fillers, split_of

__all__ = ["Kind", "draw_negative", "draw_noun", "kinds"]

_UNSEEN = {"train": 0.0, "dev": 0.3, "test": 0.65}
"""How often a kind that only occurs in the split is taken."""


class Kind(NamedTuple):
    """A kind of word that is no time: nouns, whole queries, and the one split it occurs in (train: all)."""

    name: str
    split: Split
    nouns: tuple[str, ...]
    lines: tuple[str, ...]


@cache
def kinds() -> tuple[Kind, ...]:
    """Every kind, in the order of `negatives.toml`."""
    tables = tomllib.loads(files(__package__).joinpath("negatives.toml").read_text(encoding="utf-8"))
    return tuple(
        Kind(name, table["split"], _lines(table.get("nouns", "")), _lines(table["lines"]))
        for name, table in tables["kinds"].items()
    )


def _lines(text: str) -> tuple[str, ...]:
    return tuple(text.strip().splitlines())


@cache
def _generic(split: Split) -> tuple[str, ...]:
    tables = tomllib.loads(files(__package__).joinpath("negatives.toml").read_text(encoding="utf-8"))
    return tuple(line for nth, line in enumerate(_lines(tables["generic"]["lines"])) if split_of(nth) == split)


def _draw_kind(rng: Random, split: Split, *, with_nouns: bool = False) -> Kind:
    usable = [kind for kind in kinds() if kind.nouns or not with_nouns]
    unseen = [kind for kind in usable if kind.split == split != "train"]
    if unseen and rng.random() < _UNSEEN[split]:
        return rng.choice(unseen)
    seen = [kind for kind in usable if kind.split == "train"]
    return rng.choices(seen, [3 if kind.nouns else 1 for kind in seen])[0]  # those without nouns have fewer queries


def draw_noun(rng: Random, split: Split) -> tuple[str, str]:
    """A noun such as "Boeing 747", and its kind."""
    kind = _draw_kind(rng, split, with_nouns=True)
    return _said(rng.choice(kind.nouns), rng), kind.name


def draw_negative(rng: Random, split: Split) -> tuple[str, str, str]:
    """A query that asks for no time, its kind, and the template it was made from."""
    kind = _draw_kind(rng, split)
    if kind.nouns and rng.random() < 0.7:
        template = rng.choice(_generic(split))
        noun, other = _said(rng.choice(kind.nouns), rng), _said(rng.choice(kind.nouns), rng)
        text = _said(template.replace("{N}", noun).replace("{M}", other), rng)
        return text, kind.name, template
    template = rng.choice(kind.lines)
    return _said(template.replace("{N}", "this"), rng), kind.name, template


def _said(template: str, rng: Random) -> str:
    names = {name: rng.choice(options) for name, options in fillers().items()}
    return filled(expanded(template, rng), names).text
