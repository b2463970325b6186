"""TsContriever and TSM: dense retrieval with an encoder that was trained to read time, asked the whole query."""

from qtie.retrieval.dense import DenseRetriever

__all__ = ["TimeAwareRetriever"]


class TimeAwareRetriever(DenseRetriever):
    """Exact cosine search with an encoder that reads the query's words about time itself.

    - TsContriever: Wu et al. (2024), "Time-Sensitive Retrieval-Augmented Generation for Question Answering".
    - TSM: Han et al. (2025), "Temporal Information Retrieval via Time-Specifier Model Merging"; its authors' own
      weights are `seungyoonee/tsm-contriever`, which `load_encoder` takes by that name.
    """

    reads_time = True
