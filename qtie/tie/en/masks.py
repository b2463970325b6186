"""What looks like a time and is none: products, standards, titles, measures, other senses of "may" and "last".

A mask covers such words, so that no later rule reads them. The words themselves stand in `not_times.toml`; the
examples, of every kind, in `negatives.jsonl`.
"""

import re
import tomllib
from importlib.resources import files

from qtie.tie.cascade import MASK, Found, Rule, rules
from qtie.tie.en.lexicon import MONTH_NAME, SEASON

__all__ = ["MASKS", "NAMES"]

NAMES: list[Rule] = []
"""What no extractor may take for a time, such as the season's word in a name: "2018 Winter Olympics" is of the year."""
MASKS: list[Rule] = []
_name, _mask = rules(NAMES), rules(MASKS)

_LISTS: dict[str, str] = tomllib.loads(files("qtie.tie.en").joinpath("not_times.toml").read_text(encoding="utf-8"))
_YEARS = r"(?:1[4-9]|20)\d\d"
_MAKES_A_YEAR = re.compile(
    r"(?:^|\s)(?:in|since|from|by|during|until|before|after|and|to|the|prior to|(?:start|end|beginning) of)\s*$"
)


def _words(name: str) -> str:
    """A list of words as an alternation, longest first."""
    return "|".join(sorted(map(re.escape, set(_LISTS[name].split())), key=len, reverse=True))


def _patterns(name: str) -> str:
    """A list of patterns, one alternation."""
    return _LISTS[name].replace("\n", "")


@_name("season in a name", rf"(?:{_patterns('season_names')})(?!\w)")
@_name(
    "years of a life",
    r"(?:his|her) (?:very )?(?:last|final|first|early|later?) (?:\d+ |few |couple of )?(?:years?|months|weeks|days)",
)
def _no_time(found: Found) -> str:
    return MASK


def _after(found: Found) -> str:
    return found.skeleton.text[found.match.end() :]


def _before(found: Found) -> str:
    return found.skeleton.text[: found.match.start()]


def _is_year(digits: str) -> bool:
    return bool(re.fullmatch(_YEARS, digits))


_CODE_AFTER = r"(?: no\.?| number| code| nr\.?| id| (?!in|of|by|to|on|at|as|or|is|q)[a-z]{1,2})?[ .:#-]*(?P<n>#?\d[\w.:/()-]*)(?<![.:,)-])(?!-? ?(?:years?|yrs?|months?|weeks?|days?|decades?|centur(?:y|ies)|quarters?|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*)\b)"


@_mask(
    "labelled numbers",
    rf"(?:{_words('plural_labels')}) \d+(?: ?(?:-|to|through|and|,|\.\.+|, and) ?\d+)*(?!\d|[-/.]\d| ?{MONTH_NAME}\b)",
)
@_mask("labelled number", rf"(?<!')(?:{_words('labels')}){_CODE_AFTER}")
def _label(found: Found) -> str | None:
    return MASK


@_mask("number of a series", rf"(?:{_words('ambiguous_labels')}){_CODE_AFTER}")
def _ambiguous_label(found: Found) -> str | None:
    number = found["n"]
    return None if re.match(rf"{_YEARS}(?!\d)", number) or _DATE.fullmatch(number) else MASK


_DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|\d{1,2}/\d{4}|\d{1,2}(?:st|nd|rd|th)")
_DATED = re.compile(rf"(?:{MONTH_NAME}\.?|{SEASON}|q[1-4])(?: of|,)? ?(?:\d{{1,2}}(?:st|nd|rd|th)?,? ?)?$")
_OTHER_WAY = re.compile(
    r" ?(?:ago|before|after|prior|earlier than|later than|following|from (?:now|today)|hence|to \D|either)"
)


