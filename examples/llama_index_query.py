"""LlamaIndex: a query engine that re-ranks by time. Needs `pip install "qtie[llama-index]"`.

It prints:

    1.000 Jonas Weber takes over the ministry. 2016-03-14/2016-03-14
    Elke Brandt leads the ministry.
"""

from datetime import date

from llama_index.core import MockEmbedding, VectorStoreIndex
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import TextNode

from qtie.integrations.llama_index import TemporalPostprocessor, TemporalRetriever

nodes = [
    TextNode(text="Elke Brandt leads the ministry.", metadata={"published_at": "2019-05-06"}),
    TextNode(text="Jonas Weber takes over the ministry.", metadata={"published_at": "2016-03-14"}),
]
index = VectorStoreIndex(nodes, embed_model=MockEmbedding(embed_dim=8))  # put your embeddings here
retriever = index.as_retriever(similarity_top_k=20)  # more than you need, so that there is something to re-rank

# In a query engine: put your language model in place of the mock, which repeats its prompt.
engine = RetrieverQueryEngine.from_args(retriever, llm=MockLLM(), node_postprocessors=[TemporalPostprocessor(k=1)])
best = engine.query("who led the ministry in 2016").source_nodes[0]
print(f"{best.score:.3f} {best.text} {best.metadata['temporal']['time']}")

# As a retriever; `date.today`, without parentheses, would ask the clock at each query.
timed = TemporalRetriever(retriever, TemporalPostprocessor(k=1, reference_date=date(2020, 3, 1)))
print(timed.retrieve("who led the ministry last year")[0].text)
