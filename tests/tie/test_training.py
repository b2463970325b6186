"""Training end to end, a few steps on little data: train, save, load, read; stopped and gone on."""

import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from qtie.retrieval.encoders import minilm_folder
from qtie.tie.dataset.build import build
from qtie.tie.model import ModelExtractor

pytestmark = pytest.mark.skipif(
    find_spec("torch") is None, reason="torch is not installed; `make test-all` installs it and runs this"
)


@pytest.mark.filterwarnings("ignore")
def test_a_trained_file_reads_queries(tmp_path: Path) -> None:
    from qtie.tie.training import Recipe, train

    build(tmp_path / "data", n=400, seed=1)
    recipe = Recipe(n_layers=1, n_frequent_pieces=500, n_broadened=50, n_steps=4, batch_size=8, steps_between_checks=2)
    report = train(tmp_path / "data", tmp_path / "out", base=minilm_folder(), recipe=recipe, progress=lambda _: None)
    assert report["file"]["bytes"] == (tmp_path / "out" / "tie-en.onnx").stat().st_size
    assert json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8"))["recipe"]["n_steps"] == 4
    intent = ModelExtractor(tmp_path / "out" / "tie-en.onnx").extract("reports since 2015")
    assert intent.query == "reports since 2015"
    again = train(tmp_path / "data", tmp_path / "out", base=minilm_folder(), recipe=recipe, progress=lambda _: None)
    assert again["file"]["sha256"] == report["file"]["sha256"]
