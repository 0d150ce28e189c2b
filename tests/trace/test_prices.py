"""Costs by a price table: hand-computed, never over what a log says, missing where a price is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentlens.errors import TraceError
from agentlens.trace.load import load, load_many
from agentlens.trace.prices import Price, cost_of, price_table

#: US dollars for a million tokens; round numbers, so that a hand can compute with them.
PRICES = {"big": {"input": 3.0, "output": 15.0, "cached": 0.3, "cache_write": 3.75},
          "small": {"input": 0.5, "output": 2.0}}  # fmt: skip
HERE = Path(__file__).parent


def row(number, model="big", **amounts):
    return {"round": number, "tool": "t", "model": model, **amounts}


def costs(rows, prices=PRICES):
    return load(rows, prices=prices).tables["rounds"]["cost"]


def test_hand_computed():
    # 10,000 prompt tokens: 6,000 read from a cache, 1,000 written to it, 3,000 neither; 200 answer
    # 3,000 × 3 + 6,000 × 0.3 + 1,000 × 3.75 + 200 × 15 = 9,000 + 1,800 + 3,750 + 3,000 millionths
    cached = row(1, input_tokens=10_000, cached_tokens=6_000, cache_write_tokens=1_000,
                 output_tokens=200)  # fmt: skip
    # 1,000 × 0.5 + 500 × 2 = 1,500 millionths
    plain = row(2, "small", input_tokens=1_000, output_tokens=500)
    assert costs([cached, plain]) == [0.01755, 0.0015]


def test_a_cost_of_the_log_stays():
    rows = [row(1, input_tokens=1_000, output_tokens=10, cost=9.0),
            row(2, input_tokens=0, output_tokens=0, cost=0.0)]  # fmt: skip
    assert costs(rows) == [9.0, 0.0]
    assert not load(rows, prices=PRICES).notes


def test_missing_prices_stay_missing():
    rows = [
        row(1, "unknown", input_tokens=1_000, output_tokens=10),
        row(2, "small", input_tokens=1_000, output_tokens=10, cached_tokens=400),
        row(3, "small", input_tokens=1_000, output_tokens=10, cached_tokens=0),
        row(4, tokens=50),
        row(5, input_tokens=1_000),
        row(6, input_tokens=10, output_tokens=1, cached_tokens=11),
        {"round": 7, "tool": "t", "input_tokens": 5, "output_tokens": 5},
    ]
    trace = load(rows, prices=PRICES)
    # 1,000 × 0.5 + 10 × 2 = 520 millionths
    assert trace.tables["rounds"]["cost"] == [None, None, 0.00052, None, None, None, None]
    said = {note.message: note.count for note in trace.notes}
    assert said == {
        "no cost: the price table lacks the model 'unknown'": 1,
        "no cost: a price of the model 'small' is missing": 1,
        "cost by the price table": 1,
        "no cost: the log tells prompt or answer tokens only": 1,
        "no cost: a price of the model 'big' is missing": 1,
        "no cost: the price table lacks the model that the log leaves unnamed": 1,
    }


def test_a_round_without_a_model_is_of_the_only_one():
    rows = [row(1, "small", input_tokens=2, output_tokens=0),
            {"round": 2, "tool": "t", "input_tokens": 4, "output_tokens": 0}]  # fmt: skip
    assert costs(rows) == [1e-6, 2e-6]


def test_patterns_the_longest_first():
    prices = {"gpt-*": {"input": 1, "output": 1}, "gpt-4o-*": {"input": 2, "output": 2},
              "gpt-4o-mini": {"input": 3, "output": 3}}  # fmt: skip
    models = ["gpt-5", "gpt-4o-2024", "gpt-4o-mini", "o3"]
    rows = [row(n, m, input_tokens=1_000_000, output_tokens=0) for n, m in enumerate(models, 1)]
    assert costs(rows, prices) == [1.0, 2.0, 3.0, None]


@pytest.mark.parametrize("suffix", ["toml", "json"])
def test_a_file_of_prices(tmp_path: Path, suffix: str):
    file = tmp_path / f"prices.{suffix}"
    text = json.dumps(PRICES) if suffix == "json" else "".join(
        f'["{model}"]\n' + "".join(f"{k} = {v}\n" for k, v in price.items())
        for model, price in PRICES.items()
    )  # fmt: skip
    file.write_text(text, "utf-8")
    assert price_table(file) == price_table(PRICES)
    rows = [row(1, "small", input_tokens=1_000, output_tokens=500)]
    assert costs(rows, str(file)) == [0.0015]
    assert [t.tables["rounds"]["cost"] for t in load_many(rows, prices=file)] == [[0.0015]]


def test_a_real_log_once_a_message_and_with_its_cache():
    """Of a session, usage counts once a message; its 100 prompt tokens: 3 new, 90 read, 7 written.

    3 × 3 + 90 × 0.3 + 7 × 3.75 + 5 × 15 = 137.25 millionths of a dollar.
    """
    prices = {"m": PRICES["big"]}
    trace = load(HERE / "formats" / "examples" / "claude_code.json", prices=prices)
    assert trace.tables["rounds"]["cost"] == pytest.approx([137.25e-6, 137.25e-6], rel=1e-12)


@pytest.mark.parametrize(
    ("prices", "said"),
    [
        (5, "prices must be a mapping"),
        ({"m": 3}, "prices of 'm': expected"),
        ({"m": {"in": 3}}, "'in' is none of input, output, cached, cache_write"),
        ({"m": {"input": "3"}}, "'input' must be US dollars"),
        ({"m": {"input": -1}}, "'input' must be US dollars"),
        ({"m": {"input": float("nan")}}, "'input' must be US dollars"),
        ({"m": {"input": True}}, "'input' must be US dollars"),
        ("nowhere.toml", "nowhere.toml: cannot open"),
    ],
)
def test_mistakes_are_one_line(prices, said):
    with pytest.raises(TraceError, match=said) as error:
        load([row(1)], prices=prices)
    assert "\n" not in str(error.value)


def test_a_damaged_file_of_prices(tmp_path: Path):
    for name in ("a.json", "a.toml"):
        (tmp_path / name).write_text("{oops", "utf-8")
        with pytest.raises(TraceError, match="is no table of prices"):
            price_table(tmp_path / name)


def test_a_price_of_nothing_is_a_price():
    assert cost_of(Price(0, 0), 10, 10) == 0.0
    assert cost_of(Price(None, 1.0), 0, 1_000_000) == 1.0
