"""The names of a temporal knowledge graph in words: 2011-05 as "May 2011", a role as "a citizen of Nigeria"."""

import random
import re
from datetime import date

ISO_LENGTH = {"day": 10, "month": 7, "year": 4}

WITH_ARTICLE = re.compile(
    r"(UN|United(?! Russia| to)|Philippines|Maldives|Netherlands|Gambia|Czech|Dominican|Central African|Middle|Vatican|"
    r"Lower|Upper|Democratic Republic|Republic of|People's|Association of|International|High Commission|Taliban|"
    r"Bahamas|Comoros|Solomon Islands|Marshall Islands|Red Cross|House of|Organization|League of|Group of|Federal|"
    r"Central|Kuomintang|Associated Press)\b"
    r"|.*\b(Union|Council|Party|Forces|Front|Army|League|Fund|Court|Bank|Congress|Commission|Parliament|Senate|"
    r"Agency|Authority|Movement|Committee|Organization|Alliance|Assembly|Guard|Association|Federation)$"
)
PERSON = re.compile(
    r"(Citizen|Criminal|Lawyer|Attorney|Protester|Judge|Businessperson|Mayor|Governor|Envoy|Member of (Parliament|"
    r"Legislative)|Lawmaker|Student|Activist|Employee|Insurgent|Militant|Combatant|Rebel|Member|Attacker|Thief|Villager|"
    r"Official|Professor|Scholar|Economist|Detainee|Refugee|Settler|Murderer|Separatist|Agent|Priest|Preacher|Worker|"
    r"Candidate|Tourist|Scientist|Extremist|Guerrilla|Admiral|Supporter|Muslim|Christian|Editor|Undersecretary|Cleric|"
    r"Bishop|Prosecutor|Ombudsman|Diplomat|Journalist|Soldier|Terrorist|Operator)$|Member of (Parliament|Legislative)"
)
CAPITALIZED = re.compile(r"Islamic|Muslim|Christian|Buddhist|Hindu|Jewish|Catholic|Shia|Sunni|[A-Z]{2,}|UN")
ROLES = {
    "Citizen": ("a citizen of {c}", "a citizen from {c}"),
    "Head of Government": ("the head of government of {c}", "{c}'s head of government"),
    "Foreign Affairs": ("{c}'s foreign ministry", "the foreign ministry of {c}", "{c}'s ministry of foreign affairs"),
    "Police": ("the police of {c}", "{c}'s police", "the police in {c}"),
    "Government": ("the government of {c}", "{c}'s government"),
    "Cabinet / Council of Ministers / Advisors": ("{c}'s cabinet", "the cabinet of {c}"),
    "Lawyer/Attorney": ("a lawyer from {c}", "an attorney in {c}"),
    "Defense / Security Ministry": ("{c}'s defense and security ministry", "the defense / security ministry of {c}"),
    "Other Authorities / Officials": ("other authorities of {c}", "other officials of {c}"),
    "Justice Department/Ministery": ("{c}'s justice ministry", "the justice department of {c}"),
    "Business": ("the business community of {c}", "businesses in {c}"),
    "Media": ("the media of {c}", "{c}'s media"),
    "Education": ("the education sector of {c}", "{c}'s education sector"),
    "Domestic Affairs": ("{c}'s ministry of domestic affairs",),
    "Royal Administration": ("the royal administration of {c}", "{c}'s royal administration"),
    "Military Personnel - Special": ("special military personnel of {c}",),
}
PLURAL = re.compile(r"(men|women|children|people|the police|other|special military|businesses|[\w ]*personnel)\b", re.I)
PLURAL_LABEL = re.compile(
    r"(Men|Women|Children|Police|Indigenous People|Fishermen|Representatives|Immigrants)\b|.*Personnel"
)


def date_words(iso: str, rng: random.Random) -> str:
    """An ISO day, month or year in words; a year stays as it is."""
    year, month, day = (int(part) for part in (*iso.split("-"), "1", "1")[:3])
    that = date(year, month, day)
    if len(iso) == ISO_LENGTH["year"]:
        return iso
    if len(iso) == ISO_LENGTH["month"]:
        return rng.choice((f"{that:%B %Y}", f"{that:%B %Y}", f"{that:%b %Y}", f"{that:%B}, {year}"))
    return rng.choice(
        (
            f"{day} {that:%B %Y}",
            f"{that:%B} {day}, {year}",
            f"{day} {that:%b %Y}",
            iso,
            f"the {ordinal(day)} of {that:%B %Y}",
        )
    )


def ordinal(day: int) -> str:
    """A day of the month as it is spoken: 1st, 22nd, 13th."""
    return f"{day}{'th' if day in (11, 12, 13) else {1: 'st', 2: 'nd', 3: 'rd'}.get(day % 10, 'th')}"


def granularity_of(iso: str) -> str:
    """The unit in which an ISO date is given."""
    return next(unit for unit, length in ISO_LENGTH.items() if length == len(iso))


def entity_words(label: str, rng: random.Random) -> str:
    """The label, or as often what is said for it, "a citizen of Nigeria"; proper names take their article."""
    match = re.fullmatch(r"(.+) \(([^(),]+)\)", label)
    if match is None:
        return f"the {label}" if WITH_ARTICLE.match(label) and "(" not in label else label
    role, place = match.groups()
    if rng.random() < 0.5:
        return label
    place = f"the {place}" if WITH_ARTICLE.match(place) else place
    return rng.choice(ROLES.get(role) or role_words(role)).format(c=place)


def role_words(role: str) -> tuple[str, ...]:
    """How a role without words of its own is said of a place."""
    words = " ".join(word if CAPITALIZED.match(word) else word.lower() for word in role.split())
    if PERSON.search(role):
        words = f"{'an' if words[0] in 'aeiou' else 'a'} {words}"
        return (f"{words} from {{c}}", f"{words} of {{c}}")
    if PLURAL_LABEL.match(role):
        return (f"{words} from {{c}}", f"{words} of {{c}}")
    return (f"the {words} of {{c}}", f"{{c}}'s {words}")


def is_plural(words: str) -> bool:
    """Whether an entity, in words, takes "were"."""
    return bool(PLURAL.match(words) or PLURAL_LABEL.match(words))
