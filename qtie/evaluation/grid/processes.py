"""Jobs in processes of their own, a few at a time: what one of them does, or dies of, leaves the others alone."""

import os
import signal
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from qtie.errors import QtieError

__all__ = ["Failure", "Job", "failure", "finished", "one_thread"]

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A function of a module with its arguments, both picklable."""

    name: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a job gave nothing."""

    reason: str
    expected: bool = False
    """Whether it is an error of ours, whose text says what to do."""


def finished(jobs: Sequence[Job], *, n_processes: int) -> Iterator[tuple[Job, Any]]:
    """Each job with what it returned, or its `Failure`, in the order in which they end.

    Processes are spawned, not forked, with one thread each for linear algebra.

    Args:
        jobs: started in this order.
        n_processes: how many run at a time.
    """
    waiting, running = deque(jobs), dict[Connection, tuple[Job, BaseProcess]]()
    try:
        while waiting or running:
            while waiting and len(running) < n_processes:
                job = waiting.popleft()
                reader, process = _started(job)
                running[reader] = (job, process)
            ready = wait(list(running))
            for reader in [reader for reader in running if reader in ready]:
                job, process = running.pop(reader)
                yield job, _result(reader, process)
    finally:
        for reader, (_, process) in running.items():
            process.terminate()
            process.join()
            reader.close()


def _started(job: Job) -> tuple[Connection, BaseProcess]:
    context = get_context("spawn")
    reader, writer = context.Pipe(duplex=False)
    process = context.Process(target=_run, args=(job, writer), name=job.name, daemon=True)
    with one_thread():
        process.start()
    writer.close()  # so that the reader sees the end of a process that died
    return reader, process


def _result(reader: Connection, process: BaseProcess) -> Any:
    try:
        return reader.recv()
    except EOFError:
        process.join()
        return Failure(f"the process ended with status {process.exitcode}")
    finally:
        reader.close()
        process.join()


def _run(job: Job, writer: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends its children
    result: Any
    try:
        result = job.function(*job.arguments)
    except Exception as error:  # the one place where anything may have gone wrong in anyone's code
        result = failure(error)
    writer.send(result)
    writer.close()


def failure(error: Exception) -> Failure:
    """The error in one line, with the place it comes from where it is not one of ours."""
    text = " ".join(str(error).split())
    if isinstance(error, QtieError):
        return Failure(text, expected=True)
    trace, place = error.__traceback__, ""
    while trace:
        place = f" ({Path(trace.tb_frame.f_code.co_filename).name}, line {trace.tb_lineno})"
        trace = trace.tb_next
    return Failure(f"{type(error).__name__}: {text}{place}")


@contextmanager
def one_thread() -> Iterator[None]:
    """Children started here inherit an environment with one thread for linear algebra."""
    before = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