@_mask(
    "measure",
    rf"(?P<n>\d+(?:[.,]\d+)*)(?: ?(?:-|to|and|or|x|×) ?(?P<m>\d+(?:[.,]\d+)*))?[ -]?(?P<unit>{_words('measures')})(?![\w'&])",
)
@_mask(
    "count",
    rf"(?P<n>\d+(?:[.,]\d+)*)(?: ?(?:-|to|and|or) ?(?P<m>\d+(?:[.,]\d+)*))?[ -]?(?P<unit>{_words('counted')})(?![\w'&]|\.\w)",
)
@_mask(
    "large number",
    r"\d[\d.,]* (?:of them|more people|or more people|million|billion|trillion|thousand|hundred|dozen)(?![\w'])",
)
@_mask(
    "per unit",
    r"\d[\d.,]* ?(?:a|an|per|each|/) ?(?:month|week|day|year|hour|night|person|head|serving|share|mo|yr)(?![\w'])",
)
@_mask(
    "fewer than",
    r"(?:above|below) \d[\d.,]*|(?:over|under|at least|at most|more than|less than) 1[0-3]\d\d|(?:over|under|more than|less than|at least|at most|up to|exceeding) \d[\d.,]*(?= (?!years|months|weeks|days|decades|hours|minutes|quarters|fortnights|budget|sales|news|census|series|class|elections|olympics|games|earnings|results|forecasts)[a-z]{3,}s\b)|(?:fewer than|as many as|a total of|population of|capacity of|priced at|worth) \d[\d.,]*",
)
def _measure(found: Found) -> str | None:
    unit, number = found["unit"], found["n"]
    if _is_year(number) and _DATED.search(_before(found)):
        return None
    if unit in ("hour", "hours", "hrs", "minutes", "mins") and (
        _OTHER_WAY.match(_after(found)) or re.search(r"(?:past|last|next|within) $", _before(found))
    ):
        return None
    if unit and unit not in _LISTS["measures"].split() and _is_year(number) and _MAKES_A_YEAR.search(_before(found)):
        return None
    if _is_year(number) and _is_year(found["m"]) and unit not in _LISTS["measures"].split():
        return None
    return MASK


