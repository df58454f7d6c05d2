"""What a chat model may cost: `Limits`, which each model carries."""

from __future__ import annotations

from dataclasses import dataclass

from faithkit.records import ConfigError


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one chat model; they change no answer. All but `transcripts` are for models behind
    an API. Raises ConfigError on a value out of range.

    transcripts   the file of stored answers, "" for the one in the user's cache folder, "off" for
                  none
    timeout       seconds until a request that is not answered is tried again, or given up
    retries       further tries, each after a longer pause
    concurrency   requests at once
    max_requests  the most requests this model may be sent in its lifetime, stored answers and
                  retries not counted
    max_total_tokens, max_cost
                  the most tokens of prompts and answers, and dollars. A request is counted with an
                  estimate before it is sent, and with what the server says afterwards
    budget        the file in which all of this is counted, over all processes and runs that name
                  it; "" for this process alone
    per_minute    requests a minute to the server's host, further tries included, over all processes
                  that name the same budget
    responses     a file, or a folder of files, of responses to the requests of `faithkit requests`;
                  then nothing is sent, and a prompt without a response has the outcome timeout
    token_prices  dollars for a million tokens in and out, for `max_cost`
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
        above = {
            "timeout": self.timeout, "concurrency": self.concurrency,
            "per_minute": self.per_minute,
        }  # fmt: skip
        for option, value in above.items():
            if value is not None and value <= 0:
                raise ConfigError(f"{option} should be above 0, found {value:g}")
        for option in ("retries", "max_requests", "max_total_tokens", "max_cost"):
            count = getattr(self, option)
            if count is not None and not count >= 0:
                raise ConfigError(f"{option} should be 0 or more, found {count}")
        if self.max_cost is not None and self.token_prices is None:
            raise ConfigError("max_cost needs the prices of tokens, such as prices=0.15,0.60")
