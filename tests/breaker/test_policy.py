"""Policies: presets, switches, TOML in and out, and errors that name file, line and values."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlens.breaker.policy import Policy, as_policy
from agentlens.breaker.switches import SWITCHES
from agentlens.errors import PolicyError


def test_the_default_is_layered_and_says_so():
    assert Policy() == Policy.preset("layered") == as_policy(None)
    assert Policy().name == "layered"
    assert {"query", "repeat", "cycle", "errors", "novelty", "text", "waiting"} <= {
        "query" if Policy().query else "",
        *(rule.name for rule in Policy().rules),
    }


def test_the_article_has_a_name_of_its_own():
    classic = Policy.preset("classic")
    assert (classic.similarity, classic.threshold) == (Fraction(4, 5), 2)
    assert (classic.profile, classic.staged, classic.rules) == ("classic@1", False, ())


@pytest.mark.parametrize(
    ("given", "wanted"),
    [(0.8, Fraction(4, 5)), ("5/6", Fraction(5, 6)), (5 / 6, Fraction(5, 6)), (1, Fraction(1))],
)
def test_a_similarity_survives_a_float(given, wanted):
    assert Policy.preset("classic", similarity=given).similarity == wanted


@pytest.mark.parametrize(
    ("switch", "value"),
    [
        ("similarity", 0),
        ("similarity", 1.2),
        ("similarity", 1.0000001),
        ("similarity", "much"),
        ("similarity", float("nan")),
        ("threshold", 0),
        ("threshold", 2.0),
        ("threshold", True),
        ("agg", "most"),
        ("intra", 1),
        ("window", 0),
        ("search_tools", "("),
        ("profile", "none@7"),
        ("punct", "keep"),
        ("measure", None),
    ],
)
def test_a_switch_that_cannot_hold_a_value_says_what_it_may_hold(switch, value):
    with pytest.raises(PolicyError, match=switch):
        Policy.preset("classic", **{switch: value})


def test_a_punctuation_that_the_profile_does_not_have_is_refused_at_once():
    with pytest.raises(PolicyError, match="punct 'delete' of safe@1"):
        Policy.preset("classic", profile="safe@1", punct="delete")


def test_an_unknown_switch_or_preset_lists_those_that_exist():
    with pytest.raises(PolicyError, match=r"no switch .treshold.*threshold"):
        Policy.preset("classic", treshold=3)
    with pytest.raises(PolicyError, match=r"no preset .clasic.*classic"):
        Policy.preset("clasic")


@given(
    st.fractions(min_value=Fraction(1, 100), max_value=1, max_denominator=1000),
    st.integers(1, 50),
    st.sampled_from(["any", "all", "majority"]),
    st.sampled_from([None, 3, "last"]),
    st.booleans(),
)
def test_toml_out_and_in_is_the_same_policy(
    tmp_path_factory, similarity, threshold, agg, window, veto
):
    policy = Policy.preset(
        "classic",
        similarity=similarity,
        threshold=threshold,
        agg=agg,
        window=window,
        numeric_veto=veto,
    )
    path = tmp_path_factory.mktemp("policy") / "policy.toml"
    policy.to_toml(path)
    assert Policy.from_toml(path) == policy


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('preset = "classic"\n\nthreshold = 0\n', r"policy.toml, line 3: threshold: 0 is not"),
        ("similarity = 3\n", r"policy.toml, line 1: similarity: 3"),
        ("\nspeed = 1\n", r"policy.toml, line 2: no switch 'speed'"),
        ('preset = "other"\n', r"policy.toml, line 1: no preset 'other'"),
        ("threshold = \n", r"policy.toml: not TOML: .*line 1"),
    ],
)
def test_a_wrong_policy_file_names_file_and_line(tmp_path, text, message):
    path = tmp_path / "policy.toml"
    path.write_text(text)
    with pytest.raises(PolicyError, match=message):
        Policy.from_toml(path)


def test_a_missing_policy_file_is_a_policy_error(tmp_path):
    with pytest.raises(PolicyError, match="No such file"):
        Policy.from_toml(tmp_path / "none.toml")


def test_every_switch_is_described_and_every_described_switch_is_a_field():
    described = Policy.describe()
    assert list(described) == list(SWITCHES)
    assert set(described) | {"name", "rules"} == set(Policy().to_dict())


def test_a_policy_whose_name_is_no_preset_could_not_be_read_back_and_is_refused():
    with pytest.raises(PolicyError, match="no preset 'mine'"):
        Policy(name="mine")
