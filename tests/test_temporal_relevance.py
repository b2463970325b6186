"""Temporal relevance: kernels by hand-worked values, the default as its definition, and the rules of INTENT.md §4."""

from datetime import date

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qtie.allen import AllenRelation, allen_relation
from qtie.document import Document, DocumentTime
from qtie.errors import ConfigError
from qtie.intent import Preference, TemporalConstraint, TemporalIntent
from qtie.interval import Granularity, TimeInterval
from qtie.kernels import KERNELS, Grading, graded
from qtie.relation_kernel import related
from qtie.temporal_relevance import compared_times, outside_documents, temporal_scores, undated_documents
from qtie.time_columns import FAR_DAYS, TimeColumns, Times

U, F = Grading().unknown, Grading().floor
YEAR = Granularity.YEAR
REFERENCE = date(2026, 6, 15)


def point(text, **options):
    return DocumentTime(interval=TimeInterval.parse(text), **options)


def validity(text, **options):
    return DocumentTime(interval=TimeInterval.parse(text), lasting=True, **options)


def columns(*times_by_facet):
    """One document for each mapping from facet to time or times."""
    documents = [
        Document(doc_id=str(i), text="", times={f: t if isinstance(t, tuple) else (t,) for f, t in facets.items()})
        for i, facets in enumerate(times_by_facet)
    ]
    return TimeColumns.from_documents(documents)


def dated(*texts):
    return columns(*({"timestamp": point(text)} for text in texts))


def asks(text, **options):
    options.setdefault("granularity", YEAR)
    return TemporalConstraint(interval=None if text is None else TimeInterval.parse(text), **options)


def intent(*constraints, preference=None, reference_date=REFERENCE):
    return TemporalIntent(query="q", constraints=constraints, preference=preference, reference_date=reference_date)


def scores(constraints, times, **options):
    constraints = constraints if isinstance(constraints, tuple) else (constraints,)
    return temporal_scores(intent(*constraints), times, **options)


class TestKernels:
    def test_anchored_gives_the_published_example(self):
        time = Times.from_intervals([TimeInterval(0, 0)])
        asked = TimeInterval(None, round(106 * 30.436875))
        assert KERNELS["anchored"](time, asked)[0] == pytest.approx(12 / 118, abs=2e-5)
        assert f"{KERNELS['anchored'](time, asked)[0]:.4f}" == "0.1017"

    def test_anchored_is_one_inside_a_closed_interval_and_at_the_bound_of_an_open_one(self):
        times = Times.from_intervals(map(TimeInterval.parse, ["2015", "2019-12-31", "2019/2021"]))
        assert KERNELS["anchored"](times, TimeInterval.years(2010, 2019)).tolist() == [1, 1, 1]
        assert KERNELS["anchored"](times, TimeInterval.parse("../2019")).tolist()[1:] == [1, 1]

    def test_anchored_falls_from_a_lower_bound_too(self):
        times = Times.from_intervals([TimeInterval(1000, 1000), TimeInterval(1000 + 365, 1000 + 365)])
        expected = [1, 1 / (1 + 365 / 30.436875 / 12)]
        assert KERNELS["anchored"](times, TimeInterval(1000, None)) == pytest.approx(expected)

    def test_gap_halves_after_twelve_months(self):
        times = Times.from_intervals([TimeInterval(0, 0)])
        year = round(12 * 30.436875)
        assert KERNELS["gap"](times, TimeInterval(year, year + 9))[0] == pytest.approx(1 / (1 + 365 / 365.2425))

    def test_overlap_by_hand(self):
        times = Times.from_intervals([TimeInterval(0, 9), TimeInterval(5, 14), TimeInterval(20, 29)])
        assert KERNELS["overlap"](times, TimeInterval(0, 9)) == pytest.approx([1, 5 / 15, 1e-6])

    def test_berberich_by_hand(self):
        times = Times.from_intervals([TimeInterval(0, 9), TimeInterval(5, 5), TimeInterval(20, 29)])
        assert KERNELS["berberich"](times, TimeInterval(0, 9)) == pytest.approx([10 / 100, 1 / 10, 1e-6])

    def test_gaussian_kl_by_hand(self):
        times = Times.from_intervals([TimeInterval(0, 9), TimeInterval(0, 19)])
        kl = np.log(2) + (100 / 12 + 25) / (2 * 400 / 12) - 1 / 2
        assert KERNELS["gaussian_kl"](times, TimeInterval(0, 9)) == pytest.approx([1, 1 / (1 + kl)])

    @pytest.mark.parametrize("name", ["overlap", "berberich", "gaussian_kl"])
    def test_open_sides_are_clipped_to_the_days_named(self, name):
        open_times = Times.from_intervals([TimeInterval(0, None), TimeInterval(5, 9)], lasting=True)
        closed_times = Times.from_intervals([TimeInterval(0, 9), TimeInterval(5, 9)], lasting=True)
        assert KERNELS[name](open_times, TimeInterval(5, None)) == pytest.approx(
            KERNELS[name](closed_times, TimeInterval(5, 9))
        )

    def test_graded_by_hand(self):
        times = Times.from_intervals(map(TimeInterval.parse, ["2019-06-01", "2020-01-01", "2018", "2019-12/2020-01"]))
        year = YEAR.days
        expected = [
            1,
            U - (U - F) * 1 / (1 + year),
            U - (U - F) * 183 / (183 + year),  # from the middle of 2018: 1 day, and half of 364
            U + (1 - U) * 31 / 62,
        ]
        assert graded(times, TimeInterval.year(2019)) == pytest.approx(expected)


