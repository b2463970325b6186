"""The reranker: its invariants on random candidates, and what each option does."""

import copy
from datetime import date
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qtie.config import Config
from qtie.document import Document, DocumentTime
from qtie.errors import ConfigError, DocumentError
from qtie.fusion import FUSIONS
from qtie.intent import TemporalConstraint, TemporalIntent
from qtie.interval import Granularity, TimeInterval
from qtie.kernels import KERNELS
from qtie.ordering import best_first, id_ranks
from qtie.reranker import TemporalReranker, tightened
from qtie.time_columns import TimeColumns

QUERY = "prize of 2019"


class Stub:
    """Reads one interval from every query, or none."""

    def __init__(self, *texts, **options):
        self.texts, self.options = texts, options

    def extract(self, query, *, reference_date=None):
        constraints = tuple(
            TemporalConstraint(
                interval=TimeInterval.parse(text), span=(6, 13), granularity=Granularity.YEAR, **self.options
            )
            for text in self.texts
        )
        return TemporalIntent(query=query, constraints=constraints, reference_date=reference_date, extractor="stub")


def document(doc_id, time=None, score=None, title=""):
    times = {"timestamp": (DocumentTime(interval=TimeInterval.parse(time)),)} if time else {}
    return Document(doc_id=doc_id, text="text", title=title, times=times, score=score)


CANDIDATES = (
    document("a", "2017", 0.80),
    document("b", "2019", 0.78, title="The prize"),
    document("c", None, 0.76),
    document("d", "2018", 0.74),
)


def ids(ranking):
    return [ranked.doc_id for ranked in ranking]


times = st.one_of(st.none(), st.integers(1990, 2030).map(str))
scored = st.lists(st.tuples(times, st.sampled_from([0.9, 0.8, 0.5, 0.1])), max_size=8).map(
    lambda rows: [document(f"d{i}", time, score) for i, (time, score) in enumerate(rows)]
)
rerankers = st.builds(
    TemporalReranker,
    st.just(Stub("2019")),
    temporal_weight=st.floats(0, 1),
    fusion=st.sampled_from(list(FUSIONS)),
    kernel=st.sampled_from(sorted(KERNELS.keys() - {"berberich"})),  # gives a perfect fit 1/length: below the undated
    missing=st.sampled_from(["neutral", "penalize", "drop"]),
    mode=st.sampled_from(["soft", "strict"]),
)


class TestInvariants:
    @given(documents=scored, reranker=rerankers)
    def test_atemporal_is_the_identity(self, documents, reranker):
        ranking = reranker.rank("room 2099", documents, intent=TemporalIntent(query="room 2099"))
        assert [ranked.document for ranked in ranking] == documents
        assert [ranked.score for ranked in ranking] == [document.score for document in documents]
        assert all(ranked.rank == ranked.rank_before and ranked.temporal_score == 1 for ranked in ranking)

    @given(documents=scored, reranker=rerankers, data=st.data())
    def test_the_order_of_scored_input_does_not_matter(self, documents, reranker, data):
        shuffled = data.draw(st.permutations(documents))
        assert reranker.rank(QUERY, shuffled).to_dicts() == reranker.rank(QUERY, documents).to_dicts()

    @given(documents=scored, reranker=rerankers)
    def test_scores_are_in_the_half_open_unit_interval_and_fall(self, documents, reranker):
        ranking = reranker.rank(QUERY, documents)
        for ranked in ranking:
            assert 0 < ranked.score <= 1
            assert 0 < ranked.semantic_score <= 1
            assert 0 < ranked.temporal_score <= 1
        assert [ranked.rank for ranked in ranking] == list(range(1, len(ranking) + 1))
        assert all(a.score >= b.score for a, b in pairwise(ranking))

    @given(documents=scored, reranker=rerankers, data=st.data())
    def test_a_document_moved_into_the_interval_never_falls(self, documents, reranker, data):
        if not documents:
            return
        at = data.draw(st.integers(0, len(documents) - 1))
        moved = [*documents]
        moved[at] = document(documents[at].doc_id, "2019", documents[at].score)
        before, after = (ids(reranker.rank(QUERY, candidates)) for candidates in (documents, moved))
        assert moved[at].doc_id in after
        if moved[at].doc_id in before:
            assert after.index(moved[at].doc_id) <= before.index(moved[at].doc_id)

    @given(documents=scored, reranker=rerankers)
    def test_the_candidates_stay_as_they_are(self, documents, reranker):
        before = copy.deepcopy(documents)
        reranker.rank(QUERY, documents)
        assert documents == before

    def test_mappings_stay_as_they_are(self):
        record = {"_id": "a", "text": "x", "metadata": {"date": "2019", "tags": ["y"]}, "score": 1.0}
        before = copy.deepcopy(record)
        TemporalReranker(Stub("2019"), missing="drop").rank(QUERY, [record])
        assert record == before

    def test_ties_by_semantic_score_then_by_id(self):
        same = [document(name, "2019", 0.5) for name in "bca"]
        assert ids(TemporalReranker(Stub("2019")).rank(QUERY, same)) == ["a", "b", "c"]
        by_time_alone = TemporalReranker(Stub("2019"), temporal_weight=1)
        candidates = [document("a", "2019", 0.1), document("b", "2019", 0.9)]
        assert ids(by_time_alone.rank(QUERY, candidates)) == ["b", "a"]

    @pytest.mark.parametrize("fusion", FUSIONS)
    def test_weight_zero_keeps_the_semantic_order(self, fusion):
        reranker = TemporalReranker(Stub("2019"), fusion=fusion, temporal_weight=0)
        assert ids(reranker.rank(QUERY, CANDIDATES)) == ["a", "b", "c", "d"]


