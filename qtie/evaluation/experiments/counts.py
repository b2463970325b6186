"""What the data sets hold: Q-TIE's Table 10."""

from qtie.evaluation.experiments.experiment import Experiment, Presentation, Results, Scope
from qtie.evaluation.tables import Column, Table

__all__ = ["DATASETS"]


def _present(scope: Scope, results: Results) -> Presentation:
    rows = []
    for name in scope.datasets:
        survey = scope.surveys[name]
        counts = survey.counts
        known = [right for right in survey.right if right is not None]
        rows.append(
            {
                "data set": name,
                "documents": counts["documents"],
                "dated": 100 * counts["dated_share"],
                "queries": counts["queries"],
                "simple": counts["subsets"].get("simple", 0),
                "complex": counts["subsets"].get("complex", 0),
                "relevant": counts["relevant_per_query"],
                "candidates": counts["candidates_per_query"],
                "interval known": 100 * counts["interval_share"],
                "read rightly": 100 * sum(known) / len(known) if known else None,
                "sample": scope.sample(name),
            }
        )
    digits = {"relevant": 2}
    columns = [Column(name=name, digits=digits.get(name, 1)) for name in rows[0]]
    note = (
        "`dated`: documents that come with a time, in %; `relevant`: per query; `candidates`: per query, where not all "
        "documents are ranked; `interval known`: queries whose asked time the data states, in %, and of those the "
        "share read rightly; `sample`: queries drawn where a corpus is large."
    )
    return Presentation(tables=[Table(name="datasets", title="Data sets", columns=columns, rows=rows, note=note)])


DATASETS = Experiment(name="datasets", title="The data sets", cells=lambda scope: [], present=_present)
