"""A sentence encoder in PyTorch, for training: read from an encoder folder, and written as one that runs without it."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

from qtie.errors import ConfigError, require
from qtie.processor import has_bf16

__all__ = ["SentenceNetwork", "Tensor", "averaged", "torch_module"]

Tensor = Any
"""A torch.Tensor."""
_POOLING = Path("1_Pooling") / "config.json"
_COPIED = ("sentence_bert_config.json", "modules.json", "config_sentence_transformers.json")


def torch_module() -> ModuleType:
    """PyTorch, imported now.

    Raises:
        MissingExtraError: it is not installed.
    """
    return require("torch", extra="transformers")


class SentenceNetwork:
    """A BERT with mean or CLS pooling whose parameters can be trained.

    Args:
        base: an encoder folder, or the name of one on the hub.
        n_tokens: texts are cut there.
        n_layers: how many of the upper layers can be trained; None: every parameter.

    Raises:
        ConfigError: the base cannot be loaded or has fewer layers, or is no BERT: trained folders are read as one.
        MissingExtraError: torch or transformers is not installed.
    """

    def __init__(self, base: str | Path, *, n_tokens: int, n_layers: int | None = None) -> None:
        self._torch = torch_module()
        library = require("transformers", extra="transformers")
        library.logging.disable_progress_bar()
        try:
            self.module = library.AutoModel.from_pretrained(str(base), dtype=self._torch.float32)
            self._tokenizer = library.AutoTokenizer.from_pretrained(str(base))
        except (OSError, ValueError, KeyError) as error:
            raise ConfigError(f"{base}: not a model that training can start from: {error}") from error
        if self.module.config.model_type != "bert":
            raise ConfigError(f"{base}: training starts from a BERT, not from {self.module.config.model_type!r}")
        if n_layers is not None:
            self._freeze_below(n_layers)
        self._base = Path(base)
        self._n_tokens = min(n_tokens, int(self.module.config.max_position_embeddings))
        pooling = self._base / _POOLING
        self._cls = pooling.is_file() and bool(json.loads(pooling.read_text()).get("pooling_mode_cls_token"))

    def embed(self, texts: Sequence[str]) -> Tensor:
        """Shape (n_texts, n_dimensions), each row of length 1; in bfloat16 inside, where the processor has it."""
        torch = self._torch
        tokens = self._tokenizer(
            list(texts), padding=True, truncation=True, max_length=self._n_tokens, return_tensors="pt"
        )
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=has_bf16()):
            hidden = self.module(**tokens).last_hidden_state
        hidden, mask = hidden.float(), tokens["attention_mask"][..., None].float()
        pooled = hidden[:, 0] if self._cls else (hidden * mask).sum(1) / mask.sum(1).clamp(min=1e-9)
        return torch.nn.functional.normalize(pooled, dim=-1)

    def _freeze_below(self, n_layers: int) -> None:
        layers = self.module.encoder.layer
        if n_layers > len(layers):
            raise ConfigError(f"{n_layers} layers cannot be trained: there are {len(layers)}")
        for part in (self.module.embeddings, *layers[: len(layers) - n_layers]):
            part.requires_grad_(False)

    def save(self, folder: Path) -> None:
        """Write an encoder folder; what stood there before is replaced when all of it has been written.

        Raises:
            ConfigError: it cannot be written.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with TemporaryDirectory(dir=folder, prefix="unfinished") as unfinished:
                self._write(Path(unfinished))
                for path in sorted(Path(unfinished).rglob("*")):
                    place = folder / path.relative_to(unfinished)
                    if path.is_file():
                        place.parent.mkdir(exist_ok=True)
                        path.replace(place)
        except OSError as error:
            raise ConfigError(f"{folder}: cannot write the encoder: {error}") from error

    def _write(self, folder: Path) -> None:
        self.module.save_pretrained(folder)
        self._tokenizer.save_pretrained(folder)
        for name in _COPIED:
            if (self._base / name).is_file():
                shutil.copyfile(self._base / name, folder / name)
        (folder / _POOLING).parent.mkdir()
        pooling = {
            "word_embedding_dimension": self.module.config.hidden_size,
            "pooling_mode_cls_token": self._cls,
            "pooling_mode_mean_tokens": not self._cls,
        }
        (folder / _POOLING).write_text(json.dumps(pooling) + "\n", encoding="utf-8")


def averaged(states: Sequence[dict[str, Tensor]]) -> dict[str, Tensor]:
    """The uniform average of the parameters of networks of one shape: TSM's merge.

    Args:
        states: at least one, as `state_dict` gives them.
    """
    return {name: sum(state[name] for state in states) / len(states) for name in states[0]}
