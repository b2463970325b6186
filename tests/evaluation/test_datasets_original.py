"""The layouts of the public repositories, on made-up records; and what is wrong with a file, said in one line."""

import gzip
import json
from pathlib import Path

import pytest

from qtie.errors import EvaluationError
from qtie.evaluation.datasets import DATASETS, load_dataset, record_checksums
from qtie.evaluation.datasets.chronicling import load_chronicling_america
from qtie.evaluation.datasets.multitq import load_multitq
from qtie.evaluation.datasets.situatedqa import load_situatedqa
from qtie.evaluation.datasets.temprageval import load_temprageval, load_temprageval_draft
from qtie.evaluation.datasets.tempreason import load_tempreason
from qtie.evaluation.datasets.timeqa import load_timeqa
from qtie.evaluation.datasets.timequestions import load_timequestions


def write_lines(path: Path, *records: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records))


def test_timeqa_as_its_repository_has_it(tmp_path: Path) -> None:
    paragraphs = [{"title": "Mill", "text": "A mill."}, {"title": "Mill", "text": "Ada Kern owned it from 1811."}]
    record = {"idx": "/wiki/Mill#P1#0", "question": "Who owned the mill from 1811 to 1827?", "targets": ["Ada Kern"]}
    unanswered = {"idx": "/wiki/Mill#P1#1", "question": "Who owned the mill in 1700?", "targets": [""]}
    write_lines(tmp_path / "test.easy.json", record | {"paragraphs": paragraphs})
    hard = [record | {"question": "Who owned the mill in late 1810s?"}, unanswered]
    with gzip.open(tmp_path / "test.hard.json.gz", "wt") as file:
        file.writelines(json.dumps(each | {"paragraphs": paragraphs}) + "\n" for each in hard)
    dataset = load_timeqa(tmp_path)
    assert [document.doc_id for document in dataset.documents] == ["/wiki/Mill#0", "/wiki/Mill#1"]
    assert dataset.qrels == {f"{level}-/wiki/Mill#P1#0": {"/wiki/Mill#1": 1} for level in ("easy", "hard")}
    assert [(q.expression, q.subset, q.metadata["level"]) for q in dataset.queries] == [
        ("from-to", "simple", "easy"),
        ("late", "complex", "hard"),
    ]
    assert dataset.metadata["judged"] == pytest.approx(2 / 3)


def test_tempreason_as_published(tmp_path: Path) -> None:
    context = "Ada Kern plays for Ulm FC from Jan, 1990 to Mar, 1994.\n"
    context += "Ada Kern plays for Bonn FC from Mar, 1994 to Dec, 2022."
    record = {"id": "L2_1", "question": "Which team did Ada Kern play for in Jun, 1992?", "date": "Jun, 1992"}
    record |= {"text_answers": {"text": ["Ulm FC"]}, "fact_context": context}
    write_lines(tmp_path / "test_l2.json", record, record | {"id": "L2_2", "text_answers": {"text": ["Kiel FC"]}})
    dataset = load_tempreason(tmp_path)
    assert [str(d.times["validity"][0].interval) for d in dataset.documents] == [
        "1990-01-01/1994-03-31",
        "1994-03-01/..",
    ]
    assert dataset.qrels == {"L2_1": {"fact0": 1}}
    assert str(dataset.queries[0].interval) == "1992-06-01/1992-06-30"
    assert dataset.metadata["judged"] == 0.5
    write_lines(tmp_path / "test_l2.json", record | {"fact_context": "Ada Kern plays."})
    with pytest.raises(EvaluationError, match="line 1: fact_context: a fact must end in"):
        load_tempreason(tmp_path)


