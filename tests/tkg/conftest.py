"""A small graph of made-up facts."""

import pytest

from qtie.interval import TimeInterval
from qtie.tie.grammar import GrammarExtractor
from qtie.tkg.fact import Fact
from qtie.tkg.pipeline import TkgPipeline
from qtie.tkg.store import FactStore

_ROWS = """\
Defense / Security Ministry (Denmark)|Make a visit|Iraq|2006-02-20
Foreign Affairs (Denmark)|Make statement|Iraq|2006-03-01
Tony Blair|Make a visit|Iraq|2005-12-22
Jack Straw|Make a visit|Iraq|2006-04-02
Barack Obama|Make a visit|Iraq|2008-07-21
Barack Obama|Make a visit|China|2009-11-15
Barack Obama|Make a visit|China|2014-11-10
Iraq|Host a visit|Tony Blair|2005-12-22
Iran|Criticize or denounce|Iraq|2006-05-05
Iran|Criticize or denounce|Barack Obama|2009-06-20
Iran|Criticize or denounce|Barack Obama|2009-06-25
Citizen (Nigeria)|Criticize or denounce|Iran|2009-06-02
China|Praise or endorse|Iran|2007-01-10
China|Praise or endorse|Barack Obama|2009-06-30
Police (Egypt)|Arrest, detain, or charge with legal action|Protester (Egypt)|2011-01-25
Police (Egypt)|Arrest, detain, or charge with legal action|Protester (Egypt)|2011-01-28
Iran|Engage in negotiation|China|"""


@pytest.fixture(scope="session")
def facts() -> list[Fact]:
    rows = [line.split("|") for line in _ROWS.splitlines()]
    return [
        Fact(subject=s, predicate=p, object=o, interval=TimeInterval.parse(day) if day else None, fact_id=f"f{n}")
        for n, (s, p, o, day) in enumerate(rows)
    ]


@pytest.fixture(scope="session")
def store(facts: list[Fact]) -> FactStore:
    return FactStore.of(facts)


@pytest.fixture(scope="session")
def pipeline(store: FactStore) -> TkgPipeline:
    return TkgPipeline(store, GrammarExtractor())
