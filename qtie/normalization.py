r"""Semantic scores on a common scale, (0, 1] with the best candidate near 1, before they meet the temporal score.

The product of experts adds logarithms, so what matters of a normalized score S is its energy −log S, and a
difference of energies must mean the same whichever retriever gave the scores. Each function therefore turns its
kind of score into something whose logarithm is meaningful: a log-probability up to a constant where the retriever
was trained for one (`cosine`, `logits`, `probability`), a log-rank where only the order counts (`rank`, `rrf`),
and a log-ratio to the best candidate where the scale depends on the query (`bm25`, `min_max`, `corpus`). A
constant factor changes no order, so it does not matter that some divide by the best candidate and others do not. Those
that could reach 0 start at `LEAST_SEMANTIC_SCORE`, the same floor as the temporal score's, so both experts span the
same energies (more in a large `corpus`).
All keep the order, take arrays of shape (n_docs,) and give new ones; an empty array stays empty.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from qtie import defaults
from qtie.errors import ConfigError, DocumentError

__all__ = [
    "NORMALIZATIONS",
    "Scores",
    "bm25",
    "corpus",
    "cosine",
    "guess_normalization",
    "logits",
    "min_max",
    "normalize",
    "on_topic",
    "probability",
    "rank",
    "rrf",
]

Scores = NDArray[np.float64]

_LEAST = defaults.LEAST_SEMANTIC_SCORE
_RRF_OFFSET = 60.0


def normalize(scores: Scores, normalization: str = "auto", *, n_documents: int | None = None) -> Scores:
    """The scores on the common scale, by the normalization of that name; "auto" guesses it.

    Args:
        scores: shape (n_docs,), as the retriever gave them; higher is better.
        normalization: a name in `NORMALIZATIONS`, or "auto".
        n_documents: how many there are in all, where the scores are those of some; for `corpus`.

    Returns:
        Shape (n_docs,), in (0, 1].

    Raises:
        ConfigError: no such normalization.
        DocumentError: a score that is NaN, infinite or outside what the normalization takes.

    Example:
        >>> normalize(np.array([12.0, 6.0, 0.0])).round(3)
        array([1.   , 0.505, 0.01 ])
    """
    if normalization == "auto":
        normalization = guess_normalization(scores)
    if normalization not in NORMALIZATIONS:
        choices = ", ".join(["auto", *NORMALIZATIONS])
        raise ConfigError(f"unknown normalization {normalization!r}; one of {choices}")
    if normalization == "corpus":
        return corpus(scores, n_documents=n_documents)
    return NORMALIZATIONS[normalization](scores)


def on_topic(semantic: Scores) -> NDArray[np.bool_]:
    """Which candidates a preference such as "latest" chooses from: those with half of the best normalized score.

    Example:
        >>> on_topic(np.array([1.0, 0.505, 0.01]))
        array([ True,  True, False])
    """
    chosen: NDArray[np.bool_] = semantic >= defaults.ON_TOPIC * semantic.max(initial=0.0)
    return chosen


def guess_normalization(scores: Scores) -> str:
    """Which normalization the values suggest: name it yourself wherever you know it.

    All in (0, 0.1]: rrf; all in [−1, 1]: cosine; none below 0: bm25; otherwise: logits. Probabilities look
    like cosines, and raw re-ranker scores that happen to be positive look like BM25.

    Example:
        >>> guess_normalization(np.array([0.83, 0.41])), guess_normalization(np.array([-4.0, 7.5]))
        ('cosine', 'logits')
    """
    if not len(scores):
        return "cosine"
    low, high = float(np.min(scores)), float(np.max(scores))
    if low > 0 and high <= 0.1:
        return "rrf"
    if low >= -1 and high <= 1:
        return "cosine"
    return "bm25" if low >= 0 else "logits"


def cosine(scores: Scores, *, temperature: float = defaults.COSINE_TEMPERATURE) -> Scores:
    r"""For cosines or dot products of unit vectors, as dense retrievers give them.

    .. math:: S = \exp\left((x - \max x) / \tau\right)

    Dense encoders are trained so that softmax(x/τ) is the probability of relevance (InfoNCE; van den Oord et al.,
    2018), so x/τ is a log-probability up to a constant. τ is `temperature`, milder than in training.

    Returns:
        Shape (n_docs,), in (0, 1]; the best is 1.

    Example:
        >>> cosine(np.array([0.8, 0.7, 0.1])).round(3)
        array([1.   , 0.607, 0.03 ])
    """
    finite = _finite(scores)
    spread = (finite - finite.max(initial=-np.inf)) / temperature
    return _exp(spread)


def bm25(scores: Scores, *, least: float = defaults.LEAST_SEMANTIC_SCORE) -> Scores:
    r"""For BM25 and other sums of term weights, whose scale grows with the query.

    .. math:: S = \epsilon + (1 - \epsilon) \frac{x - m}{\max x - m}, \quad m = \min(0, \min x)

    A document without a query term gets ε = `least`; the energy is the log-ratio to the best
    candidate, so that a longer query does not weigh more.

    Returns:
        Shape (n_docs,), in [ε, 1]; all 1 if all scores are equal, all ε if none has a query term.

    Example:
        >>> bm25(np.array([20.0, 10.0, 0.0])).round(3)
        array([1.   , 0.505, 0.01 ])
    """
    finite = _finite(scores)
    if not finite.any():
        return np.full(len(finite), least)
    return _between(finite, min(0.0, finite.min(initial=np.inf)), least=least)


def logits(scores: Scores) -> Scores:
    r"""For cross-encoders that give logits, such as the MS MARCO and BGE re-rankers.

    .. math:: S = 1 / (1 + e^{-x})

    They are trained with binary cross-entropy, so S is the probability of relevance; among documents that are
    clearly relevant the temporal score decides, among the others their log-odds count in full.

    Returns:
        Shape (n_docs,), in (0, 1].

    Example:
        >>> logits(np.array([8.0, 0.0, -4.0])).round(3)
        array([1.   , 0.5  , 0.018])
    """
    return 1.0 / (1.0 + 1.0 / _exp(_finite(scores)))


def probability(scores: Scores) -> Scores:
    r"""For scores that are probabilities of relevance already, in [0, 1]: Cohere, Jina, sigmoid outputs.

    .. math:: S = \epsilon + (1 - \epsilon)\,x

    Returns:
        Shape (n_docs,), in [ε, 1].

    Raises:
        DocumentError: a score outside [0, 1].

    Example:
        >>> probability(np.array([0.9, 0.0])).round(3)
        array([0.901, 0.01 ])
    """
    finite = _finite(scores)
    if finite.min(initial=0.0) < 0 or finite.max(initial=0.0) > 1:
        raise DocumentError("a probability lies outside [0, 1]; name another normalization, or use auto")
    return _LEAST + (1 - _LEAST) * finite


def min_max(scores: Scores) -> Scores:
    r"""For scores of unknown kind, where the candidates are many and their spread means something.

    .. math:: S = \epsilon + (1 - \epsilon) \frac{x - \min x}{\max x - \min x}

    The worst candidate gets ε however close it is to the best, so with few candidates prefer another.

    Returns:
        Shape (n_docs,), in [ε, 1]; all 1 if all scores are equal.

    Example:
        >>> min_max(np.array([-3.0, 1.0, 5.0])).round(3)
        array([0.01 , 0.505, 1.   ])
    """
    finite = _finite(scores)
    return _between(finite, finite.min(initial=np.inf))


def corpus(scores: Scores, *, n_documents: int | None = None) -> Scores:
    r"""For the scores of every document of a corpus by a dense or hybrid retriever.

    .. math:: S = S_\text{min\_max}^{\frac{1}{2} \log_{10} n}

    The more documents there are, the more of them come near the best by chance: energies grow with the logarithm of
    their number n, so that among nine documents the time decides between like topics, and among thousands the few that
    are on the topic stay ahead of those near it. The ½ was chosen on the sample corpus and TimeQA.

    Args:
        scores: shape (n_docs,); where they are those of some documents, the best and the worst of all are among them.
        n_documents: n; by default as many as there are scores.

    Returns:
        Shape (n_docs,), in (0, 1]; all 1 if all scores are equal.

    Example:
        >>> corpus(np.array([0.0, 0.4, 0.8])).round(3), corpus(np.linspace(0.0, 0.8, 1001))[500:501].round(3)
        (array([0.333, 0.85 , 1.   ]), array([0.359]))
    """
    exponent = 0.5 * np.log10(max(len(scores) if n_documents is None else n_documents, 1))
    sharpened: Scores = min_max(scores) ** exponent
    return sharpened


def rrf(scores: Scores) -> Scores:
    r"""For scores of reciprocal rank fusion, Σ 1/(60 + rank), whose values lie close together.

    .. math:: S = \frac{k + 1}{k + \rho}, \quad \rho = 61 \frac{\max x}{x} - 60

    ρ is the rank that the score would have in one list, so the energy is that of `rank` (k = `RANK_OFFSET`).

    Returns:
        Shape (n_docs,), in (0, 1]; the best is 1.

    Raises:
        DocumentError: a score that is not positive.

    Example:
        >>> rrf(np.array([1 / 61, 1 / 62, 1 / 71])).round(3)
        array([1.   , 0.917, 0.524])
    """
    finite = _finite(scores)
    if finite.min(initial=np.inf) <= 0:
        raise DocumentError("a score of reciprocal rank fusion is positive; name another normalization, or use auto")
    effective_rank = (_RRF_OFFSET + 1) * (finite.max(initial=0.0) / finite) - _RRF_OFFSET
    return _rank_prior(effective_rank)


def rank(scores: Scores) -> Scores:
    r"""For scores of which only the order can be trusted; with −1, −2, … it is the prior for candidates without scores.

    .. math:: S = \frac{k + 1}{k + \text{rank}}

    The energy grows with the logarithm of the rank, as the chance of relevance does in ranked lists; k is
    `RANK_OFFSET`, so the first few candidates lie close together. Equal scores share the better rank.

    Returns:
        Shape (n_docs,), in (0, 1]; the best is 1.

    Example:
        >>> rank(np.array([7.0, 5.0, 5.0, 1.0])).round(3)
        array([1.   , 0.917, 0.917, 0.786])
    """
    finite = _finite(scores)
    n_not_better = np.searchsorted(np.sort(finite), finite, side="right").astype(np.float64)
    return _rank_prior(len(finite) - n_not_better + 1)


def _exp(values: Scores) -> Scores:
    """e to the values, kept away from 0 and infinity."""
    exponential: Scores = np.exp(np.clip(values, -700.0, 700.0))
    return exponential


def _rank_prior(ranks: Scores) -> Scores:
    prior: Scores = (defaults.RANK_OFFSET + 1) / (defaults.RANK_OFFSET + ranks)
    return prior


def _between(scores: Scores, low: float, *, least: float = defaults.LEAST_SEMANTIC_SCORE) -> Scores:
    """From `low` to the best, moved to [ε, 1]."""
    high = scores.max(initial=-np.inf)
    # Halves, so that the difference of two huge scores stays finite.
    span = high / 2 - low / 2
    if not len(scores) or span <= 0 or scores.min() == high:
        return np.ones(len(scores))
    share: Scores = np.minimum((scores / 2 - low / 2) / span, 1.0)
    return least + (1 - least) * share


def _finite(scores: Scores) -> Scores:
    """The scores as float64.

    Raises:
        DocumentError: one of them is NaN or infinite.
    """
    numbers = np.asarray(scores, dtype=np.float64)
    if not np.isfinite(numbers).all():
        at = int(np.flatnonzero(~np.isfinite(numbers))[0])
        raise DocumentError(f"the score of candidate {at + 1} is {numbers[at]}; scores must be finite numbers")
    return numbers


NORMALIZATIONS: dict[str, Callable[..., Scores]] = {
    "cosine": cosine,
    "bm25": bm25,
    "logits": logits,
    "rrf": rrf,
    "rank": rank,
    "min_max": min_max,
    "corpus": corpus,
    "probability": probability,
}
"""The normalizations by name."""
