"""The model's decoding with stubs in the network's place; the shipped file by its hash, card and golden predictions."""

import hashlib
import json
import re
import shutil
import sys
from collections import Counter
from collections.abc import Callable
from datetime import date
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qtie.errors import ConfigError, MissingExtraError
from qtie.tie.decoding import HEADS, N_LOGITS, Calibration, Encoded, decode
from qtie.tie.encoder import MAX_PIECES, WEIGHTS, TieModel, batched_path, encode
from qtie.tie.model import ModelExtractor
from qtie.tie.program import candidates, execute

REFERENCE = date(2024, 6, 15)
GOLDEN = Path(__file__).parent / "golden_predictions.jsonl"
QUERIES = [
    "",
    "who led the ministry three years before 2019",
    "from 2010 to 2015 or five years after 1990, the two years to 3 May 2001",
    "room 2099, 14 days, the last week of May, 1990s 2000s Q3 2019 last year",
    "papers two weeks ago past three months 1990 1991 1992 1993 within two years of 1848",
    "latest news",
]


class StubTokenizer:
    """Words and signs as pieces."""

    def encode(self, text: str) -> SimpleNamespace:
        spans = [(m.start(), m.end()) for m in re.finditer(r"\w+|[^\w\s]", text)]
        return SimpleNamespace(ids=[1, *range(3, 3 + len(spans)), 2], offsets=[(0, 0), *spans, (0, 0)])


def says(**decisions: dict[int, object]) -> Callable[..., np.ndarray]:
    """A network that is sure of the labels given by head and piece, and of the first label elsewhere."""

    def network(ids: np.ndarray, kinds: np.ndarray) -> np.ndarray:
        logits = np.zeros((*ids.shape, N_LOGITS), dtype=np.float32)
        column = 0
        for head, labels in HEADS.items():
            for piece in range(ids.shape[1]):
                label = decisions.get(head, {}).get(piece, labels[0])
                logits[:, piece, column + labels.index(label)] = 10.0
            column += len(labels)
        return logits

    return network


def extractor(network: Callable[..., np.ndarray]) -> ModelExtractor:
    return ModelExtractor(TieModel(network, StubTokenizer()))


SHIFT = says(
    operator={5: "in", 8: "operand"},
    role={5: "shift back"},
    tag={5: "begin", 6: "inside", 7: "inside", 8: "inside"},
)


@given(st.sampled_from(QUERIES), st.integers(0, 2**32 - 1), st.sampled_from([0.1, 3.0, 50.0]), st.booleans())
def test_random_logits_give_a_well_formed_program(query: str, seed: int, scale: float, dated: bool) -> None:
    day = REFERENCE if dated else None
    found = candidates(query, reference_date=day)
    encoded = encode(StubTokenizer(), query, found)
    logits = np.random.default_rng(seed).normal(0, scale, (len(encoded.ids), N_LOGITS)).astype(np.float32)
    program = decode(encoded, logits, Calibration())
    assert len(program.steps) == len(found)
    assert program.log_probability <= 1e-6
    used = [step for step in program.steps if step.operator not in ("none", "operand")]
    n_counting = sum(step.role in HEADS["role"][1:8] for step in used)
    assert n_counting == sum(step.operator == "operand" for step in program.steps)
    for before, after in zip([None, *used], [*used, None], strict=True):
        assert (before is not None and before.operator == "from") == (after is not None and after.operator == "to")
    for candidate, step in zip(found, program.steps, strict=True):
        assert candidate.is_duration == (step.role != "none") or step.operator == "none" or not candidate.is_duration
        if step.phrase:
            assert 0 <= step.phrase[0] <= candidate.start < candidate.end <= step.phrase[1] <= len(query)
    for constraint in execute(found, program.steps, reference_date=day):
        interval = constraint.interval
        assert interval is None or None in (interval.start, interval.end) or interval.start <= interval.end


@given(st.sampled_from(QUERIES), st.integers(0, 2**32 - 1))
def test_random_logits_give_an_intent(query: str, seed: int) -> None:
    def network(ids: np.ndarray, kinds: np.ndarray) -> np.ndarray:
        return np.random.default_rng(seed).normal(0, 5, (*ids.shape, N_LOGITS)).astype(np.float32)

    reading = extractor(network).explain(query, reference_date=REFERENCE)
    intent = reading.intent
    assert all(0 <= start < end <= len(query) for start, end in intent.spans)
    assert intent.preference != "earliest" or any(c.resolved for c in intent.constraints)
    assert 0 < reading.confidence < 1
    assert json.loads(json.dumps(reading.to_dict())) == reading.to_dict()


