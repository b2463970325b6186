"""A real Ray cluster of two nodes on this machine; starting it takes 5 to 30 seconds."""

import os
import signal
import warnings
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ray", reason="needs qtie[ray]")

from qtie.batch import cluster as on_cluster
from qtie.batch.run import Report, run_batch
from qtie.batch.stage import Stage, Task
from qtie.errors import BatchError

pytestmark = pytest.mark.filterwarnings("ignore")  # Ray's own
INTENTS = Task(kind="intents", extractor="grammar", reference_date=date(2025, 6, 15))


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from ray.cluster_utils import Cluster

        node: dict[str, Any] = {"num_cpus": 2, "include_dashboard": False, "min_worker_port": 20_000}
        node |= {"max_worker_port": 20_999, "object_store_memory": 150_000_000}
        cluster = Cluster(initialize_head=True, head_node_args=node)
        cluster.add_node(**{**node, "num_cpus": 1, "min_worker_port": 21_000, "max_worker_port": 21_999})
    yield cluster.address
    cluster.shutdown()


@pytest.fixture
def queries(tmp_path: Path) -> Path:
    path = tmp_path / "queries.jsonl"
    path.write_text("".join(f"who won in {1900 + n % 120} edition {n}\n" for n in range(1500)))
    return path


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name[0] != "."}


def test_the_cluster_writes_what_this_machine_writes_though_a_worker_is_killed(
    address: str, queries: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = []

    class Watched(on_cluster.RayWorker):
        def __init__(self, ray: Any, actor: Any) -> None:
            super().__init__(ray, actor)
            started.append((ray, actor.pid.remote()))

    monkeypatch.setattr(on_cluster, "RayWorker", Watched)
    monkeypatch.setattr(on_cluster._Actor, "pid", lambda self: os.getpid(), raising=False)

    def kill_one(report: Report) -> None:
        if report.n_shards == 3:
            ray, pid = started[0]
            os.kill(ray.get(pid), signal.SIGKILL)

    run_batch(INTENTS, queries, tmp_path / "a", runner="ray", address=address, shard_rows=50, progress=kill_one)
    run_batch(INTENTS, queries, tmp_path / "b", n_workers=1, shard_rows=50)
    assert len(started) == 3  # two, and one in the place of the dead one: a CPU is left to the cluster
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


def test_the_store_is_written_by_the_cluster(address: str, tmp_path: Path) -> None:
    pytest.importorskip("lance_ray", reason="needs qtie[ray]")
    from qtie.reranker import TemporalReranker
    from qtie.retrieval.store import Store, StoreSearcher
    from qtie.tie.grammar import GrammarExtractor

    lines = (f'{{"_id": "d{n}", "text": "harbour report {n}", "date": "{1900 + n}"}}\n' for n in range(100))
    (tmp_path / "corpus.jsonl").write_text("".join(lines))
    run_batch(
        Task(kind="index"), tmp_path / "corpus.jsonl", tmp_path / "s", runner="ray", address=address, shard_rows=30
    )
    store = Store.open(tmp_path / "s")
    assert (store.stats().n_docs, store.stats().n_unindexed) == (100, 0)
    searcher = StoreSearcher(store, reranker=TemporalReranker(GrammarExtractor()))
    assert searcher.search("harbour report in 1950")[0].doc_id == "d50"


def test_ray_data_takes_the_same_stage(address: str) -> None:
    import ray

    with on_cluster.connected(address, n_workers=None):
        rows = ray.data.from_items([{"query": f"won in {1900 + n}"} for n in range(20)])
        read = rows.map_batches(
            Stage, fn_constructor_args=[INTENTS], batch_format="pyarrow", batch_size=10, concurrency=1
        )
        assert sorted('"start": "1919-01-01"' in row["line"] for row in read.take_all())[-2:] == [False, True]


@pytest.mark.parametrize("where", ["127.0.0.1:1", "ray://127.0.0.1:1", "127.0.0.1:many"])
def test_a_cluster_that_is_not_there(where: str) -> None:
    with pytest.raises(BatchError, match="no Ray cluster there"), on_cluster.connected(where, n_workers=None):
        pass


def test_without_an_address_another_ones_cluster_is_left_alone(address: str) -> None:
    with on_cluster.connected(None, n_workers=1) as ray:
        assert ray.get_runtime_context().gcs_address != address
        assert ray.cluster_resources()["CPU"] == 2  # a worker's, and the one that is left to Ray
