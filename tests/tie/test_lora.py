"""Tuning end to end on a tiny random Qwen3: train, save, load, read; killed and gone on."""

import json
import os
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest
from tiny_models import tiny_model

from qtie.errors import ConfigError
from qtie.llm.chat import ChatOptions
from qtie.tie.labelled import read_labelled_queries, split_by_subject
from qtie.tie.prompt import intent_prompt

pytestmark = [
    pytest.mark.skipif(
        not all(map(find_spec, ("torch", "transformers", "peft"))),
        reason="peft is not installed; `make test-all` installs it and runs this",
    ),
    pytest.mark.filterwarnings("ignore"),
]
SMALL = {"n_epochs": 2, "batch_size": 4, "n_held_out": 3, "checks": (2,), "steps_between_saves": 1}


@pytest.fixture(scope="module")
def base(tmp_path_factory) -> Path:
    return tiny_model(tmp_path_factory.mktemp("base"))


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("data") / "queries.jsonl"
    years = range(1990, 2010)
    rows = [{"query": f"who won in {y}?", "start": f"{y}-01", "end": f"{y}-12", "subject": str(y % 7)} for y in years]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


def trained(data: Path, out: Path, base: Path, **recipe: object) -> dict:
    from qtie.tie.lora import LoraRecipe, train_lora

    split = split_by_subject(read_labelled_queries(data))
    return train_lora(split, out, base=base, recipe=LoraRecipe(**SMALL | recipe), progress=lambda _: None)


def test_trained_saved_loaded_and_read(data, base, tmp_path):
    from qtie.llm.transformers import TransformersChat
    from qtie.tie.lora import LoraRecipe

    report = trained(data, tmp_path, base, n_epochs=30, learning_rate=3e-2)
    assert report == json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert report["recipe"]["rank"] == LoraRecipe().rank == 8
    assert len(report["losses"]) == 30 * -(-report["n_train"] // 4) == report["accuracy"][-1]["step"]
    assert sum(report["losses"][-4:]) < 0.7 * sum(report["losses"][:4])
    assert [row["step"] for row in report["accuracy"]] == [2, len(report["losses"])]
    assert "| 2 |" in (tmp_path / "README.md").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in (tmp_path / "step-2" / "predictions.jsonl").read_text().splitlines()]
    assert len(rows) == 3
    prompt, options = intent_prompt("who won in 1999?"), ChatOptions(max_tokens=16)
    answers = {
        adapter: TransformersChat(base, adapter=adapter, template=False).complete(prompt, options)
        for adapter in (None, tmp_path / "step-2", tmp_path)
    }
    assert answers[tmp_path].startswith(" ")  # as every training answer
    assert len(set(answers.values())) == 3


def test_the_loss_is_that_of_whole_texts(base):
    """What the texts begin with goes through the network once; the mean over all their tokens stays the same."""
    import torch

    from qtie.llm.transformers import CausalLm
    from qtie.tie.labelled import LabelledQuery
    from qtie.tie.lora import _encoded, _n_targets, _summed_loss
    from qtie.tie.prompt import answer_text, training_text
    from qtie.tie.tuning_task import IntentTask

    lm = CausalLm.load(base)
    lm.network.float()
    bounds = [("1990-01", "1990-12"), (None, "2001-05")]
    queries = [
        LabelledQuery(query_id=str(at), query=f"who{' ever' * at}?", subject="", bounds=each)
        for at, each in enumerate(bounds)
    ]
    batch = _encoded(IntentTask(granularity="month", dated=0.0, seed=0).texts(queries), lm.tokenizer)
    expected = {False: [], True: []}
    for query, example in zip(queries, batch, strict=True):
        text = training_text(query.query, query.bounds) + lm.tokenizer.eos_token
        assert example.ids == lm.tokenizer(text)["input_ids"]
        ids = torch.tensor([example.ids])
        losses = torch.nn.functional.cross_entropy(lm.network(ids).logits[0, :-1], ids[0, 1:], reduction="none")
        expected[False].append(losses)
        expected[True].append(losses[-len(f" {answer_text(query.bounds)}") - 1 :])
    for response_only, losses in expected.items():
        found = _summed_loss(lm.network, batch, response_only=response_only)
        assert float(found.detach()) == pytest.approx(float(torch.cat(losses).sum()), rel=1e-5)
        n_targets = sum(_n_targets(example, response_only=response_only) for example in batch)
        assert n_targets == len(torch.cat(losses))


