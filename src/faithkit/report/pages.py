"""HTML pages from saved results: one self-contained file each, of one family.

Every page extends `templates/base.html` and has the style sheets of `assets/` inlined. Whatever
comes from a row is escaped, and a content-security policy lets a page run no script but its own and
request nothing.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from faithkit import writing
from faithkit.report import assets


@dataclass(frozen=True, slots=True)
class Table:
    """A table to read, with the footnotes of its marks. The first cell of a row is its heading."""

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
    """Figures in tables and plots, as one HTML file: the page of `bench`, `calibrate`, `combine`
    and `leaderboard`. Raises DataError if it cannot be written.

    lines, warnings  above the sections; a warning stands out
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
    return "data:image/png;base64," + base64.b64encode(path.read_bytes()).decode()


def render(template: str, **values: Any) -> str:
    """A page of `templates/`, without a script."""
    return _rendered(template, assets.read(*assets.PLAIN_STYLES), "", values)


def render_results(*, overview: str, index: str, rows_here: str, **values: Any) -> str:
    """`results.html` with its style sheets and scripts.

    overview, index  JSON of `script_json`
    rows_here        a comment that the rows take the place of
    values           `title` and `lines`, what is above the overview
    """
    from markupsafe import Markup

    data = {"overview": overview, "index": index, "rows_here": rows_here}
    script = assets.read(*assets.SCRIPTS, assets.PAGE_SCRIPT)
    trusted = {name: Markup(text) for name, text in data.items()}
    return _rendered("results.html", assets.read(*assets.STYLES), script, {**values, **trusted})


def _rendered(template: str, style: str, script: str, values: Mapping[str, Any]) -> str:
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("faithkit.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    trusted = {"style": Markup(style), "script": Markup(script)}
    policy = _policy(style, script)
    return environment.get_template(template).render(policy=policy, **trusted, **values)


def _policy(style: str, script: str) -> str:
    """Nothing may be requested, and no script or style sheet runs but these."""
    scripts = f"'{_digest(script)}'" if script else "'none'"
    return (
        f"default-src 'none'; script-src {scripts}; style-src '{_digest(style)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def script_json(value: Any) -> str:
    """JSON that can be inside a script element: no text in it can end the element, or open a
    comment."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")


def cases_page(path: Path, title: str, sections: Sequence[Mapping[str, Any]]) -> None:
    """The cases of over- and under-prediction with their texts, as one HTML file.

    sections  `title`, `scale`, `difference` (on which scale it is) and `groups`: each with `title`
              and `cases` (`id, score, human, difference, source, summary`)
    Raises DataError if it cannot be written.
    """
    writing.write_text(path, render("cases.html", title=title, sections=sections))
