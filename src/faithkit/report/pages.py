"""HTML pages from saved results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from faithkit import writing


def cases_page(path: Path, title: str, sections: Sequence[Mapping[str, Any]]) -> None:
    """The cases of over- and under-prediction with their texts, as one HTML file without any
    request; every text is escaped.

    sections  `title`, `scale` and `groups`: each with `title` and `cases` (`id, score, human,
              difference, source, summary`)
    Raises DataError where it cannot be written.
    """
    from jinja2 import Environment, StrictUndefined

    text = files("faithkit.report").joinpath("templates/cases.html").read_text("utf-8")
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    page = environment.from_string(text).render(title=title, sections=sections)
    writing.write_text(path, page)