class TestScores:
    def test_the_right_year_comes_first(self):
        assert ids(TemporalReranker(Stub("2019")).rank(QUERY, CANDIDATES))[0] == "b"

    @pytest.mark.parametrize("name", ["product_of_experts", "weighted_sum"])
    def test_the_score_follows_from_the_two_shown(self, name):
        for ranked in TemporalReranker(Stub("2019"), temporal_weight=0.3, fusion=name).rank(QUERY, CANDIDATES):
            semantic, temporal = np.array([ranked.semantic_score]), np.array([ranked.temporal_score])
            fused = FUSIONS[name](semantic, temporal, temporal_weight=0.3)[0]
            assert ranked.score == pytest.approx(np.exp(fused) if name == "product_of_experts" else fused)

    def test_scores_given_apart_win_over_those_carried(self):
        ranking = TemporalReranker(Stub("2019"), temporal_weight=0).rank(QUERY, CANDIDATES, scores=[1, 2, 3, 4])
        assert ids(ranking) == ["d", "c", "b", "a"]

    def test_without_scores_the_rank_is_the_prior(self):
        candidates = [document(name) for name in "zyx"]
        ranking = TemporalReranker(Stub("2019")).rank(QUERY, candidates)
        assert ids(ranking) == ["z", "y", "x"]
        assert [ranked.semantic_score for ranked in ranking] == pytest.approx([1, 11 / 12, 11 / 13])
        assert "normalization rank" in ranking.method

    def test_rank_before_is_the_retrievers_whatever_the_order_of_the_input(self):
        ranking = TemporalReranker(Stub("2019")).rank(QUERY, CANDIDATES[::-1])
        assert {ranked.doc_id: ranked.rank_before for ranked in ranking} == {"a": 1, "b": 2, "c": 3, "d": 4}

    @pytest.mark.parametrize("scores", [[1.0], [1, 2, 3, float("nan")], [1, 2, 3, None], ["high", 1, 2, 3]])
    def test_bad_scores_are_refused(self, scores):
        with pytest.raises(DocumentError):
            TemporalReranker(Stub("2019")).rank(QUERY, CANDIDATES, scores=scores)

    def test_arrays_for_a_whole_corpus(self):
        reranker = TemporalReranker(Stub("2019"), mode="strict", normalization="cosine")
        semantic = np.array([document.score for document in CANDIDATES])
        result = reranker.fuse(reranker.extractor.extract(QUERY), semantic, TimeColumns.from_documents(CANDIDATES))
        order = best_first(result.ranked_by, result.semantic, id_ranks(CANDIDATES))
        assert [CANDIDATES[i].doc_id for i in order] == ids(reranker.rank(QUERY, CANDIDATES)) == ["b", "c"]


