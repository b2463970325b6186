"""Workers as processes of this machine, spawned, each with one thread for linear algebra."""

import os
import signal
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from qtie.batch.crew import READY, Death
from qtie.batch.stage import Stage, Task
from qtie.errors import QtieError
from qtie.evaluation.grid.processes import one_thread

__all__ = ["LocalCrew", "n_cores"]


def n_cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class LocalWorker:
    """A process and the pipe to it."""

    def __init__(self, process: BaseProcess, connection: Connection) -> None:
        self.process, self.connection = process, connection

    def give(self, table: Any) -> None:
        """Send it a table."""
        with suppress(OSError):  # it has died, which `heard` will tell
            self.connection.send(table)

    def end(self) -> None:
        """Kill it: it holds nothing that is not kept here."""
        self.process.kill()
        self.process.join()
        self.connection.close()


class LocalCrew:
    """Processes of this machine; they end with the one that started them.

    Args:
        task: what their stage does.
    """

    def __init__(self, task: Task) -> None:
        self._task = task
        self._context = get_context("spawn")

    def start(self) -> LocalWorker:
        """A new process."""
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=_serve, args=(self._task, theirs), daemon=True)
        with one_thread():
            process.start()
        theirs.close()  # so that our side sees the end of a process that died
        return LocalWorker(process, ours)

    def heard(self, workers: Sequence[LocalWorker]) -> list[tuple[LocalWorker, Any]]:
        """Waits for the next words of any of them."""
        ready = wait([worker.connection for worker in workers])
        return [(worker, _words(worker)) for worker in workers if worker.connection in ready]


def _words(worker: LocalWorker) -> Any:
    try:
        return worker.connection.recv()
    except (EOFError, OSError):
        worker.process.join()
        return Death(f"the process ended with status {worker.process.exitcode}")


def _serve(task: Task, connection: Connection) -> None:
    """What a process does: make the stage, then read what it is sent, until the sender is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends its children
    with suppress(EOFError, OSError):
        try:
            stage = Stage(task)
        except QtieError as error:
            connection.send(error)
            return
        connection.send(READY)
        while True:
            table = connection.recv()
            try:
                result = stage(table)
            except QtieError as error:
                result = error
            connection.send(result)
