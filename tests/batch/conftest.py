"""Workers in this process, so that a test need not wait for others to start."""

from collections.abc import Sequence
from typing import Any

import pytest

from qtie.batch import run
from qtie.batch.crew import READY
from qtie.batch.stage import Stage, Task
from qtie.errors import QtieError


class Worker:
    def __init__(self, task: Task) -> None:
        self._stage, self.said = Stage(task), READY

    def give(self, table: Any) -> None:
        try:
            self.said = self._stage(table)
        except QtieError as error:
            self.said = error  # type: ignore[assignment]

    def end(self) -> None:
        pass


class CrewHere:
    def __init__(self, task: Task) -> None:
        self._task = task

    def start(self) -> Worker:
        return Worker(self._task)

    def heard(self, workers: Sequence[Worker]) -> list[tuple[Worker, Any]]:
        return [(workers[0], workers[0].said)]


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "LocalCrew", CrewHere)
    monkeypatch.setattr(run, "n_cores", lambda: 1)
