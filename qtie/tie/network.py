"""The encoder in PyTorch: BERT's layers with a kind for every piece and one linear layer of heads (training only).

Devlin et al. (2019), "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from qtie.errors import require
from qtie.tie.decoding import N_LOGITS
from qtie.tie.encoder import MAX_PIECES, n_kinds

__all__ = ["NetworkSize", "TieNetwork"]

torch = require("torch", extra="train")
nn = torch.nn
Module: Any = nn.Module
Tensor = Any
"""A torch.Tensor."""


@dataclass(frozen=True, slots=True)
class NetworkSize:
    """The encoder's measures; MiniLM's but for the layers and the vocabulary."""

    n_pieces: int
    n_layers: int = 3
    n_dimensions: int = 384
    n_heads: int = 12
    n_inner: int = 1536


class Layer(Module):  # type: ignore[misc]
    """Self-attention and two linear layers, each added to what went in."""

    def __init__(self, size: NetworkSize, dropout: float) -> None:
        super().__init__()
        self.n_heads = size.n_heads
        self.attention = nn.Linear(size.n_dimensions, 3 * size.n_dimensions)
        self.attended = nn.Linear(size.n_dimensions, size.n_dimensions)
        self.attended_norm = nn.LayerNorm(size.n_dimensions, eps=1e-12)
        self.inner = nn.Linear(size.n_dimensions, size.n_inner)
        self.outer = nn.Linear(size.n_inner, size.n_dimensions)
        self.norm = nn.LayerNorm(size.n_dimensions, eps=1e-12)
        self.dropout = nn.Dropout(dropout)

    def forward(self, hidden: Tensor, bias: Tensor | None) -> Tensor:
        """The next layer's input, of the same shape (n_queries, n_pieces, n_dimensions)."""
        n_queries, n_dimensions = len(hidden), self.attended.in_features
        n_columns = n_dimensions // self.n_heads
        heads = self.attention(hidden).view(n_queries, -1, 3 * self.n_heads, n_columns).transpose(1, 2)
        query, key, value = heads.split(self.n_heads, dim=1)
        weights = (query @ key.transpose(-1, -2)) * n_columns**-0.5
        weights = weights if bias is None else weights + bias
        context = (weights.softmax(-1) @ value).transpose(1, 2).reshape(n_queries, -1, n_dimensions)
        hidden = self.attended_norm(hidden + self.dropout(self.attended(context)))
        inner = nn.functional.gelu(self.inner(hidden))
        result: Tensor = self.norm(hidden + self.dropout(self.outer(inner)))
        return result


class TieNetwork(Module):  # type: ignore[misc]
    """Word pieces and their kinds in, the logits of every decision out."""

    def __init__(self, size: NetworkSize, *, dropout: float = 0.1) -> None:
        super().__init__()
        self.size = size
        self.pieces = nn.Embedding(size.n_pieces, size.n_dimensions)
        self.positions = nn.Embedding(MAX_PIECES, size.n_dimensions)
        self.kinds = nn.Embedding(n_kinds, size.n_dimensions)
        self.norm = nn.LayerNorm(size.n_dimensions, eps=1e-12)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList(Layer(size, dropout) for _ in range(size.n_layers))
        self.heads = nn.Linear(size.n_dimensions, N_LOGITS)
        nn.init.normal_(self.kinds.weight, std=0.02)

    def forward(self, ids: Tensor, kinds: Tensor) -> Tensor:
        """Logits (n_queries, n_pieces, N_LOGITS) of pieces and kinds (n_queries, n_pieces), 0 where padded."""
        positions = torch.arange(ids.shape[1], device=ids.device)
        hidden = self.norm(self.pieces(ids) + self.positions(positions) + self.kinds(kinds))
        hidden = self.dropout(hidden)
        alone = len(ids) == 1  # and not padded
        bias = None if alone else (ids == 0).to(hidden.dtype)[:, None, None, :] * -10000.0
        for layer in self.layers:
            hidden = layer(hidden, bias)
        logits: Tensor = self.heads(hidden)
        return logits

    def load_bert(self, tensors: dict[str, Tensor], kept: Sequence[int]) -> None:
        """Start from a BERT's first layers and the embeddings of the pieces `kept`."""
        embeddings = "embeddings."
        state = {
            "pieces.weight": tensors[embeddings + "word_embeddings.weight"][list(kept)],
            "positions.weight": tensors[embeddings + "position_embeddings.weight"][:MAX_PIECES]
            + tensors[embeddings + "token_type_embeddings.weight"][0],
        }
        names = {"norm": embeddings + "LayerNorm"}
        for at in range(self.size.n_layers):
            ours, theirs = f"layers.{at}.", f"encoder.layer.{at}."
            parts = ("query", "key", "value")
            for kind in ("weight", "bias"):
                parts_of = [tensors[f"{theirs}attention.self.{part}.{kind}"] for part in parts]
                state[f"{ours}attention.{kind}"] = torch.cat(parts_of)
            names[ours + "attended"] = theirs + "attention.output.dense"
            names[ours + "attended_norm"] = theirs + "attention.output.LayerNorm"
            names[ours + "inner"] = theirs + "intermediate.dense"
            names[ours + "outer"] = theirs + "output.dense"
            names[ours + "norm"] = theirs + "output.LayerNorm"
        for ours, theirs in names.items():
            for kind in ("weight", "bias"):
                state[f"{ours}.{kind}"] = tensors[f"{theirs}.{kind}"]
        self.load_state_dict(state, strict=False)
