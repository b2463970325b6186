from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qtie.config import Config, DocumentOptions, RankingOptions, RetrievalOptions, zone
from qtie.errors import ConfigError, QtieError
from qtie.intent import IntentOptions


def test_every_key_is_read():
    config = Config.parse("""
        [intent]
        date_order = "dmy"
        week_start = 6
        fiscal_year_start = 4
        hemisphere = "south"
        prefer = "future"
        two_digit_pivot = 20
        time_zone = "Europe/Berlin"
        [documents]
        time_keys = ["meta.date"]
        facet_keys = { born = ["geboren"], updated = ["updated_at"] }
        missing = "estimate"
        [ranking]
        temporal_weight = 1
        fusion = "weighted_sum"
        normalization = "min_max"
        kernel = "gap_decay"
        mode = "strict"
        [retrieval]
        retriever = "hybrid"
        encoder = "folder/model"
        dense_weight = 0.25
    """)
    assert config == Config(
        intent=IntentOptions(
            date_order="dmy",
            week_start=6,
            fiscal_year_start=4,
            hemisphere="south",
            prefer="future",
            two_digit_pivot=20,
            time_zone="Europe/Berlin",
        ),
        documents=DocumentOptions(
            time_keys=("meta.date",),
            facet_keys={"born": ("geboren",), "updated": ("updated_at",)},
            missing="estimate",
        ),
        ranking=RankingOptions(
            temporal_weight=1, fusion="weighted_sum", normalization="min_max", kernel="gap_decay", mode="strict"
        ),
        retrieval=RetrievalOptions(retriever="hybrid", encoder="folder/model", dense_weight=0.25),
    )


def test_what_is_left_out_keeps_its_default():
    assert Config.parse("") == Config()
    facets = Config.parse("[documents]\nfacet_keys = { born = ['geboren'] }").documents.facet_keys
    assert facets["born"] == ("geboren",)
    assert "death_date" in facets["died"]


def test_ingest_times_are_no_timestamp_unless_asked():
    assert not {"created_at", "updated_at", "indexed_at"} & set(DocumentOptions().time_keys)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[rankng]", "unknown section 'rankng'; one of intent, documents, ranking, retrieval"),
        ("[ranking]\ntemporal_wieght = 0.5", r"\[ranking\] unknown key 'temporal_wieght'; one of temporal_weight"),
        ("ranking = 3", r"\[ranking\] must be a table of keys, not 3"),
        ("[ranking]\ntemporal_weight = 'much'", r"\[ranking\] temporal_weight must be a number, not 'much'"),
        ("[ranking]\ntemporal_weight = true", "temporal_weight must be a number, not True"),
        ("[ranking]\ntemporal_weight = 1.5", "temporal_weight must be from 0 to 1, not 1.5"),
        ("[ranking]\ntemporal_weight = nan", "temporal_weight must be from 0 to 1, not nan"),
        ("[ranking]\nfusion = 1", "fusion must be a string, not 1"),
        ("[ranking]\nmode = 'hard'", "mode must be one of soft, strict, not 'hard'"),
        ("[ranking]\nmode = ['soft']", "mode must be one of soft, strict, not"),
        ("[retrieval]\ndense_weight = -1", "dense_weight must be from 0 to 1, not -1"),
        ("[intent]\nweek_start = true", r"\[intent\] week_start must be a whole number, not True"),
        ("[intent]\nweek_start = 7", r"\[intent\] week_start must be one of 0, 1, .*, not 7"),
        ("[intent]\ntwo_digit_pivot = 100", "two_digit_pivot must be from 0 to 99"),
        ("[intent]\ntime_zone = 'Mars'", r"\[intent\] time_zone: no IANA time zone 'Mars'"),
        ("[intent]\ntime_zone = '../../etc/passwd'", "time_zone: no IANA time zone"),
        ("[intent]\ntime_zone = 'Europe'", "time_zone: no IANA time zone"),
        ("[documents]\ntime_keys = 'date'", "time_keys must be a list of strings, not 'date'"),
        ("[documents]\ntime_keys = [1]", "time_keys must be a list of strings"),
        ("[documents]\nfacet_keys = ['born']", "facet_keys must be a table of lists of strings"),
        ("[documents.facet_keys]\nborn = 'b'", r"facet_keys\.born must be a list of strings, not 'b'"),
        ("[documents]\nmissing = 'ignore'", "missing must be one of neutral, penalize, drop, estimate, not 'ignore'"),
        ("[intent", "not TOML"),
        ("a = " + "[" * 5000, "not TOML"),
    ],
)
def test_what_makes_no_sense_names_file_and_key(text, message):
    with pytest.raises(ConfigError, match=f"^settings.toml: .*{message}"):
        Config.parse(text, source="settings.toml")


def test_load(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert Config.load() == Config()
    (tmp_path / "qtie.toml").write_bytes(b"\xef\xbb\xbf[ranking]\r\ntemporal_weight = 0.3\r\n")
    assert Config.load().ranking.temporal_weight == Config.load("qtie.toml").ranking.temporal_weight == 0.3
    (tmp_path / "latin1.toml").write_bytes(b"[ranking]\nfusion = '\xe9'")
    for name in ("latin1.toml", "missing.toml", "."):
        with pytest.raises(ConfigError, match=f"^{name}: cannot be read"):
            Config.load(name)


def test_options_made_in_python_are_checked_too():
    with pytest.raises(ConfigError, match="temporal_weight"):
        RankingOptions(temporal_weight=2)
    with pytest.raises(ConfigError, match="missing"):
        DocumentOptions(missing="ignore")
    with pytest.raises(ConfigError, match="no IANA"):
        zone("Nowhere")


VALUES = st.sampled_from(
    ["0.5", "'soft'", "true", "[]", "{}", "['a']", "{ a = ['b'] }", "nan", "1979-05-27", "-1", "''"]
)
KEYS = st.sampled_from(
    [*IntentOptions.__dataclass_fields__, *DocumentOptions.__dataclass_fields__, *RankingOptions.__dataclass_fields__]
)


@given(st.sampled_from(["intent", "documents", "ranking", "retrieval", "x"]), KEYS, VALUES)
def test_nothing_but_our_own_errors(section, key, value):
    with suppress(QtieError):
        Config.parse(f"[{section}]\n{key} = {value}")


@given(st.text())
def test_any_text_is_read_or_refused(text):
    with suppress(ConfigError):
        Config.parse(text)
