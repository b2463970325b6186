"""TDBench's rows as documents with validity intervals: how much relation and target of a constraint add.

Candidates are the rows of the question's subject, so that only time decides; they are ranked by the temporal score
alone, equal ones by doc_id. "without" reads the same intents as plain intervals: relation intersects, target any.

"named" are the questions whose wording names each column that the SQL constrains (started, ended, …) and states every
year of the SQL. For the others the wording leaves open what is meant: "in 2002" stands for Start, for End, and for
both. Their ceiling is that of a ranker that reads each wording as often as the SQL behind it does: questions are
grouped by their words about time (subjects and dates taken out), the constraints of each group's SQL are run with the
question's own dates, and rows are ranked by how many of them they satisfy. That ranker has seen the answers; wordings
that occur once have a ceiling of 1, so it is an upper bound.
"""

import re
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

import numpy as np
from report import parser, print_table, write_record

from qtie.evaluation.datasets import Dataset, Query, load_tdbench
from qtie.evaluation.measures import evaluate
from qtie.intent import TemporalIntent
from qtie.temporal_relevance import temporal_scores
from qtie.tie.grammar import GrammarExtractor
from qtie.time_columns import TimeColumns

MEASURES = ["P@1", "AP"]
# The day on which the source's tables end: open rows hold until then (SOURCE.md).
TABLE_END = {"country_leader": "2025-01-26", "organization": "2025-05-10", "sport": "2025-05-10"}

CONDITION = re.compile(
    r"(?:date\()?\b(?P<column>Start|End)\b\)?\s*"
    r"(?:between '[^']*' and '[^']*'|[<>=]+\s*(?:date\('[^']*'(?:,\s*'[^']*')?\)|'[^']*'))"
)
LITERAL = re.compile(r"'([^']*)'")
NAMES = {
    "Start": re.compile(
        r"\b(?:start|beg[aiu]n|commenc|assum|took (?:office|over)|bec[oa]m|join|appoint|inaugurat|enter)", re.I
    ),
    "End": re.compile(
        r"\b(?:end|finish|conclud|left|leav|complet|stepp?(?:ed|ing)? down|depart|remain|continu|still|resign|ceas)",
        re.I,
    ),
}
# A preposition counts where a date follows it; verbs that name a bound, conjunctions and offsets count anywhere.
TIME_WORDS = re.compile(
    r"\b(?:in|on|at|by|of|from|to|until|till|through|during|within|since|beyond|past|before|after|following|prior to)"
    r"(?= (?:\w+ ){0,3}DATE)|\b(?:between|and|exactly|start\w*|beg[aiu]n\w*|commenc\w*|assum\w*|bec[oa]m\w*|join\w*|"
    r"ended|ending|ends|finish\w*|conclud\w*|left|leav\w*|complet\w*|remain\w*|continu\w*|still|months?|years?)\b|DATE"
)
DATE = re.compile(
    r"(?:(?:January|February|March|April|May|June|July|August|September|October|November|December)\s+)?"
    r"(?:\d{1,2}(?:st|nd|rd|th)?,?\s+)?\b\d{4}\b(?:-\d\d-\d\d)?"
)


@dataclass(frozen=True)
class Reading:
    """The constraints on time of one SQL statement, its literals taken out."""

    shape: str
    literals: tuple[str, ...]

    @classmethod
    def of(cls, sql: str) -> "Reading":
        conditions = " and ".join(match[0] for match in CONDITION.finditer(sql))
        literals = tuple(dict.fromkeys(LITERAL.findall(conditions)))
        return cls(LITERAL.sub(lambda match: f":{literals.index(match[1])}", conditions), literals)


def main() -> None:
    arguments = parser(__doc__).parse_args()
    folder = arguments.data_dir / "tdbench"
    dataset = load_tdbench(folder)
    intents = {query.query_id: _intent(query) for query in dataset.queries}
    rankers: dict[str, Callable[[Query], Mapping[str, float]]] = {
        "with relation and target": _temporal_ranker(dataset, intents),
        "without": _temporal_ranker(dataset, {key: plain(intent) for key, intent in intents.items()}),
        "no time": lambda query: dict.fromkeys(dataset.candidates[query.query_id], 0.0),
        "ceiling of the wording": _ceiling_ranker(dataset),
    }
    named = {query.query_id for query in dataset.queries if is_named(query)}
    groups = {
        "all": [query.query_id for query in dataset.queries],
        "named": [query.query_id for query in dataset.queries if query.query_id in named],
        "rest": [query.query_id for query in dataset.queries if query.query_id not in named],
    }
    rows = []
    for ranker_name, ranker in rankers.items():
        run = {query.query_id: _ordered(ranker(query)) for query in dataset.queries}
        per_query = evaluate(dataset.qrels, run, MEASURES).per_query
        for group, ids in groups.items():
            means = {name: 100 * float(np.mean([per_query[name][i] for i in ids])) for name in MEASURES}
            share = 100 * len(ids) / len(dataset.queries)
            rows.append({"ranker": ranker_name, "questions": group, "n": len(ids), "share %": share} | means)
    print_table(rows, title="TDBench, one table, questions with an answer; P@1 and MAP in %")
    by_op = _by_operator(dataset, rankers, named)
    print_table(by_op, title="By the SQL's Allen relation, named questions")
    data = [folder / "rows.jsonl", folder / "items.jsonl"]
    write_record("tdbench_intervals", {"groups": rows, "named by relation": by_op}, arguments, data=data)


