import json
import re
import sqlite3
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from qtie.allen import AllenRelation
from qtie.errors import IntentParseError
from qtie.interval import TimeInterval
from qtie.tie.labels import label_from_sql, unstated_years

DATA = Path(__file__).parents[3] / "shared" / "data" / "tdbench"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason=f"TDBench is not in {DATA}")
OPEN_ENDS = {"country_leader": "2025-01-26", "organization": "2025-05-10", "sport": "2025-05-10"}
OPS = {
    "meet": "meets", "overlap": "overlaps", "start": "starts", "finish": "finishes", "equal": "equals",
    "contain": "contains",
}  # fmt: skip


@cache
def items() -> list[dict[str, Any]]:
    found = [json.loads(line) for line in (DATA / "items.jsonl").read_text(encoding="utf-8").splitlines()]
    return [item for item in found if item["qtype"].startswith("basic")]


def sql(conditions: str) -> str:
    return f"select Name, start, end from dyknow where Country = 'India' and Role = 'President' and {conditions}"


def day(text: str) -> str:
    return f"'{text} 00:00:00'"


def start(year: int, column: str = "Start") -> str:
    return f"{column} between '{year}-01-01 00:00:00' and '{year}-12-31 00:00:00'"


def end(year: int) -> str:
    return start(year, "End")


@pytest.mark.parametrize(
    ("conditions", "relation", "target", "month_pair", "day_pair"),
    [
        (f"End < {day('1994-05-31')}", "before", "end", (None, "1994-05"), "../1994-05-30"),
        (f"Start < {day('1994-05-31')}", "before", "start", (None, "1994-05"), "../1994-05-30"),
        (f"Start > {day('2014-12-31')}", "after", "start", ("2014-12", None), "2015-01-01/.."),
        (f"date(End) = date({day('2012-05-10')}, '-1 month')", "meets", "end", (None, "2012-04"), "2012-04-10"),
        (f"date(Start) = date({day('2012-03-31')}, '-1 month')", "met-by", "start", ("2012-03", None), "2012-03-02"),
        (f"date(Start) = date({day('2012-02-29')}, '-1 year')", "met-by", "start", ("2011-03", None), "2011-03-01"),
        (f"{start(2007)} and {end(2012)}", "equals", "any", ("2007-01", "2012-12"), "2007-01-01/2012-12-31"),
        (start(2007), "started-by", "start", ("2007-01", None), "2007"),
        (end(2026), "finished-by", "end", (None, "2026-12"), "2026"),
        (f"{start(1996)} and End < {day('1999-10-01')}", "starts", "any", ("1996-01", "1999-10"), "1996-01/1999-09"),
        (f"Start > {day('1996-05-01')} and {end(1999)}", "finishes", "any", ("1996-05", "1999-12"), "1996-05-02/1999"),
        (f"Start > {day('2019-01-01')} and End < {day('2023-12-31')}", "during", "any", ("2019-01", "2023-12"), "2019-01-02/2023-12-30"),  # noqa: E501
        (f"Start < {day('2019-01-01')} and End > {day('2023-12-31')}", "contains", "any", ("2019-01", "2023-12"), "2019/2023"),  # noqa: E501
        (f"Start < {day('2000-01-01')} and {end(2000)}", "overlaps", "any", ("2000-01", "2000-12"), "2000"),
        (f"{start(2000)} and End > {day('2000-12-31')}", "overlapped-by", "any", ("2000-01", "2000-12"), "2000"),
        (f"Start < {day('2025-02-01')} and End > {day('2024-09-30')}", "contains", "any", ("2025-02", "2024-09"), "2024-10/2025-01"),  # noqa: E501
    ],
)  # fmt: skip
def test_each_relation(conditions, relation, target, month_pair, day_pair):
    label = label_from_sql(sql(conditions))
    assert (label.relation, label.target) == (AllenRelation(relation), target)
    assert label.month_pair == month_pair
    assert label.day_pair == TimeInterval.parse(day_pair)
    assert not label.is_contradictory


