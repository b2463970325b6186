"""Roles and posts: "mayor", "chief executive of Acme"."""

import re
from collections.abc import Iterator

from qtie.rag.wording.sentences import Span, sentences

__all__ = ["is_role", "roles"]

_UPPER = r"[^\W\d_a-zà-öø-ÿ]"
_HEADS = (
    "president premier chancellor minister secretary director professor lecturer chair(?:man|woman|person)? head"
    " chief manager coach captain mayor governor senator ambassador consul commissioner commander officer general"
    " colonel major lieutenant admiral sergeant judge justice attorney advocate lawyer solicitor counsel"
    " magistrate rector dean provost principal editor publisher writer author poet novelist journalist reporter"
    " columnist critic composer conductor singer songwriter guitarist drummer bassist pianist violinist actor"
    " actress producer presenter host architect engineer physician doctor surgeon nurse chemist physicist"
    " biologist historian economist mathematician astronomer philosopher theologian teacher tutor instructor"
    " fellow assistant associate clerk treasurer deputy delegate member representative councill?or speaker whip"
    " leader founder owner partner executive ceo cfo cto king queen emperor empress prince princess duke duchess"
    " count earl baron lord bishop archbishop cardinal pope priest vicar curate chaplain abbot deacon pastor"
    " curator librarian archivist keeper inspector superintendent registrar agent envoy legate viceroy sheriff"
    " marshal champion grandmaster knight player striker midfielder defender goalkeeper forward trainer scout"
    " researcher scientist analyst consultant adviser advisor banker merchant farmer soldier pilot"
)
_HEAD = rf"(?:[\w-]*-)?(?:{'|'.join(_HEADS.split())})s?"
_NO_PART = r"a|an|the|his|her|its|their|he|she|it|as|was|is|were|became|by|and|of|in|to|then|while|with|for|who|made"
_ROLE_NAME = re.compile(
    rf"(?i:\b(?:(?!(?:{_NO_PART})\b)[^\W\d_][\w'’-]* ){{0,3}}?{_HEAD}\b)"
    rf"(?: (?:of|for|at|in)(?: the)?(?: {_UPPER}[\w'’&.-]*)+(?: (?:of|and|for)(?: the)?(?: {_UPPER}[\w'’&.-]*)+)*)?"
)


def is_role(word: str) -> bool:
    """Whether a word is that of a role or post.

    Example:
        >>> is_role("President"), is_role("Lyon")
        (True, False)
    """
    return re.fullmatch(_HEAD, word, re.IGNORECASE) is not None


def roles(text: str) -> Iterator[Span]:
    """The roles that a text names, each with what it is of.

    Example:
        >>> text = "She was Minister of Health until 2004."
        >>> [text[slice(*span)] for span in roles(text)]
        ['Minister of Health']
    """
    for sentence in sentences(text):
        yield from (Span(*match.span()) for match in _ROLE_NAME.finditer(text, *sentence))
