"""Where a ranker stands among all others: first, or behind which and by how much."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["Standing", "standings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One ranker's place by one measure on the same queries and retriever; values in percent, as shown."""

    dataset: str
    subset: str
    retriever: str
    measure: str
    n_queries: int
    value: float
    """The ranker's own, in percent, rounded to one digit: what a reader cannot see decides nothing."""
    place: int
    """1 + how many rankers have a higher value."""
    rival: str
    """The best of the others; of equal ones the first by name."""
    rival_value: float

    @property
    def lead(self) -> float:
        """Points ahead of the rival, negative behind it."""
        return round(self.value - self.rival_value, 1)

    @property
    def standing(self) -> str:
        """`first`, `shared` where another is as good, or `behind`."""
        return "behind" if self.place > 1 else "shared" if self.lead == 0 else "first"


def standings(cells: Iterable[Mapping[str, Any]], *, ranker: str = "qtie") -> list[Standing]:
    """The ranker's places in the order of the cells; where it was run alone there is none.

    Args:
        cells: those of one experiment, as `results.json` has them; ones with a `condition` are passed over.
        ranker: whose places.

    Example:
        >>> cell = {"dataset": "d", "subset": "all", "retriever": "bm25", "n_queries": 9, "condition": {}}
        >>> cells = [{**cell, "ranker": name, "measures": {"P@1": p}} for name, p in (("qtie", 0.9), ("none", 0.2))]
        >>> [(found.place, found.rival, found.lead) for found in standings(cells)]
        [(1, 'none', 70.0)]
    """
    values: dict[tuple[str, str, str, str], dict[str, float]] = defaultdict(dict)
    counts: dict[tuple[str, str, str, str], int] = {}
    for cell in cells:
        if cell.get("condition"):
            continue
        for measure, value in cell["measures"].items():
            key = (cell["dataset"], cell["subset"], cell["retriever"], measure)
            counts.setdefault(key, cell["n_queries"])
            if value is not None and value == value:
                values[key][cell["ranker"]] = round(100 * value, 1)
    found = []
    for (dataset, subset, retriever, measure), by_ranker in values.items():
        others = {name: value for name, value in by_ranker.items() if name != ranker}
        if ranker not in by_ranker or not others:
            continue
        value = by_ranker[ranker]
        rival = min(others, key=lambda name: (-others[name], name))
        found.append(
            Standing(
                dataset=dataset,
                subset=subset,
                retriever=retriever,
                measure=measure,
                n_queries=counts[dataset, subset, retriever, measure],
                value=value,
                place=1 + sum(other > value for other in others.values()),
                rival=rival,
                rival_value=others[rival],
            )
        )
    return found
