"""Haystack: BM25, then time, in a pipeline that is saved and restored. Needs `pip install "qtie[haystack]"`.

It prints:

    Jonas Weber takes over the ministry. 2016-03-14/2016-03-14
    [ranking]
    temporal_weight = 0.4
"""

from haystack import Document, Pipeline
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.document_stores.in_memory import InMemoryDocumentStore

from qtie.integrations.haystack import TemporalRanker

QUERY = "who led the ministry in 2016"

store = InMemoryDocumentStore()
store.write_documents(
    [
        Document(content="Elke Brandt leads the ministry.", meta={"published_at": "2019-05-06"}),
        Document(content="Jonas Weber takes over the ministry.", meta={"published_at": "2016-03-14"}),
    ]
)
pipeline = Pipeline()
pipeline.add_component("retriever", InMemoryBM25Retriever(store, top_k=50))
pipeline.add_component("ranker", TemporalRanker(config="[ranking]\ntemporal_weight = 0.4", top_k=1))
pipeline.connect("retriever.documents", "ranker.documents")

best = pipeline.run({"retriever": {"query": QUERY}, "ranker": {"query": QUERY}})["ranker"]["documents"][0]
print(best.content, best.meta["temporal"]["time"])

# Haystack restores components of modules that you name, or that its allowlist has.
restored = Pipeline.loads(pipeline.dumps(), allowed_modules=["qtie.integrations.haystack"])
print(restored.get_component("ranker").config)
