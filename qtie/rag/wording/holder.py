"""Who holds the role that a question asks for, as a sentence says it: "named Ada Novak finance minister"."""

import re

from qtie.rag.wording.sentences import Span

__all__ = ["asked_role", "is_held"]

_IS = r"(?:is|are|was|were|becomes?|became|(?:has|had|have) been|serve[sd]? as|work(?:s|ed)? as|to be)"
_BEFORE = r"(?:the|an?|its|their|our|his|her|new|next|first|last|current|former|then)"
_END = r"(?= (?:of|for|at|in|on|to|during|after|before|under|between|from|since|until|as|when|while|now|today)\b|\W*$)"
_ASKED = re.compile(rf"\W*who {_IS}(?: {_BEFORE})* (?P<role>[^\W\d_A-Z][\w-]*(?: [^\W\d_A-Z][\w-]*){{0,2}}?){_END}")


def asked_role(question: str) -> str:
    """The words for the role whose holder a question asks for, as far as "of"; empty where it asks for none.

    Example:
        >>> [asked_role(text) for text in ("Who was the finance minister of Ulm in 2012?", "Who won in 2012?")]
        ['finance minister', '']
    """
    match = _ASKED.match(question[:1].lower() + question[1:])
    return match["role"] if match else ""


def is_held(role: str, text: str, sentence: Span, name: Span) -> bool | None:
    """Whether a sentence says that the one named has that role; None where it says so of nobody.

    It does where the role stands beside the name, or only a form of "is" between.

    Args:
        role: what `asked_role` gives; not empty.
        text: the passage.
        sentence: the one with the name.
        name: where it stands.

    Example:
        >>> text = "Premier Ida Klein named Ada Novak finance minister."
        >>> names = [Span(text.index(name), text.index(name) + 9) for name in ("Ida Klein", "Ada Novak")]
        >>> [is_held("finance minister", text, Span(0, len(text)), name) for name in names]
        [False, True]
    """
    words = rf"{re.escape(role)}(?![\w-])"
    after = rf",?(?: who)?(?: {_IS})?,?(?: {_BEFORE})* {words}"
    if re.compile(after, re.IGNORECASE).match(text, name.end, sentence.end):
        return True
    if re.search(rf"\b{re.escape(role)},? $", text[sentence.start : name.start], re.IGNORECASE):
        return True
    others = re.finditer(rf"(?<![\w.])[^\W\d_][\w'’-]*(?={after})", text[slice(*sentence)], re.IGNORECASE)
    return False if any(other[0][0].isupper() for other in others) else None
