"""Training questions: read, told apart by their specifier, made wrong, and made into triples."""

import gzip
import json
from pathlib import Path
from random import Random

import pytest

from qtie.errors import ConfigError, DocumentError
from qtie.retrieval.temporal.questions import RetrievalQuestion, read_questions, specifier_of
from qtie.retrieval.temporal.recipes import RECIPES, dense, tempretriever, tscontriever
from qtie.retrieval.temporal.training import RetrieverRecipe
from qtie.retrieval.temporal.wrong_times import with_wrong_time
from qtie.tie.grammar import GrammarExtractor

CLUB = RetrievalQuestion(
    question="Who led the club in 1990?",
    positives=("Ann led it from 1988 to 1992.",),
    negatives=("Bo led it in 2003.",),
    specifier="in",
)
TEAM = RetrievalQuestion(
    question="Which team did Eve play for before May 1991?",
    positives=("Eve played for Barnet in 1990.", "Ann led it from 1988 to 1992."),
    specifier="before",
)


def _write(path: Path, *records: object) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def test_a_file_is_read_and_the_specifier_found(tmp_path: Path) -> None:
    line = {"question": "Who led it in late 1990s?", "positives": ["Ann."], "negatives": ["Bo.", "Ann.", " "]}
    (read,) = read_questions(_write(tmp_path / "a.jsonl", line))
    assert read == RetrievalQuestion(
        question=line["question"], positives=("Ann.",), negatives=("Bo.",), specifier="in late"
    )  # fmt: skip


def test_a_folder_is_all_its_files_in_order(tmp_path: Path) -> None:
    _write(tmp_path / "b.jsonl", {"question": "second", "positives": ["x"]})
    with gzip.open(tmp_path / "a.jsonl.gz", "wt") as file:
        file.write('{"question": "first", "positives": ["x"]}\n\n')
    _write(tmp_path / "notes.json", "other")
    assert [each.question for each in read_questions(tmp_path)] == ["first", "second"]


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ([], "expected an object"),
        ({"positives": ["x"]}, "field 'question'"),
        ({"question": "q"}, "field 'positives': expected at least one"),
        ({"question": "q", "positives": "x"}, "field 'positives': expected a list"),
        ({"question": "q", "positives": ["x"], "negatives": [1]}, "field 'negatives'"),
        ({"question": "q", "positives": ["x"], "specifier": "around"}, "field 'specifier'"),
    ],
)
def test_a_faulty_line_is_named(tmp_path: Path, record: object, reason: str) -> None:
    path = _write(tmp_path / "a.jsonl", {"question": "q", "positives": ["x"]}, record)
    with pytest.raises(DocumentError, match=rf"a\.jsonl, line 2: {reason}"):
        read_questions(path)


def test_broken_json_and_empty_files(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("{\n", encoding="utf-8")
    with pytest.raises(DocumentError, match=r"line 1: not JSON"):
        read_questions(tmp_path / "a.jsonl")
    (tmp_path / "a.jsonl").write_text("", encoding="utf-8")
    with pytest.raises(DocumentError, match="no questions"):
        read_questions(tmp_path)
    with pytest.raises(DocumentError, match="No such file"):
        read_questions(tmp_path / "missing.jsonl")


@pytest.mark.parametrize(
    ("question", "specifier"),
    [
        ("Who led it in 1990?", "in"),
        ("Who led it in early 1990s?", "in early"),
        ("Who led it between 1990 and 1992?", "between"),
        ("Who led it from 1990 to 1992?", "from-to"),
        ("Who led it BEFORE 1990?", "before"),
        ("Who led it after 1990?", "after"),
        ("Who led it?", ""),
        ("Which winner?", ""),
    ],
)
def test_specifiers(question: str, specifier: str) -> None:
    assert specifier_of(question) == specifier


@pytest.mark.parametrize(
    ("question", "sides"),
    [("Who led it before May 1990?", {-1}), ("Who led it after May 1990?", {1}), ("Who led it in 1990?", {-1, 1})],
)
def test_a_wrong_time_lies_where_the_right_one_cannot(question: str, sides: set[int]) -> None:
    intent = GrammarExtractor().extract(question)
    years = {int(str(with_wrong_time(intent, Random(seed))).rstrip("?")[-4:]) for seed in range(40)}
    assert all(10 <= abs(year - 1990) <= 60 for year in years)
    assert {1 if year > 1990 else -1 for year in years} == sides


def test_a_wrong_time_moves_all_years_alike_and_no_other_number() -> None:
    intent = GrammarExtractor().extract("Who won 2000 metres from May 1990 to 1994?")
    wrong = str(with_wrong_time(intent, Random(1)))
    assert wrong.startswith("Who won 2000 metres from May ")
    first, last = int(wrong[29:33]), int(wrong[-5:-1])
    assert last - first == 4
    assert with_wrong_time(GrammarExtractor().extract("Who won?"), Random(0)) is None


def test_dense_triples_are_the_questions_as_given() -> None:
    (triple,) = dense([CLUB], seed=0)
    assert triple.anchor.text == CLUB.question
    assert [text.text for text in triple.positives + triple.negatives] == [*CLUB.positives, *CLUB.negatives]


def test_tempretriever_adds_dates_and_passages_of_the_same_period() -> None:
    first, second = tempretriever([CLUB, TEAM], seed=0)
    assert first.anchor.date == "1990"
    assert second.anchor.date == "until April 1991"
    assert [text.date for text in first.positives] == ["1988 to 1992"]
    assert ("Eve played for Barnet in 1990.", "1990") in first.negatives  # of the year, of the other question
    assert ("Bo led it in 2003.", "2003") in first.negatives
    assert {text.text for text in second.negatives} == set()  # 2003 is not before May 1991


def test_tscontriever_s_anchor_is_the_passage_and_its_negatives_ask_for_wrong_times() -> None:
    triples = {triple.anchor.text: triple for triple in tscontriever([CLUB, TEAM], seed=0)}
    shared = triples["Ann led it from 1988 to 1992."]
    assert {text.text for text in shared.positives} == {CLUB.question, TEAM.question}
    assert shared.negatives
    assert all("1990?" not in text.text and "1991?" not in text.text for text in shared.negatives)
    assert triples["Eve played for Barnet in 1990."].positives == ((TEAM.question, ""),)


@pytest.mark.parametrize("name", list(RECIPES))
def test_triples_are_the_same_for_the_same_seed(name: str) -> None:
    assert RECIPES[name]([CLUB, TEAM], 3) == RECIPES[name]([CLUB, TEAM], 3)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"name": "splade"}, "unknown recipe"),
        ({"name": "tempretriever", "date_fusion": "mean"}, "unknown date fusion"),
        ({"name": "tsm", "query_tower_only": True}, "query_tower_only goes with"),
        ({"name": "tscontriever", "router": True}, "router goes with"),
    ],
)
def test_a_recipe_that_makes_no_sense_is_refused(options: dict[str, object], reason: str) -> None:
    with pytest.raises(ConfigError, match=reason):
        RetrieverRecipe(**options)  # type: ignore[arg-type]
