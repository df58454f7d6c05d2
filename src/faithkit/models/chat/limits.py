"""The limits of requests to a chat model, and of what they may cost: `Limits`."""

from __future__ import annotations

from dataclasses import dataclass

from faithkit.records import ConfigError


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one chat model; they do not change an answer. All but `transcripts` are for models
    behind an API. Raises ConfigError on a value out of range.

    transcripts   the file of stored answers; "": the one in the user's cache folder; "off": none
    timeout       seconds after which a request without an answer is repeated or given up
    retries       how often a failed request is repeated, each time after a longer pause
    concurrency   the number of requests at a time
    max_requests  the most requests that are sent, stored answers and retries not counted
    max_total_tokens, max_cost
                  the most tokens of prompts and answers, and the most dollars. A request is counted
                  with an estimate before it is sent, and with the server's numbers afterwards
    budget        the file that counts requests, tokens and dollars, over all processes and runs
                  that name it; "": this process only
    per_minute    the most requests a minute to the server's host, retries included, over all
                  processes that name the same budget
    responses     a file, or a folder of files, with responses to the requests of `faithkit
                  requests`. Nothing is sent then, and a prompt without a response has the outcome
                  timeout
    token_prices  dollars for a million input tokens and a million output tokens, for `max_cost`
    """

    transcripts: str = ""
    timeout: float = 60.0
    retries: int = 4
    concurrency: int = 4
    max_requests: int | None = None
    max_total_tokens: int | None = None
    max_cost: float | None = None
    budget: str = ""
    per_minute: float | None = None
    responses: str = ""
    token_prices: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        positive = {
            "timeout": self.timeout, "concurrency": self.concurrency,
            "per_minute": self.per_minute,
        }  # fmt: skip
        for option, value in positive.items():
            if value is not None and value <= 0:
                raise ConfigError(f"{option} should be above 0, found {value:g}")
        for option in ("retries", "max_requests", "max_total_tokens", "max_cost"):
            count = getattr(self, option)
            if count is not None and not count >= 0:
                raise ConfigError(f"{option} should be 0 or more, found {count}")
        if self.max_cost is not None and self.token_prices is None:
            raise ConfigError("max_cost needs the prices of tokens, such as prices=0.15,0.60")
