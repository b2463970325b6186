"""Words as the extractive reader compares them: without case, endings and function words."""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

__all__ = ["content_words", "is_agent", "is_past", "share", "stem", "stem_sets", "word_set", "word_weights"]

_WORD = re.compile(r"\d+(?:\.\d+)+|[^\W_]+(?:['’][^\W_]+)?")
_LISTED = (
    "a an the this that these those there here it its he she they his her their them we you i my your our who whom"
    " whose which what when where why how is are was were be been being am do does did done has have had having will"
    " would can could shall should may might must of in on at by for to from with without into onto over under about"
    " between during before after since until till as and or but nor not no if than then so such also only just very"
    " more most some any each all both other another own same s t name tell me"
)
_FUNCTION_WORDS = frozenset(_LISTED.split())
_NAMES_TOO = frozenset({"May", "Will"})
"""Function words that, with a capital, are as a rule a name or a month."""
_PAST = (
    "became:become began:begin begun:begin bought:buy broke:break broken:break brought:bring built:build came:come"
    " chose:choose chosen:choose died:die dies:die drew:draw drove:drive fell:fall flew:fly fought:fight gave:give"
    " given:give gone:go got:get grew:grow held:hold kept:keep knew:know led:lead left:leave lost:lose made:make"
    " met:meet ran:run rose:rise said:say sang:sing sent:send sold:sell spent:spend spoke:speak stood:stand taken:take"
    " taught:teach told:tell took:take went:go won:win wore:wear written:write wrote:write"
)
_IRREGULAR = dict(pair.split(":") for pair in _PAST.split())
_AGENT = re.compile(r"\w{5,}[eo]r")
_ENDINGS = (("ies", "y"), ("ied", "y"), ("sses", "ss"), ("ing", ""), ("ed", ""), ("es", ""), ("s", ""), ("e", ""))


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """The word in lower case without a frequent English ending, where three letters stay; an irregular past as present.

    One who does is what is done, where five letters stay: founder, founded.

    Example:
        >>> [stem(word) for word in ("Ministries", "ministry", "leads", "leading", "was", "Ada's", "founders")]
        ['ministry', 'ministry', 'lead', 'lead', 'was', 'ada', 'found']
    """
    plain = re.sub(r"['’]s?$", "", word.lower())
    plain = _IRREGULAR.get(plain, plain)
    for ending, instead in _ENDINGS:
        if plain.endswith(ending) and len(plain) - len(ending) >= 3 and not plain.endswith("ss"):
            plain = plain[: len(plain) - len(ending)] + instead
            break
    return plain[:-2] if _AGENT.fullmatch(plain) else plain


def stem_sets(*rows: str) -> tuple[frozenset[str], ...]:
    """The stems of each row of words, for tables of words that say the same.

    Example:
        >>> [sorted(row) for row in stem_sets("costs prices", "live lived")]
        [['cost', 'pric'], ['liv']]
    """
    return tuple(frozenset(map(stem, row.split())) for row in rows)


def is_past(word: str) -> bool:
    """Whether a word has the form of a verb's past.

    Example:
        >>> is_past("led"), is_past("opened"), is_past("staff")
        (True, True, False)
    """
    return word in _IRREGULAR or word.endswith("ed")


def is_agent(word: str) -> bool:
    """Whether a word has the form of one who does something.

    Example:
        >>> is_agent("founder"), is_agent("founded")
        (True, False)
    """
    return _AGENT.fullmatch(word.lower().removesuffix("s")) is not None


def content_words(text: str) -> list[str]:
    """The stems of a text's words in order, without function words.

    Example:
        >>> content_words("Who was leading the ministry of Elke's?")
        ['lead', 'ministry', 'elk']
    """
    return [stem(word) for word in _WORD.findall(text) if word.lower() not in _FUNCTION_WORDS or word in _NAMES_TOO]


@lru_cache(maxsize=256)
def word_set(text: str) -> frozenset[str]:
    """The stems of a passage's words; several ask for those of the passages that are being read.

    Example:
        >>> sorted(word_set("Elke led the ministry."))
        ['elk', 'lead', 'ministry']
    """
    return frozenset(content_words(text))


def word_weights(question: str) -> dict[str, float]:
    """A question's content words and what each counts: 2 for a name, which is written with a capital, 1 for others.

    Example:
        >>> word_weights("Who led the ministry under Elke Brandt?")
        {'lead': 1.0, 'ministry': 1.0, 'elk': 2.0, 'brandt': 2.0}
    """
    weights: dict[str, float] = {}
    for match in _WORD.finditer(question):
        if match[0].lower() not in _FUNCTION_WORDS:
            is_name = match[0][0].isupper() and match.start() > 0
            weights[stem(match[0])] = max(weights.get(stem(match[0]), 1.0), 2.0 if is_name else 1.0)
    return weights


def share(weights: Mapping[str, float], words: Iterable[str]) -> float:
    """Which share of the weights these words have, in [0, 1].

    Example:
        >>> share({"ministry": 1.0, "elke": 2.0}, ["elke", "brandt"])
        0.6666666666666666
    """
    return sum(weights.get(word, 0.0) for word in set(words)) / (sum(weights.values()) or 1.0)
