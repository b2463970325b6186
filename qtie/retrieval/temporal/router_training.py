"""Training TsContriever's router: queries that ask for a time against the same without their words about time."""

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

from qtie.errors import ConfigError, require
from qtie.retrieval.temporal.network import SentenceNetwork, Tensor, torch_module
from qtie.tie.grammar import GrammarExtractor

__all__ = ["train_router"]

_N_HIDDEN = 128
_N_STEPS = 300
_LEARNING_RATE = 1e-3
_TEXTS_PER_BATCH = 64
_N_TOKENS = 64


def train_router(queries: Sequence[str], base: str | Path, path: Path, *, seed: int) -> dict[str, Any]:
    """Fit the perceptron to embeddings of the base and write its tensors; a tenth of the queries is held out.

    Queries without words about time come from taking them away (what TsContriever's authors took is another set of
    questions: assumed).

    Returns:
        `n_queries`, and `held_out_right`: the share of held-out queries, with and without time, that are told apart.

    Raises:
        ConfigError: too few queries ask for a time, or the file cannot be written.
    """
    torch = torch_module()
    torch.manual_seed(seed)
    pairs = {(query, GrammarExtractor().extract(query).semantic_query) for query in queries}
    told_apart = sorted(pair for pair in pairs if pair[0] != pair[1])
    Random(seed).shuffle(told_apart)
    n_held_out = len(told_apart) // 10
    if not n_held_out:
        raise ConfigError(f"a router needs at least 10 queries that ask for a time, not {len(told_apart)}")
    network = SentenceNetwork(base, n_tokens=_N_TOKENS)
    held_out, rest = (_labelled(part, network) for part in (told_apart[:n_held_out], told_apart[n_held_out:]))
    hidden = torch.nn.Linear(rest[0].shape[1], _N_HIDDEN)
    model = torch.nn.ModuleDict({"hidden": hidden, "out": torch.nn.Linear(_N_HIDDEN, 1)})
    optimizer = torch.optim.AdamW(model.parameters(), lr=_LEARNING_RATE)
    for _ in range(_N_STEPS):
        loss = torch.nn.functional.binary_cross_entropy_with_logits(_logits(model, rest[0]), rest[1])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        right = ((_logits(model, held_out[0]) > 0) == (held_out[1] > 0.5)).float().mean()
    try:
        require("safetensors.torch", extra="transformers").save_file(model.state_dict(), path)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written: {error}") from error
    return {"n_queries": len(told_apart), "held_out_right": round(float(right), 4)}


def _labelled(pairs: Sequence[tuple[str, str]], network: SentenceNetwork) -> tuple[Tensor, Tensor]:
    """Embeddings of queries with time (0) and without (1), and those labels."""
    torch = torch_module()
    texts = [text for place in (0, 1) for text in (pair[place] for pair in pairs)]
    network.module.eval()
    with torch.no_grad():
        starts = range(0, len(texts), _TEXTS_PER_BATCH)
        vectors = torch.cat([network.embed(texts[start : start + _TEXTS_PER_BATCH]) for start in starts])
    return vectors, torch.cat((torch.zeros(len(pairs)), torch.ones(len(pairs))))


def _logits(model: Any, vectors: Tensor) -> Tensor:
    return model["out"](model["hidden"](vectors).relu())[:, 0]
