import hashlib
import json
import re
import tomllib
from collections import Counter
from datetime import date
from importlib.resources import files
from random import Random

import pytest

from qtie.intent import TemporalIntent
from qtie.interval import TimeInterval, civil_date
from qtie.tie.dataset.build import build, samples
from qtie.tie.dataset.compositions import draw_program
from qtie.tie.dataset.generator import Dropped
from qtie.tie.dataset.marked import Marked, expanded, filled
from qtie.tie.dataset.negatives import draw_negative, kinds
from qtie.tie.dataset.noise import noisy
from qtie.tie.dataset.programs import Draw
from qtie.tie.dataset.times import draw_bounds, draw_duration, draw_value
from qtie.tie.dataset.wording import carriers, families
from qtie.tie.program import Step, candidates, execute

SPLITS = ("train", "dev", "test")
FROZEN = "b188d4859a632cbc2a4ec5d6fefea4084b66565cd96b9d66954faab115d85272"
"""Of the wording families that only the test split has, as they were before the first training."""
OPERATORS = (
    "in", "before", "after", "since", "by", "until", "through", "as of", "around", "between", "shift back", "shift on",
    "adjoin back", "adjoin on", "ending", "starting", "within", "ago", "past", "next", "hence", "older", "newer",
    "except", "or", "latest", "now", "earliest", "start", "end", "born", "died", "published", "pair", "join",
)  # fmt: skip
CARRIER_KINDS = "cnprtbwlsm"


@pytest.fixture(scope="module")
def drawn():
    drops = []
    records = {split: list(samples(split, 300, seed=7, seen=set(), drops=drops)) for split in SPLITS}
    return records, drops


def every(drawn):
    return [record for split in SPLITS for record in drawn[0][split]]


def test_the_label_executed_over_the_candidates_gives_the_intervals(drawn):
    for record in every(drawn):
        reference = date.fromisoformat(record["reference_date"])
        found = candidates(record["query"], reference_date=reference)
        by_span = {(c.start, c.end): at for at, c in enumerate(found)}
        steps = [Step(operator="none")] * len(found)
        for step in record["steps"]:
            fields = {name: step[name] for name in ("operator", "role", "target", "negated")}
            steps[by_span[tuple(step["span"])]] = Step(**fields, phrase=tuple(step["phrase"]))
        constraints = tuple(execute(found, steps, reference_date=reference))
        intervals = TemporalIntent(query=record["query"], constraints=constraints).intervals
        assert [str(interval) for interval in intervals] == record["intervals"], record


def test_phrases_hold_their_values_and_are_trimmed(drawn):
    for record in every(drawn):
        for step in record["steps"]:
            (start, end), (outer_start, outer_end) = step["span"], step["phrase"]
            assert outer_start <= start < end <= outer_end <= len(record["query"])
            assert record["query"][outer_start:outer_end].strip(" ,") == record["query"][outer_start:outer_end]


def test_records_have_the_agreed_fields(drawn):
    fields = {
        "query",
        "reference_date",
        "steps",
        "preference",
        "preference_span",
        "intervals",
        "kind",
        "family",
        "carrier",
        "split",
    }
    for record in every(drawn):
        assert set(record) == fields
        assert record["split"] in SPLITS
        if record["kind"].startswith("no time"):
            assert not record["steps"]
            assert not record["intervals"]
            assert record["preference"] is None
        else:
            assert record["steps"] or record["preference"]


def test_few_samples_are_dropped_for_the_value_reader(drawn):
    drops = drawn[1]
    n_positive = sum(not record["kind"].startswith("no time") for record in every(drawn))
    faults = Counter(drop.cause for drop in drops if drop.cause != "seen before")
    assert sum(faults.values()) < 0.06 * n_positive, faults


def test_what_is_only_in_test_or_dev_is_in_no_other_split(drawn):
    own = {f.name: f.split for operator in OPERATORS for f in families(operator) if f.split != "train"}
    for split in SPLITS:
        for record in drawn[0][split]:
            used = {own[name] for name in record["family"].split(" + ") if name in own}
            assert used <= {split} or not used, record
    for a, b in (("train", "dev"), ("train", "test"), ("dev", "test")):
        first, second = ({record["carrier"] for record in drawn[0][split]} for split in (a, b))
        lines = {line for kind in kinds() if kind.split == "train" for line in kind.lines}
        assert not (first & second) - lines


def test_unseen_negative_kinds_stay_unseen(drawn):
    only = {kind.name: kind.split for kind in kinds() if kind.split != "train"}
    for split in SPLITS:
        for record in drawn[0][split]:
            for marker in ("no time: ", " beside "):
                name = record["kind"].rpartition(marker)[2]
                assert only.get(name, split) == split


def test_each_operator_has_families_of_all_splits_and_enough_of_them():
    counts = {operator: Counter(f.split for f in families(operator)) for operator in OPERATORS}
    assert all(count[split] for count in counts.values() for split in SPLITS)
    assert sum(sum(count.values()) for count in counts.values()) >= 800
    names = [f.name for operator in OPERATORS for f in families(operator)]
    assert len(names) == len(set(names))


def test_the_families_of_the_test_split_are_frozen():
    tables = tomllib.loads(files("qtie.tie.dataset").joinpath("wording.toml").read_text(encoding="utf-8"))
    text = "\n".join(f"[{operator}]\n{table['test']}" for operator, table in tables.items())
    assert hashlib.sha256(text.encode()).hexdigest() == FROZEN


def test_no_family_says_in_training_what_is_only_in_test():
    for operator in OPERATORS:
        said = {split: set() for split in SPLITS}
        for family in families(operator):
            said[family.split].update(_every_choice(family.template.lower()))
        assert not said["test"] & (said["train"] | said["dev"])


