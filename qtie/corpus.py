"""Corpora as files: JSON lines, tables and folders of notes, read one document at a time."""

import csv
import gzip
import json
import re
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from qtie.config import Config
from qtie.document import Document, DocumentTime
from qtie.errors import DocumentError, require
from qtie.file_date import FILE_DATE, file_date

__all__ = ["CorpusRecord", "OnError", "SkippedRecord", "parse_record", "read_corpus", "read_lines", "read_records"]

_DEFAULT = Config()


class CorpusRecord(NamedTuple):
    """One document as its file holds it."""

    where: str
    """File and line, for messages."""
    fields: Mapping[str, Any]
    """As `Document.from_record` takes it."""


class SkippedRecord(NamedTuple):
    """A record that is no document, and why."""

    reason: str
    """Begins with file and line."""
    line: str
    """As it stands in the file, with a replacement for what is no UTF-8; "" where it is no line."""


OnError = Callable[[SkippedRecord], None]
"""Takes the records that are passed over."""


def read_corpus(
    source: Path | str, *, config: Config = _DEFAULT, on_error: OnError | None = None
) -> Iterator[Document]:
    """The documents of a file, a folder or `-` (stdin), in order, as `read_records` finds them.

    A document whose `parent_id` names one that stands before it inherits that one's times.

    Args:
        source: its path.
        config: where documents keep their times.
        on_error: is handed what is no document, which is then passed over; by default it is an error. A table's broken
            quotes and a gzip file that ends too early stop the reading in any case.

    Raises:
        DocumentError: the source cannot be read or is empty, a document is faulty or its id stands there twice; names
            file, line and field.

    Example:
        >>> list(read_corpus("missing.jsonl"))
        Traceback (most recent call last):
        qtie.errors.DocumentError: missing.jsonl: No such file or directory
    """
    seen: dict[str, tuple[str, Mapping[str, tuple[DocumentTime, ...]]]] = {}
    for where, fields in read_records(source, on_error=on_error):
        try:
            document = Document.from_record(fields, config=config)
            if document.doc_id in seen:
                raise DocumentError(f"field '_id': {document.doc_id!r} stands already in {seen[document.doc_id][0]}")
        except DocumentError as error:
            _pass_over(DocumentError(f"{where}: {error}"), _as_line(fields), on_error)
            continue
        parent_id = str(document.metadata.get("parent_id"))
        if parent_id in seen:
            document = replace(document, times={**seen[parent_id][1], **document.times})
        seen[document.doc_id] = (where, document.times)
        yield document


def read_records(source: Path | str, *, on_error: OnError | None = None) -> Iterator[CorpusRecord]:
    """The records of a corpus in order, their fields unchecked.

    Read are `.jsonl`, `.csv` and `.tsv` files (the latter two with a header line), all of them also as `.gz`;
    `.parquet` files; a folder of Markdown and text files, each with optional YAML front matter, its path within the
    folder as id, and the date with which its name begins or ends as `file_date`; a BEIR folder, which has
    `corpus.jsonl`; and `-`, JSON lines from stdin. A record has `_id` or `doc_id`, `text`, and optionally `title`,
    `metadata`, `score`; other fields count as metadata.

    Args:
        source: its path.
        on_error: is handed the broken lines, which are then passed over; by default they are errors.

    Raises:
        DocumentError: the source cannot be read, is empty, or is broken; names file and line.
        MissingExtraError: a `.parquet` file without `pyarrow`.
    """
    path, name = Path(source), _name(source)
    with _errors_at(name):
        if name != _STDIN and (path / "corpus.jsonl").is_file():  # a BEIR folder
            path, name = path / "corpus.jsonl", f"{name}/corpus.jsonl"
        is_folder = name != _STDIN and path.is_dir()
    empty = True
    for record in _read_notes(path) if is_folder else _read_file(path, name, on_error):
        empty = False
        yield record
    if empty:
        raise DocumentError(f"{name}: no documents in it")


def read_lines(source: Path | str, *, on_error: OnError | None = None) -> Iterator[tuple[str, str]]:
    """Each line of a file or of `-` (stdin) with its place, for messages; its line break is kept.

    Read are UTF-8, with or without a byte order mark, and gzip for names that end in `.gz`.

    Args:
        source: its path.
        on_error: is handed the lines that are no UTF-8, which are then passed over; by default they are errors.

    Raises:
        DocumentError: the source cannot be read; names file and line.
    """
    for line in _raw_lines(Path(source), _name(source)):
        try:
            text = line.text
        except DocumentError as error:
            _pass_over(error, line.shown, on_error)
            continue
        yield line.where, text