def test_situatedqa_as_its_repository_has_it(tmp_path: Path) -> None:
    question = {"question": "who leads opec", "id": 7, "date_type": "start", "any_answer": ["Kern", "Weber"]}
    first = question | {"edited_question": "who leads opec as of 2010", "date": "2010", "answer": ["Kern"]}
    second = question | {
        "edited_question": "who leads opec as of May 3, 2014",
        "date": "May 3, 2014",
        "answer": ["Weber"],
    }
    sampled = first | {"edited_question": "who leads opec as of 2012", "date": "2012", "date_type": "sampled_year"}
    always = first | {"date_type": "orig", "date": "2021"}
    write_lines(tmp_path / "qa_data" / "temp.dev.jsonl", second, first, sampled, always)
    dataset = load_situatedqa(tmp_path)
    made = {document.text: str(document.times["validity"][0].interval) for document in dataset.documents}
    assert made == {"who leads opec: Kern": "2010-01-01/2014-05-02", "who leads opec: Weber": "2014-05-03/.."}
    assert dataset.qrels == {"7#0": {"q0#1": 1}, "7#1": {"q0#0": 1}, "7#2": {"q0#0": 1}}
    assert [str(query.interval) for query in dataset.queries] == ["../2014-05-03", "../2010-12-31", "../2012-12-31"]


def test_situatedqa_timelines(tmp_path: Path) -> None:
    entry = {"cur_answers": ["B"], "cur_start": "2015", "prev_answers": ["A"], "prev_start": "2010-06"}
    backwards = entry | {"prev_start": "2016", "cur_answers": ["C"]}
    undated = {"cur_answers": ["D"], "cur_start": None, "prev_answers": ["A"], "prev_start": None}
    record = {"nq_id": "n", "question": "who", "timelines": [entry, entry, backwards, undated]}
    write_lines(tmp_path / "timelines.jsonl", record)
    asked = {"id": "s", "nq_id": "n", "question": "who", "edited_question": "who as of 2014", "date": "2014"}
    write_lines(tmp_path / "temp_dev.jsonl", asked | {"date_type": "sampled_year", "answers": ["A"]})
    dataset = load_situatedqa(tmp_path)
    times = {d.text: [str(t.interval) for t in d.times.get("validity", ())] for d in dataset.documents}
    assert times == {
        "who: A": ["2010-06-01/2014-12-31"],
        "who: B": ["2015-01-01/.."],
        "who: C": ["2015-01-01/.."],
        "who: D": [],
    }
    assert dataset.qrels == {"s": {"n#0": 1}}


def test_multitq_as_its_repository_has_it(tmp_path: Path) -> None:
    (tmp_path / "kg").mkdir()
    facts = ["China\tMake_a_visit\tCitizen_(Iraq)\t2007-01-14", "China\tMake_a_visit\tMali\t2007-01-15"]
    facts += ["China\tAccuse\tMali\t2007-01-16", "Japan\tMake_a_visit\tMali\t2009-01-16"]
    (tmp_path / "kg" / "full.txt").write_text("\n".join(facts) + "\n")
    common = {"qtype": "equal", "time_level": "day"}
    questions = [
        {
            "quid": 1,
            "question": "Who visited the citizens of Iraq in January 2007?",
            "answers": ["China"],
            "answer_type": "entity",
        },
        {"quid": 2, "question": "In which year did China visit Mali?", "answers": ["2007"], "answer_type": "time"},
        {"quid": 3, "question": "Who visited Mali first after Japan?", "answers": ["China"], "answer_type": "entity"},
        {"quid": 4, "question": "Who visited Mali before 2008?", "answers": ["China"], "answer_type": "entity"},
    ]
    (tmp_path / "questions").mkdir()
    (tmp_path / "questions" / "test.json").write_text(json.dumps([each | common for each in questions], indent=1))
    dataset = load_multitq(tmp_path)
    assert dataset.documents[0].text == "China Make a visit Citizen (Iraq)"
    assert str(dataset.documents[0].times["timestamp"][0].interval) == "2007-01-14/2007-01-14"
    assert dataset.qrels == {"1": {"fact0": 1}, "2": {"fact1": 1}, "4": {"fact1": 1}}
    assert dataset.metadata["judged"] == 0.75
    (tmp_path / "kg" / "full.txt").write_text("China\tMake_a_visit\tMali\n")
    with pytest.raises(EvaluationError, match="line 1: expected head, relation, tail and date"):
        load_multitq(tmp_path)


