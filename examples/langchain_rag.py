"""LangChain: a vector store that knows when, and a prompt from what it finds. Needs `pip install "qtie[langchain]"`.

It prints:

    Jonas Weber takes over the ministry. (2016-03-14/2016-03-14 during 2016-01-01/2016-12-31)
    Human: Jonas Weber takes over the ministry.
    who led the ministry in 2016
"""

from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableParallel, RunnablePassthrough
from langchain_core.vectorstores import InMemoryVectorStore

from qtie.integrations.langchain import TemporalReranker, TemporalRetriever

QUERY = "who led the ministry in 2016"

store = InMemoryVectorStore(DeterministicFakeEmbedding(size=64))  # put your embeddings here
store.add_documents(
    [
        Document("Elke Brandt leads the ministry.", metadata={"published_at": "2019-05-06"}),
        Document("Jonas Weber takes over the ministry.", metadata={"published_at": "2016-03-14"}),
        Document("The ministry moves to the river.", metadata={"published_at": "2011"}),
    ]
)

# Over the store: finds more than it returns, and takes the store's scores where it has any.
best = TemporalRetriever(vectorstore=store, k=1).invoke(QUERY)[0]
reasons = best.metadata["temporal"]
print(f"{best.page_content} ({reasons['time']} {reasons['relation']} {reasons['intervals'][0]})")

# After any retriever, in a chain: put your chat model after the prompt.
found = RunnableParallel(query=RunnablePassthrough(), documents=store.as_retriever(search_kwargs={"k": 20}))
texts = found | TemporalReranker(k=1).as_runnable() | (lambda documents: "\n".join(d.page_content for d in documents))
prompt = ChatPromptTemplate.from_template("{context}\n{question}")
print(({"context": texts, "question": RunnablePassthrough()} | prompt).invoke(QUERY).to_string())