def parse_record(line: bytes, where: str) -> dict[str, Any]:
    """The JSON object that one line of a corpus holds.

    Raises:
        DocumentError: it holds none, or is not UTF-8; the message begins with `where`.

    Example:
        >>> parse_record(b'{"_id": "a", "text": "..."}', "line 1")
        {'_id': 'a', 'text': '...'}
    """
    return _parse_object(_decode(line, where, encoding="utf-8"), where)


_STDIN = "<stdin>"


def _name(source: Path | str) -> str:
    if not str(source):
        raise DocumentError("the name of the file is empty")
    return _STDIN if str(source) == "-" else str(source)


class _Line(NamedTuple):
    where: str
    raw: bytes
    encoding: str

    @property
    def text(self) -> str:
        return _decode(self.raw, self.where, encoding=self.encoding)

    @property
    def shown(self) -> str:
        """What of it can be shown, whatever its bytes."""
        return self.raw.decode("utf-8", "replace").rstrip("\r\n")


def _raw_lines(path: Path, name: str) -> Iterator[_Line]:
    with _errors_at(name), _open(path, name) as file:
        for number, raw in enumerate(file, 1):
            yield _Line(f"{name}, line {number}", raw, "utf-8-sig" if number == 1 else "utf-8")


def _pass_over(error: DocumentError, line: str, on_error: OnError | None) -> None:
    if on_error is None:
        raise error
    on_error(SkippedRecord(str(error), line))


def _as_line(fields: Mapping[str, Any]) -> str:
    return json.dumps(fields, ensure_ascii=False, default=str)


def _read_file(path: Path, name: str, on_error: OnError | None) -> Iterator[CorpusRecord]:
    suffix = (path.with_suffix("") if path.suffix.lower() == ".gz" else path).suffix.lower()
    if suffix == ".parquet":
        return _read_parquet(path, name)
    if suffix not in _FORMATS:
        known = ", ".join([*filter(None, _FORMATS), ".parquet"])
        raise DocumentError(f"{name}: unknown kind of file; expected {known} or a folder")
    return _FORMATS[suffix](_raw_lines(path, name), name, on_error)


_Lines = Iterator[_Line]


def _read_parquet(path: Path, name: str) -> Iterator[CorpusRecord]:
    parquet = require("pyarrow.parquet", extra="store")
    number = 0
    with _errors_at(name):  # errors of Arrow are ValueErrors and OSErrors
        for batch in parquet.ParquetFile(path).iter_batches(batch_size=1024):
            for row in batch.to_pylist():
                number += 1
                fields = {field: value for field, value in row.items() if value is not None}
                yield CorpusRecord(f"{name}, row {number}", fields)


def _read_jsonl(lines: _Lines, name: str, on_error: OnError | None) -> Iterator[CorpusRecord]:
    for line in lines:
        try:
            text = line.text
            record = CorpusRecord(line.where, _parse_object(text, line.where)) if text.strip() else None
        except DocumentError as error:
            _pass_over(error, line.shown, on_error)
            continue
        if record is not None:
            yield record


def _parse_object(text: str, where: str) -> dict[str, Any]:
    fields = _parse_json(text, where)
    if not isinstance(fields, dict):
        raise DocumentError(f"{where}: expected a JSON object, got {text.strip()[:40]}")
    return fields


def _read_table(lines: _Lines, name: str, on_error: OnError | None, *, delimiter: str = ",") -> Iterator[CorpusRecord]:
    csv.field_size_limit(2**31 - 1)  # a document may be longer than the 128 KB that csv allows
    rows = csv.reader((line.text for line in lines), delimiter=delimiter, strict=True)
    header: list[str] = []
    while True:
        where = f"{name}, line {rows.line_num + 1}"
        with _errors_at(where):
            cells = next(rows, None)
        if cells is None:
            return
        if not header:
            header = [cell.strip() for cell in cells]
            if len(set(header)) < len(header):
                raise DocumentError(f"{where}: the header has the same name twice: {', '.join(header)}")
        elif cells:
            try:
                record = CorpusRecord(where, _typed(_row(header, cells, where), where))
            except DocumentError as error:
                _pass_over(error, delimiter.join(cells), on_error)
                continue
            yield record


def _row(header: list[str], cells: list[str], where: str) -> dict[str, Any]:
    if len(cells) > len(header):
        raise DocumentError(f"{where}: {len(cells)} fields, but the header has {len(header)}")
    return {field: cell for field, cell in zip(header, cells, strict=False) if cell}


