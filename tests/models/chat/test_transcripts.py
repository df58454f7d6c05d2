"""Stored answers of chat models."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest
from tests.helpers import tiny_models
from tests.helpers.chat_prompts import OFF, PROMPTS, WORD, local

from faithkit.models.chat.local import LocalChat
from faithkit.models.protocols import Asking, Limits, Prompt
from faithkit.records import DataError

pytestmark = pytest.mark.slow


class Counted(LocalChat):
    """Counts its prompts, together with all copies under other limits."""

    def __init__(self, *parts: Any, **options: Any) -> None:
        super().__init__(*parts, **options)
        self.prompts: list[Prompt] = []

    @property
    def asked(self) -> int:
        return len(self.prompts)

    def _ask(self, prompts: Any, asking: Any) -> Any:
        self.prompts.extend(prompts)
        return super()._ask(prompts, asking)


def test_what_was_answered_is_not_asked_again(tmp_path: Path) -> None:
    limits = Limits(transcripts=str(tmp_path / "kept.sqlite"))
    chat = Counted(tiny_models.chat(), tiny_models.chat_tokenizer(), id="random@0")
    first = chat.limited(limits).reply([PROMPTS[0], PROMPTS[1], PROMPTS[0]], Asking(4))
    assert chat.asked == 2 and first[0] == first[2]
    assert chat.limited(limits).reply(PROMPTS[:3], Asking(4))[:2] == first[:2]
    assert chat.asked == 3
    for asking in (Asking(5), Asking(4, temperature=1.0), Asking(4, document_tokens=3)):
        chat.limited(limits).reply(PROMPTS[:1], asking)
    assert chat.asked == 6
    other = Counted(tiny_models.chat(), tiny_models.chat_tokenizer(), id="other@0")
    other.limited(limits).reply(PROMPTS[:1], Asking(4))
    assert other.asked == 1
    chat.limited(OFF).reply(PROMPTS[:1], Asking(4))
    assert chat.asked == 7


def test_a_transcript_holds_the_prompt_and_the_answer(tmp_path: Path) -> None:
    path = tmp_path / "kept.sqlite"
    (reply,) = local().limited(Limits(transcripts=str(path))).reply(PROMPTS[:1], Asking(4))
    with sqlite3.connect(path) as store:
        ((row,),) = store.execute("SELECT row FROM scores").fetchall()
    assert all(piece.text in row for piece in PROMPTS[0] if piece.slot)
    assert '"model": "random@0"' in row and f'"completion_tokens": {reply.completion_tokens}' in row


def test_transcripts_that_cannot_be_used_say_so(tmp_path: Path) -> None:
    (tmp_path / "broken").write_bytes(b"no database" * 100)
    with pytest.raises(DataError, match=r"transcripts .*another transcripts=FILE"):
        local().limited(Limits(transcripts=str(tmp_path / "broken"))).reply(PROMPTS[:1], Asking(4))


def test_default_transcripts_that_cannot_be_used_are_warned_of_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("FAITHKIT_CACHE", str(tmp_path))
    (tmp_path / "transcripts.sqlite").write_bytes(b"no database" * 100)
    (expected,) = local().limited(OFF).reply(PROMPTS[:1], WORD)
    for _ in range(2):
        (reply,) = local().limited(Limits()).reply(PROMPTS[:1], WORD)
        assert reply.first == pytest.approx(expected.first, abs=1e-9)
    (record,) = caplog.records
    assert "transcripts.sqlite: file is not a database" in record.getMessage()
    assert (tmp_path / "transcripts.sqlite").read_bytes() == b"no database" * 100
