"""Whether passages tell of the asked time, and what is said of it where they do not."""

from collections.abc import Sequence

from qtie.interval import TimeInterval, temporal_distance_days
from qtie.rag.conflicts import same_fact, telling_most, told_words
from qtie.rag.passage import Asked, Passage, shown_interval
from qtie.rag.passage_text import dates_in, stated_time
from qtie.rag.reader import Quote
from qtie.rag.tense import is_to_come
from qtie.rag.wording.change import changes
from qtie.rag.wording.head_noun import head_noun
from qtie.rag.wording.sentences import sentences
from qtie.rag.wording.words import content_words, share, word_set, word_weights

__all__ = ["answered_elsewhere", "last_before", "nearest", "tells_of", "told_elsewhere", "undated"]


def nearest(passages: Sequence[Passage], asked: Asked) -> str:
    """What is said where no passage is of the asked time: "nothing dated in 1843–1845; nearest: …"; else empty.

    The nearest is one that states what is asked for, where several do.
    """
    if asked.intent.interval is None or any(passage.inside for passage in passages):
        return ""
    return _nearest(passages, asked)


def told_elsewhere(passages: Sequence[Passage], asked: Asked) -> str:
    """What is said where those passages that state what is asked for are all of another time; else empty.

    They are those with nearly as many of the question's words as the one that has most, and no other may have any of
    its words besides names, or the noun that is asked for; where no passage at all is of the asked time, the one that
    has most alone decides; and what has not come yet is told by none. A passage of another time may state the
    asked one.
    """
    if is_to_come(asked):
        return _nearest(passages, asked)
    telling = [passages[at] for at in telling_most(passages, asked)]
    elsewhere = _nearest(passages, asked) if _is_told_elsewhere(telling, passages, asked) else ""
    elsewhere = elsewhere or (nearest(passages, asked) if _best_is_outside(passages, asked) else "")
    is_stated = elsewhere and any(tells_of(passage.text, asked, passage.time) for passage in telling)
    return "" if is_stated else elsewhere


def _is_told_elsewhere(telling: Sequence[Passage], passages: Sequence[Passage], asked: Asked) -> bool:
    """Whether the first of those that state what is asked for has its noun or words, and none of the asked time has."""
    plain = {word for word, weight in word_weights(asked.intent.semantic_query).items() if weight == 1}
    head = head_noun(asked.question)
    plain = {head} if telling and head in word_set(telling[0].text) else plain
    others = (passage for passage in passages if passage.inside is not False)
    is_told = bool(telling) and bool(plain & told_words(telling[0], asked))
    return is_told and not any(plain & told_words(passage, asked) for passage in others)


def answered_elsewhere(quotes: Sequence[Quote], passages: Sequence[Passage], asked: Asked) -> str:
    """What is said where an answer rests on passages of another time alone, though one of the asked time is about the
    same; else empty."""
    cited = [(passages[quote.passage], quote.text) for quote in quotes]
    if not cited or any(each.inside is not False or tells_of(text, asked, each.time) for each, text in cited):
        return ""
    if not any(passages[at].inside for at in telling_most(passages, asked)):
        return ""
    return _nearest([passage for passage, _ in cited], asked).replace("nothing dated", "no answer dated")


def tells_of(text: str, asked: Asked, time: TimeInterval | None) -> bool:
    """Whether a text says something of the asked time itself, in a sentence with one of the question's words.

    It does where it states a date of that time, or a change ("from 120 to 135 euros") before which that time was.

    Args:
        text: what is read.
        asked: the question and its time.
        time: when the text was written, or what it is about.

    Example:
        >>> from qtie.tie.grammar import GrammarExtractor
        >>> question = "What was the toll in 2018?"
        >>> asked = Asked(question=question, intent=GrammarExtractor().extract(question))
        >>> texts = ["The toll was 4 euros in 2018.", "In 2018 it rained.", "In 2019 the toll rose from 4 to 5 euros."]
        >>> [tells_of(text, asked, TimeInterval.year(2019)) for text in texts]
        [True, False, True]
    """
    words = word_weights(asked.intent.semantic_query)
    intervals, dates = asked.intent.intervals, dates_in(text)
    if not intervals:
        return False
    ends = [interval.end for interval in intervals]
    for sentence in sentences(text):
        if words.keys().isdisjoint(content_words(text[slice(*sentence)])):
            continue
        stated = [
            stated_time(text, date, time).interval for date in dates if sentence.start <= date.start < sentence.end
        ]
        if any(interval.overlaps(each) for interval in intervals for each in stated):
            return True
        changed = [each.start for each in stated or [time or TimeInterval()]]
        is_before = all(end is not None and start is not None and end < start for end in ends for start in changed)
        if is_before and any(True for _ in changes(text, sentence)):
            return True
    return False


def last_before(passages: Sequence[Passage], asked: Asked) -> Passage | None:
    """The last passage of a state that goes on until the next one, which says it of the asked time; None where none
    does, or where the passages themselves say how long they are valid.

    Args:
        passages: found as of the end of the asked time.
        asked: the question as of then.
    """
    telling = [passages[at] for at in telling_most(passages, asked)]
    if any(passage.lasts for passage in telling):
        return None
    known = [(time.start, passage) for passage in telling if passage.inside and (time := passage.time) is not None]
    dated = [(start, passage) for start, passage in known if start is not None]
    return max(dated, key=lambda each: each[0])[1] if dated else None


def undated(asked: Asked) -> str:
    """What is said where nothing is of the asked time."""
    return f"nothing dated in {' or '.join(map(shown_interval, asked.intent.intervals))}"


def _nearest(passages: Sequence[Passage], asked: Asked) -> str:
    interval = asked.intent.interval
    if interval is None:
        return ""
    where = undated(asked)
    if not is_to_come(asked) and any(passage.inside for passage in passages):  # but of something else
        where = where.replace("nothing dated", "no answer dated")
    about = [passages[at] for at in same_fact(passages, asked)] or passages
    about = [passage for passage in about if not passage.inside] or about
    dated = [(passage, time) for passage in about if (time := passage.time) is not None]
    if not dated:
        return where
    passage, time = min(dated, key=lambda each: temporal_distance_days(each[1], interval))
    return f"{where}; nearest: {passage.document.doc_id} ({shown_interval(time)})"


def _best_is_outside(passages: Sequence[Passage], asked: Asked) -> bool:
    """Whether no undated passage has more of the question's words than one of another time."""
    weights = word_weights(asked.intent.semantic_query)
    shares = [(share(weights, word_set(passage.text)), passage.inside is False) for passage in passages]
    return max(shares, default=(0.0, False))[1]
