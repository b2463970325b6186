"""One writer at a time for a store in a local folder; a killed one leaves no lock behind."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from qtie.errors import StoreError

__all__ = ["writer_lock"]

_FILE = ".writer"
_PAUSE_SECONDS = 0.05


@contextmanager
def writer_lock(uri: str, *, wait_seconds: float) -> Iterator[None]:
    """Hold the store's lock, waiting for the process that has it; the system frees it when its holder dies.

    A store that is no local folder (`s3://…`) has none: there LanceDB tells writers apart when they commit, and two
    that add the same new document at once may both succeed. The same holds on Windows.

    Raises:
        StoreError: another process still writes after `wait_seconds`, or the folder cannot be written.
    """
    try:
        import fcntl
    except ModuleNotFoundError:  # Windows
        yield
        return
    if "://" in uri:
        yield
        return
    try:
        file = (Path(uri) / _FILE).open("a")
    except OSError as error:
        raise StoreError(f"{uri}: cannot be written: {error.strerror}") from error
    with file:
        give_up = time.monotonic() + wait_seconds
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError:
                if time.monotonic() > give_up:
                    problem = f"another process has been writing for {wait_seconds:g} seconds; try again later"
                    raise StoreError(f"{uri}: {problem}") from None
                time.sleep(_PAUSE_SECONDS)
        yield
