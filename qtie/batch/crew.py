"""Workers that each read one shard at a time; the shard of one that dies goes to another."""

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from qtie.batch.shards import Shard
from qtie.errors import BatchError, QtieError

__all__ = ["READY", "Crew", "Death", "Worker", "results"]

READY = "ready"
"""What a worker says first, once its stage is made."""
_MOST_DEATHS = 3


@dataclass(frozen=True, slots=True)
class Death:
    """What is heard of a worker that ended without being asked to."""

    reason: str


class Worker(Protocol):
    """One process with a stage in it."""

    def give(self, table: Any) -> None:
        """Hand it a shard to read; a worker that has died says so when it is listened to."""

    def end(self) -> None:
        """End it, whatever it does."""


class Crew(Protocol):
    """Where workers come from: this machine or a cluster."""

    def start(self) -> Worker:
        """A new worker, which says `READY` later."""

    def heard(self, workers: Sequence[Any]) -> list[tuple[Any, Any]]:
        """Waits until one says something: `READY`, a result, the QtieError it met, or its `Death`."""


def results(crew: Crew, shards: Iterable[Shard], *, n_workers: int) -> Iterator[tuple[Shard, Any]]:
    """Each shard with its result, in the order in which they come.

    At a time, one shard more than there are workers is held in memory.

    Raises:
        QtieError: what a worker met in its shard.
        BatchError: three workers died of the same shard, or before they were ready.
    """
    waiting, again, deaths = iter(shards), deque[Shard](), Counter[int | None]()
    upcoming = next(waiting, None)
    held: dict[Worker, Shard | None] = {}
    try:
        while upcoming is not None or any(held.values()):
            while len(held) < n_workers and upcoming is not None:
                held[crew.start()] = None
            for worker, said in crew.heard(list(held)):
                shard = held.pop(worker)
                if isinstance(said, QtieError):
                    worker.end()
                    raise said
                if isinstance(said, Death):
                    worker.end()
                    _count(deaths, shard, said)
                    again.extend([shard] if shard else [])
                elif upcoming is None:
                    worker.end()
                else:
                    deaths[None] = 0  # workers can be made
                    worker.give(upcoming.table)
                    held[worker] = upcoming
                    upcoming = None
                if upcoming is None:
                    upcoming = again.popleft() if again else next(waiting, None)
                if shard is not None and not isinstance(said, Death):
                    yield shard, said
    finally:
        for worker in held:
            worker.end()


def _count(deaths: Counter[int | None], shard: Shard | None, death: Death) -> None:
    number = None if shard is None else shard.number
    deaths[number] += 1
    if deaths[number] >= _MOST_DEATHS:
        doing = "before it was ready" if shard is None else f"in shard {shard.number}"
        raise BatchError(f"a worker died {doing}, {_MOST_DEATHS} times in all: {death.reason}")
