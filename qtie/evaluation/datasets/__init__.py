"""Data sets for retrieval: documents, judged queries and judgements in one record, by name or from a BEIR folder.

One file per family of source; each reads our layout and, where it is known, that of the public repository.
"""

from qtie.evaluation.datasets.beir import load_beir, load_sample
from qtie.evaluation.datasets.checksums import fingerprint, record_checksums
from qtie.evaluation.datasets.queries import query_fields, read_labelled_lines, read_queries, read_query_lines
from qtie.evaluation.datasets.record import Dataset, Query, describe, with_text_times
from qtie.evaluation.datasets.registry import DATASETS, Source, dataset_fingerprint, load_dataset
from qtie.evaluation.datasets.tdbench import load_tdbench

__all__ = [
    "DATASETS",
    "Dataset",
    "Query",
    "Source",
    "dataset_fingerprint",
    "describe",
    "fingerprint",
    "load_beir",
    "load_dataset",
    "load_sample",
    "load_tdbench",
    "query_fields",
    "read_labelled_lines",
    "read_queries",
    "read_query_lines",
    "record_checksums",
    "with_text_times",
]
