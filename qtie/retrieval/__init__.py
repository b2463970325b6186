"""First retrieval: semantic scores for every document of a corpus, and the search that joins them with time.

BM25, dense and hybrid retrievers share one protocol, so that the temporal score reaches each document.
"""
