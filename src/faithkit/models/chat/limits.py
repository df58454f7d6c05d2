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
    """

    transcripts: str = ""
    timeout: float = 60.0
    retries: int = 4
    concurrency: int = 4
    max_requests: int | None = None

    def __post_init__(self) -> None:
        for option, value in {"timeout": self.timeout, "concurrency": self.concurrency}.items():
            if value <= 0:
                raise ConfigError(f"{option} should be above 0, found {value:g}")
        for option, count in {"retries": self.retries, "max_requests": self.max_requests}.items():
            if count is not None and count < 0:
                raise ConfigError(f"{option} should be 0 or more, found {count}")
