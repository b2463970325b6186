"""Workers as actors of a Ray cluster, wherever it places them."""

import os
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from qtie.batch.crew import READY, Death
from qtie.batch.stage import Stage, Task
from qtie.errors import BatchError, QtieError, require

__all__ = ["RayCrew", "connected", "n_places"]

_REACHING_SECONDS = 10.0
_PLACING_SECONDS = 120.0
"""How long none of the workers may be placed before that is an error; Ray itself would wait for ever."""


@contextmanager
def connected(address: str | None, *, n_workers: int | None) -> Iterator[Any]:
    """A connection to the cluster, as the module `ray`; without an address a cluster of this machine, ended behind it.

    Raises:
        BatchError: there is no cluster at that address.
        MissingExtraError: `ray` is not installed.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is sent anywhere
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    ray = require("ray", extra="ray")
    if ray.is_initialized():  # the caller's own connection
        yield ray
        return
    quiet = {"log_to_driver": False, "logging_level": "ERROR"}
    try:
        _reach(address or "")
        if address is None:
            n_cpus = None if n_workers is None else n_workers + 1
            # "local": without an address, Ray takes a cluster that someone else has started here
            ray.init(address="local", num_cpus=n_cpus, include_dashboard=False, **quiet)
        else:
            ray.init(address=address, **quiet)
    except (ConnectionError, OSError, RuntimeError, ValueError) as error:
        problem = " ".join(str(error).split())[:200]
        raise BatchError(f"{address or 'this machine'}: no Ray cluster there: {problem}") from error
    try:
        yield ray
    finally:
        ray.shutdown()


def _reach(address: str) -> None:
    """Tries the port of an address that has one: Ray itself asks an empty one for minutes.

    Raises:
        OSError: nothing answers there.
    """
    host, _, port = address.rpartition("//")[2].partition(":")
    if port:
        socket.create_connection((host, int(port)), timeout=_REACHING_SECONDS).close()


def n_places(ray: Any, n_workers: int | None) -> int:
    """How many workers to have: at most one less than the cluster has CPUs, for it stalls when all are taken.

    Raises:
        BatchError: it has fewer than two CPUs.
    """
    n_cpus = int(ray.cluster_resources().get("CPU", 0))
    if n_cpus < 2:
        raise BatchError(f"the Ray cluster has {n_cpus} CPUs; one is left to it, so that it needs two at least")
    return min(n_workers or n_cpus, n_cpus - 1)


class _Actor:
    """What an actor is made of."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._stage: Stage | None = None

    def ready(self) -> Any:
        """Make the stage."""
        try:
            self._stage = Stage(self._task)
        except QtieError as error:
            return error
        return READY

    def read(self, table: Any) -> Any:
        """The stage's result."""
        assert self._stage is not None
        try:
            return self._stage(table)
        except QtieError as error:
            return error


class RayWorker:
    """An actor and what it was last asked for."""

    def __init__(self, ray: Any, actor: Any) -> None:
        self._ray, self._actor = ray, actor
        self.is_placed = False
        self.asked = actor.ready.remote()

    def give(self, table: Any) -> None:
        """Send it a table."""
        self.asked = self._actor.read.remote(table)

    def end(self) -> None:
        """Kill it: it holds nothing that is not kept here."""
        with suppress(ValueError, RuntimeError):
            self._ray.kill(self._actor)


class RayCrew:
    """Actors of one CPU each.

    Args:
        ray: the module, connected to its cluster.
        task: what their stage does; files that it names must be there on every machine.
    """

    def __init__(self, ray: Any, task: Task) -> None:
        self._ray = ray
        self._task = ray.put(task)
        self._actor = ray.remote(num_cpus=1, max_restarts=0)(_Actor)

    def start(self) -> RayWorker:
        """A new actor."""
        return RayWorker(self._ray, self._actor.remote(self._task))

    def heard(self, workers: Sequence[RayWorker]) -> list[tuple[RayWorker, Any]]:
        """Waits for the next words of any of them.

        Raises:
            BatchError: the cluster places none.
        """
        seconds = None if any(worker.is_placed for worker in workers) else _PLACING_SECONDS
        ready, _ = self._ray.wait([worker.asked for worker in workers], timeout=seconds)
        if not ready:
            free = self._ray.available_resources().get("CPU", 0)
            raise BatchError(f"the Ray cluster has placed no worker in {_PLACING_SECONDS:g} seconds; free CPUs: {free}")
        return [(worker, self._words(worker)) for worker in workers if worker.asked in ready]

    def _words(self, worker: RayWorker) -> Any:
        worker.is_placed = True
        try:
            return self._ray.get(worker.asked)
        except (self._ray.exceptions.RayActorError, self._ray.exceptions.RayTaskError) as error:
            return Death(" ".join(str(error).split())[:300])
        except self._ray.exceptions.ObjectLostError as error:  # its machine went down with the result
            return Death(" ".join(str(error).split())[:300])
