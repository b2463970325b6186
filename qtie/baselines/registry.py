"""The table of rankers."""

from collections.abc import Callable
from functools import partial
from inspect import signature
from typing import Any

from qtie.baselines.hard_filter import HardFilter
from qtie.baselines.mrag import Mrag
from qtie.baselines.neural import NEURAL_RANKERS
from qtie.baselines.ranker import Ranker
from qtie.baselines.reading import read_intent
from qtie.baselines.recency import Recency
from qtie.baselines.reference import SemanticOrder, Temporal
from qtie.baselines.tempralm import TempRalm
from qtie.baselines.timer4 import TimeR4
from qtie.errors import ConfigError
from qtie.reranker import TemporalReranker

__all__ = ["RANKERS", "make_ranker"]


def _temporal(*, strip: bool | None = None, **options: Any) -> Ranker:
    return Temporal(TemporalReranker(**options), strip=strip)


RANKERS: dict[str, Callable[..., Ranker]] = {
    "none": SemanticOrder,
    "qtie": _temporal,
    "sum": partial(_temporal, fusion="weighted_sum", temporal_weight=0.5),
    "rrf": partial(_temporal, fusion="reciprocal_rank"),
    "berberich": partial(_temporal, kernel="berberich", temporal_weight=0.2, missing="drop"),
    "temps": partial(_temporal, kernel="gaussian_kl", fusion="weighted_sum"),
    "filter": HardFilter,
    "recency": Recency,
    "tempralm": TempRalm,
    "tempralm+intent": partial(TempRalm, read=read_intent, least_days=182.0),
    "mrag": Mrag,
    "mrag+intent": partial(Mrag, read=read_intent),
    "timer4-2024": partial(TimeR4, form="2024"),
    "timer4-2024+intent": partial(TimeR4, form="2024", read=read_intent),
    "timer4-2025": partial(TimeR4, form="2025"),
    "timer4-2025+intent": partial(TimeR4, form="2025", read=read_intent),
}
"""The rankers by name, `+intent` where a published one is fed with our intent; `make_ranker` makes them."""


def make_ranker(name: str, **options: object) -> Ranker:
    """The ranker of that name.

    Args:
        name: one of `RANKERS`, or one of `NEURAL_RANKERS`, a colon and a model: `cross-encoder:BAAI/bge-reranker-base`.
        options: what that ranker takes beside its name's own settings.

    Raises:
        ConfigError: no such ranker, or an option that it does not take.
        MissingExtraError: what a neural ranker needs is not installed.

    Example:
        >>> type(make_ranker("tempralm", least_days=30.0)).__name__
        'TempRalm'
    """
    kind, colon, model = name.partition(":")
    if model and kind in NEURAL_RANKERS:
        make: Callable[..., Ranker] = partial(NEURAL_RANKERS[kind], model)
    elif not colon and name in RANKERS:
        make = RANKERS[name]
    else:
        choices = ", ".join([*RANKERS, *(f"{kind}:MODEL" for kind in NEURAL_RANKERS)])
        raise ConfigError(f"unknown ranker {name!r}; one of {choices}")
    try:
        signature(make).bind(**options)
        return make(**options)
    except TypeError as error:
        raise ConfigError(f"ranker {name!r}: {error}") from error
