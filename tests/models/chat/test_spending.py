"""What chat models may cost together, and how often a server is asked."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest
from tests.helpers.fake_chat import Response, fails, says, server
from tests.models.chat.test_endpoint import WORD, ask

from faithkit.models.chat.endpoint import connect
from faithkit.models.chat.limits import Limits
from faithkit.models.chat.spending import Budget, Spent
from faithkit.records import ConfigError, DataError, ModelError


def test_models_that_name_one_budget_spend_it_together(tmp_path: Path) -> None:
    limits = Limits(transcripts="off", max_requests=5, budget=str(tmp_path / "budget.sqlite"))
    raised: list[str] = []

    def run(start: int) -> None:
        with pytest.raises(ModelError) as error:
            prompts = [ask("a", str(start + number)) for number in range(6)]
            connect(fake.model, offline=True).limited(limits).reply(prompts, WORD)
        raised.append(str(error.value))

    with server(lambda request, before: says("Yes")) as fake:
        threads = [threading.Thread(target=run, args=(start,)) for start in (0, 10)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(fake.requests) == 5
    assert len(raised) == 2
    assert all("max_requests=5 is used up" in text for text in raised)


def test_a_budget_of_tokens_or_money_is_that_of_what_the_server_says(tmp_path: Path) -> None:
    """The fake server says 100 tokens in and 2 out of every answer."""
    for number, limits in enumerate(
        (
            Limits("off", concurrency=1, max_total_tokens=420),
            Limits("off", concurrency=1, max_cost=0.00042, token_prices=(1.0, 1.0)),
        )
    ):
        with server(lambda request, before: says("Yes")) as fake:
            chat = connect(fake.model, offline=True).limited(limits)
            with pytest.raises(ModelError, match=r"(max_total_tokens|max_cost)=.* is used up"):
                chat.reply([ask("a", f"{number} {place}") for place in range(10)], WORD)
            assert len(fake.requests) == 4
            requests, tokens, cost = chat._budget().spent()
        assert (requests, tokens) == (4, 408)
        assert cost == pytest.approx(0.000408 if limits.token_prices else 0.0)


def test_a_request_that_the_server_refuses_costs_no_tokens() -> None:
    limits = Limits("off", retries=0, max_total_tokens=1000)
    with server(lambda request, before: fails(500)) as fake:
        chat = connect(fake.model, offline=True).limited(limits)
        chat.reply([ask("a", "b")], WORD)
    assert chat._budget().spent() == (1, 0, 0.0)


def test_a_limit_of_money_needs_prices() -> None:
    with pytest.raises(ConfigError, match="max_cost needs the prices"):
        Limits(max_cost=1.0)
    with pytest.raises(ConfigError, match="per_minute should be above 0"):
        Limits(per_minute=0)


def test_a_budget_that_cannot_be_counted_is_not_spent(tmp_path: Path) -> None:
    (tmp_path / "budget").write_bytes(b"no database" * 100)
    with pytest.raises(DataError, match="nothing is asked that cannot be counted"):
        Budget(str(tmp_path / "budget"))


def test_turns_are_an_interval_apart_over_all_who_share_a_file(tmp_path: Path) -> None:
    now = [1000.0]
    first, second = (Budget(str(tmp_path / "b"), lambda: now[0]) for _ in range(2))
    assert first.turn("host", 60) == 0
    assert second.turn("host", 60) == pytest.approx(1.0)
    assert second.turn("elsewhere", 60) == 0
    now[0] += 1.0
    assert second.turn("host", 60) == 0
    assert first.turn("host", 60) == pytest.approx(1.0)


@pytest.mark.parametrize("jump", [-86_400.0, 86_400.0])
def test_a_clock_that_jumps_delays_nobody_for_long(tmp_path: Path, jump: float) -> None:
    now = [1_000_000.0]
    budget = Budget("", lambda: now[0])
    assert budget.turn("host", 6) == 0
    now[0] += jump
    assert budget.turn("host", 6) == 0
    assert budget.turn("host", 6) == pytest.approx(10.0)


def test_every_try_waits_for_its_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    turns: list[tuple[str, float]] = []

    def turn(_: Budget, host: str, per_minute: float) -> float:
        turns.append((host, per_minute))
        return 0.0

    monkeypatch.setattr(Budget, "turn", turn)
    limits = Limits("off", concurrency=4, per_minute=30, retries=2)
    with server(lambda request, before: fails(500) if before == 0 else says("Yes")) as fake:
        prompts = [ask("a", str(number)) for number in range(4)]
        replies = connect(fake.model, offline=True).limited(limits).reply(prompts, WORD)
    assert [reply.text for reply in replies] == ["Yes"] * 4
    assert turns == [(fake.url.removeprefix("http://"), 30)] * 8


def test_requests_are_sent_no_faster_than_asked_for() -> None:
    times: list[float] = []

    def behave(request: dict[str, Any], before: int) -> Response:
        times.append(time.monotonic())
        return says("Yes")

    limits = Limits("off", concurrency=4, per_minute=300)
    with server(behave) as fake:
        chat = connect(fake.model, offline=True).limited(limits)
        chat.reply([ask("a", str(number)) for number in range(5)], WORD)
    # Four intervals of 200 ms, less what the first request was on its way.
    assert max(times) - min(times) > 0.5


def test_nothing_is_taken_where_too_little_is_left() -> None:
    budget = Budget()
    with pytest.raises(Spent, match="max_total_tokens=10"):
        budget.take(Limits(max_total_tokens=10), "x" * 300, 16)
    with pytest.raises(Spent, match=r"max_total_tokens=1234567$"):
        budget.take(Limits(max_total_tokens=1234567), "x" * 300, 2_000_000)
    assert budget.spent() == (0, 0, 0.0)
