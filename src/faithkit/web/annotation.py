"""`faithkit annotate`: the pages on which people annotate, and what those pages ask for.

What is stored and what it means is in `faithkit.annotation`; nothing is decided here.
"""

from __future__ import annotations

import hashlib
from typing import Any
from urllib.parse import parse_qs, quote

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from faithkit.annotation.agreement import disagreements, done_answers
from faithkit.annotation.answers import Answer, Event, hash_of
from faithkit.annotation.items import Item, words
from faithkit.annotation.store import ADJUDICATOR, NotWrittenError, Store
from faithkit.records import DataError
from faithkit.web.answers import Refusal, body_of, json_of
from faithkit.web.pages import render
from faithkit.web.security import Access
from faithkit.web.server import create_app

EVENT_BYTES = 256 * 1024
EVENT_FIELDS = frozenset({"key", "action", "question", "value", "seconds", "text_hash"})


def annotation_app(store: Store, access: Access | None = None) -> ASGIApp:
    """The app over one store; see `create_app` for `access`."""
    return create_app(AnnotationPages(store).routes(), access)


class AnnotationPages:
    """The routes over one store. The annotator is in the address, so that it can be kept as a
    bookmark; a name says who somebody is and is no password.

    A page says in `?store=` which store it was made for: another one may be served here since.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._identity = store.identity()

    def routes(self) -> list[Route]:
        """The pages, and below `/v1` what their scripts ask for."""
        return [
            Route("/", self.first_page),
            Route("/join", self.join, methods=["POST"]),
            Route("/adjudicate", self.adjudicate),
            Route("/a/{annotator}", self.work_page),
            Route("/v1/annotation/{annotator}", self.overview),
            Route("/v1/annotation/{annotator}/{position:int}", self.show_item),
            Route("/v1/annotation/{annotator}/{position:int}", self.add_event, methods=["POST"]),
        ]

    def first_page(self, request: Request) -> Response:
        """Who annotates, and how far everybody is."""
        return render(
            request, "annotation_start.html", task=self._store.task, plan=self._store.plan,
            progress=self._store.progress(),
        )  # fmt: skip

    async def join(self, request: Request) -> Response:
        """Lets an annotator in, who may be new where the store has no list of names."""
        form = parse_qs(
            b"".join([p async for p in body_of(request, 4096)]).decode("utf-8", "replace")
        )
        name = form.get("name", [""])[0].strip()
        if name == ADJUDICATOR:
            raise Refusal(422, f"'{name}' is the name of who decides disagreements.")
        await run_in_threadpool(self._store.join, name)
        return RedirectResponse(f"/a/{quote(name, safe='')}", 303)

    def adjudicate(self, request: Request) -> Response:
        """The work page over the items that annotators judged differently."""
        self._store.join(ADJUDICATOR)
        return self._work(request, ADJUDICATOR)

    def work_page(self, request: Request) -> Response:
        """The page of one annotator."""
        return self._work(request, self._annotator(request))

    def _work(self, request: Request, annotator: str) -> Response:
        return render(request, "annotation.html", task=self._store.task, annotator=annotator,
                      store=self._identity, adjudicator=annotator == ADJUDICATOR)  # fmt: skip

    def _annotator(self, request: Request) -> str:
        """The annotator in the address. Raises Refusal where there is none of this name, and where
        the request is meant for another store."""
        if request.query_params.get("store", self._identity) != self._identity:
            raise Refusal(409, "Other annotations are served here now. Reload this page.")
        name = str(request.path_params["annotator"])
        if name not in (ADJUDICATOR, *self._store.annotators()):
            raise Refusal(404, f"There is no annotator '{name}'; begin at the first page.")
        return name

    def overview(self, request: Request) -> Response:
        """The task, and position, id and state of the annotator's items."""
        annotator = self._annotator(request)
        if annotator == ADJUDICATOR:
            items = self._to_decide()
        else:
            items = [
                {"position": position, "id": identity, "state": state}
                for position, identity, state in self._store.assigned(annotator)
            ]
        task = self._store.task.to_dict()
        del task["pilots"]
        return JSONResponse({"task": task, "annotator": annotator, "items": items})

    def _to_decide(self) -> list[dict[str, Any]]:
        items, states = self._store.items(), self._store.states(ADJUDICATOR)
        return [
            {
                "position": position,
                "id": items[position].id,
                "state": states.get(position, "open"),
                "questions": questions,
            }
            for position, questions in disagreements(self._store)
        ]

    def show_item(self, request: Request) -> Response:
        """The texts of an item and what the annotator has answered so far."""
        annotator, position = self._annotator(request), int(request.path_params["position"])
        item = self._store.item(position)
        if annotator != ADJUDICATOR:
            self._check_assigned(annotator, position)
        answer = self._store.answer(annotator, position)
        sides = {question.side for question in self._store.task.questions}
        record = {
            "position": position,
            "id": item.id,
            "source": item.source,
            "summaries": item.summaries,
            "shown": item.shown,
            "swapped": len(item.summaries) > 1 and _is_swapped(annotator, item.id),
            "words": {side: words(item.texts[side]) for side in ("source", "summary")
                      if side in sides},
            "hashes": {side: hash_of(text) for side, text in item.texts.items()},
            "premarks": [] if self._store.is_blind(annotator) else item.premarks,
            "answer": answer.to_dict(),
            "pilot": self._reference(item, answer),
            "is_pilot": bool(item.pilot),
            "others": self._others(item, position) if annotator == ADJUDICATOR else [],
        }  # fmt: skip
        return JSONResponse(record)

    def _check_assigned(self, annotator: str, position: int) -> None:
        if position not in {place for place, _, _ in self._store.assigned(annotator)}:
            raise Refusal(404, f"Item {position} is not assigned to '{annotator}'.")

    def _reference(self, item: Item, answer: Answer) -> dict[str, Any] | None:
        """The reference answers of a worked example, once the annotator has given theirs."""
        if not item.pilot or answer.state != "done":
            return None
        pilot = self._store.task.pilots[item.pilot - 1]
        return {"answers": dict(pilot.answers), "note": pilot.note}

    def _others(self, item: Item, position: int) -> list[dict[str, Any]]:
        """What the annotators answered, for who decides."""
        _, answers = done_answers(self._store).get(position, (item, {}))
        return [{"annotator": name, **answer.to_dict()} for name, answer in answers.items()]

    async def add_event(self, request: Request) -> Response:
        """Stores an event. Answers with what the annotator has answered then."""
        annotator, position = self._annotator(request), int(request.path_params["position"])
        event = _event(await json_of(request, EVENT_BYTES))
        try:
            answer = await run_in_threadpool(self._store.append, annotator, position, event)
        except NotWrittenError as error:
            raise Refusal(503, f"The answer could not be stored: {error}") from error
        item = await run_in_threadpool(self._store.item, position)
        return JSONResponse({"answer": answer.to_dict(), "pilot": self._reference(item, answer)})


def _event(values: dict[str, Any]) -> Event:
    """Raises DataError on fields that are no event's, or of another kind."""
    if other := sorted(set(values) - EVENT_FIELDS):
        raise DataError(f"an event has no field '{other[0]}'")
    for name in ("key", "action", "question", "text_hash"):
        if not isinstance(values.get(name, ""), str):
            raise DataError(f"field '{name}' of an event is text")
    seconds = values.get("seconds", 0.0)
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        raise DataError("field 'seconds' of an event is a number")
    try:
        seconds = float(seconds)
    except OverflowError:
        raise DataError("field 'seconds' of an event is a number of 308 digits at most") from None
    return Event(**{"key": "", "action": "", **values, "seconds": seconds})


def _is_swapped(annotator: str, identity: str) -> bool:
    """Whether the second of two summaries is shown first: drawn by annotator and item, so that it
    stays as it is and no position is the better one's."""
    return hashlib.sha256(f"{annotator}|{identity}".encode()).digest()[0] % 2 == 1
