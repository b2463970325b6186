"""The metadata filter of a search engine: what lies outside the asked time goes below everything else."""

import numpy as np

from qtie.baselines.ranker import Pool, Question, Scores, ahead_of_the_rest
from qtie.temporal_relevance import outside_documents

__all__ = ["HardFilter"]


class HardFilter:
    """Documents outside the asked time follow all others; within both groups the semantic order stays.

    It reads the question's intent. A document without a time may fit, and stays among the first; one whose coarse
    time may lie inside does too. A preference ("latest") is no condition, and changes nothing.
    """

    def semantic_query(self, question: Question, pool: Pool) -> str:
        """The query without its words about time."""
        return pool.semantic_query(question.intent)

    def scores(self, question: Question, semantic: Scores, pool: Pool, *, normalization: str) -> Scores:
        """The semantic scores, moved down for what lies outside."""
        day = question.reference_date
        columns = pool.columns_for(question.intent, reference_date=day)
        inside = np.flatnonzero(~outside_documents(question.intent, columns, reference_date=day))
        return ahead_of_the_rest(semantic[inside], inside, semantic)
