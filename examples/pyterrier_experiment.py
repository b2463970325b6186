"""PyTerrier: an experiment with and without time; no Java is needed. Needs `pip install "qtie[pyterrier]"`.

It prints:

    alone      P@1 0.50
    with time  P@1 1.00
    2016-01-01 2016-12-31
"""

import pandas as pd
import pyterrier as pt

from qtie.integrations.pyterrier import TemporalIntent, TemporalRerank

topics = pd.DataFrame({"qid": ["1", "2"], "query": ["who led the ministry in 2016", "who led the ministry in 2019"]})
qrels = pd.DataFrame({"qid": ["1", "2"], "docno": ["jonas", "elke"], "label": [1, 1]})
documents = [
    {"docno": "elke", "text": "Elke Brandt leads the ministry.", "published_at": "2019-05-06", "score": 7.1},
    {"docno": "jonas", "text": "Jonas Weber takes over the ministry.", "published_at": "2016-03-14", "score": 6.8},
]
results = pd.DataFrame([{"qid": qid, **document} for qid in topics["qid"] for document in documents])
retriever = pt.Transformer.from_df(results.assign(rank=results.groupby("qid").cumcount()))  # or a Terrier index

timed = TemporalIntent() >> retriever >> TemporalRerank()
table = pt.Experiment([retriever, timed], topics, qrels, ["P.1"], names=["alone", "with time"])
for name, precision in table[["name", "P.1"]].values:
    print(f"{name:9}  P@1 {precision:.2f}")
print(*TemporalIntent()(topics).loc[0, ["t_start", "t_end"]])