def _every_choice(template):
    choice = re.search(r"\(([^()]*\|[^()]*)\)", template)
    if choice is None:
        return {" ".join(template.split())}
    before, after = template[: choice.start()], template[choice.end() :]
    return {said for option in choice[1].split("|") for said in _every_choice(before + option + after)}


def test_carriers_of_each_kind_stand_in_every_split():
    assert all(carriers(kind, split) for kind in CARRIER_KINDS for split in SPLITS)
    every_carrier = [c for split in SPLITS for c in carriers(CARRIER_KINDS, split)]
    assert len(every_carrier) >= 300
    assert len({c.domain for c in every_carrier}) >= 12
    assert len({c.template for c in every_carrier}) == len(every_carrier)


def test_kinds_of_negatives():
    by_split = Counter(kind.split for kind in kinds())
    assert sum(by_split.values()) >= 45
    assert by_split["test"] >= 15
    assert by_split["dev"] >= 3
    rng = Random(0)
    assert len({draw_negative(rng, "train")[0] for _ in range(3000)}) > 2000


def test_the_same_seed_gives_the_same_bytes(tmp_path):
    first, second, other = (build(tmp_path / name, n=200, seed=seed) for name, seed in (("a", 3), ("b", 3), ("c", 4)))
    assert first == second
    assert first["splits"]["train"]["sha256"] != other["splits"]["train"]["sha256"]
    for split in SPLITS:
        data = (tmp_path / "a" / f"{split}.jsonl").read_bytes()
        assert hashlib.sha256(data).hexdigest() == first["splits"][split]["sha256"]
    assert json.loads((tmp_path / "a" / "card.json").read_text(encoding="utf-8")) == first
    assert first["splits"]["test"]["sha256"] in (tmp_path / "a" / "card.md").read_text(encoding="utf-8")


def test_no_query_stands_in_two_splits(tmp_path):
    build(tmp_path, n=400, seed=1)
    queries = [
        json.loads(line)["query"].lower()
        for split in SPLITS
        for line in (tmp_path / f"{split}.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    assert len(queries) == len(set(queries)) == 400


def test_every_shape_and_relation_is_drawn():
    found = Counter(draw_program(Draw(Random(seed), date(2024, 5, 6), "train")).kind for seed in range(3000))
    relations = {kind for kind in found if kind.startswith("allen ")}
    assert len(relations) == 13
    for kind in (
        "in",
        "between",
        "union",
        "bounds",
        "except",
        "shift back",
        "within",
        "older",
        "now",
        "latest",
        "unknown",
    ):
        assert found[kind], kind


# What the values are worth is settled here by hand, so that the generator does not only agree with itself.
@pytest.mark.parametrize(
    ("form", "seeds"), [("year", 60), ("month", 60), ("decade", 60), ("century", 60), ("quarter", 40), ("season", 40)]
)
def test_values_have_whole_units(form, seeds):
    for seed in range(seeds):
        interval = draw_value(Random(seed), date(2024, 5, 6), among=(form,)).timex.interval
        assert interval is not None
        assert interval.start is not None
        assert interval.end is not None
        assert civil_date(interval.start)[2] == 1
        assert civil_date(interval.end + 1)[2] == 1


@pytest.mark.parametrize(
    ("text", "interval"),
    [
        ("yesterday", "2024-05-05/2024-05-05"), ("last year", "2023-01-01/2023-12-31"),
        ("last night", "2024-05-05/2024-05-05"),
        ("next month", "2024-06-01/2024-06-30"), ("the year before last", "2022-01-01/2022-12-31"),
        ("last March", "2024-03-01/2024-03-31"), ("last July", "2023-07-01/2023-07-31"),
        ("last Monday", "2024-04-29/2024-04-29"), ("on Monday", "2024-05-06/2024-05-06"),
        ("YTD", "2024-01-01/2024-05-06"), ("last week", "2024-04-29/2024-05-05"),
        ("the past year", "2023-05-06/2024-05-06"), ("March of next year", "2025-03-01/2025-03-31"),
    ],
)  # fmt: skip
def test_relative_values(text, interval):
    monday = date(2024, 5, 6)
    values = (draw_value(Random(seed), monday, among=("relative",)) for seed in range(20_000))
    value = next(value for value in values if value.text == text)
    assert value.timex.interval == TimeInterval.parse(interval)


def test_bounds_are_in_order_and_durations_positive():
    for seed in range(200):
        x, y = draw_bounds(Random(seed), date(2024, 5, 6))
        assert (x.timex.known.end or 0) < (y.timex.known.start or 0)
        duration = draw_duration(Random(seed), least=2, vague=True)
        assert duration.n >= 2


def test_marks_follow_edits():
    marked = Marked("since 2019!", {"c0": (6, 10), "p0": (0, 10)})
    marked.replace(0, 5, "sinse ")
    assert [marked.text[slice(*span)] for span in marked.marks.values()] == ["2019", "sinse  2019"]
    marked.replace(6, 7, "")
    assert marked.text[slice(*marked.marks["c0"])] == "2019"


def test_noise_keeps_values_in_place():
    for seed in range(300):
        text = filled("Who ran the city council before {X}?", {"X": Marked("May 2010", {"c0": (0, 8)})})
        changed = noisy(text, Random(seed))
        assert changed.text[slice(*changed.marks["c0"])].lower().replace("  ", " ") == "may 2010"


def test_templates():
    assert expanded("(a|a) <3..3>", Random(0)) == "a 3"
    assert isinstance(Dropped("no candidate", "x", "y"), Dropped)
