import gzip
import io
import json
import sys
import warnings

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from qtie.config import Config, DocumentOptions
from qtie.corpus import read_corpus, read_records
from qtie.errors import DocumentError, QtieWarning

LINES = b'{"_id": "a", "text": "One", "metadata": {"date": "2001"}}\n{"doc_id": "b", "text": "Two", "score": 0.5}\n'


def summary(source, **options):
    documents = read_corpus(source, config=Config(documents=DocumentOptions(**options)))
    return [(d.doc_id, d.text, d.score, [str(t.interval) for t in d.times.get("timestamp", ())]) for d in documents]


EXPECTED = [("a", "One", None, ["2001-01-01/2001-12-31"]), ("b", "Two", 0.5, [])]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("corpus.jsonl", LINES),
        ("corpus.ndjson", LINES),
        ("corpus", LINES),
        ("corpus.jsonl", b"\xef\xbb\xbf" + LINES),
        ("corpus.jsonl", LINES.replace(b"\n", b"\r\n\r\n").rstrip()),
        ("corpus.v1.jsonl.gz", gzip.compress(LINES, mtime=0)),
        ("corpus.csv", b"\xef\xbb\xbf_id, text,date,score\r\na,One,2001,\r\n\r\nb,Two,,0.5\r\n"),
        ("corpus.csv", b'_id,text,metadata,score\na,One,"{""date"": ""2001""}"\nb,Two,,0.5\n'),
        ("corpus.tsv", b"doc_id\ttext\tscore\tdate\na\tOne\t\t2001\nb\tTwo\t0.5\t\n"),
        ("corpus.tsv.gz", gzip.compress(b"doc_id\ttext\tscore\tdate\na\tOne\t\t2001\nb\tTwo\t0.5\t\n")),
    ],
)
def test_files(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    assert summary(tmp_path / name) == EXPECTED
    assert summary(str(tmp_path / name)) == EXPECTED


def test_stdin(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(LINES)))
    assert summary("-") == EXPECTED


def test_long_and_quoted_cells(tmp_path):
    text = 'first line\nsecond "line", ' + "x" * 200_000
    quoted = text.replace('"', '""')
    (tmp_path / "c.csv").write_text(f'_id,text\na,"{quoted}"\nb,\n')
    with pytest.raises(DocumentError, match="line 4: field 'text': missing"):
        list(read_corpus(tmp_path / "c.csv"))
    assert next(read_corpus(tmp_path / "c.csv")).text == text


def test_a_folder_of_notes(tmp_path):
    notes = {
        "b.md": "---\r\ntitle: 1984\r\ndate: 2019-03-05\r\ntags: [x, y]\r\nscore: 0.5\r\n---\r\nThe text\r\n",
        "a/b.txt": "﻿Plain text",
        "c.markdown": "---\ndoc_id: own\ndate: 2019\nvalid_from: 2001-02\n...\nText",
        "d.md": "---\nno front matter at all\n---\n",
        "e.md": "---\n---\nempty front matter",
        ".git/x.md": "hidden",
        "picture.png": "not a note",
    }
    for name, content in notes.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content.encode())
    documents = {document.doc_id: document for document in read_corpus(tmp_path)}
    assert list(documents) == ["a/b.txt", "b.md", "own", "d.md", "e.md"]
    assert documents["a/b.txt"].text == "Plain text"
    assert (documents["b.md"].title, documents["b.md"].text) == ("1984", "The text\r\n")
    assert documents["b.md"].score == 0.5
    assert documents["b.md"].metadata["tags"] == ["x", "y"]
    assert str(documents["b.md"].times["timestamp"][0].interval) == "2019-03-05/2019-03-05"
    assert str(documents["own"].times["validity"][0].interval) == "2001-02-01/.."
    assert documents["d.md"].text == notes["d.md"]
    assert documents["e.md"].text == "empty front matter"


