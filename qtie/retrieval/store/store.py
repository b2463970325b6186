"""An index on disk or S3: documents with their times and vectors, added, replaced, deleted and read back whole."""

import re
from collections.abc import Coroutine, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from qtie.config import Config
from qtie.document import Document
from qtie.errors import QtieError, StoreError, require
from qtie.retrieval.encoders import Encoder, load_encoder
from qtie.retrieval.store.lock import writer_lock
from qtie.retrieval.store.schema import DOCUMENT_COLUMNS, TABLE, VERSION, arrow_schema, read_properties, to_documents
from qtie.retrieval.store.writing import Written, add_documents, create_indices, reread_times, update_indices

__all__ = ["Store", "StoreStats", "Written", "check_place", "errors_of", "waited_for"]

_IDS_PER_CONDITION = 1000
_DEFAULT = Config()
_DAMAGE = re.compile(
    r"not found|corrupt|magic number|not appear to be a Lance file|invalid range|whole buffer|too small|protobuf"
    r"|panicked",
    re.IGNORECASE,
)
"""What LanceDB says of files that are missing, cut off, or something else."""
_PANIC = "RustPanic"
"""Its error at some damaged files; a class that cannot be imported."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreStats:
    """What a store holds."""

    n_docs: int
    n_dated: int
    """How many have a time in their metadata."""
    n_unindexed: int
    """How many were added since the indices were last brought up to date; they are found all the same, but slower."""
    n_dimensions: int | None
    """Of the vectors; None where there are none."""
    encoder: str
    """The name of what made the vectors, or else its fingerprint; "" where there are none."""
    n_bytes: int
    """Of the table without its indices."""
    schema_version: int
    version: int
    """Grows with every change."""

    def to_dict(self) -> dict[str, Any]:
        """The record that `qtie stats --json` writes."""
        return asdict(self)


class Store:
    """Documents on disk or S3, indexed by words, time and, with an encoder, meaning.

    A change is whole or not at all, also when its process is killed. Searches that are under way see the store as it
    was when they began.

    Args:
        uri: a folder, or what else LanceDB opens, such as `s3://bucket/news`.
        encoder: makes the vectors of a store that has them; by default the one that it was made with, by its name.
        wait_seconds: how long a writer waits for another one.

    Raises:
        StoreError: there is none, its schema is of another version, or the encoder is another one.
        MissingExtraError: `lancedb` is not installed.
    """

    def __init__(self, uri: str | Path, *, encoder: Encoder | None = None, wait_seconds: float = 60.0) -> None:
        self.uri = str(uri)
        self._wait_seconds = wait_seconds
        self._encoder = encoder
        if not _is_remote(self.uri) and not (Path(self.uri) / f"{TABLE}.lance").is_dir():
            raise StoreError(f"{self.uri}: no store there; qtie index makes one")
        self._connection = _connect(self.uri)
        schema = self.snapshot().schema
        self._properties = read_properties(schema, where=self.uri)
        self.n_dimensions = schema.field("vector").type.list_size if "vector" in schema.names else None
        """Of the vectors; None where the store has none."""
        if encoder is not None:
            self._check(encoder)

    @classmethod
    def open(cls, uri: str | Path, *, encoder: Encoder | None = None) -> "Store":
        """The store at that place, as `Store(uri)`."""
        return cls(uri, encoder=encoder)

    @classmethod
    def create(cls, uri: str | Path, *, encoder: Encoder | None = None, encoder_name: str = "") -> "Store":
        """A new, empty store.

        Args:
            uri: a folder, made where it is missing, or what else LanceDB opens.
            encoder: makes vectors, which the store then has for every document.
            encoder_name: what `load_encoder` knows it by, so that the store can be opened without it.

        Raises:
            StoreError: there is one already, or something else, or the place cannot be written.
        """
        place = str(uri)
        check_place(place)
        n_dimensions = None if encoder is None else encoder.encode_queries([""]).shape[1]
        schema = arrow_schema(
            n_dimensions=n_dimensions, encoder=encoder.fingerprint if encoder else "", encoder_name=encoder_name
        )
        with errors_of(place):
            if not _is_remote(place):
                Path(place).mkdir(parents=True, exist_ok=True)
            connection = _connect(place)
            with writer_lock(place, wait_seconds=60):
                if _has_table(place, connection):
                    raise StoreError(f"{place}: there is a store already; qtie add adds to it")
                create_indices(connection.create_table(TABLE, schema=schema))
        return cls(place, encoder=encoder)

    @classmethod
    def open_or_create(cls, uri: str | Path, *, encoder: Encoder | None = None, encoder_name: str = "") -> "Store":
        """The store at that place; a new one where there is none."""
        with errors_of(str(uri)):
            exists = _has_table(str(uri), None if not _is_remote(str(uri)) else _connect(str(uri)))
        if exists:
            return cls(uri, encoder=encoder)
        return cls.create(uri, encoder=encoder, encoder_name=encoder_name)

    @property
    def encoder(self) -> Encoder | None:
        """What makes the vectors; None where the store has none.

        Raises:
            StoreError: it has some, but was opened without their encoder and does not know its name.
        """
        if self.n_dimensions is None:
            return None
        if self._encoder is None:
            name = self._properties["encoder_name"]
            if not name:
                raise StoreError(f"{self.uri}: has vectors of {self._properties['encoder']!r}: give that encoder")
            self._encoder = load_encoder(name)
            self._check(self._encoder)
        return self._encoder

    def snapshot(self) -> Any:
        """The table (`lancedb.table.LanceTable`) as it is now, and as it stays whatever is written."""
        with errors_of(self.uri):
            return self._connection.open_table(TABLE)

    def async_snapshot(self) -> Any:
        """The same as `lancedb.AsyncTable`: half the time per query, and many at once."""
        with errors_of(self.uri):
            return waited_for(self._async_connection.open_table(TABLE))

    def write(self, documents: Iterable[Document], *, config: Config = _DEFAULT) -> Written:
        """Add the documents, in place of those of the same ids; of several with one id the last counts.

        They are written in batches, each whole or not at all, while `documents` is read. `config` says how times in
        their texts are read, such as the order of 3/4/2010.

        Raises:
            DocumentError: one of them cannot be stored; the batches before it stay written.
            StoreError: another process writes, or the place cannot be written.
        """
        encoder = self.encoder
        with self._writing() as table:
            try:
                written = add_documents(table, documents, encoder, options=config.intent)
            except QtieError:  # of the documents: what came before them is indexed all the same
                update_indices(table)
                raise
            update_indices(table)
            return written

    def delete(self, doc_ids: Iterable[str]) -> int:
        """Delete those documents; returns how many of them were there.

        Raises:
            StoreError: another process writes, or the place cannot be written.
        """
        with self._writing() as table:
            return sum(table.delete(condition).num_deleted_rows for condition in _conditions(doc_ids))

    def reindex_times(self, *, config: Config = _DEFAULT) -> int:
        """Read all documents' times again, from the metadata that is stored with them and from their texts.

        For when `config` names other keys than it did. Texts and vectors stay as they are. Times that came with the
        document and stand in no metadata stay too. Returns how many documents there are.

        Raises:
            StoreError: another process writes, or the place cannot be written.
        """
        with self._writing() as table:
            n_docs = reread_times(table, config, lookup=self._found)
            update_indices(table)
            return n_docs

    def documents(self, doc_ids: Iterable[str]) -> list[Document]:
        """Those documents, whole, in that order.

        Raises:
            StoreError: one of them is not there.
        """
        wanted = list(doc_ids)
        found = {document.doc_id: document for document in self._found(wanted)}
        missing = next((doc_id for doc_id in wanted if doc_id not in found), None)
        if missing is not None:
            raise StoreError(f"{self.uri}: no document {missing!r}")
        return [found[doc_id] for doc_id in wanted]

    def stats(self) -> StoreStats:
        """How many documents there are, and what they have."""
        table = self.snapshot()
        with errors_of(self.uri):
            n_docs = table.count_rows()
            return StoreStats(
                n_docs=n_docs,
                n_dated=table.count_rows("dated = true"),
                n_unindexed=table.index_stats("content_idx").num_unindexed_rows if n_docs else 0,
                n_dimensions=self.n_dimensions,
                encoder=self._properties["encoder_name"] or self._properties["encoder"],
                n_bytes=table.stats()["total_bytes"],
                schema_version=VERSION,
                version=table.version,
            )

    def _found(self, doc_ids: Sequence[str]) -> list[Document]:
        table = self.snapshot()
        with errors_of(self.uri):
            found = table.search().select(list(DOCUMENT_COLUMNS)).limit(None)
            parts = [found.where(condition).to_arrow() for condition in _conditions(doc_ids)]
        return [document for part in parts for document in to_documents(part)]

    @cached_property
    def _async_connection(self) -> Any:
        return waited_for(require("lancedb", extra="store").connect_async(self.uri))

    @contextmanager
    def _writing(self) -> Iterator[Any]:
        with errors_of(self.uri), writer_lock(self.uri, wait_seconds=self._wait_seconds):
            yield self._connection.open_table(TABLE)

    def _check(self, encoder: Encoder) -> None:
        if self.n_dimensions is None:
            raise StoreError(f"{self.uri}: was made without vectors; index into a new folder to have them")
        if encoder.fingerprint != self._properties["encoder"]:
            made, given = self._properties["encoder"], encoder.fingerprint
            raise StoreError(f"{self.uri}: its vectors were made by {made!r}, not by {given!r}; index it again")


def check_place(uri: str) -> None:
    """Refuse a place where a store would stand among other things: a file, such as the corpus, or a folder of them.

    Raises:
        StoreError: it holds what is neither a table nor the books of `qtie batch`.
    """
    place = Path(uri)
    if _is_remote(uri) or not place.exists():
        return
    if not place.is_dir():
        raise StoreError(f"{uri}: a file, where a store would be a folder; give a new folder")
    names = sorted(item.name for item in place.iterdir())
    if other := [
        name for name in names if not name.startswith(".") and name != "parts" and not name.endswith(".lance")
    ]:
        raise StoreError(f"{uri}: holds {other[0]!r}, which is no part of a store; give a new folder")


def waited_for(answer: Coroutine[Any, Any, Any]) -> Any:
    """What LanceDB answers, by the event loop that it runs in a thread of its own."""
    return require("lancedb.background_loop", extra="store").LOOP.run(answer)


@contextmanager
def errors_of(uri: str) -> Iterator[None]:
    """Turns what LanceDB raises into a StoreError that begins with the place."""
    try:
        yield
    except Exception as error:
        is_its_own = isinstance(error, OSError | RuntimeError | ValueError) or type(error).__name__ == _PANIC
        if isinstance(error, QtieError) or not is_its_own:
            raise
        raise StoreError(f"{uri}: {_problem(uri, error)}") from error


def _problem(uri: str, error: Exception) -> str:
    """What went wrong, without the places in LanceDB's source that it names."""
    text = " ".join(str(error).split())
    for words, meaning in (("No space left", "the disk is full"), ("File too large", "the file would grow too large")):
        if words in text:
            return f"{meaning}; what was written before is kept"
    if isinstance(error, OSError) and error.strerror:
        return f"cannot be written: {error.strerror}"
    if _is_remote(uri) and "Table '" in text and "not found" in text:
        return "no store there; qtie index makes one"
    if _DAMAGE.search(text):
        file = re.search(r"[\w.-]+\.(?:lance|manifest|idx|txn)\b(?!/)", text)
        which = f"a file of it, {file[0]}," if file else "a file of it"
        return f"the store is damaged: {which} is missing or broken; index the corpus again, in a new folder"
    return text.split(", /")[0][:300]


def _connect(uri: str) -> Any:
    with errors_of(uri):
        return require("lancedb", extra="store").connect(uri)


def _is_remote(uri: str) -> bool:
    return "://" in uri


def _has_table(uri: str, connection: Any) -> bool:
    if _is_remote(uri):
        return TABLE in connection.list_tables().tables
    return (Path(uri) / f"{TABLE}.lance").is_dir()


def _conditions(doc_ids: Iterable[str]) -> Iterator[str]:
    """The ids as conditions of at most a thousand each."""
    wanted = list(dict.fromkeys(doc_ids))
    for at in range(0, len(wanted), _IDS_PER_CONDITION):
        names = ", ".join("'{}'".format(name.replace("'", "''")) for name in wanted[at : at + _IDS_PER_CONDITION])
        yield f"doc_id IN ({names})"
