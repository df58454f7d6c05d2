"""The chat model that a metric of another package asks, one prompt at a time.

Those metrics are coroutines, each of which asks several times in a row. `Judge` collects what the
coroutines of many examples ask at about the same time and hands it to the model together, so that a
model behind an API gets requests side by side, and one that runs here a batch.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from faithkit.models.protocols import Asking, ChatModel, Piece, Prompt, Reply
from faithkit.records import Outcome

GATHERING = 0.01
"""Seconds in which prompts are collected before they are sent."""


class NoAnswerError(Exception):
    """The chat model gave no answer; why is in the `Questioner`."""


class Judge:
    """A chat model for the coroutines of one event loop.

    asking  how every prompt is to be answered; nothing of a prompt is cut
    """

    def __init__(self, model: ChatModel, asking: Asking) -> None:
        self._model, self._asking = model, asking
        self._waiting: list[tuple[Prompt, asyncio.Future[Reply]]] = []
        self._answering: asyncio.Task[None] | None = None

    async def reply(self, text: str) -> Reply:
        """The reply to a prompt. Raises ModelError where no prompt can be answered."""
        future: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        # All of it counts as a text of the user's: no special token in it is one.
        self._waiting.append(((Piece(text, "summary"),), future))
        if self._answering is None:
            self._answering = asyncio.create_task(self._answer())
        return await future

    async def _answer(self) -> None:
        while self._waiting:
            await asyncio.sleep(GATHERING)
            asked, self._waiting = self._waiting, []
            prompts = [prompt for prompt, _ in asked]
            try:
                replies = await asyncio.to_thread(self._model.reply, prompts, self._asking)
            except Exception as error:
                for _, future in asked:
                    future.set_exception(error)
            else:
                for (_, future), reply in zip(asked, replies, strict=True):
                    future.set_result(reply)
        self._answering = None


@dataclass(slots=True)
class Questioner:
    """The judge of one example.

    replies  what it has answered so far
    error    why no prompt can be answered, if so: it stops the run, whatever the package makes of
             it
    """

    judge: Judge
    replies: list[Reply]
    error: Exception | None = None

    async def ask(self, prompt: str) -> str:
        """The answer to a prompt. Raises NoAnswerError where there is none."""
        try:
            reply = await self.judge.reply(prompt)
        except Exception as error:
            self.error = error
            raise NoAnswerError(str(error)) from error
        self.replies.append(reply)
        if reply.outcome is not Outcome.OK:
            raise NoAnswerError(f"the judge did not answer: {reply.outcome}")
        return reply.text

    @property
    def failure(self) -> Outcome | None:
        """Why the judge did not answer, the first time that it did not; None if it always did."""
        return next((r.outcome for r in self.replies if r.outcome is not Outcome.OK), None)

    @property
    def cost(self) -> dict[str, float]:
        """Requests and tokens of this example, as the model counts them."""
        return {
            "requests": float(len(self.replies)),
            "prompt_tokens": float(sum(reply.prompt_tokens for reply in self.replies)),
            "completion_tokens": float(sum(reply.completion_tokens for reply in self.replies)),
        }
