"""Temporal knowledge graphs: questions answered from facts that hold at a time.

A `Fact` is a document with a validity; `store.py` keeps many, `pipeline.py` runs TimeR4's stages over them without a
language model, and `reasoner.py` lets one read the facts that were found.
"""
