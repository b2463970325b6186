"""Allen's relations as mathematics: by their definitions, on a grid with open sides."""

import math
from itertools import product

import numpy as np
import pytest

from qtie.allen import AllenRelation, allen_relation, allen_relations, bounds
from qtie.interval import TimeInterval

CLOSED = [TimeInterval(start, end) for start, end in product(range(5), repeat=2) if start <= end]
OPEN = [TimeInterval(start, None) for start in range(5)] + [TimeInterval(None, end) for end in range(5)]
GRID = [*CLOSED, *OPEN, TimeInterval()]

# Of a = [s, e) to b = [t, f); the other six are the converses.
DEFINITIONS = {
    AllenRelation.BEFORE: lambda s, e, t, f: e < t,
    AllenRelation.MEETS: lambda s, e, t, f: e == t,
    AllenRelation.OVERLAPS: lambda s, e, t, f: s < t < e < f,
    AllenRelation.STARTS: lambda s, e, t, f: s == t and e < f,
    AllenRelation.DURING: lambda s, e, t, f: t < s and e < f,
    AllenRelation.FINISHES: lambda s, e, t, f: t < s and e == f,
    AllenRelation.EQUALS: lambda s, e, t, f: s == t and e == f,
}


def half_open(interval):
    start, end = bounds(interval)
    return start, end + 1


def relations_by_definition(a, b):
    there, back = (*half_open(a), *half_open(b)), (*half_open(b), *half_open(a))
    forward = {relation for relation, holds in DEFINITIONS.items() if holds(*there)}
    return forward | {relation.converse for relation, holds in DEFINITIONS.items() if holds(*back)}


@pytest.mark.parametrize("a", GRID, ids=str)
def test_exactly_one_relation_holds_and_it_is_the_defined_one(a):
    for b in GRID:
        assert relations_by_definition(a, b) == {allen_relation(a, b)}


def test_all_thirteen_occur():
    assert {allen_relation(a, b) for a, b in product(CLOSED, repeat=2)} == set(AllenRelation)


def test_swapping_the_intervals_gives_the_converse():
    for a, b in product(GRID, repeat=2):
        assert allen_relation(b, a) is allen_relation(a, b).converse


def test_the_converse_of_the_converse_is_the_relation():
    assert len(AllenRelation) == 13
    assert all(relation.converse.converse is relation for relation in AllenRelation)
    assert [relation for relation in AllenRelation if relation.converse is relation] == [AllenRelation.EQUALS]


@pytest.mark.parametrize("b", GRID, ids=str)
def test_a_whole_corpus_at_once_is_each_pair_alone(b):
    starts, ends = (np.array(side) for side in zip(*map(bounds, GRID), strict=True))
    found = allen_relations(starts, ends, b)
    assert found.dtype == np.uint8
    assert [list(AllenRelation)[index] for index in found] == [allen_relation(a, b) for a in GRID]


def test_an_open_side_is_infinitely_far_away():
    assert bounds(TimeInterval()) == (-math.inf, math.inf)
    assert allen_relation(TimeInterval(3, None), TimeInterval(0, None)) is AllenRelation.FINISHES
    assert allen_relation(TimeInterval(None, 3), TimeInterval(None, 3)) is AllenRelation.EQUALS
    assert allen_relation(TimeInterval(None, 3), TimeInterval(4, None)) is AllenRelation.MEETS
    assert allen_relation(TimeInterval(), TimeInterval(4, 9)) is AllenRelation.CONTAINS


def test_no_documents_have_no_relations():
    assert allen_relations(np.array([]), np.array([]), TimeInterval(0, 1)).shape == (0,)