class TestDefault:
    def test_inside_is_one_and_outside_falls_with_distance(self):
        found = scores(asks("2019"), dated("2019-01-01", "2019-12-31", "2019", "2020-01-01", "2020", "2025", "1066"))
        assert found[:3].tolist() == [1, 1, 1]
        assert U > found[3] > found[4] > found[5] > found[6] > F

    def test_a_coarse_date_counts_by_the_share_of_its_days(self):
        march = asks("2019-03", granularity=Granularity.MONTH)
        in_march, year, decade, next_day = scores(march, dated("2019-03-09", "2019", "201X", "2019-04-01"))
        assert in_march == 1
        assert in_march > year > decade > U > next_day
        assert year == pytest.approx(U + (1 - U) * 31 / 365)

    def test_a_month_inside_the_asked_year_fits_wholly(self):
        assert scores(asks("2019"), dated("2019-03")).tolist() == [1]

    def test_a_lasting_time_that_shares_a_day_fits_wholly(self):
        march = asks("2019-03", granularity=Granularity.MONTH)
        times = columns(*({"validity": validity(text)} for text in ("2010/2019-03-01", "2019/..", "../2018")))
        assert scores(march, times)[:2].tolist() == [1, 1]
        assert scores(march, times)[2] < U

    def test_the_scale_follows_the_granularity(self):
        for coarse, fine in [("DECADE", "YEAR"), ("YEAR", "MONTH"), ("MONTH", "WEEK"), ("WEEK", "DAY")]:
            near = [scores(asks("2019", granularity=Granularity[g]), dated("2020-02-01"))[0] for g in (coarse, fine)]
            assert near[0] > near[1]

    def test_before_does_not_favour_the_near_side(self):
        assert scores(asks("../2018-12-31"), dated("2018-12-31", "1950", "-0500")).tolist() == [1, 1, 1]

    def test_an_open_point_is_a_point_somewhere(self):
        before_2000 = columns({"timestamp": point("../1999")})
        assert scores(asks("../2010"), before_2000)[0] == pytest.approx(1)
        assert scores(asks("1990"), before_2000)[0] == pytest.approx(U)
        assert scores(asks("2005"), before_2000)[0] < U

    def test_years_before_one_and_far_ahead(self):
        assert scores(asks("-0043"), dated("-0043-03-15", "2019", "Y12345"))[0] == 1

    @pytest.mark.parametrize("kernel", KERNELS)
    def test_no_documents(self, kernel):
        assert scores(asks("2019"), columns(), kernel=kernel).shape == (0,)
        assert scores(asks("2019"), columns({}), kernel=kernel).tolist() == [U]

    def test_unknown_names_are_refused(self):
        with pytest.raises(ConfigError, match="graded"):
            scores(asks("2019"), columns(), kernel="linear")
        with pytest.raises(ConfigError, match="penalize"):
            scores(asks("2019"), columns(), missing="ignore")

    @pytest.mark.parametrize("shape", [{"floor": 0}, {"unknown": 1}, {"floor": 0.6}, {"scale_units": 0}])
    def test_a_grading_that_makes_no_sense_is_refused(self, shape):
        with pytest.raises(ConfigError):
            Grading(**shape)


