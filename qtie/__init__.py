"""qtie: search that knows when."""

from qtie.allen import AllenRelation, allen_relation
from qtie.config import Config
from qtie.document import Document, DocumentTime
from qtie.errors import QtieError
from qtie.intent import IntentExtractor, IntentOptions, TemporalConstraint, TemporalIntent
from qtie.interval import Granularity, TimeInterval
from qtie.ranking import RankedDocument, Ranking
from qtie.reranker import TemporalReranker

__all__ = [
    "AllenRelation",
    "Config",
    "Document",
    "DocumentTime",
    "Granularity",
    "IntentExtractor",
    "IntentOptions",
    "QtieError",
    "RankedDocument",
    "Ranking",
    "TemporalConstraint",
    "TemporalIntent",
    "TemporalReranker",
    "TimeInterval",
    "allen_relation",
]
