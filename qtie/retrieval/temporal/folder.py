"""The folder of a trained temporal retriever: an encoder's, with `temporal.json` beside it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from qtie.errors import ConfigError
from qtie.retrieval.encoders import BertEncoder, Encoder, Prefix
from qtie.retrieval.temporal.tempretriever import DatedEncoder
from qtie.retrieval.temporal.towers import Router, TwoTowerEncoder

__all__ = ["DOCUMENT_TOWER", "MARK", "ROUTER", "load_temporal_encoder"]

MARK = "temporal.json"
"""Says the recipe, and what an encoder made by it needs to know."""
DOCUMENT_TOWER = "documents"
"""The folder of the documents' tower, where it is another one than the queries'."""
ROUTER = "router.safetensors"


def load_temporal_encoder(folder: str | Path, *, prefix: Prefix = "none") -> Encoder:
    """The encoder that `qtie train retriever` wrote to a folder.

    Raises:
        ConfigError: a file is missing or damaged, or the recipe is not known.
    """
    root = Path(folder)
    try:
        about = json.loads((root / MARK).read_text(encoding="utf-8"))
        wrap = _ENCODERS[about["recipe"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"{root / MARK}: not what `qtie train retriever` writes: {error!r}") from None
    return wrap(BertEncoder(root, prefix=prefix), root, about)


def _plain(encoder: BertEncoder, _: Path, __: dict[str, Any]) -> Encoder:
    return encoder


def _merged(encoder: BertEncoder, _: Path, __: dict[str, Any]) -> Encoder:
    encoder.reads_time = True
    return encoder


def _dated(encoder: BertEncoder, _: Path, about: dict[str, Any]) -> Encoder:
    return DatedEncoder(encoder, about.get("date_fusion", "concatenation"))


def _towers(encoder: BertEncoder, root: Path, _: dict[str, Any]) -> Encoder:
    encoder.reads_time = True
    if not (root / DOCUMENT_TOWER).is_dir():
        return encoder
    router = Router.load(root / ROUTER) if (root / ROUTER).exists() else None
    return TwoTowerEncoder(encoder, BertEncoder(root / DOCUMENT_TOWER), router=router)


_ENCODERS: dict[str, Callable[[BertEncoder, Path, dict[str, Any]], Encoder]] = {
    "dense": _plain, "tempretriever": _dated, "tscontriever": _towers, "tsm": _merged,
}  # fmt: skip
