"""Which predicate of a graph some words of a question mean, by their sense and by the words they share with it.

Every predicate is known by its label and by the phrases that people use for it (`relations.jsonl`: the event types of
CAMEO, which ICEWS graphs use, and common properties of Wikidata); files of further phrases may be added.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from math import log
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from qtie.corpus import read_records
from qtie.errors import DocumentError
from qtie.retrieval.encoders import Encoder
from qtie.tkg.linking import tokens_of

__all__ = ["RelationMatcher", "read_phrases", "shipped_phrases", "stem"]

Vectors = NDArray[np.float32]
Scores = NDArray[np.float64]

_TEMPERATURE = 0.07
"""How much better a predicate must fit to be e times as likely."""
_SENSE_SHARE = 0.5
"""How much the cosine counts beside the shared words."""
_MOOD_PENALTY = 0.12
"""How much worse a predicate of intent, appeal, demand, … fits words that do not say so."""
_MOODS = {
    "express intent|.*intent to": "intent|intend|will|wish|want|plan|pledg|promis|vow|offer|ready|readiness|hop|aim"
    "|propos|commit|prepar|volunteer|desire|eager|keen|announc|agree|would|consent|undert|look",
    "appeal": "appeal|ask|request|call|urg|plead|pled|beg|seek|sought|petition|implor|entreat|invit|solicit",
    "demand": "demand|insist|requir|order|press|call",
    "reject|refuse|veto|defy": "reject|refus|declin|turn|rebuff|not|unwilling|spurn|dismiss|deni|deny|no|resist|block"
    "|veto|defi|defy|unbend|stand|stood|rul|snub",
    "threaten|give ultimatum": "threat|warn|menac|ultimatum",
    "accede": "acced|giv|gave|yield|accept|bow|compl|agree|conced|grant|cave|met|meet|heed",
    "ease": "eas|lift|relax|loosen|remov|end|soften",
    "accuse": "accus|blam|alleg|charg|claim|denounc|point",
    "investigate": "investig|prob|inquir|look|examin|enquir",
    "reduce|halt|expel or withdraw": "reduc|cut|stop|halt|suspend|break|broke|end|scal|curtail|withdr|downgrad|sever"
    "|call|expel|pull|cool|abandon|drop",
}
"""By how the label of a predicate begins: beginnings of words that say the same mood."""
_SUFFIXES = (
    *("ational", "ations", "ation", "itions", "ition", "ements", "ement", "ments", "ment", "ances", "ance", "ences"),
    *("ence", "ically", "ially", "ally", "ions", "ion", "isms", "ism", "ized", "izes", "ize", "ised", "ises", "ise"),
    *("ating", "ated", "ates", "ate", "izing", "ising", "ings", "ing", "ers", "er", "ors", "or", "ed", "es", "als"),
    *("al", "ly", "s", "e"),
)
_IRREGULAR = (
    "beat beaten;begin began begun;break broke broken;bring brought;build built;buy bought;catch caught;"
    "choose chose chosen;come came;deal dealt;do done;draw drew drawn;drive drove driven;fall fell fallen;"
    "feel felt;fight fought;find found;fly flew flown;forgive forgave forgiven;get got gotten;give gave given;"
    "go went gone;hear heard;hold held;keep kept;know knew known;lay laid;lead led;leave left;lend lent;"
    "lose lost;make made;meet met;pay paid;ride rode;rise rose;say said;see saw seen;seek sought;sell sold;"
    "send sent;shake shook shaken;shoot shot;show shown;sit sat;slay slew slain;speak spoke spoken;stand stood;"
    "steal stole stolen;strike struck;swear swore sworn;take took taken;teach taught;tell told;think thought;"
    "throw threw thrown;withdraw withdrew withdrawn;win won;write wrote written"
)
"""Verbs, each with its irregular forms."""
_EMPTY_WORDS = frozenset(
    (
        *("a", "about", "against", "an", "and", "any", "as", "at", "be", "been", "being", "by", "did", "do", "does"),
        *("for", "from", "had", "has", "have", "he", "her", "his", "in", "into", "is", "it", "its", "of", "on", "or"),
        *("over", "she", "some", "something", "than", "that", "the", "their", "them", "they", "this", "to", "toward"),
        *("towards", "upon", "was", "were", "will", "with", "would", "are", "who", "whom", "which", "what", "when"),
    )
)


def stem(word: str) -> str:
    """The beginning of a word that its inflections and derivations share.

    Example:
        >>> [stem(word) for word in ("negotiated", "negotiations", "accuse", "accusation", "denied", "deny")]
        ['negoti', 'negoti', 'accus', 'accus', 'deni', 'deni']
    """
    word = _irregular().get(word, word)
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 4:
            word = word[: -len(suffix)]
            break
    if word[-1:] == word[-2:-1]:  # conferred, travelled
        word = word[:-1]
    return word[:-1] + "i" if word.endswith("y") else word


@cache
def _irregular() -> Mapping[str, str]:
    """Verbs by their irregular forms."""
    forms = (line.split() for line in _IRREGULAR.split(";"))
    return {form: verb for verb, *others in forms for form in others}


@cache
def shipped_phrases() -> Mapping[str, tuple[str, ...]]:
    """The phrases that come with the package, by predicate in lower case."""
    lines = (files("qtie.tkg") / "relations.jsonl").read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    return {record["relation"].casefold(): tuple(record["phrases"]) for record in records}


def read_phrases(source: Path | str) -> dict[str, tuple[str, ...]]:
    """Further phrases of a JSONL file, such as `{"relation": "Make a visit", "phrases": ["dropped by"]}`.

    Raises:
        DocumentError: the file cannot be read or a line is no such record; names the line.
    """
    phrases: dict[str, tuple[str, ...]] = {}
    for where, record in read_records(source):
        relation, given = record.get("relation"), record.get("phrases")
        if not isinstance(relation, str) or not isinstance(given, list) or not all(isinstance(p, str) for p in given):
            raise DocumentError(f"{where}: expected a text 'relation' and a list of texts 'phrases'")
        phrases[relation.casefold()] = (*phrases.get(relation.casefold(), ()), *given)
    return phrases


class RelationMatcher:
    r"""How likely each predicate of a graph is meant by some words.

    .. math:: P(r \mid q) \propto \exp \max_{p \in r} (\tfrac12 \cos(q, p) + \tfrac12 \text{shared}(q, p)) / T

    p are a predicate's label and phrases, cos a sentence encoder's cosine, shared the cosine of their words' stems,
    each weighted by how few predicates use it. Without an encoder, shared words alone count.

    Args:
        labels: of the predicates, in the order of their indices.
        phrases: further phrases by predicate in lower case.
        encoder: of sentences.
        vectors: of `texts`, shape (n_texts, n_dimensions), where they are known already.

    Example:
        >>> matcher = RelationMatcher(["Make a visit", "Praise or endorse"], phrases=shipped_phrases())
        >>> matcher.probabilities("paid a visit to").round(2)
        array([1., 0.])
    """

    def __init__(
        self,
        labels: Sequence[str],
        *,
        phrases: Mapping[str, Sequence[str]],
        encoder: Encoder | None = None,
        vectors: Vectors | None = None,
    ) -> None:
        self.labels = labels
        pairs = [(n, text) for n, label in enumerate(labels) for text in (label, *phrases.get(label.casefold(), ()))]
        self.texts = [text for _, text in pairs]
        self._owner = np.array([n for n, _ in pairs], dtype=np.intp)
        self._moods = [next((m for m in _MOODS if re.match(rf"(?i)(?:{m})\b", label)), None) for label in labels]
        self._encoder = encoder
        self.vectors = vectors if vectors is not None or encoder is None else encoder.encode_documents(self.texts)
        self._stems = [_stems(text) for text in self.texts]
        users: dict[str, set[int]] = defaultdict(set)
        for owner, stems in zip(self._owner.tolist(), self._stems, strict=True):
            for each in stems:
                users[each].add(owner)
        self._idf = {each: log(1 + len(labels) / len(owners)) for each, owners in users.items()}
        self._norms = np.array([self._norm(stems) for stems in self._stems])
        self._postings: dict[str, list[int]] = defaultdict(list)
        for n, stems in enumerate(self._stems):
            for each in stems:
                self._postings[each].append(n)

    def names(self, predicate: int) -> list[str]:
        """A predicate's label and its phrases."""
        return [text for text, owner in zip(self.texts, self._owner.tolist(), strict=True) if owner == predicate]

    def probabilities(self, words: str) -> Scores:
        """Shape (n_predicates,), a distribution; even where the words say nothing."""
        fits = self.fits(words)
        weights = np.exp((fits - fits.max(initial=-np.inf)) / _TEMPERATURE)
        return np.asarray(weights / weights.sum(), dtype=np.float64)

    def fits(self, words: str) -> Scores:
        """Shape (n_predicates,), at most 1: what the exponent above has over T; 0 where the words say nothing."""
        if not _stems(words):
            return np.zeros(len(self.labels))
        scores = self._shared(words)
        if self._encoder is not None and self.vectors is not None:
            cosines = self.vectors @ self._encoder.encode_queries([words])[0]
            scores = _SENSE_SHARE * cosines + (1 - _SENSE_SHARE) * scores
        best = np.full(len(self.labels), -np.inf)
        np.maximum.at(best, self._owner, scores)
        return np.asarray(best - _MOOD_PENALTY * self._lacks_mood(words), dtype=np.float64)

    def _shared(self, words: str) -> Scores:
        said = _stems(words)
        scores = np.zeros(len(self.texts))
        for each in said:
            for n in self._postings.get(each, ()):
                scores[n] += self._idf[each] ** 2
        unknown = log(1 + len(self.labels))
        norm = sum(self._idf.get(each, unknown) ** 2 for each in said) ** 0.5
        return np.asarray(scores / np.maximum(norm * self._norms, 1e-9), dtype=np.float64)

    def _lacks_mood(self, words: str) -> Scores:
        """Shape (n_predicates,): 1 where a predicate's mood is not said."""
        said = {mood for mood, cues in _MOODS.items() if re.search(rf"(?i)\b(?:{cues})", words)}
        return np.array([float(mood is not None and mood not in said) for mood in self._moods])

    def _norm(self, stems: Iterable[str]) -> float:
        return float(sum(self._idf[each] ** 2 for each in stems) ** 0.5)


def _stems(text: str) -> frozenset[str]:
    words = [token.word for token in tokens_of(re.sub(r"\([^)]*\)", " ", text))]
    return frozenset(stem(word) for word in words if word not in _EMPTY_WORDS)