class TestOptions:
    def test_strict_removes_what_is_outside_and_keeps_the_undated(self):
        ranking = TemporalReranker(Stub("2019"), mode="strict").rank(QUERY, CANDIDATES)
        assert sorted(ids(ranking)) == ["b", "c"]
        assert ranking.notes == ("1 without a time: neutral", "2 outside the asked time: removed")

    def test_drop_removes_the_undated(self):
        ranking = TemporalReranker(Stub("2019"), missing="drop").rank(QUERY, CANDIDATES)
        assert sorted(ids(ranking)) == ["a", "b", "d"]
        assert ranking.notes == ("1 without a time: drop",)

    def test_strict_and_drop_together(self):
        assert ids(TemporalReranker(Stub("2019"), missing="drop", mode="strict").rank(QUERY, CANDIDATES)) == ["b"]

    def test_k(self):
        reranker = TemporalReranker(Stub("2019"))
        assert ids(reranker.rank(QUERY, CANDIDATES, k=2)) == ids(reranker.rank(QUERY, CANDIDATES))[:2]
        assert len(reranker.rank(QUERY, CANDIDATES, k=9)) == 4
        assert ids(TemporalReranker(Stub()).rank(QUERY, CANDIDATES, k=1)) == ["a"]
        with pytest.raises(ConfigError):
            reranker.rank(QUERY, CANDIDATES, k=0)

    def test_no_candidates(self):
        for stub in (Stub(), Stub("2019")):
            ranking = TemporalReranker(stub).rank(QUERY, [])
            assert len(ranking) == 0
            assert str(ranking)
            assert ranking.explain()

    @pytest.mark.parametrize(
        "options",
        [
            {"temporal_weight": 1.5},
            {"fusion": "max"},
            {"normalization": "softmax"},
            {"kernel": "linear"},
            {"missing": "ignore"},
            {"mode": "hard"},
        ],
    )
    def test_options_that_make_no_sense_are_refused(self, options):
        with pytest.raises(ConfigError):
            TemporalReranker(Stub(), **options)

    def test_from_config(self):
        config = Config.parse('[ranking]\ntemporal_weight = 0.2\nfusion = "weighted_sum"\nmode = "strict"')
        reranker = TemporalReranker.from_config(config, extractor=Stub("2019"))
        assert (reranker.temporal_weight, reranker.fusion, reranker.mode) == (0.2, "weighted_sum", "strict")
        assert reranker.kernel == "graded"

    def test_mappings_and_texts(self):
        candidates = [{"_id": "x", "text": "a", "date": "2019"}, "a bare text"]
        assert ids(TemporalReranker(Stub("2019")).rank(QUERY, candidates)) == ["x", "1"]

    def test_anything_else_is_refused(self):
        with pytest.raises(DocumentError, match="candidate 0"):
            TemporalReranker(Stub()).rank(QUERY, [3.5])

    def test_the_reference_date_reaches_the_extractor(self):
        today = date(2020, 1, 1)
        assert TemporalReranker(Stub("2019")).rank(QUERY, [], reference_date=today).intent.reference_date == today

    def test_the_default_extractor_is_grammar_and_model_together(self):
        ranking = TemporalReranker().rank("the prize of 2019", CANDIDATES)
        assert ranking.intent.extractor == "ensemble (both)"
        assert ids(ranking)[0] == "b"

    def test_from_config_without_an_extractor_reads_by_its_options(self):
        config = Config.parse('[intent]\ndate_order = "dmy"')
        ranking = TemporalReranker.from_config(config).rank("prize of 03/04/2019", CANDIDATES)
        assert ranking.intent.interval == TimeInterval.day(2019, 4, 3)


class TestInterval:
    def test_the_callers_interval_alone(self):
        ranking = TemporalReranker(Stub()).rank("prize", CANDIDATES, interval=TimeInterval.year(2018))
        assert ids(ranking)[0] == "d"

    def test_an_extracted_interval_only_tightens(self):
        ranking = TemporalReranker(Stub("2019")).rank(QUERY, CANDIDATES, interval=TimeInterval.years(2018, 2020))
        assert ranking.intent.interval == TimeInterval.year(2019)

    def test_one_that_contradicts_the_callers_gives_way(self):
        intent = Stub("2019").extract(QUERY)
        assert tightened(intent, TimeInterval.year(2000)).interval == TimeInterval.year(2000)

    def test_alternatives_are_cut_and_what_is_left_stays(self):
        intent = Stub("2010", "2019").extract(QUERY)
        assert tightened(intent, TimeInterval.years(2015, 2030)).intervals == (TimeInterval.year(2019),)

    def test_negation_and_other_targets_stay(self):
        negated = Stub("2019", negated=True).extract(QUERY)
        assert tightened(negated, TimeInterval.years(2018, 2019)).intervals == (TimeInterval.year(2018),)
        born = tightened(Stub("1950", target="born").extract(QUERY), TimeInterval.year(2019))
        assert [c.target for c in born.constraints] == ["any", "born"]

    def test_a_relation_is_a_further_condition(self):
        intent = tightened(Stub("2010", relation="contains").extract(QUERY), TimeInterval.year(2019))
        assert {c.target for c in intent.constraints} == {"any", "validity"}

    def test_the_callers_intent_is_used_as_it_is(self):
        ranking = TemporalReranker(Stub("2019")).rank(QUERY, CANDIDATES, intent=Stub("2017").extract(QUERY))
        assert ids(ranking)[0] == "a"


