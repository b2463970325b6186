"""LanceDB: a hybrid search, re-ranked by time. Needs `pip install "qtie[lancedb]"`.

It prints:

    Jonas Weber takes over the ministry. 2016-03-14/2016-03-14
    during 2016-01-01/2016-12-31, rank before: 2
"""

from datetime import date
from tempfile import TemporaryDirectory

import lancedb
from lancedb.index import FTS

from qtie.integrations.lancedb import TemporalReranker

QUERY = "who leads the ministry in 2016"

with TemporaryDirectory() as folder:
    table = lancedb.connect(folder).create_table(
        "notes",
        [
            {"text": "Elke Brandt leads the ministry.", "date": date(2019, 5, 6), "vector": [1.0, 0.1]},
            {"text": "Jonas Weber takes over the ministry.", "date": date(2016, 3, 14), "vector": [0.9, 0.3]},
        ],
    )
    table.create_index("text", config=FTS())
    search = table.search(query_type="hybrid").vector([1.0, 0.0]).text(QUERY).limit(50)
    best = search.rerank(TemporalReranker(k=1)).to_list()[0]

reasons = best["_temporal"]
print(best["text"], reasons["time"])
print(f"{reasons['relation']} {reasons['intervals'][0]}, rank before: {reasons['rank_before']}")
