"""Tuning a tiny random model to answer from facts: trained, checked and kept."""

import json
from importlib.util import find_spec
from pathlib import Path

import pytest
from tiny_models import tiny_model

from qtie.tkg.pipeline import TkgPipeline
from qtie.tkg.reasoner_task import ReasonerItem, ReasonerTask, split_items

pytestmark = [
    pytest.mark.skipif(
        not all(map(find_spec, ("torch", "transformers", "peft"))),
        reason="peft is not installed; `make test-all` installs it and runs this",
    ),
    pytest.mark.filterwarnings("ignore"),
]


def test_a_reasoner_is_trained_checked_and_kept(pipeline: TkgPipeline, tmp_path: Path) -> None:
    from qtie.tie.lora import LoraRecipe, train_lora

    facts = tuple(ranked.fact for ranked in pipeline.ask("Who visited Iraq?").facts[:2])
    items = [ReasonerItem(f"Who visited Iraq, case {n}?", facts, (facts[0].subject,)) for n in range(10)]
    recipe = LoraRecipe(n_epochs=4, batch_size=4, learning_rate=1e-2, loss="response", checks=(2,), n_held_out=2)
    base = tiny_model(tmp_path / "base")
    report = train_lora(
        split_items(items), tmp_path / "out", base=base, recipe=recipe, task=ReasonerTask(), progress=lambda _: None
    )
    assert [row["step"] for row in report["accuracy"]] == [2, 8]
    assert set(report["accuracy"][0]) == {"step", "said_right", "right", "nothing_left"}
    assert report["losses"][-1] < report["losses"][0]
    lines = (tmp_path / "out" / "step-2" / "predictions.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["gold"] for line in lines] == [[facts[0].subject]] * 2
    assert "answers from facts" in (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
