"""Modules that need an optional dependency are collected for doctests only where it is installed."""

from importlib.util import find_spec

_NEED_TORCH = ("network", "training", "export", "lora")
_ADAPTERS = {
    "haystack": "haystack",
    "lancedb": "lancedb",
    "langchain": "langchain_core",
    "llama_index": "llama_index",
    "pyterrier": "pyterrier",
    "rerankers": "rerankers",
}
collect_ignore = [] if find_spec("torch") else [f"qtie/tie/{name}.py" for name in _NEED_TORCH]
collect_ignore += [f"qtie/integrations/{name}.py" for name, package in _ADAPTERS.items() if not find_spec(package)]
collect_ignore_glob = [] if find_spec("fastapi") else ["qtie/service/*.py"]
