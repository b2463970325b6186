"""What sort of name a question asks for (a person, a team, a school …), and how far a name looks like one."""

import re
from typing import NamedTuple

from qtie.rag.wording.words import content_words

__all__ = ["AnswerType"]

_SORTS: dict[str, tuple[str, str]] = {
    "person": (
        r"who(?:m|se)?|person|man|woman|people|manager|coach|president|minister|king|queen|spouse|wife|husband"
        r"|partner|owner|leader|head|chief|director|actor|actress|singer|author|player",
        r"",
    ),
    "school": (
        r"school|university|college|academy|institution|institute|alma mater",
        r"school|university|college|academy|institute|seminary|conservatory|gymnasium|polytechnic|lyc[eé]e",
    ),
    "party": (
        r"(?:political )?(?:party|parties|group|movement|alliance|faction)",
        r"party|union|alliance|movement|front|coalition|democrats|liberals|conservatives|labour|republicans|socialists"
        r"|greens",
    ),
    "company": (
        r"company|companies|employer|firm|label|organi[sz]ation|publisher|brand|operator|airline|network|railway|bank",
        r"company|co|inc|corp|corporation|ltd|limited|group|records?|music|entertainment|industries|bank|airlines?|airways"
        r"|motors|studios?|pictures|press|publishing|media|railways?|holdings?|systems|foundation|council|agency|ministry"
        r"|department|board|bureau|committee|commission",
    ),
    "team": (
        r"team|club|side|squad|franchise",
        r"f\.?c\.?|a\.?c\.?|s\.?c\.?|united|city|rovers|athletic|wanderers|town|county|albion|hotspur|rangers|club|team"
        r"|sporting|dynamo|real",
    ),
    "place": (
        r"city|cities|town|country|countries|state|province|county|region|village",
        r"city|town|county|state|province|republic|kingdom|island|islands|region|district|territory|oblast|governorate",
    ),
    "building": (
        r"building|stadium|arena|venue|home|church|museum|theat(?:re|er)|ground",
        r"stadium|arena|building|hall|house|church|cathedral|museum|theat(?:re|er)|park|tower|centre|center|library",
    ),
    "competition": (
        r"league|division|competition|tournament|cup|series",
        r"league|liga|ligue|division|cup|championship|series|trophy|premiership|serie|bundesliga",
    ),
    "honour": (
        r"award|prize|medal|honou?r|designation|degree|title",
        r"award|prize|medal|order|landmark|degree|doctorate|cross|register|heritage",
    ),
}  # fmt: skip
"""By sort: the words of a question that ask for one, and the words of a name that show one."""
_ASKED = re.compile(
    r"\b(?P<word>who(?:m|se)?|where|(?:which|what|name)(?: (?:is|was) the (?:latest|newest|current|last|first))?"
    r"(?: (?P<noun>[^?.,]*))?)",
    re.IGNORECASE,
)
_SHOWN = {sort: re.compile(rf"\b(?:{shown})(?!\w)", re.IGNORECASE) for sort, (_, shown) in _SORTS.items() if shown}
_NOBODY = re.compile(rf"\b\d|^(?:{_SORTS['person'][0]}|mayor|governor|chair) (?:of|for)\b", re.IGNORECASE)
_CAPITAL = re.compile(r"(?<![\w'’])[^\W\d_a-zß-öø-ÿ]\w*")
_EDITION = frozenset({"version", "release", "edition", "model", "generation", "season", "volume", "grade"})
_AUXILIARY = frozenset(["is", "are", "was", "were", "did", "do", "does", "has", "have", "had", "would", "will"])
_BREAK = re.compile(rf"\b(?:{'|'.join(sorted(_AUXILIARY))}|of|in|for|by|to|from|at|with|that)\b", re.IGNORECASE)


class AnswerType(NamedTuple):
    """The sort of name that is asked for; None where the question does not say, or says another."""

    sort: str | None

    @classmethod
    def of(cls, question: str) -> "AnswerType":
        """Read from the words after which, what or name; who asks for a person.

        Example:
            >>> [AnswerType.of(text).sort for text in ("Who won?", "Which football club did he join?", "What is it?")]
            ['person', 'team', None]
        """
        match = _ASKED.search(question)
        if match is None:
            return cls(None)
        noun = _BREAK.split(match["noun"] or "", maxsplit=1)[0] if match["noun"] else match["word"]
        nouns = noun.lower().split()
        for word in reversed(nouns):
            for sort, (asked, _) in _SORTS.items():
                if re.fullmatch(asked, word):
                    return cls(sort)
        return cls(None)

    @staticmethod
    def counted(question: str) -> frozenset[str]:
        """The stems of words that ask for a thing by its number: "which Debian"; all after "which version of".

        Example:
            >>> [sorted(AnswerType.counted(text)) for text in ("Which Debian did it need?", "Which version of Ulm OS?")]
            [['debian'], ['os', 'ulm', 'version']]
        """
        match = _ASKED.search(question)
        if match is None or not match["noun"]:
            return frozenset()
        noun = _BREAK.split(match["noun"], maxsplit=1)[0]
        words = match["noun"] if _EDITION.intersection(match["noun"].lower().split()) else noun
        return frozenset(word for word in content_words(words) if len(word) > 1)

    @staticmethod
    def noun(question: str) -> str:
        """The stem of the noun after which or what, which a name may have: "which storm", Storm Bertha; else empty.

        Where no auxiliary verb ends it, the first word is taken: what follows may be the verb.

        Example:
            >>> [AnswerType.noun(text) for text in ("Which storm hit Ulm?", "Which football club did he join?", "Who?")]
            ['storm', 'club', '']
        """
        match = _ASKED.search(question)
        if match is None or not match["noun"]:
            return ""
        end = _BREAK.search(match["noun"])
        found = content_words(match["noun"][: end.start()] if end else match["noun"])
        is_whole = end is not None and end[0].lower() in _AUXILIARY
        return (found[-1] if is_whole else found[0]) if found else ""

    def fit(self, name: str, *, of_holder: bool = False) -> float:
        """1 for a name with a word of that sort, -0.5 for one with words of other sorts alone, else 0.

        Asked for a person, one word alone counts as half against a name too, and -1 is for what has a number, or "of"
        after a role; and, asked who holds a role, for a name of another sort, which else may act: a club, a company.

        Example:
            >>> team, person = AnswerType("team"), AnswerType("person")
            >>> team.fit("Ulm United"), team.fit("Ulm University"), team.fit("Ajax")
            (1.0, -0.5, 0.0)
            >>> person.fit("Ada Novak"), person.fit("Ulm University"), person.fit("Novak")
            (0.0, -0.5, -0.5)
            >>> person.fit("Ulm Fair 2019"), person.fit("Mayor of Ulm")
            (-1.0, -1.0)
            >>> person.fit("Ada Novak of the Ulm Party")
            0.0
        """
        if self.sort is None:
            return 0.0
        head = re.split(r" of\b", name, maxsplit=1)[0]
        shown = {sort for sort, pattern in _SHOWN.items() if pattern.search(head)}
        if self.sort in shown:
            return 1.0
        if self.sort == "person" and (_NOBODY.search(name) or (of_holder and shown)):
            return -1.0
        return -0.5 if shown or (self.sort == "person" and len(_CAPITAL.findall(name)) < 2) else 0.0
