"""Spelling: sloppy typing put right, and numbers in words written in digits."""

from qtie.tie.cascade import Found, Rule, rules
from qtie.tie.en.lexicon import CARDINAL, MONTH, MONTH_NAME, ORDINAL, cardinal, ordinal

__all__ = ["NUMBER_WORDS", "SPELLING", "normalized"]

SPELLING: list[Rule] = []
NUMBER_WORDS: list[Rule] = []
_spelling, _number = rules(SPELLING), rules(NUMBER_WORDS)

_CHARACTERS = str.maketrans("‐‑‒–—−’‘ʼ`“”„«»\u00a0\t\n\r", '------\'\'\'\'"""""    ')


def normalized(query: str) -> str:
    """The query in lower case with plain dashes, quotes and spaces, each character in its place."""
    if query.isascii():
        return query.lower().translate(_CHARACTERS)
    lowered = "".join(low if len(low := char.lower()) == 1 else char for char in query)
    plain = lowered.translate(_CHARACTERS)
    return "".join(" " if "\ue000" <= char <= "\uf8ff" else char for char in plain)


_SHORT = {
    "b4": "before", "befor": "before", "bfore": "before", "befroe": "before", "aft": "after", "aftr": "after",
    "til": "until", "'til": "until", "till": "until", "untill": "until", "thru": "through", "sinse": "since",
    "durring": "during", "dureing": "during", "betwen": "between", "beetween": "between", "beween": "between",
    "btwn": "between", "b/w": "between", "bw": "between", "inbetween": "between", "frm": "from", "yr": "year", "yesterdays": "yesterday", "todays": "today",
    "yrs": "years", "abt": "about", "lst": "last", "nxt": "next", "2day": "today",
    "2moro": "tomorrow", "tmrw": "tomorrow", "tomorow": "tomorrow", "yday": "yesterday", "yesturday": "yesterday",
    "w/in": "within", "w/e": "week ending", "weekending": "week ending", "onward": "onwards", "exept": "except", "decembre": "december", "adn": "and", "sicne": "since", "centry": "century", "centuary": "century",
    "centruy": "century", "ninteenth": "nineteenth", "fourty": "forty",
}  # fmt: skip


@_spelling("short or misspelt word", "|".join(sorted((w.replace("/", "/") for w in _SHORT), key=len, reverse=True)))
def _short(found: Found) -> str:
    return _SHORT[found.match[0]]


@_spelling("btw as between", r"(?P<word>btw)(?= [^ ]*\d[^ ]* (?:and|&|n|to) )", at="word")
def _between(found: Found) -> str:
    return "between"


_JOINED = (
    "in|since|before|after|until|by|from|during|circa|around|between|summer|spring|winter|autumn|year|late|early|mid"
)


@_spelling(
    "joined word and year",
    rf"(?:{_JOINED})(?P<gap>)(?P<year>(?:1[0-9]|20)\d\ds?|\d{{1,2}}(?:st|nd|rd|th)? ?{MONTH})",
    at="gap",
)
def _joined(found: Found) -> str:
    return " "


@_spelling("joined month and number", rf"(?:{MONTH_NAME}|q[1-4]|h[12])(?P<gap>)(?:\d{{4}}|'\d\d)", at="gap")
def _joined_month(found: Found) -> str:
    return " "


@_spelling("joined day and month", rf"\d{{1,2}}(?:st|nd|rd|th)?(?P<gap>){MONTH_NAME}(?:\d{{4}})?", at="gap")
def _joined_day(found: Found) -> str:
    return " "


@_spelling("joined year and quarter", r"(?:1[4-9]|20)\d\d(?P<gap>)(?:q[1-4]|h[12])", at="gap")
def _joined_quarter(found: Found) -> str:
    return " "


@_spelling("joined number and unit", r"\d{1,3}(?P<gap>)(?:years?|yrs?|months?|weeks?|days?|decades?)", at="gap")
def _joined_unit(found: Found) -> str:
    return " "