def plain(intent: TemporalIntent) -> TemporalIntent:
    """The same intervals, with nothing said about how a document's time must stand to them."""
    constraints = tuple(replace(c, relation="intersects", target="any") for c in intent.constraints)
    return replace(intent, constraints=constraints)


def is_named(query: Query) -> bool:
    """Whether the wording names each column that the SQL constrains, and every year of the SQL."""
    sql = query.metadata["sql"]
    columns = {match["column"] for match in CONDITION.finditer(sql)}
    years = re.findall(r"'(\d{4})-", sql)
    return all(NAMES[column].search(query.text) for column in columns) and all(year in query.text for year in years)


def _intent(query: Query) -> TemporalIntent:
    table = query.query_id.split("-")[0]
    return GrammarExtractor().extract(query.text, reference_date=date.fromisoformat(TABLE_END[table]))


def _temporal_ranker(dataset: Dataset, intents: Mapping[str, TemporalIntent]) -> Callable[[Query], Mapping[str, float]]:
    by_id = {document.doc_id: document for document in dataset.documents}
    columns: dict[tuple[str, ...], TimeColumns] = {}

    def rank(query: Query) -> Mapping[str, float]:
        doc_ids = dataset.candidates[query.query_id]
        if doc_ids not in columns:
            columns[doc_ids] = TimeColumns.from_documents(by_id[doc_id] for doc_id in doc_ids)
        scores = temporal_scores(intents[query.query_id], columns[doc_ids])
        return dict(zip(doc_ids, map(float, scores), strict=True))

    return rank


def _ordered(scores: Mapping[str, float]) -> dict[str, float]:
    """Strictly decreasing: equal scores by doc_id, as qtie ranks them (trec_eval turns that order round)."""
    ordered = sorted(scores, key=lambda doc_id: (-scores[doc_id], doc_id))
    return {doc_id: float(-rank) for rank, doc_id in enumerate(ordered)}


def _ceiling_ranker(dataset: Dataset) -> Callable[[Query], Mapping[str, float]]:
    database = _database(dataset)
    readings = {query.query_id: Reading.of(query.metadata["sql"]) for query in dataset.queries}
    groups: dict[tuple[str, int], Counter[str]] = defaultdict(Counter)
    for query in dataset.queries:
        reading = readings[query.query_id]
        groups[_wording(query.text), len(reading.literals)][reading.shape] += 1

    def rank(query: Query) -> Mapping[str, float]:
        doc_ids = dataset.candidates[query.query_id]
        literals = readings[query.query_id].literals
        scores = dict.fromkeys(doc_ids, 0.0)
        for shape, count in groups[_wording(query.text), len(literals)].items():
            for doc_id in _matching(database, shape, literals, doc_ids):
                scores[doc_id] += count
        return scores

    return rank


def _wording(text: str) -> str:
    return " ".join(TIME_WORDS.findall(DATE.sub("DATE", text).replace("Can you", "")))


def _database(dataset: Dataset) -> sqlite3.Connection:
    database = sqlite3.connect(":memory:")
    database.execute("create table rows (id text, Start text, End text)")
    for document in dataset.documents:
        time = document.times["validity"][0].interval.to_dict()
        end = time["end"] or TABLE_END.get(document.doc_id.split("-")[0], "")
        database.execute(
            "insert into rows values (?, ?, ?)", (document.doc_id, f"{time['start']} 00:00:00", f"{end} 00:00:00")
        )
    return database


def _matching(database: sqlite3.Connection, shape: str, literals: Sequence[str], doc_ids: Sequence[str]) -> list[str]:
    values = {str(number): literal for number, literal in enumerate(literals)}
    marks = ", ".join(f"'{doc_id}'" for doc_id in doc_ids)
    condition = re.sub(r":(\d+)", lambda match: ":p" + match[1], shape)
    named = {f"p{number}": literal for number, literal in values.items()}
    return [row[0] for row in database.execute(f"select id from rows where id in ({marks}) and {condition}", named)]


def _by_operator(
    dataset: Dataset, rankers: Mapping[str, Callable[[Query], Mapping[str, float]]], named: set[str]
) -> list[dict[str, object]]:
    rows = []
    for operator in sorted({str(query.metadata["op"]) for query in dataset.queries}):
        queries = [q for q in dataset.queries if q.metadata["op"] == operator and q.query_id in named]
        if not queries:
            continue
        qrels = {query.query_id: dataset.qrels[query.query_id] for query in queries}
        row: dict[str, object] = {"relation": operator, "n": len(queries)}
        for name in ("with relation and target", "without"):
            run = {query.query_id: _ordered(rankers[name](query)) for query in queries}
            row[f"P@1 {name}"] = 100 * evaluate(qrels, run, ["P@1"]).means["P@1"]
        rows.append(row)
    return rows


if __name__ == "__main__":
    main()
