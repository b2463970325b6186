"""Neural rankers: with stubs here, and with tiny random models where PyTorch is installed (`make test-all`)."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from qtie.baselines import neural
from qtie.baselines.neural import NEURAL_RANKERS, NeuralRanker, cross_encoder, embedding, yes_or_no
from qtie.baselines.ranker import Pool, Question
from qtie.baselines.registry import make_ranker
from qtie.errors import ConfigError, MissingExtraError
from qtie.retrieval.encoders import PREFIXES

Ask, Dated = Callable[..., Question], Callable[..., Pool]
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "yes", "no", "who", "won", "the", "prize", "in", "chemistry", "peace", "?"]
TEXTS = ["won the prize in peace", "chemistry", "the prize the prize the prize in chemistry ? who ? who won", "peace"]


@pytest.fixture(scope="module")
def library() -> Any:
    pytest.importorskip("torch", reason="PyTorch is not installed")
    pytest.importorskip("sentence_transformers", reason="sentence-transformers is not installed")
    return pytest.importorskip("transformers", reason="transformers is not installed")


def _tokenizer(library: Any, words: Sequence[str]) -> Any:
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    tokenizer = Tokenizer(models.WordLevel({word: i for i, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    named = {"unk_token": "[UNK]", "pad_token": "[PAD]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    return library.PreTrainedTokenizerFast(tokenizer_object=tokenizer, **named)


@pytest.fixture(scope="module")
def cross_encoder_folder(library: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    import torch

    torch.manual_seed(0)
    folder = tmp_path_factory.mktemp("cross-encoder")
    size = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
    config = library.BertConfig(vocab_size=len(WORDS), num_labels=1, initializer_range=0.5, **size)
    library.BertForSequenceClassification(config).save_pretrained(folder)
    _tokenizer(library, WORDS).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def language_model_folder(library: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    import torch

    torch.manual_seed(0)
    folder = tmp_path_factory.mktemp("language-model")
    size = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
    config = library.GPTNeoXConfig(vocab_size=len(WORDS), initializer_range=0.5, **size)
    library.GPTNeoXForCausalLM(config).save_pretrained(folder)
    _tokenizer(library, WORDS).save_pretrained(folder)
    return folder


def test_cross_encoder_gives_the_logit_of_each_pair(library: Any, cross_encoder_folder: Path) -> None:
    import torch

    found = cross_encoder(str(cross_encoder_folder))("who won ?", TEXTS)
    model = library.AutoModelForSequenceClassification.from_pretrained(cross_encoder_folder).eval()
    tokenizer = library.AutoTokenizer.from_pretrained(cross_encoder_folder)
    with torch.no_grad():
        expected = [model(**tokenizer("who won ?", text, return_tensors="pt")).logits.item() for text in TEXTS]
    # sentence-transformers puts a sigmoid on models with one label, which keeps their order
    np.testing.assert_allclose(found, 1 / (1 + np.exp(-np.array(expected))), atol=1e-4)
    assert len(set(found.round(4))) == len(TEXTS)


def test_yes_or_no_does_not_depend_on_the_batch(language_model_folder: Path) -> None:
    score = yes_or_no(str(language_model_folder))
    together = score("who won ?", TEXTS * 5)
    alone = [score("who won ?", [text])[0] for text in TEXTS]
    np.testing.assert_allclose(together, alone * 5, atol=1e-4)
    assert len(set(np.round(alone, 3))) == len(TEXTS)


def test_yes_or_no_cuts_the_document_and_not_the_question(language_model_folder: Path) -> None:
    score = yes_or_no(str(language_model_folder))
    a, b = score("who won ?", ["prize " * 3000, "prize " * 4000])
    assert a == pytest.approx(b, abs=1e-4)


def test_yes_or_no_needs_its_words(library: Any, tmp_path: Path, language_model_folder: Path) -> None:
    library.AutoModelForCausalLM.from_pretrained(language_model_folder).save_pretrained(tmp_path)
    _tokenizer(library, [word.replace("yes", "aye") for word in WORDS]).save_pretrained(tmp_path)
    with pytest.raises(ConfigError, match="no word 'yes'"):
        yes_or_no(str(tmp_path))


@pytest.mark.parametrize("kind", ["cross-encoder", "yes-or-no", "embedding"])
def test_a_model_that_is_not_there(library: Any, kind: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError):
        make_ranker(f"{kind}:{tmp_path / 'nothing'}")


def test_a_named_model_ranks(cross_encoder_folder: Path, ask: Ask, dated: Dated) -> None:
    ranker = make_ranker(f"cross-encoder:{cross_encoder_folder}", n_candidates=2)
    scores = ranker.scores(
        ask("who won in 2010"), np.array([0.1, 0.3, 0.2]), dated(None, None, None), normalization="cosine"
    )
    assert scores[0] < min(scores[1:])


@pytest.mark.parametrize("kind", ["cross-encoder", "yes-or-no"])
def test_what_is_missing_is_named(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(module: str, *, extra: str) -> Any:
        raise MissingExtraError(f"{module} is missing: {extra}")

    monkeypatch.setattr(neural, "require", missing)
    with pytest.raises(MissingExtraError, match="sentence-transformers"):
        make_ranker(f"{kind}:any")


class _Letters:
    """An encoder whose vectors count three letters; it counts what it is asked."""

    fingerprint = "letters"

    def __init__(self) -> None:
        self.n_documents = 0

    def encode_queries(self, texts: Sequence[str]) -> np.ndarray:
        vectors = np.array([[text.count(letter) for letter in "abc"] for text in texts], dtype=np.float32)
        return vectors.reshape(-1, 3) / np.maximum(np.linalg.norm(vectors.reshape(-1, 3), axis=1, keepdims=True), 1)

    def encode_documents(self, texts: Sequence[str]) -> np.ndarray:
        self.n_documents += len(texts)
        return self.encode_queries(texts)


def test_embedding_is_the_cosine_and_embeds_a_document_once(monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = _Letters()
    monkeypatch.setattr(neural, "load_encoder", lambda name, prefix: encoder)
    score = embedding("letters")
    np.testing.assert_allclose(score("aab", ["a", "b", "c", "a"]), np.array([2, 1, 0, 2]) / np.sqrt(5), rtol=1e-6)
    score("b", ["b", "a"])
    assert encoder.n_documents == 3


@pytest.mark.parametrize(
    ("model", "prefix"),
    [
        ("intfloat/e5-base-v2", "e5"),
        ("intfloat/multilingual-e5-small", "e5"),
        ("intfloat/e5-mistral-7b-instruct", "none"),
        ("Qwen/Qwen3-Embedding-0.6B", "qwen3"),
        ("minilm", "none"),
    ],
)
def test_the_prefix_follows_from_the_name(model: str, prefix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(neural, "load_encoder", lambda name, prefix: asked.append(prefix) or _Letters())
    embedding(model)
    embedding(model, prefix="e5")
    assert asked == [prefix, "e5"]
    assert set(asked) <= set(PREFIXES)


def test_only_the_best_candidates_are_scored(ask: Ask, dated: Dated) -> None:
    seen: list[Sequence[str]] = []

    def score(query: str, texts: Sequence[str]) -> np.ndarray:
        seen.append(texts)
        return -np.arange(len(texts), dtype=np.float64)[::-1]

    pool, semantic = dated(*[None] * 6), np.array([0.1, 0.6, 0.5, 0.2, 0.3, 0.4])
    scores = NeuralRanker(score, n_candidates=3).scores(ask("who"), semantic, pool, normalization="cosine")
    assert seen == [["text 1", "text 2", "text 5"]]
    assert pool.order(scores, semantic).tolist() == [5, 2, 1, 4, 3, 0]


def test_a_pool_without_documents(ask: Ask, dated: Dated) -> None:
    scores = NeuralRanker(lambda query, texts: np.array([])).scores(
        ask("who"), np.array([]), dated(), normalization="rank"
    )
    assert scores.shape == (0,)


def test_n_candidates_must_be_positive() -> None:
    with pytest.raises(ConfigError, match="n_candidates"):
        NeuralRanker(lambda query, texts: np.zeros(len(texts)), n_candidates=0)


def test_the_kinds() -> None:
    assert set(NEURAL_RANKERS) == {"cross-encoder", "yes-or-no", "embedding"}
