"""The grid: its measures, its top ranks, its processes, and what it finds again."""

import operator
import os
from pathlib import Path

import numpy as np
import pytest

from qtie.baselines.ranker import Question
from qtie.document import Document
from qtie.errors import ConfigError, EvaluationError, QtieError
from qtie.evaluation.datasets import load_sample
from qtie.evaluation.grid.bench import DEPTH, Bench, sampled
from qtie.evaluation.grid.cell import Cell
from qtie.evaluation.grid.judgements import MEASURES, Judgements
from qtie.evaluation.grid.processes import Failure, Job, failure, finished
from qtie.evaluation.grid.run import Grid, Setting
from qtie.evaluation.grid.semantic_scores import SemanticScores, retriever_parts
from qtie.evaluation.grid.store import OutcomeStore, write_whole
from qtie.evaluation.measures import evaluate
from qtie.reranker import TemporalReranker
from qtie.retrieval.bm25 import Bm25Retriever
from qtie.retrieval.search import TemporalSearcher
from qtie.tie.grammar import GrammarExtractor

SAMPLE = Cell(dataset="sample", retriever="bm25", ranker="qtie")


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def bench(cache: Path) -> Bench:
    return Bench(load_sample(), extractor=GrammarExtractor(), cache=cache)


def setting(cache: Path, **changes: int) -> Setting:
    return Setting(data_dir=Path(), cache=cache, **changes)


class TestJudgements:
    @pytest.mark.parametrize("seed", range(10))
    def test_agree_with_ir_measures(self, seed: int) -> None:
        random = np.random.default_rng(seed)
        doc_ids, query_ids = [f"d{n}" for n in range(30)], [f"q{n}" for n in range(15)]
        qrels = {
            q: {d: int(random.integers(0, 4)) for d in random.choice(doc_ids, 9, replace=False)} for q in query_ids
        }
        qrels["q0"] = {"d1": 0}  # nothing relevant: counts 0
        lengths = random.integers(0, 21, len(query_ids))
        top = np.full((len(query_ids), 20), -1)
        for row, length in enumerate(lengths):
            top[row, :length] = random.choice(30, length, replace=False)
        run = {
            q: {doc_ids[d]: float(-rank) for rank, d in enumerate(ranks) if d >= 0}
            for q, ranks in zip(query_ids, top, strict=True)
        }
        expected = evaluate(qrels, run, MEASURES).per_query
        found = Judgements(qrels, query_ids, doc_ids).measures(top)
        for name in MEASURES:
            assert found[name] == pytest.approx([expected[name][q] for q in query_ids], abs=1e-9), name

    @pytest.mark.parametrize("name", ["MAP", "P", "P@", "RR@x", "nDCG@-1", ""])
    def test_unknown_measures(self, name: str) -> None:
        with pytest.raises(EvaluationError, match="unknown measure"):
            Judgements({"q": {"a": 1}}, ["q"], ["a"]).measures(np.array([[0]]), [name])


class TestSample:
    def test_a_smaller_sample_is_part_of_a_larger_one(self) -> None:
        small, large = sampled(100, 10, 3), sampled(100, 40, 3)
        assert set(small) < set(large)
        assert sorted(small) == small.tolist()
        assert sampled(100, 100, 3).tolist() == list(range(100))


class TestBench:
    def test_ranks_as_the_searcher_does(self, bench: Bench) -> None:
        outcome = bench.outcome(SAMPLE)
        dataset = bench.dataset
        reranker = TemporalReranker(GrammarExtractor())
        searcher = TemporalSearcher(dataset.documents, Bm25Retriever(dataset.documents), reranker=reranker)
        queries = {query.query_id: query.text for query in dataset.queries}
        days = {query.query_id: query.reference_date for query in dataset.queries}
        run = dict(searcher.run(queries, k=10, reference_dates=days))
        for query, top in zip(dataset.queries, outcome.top, strict=True):
            assert [dataset.documents[d].doc_id for d in top[:10]] == list(run[query.query_id]), query.text
        assert outcome.mean("P@1") > 0.9
        assert outcome.top.shape == (len(queries), DEPTH)

    def test_candidates_by_depth(self, bench: Bench) -> None:
        outcome = bench.outcome(Cell(dataset="sample", retriever="bm25", ranker="qtie", depth=5))
        assert ((outcome.top >= 0).sum(axis=1) == 5).all()
        assert 0 < outcome.mean("R@depth") < 1
        assert outcome.mean("R@5") == pytest.approx(outcome.mean("R@depth"))

    def test_atemporal_queries_keep_the_retriever_s_order(self, bench: Bench) -> None:
        bare, alone = (
            bench.outcome(Cell(dataset="sample", retriever="bm25", ranker=ranker, queries="atemporal"))
            for ranker in ("qtie", "none")
        )
        asked = bench.outcome(SAMPLE)
        takes_part = ~np.isnan(bare.measures["P@1"])
        assert 0.5 < takes_part.mean() < 1
        assert (bare.top[takes_part] == alone.top[takes_part]).all()
        assert not (bare.top == asked.top).all()

    @pytest.mark.parametrize(
        "changes",
        [{"ranker": "none"}, {"times": "dropped:1"}, {"intents": "accuracy:0"}, {"intents": "without:stripping"}],
    )
    def test_what_is_changed_shows(self, bench: Bench, changes: dict[str, str]) -> None:
        changed = bench.outcome(Cell(**{"dataset": "sample", "retriever": "bm25", "ranker": "qtie", **changes}))
        assert changed.mean("nDCG@10") < bench.outcome(SAMPLE).mean("nDCG@10") - 0.02
        bench.forget_times()

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"ranker": "best"}, "unknown ranker"),
            ({"times": "lost"}, "unknown change of times"),
            ({"times": "shifted:far"}, "unknown change of times"),
            ({"intents": "guessed"}, "unknown change of intents"),
            ({"intents": "without:luck"}, "unknown part of an intent"),
            ({"intents": "accuracy:2"}, "accuracy lies in"),
            ({"intents": "predictions:no.jsonl"}, "No such file"),
            ({"options": (("temporal_weight", 7.0),)}, "temporal_weight"),
        ],
    )
    def test_wrong_cells(self, bench: Bench, changes: dict[str, str], message: str) -> None:
        with pytest.raises(QtieError, match=message):
            bench.outcome(Cell(**{"dataset": "sample", "retriever": "bm25", "ranker": "qtie", **changes}))

    def test_questions_carry_text_and_day(self, bench: Bench) -> None:
        query = bench.dataset.queries[0]
        (question,) = bench.questions(SAMPLE, [query])
        assert isinstance(question, Question)
        assert (question.text, question.reference_date) == (query.text, query.reference_date)


