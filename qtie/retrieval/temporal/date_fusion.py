"""How a text's embedding and its date's become one vector: the four ways of TempRetriever (arXiv 2502.21024)."""

from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from qtie.errors import ConfigError

__all__ = ["DATE_FUSIONS", "DateFusion", "date_fusion"]


@dataclass(frozen=True, slots=True)
class DateFusion:
    """One way, for NumPy arrays and PyTorch tensors alike."""

    join: Callable[[Any, Any, ModuleType], Any]
    """From text and date vectors, both (n, n_dimensions), and the module that they are of."""
    no_date: float
    """What each dimension of a date vector is where there is no date: it leaves the direction of the text as it is."""


DATE_FUSIONS = {
    "concatenation": DateFusion(lambda text, date, xp: xp.concatenate((text, date), axis=-1), 0.0),
    "sum": DateFusion(lambda text, date, xp: text + date, 0.0),
    "difference": DateFusion(lambda text, date, xp: text - date, 0.0),
    "product": DateFusion(lambda text, date, xp: text * date, 1.0),
}
"""By name. With concatenation, which the paper finds best, a score is the mean of the texts' and the dates' cosine."""


def date_fusion(name: str) -> DateFusion:
    """The fusion of that name.

    Raises:
        ConfigError: there is none.

    Example:
        >>> import numpy as np
        >>> date_fusion("concatenation").join(np.ones((1, 2)), np.zeros((1, 2)), np)
        array([[1., 1., 0., 0.]])
    """
    if name not in DATE_FUSIONS:
        raise ConfigError(f"unknown date fusion {name!r}; one of {', '.join(DATE_FUSIONS)}")
    return DATE_FUSIONS[name]
