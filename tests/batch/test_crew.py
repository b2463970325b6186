"""The loop over workers, with workers that are no processes."""

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from qtie.batch.crew import READY, Death, results
from qtie.batch.shards import Shard
from qtie.errors import BatchError, DocumentError


class Pretended:
    """A worker that doubles numbers; `says` may put something else in the place of an answer."""

    def __init__(self, crew: "PretendedCrew") -> None:
        self.crew, self.next, self.ended = crew, READY, False

    def give(self, table: Any) -> None:
        self.next = self.crew.says(table)

    def end(self) -> None:
        self.ended = True


class PretendedCrew:
    def __init__(self, says: Any = lambda number: 2 * number) -> None:
        self.says, self.workers = says, list[Pretended]()

    def start(self) -> Pretended:
        self.workers.append(Pretended(self))
        return self.workers[-1]

    def heard(self, workers: Sequence[Pretended]) -> list[tuple[Pretended, Any]]:
        assert workers, "nothing would ever be heard"
        assert not any(worker.ended for worker in workers)
        return [(worker, worker.next) for worker in workers[-1:]]  # the youngest first: out of order


def shards(n: int) -> Iterator[Shard]:
    return (Shard(number, number, "") for number in range(n))


@pytest.mark.parametrize("n_workers", [1, 2, 5])
@pytest.mark.parametrize("n", [0, 1, 7])
def test_every_shard_gives_one_result(n: int, n_workers: int) -> None:
    crew = PretendedCrew()
    found = [(shard.number, said) for shard, said in results(crew, shards(n), n_workers=n_workers)]
    assert sorted(found) == [(number, 2 * number) for number in range(n)]
    assert len(crew.workers) <= n_workers
    assert crew.workers or not n
    assert all(worker.ended for worker in crew.workers)


def test_the_shard_of_a_dead_worker_goes_to_another() -> None:
    killed = [0, 3, 4, 6]
    crew = PretendedCrew(
        lambda number: Death("killed") if number in killed and killed.remove(number) is None else -number
    )
    found = [shard.number for shard, said in results(crew, shards(7), n_workers=2)]
    assert sorted(found) == list(range(7))
    assert not killed


def test_a_shard_that_kills_every_worker_is_an_error() -> None:
    crew = PretendedCrew(lambda number: Death("status -11") if number == 1 else number)
    with pytest.raises(BatchError, match="in shard 1, 3 times in all: status -11"):
        list(results(crew, shards(3), n_workers=2))
    assert all(worker.ended for worker in crew.workers)


def test_what_a_worker_meets_is_raised_and_ends_all() -> None:
    crew = PretendedCrew(lambda number: DocumentError("line 7: broken") if number == 2 else number)
    with pytest.raises(DocumentError, match="line 7"):
        list(results(crew, shards(9), n_workers=2))
    assert all(worker.ended for worker in crew.workers)


def test_shards_are_read_when_there_is_a_worker_for_them() -> None:
    read = []

    def watched() -> Iterator[Shard]:
        for shard in shards(50):
            read.append(shard.number)
            yield shard

    for n_done, _ in enumerate(results(PretendedCrew(), watched(), n_workers=2), 1):
        assert len(read) <= n_done + 4