class TestSemanticScores:
    def test_are_the_retriever_s_and_are_kept(self, tmp_path: Path) -> None:
        documents = [Document(doc_id=str(n), text=text) for n, text in enumerate(("red apples", "a pear", "a red car"))]
        scores = SemanticScores("bm25", documents, tmp_path).of(["red", "pear", "red"])
        expected = Bm25Retriever(documents).batch_scores(["red", "pear", "red"])
        assert np.allclose(scores, expected, atol=1e-6)
        (kept,) = (tmp_path / "semantic").glob("*.sqlite")
        again = SemanticScores("bm25", documents, tmp_path)
        assert np.allclose(again.of(["pear", "red"]), expected[[1, 0]], atol=1e-6)
        assert "retriever" not in vars(again)
        kept.write_bytes(b"damaged")
        with pytest.raises(EvaluationError, match="delete it"):
            SemanticScores("bm25", documents, tmp_path).of(["red", "pear"])

    @pytest.mark.parametrize("name", ["bm26", "dense", "hybrid:", "bm25:minilm", ""])
    def test_unknown_retrievers(self, name: str) -> None:
        with pytest.raises(ConfigError, match="unknown retriever"):
            retriever_parts(name)


class TestProcesses:
    def test_one_job_leaves_the_others_alone(self) -> None:
        jobs = [
            Job(name="dies", function=os._exit, arguments=(3,)),
            Job(name="fails", function=operator.truediv, arguments=(1, 0)),
            Job(name="refuses", function=retriever_parts, arguments=("bm26",)),
            Job(name="works", function=operator.add, arguments=(1, 2)),
        ]
        found = {job.name: result for job, result in finished(jobs, n_processes=2)}
        assert found["works"] == 3
        assert found["dies"] == Failure("the process ended with status 3")
        assert found["fails"].reason.startswith("ZeroDivisionError: division by zero (")
        assert not found["fails"].expected
        assert found["refuses"].expected

    def test_reasons_are_one_line(self) -> None:
        assert failure(ConfigError("a\nb")) == Failure("a b", expected=True)
        assert failure(ValueError("a\nb")).reason == "ValueError: a b"


class TestGrid:
    def test_computes_once_and_says_what_failed(self, cache: Path) -> None:
        lines: list[str] = []
        cells = [SAMPLE, Cell(dataset="sample", retriever="bm25", ranker="qtie", times="lost")]
        grid = Grid(setting(cache), ["sample"], report=lines.append)
        grid.compute([*cells, SAMPLE])
        assert lines == ["sample: 451 documents, 160 queries", "sample: 2 cells, 1 failed"]
        assert list(grid.failed) == [cells[1]]
        assert "unknown change of times 'lost'" in grid.failed[cells[1]]
        outcome = grid.outcome(SAMPLE)
        assert outcome is not None
        assert outcome.mean("P@1") > 0.9
        assert grid.outcome(cells[1]) is None
        again = Grid(setting(cache), ["sample"], report=lines.append)
        again.compute([SAMPLE])
        assert len(lines) == 3  # the survey, and nothing to compute
        assert again.failed == {}
        other_seed = Grid(setting(cache, seed=1), ["sample"])
        assert other_seed.outcome(SAMPLE) is None

    def test_survey(self, cache: Path) -> None:
        survey = Grid(setting(cache), ["sample"]).surveys["sample"]
        assert survey.counts["documents"] == len(survey.doc_ids) == 451
        assert sum(right is True for right in survey.right) > 130

    def test_a_missing_data_set_is_one_line(self, cache: Path) -> None:
        with pytest.raises(EvaluationError, match="no folder"):
            Grid(setting(cache), ["sample", "timeqa"])


class TestStore:
    def test_damaged_results(self, tmp_path: Path) -> None:
        (tmp_path / "key.npz").write_bytes(b"no zip")
        with pytest.raises(EvaluationError, match="damaged result"):
            OutcomeStore(tmp_path).read("key")

    def test_files_are_whole_or_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(ZeroDivisionError):
            write_whole(tmp_path / "file", lambda file: file.write(b"half" * (1 // 0)))
        assert list(tmp_path.iterdir()) == []

    def test_equal_cells_have_equal_keys(self) -> None:
        surroundings = {"data": "a", "code": "b"}
        same = Cell(dataset="sample", retriever="bm25", ranker="qtie")
        assert SAMPLE.key(surroundings) == same.key(dict(reversed(surroundings.items())))
        assert SAMPLE.key(surroundings) != SAMPLE.key({"data": "a", "code": "c"})
        assert SAMPLE.condition == {}
