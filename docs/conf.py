"""Settings of the documentation site. `tools/docs_site.py` puts its sources together and builds it:
`make docs`."""

from importlib.metadata import version as version_of
from typing import Any

from docs_docstrings import restructured

project = "faithkit"
version = release = version_of("faithkit")
project_copyright = "the authors of faithkit, Apache-2.0"
extensions = ["myst_parser", "sphinx.ext.autodoc"]
suppress_warnings = ["myst.header"]
myst_enable_extensions = ["deflist"]
myst_heading_anchors = 4

# Frameworks whose adapters are documented, and which need not be installed.
autodoc_mock_imports = [
    "deepeval", "evaluate", "inspect_ai", "langchain_classic", "mlflow", "ragas", "datasets",
]  # fmt: skip
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
maximum_signature_line_length = 72

html_theme = "furo"
html_title = f"faithkit {version}"
html_copy_source = False
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_theme_options = {"top_of_page_buttons": []}


def rewrite(_app: Any, _what: str, _name: str, _about: Any, _options: Any, lines: list[str]) -> None:
    """The docstring in its own form, as reStructuredText."""
    lines[:] = restructured("\n".join(lines))


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.connect("autodoc-process-docstring", rewrite)
