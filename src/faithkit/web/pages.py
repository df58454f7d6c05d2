"""HTML out of templates: every value is escaped, and a name that is missing is an error."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache, partial
from typing import Any

import jinja2
from starlette.requests import Request
from starlette.responses import HTMLResponse

from faithkit.report import assets

STYLES = (*assets.STYLES, "app.css")
"""Of every page: those of the saved pages, then the app's own."""

PACKAGES = ("faithkit.web",)
"""The packages whose folders `templates` are searched."""


@cache
def environment() -> jinja2.Environment:
    """Where templates come from."""
    made = jinja2.Environment(
        loader=jinja2.ChoiceLoader([jinja2.PackageLoader(name) for name in PACKAGES]),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["jsontext"] = partial(json.dumps, ensure_ascii=False)
    return made


def render(
    request: Request, template: str, *, scripts: Sequence[str] = (), **values: Any
) -> HTMLResponse:
    """The page of a template, with these scripts of `/static`, in their order."""
    text = (
        environment()
        .get_template(template)
        .render(path=request.url.path, styles=STYLES, scripts=scripts, **values)
    )
    return HTMLResponse(text)
