"""HTML pages from saved results, each a self-contained file.

Every page extends `templates/base.html` and contains the style sheets of `assets/`. All values from
rows are escaped, and a content-security policy allows only the page's own scripts and no requests.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from faithkit import writing
from faithkit.report import assets

if TYPE_CHECKING:
    from jinja2 import Template


@dataclass(frozen=True, slots=True)
class Table:
    """A table with footnotes. The first cell of a row is its heading."""

    title: str
    header: list[str]
    rows: list[list[str]]
    footnotes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page: lines of text, then tables, then plots (`.png` files)."""

    title: str
    lines: Sequence[str] = ()
    tables: Sequence[Table] = ()
    plots: Sequence[Path] = ()


def tables_page(
    path: Path,
    title: str,
    sections: Sequence[Section],
    lines: Sequence[str] = (),
    warnings: Sequence[str] = (),
) -> None:
    """Writes an HTML page of tables and plots, for `bench`, `calibrate`, `combine` and
    `leaderboard`. Raises DataError if it cannot be written.

    lines, warnings  texts above the sections; warnings are highlighted
    """
    shown = [
        {
            "title": section.title,
            "lines": section.lines,
            "tables": section.tables,
            "plots": [(plot.stem, _picture(plot)) for plot in section.plots],
        }
        for section in sections
    ]
    page = render("tables.html", title=title, lines=lines, warnings=warnings, sections=shown)
    writing.write_text(path, page)


def _picture(path: Path) -> str:
    """A PNG file as a data URL."""
    return "data:image/png;base64," + base64.b64encode(path.read_bytes()).decode()


def render(template: str, **values: Any) -> str:
    """A page from a template of `templates/`, without scripts."""
    return _rendered(template, assets.read(*assets.PLAIN_STYLES), "", values)


def render_results(*, overview: str, index: str, rows_here: str, **values: Any) -> str:
    """The page `results.html` with its style sheets and scripts.

    overview, index  JSON by `script_json`
    rows_here        a comment, which the caller replaces by the rows
    values           `title` and `lines`, which are above the overview
    """
    from markupsafe import Markup

    data = {"overview": overview, "index": index, "rows_here": rows_here}
    script = assets.read(*assets.SCRIPTS, assets.PAGE_SCRIPT)
    trusted = {name: Markup(text) for name, text in data.items()}
    return _rendered("results.html", assets.read(*assets.STYLES), script, {**values, **trusted})


def _rendered(template: str, style: str, script: str, values: Mapping[str, Any]) -> str:
    from markupsafe import Markup

    trusted = {"style": Markup(style), "script": Markup(script)}
    policy = _policy(style, script)
    return template_of(template).render(policy=policy, **trusted, **values)


def template_of(name: str) -> Template:
    """A template of `templates/`, which escapes every value and fails on an undefined one."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("faithkit.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(name)


def _policy(style: str, script: str) -> str:
    """A content-security policy that allows only this script and style sheet, and no requests."""
    scripts = f"'{_digest(script)}'" if script else "'none'"
    return (
        f"default-src 'none'; script-src {scripts}; style-src '{_digest(style)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def script_json(value: Any) -> str:
    """The value as JSON for a script element: no text in it can end the element or begin a
    comment."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")


def cases_page(path: Path, title: str, sections: Sequence[Mapping[str, Any]]) -> None:
    """Writes an HTML page of cases of over- and under-prediction with their texts.

    sections  each with `title`, `scale`, `difference` (the scale of the differences) and `groups`,
              each of these with `title` and `cases` (`id, score, human, difference, source,
              summary`)

    Raises DataError if the page cannot be written.
    """
    writing.write_text(path, render("cases.html", title=title, sections=sections))
