"""Examples, breadth and accuracy by hand; network and export only where torch is installed."""

import json
import re
from datetime import date
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qtie.intent import TemporalConstraint, TemporalIntent
from qtie.interval import TimeInterval
from qtie.tie.accuracy import Share, accuracy_by_kind, asks_for_none, calibration_error, is_exact, wrong_cases
from qtie.tie.dataset.breadth import broadened
from qtie.tie.decoding import HEADS, N_LOGITS, Calibration
from qtie.tie.examples import IGNORED, make_examples, read_rows

ROW = {
    "query": "who led it three years before 2019 in room 7",
    "reference_date": "2024-06-15",
    "steps": [
        {
            "span": [11, 22],
            "operator": "in",
            "role": "shift back",
            "target": "start",
            "negated": False,
            "phrase": [11, 34],
        },
        {"span": [30, 34], "operator": "operand", "role": "none", "target": "any", "negated": False},
    ],
    "preference": None,
    "preference_span": None,
    "intervals": ["2016-01-01/2016-12-31"],
    "kind": "shift back",
}
WORDS = sorted(set(re.findall(r"\w+", ROW["query"])))
TOKENIZER = json.dumps(
    {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {"id": i, "content": token, "special": True, "single_word": False, "lstrip": False, "rstrip": False}
            | {"normalized": False}
            for i, token in enumerate(("[PAD]", "[UNK]", "[CLS]", "[SEP]"))
        ],
        "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]},
        "decoder": None,
        "model": {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": {w: i for i, w in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", *WORDS])},
        },
    }
)


def test_labels_stand_at_the_first_piece_of_each_candidate() -> None:
    (example,), n_left_out = make_examples([ROW], TOKENIZER, n_processes=1)
    assert n_left_out == 0
    operators = {at: HEADS["operator"][row[0]] for at, row in enumerate(example.labels) if row[0] != IGNORED}
    assert operators == {4: "in", 7: "operand"}
    assert HEADS["role"][example.labels[4][1]] == "shift back"
    assert HEADS["target"][example.labels[4][2]] == "start"
    assert example.labels[7][1:4] == [IGNORED, IGNORED, IGNORED]
    tags = [HEADS["tag"][row[4]] for row in example.labels]
    assert tags == ["outside"] * 4 + ["begin"] + ["inside"] * 3 + ["outside"] * 4
    assert [kind > 0 for kind in example.kinds] == [at in (4, 5, 7) for at in range(12)]


def test_a_step_that_is_no_candidate_leaves_the_row_out() -> None:
    wrong = dict(ROW, steps=[dict(ROW["steps"][1], span=[0, 3])])
    assert make_examples([wrong], TOKENIZER, n_processes=1) == ([], 1)


def test_rows_need_a_query(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"query": "x"}\n{"text": "x"}\n', encoding="utf-8")
    rows = read_rows(path)
    assert next(rows) == {"query": "x"}
    with pytest.raises(ValueError, match="2: not a training row"):
        next(rows)


@given(st.integers(0, 10_000))
def test_breadth_keeps_spans_on_their_words(seed: int) -> None:
    for row in broadened([ROW], seed=seed, n=8):
        for step in row["steps"]:
            start, end = step["span"]
            assert 0 <= start < end <= len(row["query"])
            if "phrase" in step:
                assert 0 <= step["phrase"][0] <= start < end <= step["phrase"][1] <= len(row["query"])
        if row["preference_span"]:
            assert row["preference"] is not None


def test_breadth_is_decided_by_its_seed() -> None:
    assert list(broadened([ROW], seed=1, n=50)) == list(broadened([ROW], seed=1, n=50))
    assert list(broadened([ROW], seed=1, n=50)) != list(broadened([ROW], seed=2, n=50))


def _intent(*years: int, preference: str | None = None) -> TemporalIntent:
    constraints = tuple(TemporalConstraint(interval=TimeInterval.year(year)) for year in years)
    return TemporalIntent(query="q", constraints=constraints, preference=preference, reference_date=date(2024, 6, 15))  # type: ignore[arg-type]


def test_exact_is_to_the_day() -> None:
    gold = {"query": "q", "intervals": ["2010-01-01/2010-12-31"], "kind": "in"}
    assert is_exact(_intent(2010), gold)
    assert not is_exact(_intent(2011), gold)
    assert not is_exact(_intent(2010, 2012), gold)
    assert is_exact(_intent(2010, 2012), {"intervals": ["2010-01-01/2012-12-31"], "hull": True})


def test_accuracy_by_kind_and_wrong_cases() -> None:
    rows = [
        {"query": "a", "intervals": ["2010-01-01/2010-12-31"], "kind": "in beside rooms"},
        {"query": "b", "intervals": [], "kind": "no time"},
        {"query": "c", "intervals": ["2010-01-01/2010-12-31"], "preference": "earliest", "kind": "in"},
    ]
    intents = [_intent(2010), _intent(), _intent(2010)]
    shares = accuracy_by_kind(intents, rows)
    assert {kind: (share.n_so, share.n) for kind, share in shares.items()} == {
        "all": (2, 3),
        "in": (1, 2),
        "no time": (1, 1),
    }
    (case,) = wrong_cases(intents, rows)
    assert (case.query, case.expected_preference, case.found_preference) == ("c", "earliest", None)
    assert [asks_for_none(row) for row in rows] == [False, True, False]


def test_shares_and_calibration() -> None:
    assert str(Share(0, 0)) == "-"
    assert Share(0, 10).bounds[0] == 0
    assert calibration_error([]) == 0
    assert calibration_error([(1.0, False)] * 30) == 1.0


@pytest.mark.skipif(find_spec("torch") is None or find_spec("onnx") is None, reason="needs qtie[train]")
@pytest.mark.filterwarnings("ignore")
def test_an_exported_network_is_read_back(tmp_path: Path) -> None:
    from qtie.tie.export import export
    from qtie.tie.model import ModelExtractor
    from qtie.tie.network import NetworkSize, TieNetwork

    network = TieNetwork(NetworkSize(len(WORDS) + 4, n_layers=1, n_dimensions=24, n_heads=2, n_inner=48))
    path = export(network, tmp_path / "tie.onnx", tokenizer=TOKENIZER, calibration=Calibration(slope=0.5), about={})
    reading = ModelExtractor(path).explain(ROW["query"], reference_date=date(2024, 6, 15))
    assert reading.logits.shape == (12, N_LOGITS)
    assert ModelExtractor(path).model.calibration.slope == 0.5