@_mask(
    "money", r"(?:[$€£¥₹]|usd|eur|gbp|us\$|a\$|rs\.?) ?\d[\d.,]*(?: ?[kmb]n?\b| million| billion)?|\d[\d.,]* ?[€£$¥]"
)
@_mask("percent and degrees", r"\d[\d.,]* ?(?:%|°[cf]?|℃|℉)")
@_mask("thousands", r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
@_mask("decimal or version", r"(?<![\d.])v?\d+\.\d+(?:\.\d+)*(?:[-+]?[a-z]+\d*)?(?! ?(?:bc|ad|ce)\b)")
@_mask("resolution or ratio", r"\d+ ?[x×] ?\d+(?: ?[x×] ?\d+)?|\d{1,2}:\d{1,2}(?::\d\d)?(?: ?[ap]\.?m\.?)?|\d+p|\d+k")
@_mask("clock time", r"\d{1,2}(?:[:.]\d\d)? ?(?:a\.?m\.?|p\.?m\.?|o'?clock)|\d{3,4} hours|at \d{4} (?:gmt|utc|zulu)")
@_mask(
    "phone",
    r"\+\d[\d ()-]{7,}|(?:\+\d{1,3}[ -]?)?\(?\d{3}\)?[ -]\d{3}[ -]\d{4}|\d{3}-\d{4}|1-8\d\d-[\w-]+|0\d{2,4} \d{3,4}(?: \d{3,4})?|\d{3} \d{4}",
)
@_mask("hash number", r"(?:no\.|nr\.|№) ?\d[\w./-]*|#\d+[\w-]*|\d+#")
def _figure(found: Found) -> str | None:
    parts = found.match[0].split(".")
    dotted_date = len(parts) == 3 and all(part.isdigit() for part in parts) and 4 in (len(parts[0]), len(parts[2]))
    return None if dotted_date else MASK


_ARITHMETIC = r"prime numbers?|a prime|prime factor\w*|factors of|divided|divisible|binary|hex(?:adecimal)?|roman numerals?|square root|cube root|root of|logarithm|log (?:base \d+ )?of \d|multiply|multiplied|divisors?|multiples of|percentage of|base \d|equals|\d cube|rounding|modulo|decimal|octal|sum of|factorial|integer|\d times \d|[*^]|percent of|per cent of|to the power|gcd|lcm|digits of|two cubes|\d!|even or odd"
_SUM = r"times|\+|\*|×|÷|plus|minus|divided by"


@_mask("number in arithmetic", rf"\d[\d.,]*(?=.*(?<!\w)(?:{_ARITHMETIC})(?!\w))")
@_mask(
    "number after arithmetic",
    rf"(?<!\w)(?:{_ARITHMETIC})(?!\w)[^\d]*(?P<n>\d[\d.,]*(?: (?:to|and|by|from) \d[\d.,]*)?)",
    at="n",
)
def _arithmetic(found: Found) -> str | None:
    dated = r"(?<!\w)(?:in (?!(?:roman|binary|hex\w*|octal|decimal)(?!\w))|(?:since|during|before|after) )"
    return None if re.search(dated, found.skeleton.text) else MASK


@_mask("sum or product", rf"(?P<n>\d+) ?(?:{_SUM}) ?(?P<m>\d+)(?=\W*$)")
@_mask("number tested", r"(?:is|are) (?P<n>\d[\d.,]*) (?:an? )?(?:prime|even|odd|composite)(?: numbers?)?(?=\W*$)")
def _calculation(found: Found) -> str | None:
    return None if _is_year(found["n"]) and _is_year(found["m"]) else MASK


_KEEP = r"q[1-4](?:'?\d\d)?|[1-4]q(?:'?\d\d)?|h[12](?:'?\d\d)?|[12]h(?:'?\d\d)?|fy ?'?\d\d|fy\d{4}|cw\d\d?|wk\d\d?|w\d\d|\d{4}-?w\d\d"
_TIME_PREFIX = r"pre|post|mid|early|late|end|start|by|est|circa|c|ca|since|from|ad|bc|non|anti|year|in|summer|winter|spring|autumn|election|olympics|covid(?=-20)"
_MONTH_PREFIX = r"jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec"


@_mask(
    "letters and digits",
    rf"(?!(?:{_KEEP})(?!\w))(?!(?:{_TIME_PREFIX})[-. ]?\d)(?!(?:{_MONTH_PREFIX})-?\d)[a-z]+[-_]?\d[\w.-]*(?<![.-])",
)
@_mask(
    "digits and letters",
    rf"(?!(?:{_KEEP})(?!\w))(?!\d{{1,4}}(?:-?)(?:st|nd|rd|th|s|'s|bc|bce|ad|ce|yrs?|years?|months?|weeks?|days?|ish|present|now|today|onwards?|era)(?!\w))(?!\d{{1,2}}-?(?:{_MONTH_PREFIX}))(?!\d{{4}}t\d|\d{{4}}-(?:{_MONTH_PREFIX})|\d{{4}}-(?:q[1-4]|h[12])(?!\w))(?<!\d[-:])\d+[-_]?[a-z]+[\w.]*(?<!\.)",
)
def _code(found: Found) -> str | None:
    return None if re.fullmatch(rf"{_YEARS}-(?:present|era|now|style|today|onwards?|based)", found.match[0]) else MASK


@_mask("numbered name", rf"(?:{_patterns('numbered_names')})(?!\d|[.,]\d)")
@_mask("version by year", rf"(?:{_patterns('year_versions')}) (?:{_YEARS}|\d{{1,3}})(?!\d|-\d)")
@_mask("another sense", rf"(?:{_patterns('other_senses')})(?!\w)")
def _named(found: Found) -> str | None:
    return MASK


_WORKS = dict(line.split(" = ", 1) for line in _LISTS["works"].strip().splitlines())
_WORK = r"novel|book|film|movie|series|song|album|musical|play|tv show|soundtrack|comic|anime"


@_mask("work named by a year", rf"(?:the )?(?P<n>{'|'.join(_WORKS)})(?:'s)?(?! (?:bc|ad))")
def _work(found: Found) -> str | None:
    text = found.skeleton.text
    told = re.search(rf"(?<!\w)(?:{_WORKS[found['n']]})(?!\w)", text)
    return MASK if told and not re.search(rf"(?:since|before|after|during) {found['n']}", text) else None


@_mask(
    "title before a work",
    rf"(?P<n>{_YEARS}|\d{{3}})(?= (?:the )?(?:{_WORK}) (?:by|cast|plot|review|ending|summary|characters?|quotes?|analysis|lyrics|chords|directed|starring|soundtrack))",
)
@_mask(
    "title after a work",
    rf"(?:the )(?:{_WORK}) (?:called |titled |named )?(?P<n>{_YEARS}|\d{{3,4}})(?=$|\?| by| review| summary| ending| cast| plot)",
    at="n",
)
@_mask("year and its title", rf"(?:^|(?<=watch )|(?<=read )|(?<=film )){_YEARS}: [a-z]")
def _title(found: Found) -> str | None:
    return MASK


@_mask("quoted", r"\"[^\"]{1,60}\"")
def _quoted(found: Found) -> str | None:
    return MASK if re.search(r"\d", found.match[0]) and len(found.match[0]) < 40 else None


_TENS = r"(?:\d0'?s|twenties|thirties|forties|fifties|sixties|seventies|eighties|nineties)"


@_mask(
    "address",
    r"(?!(?:1[4-9]|20)\d\d (?!(?:main|oak|elm|maple|cedar|pine|walnut|market|\d+(?:st|nd|rd|th)) st)(?:\w+ ){1,2}(?:road|rd|lane|drive|st|terrace|crescent)(?!\w))\d{1,5} (?!(?:on|in|at|of|the|and|to|for|from|by) )(?:\w+ ){1,2}(?:street|st(?=$|[,.?]| [a-z]+$)|avenue|ave|road|rd|lane|ln|drive|boulevard|blvd|highway|hwy|parkway|crescent|terrace)(?![\w])",
)
@_mask("zip code", r"(?<=[a-z]{2} )\d{5}(?:-\d{4})?")
@_mask(
    "decade of life",
    r"(?:in|into|enter\w*|of|from|during|throughout|since|until|by|before|after|(?:people|women|men) in) (?:his|her|their|my|your|our|ones?|one's) (?:early |mid |late |early-|mid-|late-)?(?:\d0'?s|twenties|thirties|forties|fifties|sixties|seventies|eighties|nineties|teens)",
)
@_mask(
    "age",
    r"(?:aged?|age of|ages|turn(?:ed|ing|s)?) \d{1,3}(?:[ -](?:to|and|-) ?\d{1,3})?(?![\d\w])|(?:people|women|men|adults|drivers|those|anyone|patients|for) (?:over|under) \d{1,2}(?![\d\w/.-])|(?:over|under)[ -]\d0'?s|\d{1,3}[- ](?:year|yr|month|week|day)s?[- ]olds?",
)
@_mask(
    "temperature",
    rf"(?:high|low|mid|upper|lower)[- ]{_TENS}(?= (?:degrees|fahrenheit|celsius|today|this weekend))|(?:temperatures?|highs?|lows?) (?:in|of) the (?:(?:low|mid|high|upper|lower)[- ])?{_TENS}",
)
def _age(found: Found) -> str | None:
    return MASK


_SPANS = r"(?:years?|months?|weeks?|days?|hours?|minutes?|seconds?|yrs?|mins?|decades?|centuries)"


@_mask(
    "duration",
    rf"(?:for|lasts|lasted|lasting|(?<!or )takes?|took|spent|spend) (?:(?:about|over|around|at least|more than|less than|up to|nearly|almost|only) )?(?P<n>\d{{1,4}}|an?|several|(?:a )?few|a couple of|many) {_SPANS}(?! (?:ago|before|after|prior|following|from|since|back|to|period))",
)
@_mask("every so often", rf"every (?:\d{{1,3}}|few|couple of|other|second) {_SPANS}")
@_mask(
    "duration adjective",
    r"(?<!past )(?<!last )(?<!next )(?<!the )(?<!first )(?<!final )(?<!within )\d{1,4}[- ](?:year|month|week|day|hour|minute|decade)(?=[ -](?!ago|before|after|prior|following|earlier|later|from|period|to|leading|of|hence|back)[a-z])",
)
@_mask(
    "years of something",
    rf"(?<!past )(?<!last )(?<!next )(?<!the )(?<!first )(?<!final )(?<!in )\d{{1,4}}\+? {_SPANS} (?:of (?!the|\d|19|20)|in (?:prison|jail|a row|the making|business|power|office|captivity|space)|old|long|warranty)",
)
def _length(found: Found) -> str | None:
    return MASK