def test_a_killed_run_goes_on_to_the_same_adapter(data, base, tmp_path):
    whole = trained(data, tmp_path / "whole", base)
    code = "import sys; from pathlib import Path; from test_lora import trained;trained(*map(Path, sys.argv[1:]))"
    cut = tmp_path / "cut"
    command = [sys.executable, "-W", "ignore", "-c", code, str(data), str(cut), str(base)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    until = time.monotonic() + 240
    while not (cut / "checkpoint.pt").exists() and process.poll() is None and time.monotonic() < until:
        time.sleep(0.01)
    process.kill()
    process.wait()
    assert (cut / "checkpoint.pt").exists()
    assert not (cut / "report.json").exists(), "it ended before it was killed"
    went_on = trained(data, cut, base)
    assert went_on["losses"] == whole["losses"]
    assert went_on["adapter"] == whole["adapter"]
    assert went_on["accuracy"] == whole["accuracy"]


def test_a_run_of_another_kind_is_not_gone_on_with(data, base, tmp_path):
    trained(data, tmp_path, base, n_epochs=1)
    with pytest.raises(ConfigError, match="of a run with another recipe"):
        trained(data, tmp_path, base, n_epochs=1, rank=4)
    (tmp_path / "checkpoint.pt").write_bytes(b"half")
    with pytest.raises(ConfigError, match="no checkpoint of a run"):
        trained(data, tmp_path, base, n_epochs=1)


def test_days_and_answers_alone(data, base, tmp_path):
    path = tmp_path / "days.jsonl"
    rows = [{"query": f"since {n} May 2010", "start": f"2010-05-0{n}", "end": None} for n in range(1, 8)]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    from qtie.tie.lora import LoraRecipe, train_lora

    recipe = LoraRecipe(**SMALL, granularity="day", loss="response", dated=0.5)
    split = split_by_subject(read_labelled_queries(path, granularity="day"))
    report = train_lora(split, tmp_path / "out", base=base, recipe=recipe, progress=lambda _: None)
    assert report["recipe"]["granularity"] == "day"
    assert "--granularity day" in (tmp_path / "out" / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("wrong", [{"rank": 0}, {"loss": "none"}, {"dated": 2.0}, {"n_epochs": 0}])
def test_a_recipe_out_of_range(wrong):
    from qtie.tie.lora import LoraRecipe

    with pytest.raises(ConfigError, match=next(iter(wrong))):
        LoraRecipe(**wrong)


def test_the_commands(data, base, tmp_path):
    from click.testing import CliRunner

    from qtie.cli import main

    run = CliRunner().invoke
    tuned = run(main, ["train", "lora", str(data), str(tmp_path), "--base", str(base), "--epochs", "1", "--check", "1"])
    assert tuned.exit_code == 0, tuned.output
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert [row["step"] for row in report["accuracy"]] == [1]
    asked = [
        "intent",
        "who won in 2010",
        "--extractor",
        "transformers",
        "--model",
        str(base),
        "--adapter",
        str(tmp_path),
    ]
    read = run(main, [*asked, "--granularity", "month", "--json"])
    assert read.exit_code == 0, read.output
    assert "transformers failed: no interval in the answer" in json.loads(read.stdout)["extractor"]
    alone = run(main, [*asked, "--fallback", "none"])
    assert alone.exit_code == 2
    assert "expected 'YYYY-MM-DD" in alone.stderr
    nowhere = run(main, ["train", "lora", str(data), str(tmp_path / "x"), "--base", str(tmp_path / "none.gguf")])
    assert nowhere.exit_code == 2
    assert "no language model could be loaded" in nowhere.stderr
