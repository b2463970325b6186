"""General neural re-rankers by model name: cross-encoders, language models that answer yes or no, embeddings.

They know nothing of time but what its words mean to them, so they get the whole question; and they are slow, so only
the retriever's best candidates are scored.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from qtie.baselines.ranker import Pool, Question, Scores, ahead_of_the_rest
from qtie.errors import ConfigError, require
from qtie.retrieval.encoders import Encoder, Prefix, load_encoder
from qtie.retrieval.prefixes import prefix_for
from qtie.retrieval.retriever import retrieval_text

__all__ = ["NEURAL_RANKERS", "NeuralRanker", "PairScorer", "cross_encoder", "embedding", "yes_or_no"]

PairScorer = Callable[[str, Sequence[str]], Scores]
"""(query, n ≥ 1 texts) -> shape (n,), higher is better."""

_EXTRA = "sentence-transformers"
_PAIRS_PER_BATCH = 16
_N_TOKENS = 1024


class NeuralRanker:
    """The best candidates ordered by a neural model; the others follow them in their semantic order.

    Args:
        score: the model.
        n_candidates: how many of the pool it scores.

    Raises:
        ConfigError: n_candidates is not positive.

    Example:
        >>> from qtie.document import Document
        >>> from qtie.intent import TemporalIntent
        >>> pool = Pool([Document(doc_id=str(i), text="x" * i) for i in range(4)])
        >>> ranker = NeuralRanker(lambda query, texts: np.array([float(len(text)) for text in texts]), n_candidates=2)
        >>> question, semantic = Question(text="q", intent=TemporalIntent(query="q")), np.array([0.4, 0.3, 0.2, 0.1])
        >>> pool.order(ranker.scores(question, semantic, pool, normalization="cosine"), semantic)
        array([1, 0, 2, 3])
    """

    def __init__(self, score: PairScorer, *, n_candidates: int = 100) -> None:
        if n_candidates < 1:
            raise ConfigError(f"n_candidates must be at least 1, not {n_candidates}")
        self._score, self._n_candidates = score, n_candidates

    def semantic_query(self, question: Question, pool: Pool) -> str:
        """The query as asked."""
        return question.text

    def scores(self, question: Question, semantic: Scores, pool: Pool, *, normalization: str) -> Scores:
        """The model's scores for the best candidates."""
        if not len(semantic):
            return semantic
        chosen = pool.order(semantic, semantic, k=self._n_candidates)
        texts = [retrieval_text(pool.documents[index]) for index in chosen]
        return ahead_of_the_rest(self._score(question.text, texts), chosen, semantic)


def cross_encoder(model: str) -> PairScorer:
    """A cross-encoder that sentence-transformers loads, such as `cross-encoder/ms-marco-MiniLM-L6-v2`.

    Raises:
        ConfigError: there is no such model, or it cannot be fetched.
        MissingExtraError: `sentence-transformers` is not installed.
    """
    library = require("sentence_transformers", extra=_EXTRA)
    encoder = _loaded(library.CrossEncoder, model, max_length=512)

    def score(query: str, texts: Sequence[str]) -> Scores:
        pairs = [(query, text) for text in texts]
        return np.asarray(encoder.predict(pairs, show_progress_bar=False), dtype=np.float64)

    return score


def embedding(model: str, *, prefix: Prefix | None = None) -> PairScorer:
    """The cosine of query and document embeddings; a document is embedded once.

    Args:
        model: what `load_encoder` takes: `minilm`, a folder or a name such as `Qwen/Qwen3-Embedding-0.6B`.
        prefix: what stands before queries and documents; by default as the model's name suggests.

    Raises:
        ConfigError: there is no such model, or it cannot be loaded.
        MissingExtraError: what it needs is not installed.
    """
    return _Cosine(load_encoder(model, prefix=prefix or prefix_for(model)))


class _Cosine:
    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._vectors: dict[str, Any] = {}

    def __call__(self, query: str, texts: Sequence[str]) -> Scores:
        new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        self._vectors.update(zip(new, self._encoder.encode_documents(new), strict=True))
        vectors = np.array([self._vectors[text] for text in texts])
        return np.asarray(vectors @ self._encoder.encode_queries([query])[0], dtype=np.float64)


_INSTRUCTION = "Given a web search query, retrieve relevant passages that answer the query"
_BEFORE = (
    "<|im_start|>system\nJudge whether the Document meets the requirements based on the Query and the Instruct "
    'provided. Note that the answer can only be "yes" or "no".<|im_end|>\n<|im_start|>user\n'
)
_AFTER = "<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n"


def yes_or_no(model: str) -> PairScorer:
    r"""A causal language model asked whether the document answers the query, as `Qwen/Qwen3-Reranker-0.6B` wants it.

    .. math:: S = z_\text{yes} - z_\text{no}

    The log-odds of "yes" as the next token, in the input format of Qwen3-Reranker (Zhang et al., 2025, arXiv
    2506.05176); documents are cut to about 1,000 tokens.

    Raises:
        ConfigError: there is no such model, or its vocabulary has no such words.
        MissingExtraError: `transformers` (which sentence-transformers brings) is not installed.
    """
    torch, library = require("torch", extra=_EXTRA), require("transformers", extra=_EXTRA)
    tokenizer = _loaded(library.AutoTokenizer.from_pretrained, model, padding_side="left")
    network = _loaded(library.AutoModelForCausalLM.from_pretrained, model).eval()
    yes, no = (_single_token(tokenizer, word) for word in ("yes", "no"))
    before, after = (tokenizer.encode(text, add_special_tokens=False) for text in (_BEFORE, _AFTER))
    tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token

    def score(query: str, texts: Sequence[str]) -> Scores:
        bodies = [f"<Instruct>: {_INSTRUCTION}\n<Query>: {query}\n<Document>: {text}" for text in texts]
        tokens = tokenizer(bodies, add_special_tokens=False, truncation=True, max_length=_N_TOKENS)["input_ids"]
        values: list[float] = []
        with torch.no_grad():
            for at in range(0, len(tokens), _PAIRS_PER_BATCH):
                rows = [before + body + after for body in tokens[at : at + _PAIRS_PER_BATCH]]
                batch = tokenizer.pad({"input_ids": rows}, return_tensors="pt")
                logits = network(**batch).logits[:, -1].float()
                values += (logits[:, yes] - logits[:, no]).tolist()
        return np.array(values)

    return score


def _single_token(tokenizer: Any, word: str) -> int:
    tokens: list[int] = tokenizer.encode(word, add_special_tokens=False)
    if len(tokens) != 1 or tokens[0] == tokenizer.unk_token_id:
        raise ConfigError(f"the model's vocabulary has no word {word!r}, so it cannot answer with it")
    return tokens[0]


def _loaded(load: Callable[..., Any], model: str, **options: object) -> Any:
    try:
        return load(model, **options)
    except (OSError, ValueError) as error:
        raise ConfigError(f"the model {model!r} cannot be loaded: {error}") from error


def _ranker(scorer: Callable[..., PairScorer], model: str, *, n_candidates: int = 100, **options: Any) -> NeuralRanker:
    return NeuralRanker(scorer(model, **options), n_candidates=n_candidates)


NEURAL_RANKERS: dict[str, Callable[..., NeuralRanker]] = {
    "cross-encoder": partial(_ranker, cross_encoder),
    "yes-or-no": partial(_ranker, yes_or_no),
    "embedding": partial(_ranker, embedding),
}
"""The neural rankers by kind; each takes a model's name or folder."""
