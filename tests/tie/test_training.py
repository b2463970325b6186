"""Training end to end, a few steps on little data: train, save, load, read; stopped and gone on; on own queries."""

import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from qtie.errors import ConfigError
from qtie.retrieval.encoders import minilm_folder
from qtie.tie.dataset.build import build
from qtie.tie.model import ModelExtractor

pytestmark = [
    pytest.mark.skipif(
        find_spec("torch") is None, reason="torch is not installed; `make test-all` installs it and runs this"
    ),
    pytest.mark.filterwarnings("ignore"),
]
OWN = [
    {"query": "skips hired afore 2010", "reference_date": "2024-06-15", "intervals": ["../2009-12-31"]},
    {"query": "depot 2010", "reference_date": "2024-06-15", "intervals": []},
    {"query": "skips hired afore 2010", "reference_date": "2024-06-15", "intervals": ["1812-01-01/1813-02-03"]},
]


def quiet(line: str) -> None:
    """No progress."""


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with data and, in `out`, a small network trained on it."""
    from qtie.tie.training import Recipe, train

    folder = tmp_path_factory.mktemp("training")
    build(folder / "data", n=400, seed=1)
    recipe = Recipe(n_layers=1, n_frequent_pieces=500, n_broadened=50, n_steps=4, batch_size=8, steps_between_checks=2)
    for name in ("first.json", "second.json"):
        train(folder / "data", folder / "out", base=minilm_folder(), recipe=recipe, progress=quiet)
        (folder / name).write_text((folder / "out" / "report.json").read_text(encoding="utf-8"), encoding="utf-8")
    return folder


def report_in(folder: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    return found


def test_a_trained_file_reads_queries(trained: Path) -> None:
    report = report_in(trained / "out")
    assert report["file"]["bytes"] == (trained / "out" / "tie-en.onnx").stat().st_size
    assert report["recipe"]["n_steps"] == 4
    assert ModelExtractor(trained / "out" / "tie-en.onnx").extract("reports since 2015").query == "reports since 2015"


def test_a_finished_run_gives_the_same_file_again(trained: Path) -> None:
    first, second = (json.loads((trained / f"{nth}.json").read_text(encoding="utf-8")) for nth in ("first", "second"))
    assert first["file"] == second["file"]


def test_the_network_comes_back_from_its_file(trained: Path) -> None:
    import numpy as np
    import torch

    from qtie.tie.encoder import TieModel
    from qtie.tie.export import restored

    network, tokenizer = restored(trained / "out" / "tie-en.onnx")
    shipped = TieModel.load(trained / "out" / "tie-en.onnx")
    assert json.loads(tokenizer) == json.loads(shipped.tokenizer.to_str())
    ids = np.random.default_rng(0).integers(3, network.size.n_pieces, (3, 9))
    kinds = np.zeros_like(ids)
    kinds[:, 4] = 5
    with torch.no_grad():
        exact = network.eval()(torch.tensor(ids), torch.tensor(kinds)).numpy()
    alone = np.concatenate([shipped.network(ids[at : at + 1], kinds[at : at + 1]) for at in range(len(ids))])
    assert np.corrcoef(exact.ravel(), alone.ravel())[0, 1] > 0.99
    with pytest.raises(ConfigError, match="not a model that"):
        restored(trained / "out" / "report.json")


def test_a_query_is_read_alone_as_beside_a_longer_one(trained: Path) -> None:
    import torch

    from qtie.tie.export import restored

    network, _ = restored(trained / "out" / "tie-en.onnx")
    ids = torch.arange(3, 21).reshape(2, 9)
    ids[0, 5:] = 0
    kinds = torch.zeros_like(ids)
    with torch.no_grad():
        beside, alone = network.eval()(ids, kinds), network(ids[:1, :5], kinds[:1, :5])
    assert torch.allclose(beside[0, :5], alone[0], atol=1e-5)


def test_the_shipped_file_is_what_is_exported_now(tmp_path: Path) -> None:
    import numpy as np
    import onnx

    from qtie.tie.decoding import Encoded
    from qtie.tie.encoder import WEIGHTS, TieModel, batched_path, shipped_model
    from qtie.tie.export import export, restored

    network, tokenizer = restored(WEIGHTS)
    shipped = shipped_model()
    path = export(
        network, tmp_path / "again.onnx", tokenizer=tokenizer, calibration=shipped.calibration, about={"recipe": {}}
    )
    again, rng = TieModel.load(path), np.random.default_rng(0)
    for n_pieces in (2, 9, 40):
        ids = rng.integers(3, network.size.n_pieces, (1, n_pieces))
        kinds = rng.integers(0, 11, ids.shape)
        assert np.array_equal(again.network(ids, kinds), shipped.network(ids, kinds))
    assert batched_path(path).is_file()
    rows = [[1, *range(at, at + n)] for at in range(3, 30) for n in (2, 9, 40)]
    encoded = [Encoded([], row, [at % 11 for at in row], [(0, 0)] * len(row), []) for row in rows]
    for one, *both in zip(encoded, again.logits(encoded), shipped.logits(encoded), strict=True):
        assert all(np.array_equal(logits, shipped.logits([one])[0]) for logits in both)
    for file in (path, WEIGHTS):  # shapes that are computed at each query take longer than what they are of
        assert [node.op_type for node in onnx.load(file).graph.node].count("Shape") == 1


def test_it_goes_on_with_queries_of_one_s_own(trained: Path) -> None:
    from qtie.tie.training import FINE_TUNING, replace, train

    own = trained / "own.jsonl"
    own.write_text("".join(json.dumps(row) + "\n" for row in OWN), encoding="utf-8")
    recipe = replace(FINE_TUNING, n_steps=2, n_broadened=10, batch_size=8, steps_between_checks=2)
    start = trained / "out" / "tie-en.onnx"
    report = train(
        trained / "data",
        trained / "tuned",
        start=start,
        recipe=recipe,
        also_train=[own],
        also_dev=[own],
        progress=quiet,
    )
    assert report["left_out"] >= 1  # no program says the third one
    assert set(report["both_bounds_exact"]) == {"dev.jsonl", "own.jsonl"}
    assert "tie-en.onnx" in report["data"]


def test_training_starts_from_something(tmp_path: Path) -> None:
    from qtie.tie.training import train

    with pytest.raises(ConfigError, match="neither is given"):
        train(tmp_path, tmp_path / "out", progress=quiet)
