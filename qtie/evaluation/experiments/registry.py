"""The table of experiments."""

from collections.abc import Sequence

from qtie.errors import ConfigError
from qtie.evaluation.experiments.ablation import ABLATION
from qtie.evaluation.experiments.counts import DATASETS
from qtie.evaluation.experiments.depth import DEPTH
from qtie.evaluation.experiments.experiment import Experiment
from qtie.evaluation.experiments.failures import FAILURES
from qtie.evaluation.experiments.fusion import FUSION
from qtie.evaluation.experiments.intent_errors import TIE_TIR
from qtie.evaluation.experiments.latency import LATENCY
from qtie.evaluation.experiments.mixed import MIXED
from qtie.evaluation.experiments.noisy_time import NOISY_TIME
from qtie.evaluation.experiments.overall import BY_TYPE, OVERALL
from qtie.evaluation.experiments.significance import SIGNIFICANCE

__all__ = ["EXPERIMENTS", "chosen_experiments"]

EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment
    for experiment in (
        *(OVERALL, BY_TYPE, SIGNIFICANCE, ABLATION, FUSION, DEPTH, NOISY_TIME, MIXED, TIE_TIR, LATENCY, FAILURES),
        DATASETS,
    )
}
"""The experiments by name, in the order in which they are shown."""


def chosen_experiments(names: Sequence[str]) -> list[Experiment]:
    """The experiments of those names, in the table's order; `all` stands for every one.

    Raises:
        ConfigError: no such experiment.

    Example:
        >>> [experiment.name for experiment in chosen_experiments(["by-type", "overall"])]
        ['overall', 'by-type']
    """
    for name in names:
        if name != "all" and name not in EXPERIMENTS:
            raise ConfigError(f"unknown experiment {name!r}; one of {', '.join(EXPERIMENTS)}, all")
    return [experiment for name, experiment in EXPERIMENTS.items() if name in names or "all" in names]