class TestIntent:
    def test_atemporal_and_unresolved_give_ones(self):
        assert scores((), dated("2019", "1066")).tolist() == [1, 1]
        assert scores(asks(None), dated("2019", "1066")).tolist() == [1, 1]
        alone, with_unresolved = (scores(c, dated("2018")) for c in (asks("2019"), (asks("2019"), asks(None))))
        assert alone == with_unresolved

    def test_constraints_of_one_target_are_alternatives(self):
        found = scores((asks("2010"), asks("2014")), dated("2010", "2012", "2014"))
        assert found[0] == found[2] == 1
        assert found[1] < U

    def test_each_alternative_keeps_its_own_scale(self):
        decade_or_day = (asks("199X", granularity=Granularity.DECADE), asks("2014-05-05", granularity=Granularity.DAY))
        near_decade, near_day = scores(decade_or_day, dated("2000-01-31", "2014-06-04"))
        assert near_decade > near_day

    def test_a_time_wholly_inside_a_negated_interval_scores_the_floor(self):
        since_1990_except_1994 = (asks("1990/.."), asks("1994", negated=True))
        found = scores(since_1990_except_1994, dated("1993", "1994-07", "1994", "1995", "199X", "1989"))
        assert found[0] == found[3] == 1
        assert found[1] == found[2] == F
        assert U < found[4] < 1
        assert F < found[5] < U

    def test_negation_alone(self):
        assert scores(asks("1994", negated=True), dated("1993", "1994-07")).tolist() == [1, F]

    def test_different_targets_must_all_hold(self):
        times = columns({"born": point("1845"), "died": point("1923")}, {"born": point("1845"), "died": point("1930")})
        both = scores((asks("1845", target="born"), asks("1923", target="died")), times)
        assert both[0] == 1
        assert both[1] == pytest.approx(scores(asks("1923", target="died"), times)[1])

    def test_a_doubtful_constraint_moves_all_scores_towards_unknown(self):
        sure, unsure = (scores(asks("2019", confidence=c), dated("2019", "1990")) for c in (1.0, 0.5))
        assert unsure == pytest.approx((sure + U) / 2)


class TestTargets:
    def test_any_is_the_best_of_its_four_facets(self):
        for facet in ("timestamp", "focus_time", "event"):
            times = columns({"timestamp": point("1990"), facet: point("2019")})
            assert scores(asks("2019"), times).tolist() == [1]
        assert scores(asks("2019"), columns({"timestamp": point("1990"), "validity": validity("2018/2020")}))[0] == 1

    def test_any_is_never_born_or_died(self):
        assert scores(asks("2019"), columns({"born": point("2019"), "died": point("2019")})).tolist() == [U]

    def test_published_counts_as_any_without_a_timestamp(self):
        times = columns({"published": point("2019")}, {"published": point("2019"), "timestamp": point("1990")})
        found = scores(asks("2019"), times)
        assert found[0] == 1
        assert found[1] < U

    def test_published_falls_back_on_the_timestamp(self):
        times = columns({"timestamp": point("2019")}, {"published": point("1990"), "timestamp": point("2019")})
        found = scores(asks("2019", target="published"), times)
        assert found[0] == 1
        assert found[1] < U

    @pytest.mark.parametrize("missing", ["neutral", "penalize", "drop", "estimate"])
    def test_a_document_that_lacks_a_named_facet_is_neutral(self, missing):
        times = dated("1845")
        assert scores(asks("1845", target="born"), times, missing=missing).tolist() == [U]
        assert not undated_documents(intent(asks("1845", target="born")), times).any()

    def test_several_times_of_a_facet(self):
        times = columns({"event": (point("1903"), point("1911"))}, {"event": point("1903")})
        assert scores(asks("1911"), times)[0] == 1
        assert scores(asks("1911"), times)[1] < U

    def test_start_and_end_are_the_bounds_of_the_validity(self):
        times = columns({"validity": validity("1997-05-02/2007-06-27")})
        assert scores(asks("1997", target="start"), times).tolist() == [1]
        assert scores(asks("2007", target="end"), times).tolist() == [1]
        assert scores(asks("2000", target="start"), times)[0] < U
        assert scores(asks("2000", target="end"), times)[0] < U

    def test_a_coarse_bound_counts_by_share(self):
        times = columns({"validity": validity("1997/2007", start_unit=YEAR, end_unit=YEAR)})
        may_1997 = asks("1997-05", target="start", granularity=Granularity.MONTH)
        assert scores(may_1997, times)[0] == pytest.approx(U + (1 - U) * 31 / 365)

    def test_an_open_end_lies_beyond_every_day(self):
        times = columns({"validity": validity("2010/..")})
        assert scores(asks("../2018", target="end"), times)[0] == pytest.approx(F)
        assert scores(asks("2020/..", target="end"), times).tolist() == [1]

    def test_an_open_start_lies_before_every_day(self):
        times = columns({"validity": validity("../2010")})
        assert scores(asks("../2018", target="start"), times).tolist() == [1]
        assert scores(asks("2005/..", target="start"), times)[0] == pytest.approx(F)

    def test_without_validity_a_point_is_both_bounds(self):
        times = dated("2019-03")
        for target in ("start", "end"):
            assert scores(asks("2019", target=target), times).tolist() == [1]

    def test_an_interval_after_the_reference_date_is_compared_with_what_the_text_speaks_of(self):
        times = columns(
            {"timestamp": point("2049")},
            {"timestamp": point("2020"), "focus_time": point("2050")},
            {"event": point("1990")},
        )
        found = scores(asks("2050"), times)
        assert found[:2].tolist() == [U, 1]
        assert found[2] < U
        assert scores(asks("2050"), times, missing="penalize")[0] == U
        assert scores(asks("2020/2050"), times)[0] == 1  # begins before it


