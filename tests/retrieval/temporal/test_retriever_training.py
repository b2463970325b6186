"""Training end to end on a made-up BERT of two layers: every recipe, stopped, gone on, run without torch."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from qtie.cli.main import main
from qtie.document import Document
from qtie.errors import ConfigError
from qtie.retrieval.encoders import BertEncoder, load_encoder
from qtie.retrieval.hybrid import make_retriever
from qtie.retrieval.temporal.contrastive import ContrastiveRecipe, DatedText, Towers, Triple, train_contrastive
from qtie.retrieval.temporal.losses import exponential, in_batch
from qtie.retrieval.temporal.network import SentenceNetwork, averaged
from qtie.retrieval.temporal.questions import RetrievalQuestion
from qtie.retrieval.temporal.training import RetrieverRecipe, train_retriever

torch = pytest.importorskip("torch", reason="needs qtie[transformers]")
transformers = pytest.importorskip("transformers", reason="needs qtie[transformers]")
pytestmark = pytest.mark.filterwarnings("ignore")  # of the libraries
SMALL = ContrastiveRecipe(n_steps=4, batch_size=4, n_negatives=2, n_tokens=16, steps_between_checks=2, n_held_out=2)
SPECIFIED = {"in": "in {}", "before": "before {}", "after": "after {}"}
NAMES = ("ann", "bo", "cy", "dee")
WORDS = [
    *("[PAD]", "[UNK]", "[CLS]", "[SEP]", "who", "led", "club", "in", "before", "after", "since", "until", "to", "?"),
    *(*NAMES, *map(str, range(1930, 2060))),
]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An encoder folder with random parameters."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    folder = tmp_path_factory.mktemp("base")
    config = transformers.BertConfig(
        vocab_size=len(WORDS), hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32,
        max_position_embeddings=32,
    )  # fmt: skip
    torch.manual_seed(0)
    transformers.BertModel(config).save_pretrained(folder)
    tokenizer = Tokenizer(models.WordLevel({word: place for place, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]")
    fast.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def questions() -> list[RetrievalQuestion]:
    return [
        RetrievalQuestion(
            question=f"Who led club {words.format(year)}?", positives=(f"{name} led club in {year}",),
            negatives=(f"{name} led club in {year + 20}", f"{name} led club in {year - 20}"), specifier=specifier,
        )
        for year, name in zip(range(1950, 1990, 2), NAMES * 5, strict=True)
        for specifier, words in SPECIFIED.items()
    ]  # fmt: skip


def quiet(line: str) -> None:
    """No progress."""


def _trained(questions: list[RetrievalQuestion], out: Path, base: Path, **options: Any) -> dict[str, Any]:
    recipe = RetrieverRecipe(training=SMALL, **options)
    return train_retriever(questions, out, base=base, recipe=recipe, progress=quiet)


@pytest.mark.parametrize(
    "options",
    [
        {"name": "dense"},
        {"name": "tempretriever"},
        {"name": "tempretriever", "date_fusion": "product"},
        {"name": "tscontriever"},
        {"name": "tscontriever", "query_tower_only": True, "router": True},
        {"name": "tsm"},
    ],
    ids=str,
)
def test_every_recipe_gives_a_retriever_that_runs_without_torch(
    options: dict[str, Any], questions: list[RetrievalQuestion], base: Path, tmp_path: Path
) -> None:
    report = _trained(questions, tmp_path, base, **options)
    assert not list(tmp_path.glob("checkpoint*"))
    assert report["recipe"]["name"] == options["name"]
    assert {check["step"] for history in report["history"].values() for check in history} == {0, 2, 4}
    documents = [Document(doc_id=str(year), text=f"ann led club in {year}") for year in (1950, 1970)]
    retriever = make_retriever(options["name"], documents, encoder=load_encoder(tmp_path))
    scores = retriever.batch_scores(["Who led club in 1950?", "who"])
    assert scores.shape == (2, 2)
    assert np.isfinite(scores).all()


def test_numpy_gives_what_torch_gives(base: Path, tmp_path: Path) -> None:
    network = SentenceNetwork(base, n_tokens=32)
    network.save(tmp_path)
    texts = ["ann led club in 1950", "who"]
    with torch.no_grad(), torch.autocast("cpu", enabled=False):
        exact = network.module.eval()
        vectors = network.embed(texts).numpy()
    assert exact is network.module
    assert np.abs(vectors - BertEncoder(tmp_path).encode_documents(texts)).max() < 0.02  # bfloat16 inside


def test_the_loss_falls_and_the_right_year_comes_first(
    questions: list[RetrievalQuestion], base: Path, tmp_path: Path
) -> None:
    triples = [
        Triple(
            DatedText(each.question), (DatedText(each.positives[0]),), tuple(DatedText(text) for text in each.negatives)
        )
        for each in questions
    ]
    network = SentenceNetwork(base, n_tokens=16)
    recipe = ContrastiveRecipe(n_steps=80, batch_size=16, learning_rate=3e-3, n_held_out=6, steps_between_checks=20)
    history = train_contrastive(
        triples, Towers(network, network), recipe=recipe, checkpoint=tmp_path / "c.pt", progress=quiet
    )
    assert history[-1]["loss"] < history[1]["loss"] - 0.5
    assert history[-1]["first"] > 0.5


def test_a_stopped_run_goes_on_to_the_same_end(questions: list[RetrievalQuestion], base: Path, tmp_path: Path) -> None:
    class StoppedError(Exception):
        pass

    def stop(line: str) -> None:
        if "'step': 2" in line:
            raise StoppedError

    recipe = RetrieverRecipe(name="dense", training=SMALL)
    with pytest.raises(StoppedError):
        train_retriever(questions, tmp_path / "stopped", base=base, recipe=recipe, progress=stop)
    assert (tmp_path / "stopped" / "checkpoint.pt").exists()
    _trained(questions, tmp_path / "stopped", base, name="dense")
    _trained(questions, tmp_path / "whole", base, name="dense")
    first, second = (tmp_path / name / "model.safetensors" for name in ("stopped", "whole"))
    assert first.read_bytes() == second.read_bytes()


def test_a_finished_folder_is_left_as_it_is_and_refuses_another_recipe(
    questions: list[RetrievalQuestion], base: Path, tmp_path: Path
) -> None:
    report = _trained(questions, tmp_path, base, name="dense")
    written = (tmp_path / "model.safetensors").stat().st_mtime_ns
    assert _trained(questions, tmp_path, base, name="dense") == report
    assert (tmp_path / "model.safetensors").stat().st_mtime_ns == written
    with pytest.raises(ConfigError, match="another recipe or other data"):
        _trained(questions, tmp_path, base, name="tsm")
    with pytest.raises(ConfigError, match="another recipe or other data"):
        _trained([*questions[1:], questions[1]], tmp_path, base, name="dense")


def test_a_checkpoint_of_another_run_or_a_damaged_one_is_refused(
    questions: list[RetrievalQuestion], base: Path, tmp_path: Path
) -> None:
    (tmp_path / "checkpoint.pt").write_bytes(b"torn")
    with pytest.raises(ConfigError, match=r"checkpoint\.pt: not a checkpoint"):
        _trained(questions, tmp_path, base, name="dense")
    torch.save({"digest": "other"}, tmp_path / "checkpoint.pt")
    with pytest.raises(ConfigError, match="of another recipe or other data"):
        _trained(questions, tmp_path, base, name="dense")


def test_only_the_query_tower_moves(questions: list[RetrievalQuestion], base: Path, tmp_path: Path) -> None:
    _trained(questions, tmp_path, base, name="tscontriever", query_tower_only=True)
    encoder, plain = load_encoder(tmp_path), load_encoder(base)
    assert np.allclose(encoder.encode_documents(["ann"]), plain.encode_documents(["ann"]), atol=1e-6)
    assert not np.allclose(encoder.encode_queries(["ann"]), plain.encode_queries(["ann"]), atol=1e-6)


def test_lower_layers_stand_still(questions: list[RetrievalQuestion], base: Path, tmp_path: Path) -> None:
    from safetensors.numpy import load_file

    recipe = RetrieverRecipe(name="dense", training=ContrastiveRecipe(n_steps=2, n_layers=1, n_tokens=16))
    train_retriever(questions, tmp_path, base=base, recipe=recipe, progress=quiet)
    before, after = load_file(base / "model.safetensors"), load_file(tmp_path / "model.safetensors")
    moved = {name for name in before if not np.array_equal(before[name], after[name])}
    assert moved
    assert all(name.startswith("encoder.layer.1.") for name in moved)
    with pytest.raises(ConfigError, match="3 layers cannot be trained"):
        SentenceNetwork(base, n_tokens=16, n_layers=3)


def test_losses_by_hand() -> None:
    cosines = torch.tensor([[0.5, 0.0, -0.5], [0.0, 1.0, 0.0]])
    owners, none_left_out = torch.tensor([0, 1, 0]), torch.zeros(2, 3, dtype=torch.bool)
    rows = [[1.0, 0.0, -1.0], [0.0, 2.0, 0.0]]
    expected = np.mean([np.log(np.exp(row).sum()) - row[place] for place, row in enumerate(rows)])
    assert float(in_batch(cosines, owners, none_left_out, 0.5)) == pytest.approx(expected)
    left_out = torch.tensor([[False, True, False], [False, False, False]])
    expected -= (np.log(np.exp(rows[0]).sum()) - np.log(np.exp([1.0, -1.0]).sum())) / 2
    assert float(in_batch(cosines, owners, left_out, 0.5)) == pytest.approx(expected)
    printed = (np.exp(0.5) + np.exp(0.0) + np.exp(1 - 1.5)) / 2
    assert float(exponential(cosines, owners, none_left_out, 0.5)) == pytest.approx(printed)


def test_parameters_are_averaged() -> None:
    states = [{"a": torch.tensor([0.0, 2.0])}, {"a": torch.tensor([4.0, 2.0])}]
    assert averaged(states)["a"].tolist() == [2.0, 2.0]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"n_steps": 0}, "n_steps must be 1 or more"),
        ({"n_layers": 0}, "n_layers must be 1 or more"),
        ({"n_negatives": -1}, "n_negatives must be 0 or more"),
        ({"temperature": 0}, "above 0"),
        ({"loss": "triplet"}, "unknown loss 'triplet'"),
    ],
)
def test_a_recipe_out_of_range_is_refused(options: dict[str, Any], reason: str) -> None:
    with pytest.raises(ConfigError, match=reason):
        ContrastiveRecipe(**options)


def test_what_training_cannot_start_from(questions: list[RetrievalQuestion], base: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="at least 2 questions"):
        _trained(questions[:1], tmp_path / "a", base, name="dense")
    with pytest.raises(ConfigError, match="not a model that training can start from"):
        _trained(questions, tmp_path / "b", tmp_path / "missing", name="dense")
    config = transformers.DistilBertConfig(vocab_size=9, dim=8, n_layers=1, n_heads=1, hidden_dim=8)
    transformers.DistilBertModel(config).save_pretrained(tmp_path / "distilled")
    for file in base.glob("tokenizer*"):
        (tmp_path / "distilled" / file.name).write_bytes(file.read_bytes())
    with pytest.raises(ConfigError, match="starts from a BERT, not from 'distilbert'"):
        _trained(questions, tmp_path / "c", tmp_path / "distilled", name="dense")
    without = [RetrievalQuestion(question="who", positives=("ann",)) for _ in range(4)]
    with pytest.raises(ConfigError, match="tsm needs questions with a specifier"):
        _trained(without, tmp_path / "d", base, name="tsm")
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="cannot be written"):
        _trained(questions, tmp_path / "file" / "e", base, name="dense")


def test_a_router_needs_queries_with_a_time(base: Path, tmp_path: Path) -> None:
    without = [RetrievalQuestion(question=f"who led {name}", positives=(name,)) for name in NAMES]
    with pytest.raises(ConfigError, match="a router needs at least 10"):
        _trained(without, tmp_path, base, name="tscontriever", query_tower_only=True, router=True)


def _run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["train", *map(str, arguments)])


def test_the_command_trains_and_a_search_uses_it(
    questions: list[RetrievalQuestion], base: Path, tmp_path: Path
) -> None:
    data, corpus = tmp_path / "data.jsonl", tmp_path / "corpus.jsonl"
    lines = [{"question": q.question, "positives": q.positives, "negatives": q.negatives} for q in questions]
    data.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    options = ("--base", base, "--steps", 2, "--batch", 4, "--tokens", 16, "--negatives", 1)
    result = _run("retriever", data, tmp_path / "out", "--recipe", "tempretriever", "--date-fusion", "sum", *options)
    assert (result.exit_code, result.stdout) == (0, "")
    assert json.loads((tmp_path / "out" / "temporal.json").read_text()) == {
        "recipe": "tempretriever", "date_fusion": "sum",
    }  # fmt: skip
    corpus.write_text('{"_id": "a", "text": "ann led club", "date": "1950"}\n{"_id": "b", "text": "bo"}\n')
    search = ["search", "who led club in 1950", str(corpus), "--extractor", "grammar", "--json"]
    found = CliRunner().invoke(main, [*search, "--retriever", "tempretriever", "--encoder", str(tmp_path / "out")])
    assert found.exit_code == 0, found.output
    assert {json.loads(line)["doc_id"] for line in found.stdout.splitlines()} == {"a", "b"}


def test_the_command_trains_an_encoder_of_facts(base: Path, tmp_path: Path) -> None:
    facts, questions = tmp_path / "facts.tsv", tmp_path / "questions.jsonl"
    years = range(1950, 1980, 2)
    facts.write_text("".join(f"{name}\tled\tclub\t{year}\n" for year in years for name in NAMES), encoding="utf-8")
    lines = [
        {
            "question": f"who led club in {year}?",
            "gold_facts": [{"subject": name, "relation": "led", "object": "club", "date": str(year)} for name in NAMES],
        }
        for year in years
    ]
    questions.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    for loss in ("in_batch", "exponential"):
        out = tmp_path / loss
        options = ("--base", base, "--steps", 2, "--batch", 4, "--tokens", 16, "--loss", loss)
        result = _run("tkg-retriever", questions, facts, out, *options)
        assert (result.exit_code, result.stdout) == (0, ""), result.stderr
        assert load_encoder(out).encode_documents(["ann led club in 1950"]).shape == (1, 16)
    assert not np.allclose(
        *(load_encoder(tmp_path / loss).encode_documents(["ann led"]) for loss in ("in_batch", "exponential"))
    )


def test_bad_input_is_one_line(base: Path, tmp_path: Path) -> None:
    result = _run("retriever", tmp_path / "missing.jsonl", tmp_path / "out", "--recipe", "tsm", "--base", base)
    assert result.exit_code == 2
    assert result.stderr.splitlines() == [f"qtie: {tmp_path / 'missing.jsonl'}: No such file or directory"]
    result = _run("tkg-retriever", "-", "-", tmp_path / "out")
    assert (result.exit_code, len(result.stderr.splitlines())) == (2, 1)


def test_the_authors_weights_are_loaded_by_sentence_transformers(base: Path, tmp_path: Path) -> None:
    pytest.importorskip("sentence_transformers", reason="needs qtie[sentence-transformers]")
    for file in base.iterdir():  # as released weights lie: not as safetensors
        if file.name != "model.safetensors":
            (tmp_path / file.name).write_bytes(file.read_bytes())
    torch.save(transformers.BertModel.from_pretrained(base).state_dict(), tmp_path / "pytorch_model.bin")
    encoder = load_encoder(tmp_path)
    assert type(encoder).__name__ == "SentenceTransformerEncoder"
    texts = ["ann led club in 1950", "who"]
    assert np.allclose(encoder.encode_documents(texts), BertEncoder(base).encode_documents(texts), atol=1e-4)
    documents = [Document(doc_id="a", text="ann led club in 1950")]
    assert make_retriever("tsm", documents, encoder=encoder).scores("who").shape == (1,)