def test_timequestions_judges_facts_that_are_said_and_hold(tmp_path: Path) -> None:
    facts = [
        {"_id": "f0", "text": "Ada Kern position held Mayor of Ulm", "start_year": 1990, "end_year": 2916},
        {"_id": "f1", "text": "Jo Weber position held Mayor of Ulm", "start_year": 1980, "end_year": 1989},
        {"_id": "f2", "text": "Ada Kern award received Ulm Medal", "start_year": 1995, "end_year": 1995},
        {"_id": "f3", "text": "Ada Kern spouse Jo", "start_year": 1, "end_year": 2916, "undated": True},
        {"_id": "f4", "text": "Ada Kern spouse Max", "start_year": 2000, "end_year": 1990},
    ]
    write_lines(tmp_path / "facts.jsonl", *facts)
    person = [{"qid": "Q1", "label": "Ada Kern"}, {"qid": "Q2", "label": "Jo Weber"}]
    questions = [
        {"id": 1, "question": "who held the position mayor of ulm in 1991", "types": ["Explicit"], "answers": person},
        {
            "id": 2,
            "question": "when was ada kern's ulm medal",
            "types": ["Temp.Ans"],
            "answers": [{"value": "1995-01-01T00:00:00Z"}],
        },
        {"id": 3, "question": "who is ada kern", "types": ["Implicit"], "answers": person},
    ]
    write_lines(tmp_path / "questions_dev.jsonl", *questions)
    dataset = load_timequestions(tmp_path)
    times = [{f: str(t[0].interval) for f, t in document.times.items()} for document in dataset.documents]
    assert times == [
        {"validity": "1990-01-01/.."},
        {"validity": "1980-01-01/1989-12-31"},
        {"timestamp": "1995-01-01/1995-12-31"},
        {},
        {},
    ]
    assert dataset.qrels == {"1": {"f0": 1}, "2": {"f2": 1}}
    assert dataset.metadata["judged"] == pytest.approx(2 / 3)


ITEM = {"id": "s_1", "question": "Who led Ulm as of 1991?", "time_specifier": "as of", "answers": ["Kern"]}
EVIDENCE = "Ada Kern led the town of Ulm from 1990."


def test_the_draft_finds_its_evidence_in_paragraphs(tmp_path: Path) -> None:
    write_lines(
        tmp_path / "draft" / "items.jsonl",
        ITEM | {"gold_evidence": [EVIDENCE]},
        ITEM | {"id": "s_2", "time_specifier": None},
    )
    said = {"_id": "Ulm#1", "text": "Ulm . Ada Kern led the town of Ulm from 1990 . Later others ."}
    write_lines(tmp_path / "timeqa" / "human_corpus.jsonl", said, {"_id": "Ulm#2", "text": "Ada Kern led Ulm."})
    dataset = load_temprageval_draft(tmp_path / "draft", timeqa=tmp_path / "timeqa")
    assert dataset.qrels == {"s_1": {"evidence0": 1, "Ulm#1": 1}}
    assert len(dataset.documents) == 3


@pytest.mark.parametrize("form", ["json", "jsonl", "csv"])
def test_temprageval_as_assumed(tmp_path: Path, form: str) -> None:
    record = {"id": "s_1", "question": ITEM["question"], "time_relation": "as of", "gold_evidence_1": EVIDENCE}
    record |= {"gold_evidence_2": "", "answers": "Kern"}
    records = [record, record | {"id": "s_2", "time_relation": ""}]
    path = tmp_path / f"TempRAGEval.{form}"
    if form == "json":
        path.write_text(json.dumps(records))
    elif form == "jsonl":
        write_lines(path, *records)
    else:
        rows = [",".join(record), *(",".join(f'"{value}"' for value in each.values()) for each in records)]
        path.write_text("\n".join(rows) + "\n")
    dataset = load_temprageval(tmp_path)
    assert dataset.qrels == {"s_1": {"evidence0": 1}}
    assert dataset.metadata["pool"] == "none: evidence alone"
    assert (dataset.queries[0].expression, str(dataset.queries[0].interval)) == ("as of", "../1991-12-31")
    write_lines(tmp_path / "corpus.jsonl", {"_id": "p", "text": f"So it was: {EVIDENCE}"})
    assert load_temprageval(tmp_path).qrels == {"s_1": {"evidence0": 1, "p": 1}}


