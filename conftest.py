"""Modules that need an optional dependency are collected for doctests only where it is installed."""

from importlib.util import find_spec

collect_ignore = [] if find_spec("torch") else [f"qtie/tie/{name}.py" for name in ("network", "training", "export")]
