"""The embedded store: an index on disk or S3 (LanceDB) that finds documents by topic and time; extra `store`.

`store.py` opens and writes it, `searching.py` searches it, `snapshot.py` is what a search reads; `schema.py` is the
table, `predicate.py` its time filter.
"""

from qtie.retrieval.store.searching import StoreSearcher
from qtie.retrieval.store.store import Store, StoreStats, Written

__all__ = ["Store", "StoreSearcher", "StoreStats", "Written"]
