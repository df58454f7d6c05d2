"""The style sheets and scripts of the pages and of the app: plain CSS and JavaScript, no build.

A page has them inlined (`pages.py`), the app serves them as files. The scripts put their functions
into one object, `faithkit`, and take their data from a *store*:

    overview           what `report.overview.overview` returned
    index              what `report.row_index.RowIndex.numbers` returned
    listed(numbers)    the id and the beginning of the summary of each of these rows, or a promise
                       of them
    row(number)        a promise of a `report.views.RowView`
    search(text)       a promise of a function (row number) -> whether the row's texts have it

`page.js` makes such a store out of a page's own data and starts `faithkit.results(store)`; the app
makes its own from its server.
"""

from importlib.resources import files

STYLES = ("base.css", "results.css")
"""Of a page of results, and of the app."""

PLAIN_STYLES = ("base.css", "findings.css")
"""Of the pages of tables and findings."""

SCRIPTS = ("elements.js", "overview.js", "list.js", "text.js", "pair.js", "results.js")
"""In the order in which they are loaded; what starts a page comes after them."""

PAGE_SCRIPT = "page.js"
"""Starts a page that holds its data."""


def read(*names: str) -> str:
    """The text of one or more of the files, one after the other."""
    folder = files("faithkit.report.assets")
    return "\n".join(folder.joinpath(name).read_text("utf-8").strip() for name in names)
