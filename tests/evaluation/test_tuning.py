from pathlib import Path

import numpy as np
import pytest

from qtie.config import Config, DocumentOptions, RankingOptions
from qtie.errors import ConfigError, EvaluationError
from qtie.evaluation.datasets import load_sample
from qtie.evaluation.tuning import Setting, tune, write_setting
from qtie.retrieval.bm25 import Bm25Retriever
from qtie.tie.grammar import GrammarExtractor

SETTING = Setting(temporal_weight=0.7, kernel="gap", normalization="bm25", missing="estimate", dense_weight=0.5)


@pytest.fixture(scope="module")
def sample() -> dict[str, object]:
    dataset = load_sample()
    extract = GrammarExtractor().extract
    intents = {q.query_id: extract(q.text, reference_date=q.reference_date) for q in dataset.queries}
    return {"dataset": dataset, "retriever": Bm25Retriever(dataset.documents), "intents": intents}


def test_a_bad_setting_is_improved_on_queries_that_it_was_not_chosen_on(sample: dict[str, object]) -> None:
    config = Config(ranking=RankingOptions(temporal_weight=0.05), documents=DocumentOptions(missing="penalize"))
    found = tune(**sample, config=config)  # type: ignore[arg-type]
    assert (found.in_force.temporal_weight, found.in_force.missing) == (0.05, "penalize")
    low, high = found.interval()
    assert 0.02 < low < found.gain < high
    assert found.best.temporal_weight > 0.2
    assert np.bincount(found.folds).tolist() == [len(found.folds) // 5] * 5
    rows = found.table().rows
    assert [row["fold"] for row in rows] == ["1", "2", "3", "4", "5", "all"]
    assert rows[-1]["gain"] == pytest.approx(100 * found.gain)
    sizes = [row["queries"] for row in rows[:-1]]
    assert np.average([row["gain"] for row in rows[:-1]], weights=sizes) == pytest.approx(100 * found.gain)


def test_the_same_seed_finds_the_same(sample: dict[str, object]) -> None:
    one, two = (tune(**sample, config=Config(), n_folds=3, seed=4) for _ in range(2))  # type: ignore[arg-type]
    assert (one.best, one.chosen, one.gain) == (two.best, two.chosen, two.gain)
    assert (one.after.mean() - one.before.mean()) < 0.05  # the defaults are not far from the best


def test_refusals(sample: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match="n_folds"):
        tune(**sample, config=Config(), n_folds=1)  # type: ignore[arg-type]
    with pytest.raises(EvaluationError, match="unknown measure"):
        tune(**sample, config=Config(), measure="MAP")  # type: ignore[arg-type]
    plain = {query_id: GrammarExtractor().extract("apples") for query_id in sample["intents"]}  # type: ignore[attr-defined]
    with pytest.raises(EvaluationError, match="0 judged queries ask for a time"):
        tune(**{**sample, "intents": plain}, config=Config())  # type: ignore[arg-type]


class TestWriting:
    def test_a_new_file_is_read_back(self, tmp_path: Path) -> None:
        path = tmp_path / "qtie.toml"
        write_setting(SETTING, path)
        config = Config.load(path)
        assert (config.ranking.temporal_weight, config.ranking.kernel, config.ranking.normalization) == (
            0.7,
            "gap",
            "bm25",
        )
        assert (config.documents.missing, config.retrieval.dense_weight) == ("estimate", 0.5)
        assert [file.name for file in tmp_path.iterdir()] == ["qtie.toml"]

    def test_all_else_stays(self, tmp_path: Path) -> None:
        path = tmp_path / "qtie.toml"
        path.write_text('# mine\n[documents]\ntime_keys = ["when"]  # ours\n\n[ranking]\nmode = "strict"\n')
        write_setting(SETTING, path)
        text = path.read_text()
        assert "# mine" in text
        assert 'time_keys = ["when"]  # ours' in text
        assert Config.load(path).ranking.mode == "strict"

    def test_another_value_is_refused_unless_told(self, tmp_path: Path) -> None:
        path = tmp_path / "qtie.toml"
        before = "[ranking]\ntemporal_weight = 0.2\n"
        path.write_text(before)
        with pytest.raises(ConfigError, match=r"temporal_weight is 0\.2 already"):
            write_setting(SETTING, path)
        assert path.read_text() == before
        write_setting(SETTING, path, overwrite=True)
        assert Config.load(path).ranking.temporal_weight == 0.7

    @pytest.mark.parametrize("text", ["[ranking", "[ranking]\nweight = 1\n"])
    def test_a_faulty_file_is_refused(self, tmp_path: Path, text: str) -> None:
        path = tmp_path / "qtie.toml"
        path.write_text(text)
        with pytest.raises(ConfigError, match=r"qtie\.toml"):
            write_setting(SETTING, path, overwrite=True)
        assert path.read_text() == text
        with pytest.raises(ConfigError, match="cannot be written"):
            write_setting(SETTING, path / "below")
