"""Sloppy typing: case, typos, missing spaces and apostrophes, abbreviations, stray signs; spans stay in place."""

import re
from random import Random

from qtie.tie.dataset.marked import Marked

__all__ = ["noisy"]

_SHORT = {
    "before": ("b4", "befor", "bfore", "beofre"), "until": ("untill", "til", "unitl"), "through": ("thru", "throught"),
    "between": ("btwn", "betwen", "bewteen"), "since": ("sinse", "sicne", "snce"), "about": ("abt",),
    "around": ("arround", "arnd"), "during": ("durring", "dring"), "after": ("aftr", "afer", "aftre"),
    "years": ("yrs",), "last": ("lst",), "next": ("nxt",), "you": ("u",), "please": ("pls",), "people": ("ppl",),
    "government": ("govt",), "and": ("&", "n"), "with": ("w/",), "except": ("exept",), "within": ("w/in", "withn"),
    "because": ("bc",), "what": ("wat",), "president": ("pres",), "from": ("frm", "form"), "earlier": ("earler",),
    "following": ("follwing",), "published": ("publishd",), "latest": ("lates",), "prior": ("priror",),
    "later": ("latter",), "than": ("then",), "without": ("w/o",), "months": ("mths",), "weeks": ("wks",),
}  # fmt: skip
_GLUED = re.compile(
    r"\b(in|since|before|after|until|by|from|during|circa|around|to|till|than|of|and|for|on|year) "
    r"(?=(?:1[4-9]|20)\d\d\b|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec))",
    re.IGNORECASE,
)
_WORD = re.compile(r"[A-Za-zé]{4,}")
_NEAR = dict(zip("qwertyuiopasdfghjklzxcvbnm", "wasrtyuiolsqwdfghjkaszxcvb", strict=True))  # a key beside each key
_ENDS = ("!", "??", " ?", "...", " pls", " thx", " :)", ",", " -", "!!")


def noisy(marked: Marked, rng: Random) -> Marked:
    """The text as someone in a hurry might type it; left as it is about half of the time."""
    if rng.random() < 0.25:
        _shorten(marked, rng)
    while rng.random() < 0.14:
        _misspell(marked, rng)
    if rng.random() < 0.08 and (found := [*_GLUED.finditer(marked.text)]):
        at = rng.choice(found).end()
        marked.replace(at - 1, at, "")
    if rng.random() < 0.15:
        while "'" in marked.text and not re.search(r"(?<!\w)'\d", marked.text):
            at = marked.text.index("'")
            marked.replace(at, at + 1, "")
    if rng.random() < 0.05 and " " in marked.text:
        at = rng.choice([m.start() for m in re.finditer(" ", marked.text)])
        inside = any(start <= at < end for start, end in _values(marked))
        marked.replace(at, at + 1, "  " if inside else rng.choice(("  ", "  ", ", ", " - ", "   ")))
    if rng.random() < 0.05:
        marked.text += rng.choice(_ENDS)
    return _recased(marked, rng)


def _values(marked: Marked) -> list[tuple[int, int]]:
    return [span for name, span in marked.marks.items() if name.startswith("c")]


def _shorten(marked: Marked, rng: Random) -> None:
    found = [m for m in re.finditer(r"\b\w+\b", marked.text) if m[0].lower() in _SHORT]
    if found:
        match = rng.choice(found)
        marked.replace(match.start(), match.end(), rng.choice(_SHORT[match[0].lower()]))


def _misspell(marked: Marked, rng: Random) -> None:
    """One word outside the time values loses, doubles, swaps or mistypes a letter."""
    values = _values(marked)
    words = [m for m in _WORD.finditer(marked.text) if not any(a < m.end() and m.start() < b for a, b in values)]
    if not words:
        return
    word = rng.choice(words)
    at = rng.randrange(word.start(), word.end() - 1)
    a, b = marked.text[at], marked.text[at + 1]
    by = rng.choice((b + a, b, a + a + b, _NEAR.get(a.lower(), a) + b))
    marked.replace(at, at + 2, by)


def _recased(marked: Marked, rng: Random) -> Marked:
    x, text = rng.random(), marked.text
    if x < 0.33:
        text = text.lower()
    elif x < 0.37:
        text = text.upper()
    elif x < 0.40:
        text = text.title() if "'" not in text else text
    elif x < 0.70 and text:
        text = text[0].upper() + text[1:]
    if len(text) != len(marked.text):
        return marked  # a letter whose other case is two letters
    end = len(text)
    if rng.random() < 0.35 and text.endswith(("?", ".")):
        end -= 1
    marks = {name: (min(a, end), min(b, end)) for name, (a, b) in marked.marks.items()}
    return Marked(text[:end], marks)
