"""What sentence encoders want before a query and before a document."""

import re
from typing import Literal

from qtie.errors import ConfigError

__all__ = ["PREFIXES", "Prefix", "prefix_for", "prefixes"]

Prefix = Literal["none", "e5", "e5-instruct", "qwen3", "bge", "nomic"]

_TASK = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"
PREFIXES: dict[str, tuple[str, str]] = {
    "none": ("", ""),
    "e5": ("query: ", "passage: "),
    "e5-instruct": (f"{_TASK} ", ""),
    "qwen3": (_TASK, ""),
    "bge": ("Represent this sentence for searching relevant passages: ", ""),
    "nomic": ("search_query: ", "search_document: "),
}
"""Before a query, before a document, as the cards of the models have them (E5: Wang et al., 2022; BGE: Xiao et al.,
2023; Nomic: Nussbaum et al., 2024; Qwen3: Zhang et al., 2025). Contriever, GTE, MiniLM, BGE-M3, Jina v2 want none."""

_BY_NAME: tuple[tuple[str, Prefix], ...] = (
    (r"qwen3-embedding", "qwen3"),
    (r"e5-(?!mistral).*instruct", "e5-instruct"),
    (r"\be5-(?!mistral)", "e5"),
    (r"bge-(?:small|base|large)-en|mxbai-embed|arctic-embed-(?!.*v2)", "bge"),
    (r"nomic-embed", "nomic"),
)


def prefix_for(name: str) -> Prefix:
    """The prefix that a model of that name, folder or URL wants; "none" where the name does not tell.

    Example:
        >>> prefix_for("intfloat/multilingual-e5-small"), prefix_for("BAAI/bge-m3"), prefix_for("nomic-embed-text")
        ('e5', 'none', 'nomic')
    """
    last = name.rstrip("/").rpartition("/")[2].lower()
    return next((prefix for pattern, prefix in _BY_NAME if re.search(pattern, last)), "none")


def prefixes(prefix: str) -> tuple[str, str]:
    """Before a query, before a document.

    Raises:
        ConfigError: no such prefix.
    """
    if prefix not in PREFIXES:
        raise ConfigError(f"encoder prefix must be one of {', '.join(PREFIXES)}, not {prefix!r}")
    return PREFIXES[prefix]