@pytest.mark.parametrize(
    ("name", "time"),
    [
        ("2019-03-minutes.md", "2019-03-01/2019-03-31"),
        ("2019-03-05.txt", "2019-03-05/2019-03-05"),
        ("Minutes 2019-03-05.md", "2019-03-05/2019-03-05"),
        ("minutes_2019-03.md", "2019-03-01/2019-03-31"),
        ("2019 review.md", "2019-01-01/2019-12-31"),
        ("inner/review-2019.md", "2019-01-01/2019-12-31"),
        ("2019/minutes.md", None),
        ("room-2004.md", None),
        ("2001-a-space-odyssey.md", None),
        ("2019-20-season.md", None),
        ("2019-02-30.md", None),
        ("2019-13-x.md", None),
        ("2019-01 to 2019-03.md", None),
        ("x-2019-03-05-v2.md", None),
        ("20190305-minutes.md", None),
        ("budget2019.md", None),
    ],
)
def test_a_date_in_the_name_of_a_note(tmp_path, name, time):
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("The minutes")
    (document,) = read_corpus(tmp_path)
    assert [str(found.interval) for found in document.times.get("timestamp", ())] == ([time] if time else [])


def test_front_matter_and_other_keys_come_before_the_name_of_a_note(tmp_path):
    (tmp_path / "2019-03-a.md").write_text("---\nyear: 2012\n---\nThe minutes")
    (tmp_path / "2019-03-b.md").write_text("---\ndate: n/a\n---\nThe minutes")
    years, names = read_corpus(tmp_path)
    assert str(years.times["timestamp"][0].interval) == "2012-01-01/2012-12-31"
    assert (names.times["timestamp"][0].source, len(names.times)) == ("file_date", 1)
    (document, _) = read_corpus(tmp_path, config=Config(documents=DocumentOptions(time_keys=("filed",))))
    assert not document.times


def test_a_bad_date_in_front_matter_is_only_a_missing_time(tmp_path):
    (tmp_path / "a.md").write_text("---\ndate: 2019-02-30\n---\nText")
    with pytest.warns(QtieWarning, match="'date'"):
        assert summary(tmp_path) == [("a.md", "Text", None, [])]


def test_chunks_inherit_from_the_parent_before_them(tmp_path):
    records = [
        {"_id": "p", "text": "", "date": "2001"},
        {"_id": "p#1", "text": "", "parent_id": "p"},
        {"_id": "p#2", "text": "", "metadata": {"parent_id": "p#1", "date": "2002"}},
        {"_id": "x", "text": "", "parent_id": "elsewhere"},
    ]
    (tmp_path / "c.jsonl").write_text("\n".join(map(json.dumps, records)))
    times = [row[3] for row in summary(tmp_path / "c.jsonl")]
    assert times == [["2001-01-01/2001-12-31"]] * 2 + [["2002-01-01/2002-12-31"], []]


