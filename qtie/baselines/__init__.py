"""Rankers to compare with: published methods, simple ones and neural re-rankers, all under one protocol.

`ranker` is the protocol, `registry` the table of names, and every other file one method.
"""
