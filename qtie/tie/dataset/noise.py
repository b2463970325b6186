"""Sloppy typing: case, typos, missing spaces and apostrophes, abbreviations; spans stay in place."""

import re
from random import Random

from qtie.tie.dataset.marked import Marked

__all__ = ["noisy"]

_SHORT = {
    "before": ("b4", "befor", "bfore"), "until": ("untill", "til"), "through": ("thru",), "between": ("btwn", "betwen"),
    "since": ("sinse",), "about": ("abt",), "around": ("arround",), "during": ("durring",), "after": ("aftr",),
    "years": ("yrs",), "last": ("lst",), "next": ("nxt",), "you": ("u",), "please": ("pls",), "people": ("ppl",),
    "government": ("govt",), "and": ("&", "n"), "with": ("w/",), "except": ("exept",), "within": ("w/in",),
    "because": ("bc",), "what": ("wat",), "president": ("pres",), "from": ("frm",), "earlier": ("earler",),
    "following": ("follwing",), "published": ("publishd",), "latest": ("lates",),
}  # fmt: skip
_GLUED = re.compile(r"\b(in|since|before|after|until|by|from|during|circa|around) (?=(?:1[4-9]|20)\d\d\b)")
_WORD = re.compile(r"[A-Za-zé]{5,}")


def noisy(marked: Marked, rng: Random) -> Marked:
    """The text as someone in a hurry might type it; left as it is about half of the time."""
    if rng.random() < 0.25:
        _shorten(marked, rng)
    if rng.random() < 0.12:
        _misspell(marked, rng)
    if rng.random() < 0.06 and (found := _GLUED.search(marked.text)):
        marked.replace(found.end() - 1, found.end(), "")
    if rng.random() < 0.15:
        while "'" in marked.text and not re.search(r"(?<!\w)'\d", marked.text):
            at = marked.text.index("'")
            marked.replace(at, at + 1, "")
    if rng.random() < 0.04 and " " in marked.text:
        at = rng.choice([m.start() for m in re.finditer(" ", marked.text)])
        marked.replace(at, at + 1, "  ")
    return _recased(marked, rng)


def _shorten(marked: Marked, rng: Random) -> None:
    found = [m for m in re.finditer(r"\b\w+\b", marked.text) if m[0].lower() in _SHORT]
    if found:
        match = rng.choice(found)
        marked.replace(match.start(), match.end(), rng.choice(_SHORT[match[0].lower()]))


def _misspell(marked: Marked, rng: Random) -> None:
    """One word outside the time values loses, doubles or swaps a letter."""
    values = [span for name, span in marked.marks.items() if name.startswith("c")]
    words = [m for m in _WORD.finditer(marked.text) if not any(a < m.end() and m.start() < b for a, b in values)]
    if not words:
        return
    word = rng.choice(words)
    at = rng.randrange(word.start() + 1, word.end() - 1)
    a, b = marked.text[at], marked.text[at + 1]
    by = rng.choice((b + a, b, a + a + b))
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
