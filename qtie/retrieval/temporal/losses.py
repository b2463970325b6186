"""What a batch costs: anchors should be near their positives and far from everything else.

Row i of the cosines is anchor i; its positive stands in column i, and the negatives follow the positives.
"""

from collections.abc import Callable
from typing import Any

from qtie.retrieval.temporal.network import Tensor, torch_module

__all__ = ["LOSSES", "exponential", "in_batch"]


def in_batch(cosines: Tensor, owners: Tensor, left_out: Tensor, temperature: float) -> Tensor:
    r"""Cross-entropy of the positive against all other texts of the batch (InfoNCE).

    .. math:: L = -\frac{1}{n} \sum_i \log \frac{e^{c_{ii} / t}}{\sum_j e^{c_{ij} / t}}

    van den Oord et al. (2018), "Representation Learning with Contrastive Predictive Coding".

    Args:
        cosines: shape (n_anchors, n_texts), in [-1, 1].
        owners: shape (n_texts,): the anchor that each text is a positive or negative of; not used here.
        left_out: shape (n_anchors, n_texts): pairs that may well be right although nothing says so.
        temperature: t, above 0.

    Returns:
        A scalar, at least 0.
    """
    torch = torch_module()
    logits = (cosines / temperature).masked_fill(left_out, float("-inf"))
    return torch.nn.functional.cross_entropy(logits, torch.arange(len(cosines)))


def exponential(cosines: Tensor, owners: Tensor, left_out: Tensor, temperature: float) -> Tensor:
    r"""The loss that TimeR4 prints, over each anchor's own texts, with φ = 1 − cosine and both weights 1.

    .. math:: L = \frac{1}{n} \sum_i \left( e^{\varphi_{ii}} + \sum_{j \in N_i} e^{1 - \varphi_{ij}} \right)

    Qian et al. (2024), "TimeR4: Time-aware Retrieval-Augmented Large Language Models for Temporal Knowledge Graph
    Question Answering". Printed with φ as a similarity it would push positives away, so that φ is read as a distance.

    Args:
        cosines: shape (n_anchors, n_texts), in [-1, 1].
        owners: shape (n_texts,): the anchor that each text is a positive or negative of.
        left_out: as for `in_batch`; not used here.
        temperature: as for `in_batch`; not used here.

    Returns:
        A scalar, above 0.
    """
    torch = torch_module()
    distances, anchors = 1 - cosines, torch.arange(len(cosines))
    negative = owners[None, :] == anchors[:, None]
    negative[anchors, anchors] = False
    return (distances.diagonal().exp().sum() + (1 - distances)[negative].exp().sum()) / len(cosines)


LOSSES: dict[str, Callable[[Any, Any, Any, float], Any]] = {"in_batch": in_batch, "exponential": exponential}
"""By name."""