class TestMissingAndConfidence:
    def test_an_undated_document_stands_between(self):
        inside, undated, outside = scores(
            asks("2019"), columns({"timestamp": point("2019")}, {}, {"event": point("2020")})
        )
        assert inside > undated == U > outside

    @pytest.mark.parametrize("kernel", KERNELS)
    def test_penalize_gives_the_floor(self, kernel):
        assert scores(asks("2019"), columns({}), missing="penalize", kernel=kernel).tolist() == [F]

    def test_confidence_softens_towards_unknown(self):
        def doubtful(text, confidence):
            return columns({"focus_time": point(text, confidence=confidence)})

        inside = [scores(asks("2019"), doubtful("2019", c))[0] for c in (1.0, 0.5, 0.0)]
        assert inside == pytest.approx([1, (1 + U) / 2, U])
        outside = [scores(asks("2019"), doubtful("1990", c))[0] for c in (1.0, 0.5, 0.0)]
        assert outside[0] < outside[1] < outside[2] == pytest.approx(U)

    def test_a_weak_reading_does_not_excuse_a_sure_wrong_date(self):
        sure = scores(asks("2019"), columns({"timestamp": point("1990")}))
        both = scores(asks("2019"), columns({"timestamp": point("1990"), "focus_time": point("1991", confidence=0.2)}))
        assert both == pytest.approx(sure)

    def test_masks(self):
        times = columns({"timestamp": point("2019")}, {}, {"timestamp": point("1990")}, {"timestamp": point("201X")})
        assert outside_documents(intent(asks("2019")), times).tolist() == [False, False, True, False]
        assert undated_documents(intent(asks("2019")), times).tolist() == [False, True, False, False]

    def test_a_doubtful_time_inside_keeps_a_document_from_being_outside(self):
        times = columns({"timestamp": point("1990"), "focus_time": point("2019", confidence=0.1)})
        assert outside_documents(intent(asks("2019")), times).tolist() == [False]