def test_a_duration_counts_from_its_operand() -> None:
    intent = extractor(SHIFT).extract("who led the ministry three years before 2019")
    assert [str(interval) for interval in intent.intervals] == ["2016-01-01/2016-12-31"]
    assert intent.semantic_query == "who led the ministry"
    assert intent.highlight() == "who led the ministry [three years before 2019]"
    assert intent.constraints[0].rule == "model"


def test_an_operand_without_its_duration_is_never_chosen() -> None:
    intent = extractor(says(operator={3: "operand"})).extract("won in 2010")
    assert all(c.operator != "operand" for c in intent.constraints)


def test_nothing_chosen_is_atemporal() -> None:
    intent = extractor(says()).extract("room 2099", reference_date=REFERENCE)
    assert not intent.is_temporal
    assert intent.semantic_query == "room 2099"


def test_latest_alone_is_up_to_the_reference_date() -> None:
    network = says(preference={0: "latest"}, tag={1: "preference"})
    intent = extractor(network).extract("latest news", reference_date=REFERENCE)
    assert (str(intent.interval), intent.preference, intent.semantic_query) == ("../2024-06-15", "latest", "news")
    assert intent.constraints[0].operator == "latest"
    assert extractor(network).extract("latest news").preference == "latest"


def test_now_may_also_mean_the_day_alone() -> None:
    network = says(preference={0: "latest"}, tag={1: "preference"})
    intent = extractor(network).extract("current mayor", reference_date=REFERENCE)
    assert intent.constraints[0].operator == "current"
    assert [str(reading) for reading in intent.constraints[0].readings] == ["2024-06-15/2024-06-15"]


def test_as_of_prefers_the_latest() -> None:
    intent = extractor(says(operator={4: "as of"})).extract("population as of 2015")
    assert (str(intent.interval), intent.preference) == ("../2015-12-31", "latest")


def test_earliest_needs_a_time() -> None:
    network = says(preference={0: "earliest"}, tag={1: "preference"})
    assert extractor(network).extract("first aid").preference is None


def test_half_a_surrogate_pair_is_read_over() -> None:
    """Alone and among others: it is no reason to lose a batch."""
    query = "\ud83c budget in 2019"
    alone, among = ModelExtractor().extract(query), ModelExtractor().extract_batch(["trial", query])[1]
    assert alone == among
    assert (str(alone.interval), alone.constraints[0].span) == ("2019-01-01/2019-12-31", (9, 16))


def test_a_batch_reads_as_one_by_one() -> None:
    reader = extractor(SHIFT)
    queries = [f"who led the {word} three years before 2019" for word in ("ministry", "club and the board", "x")] * 40
    assert reader.extract_batch(queries) == [reader.extract(query) for query in queries]
    assert reader.extract_batch([]) == []


def test_the_shipped_model_reads_a_query_alike_beside_any_others() -> None:
    queries = ["mayors since 2010", "x", "the computer in 2001: A Space Odyssey " * 8, "papers 3 years before 1990"]
    reader = ModelExtractor()
    alone = [reader.explain(query) for query in queries]
    together = list(reader.explain_batch(queries))
    assert [one.confidence for one in together] == [one.confidence for one in alone]
    assert [one.intent for one in together] == [one.intent for one in alone]


def _encoded(reader: ModelExtractor, queries: list[str]) -> list[Encoded]:
    return [encode(reader.model.tokenizer, query, candidates(query)) for query in queries]


def test_many_queries_at_once_have_the_logits_that_each_has_alone() -> None:
    reader = ModelExtractor()
    rows = [json.loads(line)["query"] for line in GOLDEN.read_text(encoding="utf-8").splitlines()]
    encoded = _encoded(reader, [*QUERIES, *rows, "word " * MAX_PIECES, "word " * MAX_PIECES + "in 2010"])
    for one, logits in zip(encoded, reader.model.logits(encoded), strict=True):
        assert np.array_equal(logits, reader.model.logits([one])[0])