def _read_tsv(lines: _Lines, name: str, on_error: OnError | None) -> Iterator[CorpusRecord]:
    return _read_table(lines, name, on_error, delimiter="\t")


_FORMATS: dict[str, Callable[[_Lines, str, OnError | None], Iterator[CorpusRecord]]] = {
    ".jsonl": _read_jsonl,
    ".ndjson": _read_jsonl,
    ".csv": _read_table,
    ".tsv": _read_tsv,
    "": _read_jsonl,  # `-` and pipes such as /dev/fd/63
}


def _read_notes(folder: Path) -> Iterator[CorpusRecord]:
    for path in sorted(folder.rglob("*")):
        inner = path.relative_to(folder)
        if path.suffix.lower() in (".md", ".markdown", ".txt") and not any(part[0] == "." for part in inner.parts):
            where = str(path)
            with _errors_at(where):
                if not path.is_file():  # a folder of that name; a pipe, which would be waited for
                    continue
                text = _decode(path.read_bytes(), where, encoding="utf-8-sig")
            front, text = _front_matter(text, where)
            has_id = any(front.get(key) for key in ("_id", "doc_id", "id"))
            named = {FILE_DATE: date} if (date := file_date(path.stem)) else {}
            fields = {**named, **front, **({} if has_id else {"_id": inner.as_posix()}), "text": text}
            _check_characters(fields, where)
            yield CorpusRecord(where, _typed(fields, where))


_FRONT_MATTER = re.compile(r"---[ \t]*\r?\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)


def _front_matter(text: str, where: str) -> tuple[dict[str, Any], str]:
    """The fields before a note's text, and the text; a rule of dashes that opens a text is no front matter."""
    match = _FRONT_MATTER.match(text)
    if match is None:
        return {}, text
    import yaml

    try:
        if "*" in match[1] and any(isinstance(token, yaml.AliasToken) for token in yaml.scan(match[1])):
            raise ValueError("aliases (*name) are not read")  # a few lines of them unfold to gigabytes
        # BaseLoader leaves every scalar a string: `title: 1984` is a title, and `date: 2019-02-30` is only a bad date.
        fields = yaml.load(match[1], Loader=yaml.BaseLoader)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        problem = " ".join(str(error).split())
        raise DocumentError(f"{where}: front matter is not YAML: {problem}") from error
    if isinstance(fields, dict):
        return fields, text[match.end() :]
    return {}, text[match.end() :] if not fields else text


def _typed(fields: dict[str, Any], where: str) -> dict[str, Any]:
    """Fields of a format that knows only strings, with `score` as a number and `metadata` as an object."""
    typed = dict(fields)
    if isinstance(typed.get("score"), str):
        try:
            typed["score"] = float(typed["score"])
        except ValueError:
            raise DocumentError(f"{where}: field 'score': expected a number, got {typed['score']!r}") from None
    if isinstance(typed.get("metadata"), str):
        typed["metadata"] = _parse_json(typed["metadata"], f"{where}: field 'metadata'")
    return typed


def _parse_json(text: str, where: str) -> Any:
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise DocumentError(f"{where}: broken JSON at column {error.colno}: {error.msg}") from error
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, or nested too deeply
        raise DocumentError(f"{where}: broken JSON: {error}") from error
    if _SURROGATE.search(text):
        _check_characters(value, where)
    return value


_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def _check_characters(value: object, where: str) -> None:
    """Refuses half a surrogate pair, which no output could be written with."""
    with _errors_at(where):
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise DocumentError(f"{where}: holds half a surrogate pair, which is no character") from None


def _open(path: Path, name: str) -> AbstractContextManager[Iterable[bytes]]:
    if name != _STDIN:
        return gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb")
    if sys.stdin is None:
        raise DocumentError(f"{name}: is closed")
    return nullcontext(sys.stdin.buffer)


def _decode(raw: bytes, where: str, *, encoding: str) -> str:
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError as error:
        raise DocumentError(f"{where}: not UTF-8 at byte {error.start + 1}") from error


@contextmanager
def _errors_at(where: str) -> Iterator[None]:
    """Turns what goes wrong in reading into a DocumentError that begins with the place."""
    try:
        yield
    except DocumentError:
        raise
    except OSError as error:
        raise DocumentError(f"{where}: {error.strerror or error}") from error
    except (EOFError, RecursionError, ValueError, csv.Error, zlib.error) as error:
        raise DocumentError(f"{where}: {error}") from error
