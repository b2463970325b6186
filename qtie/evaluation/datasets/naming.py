"""Which names a question says: the weak supervision of knowledge-graph sets, whose judgements name no facts."""

import re
import unicodedata
from collections.abc import Collection

__all__ = ["is_named", "says_name", "words_of"]


def words_of(text: str) -> tuple[str, ...]:
    """The words in lower case, without accents and possessives.

    Example:
        >>> words_of("Gwendoline García's party (1998)")
        ('gwendoline', 'garcia', 'party', '1998')
    """
    plain = unicodedata.normalize("NFKD", text.lower().replace("’", "'").replace("'s", ""))
    return tuple(re.findall(r"\w+", "".join(each for each in plain if not unicodedata.combining(each))))


def says_name(words: tuple[str, ...], name: tuple[str, ...]) -> bool:
    """Whether the words of a name stand in a text one after another.

    Example:
        >>> says_name(words_of("who led New York in 1990"), words_of("New York"))
        True
    """
    return bool(name) and f" {' '.join(name)} " in f" {' '.join(words)} "


def is_named(name: tuple[str, ...], words: Collection[str]) -> bool:
    """Whether each word of a name, or one that is derived from it, is among the words, in any order.

    A derived word begins with the first five letters, or with all of a shorter word.

    Example:
        >>> is_named(words_of("Citizen (Iraq)"), words_of("who wrote to the Iraqi citizens"))
        True
    """
    return bool(name) and all(any(word.startswith(each[:5]) for word in words) for each in name)