def test_two_conditions_on_one_column_are_labelled_by_the_first_and_flagged():
    label = label_from_sql(sql(f"{start(2009)} and Start between '2011-01-01 00:00:00' and '2010-12-31 00:00:00'"))
    assert label.is_contradictory
    assert label.relation is AllenRelation.STARTED_BY
    assert label.day_pair == TimeInterval.year(2009)


def test_reversed_bounds_have_no_days():
    label = label_from_sql(sql("Start between '2011-01-01 00:00:00' and '2010-12-31 00:00:00'"))
    assert label.is_contradictory
    assert label.day_pair is None


def test_a_statement_without_conditions_on_time():
    assert label_from_sql(sql("1 = 1")).relation is None
    assert (
        label_from_sql("select Director from movie where Title = 'After' order by release_year desc limit 1").preference
        == "latest"
    )
    assert label_from_sql(sql("'2025-05-04' between Start and End")).preference == "latest"


def test_a_shape_that_no_relation_has():
    with pytest.raises(IntentParseError, match="no relation"):
        label_from_sql(sql("End > '2011-01-01 00:00:00'"))


@needs_data
def test_every_basic_statement_has_a_label():
    for item in items():
        label = label_from_sql(item["sql"])
        assert label.relation is not None, item["id"]
        assert label.is_contradictory or label.day_pair is not None, item["id"]


@needs_data
def test_the_relation_is_the_one_named_unless_the_statement_drops_a_clause():
    differing = []
    for item in items():
        label = label_from_sql(item["sql"])
        if label.relation != OPS.get(item["op"], item["op"]) and not label.is_contradictory:
            differing.append((item["op"], str(label.relation)))
    allowed = {
        ("during", "started-by"),
        ("equal", "started-by"),
        ("start", "started-by"),
        ("finish", "finished-by"),
        ("overlapped-by", "started-by"),
    }
    assert set(differing) <= allowed


@needs_data
def test_statements_select_the_correct_rows():
    """Running them over the rows gives the data set's answers, so the conditions that the labels are read from hold."""
    databases = {domain: _database(domain) for domain in OPEN_ENDS}
    for item in items():
        rows = databases[item["domain"]].execute(item["sql"]).fetchall()
        found = sorted({(row[0], row[1][:10], row[2][:10]) for row in rows})
        assert found == sorted({(row["answer"], row["start"], row["end"]) for row in item["correct_rows"]}), item["id"]


@needs_data
def test_labels_select_the_same_rows_as_their_statements():
    """A row satisfies the parsed conditions exactly when SQLite selects it."""
    compare = {"<": lambda day, c: day < c.first, ">": lambda day, c: day > c.first}
    within = lambda day, c: c.first <= day <= c.last  # noqa: E731
    for item in items():
        label = label_from_sql(item["sql"])
        right = {(row["answer"], row["start"], row["end"]) for row in item["correct_rows"]}
        for row in item["correct_rows"] + item["incorrect_rows"]:
            days = {side: TimeInterval.parse(row[side]).start for side in ("start", "end")}
            holds = all(compare.get(c.comparison, within)(days[c.column], c) for c in label.conditions)
            assert holds == ((row["answer"], row["start"], row["end"]) in right), (item["id"], row)


@needs_data
def test_about_a_tenth_of_the_questions_leave_a_year_unsaid():
    unsaid = [bool(unstated_years(item["sql"], question)) for item in items() for question in item["questions"]]
    assert 0.08 < sum(unsaid) / len(unsaid) < 0.13


def _database(domain: str) -> sqlite3.Connection:
    rows = [json.loads(line) for line in (DATA / "rows.jsonl").read_text(encoding="utf-8").splitlines()]
    rows = [row for row in rows if row["table"] == domain]
    columns = list(rows[0]["fields"])
    database = sqlite3.connect(":memory:")
    database.execute(f"create table dyknow ({', '.join(columns)}, Start text, End text)")
    marks = ", ".join("?" * (len(columns) + 2))
    for row in rows:
        days = [_padded(row["start"]), _padded(row["end"] or OPEN_ENDS[domain])]
        database.execute(f"insert into dyknow values ({marks})", [*(row["fields"].get(c) for c in columns), *days])
    return database


def _padded(text: str) -> str:
    return f"{text}-01-01 00:00:00" if re.fullmatch(r"\d{4}", text) else f"{text} 00:00:00"
