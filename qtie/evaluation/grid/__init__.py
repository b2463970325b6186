"""A grid of comparisons: cells (data set, retriever, ranker, what is changed), computed in parallel and kept on disk.

`cell` says what is computed, `bench` computes it, `run` distributes it over the cores and finds finished cells again.
"""