OK = b'{"_id": "a", "text": "t"}\n'


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("c.jsonl", b"", ": no documents in it"),
        ("c.jsonl", b"\n \r\n", ": no documents in it"),
        ("c.csv", b"_id,text\n", ": no documents in it"),
        ("c.jsonl", OK + b"{oops\n", ", line 2: broken JSON at column 2"),
        ("c.jsonl", OK + b"[1]\n", r", line 2: expected a JSON object, got \[1\]"),
        ("c.jsonl", b"[" * 100_000, ", line 1: broken JSON"),
        ("c.jsonl", b"1" * 5_000, ", line 1: broken JSON"),
        ("c.jsonl", OK + b'\n{"_id": "b"}', ", line 3: field 'text': missing"),
        ("c.jsonl", OK + b'{"text": "t"}', ", line 2: field '_id': missing"),
        ("c.jsonl", OK + OK, r", line 2: field '_id': 'a' stands already in .*c.jsonl, line 1"),
        ("c.jsonl", b'{"_id": "a", "text": "t", "score": NaN}', ", line 1: field 'score': .*got float nan"),
        ("c.jsonl", b'{"_id": "a", "text": "t", "score": 1e999}', ", line 1: field 'score': .*got float inf"),
        ("c.jsonl", OK + b'{"_id": "b", "text": "\xe9"}', ", line 2: not UTF-8 at byte 23"),
        ("c.jsonl", b'{"_id": "a", "text": "\\ud83d"}', ", line 1: holds half a surrogate pair"),
        ("c.jsonl.gz", OK, ": Not a gzipped file"),
        ("c.jsonl.gz", gzip.compress(OK, mtime=0)[:-9], ": .*ended before the end"),
        ("c.csv", b"_id,text\na,t,x\n", ", line 2: 3 fields, but the header has 2"),
        ("c.csv", b"_id,text,text\na,t,x\n", ", line 1: the header has the same name twice"),
        ("c.csv", b"_id,text,score\na,t,high\n", ", line 2: field 'score': expected a number, got 'high'"),
        ("c.csv", b"_id,text,metadata\na,t,{x\n", ", line 2: field 'metadata': broken JSON"),
        ("c.csv", b'_id,text\na,"t\n', ", line 2: unexpected end of data"),
        ("c.csv", b"_id,text\na,t\na,u\n", ", line 3: field '_id': 'a' stands already in .*line 2"),
        ("c.pdf", b"%PDF", ": unknown kind of file; expected .jsonl, .ndjson, .csv, .tsv, .parquet or a folder"),
        ("a.md", b"---\na: [\n---\n", ": front matter is not YAML: .*"),
        ("a.md", b"\xff", ": not UTF-8 at byte 1"),
        ("a.md", b"---\ntitle: [x]\n---\n", ": field 'title': expected a string"),
    ],
    ids=repr,
)
def test_errors_name_file_line_and_field(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    source = tmp_path if name.endswith(".md") else tmp_path / name
    with pytest.raises(DocumentError, match=f"^{tmp_path / name}{message}") as caught:
        list(read_corpus(source))
    assert "\n" not in str(caught.value)


def test_what_is_not_there(tmp_path):
    with pytest.raises(DocumentError, match="No such file"):
        list(read_corpus(tmp_path / "c.jsonl"))
    with pytest.raises(DocumentError, match="no documents in it"):
        list(read_corpus(tmp_path))


def test_reading_is_lazy(tmp_path):
    (tmp_path / "c.jsonl").write_bytes(OK + b"{oops\n")
    assert next(read_records(tmp_path / "c.jsonl")).fields == {"_id": "a", "text": "t"}


RECORD = st.dictionaries(
    st.sampled_from(["_id", "text", "date", "score", "metadata"]), st.text() | st.floats(), min_size=1
)
BYTES = st.binary() | st.text().map(str.encode) | RECORD.map(lambda record: json.dumps(record).encode())
CELLS = st.text("abc,\"'\t\r\n\x00é_idtext1-:[]{}", max_size=40)
TABLES = st.tuples(st.just("_id,text,score\n"), CELLS).map(lambda parts: "".join(parts).encode())
NOTES = CELLS.map(lambda text: f"---\n{text}\n---\nText".encode())


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.sampled_from(["c.jsonl", "c.csv", "c.tsv", "c.jsonl.gz", "n.md"]), BYTES | TABLES | NOTES)
def test_nothing_but_our_own_errors_and_warnings(tmp_path, name, content):
    folder = tmp_path / name.replace(".", "_")
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(content)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", QtieWarning)
        try:
            documents = list(read_corpus(folder if name == "n.md" else folder / name))
        except DocumentError as error:
            message = str(error)
        else:
            message = f"{folder}: {len(documents)} documents"
    assert message.startswith(str(folder))


def test_broken_lines_can_be_passed_over(tmp_path):
    path = tmp_path / "c.jsonl"
    lines = [b'{"_id": "a", "text": "x"}', b"{broken", b"[1]", b'{"_id": "b", "text": "\xff"}', b"", b'{"_id": "c"}']
    path.write_bytes(b"\n".join([*lines, b'{"_id": "a", "text": "again"}', b'{"_id": "d", "text": "y"}']))
    skipped = []
    assert [document.doc_id for document in read_corpus(path, on_error=skipped.append)] == ["a", "d"]
    places = [int(record.reason.removeprefix(f"{path}, line ").split(":")[0]) for record in skipped]
    assert places == [2, 3, 4, 6, 7]
    assert skipped[0].line == "{broken"
    assert skipped[2].line == '{"_id": "b", "text": "\ufffd"}'


def test_rows_of_a_table_can_be_passed_over(tmp_path):
    path = tmp_path / "c.csv"
    path.write_text("id,text,score\na,x,1\nb,y,z\nc,u,v,w\nd,z,\n", encoding="utf-8")
    skipped = []
    assert [record.fields["id"] for record in read_records(path, on_error=skipped.append)] == ["a", "d"]
    assert [record.line for record in skipped] == ["b,y,z", "c,u,v,w"]
