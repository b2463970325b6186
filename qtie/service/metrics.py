"""Metrics for Prometheus: requests, their time, what queries asked for and how far documents moved; no text."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from qtie.intent import TemporalIntent
from qtie.ranking import Ranking

__all__ = ["Metrics", "intent_kind"]

_SECONDS = (0.002, 0.005, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24)
_PLACES = (0, 0.1, 0.3, 1, 3, 10, 30, 100)


def intent_kind(intent: TemporalIntent) -> str:
    """What an intent asks for, in one of a few words.

    Example:
        >>> intent_kind(TemporalIntent(query="latest report", preference="latest"))
        'preference'
    """
    if not intent.is_temporal:
        return "unresolved" if intent.constraints else "atemporal"
    intervals = intent.intervals
    if not intervals:
        return "preference" if intent.preference else "empty"
    if len(intervals) > 1:
        return "several"
    start, end = intervals[0].start, intervals[0].end
    return "before" if start is None else "since" if end is None else "within"


class Metrics:
    """One service's numbers, in a registry of its own.

    Example:
        >>> metrics = Metrics()
        >>> metrics.answered("/rerank", 200, 0.004)
        >>> b'qtie_requests_total{route="/rerank",status="200"} 1.0' in metrics.text()
        True
    """

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter("qtie_requests", "Answers.", ["route", "status"], registry=self.registry)
        self.seconds = Histogram(
            "qtie_request_seconds", "From headers to answer.", ["route"], buckets=_SECONDS, registry=self.registry
        )
        self.in_flight = Gauge("qtie_requests_in_flight", "Requests without an answer yet.", registry=self.registry)
        self.intents = Counter("qtie_intents", "Rankings by what was asked for.", ["kind"], registry=self.registry)
        self.movement = Histogram(
            "qtie_rank_movement", "Mean places a document moved.", buckets=_PLACES, registry=self.registry
        )
        self.first_changed = Counter(
            "qtie_first_changed", "Rankings whose first document is another.", registry=self.registry
        )

    def answered(self, route: str, status: int, seconds: float) -> None:
        """A request was answered."""
        self.requests.labels(route, str(status)).inc()
        self.seconds.labels(route).observe(seconds)

    def ranked(self, ranking: Ranking) -> None:
        """A ranking was made; in shadow mode it is only counted here."""
        self.intents.labels(intent_kind(ranking.intent)).inc()
        if not ranking:
            return
        self.movement.observe(sum(abs(each.rank - each.rank_before) for each in ranking) / len(ranking))
        if ranking[0].rank_before != 1:
            self.first_changed.inc()

    def text(self) -> bytes:
        """All of it, as Prometheus reads it."""
        return generate_latest(self.registry)