def test_queries_of_as_many_pieces_go_through_the_network_together() -> None:
    shapes = []

    def network(ids: np.ndarray, kinds: np.ndarray) -> np.ndarray:
        shapes.append(ids.shape)
        assert ids.all()  # no padding
        return np.repeat(ids[:, :, None], N_LOGITS, axis=2).astype(np.float32)

    rows = [[7, 8], [4] * 100, [1], [9, 3], [2] * 100, [5] * 100, [6] * 100]
    encoded = [Encoded([], row, [0] * len(row), [(0, 0)] * len(row), []) for row in rows]
    logits = TieModel(network, StubTokenizer()).logits(encoded)
    assert [one[:, 0].tolist() for one in logits] == rows
    assert Counter(shapes) == {(1, 1): 1, (2, 2): 1, (3, 100): 1, (1, 100): 1}


@pytest.fixture
def own_file(tmp_path: Path) -> Path:
    """The shipped file by itself, under its own name."""
    return Path(shutil.copy(WEIGHTS, tmp_path))


def test_without_its_graph_for_many_each_query_goes_alone(own_file: Path) -> None:
    alone, shipped = ModelExtractor(own_file), ModelExtractor()
    queries = ["won in 2010", "won in 2011", "won"]
    assert alone.extract_batch(queries) == shipped.extract_batch(queries)


def test_a_graph_for_many_of_another_file_is_refused(own_file: Path) -> None:
    shutil.copy(batched_path(WEIGHTS), own_file.parent)
    assert len(ModelExtractor(own_file).extract_batch(["won in 2010"] * 2)) == 2
    with own_file.open("ab") as file:
        file.write(b"\x72\x06\x0a\x01k\x12\x01v")  # one more entry of the model's metadata
    with pytest.raises(ConfigError, match=r"tie-en\.batched\.onnx: made for another tie-en\.onnx"):
        ModelExtractor(own_file).extract_batch(["won in 2010"] * 2)
    batched_path(own_file).write_bytes(b"no graph")
    with pytest.raises(ConfigError, match=r"tie-en\.batched\.onnx: not a model that"):
        ModelExtractor(own_file).extract_batch(["won in 2010"] * 2)


def test_what_is_cut_off_is_no_time() -> None:
    query = "word " * MAX_PIECES + "in 2010"
    encoded = encode(StubTokenizer(), query, candidates(query))
    assert encoded.firsts == [0]
    assert not extractor(says(operator={0: "in"})).extract(query).is_temporal


def test_a_margin_turns_doubtful_times_away() -> None:
    network = says(operator={3: "in"})
    model = TieModel(network, StubTokenizer(), Calibration(margin=11.0))
    assert not ModelExtractor(model).extract("won in 2010").is_temporal


def test_confidence_rises_with_probability() -> None:
    calibration = Calibration(slope=0.7, offset=-0.3)
    confidences = [calibration.confidence(p) for p in (-30.0, -3.0, -0.5, -0.01, 0.0)]
    assert confidences == sorted(confidences)
    assert all(0 < confidence < 1 for confidence in confidences)


def test_a_missing_file_says_what_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="not a model that"):
        TieModel.load(tmp_path / "none.onnx")


def test_without_its_runtime_one_clear_error_names_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(MissingExtraError, match='choose the extractor "grammar"'):
        TieModel.load()


def test_the_shipped_files_are_those_of_their_card() -> None:
    card = (WEIGHTS.parent / "MODEL_CARD.md").read_text(encoding="utf-8")
    for file, most in ((WEIGHTS, 30_000_000), (batched_path(WEIGHTS), 1_000_000)):
        assert hashlib.sha256(file.read_bytes()).hexdigest() in card
        assert f"{file.stat().st_size:,} bytes" in card
        assert file.stat().st_size <= most


def test_all_extractors_share_the_shipped_model() -> None:
    assert ModelExtractor().model is ModelExtractor(WEIGHTS).model


def test_golden_predictions() -> None:
    rows = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]
    days = [date.fromisoformat(row["reference_date"]) for row in rows]
    intents = ModelExtractor().extract_batch([row["query"] for row in rows], reference_dates=days)
    found = [
        {
            "query": intent.query,
            "reference_date": str(day),
            "intervals": [str(interval) for interval in intent.intervals],
            "preference": intent.preference,
            "semantic_query": intent.semantic_query,
        }
        for intent, day in zip(intents, days, strict=True)
    ]
    differing = [(row, one) for row, one in zip(rows, found, strict=True) if row != one]
    assert len(rows) == 200
    assert differing == []
