"""HTML out of templates: every value is escaped, and a name that is missing is an error."""

from __future__ import annotations

from functools import cache
from typing import Any

import jinja2
from starlette.requests import Request
from starlette.responses import HTMLResponse

PACKAGES = ("faithkit.web",)
"""The packages whose folders `templates` are searched."""


@cache
def environment() -> jinja2.Environment:
    """Where templates come from."""
    return jinja2.Environment(
        loader=jinja2.ChoiceLoader([jinja2.PackageLoader(name) for name in PACKAGES]),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def render(request: Request, template: str, **values: Any) -> HTMLResponse:
    """The page of a template."""
    text = environment().get_template(template).render(path=request.url.path, **values)
    return HTMLResponse(text)
