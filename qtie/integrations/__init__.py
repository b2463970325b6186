"""Adapters that put qtie where its users already are, one framework a file, each behind the extra of its name.

`candidates` is what they share; qtie alone imports none of them.
"""
