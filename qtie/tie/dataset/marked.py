"""Text with named spans that stay in place while it is edited, and the little language of templates."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

__all__ = ["Marked", "expanded", "filled"]

_CHOICE = re.compile(r"\(([^()]*\|[^()]*)\)")
_RANGE = re.compile(r"<(\d+)\.\.(\d+)>")
_SLOT = re.compile(r"\{(\w+)\}")


@dataclass(slots=True)
class Marked:
    """A text and its named spans: first character, and one after the last."""

    text: str
    marks: dict[str, tuple[int, int]]

    def replace(self, start: int, end: int, by: str) -> None:
        """Put `by` in the place of the characters from `start` to `end`; a span inside them shrinks or grows."""
        grown = len(by) - (end - start)
        self.text = self.text[:start] + by + self.text[end:]

        def moved(at: int, is_end: bool) -> int:
            if at >= end and not (at == start == end and not is_end):
                return at + grown
            return min(at, start + len(by)) if at > start else at

        self.marks = {name: (moved(a, False), moved(b, True)) for name, (a, b) in self.marks.items()}

    def marked(self, name: str) -> "Marked":
        """The same with one more span: the whole text, white space and outer punctuation left out."""
        stripped = self.text.strip(" ,()[]")
        start = self.text.find(stripped)
        return Marked(self.text, {**self.marks, name: (start, start + len(stripped))})


def expanded(template: str, rng: Random) -> str:
    """The template with one of each (a|b) and a number for each <low..high>."""
    while match := _CHOICE.search(template):
        template = template[: match.start()] + rng.choice(match[1].split("|")) + template[match.end() :]
    return _RANGE.sub(lambda m: str(rng.randint(int(m[1]), int(m[2]))), template)


def filled(template: str, slots: Mapping[str, "Marked | str"]) -> Marked:
    """The template with each {slot} replaced, the slots' own spans carried along.

    Example:
        >>> filled("since {X}!", {"X": Marked("2019", {"v": (0, 4)})})
        Marked(text='since 2019!', marks={'v': (6, 10)})
    """
    text, marks, at = "", {}, 0
    for match in _SLOT.finditer(template):
        text += template[at : match.start()]
        slot = slots[match[1]]
        if isinstance(slot, Marked):
            marks.update({name: (a + len(text), b + len(text)) for name, (a, b) in slot.marks.items()})
            text += slot.text
        else:
            text += slot
        at = match.end()
    return Marked(text + template[at:], marks)