@_number(
    "year in words",
    r"(?P<century>eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty)[- ]"
    rf"(?:(?P<hundred>hundred)(?:[- ](?:and[- ])?(?P<odd>{CARDINAL}))?|(?:oh|o|aught)[- ](?P<digit>{CARDINAL})"
    rf"|(?P<rest>(?:ten|eleven|twelve|\w+teen|\w+ty(?:[- ](?:one|two|three|four|five|six|seven|eight|nine))?)))",
)
def _year_words(found: Found) -> str | None:
    rest = found["odd"] or found["digit"] or found["rest"]
    try:
        number = cardinal(rest) if rest else 0
    except KeyError:
        return None
    if not found["hundred"] and not 0 < number < 100:
        return None
    return str(100 * cardinal(found["century"]) + number)


@_number(
    "decade spoken",
    r"(?P<century>thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty)[- ](?P<tens>twen|thir|for|fif|six|seven|eigh|nine)ties",
)
def _decade_words(found: Found) -> str:
    tens = ["twen", "thir", "for", "fif", "six", "seven", "eigh", "nine"].index(found["tens"]) + 2
    return f"{cardinal(found['century'])}{tens}0s"


@_number(
    "hundreds in words",
    r"(?P<century>eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen)[- ]hundreds",
)
def _hundreds(found: Found) -> str:
    return f"{cardinal(found['century'])}00s"


@_number("thousand in words", rf"(?P<n>{CARDINAL}) thousand(?:[- ](?:(?:and|&)[- ])?(?P<rest>{CARDINAL}))?")
def _thousand(found: Found) -> str:
    return str(1000 * cardinal(found["n"]) + (cardinal(found["rest"]) if found["rest"] else 0))


@_number("cardinal in words", rf"(?P<n>{CARDINAL})(?! hundred| thousand|-\w)")
def _cardinal(found: Found) -> str | None:
    number = cardinal(found["n"])
    return str(number) if number > 1 else None


@_number("hundreds of a unit", rf"(?P<n>an?|one|{CARDINAL}) hundred(?= (?:days|weeks|months|years|decades)\b)")
def _hundreds_of(found: Found) -> str:
    return str(100 * (1 if found["n"] in ("a", "an", "one") else cardinal(found["n"])))


_PARTS_OF_A_UNIT = {"decade": ("5", "years"), "century": ("50", "years"), "year": ("6", "months")}


@_number(
    "half a unit", r"(?:an? )?half(?: an? |[ -])(?P<u>decade|century|year)(?! (?:results|report|earnings|ended|end))"
)
def _half_unit(found: Found) -> str | None:
    before = found.skeleton.text[: found.match.start()].rstrip()
    if before.endswith(("first", "second", "1st", "2nd", "last", "back", "final")) and found["u"] == "year":
        return None
    return " ".join(_PARTS_OF_A_UNIT[found["u"]])


@_number("quarter of a century", r"(?:an? )?quarter(?: of an? |[ -])century")
def _quarter_century(found: Found) -> str:
    return "25 years"


@_number("a unit and a half", rf"(?P<n>an?|\d{{1,2}}|{CARDINAL}) (?P<u>year|decade|century)s? and a half")
@_number("N and a half units", rf"(?P<n>an?|\d{{1,2}}|{CARDINAL}) and a half (?P<u>year|decade|centurie?|century)s?")
def _and_a_half(found: Found) -> str:
    words = found["n"]
    n = 1 if words in ("a", "an") else int(words) if words.isdigit() else cardinal(words)
    unit = "century" if found["u"].startswith("centur") else found["u"]
    half, smaller = _PARTS_OF_A_UNIT[unit]
    return f"{n * 2 * int(half) + int(half)} {smaller}"


@_number("one unit", r"(?P<n>one)(?= (?:day|week|month|quarter|year|decade|century|fortnight)\b)", at="n")
def _one(found: Found) -> str:
    return "1"


@_number("ordinal in words", rf"(?P<n>{ORDINAL})")
def _ordinal(found: Found) -> str | None:
    number = ordinal(found["n"])
    if number < 3:
        return None  # "first" and "second" have further senses
    suffix = "th" if 10 < number % 100 < 14 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{suffix}"
