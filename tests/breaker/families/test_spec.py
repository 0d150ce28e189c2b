"""Rules as data: what is wrong with one is said with its line."""

from __future__ import annotations

import pytest

from agentlens.breaker.families.spec import RuleSpec
from agentlens.breaker.policy import Policy
from agentlens.errors import PolicyError

HEAD = 'preset = "classic"\n\n[[rules]]\nname = "one"\nfamily = "streak"\nstop = 3\n'


def read(tmp_path, text: str) -> Policy:
    path = tmp_path / "policy.toml"
    path.write_text(text)
    return Policy.from_toml(path)


def test_rules_come_out_as_they_went_in(tmp_path):
    policy = read(tmp_path, HEAD + '[[rules]]\nname = "two"\nfamily = "count"\nwarn = [2, 4]\n')
    assert policy.rules == (
        RuleSpec("one", "streak", stop=3),
        RuleSpec("two", "count", warn=(2, 4)),
    )
    path = tmp_path / "again.toml"
    policy.to_toml(path)
    assert Policy.from_toml(path) == policy
    assert hash(policy) == hash(Policy.from_toml(path))


@pytest.mark.parametrize(
    ("more", "line", "message"),
    [
        ('[[rules]]\nname = "two"\nfamily = "steak"\nstop = 1\n', 9, "family: 'steak' is none of"),
        ('[[rules]]\nname = "two"\nfamily = "streak"\nstop = 0\n', 10, "stop: 0 is no"),
        ('[[rules]]\nname = "one"\nfamily = "count"\nstop = 2\n', 8, "another rule has this name"),
        ('[[rules]]\nfamily = "count"\nstop = 2\n', 7, "name is missing"),
        ('[[rules]]\nname = "two"\nfamily = "count"\n', 8, "none of warn, block, stop"),
        ('[[rules]]\nname = "two"\nfamily = "count"\nstop = 2\nkey = ["tol"]\n', 11, "'tol'"),
        ('[[rules]]\nname = "two"\nfamily = "count"\nstop = 2\nspeed = 1\n', 11, "no such field"),
        ('[[rules]]\nname = "two"\nfamily = "cycle"\nstop = 2\nperiods = [3, 2]\n', 11, "periods"),
    ],
)  # fmt: skip
def test_a_wrong_rule_names_its_line(tmp_path, more, line, message):
    with pytest.raises(PolicyError, match=rf"policy.toml, line {line}: rule .*{message}"):
        read(tmp_path, HEAD + more)


def test_a_policy_takes_rules_as_mappings():
    policy = Policy.preset("classic", rules=[{"name": "a", "family": "streak", "stop": 2}])
    assert policy.rules == (RuleSpec("a", "streak", stop=2),)
    with pytest.raises(PolicyError, match="rules: expected"):
        Policy.preset("classic", rules="streak")