class TestPreference:
    def test_latest_orders_the_inside_by_the_end(self):
        times = dated("2019-12-31", "2019-06-01", "2015", "2010-01-01", "2020-01-01", "1990")
        found = temporal_scores(intent(asks("2010/2019"), preference="latest"), times)
        assert found[0] == 1
        assert (np.diff(found) < 0)[:3].all()
        assert found[3] > U > found[4] > found[5]

    def test_earliest_orders_the_inside_by_the_start(self):
        times = dated("2010-01-01", "2010-06-01", "2015", "2019-12-31", "2009-12-31")
        found = temporal_scores(intent(asks("2010/2019"), preference="earliest"), times)
        assert found[0] == 1
        assert (np.diff(found) < 0).all()
        assert found[3] > U > found[4]

    def test_latest_without_a_bound_falls_from_the_reference_date(self):
        times = dated("2026-06-15", "2026-06-14", "2020", "-0500", "2027")
        found = temporal_scores(intent(preference="latest"), times)
        assert found[0] == 1
        assert (np.diff(found) < 0).all()
        assert found[3] > U > found[4]

    def test_latest_without_a_reference_date_falls_from_the_last_day_known(self):
        times = dated("2024-03-03", "2020", "1990")
        found = temporal_scores(intent(preference="latest", reference_date=None), times)
        assert found[0] == 1 > found[1] > found[2] > U

    def test_earliest_without_a_bound_rises_from_the_first_day_known(self):
        found = temporal_scores(intent(preference="earliest"), dated("1990-01-01", "2000", "2010"))
        assert found[0] == 1 > found[1] > found[2] > U

    def test_an_open_end_counts_as_the_reference_date(self):
        times = columns({"validity": validity("1990/..")}, {"timestamp": point("2026-06-14")})
        found = temporal_scores(intent(asks("../2026-06-15"), preference="latest"), times)
        assert found[0] == 1 > found[1]

    @pytest.mark.parametrize(
        ("preference", "days"),
        [("latest", ("2026-06-01", "2012", "2008")), ("earliest", ("1990", "2008", "2012"))],
    )
    def test_a_document_on_another_topic_gains_nothing_by_being_first(self, preference: Preference, days: list[str]):
        on_topic = np.array([False, True, True])
        found = temporal_scores(intent(preference=preference), dated(*days), on_topic=on_topic)
        assert found[0] == found[1] == 1 > found[2] > U

    def test_where_nothing_on_the_topic_is_inside_age_counts_from_the_bound(self):
        times, asked = dated("2019-12-31", "2019-06-01", "1990"), intent(asks("2010/2019"), preference="latest")
        found = temporal_scores(asked, times, on_topic=np.array([False, False, True]))
        assert (found == temporal_scores(asked, times)).all()

    def test_half_of_the_excess_is_lost_after_the_preference_days(self):
        grading = Grading(preference_days=100)
        times = columns({"timestamp": point("2026-03-07")})  # 100 days before the reference date
        found = temporal_scores(intent(preference="latest"), times, grading=grading)
        assert found[0] == pytest.approx((1 + U) / 2)


class TestRelations:
    GRID = tuple(TimeInterval(a, b) for a in range(6) for b in range(a, 6))

    def test_satisfied_exactly_where_allen_says_so(self):
        asked = TimeInterval(2, 3)
        for relation in AllenRelation:
            constraint = TemporalConstraint(interval=asked, relation=relation)
            found = related(Times.from_intervals(self.GRID, lasting=True), constraint)
            holds = [allen_relation(interval, asked) is relation for interval in self.GRID]
            assert (found == 1).tolist() == holds
            assert (found[~np.array(holds)] < U).all()

    def test_graded_by_how_far_the_bounds_are_from_satisfying(self):
        contains = asks("2005/2006", relation=AllenRelation.CONTAINS)
        times = columns(*({"validity": validity(t)} for t in ("2004/2007", "2005/2007", "2006-06/2007", "2020/2021")))
        found = scores(contains, times)
        assert found[0] == 1
        assert (np.diff(found) < 0).all()
        assert found[1] < U

    def test_an_equality_holds_within_the_unit(self):
        equals = asks("2005/2010", relation=AllenRelation.EQUALS)
        times = columns(
            {"validity": validity("2005-03-01/2010-06-30")}, {"validity": validity("2004-12-31/2010-06-30")}
        )
        found = scores(equals, times)
        assert found[0] == 1
        assert found[1] < U

    def test_an_open_end_contains_what_is_later(self):
        contains = asks("2005/2006", relation=AllenRelation.CONTAINS)
        assert scores(contains, columns({"validity": validity("1990/..")})).tolist() == [1]

    def test_a_coarse_bound_that_may_satisfy(self):
        contains = asks("2005-07-02/2006", relation=AllenRelation.CONTAINS)
        found = scores(contains, columns({"validity": validity("2005/..", start_unit=YEAR)}))
        assert found[0] == pytest.approx(U + (1 - U) * 182 / 365)

    def test_negated(self):
        not_contains = asks("2005/2006", relation=AllenRelation.CONTAINS, negated=True)
        times = columns({"validity": validity("1990/..")}, {"validity": validity("2005-06/..")}, {})
        assert scores(not_contains, times).tolist() == [F, 1, U]

    def test_a_document_without_validity_is_its_own_bounds(self):
        during = asks("2005/2006", relation=AllenRelation.DURING)
        found = scores(during, dated("2005-06-01", "2009"))
        assert found[0] == 1
        assert found[1] < U

    def test_intersects_is_no_relation(self):
        with pytest.raises(ConfigError):
            related(Times.from_intervals([TimeInterval(0, 0)]), asks("2019"))