class TestRanking:
    def test_table(self):
        lines = str(TemporalReranker(Stub("2019")).rank(QUERY, CANDIDATES)).splitlines()
        assert lines[0].split() == ["rank", "moved", "document", "time", "S_sem", "S_temp", "score"]
        assert lines[1].split()[:6] == ["1", "↑1", "b", "The", "prize", "2019-01-01/2019-12-31"]
        assert len(lines) == 5

    def test_explain_names_everything(self):
        text = TemporalReranker(Stub("2019"), temporal_weight=0.5).rank(QUERY, CANDIDATES).explain()
        assert "prize [of 2019]" in text
        assert "asked: 2019-01-01/2019-12-31" in text
        assert "score = S_sem^0.5 · S_temp^0.5" in text
        assert "1 without a time: neutral" in text
        assert all(word in text for word in ("equals", "meets", "before", "unknown"))

    def test_explain_an_atemporal_query(self):
        assert "asks for no time" in TemporalReranker(Stub()).rank("room 2099", CANDIDATES).explain()

    def test_records_for_scripts(self):
        records = TemporalReranker(Stub("2019")).rank(QUERY, CANDIDATES).to_dicts()
        assert list(records[0]) == ["rank", "doc_id", "score", "semantic_score", "temporal_score", "time"]
        assert records[0]["time"] == "2019-01-01/2019-12-31"
        assert [record["time"] for record in records if record["doc_id"] == "c"] == [None]

    def test_it_is_a_sequence(self):
        ranking = TemporalReranker(Stub("2019")).rank(QUERY, CANDIDATES)
        assert ranking[0].rank == 1
        assert ranking[-1].rank == len(ranking) == 4
        assert [ranked.rank for ranked in ranking[1:3]] == [2, 3]


def test_a_future_interval_is_compared_with_what_the_text_speaks_of():
    texts = {"a": "It will reach 9.7 billion in 2050.", "b": "It was 3 billion in 1960."}
    documents = [{"id": key, "text": text, "date": "2020"} for key, text in texts.items()]
    ranking = TemporalReranker(Stub("2050")).rank("population in 2050", documents, reference_date=date(2025, 6, 15))
    assert [ranked.doc_id for ranked in ranking] == ["a", "b"]
    assert ranking[0].temporal_score > 0.4 > ranking[1].temporal_score


@pytest.mark.parametrize(("asked", "first"), [("2026", "now"), ("2030", "later"), ("2040", "open")])
def test_a_validity_counts_after_the_reference_date(asked: str, first: str):
    spans = {"old": ("2020", "2024"), "now": ("2025", "2028"), "later": ("2029", "2032"), "open": ("2033", None)}
    documents = [
        {"id": key, "text": "A ticket costs 5 crowns.", "valid_from": start, **({"valid_to": end} if end else {})}
        for key, (start, end) in spans.items()
    ]
    ranking = TemporalReranker(Stub(asked)).rank("ticket", documents, reference_date=date(2025, 6, 15))
    assert ranking[0].doc_id == first
    assert [ranked.temporal_score == 1 for ranked in ranking] == [True, False, False, False]


def test_this_year_ends_at_the_reference_date():
    documents = [
        {"id": "march", "text": "news", "date": "2025-03-01"},
        {"id": "november", "text": "news", "date": "2025-11-01"},
    ]
    ranking = TemporalReranker().rank("news this year", documents, reference_date=date(2025, 6, 15))
    assert {ranked.doc_id: ranked.temporal_score == 1 for ranked in ranking} == {"march": True, "november": False}
