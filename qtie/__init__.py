"""qtie: search that knows when."""

from qtie.allen import AllenRelation, allen_relation
from qtie.errors import QtieError
from qtie.intent import IntentExtractor, IntentOptions, TemporalConstraint, TemporalIntent
from qtie.interval import Granularity, TimeInterval

__all__ = [
    "AllenRelation",
    "Granularity",
    "IntentExtractor",
    "IntentOptions",
    "QtieError",
    "TemporalConstraint",
    "TemporalIntent",
    "TimeInterval",
    "allen_relation",
]