def test_chroniclingamericaqa_as_assumed(tmp_path: Path) -> None:
    record = {"query_id": "test_1", "question": "Who spoke in 1871?", "answer": "Kern", "para_id": "p1"}
    record |= {"context": "Kern spoke.", "publication_date": "1871-05-19"}
    (tmp_path / "test.json").write_text(json.dumps([record, record | {"query_id": "test_2"}]))
    dataset = load_chronicling_america(tmp_path)
    assert len(dataset.documents) == 1
    assert str(dataset.documents[0].times["timestamp"][0].interval) == "1871-05-19/1871-05-19"
    assert dataset.qrels == {"test_1": {"p1": 1}, "test_2": {"p1": 1}}
    (tmp_path / "test.json").write_text(json.dumps([record, {"query_id": "test_2"}]))
    with pytest.raises(EvaluationError, match="record 2: no field 'para_id'"):
        load_chronicling_america(tmp_path)


@pytest.mark.parametrize("name", sorted(DATASETS.keys() - {"sample"}))
def test_a_missing_folder_and_an_empty_one_are_one_clear_line(name: str, tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match=f"{name}: no folder .* name the data folder"):
        load_dataset(name, tmp_path)
    for folder in DATASETS[name].folders:
        (tmp_path / folder).mkdir()
    with pytest.raises(
        EvaluationError, match=r"no file|cannot be read|no such file|no facts|no kg|no timelines"
    ) as caught:
        load_dataset(name, tmp_path)
    assert str(tmp_path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_unknown_name_lists_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="unknown data set 'nobell'; one of sample, nobel, "):
        load_dataset("nobell", tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not JSON"),
        ("[1]", "record 1: expected a JSON object"),
        ('{"query_id": 1}', "line 1: no field 'para_id'"),
        ('{"para_id": 1, "question": 5, "publication_date": "soon"}', "line 1: not a date or interval: 'soon'"),
        ('{"para_id": 1, "question": 5, "publication_date": "1871", "context": "x"}', "line 1: a field is malformed"),
        ('{"para_id": NaN}', "not JSON"),
        ("", "no judgements"),
    ],
)
def test_what_is_wrong_with_a_record_is_said_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "test.json").write_text(text)
    with pytest.raises(EvaluationError, match=message):
        load_chronicling_america(tmp_path)


def test_bytes_that_are_no_text_and_a_broken_gzip_file(tmp_path: Path) -> None:
    (tmp_path / "test.json").write_bytes(b"\xff\xfe")
    with pytest.raises(EvaluationError, match=r"cannot be read: .*line 1"):
        load_chronicling_america(tmp_path)
    (tmp_path / "test.json").unlink()
    (tmp_path / "test.json.gz").write_bytes(gzip.compress(b"[]")[:-4])
    with pytest.raises(EvaluationError, match="cannot be read"):
        load_chronicling_america(tmp_path)


def test_a_download_that_changes_is_noticed(tmp_path: Path) -> None:
    folder = tmp_path / "chroniclingamericaqa"
    record = {
        "query_id": "q",
        "question": "Who?",
        "answer": "Kern",
        "para_id": "p",
        "context": "x",
        "publication_date": "",
    }
    write_lines(folder / "test.json", record)
    assert load_dataset("chroniclingamericaqa", tmp_path).documents[0].times == {}
    assert not (folder / "checksums.json").exists()  # loading writes nothing
    recorded = record_checksums(folder)
    assert list(recorded) == ["test.json"]
    assert load_dataset("chroniclingamericaqa", tmp_path).qrels == {"q": {"p": 1}}
    assert record_checksums(folder) == recorded
    write_lines(folder / "test.json", record | {"context": "y"})
    with pytest.raises(EvaluationError, match=r"test\.json: has changed since its checksum was recorded"):
        load_dataset("chroniclingamericaqa", tmp_path)
    with pytest.raises(EvaluationError, match="has changed"):
        record_checksums(folder)
    (folder / "test.json").unlink()
    with pytest.raises(EvaluationError, match="is missing"):
        load_dataset("chroniclingamericaqa", tmp_path)
