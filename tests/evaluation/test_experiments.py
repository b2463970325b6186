"""What each experiment shows, on the sample corpus: that its numbers are what they say they are."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from qtie.errors import ConfigError
from qtie.evaluation.experiments.experiment import Experiment, Presentation, Results, Scope
from qtie.evaluation.experiments.latency import LATENCY
from qtie.evaluation.experiments.overall import plain_cell
from qtie.evaluation.experiments.query_records import N_QUERIES, chosen_rows, query_records
from qtie.evaluation.experiments.registry import EXPERIMENTS, chosen_experiments
from qtie.evaluation.experiments.suite import Suite
from qtie.evaluation.experiments.timing import search_times
from qtie.evaluation.grid.cell import Outcome
from qtie.evaluation.grid.run import Grid, Setting
from qtie.tie.extractors import make_extractor

RANKERS = ("none", "filter", "sum", "qtie")
TIMED = ("latency",)  # takes seconds, and is looked at by itself


@pytest.fixture(scope="module")
def scope_and_results(tmp_path_factory: pytest.TempPathFactory) -> tuple[Scope, Results]:
    setting = Setting(data_dir=Path(), cache=tmp_path_factory.mktemp("cache"), n_processes=2)
    grid = Grid(setting, ["sample"])
    scope = Scope(datasets=["sample"], retrievers=["bm25"], rankers=RANKERS, surveys=grid.surveys, n_queries=60)
    grid.compute(
        [cell for name, experiment in EXPERIMENTS.items() if name not in TIMED for cell in experiment.cells(scope)]
    )
    assert grid.failed == {}
    return scope, Results(grid)


@pytest.fixture(scope="module")
def shown(scope_and_results: tuple[Scope, Results]) -> dict[str, Presentation]:
    return {
        name: experiment.present(*scope_and_results) for name, experiment in EXPERIMENTS.items() if name not in TIMED
    }


def rows(shown: dict[str, Presentation], name: str, table: str, **wanted: object) -> list[dict[str, object]]:
    (found,) = [each for each in shown[name].tables if each.name == table]
    return [dict(row) for row in found.rows if all(row.get(key) == value for key, value in wanted.items())]


def test_every_row_has_only_columns_of_its_table(shown: dict[str, Presentation]) -> None:
    for presentation in shown.values():
        assert presentation.tables
        for table in presentation.tables:
            names = {column.name for column in table.columns} | {"group", "dataset", "p"}
            assert table.rows, table.name
            for row in table.rows:
                assert set(row) <= names, table.name


def test_overall_is_the_mean_of_the_queries(
    scope_and_results: tuple[Scope, Results], shown: dict[str, Presentation]
) -> None:
    scope, results = scope_and_results
    outcome = results.of(plain_cell(scope, "sample", "bm25", "qtie"))
    assert outcome is not None
    (row,) = rows(shown, "overall", "overall-sample", ranker="qtie")
    assert row["P@1"] == pytest.approx(100 * outcome.measures["P@1"].mean())
    parts = [
        rows(shown, "overall", f"overall-sample-{name}", ranker="qtie")[0]["P@1"] for name in ("simple", "complex")
    ]
    assert min(parts) <= row["P@1"]  # type: ignore[type-var, operator]


def test_mixtures_are_weighted_means(shown: dict[str, Presentation]) -> None:
    for row in rows(shown, "mixed", "mixed-sample"):
        assert row["50 %"] == pytest.approx((row["100 %"] + row["0 %"]) / 2)  # type: ignore[operator]


def test_only_what_is_read_as_temporal_moves(scope_and_results: tuple[Scope, Results]) -> None:
    scope, results = scope_and_results
    bare, alone = (
        results.of(replace(plain_cell(scope, "sample", "bm25", ranker), queries="atemporal", n_queries=60))
        for ranker in ("qtie", "none")
    )
    assert bare is not None
    assert alone is not None
    moved = ~np.isnan(bare.measures["P@1"]) & (bare.top != alone.top).any(axis=1)
    intents = scope.surveys["sample"].intents
    stripped = [intents[position].semantic_query for position in bare.queries[moved]]
    assert len(stripped) <= 2  # "law in force" still asks for a time
    assert all(make_extractor().extract(text).is_temporal for text in stripped)


def test_gain_kept_is_all_of_it_with_given_times_and_none_without(shown: dict[str, Presentation]) -> None:
    def kept(times: str) -> float:
        (row,) = rows(shown, "noisy-time", "noisy-time-sample", ranker="qtie", times=times)
        return float(row["gain kept"])  # type: ignore[arg-type]

    assert kept("as the data set has them") == pytest.approx(100)
    assert kept("none") < 20 < kept("half without") < kept("a quarter without") < 100
    assert kept("moved by up to 5 years") < kept("moved by up to 1 year")


def test_accuracy_of_intents_is_what_was_asked_for(shown: dict[str, Presentation]) -> None:
    found = rows(shown, "tie-tir", "tie-tir-sample", ranker="qtie")
    for row in found:
        assert row["right"] == pytest.approx(float(str(row["asked for"]).removesuffix(" %")), abs=1.5)
    values = [row["nDCG@10"] for row in found]
    assert values == sorted(values, reverse=True)  # type: ignore[type-var]


def test_deeper_candidates_lose_less(shown: dict[str, Presentation]) -> None:
    found = rows(shown, "depth", "depth-sample", ranker="qtie")
    recalls = [row["candidates' recall"] for row in found]
    assert recalls == sorted(recalls)  # type: ignore[type-var]
    assert recalls[-1] == 100
    assert found[0]["nDCG@10"] < found[-1]["nDCG@10"]  # type: ignore[operator]


def test_weight_0_is_the_semantic_order_for_every_fusion(shown: dict[str, Presentation]) -> None:
    found = [row["0"] for row in rows(shown, "fusion", "fusion-sample") if "0" in row]
    assert len(found) == 3
    assert len(set(found)) == 1


def test_ablation_changes_are_differences(shown: dict[str, Presentation]) -> None:
    found = rows(shown, "ablation", "ablation-sample")
    full = found[0]["nDCG@10"]
    for row in found:
        assert row["Δ nDCG@10"] == pytest.approx(row["nDCG@10"] - full)  # type: ignore[operator]
    assert found[-1]["Δ nDCG@10"] < -20  # type: ignore[operator]


def test_failures_count_every_query_once(shown: dict[str, Presentation]) -> None:
    assert sum(int(row["queries"]) for row in rows(shown, "failures", "failures")) == 160  # type: ignore[call-overload]
    cases = shown["failures"].records["failure_cases"]
    assert all(case["RR"] < 1 for case in cases)


def test_significance_counts_add_up(shown: dict[str, Presentation]) -> None:
    for row in rows(shown, "significance", "significance"):
        assert row["comparisons"] == sum(int(row[n]) for n in ("ours better", "no difference", "ours worse"))  # type: ignore[call-overload]
    (found,) = rows(shown, "significance", "significance-sample", ranker="none", measure="P@1")
    assert found["verdict"] == "ours better"
    assert found["from"] < found["difference"] < found["to"]  # type: ignore[operator]
    assert found["test"] == "mcnemar"


def test_latency_says_what_is_added() -> None:
    (row,) = search_times(1_000, None, 0)
    assert row["retriever"] == "bm25"
    assert row["added"] == pytest.approx(row["reading"] + row["scoring"])
    assert row["added %"] == pytest.approx(100 * row["added"] / row["retrieval"])
    assert 0 < row["scoring"] < 20
    assert row["beside"] is None
    assert LATENCY.name == "latency"


class TestQueryRecords:
    def outcome(self, values: list[float]) -> Outcome:
        n = len(values)
        return Outcome(
            queries=np.arange(n), measures={"P@1": np.array(values)}, top=np.zeros((n, 1), dtype=np.int32),
            scores=np.zeros((n, 1), dtype=np.float32),
        )  # fmt: skip

    def test_rare_kinds_are_all_there(self) -> None:
        before, after = self.outcome([0.0] * 300 + [1.0] * 5), self.outcome([1.0] * 297 + [0.0] * 5 + [1.0] * 3)
        chosen = chosen_rows(before, after)
        assert len(chosen) == N_QUERIES
        assert chosen == sorted(set(chosen))
        assert set(range(297, 305)) <= set(chosen)
        assert len(chosen_rows(self.outcome([1.0, 0.0]), self.outcome([1.0, 1.0]))) == 2

    def test_rows_say_why(self, scope_and_results: tuple[Scope, Results]) -> None:
        scope, results = scope_and_results
        cells = [plain_cell(scope, "sample", "bm25", ranker) for ranker in ("none", "qtie")]
        outcomes = [outcome for outcome in map(results.of, cells) if outcome is not None]
        (record,) = query_records(results.grid.setting, scope.surveys["sample"], cells, outcomes, [0])
        assert record["query_id"] == "q001"
        assert record["gold_interval"] == "2012-01-01/2012-12-31"
        assert record["measures"]["qtie"]["P@1"] == 1.0
        first = record["rankings"]["qtie"][0]
        assert first["relevant"]
        assert first["temporal_score"] > 0.9
        before = [row["rank_before"] for row in record["rankings"]["none"]]
        assert before == list(range(1, 11))


class TestSuite:
    def test_a_crash_leaves_the_others(self, scope_and_results: tuple[Scope, Results], tmp_path: Path) -> None:
        scope, results = scope_and_results

        def crash(scope: Scope, results: Results) -> Presentation:
            raise ZeroDivisionError("lost")

        crashing = Experiment(name="crashing", title="", cells=lambda scope: [], present=crash)
        suite = Suite(experiments=[crashing, EXPERIMENTS["datasets"]], scope=scope, grid=results.grid)
        suite.run()
        assert suite.failed["crashing"].startswith("ZeroDivisionError: lost")
        suite.write(tmp_path, about={}, browsed=[])
        assert (tmp_path / "tables" / "datasets.md").is_file()
        assert "ZeroDivisionError" in (tmp_path / "results.json").read_text()

    def test_names(self) -> None:
        assert chosen_experiments(["all"]) == list(EXPERIMENTS.values())
        with pytest.raises(ConfigError, match="unknown experiment"):
            chosen_experiments(["overall", "al"])

    def test_large_corpora_are_sampled(self, scope_and_results: tuple[Scope, Results]) -> None:
        scope, _ = scope_and_results
        assert (scope.sample("sample"), scope.sample("sample", sweep=True)) == (None, 60)
        survey = scope.surveys["sample"]
        large = replace(scope, surveys={"sample": replace(survey, doc_ids=survey.doc_ids * 12)})
        assert (large.sample("sample"), large.sample("sample", sweep=True)) == (60, 12)

    def test_what_is_too_large_to_embed_is_left_to_bm25(self, scope_and_results: tuple[Scope, Results]) -> None:
        scope = replace(scope_and_results[0], retrievers=["bm25", "minilm", "hybrid"])
        assert scope.retrievers_of("sample") == ["bm25", "minilm", "hybrid"]
        small = replace(scope, most_embedded=450)
        assert list(small.pairs()) == [("sample", "bm25")]
        assert small.plotted_retriever("sample") == "bm25"
        with pytest.raises(ConfigError, match="more than 450 documents to embed"):
            replace(small, retrievers=["minilm"])