class TestComparedTimes:
    def test_the_best_time_and_its_relation(self):
        times = columns(
            {"timestamp": point("1990"), "event": point("2019")},
            {},
            {"validity": validity("2018/..")},
            {"born": point("2019")},
        )
        found = compared_times(intent(asks("2019")), times, np.array([2, 0, 1, 3]))
        shown = [(str(compared.time), compared.relation) for compared in found]
        assert shown == [
            ("2018-01-01/..", "contains"),
            ("2019-01-01/2019-12-31", "equals"),
            ("None", "unknown"),
            ("None", "unknown"),
        ]

    def test_the_nearest_alternative(self):
        found = compared_times(intent(asks("1990"), asks("2019")), dated("2018", "1991"), np.array([0, 1]))
        assert [compared.relation for compared in found] == ["meets", "met-by"]

    def test_a_bound_is_shown_with_its_whole_validity(self):
        times = columns({"validity": validity("1997/2007")})
        found = compared_times(intent(asks("1997", target="start")), times, np.array([0]))
        assert str(found[0].time) == "1997-01-01/2007-12-31"

    def test_an_atemporal_intent_shows_the_first_time(self):
        times = columns({"event": point("2019"), "timestamp": point("1990")})
        assert str(compared_times(intent(), times, np.array([0]))[0].time) == "1990-01-01/1990-12-31"


def test_open_sides_as_columns():
    times = columns({"validity": validity("../2010")}, {"timestamp": point("2019/..")})
    held = times.times_for("held")
    assert held.start[0] == -np.inf
    assert held.end[1] == FAR_DAYS
    assert times.times_for("start").start[0] == -FAR_DAYS


days = st.integers(-900_000, 900_000)


@st.composite
def intervals(draw):
    low, high = sorted((draw(days), draw(days)))
    return TimeInterval(draw(st.sampled_from([low, None])), draw(st.sampled_from([high, None])))


document_times = st.builds(
    DocumentTime,
    interval=intervals(),
    lasting=st.booleans(),
    start_unit=st.sampled_from(Granularity),
    end_unit=st.sampled_from(Granularity),
    confidence=st.floats(0, 1),
)
facets = st.dictionaries(
    st.sampled_from(["timestamp", "validity", "event", "focus_time", "published", "born"]),
    st.lists(document_times, min_size=1, max_size=2).map(tuple),
    max_size=3,
)
intents = st.builds(
    TemporalIntent,
    query=st.just("q"),
    constraints=st.lists(
        st.builds(
            TemporalConstraint,
            interval=st.one_of(st.none(), intervals()),
            relation=st.sampled_from(["intersects", "intersects", *AllenRelation]),
            target=st.sampled_from(["any", "any", "start", "end", "born", "published"]),
            negated=st.booleans(),
            granularity=st.sampled_from(Granularity),
            confidence=st.floats(0, 1),
        ),
        max_size=3,
    ).map(tuple),
    preference=st.sampled_from([None, "latest", "earliest"]),
    reference_date=st.sampled_from([None, REFERENCE]),
)


@given(intent=intents, times=st.lists(facets, max_size=4), kernel=st.sampled_from(list(KERNELS)))
def test_every_score_is_in_the_half_open_unit_interval(intent, times, kernel):
    found = temporal_scores(intent, columns(*times), kernel=kernel)
    assert found.shape == (len(times),)
    assert ((found > 0) & (found <= 1)).all()


@given(intent=intents, times=st.lists(facets, min_size=1, max_size=4))
def test_a_document_is_scored_alone_as_among_others(intent, times):
    if intent.preference != "latest" or intent.reference_date is None:  # the others look at the whole corpus
        intent = TemporalIntent(query="q", constraints=intent.constraints)
    together = temporal_scores(intent, columns(*times))
    alone = [temporal_scores(intent, columns(facets))[0] for facets in times]
    assert together.tolist() == alone


@given(asked=intervals(), time=intervals(), unit=st.sampled_from(Granularity), lasting=st.booleans())
def test_above_unknown_exactly_where_a_day_is_shared(asked, time, unit, lasting):
    found = graded(Times.from_intervals([time], lasting=lasting), asked, scale_days=unit.days)[0]
    assert (found > U) == time.overlaps(asked)


@given(start=days, length=st.integers(0, 4000), a=days, b=days, unit=st.sampled_from(Granularity))
def test_nearer_is_never_worse(start, length, a, b, unit):
    asked = TimeInterval(start, start + length)
    found = graded(Times.from_intervals([TimeInterval(a, a), TimeInterval(b, b)]), asked, scale_days=unit.days)
    distance = [max(start - day, day - start - length, 0) for day in (a, b)]
    if distance[0] <= distance[1]:
        assert found[0] >= found[1]
