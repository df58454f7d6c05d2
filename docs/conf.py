"""Settings of the documentation site. `tools/docs_site.py` puts its sources together and builds it:
`make docs`."""

import re
from importlib.metadata import version as version_of
from typing import Any

from sphinx.util import inspect

from docs_docstrings import restructured

project = "faithkit"
version = release = version_of("faithkit")
project_copyright = "the authors of faithkit, Apache-2.0"
extensions = ["myst_parser", "sphinx.ext.autodoc"]
smartquotes = False  # quotation marks are part of what is typed
# The tables of results/ are as the commands wrote them, whose headings begin anywhere.
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
autodoc_type_aliases = {
    name: name
    for name in ("Metrics", "Given", "Values", "Floats", "Ints", "Bools", "Kernel", "JSON")
}
python_use_unqualified_type_names = True
maximum_signature_line_length = 72

html_theme = "furo"
html_title = f"faithkit {version}"
html_copy_source = False
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_theme_options = {"top_of_page_buttons": []}


def rewrite(
    _app: Any, _what: str, _name: str, _about: Any, _options: Any, lines: list[str]
) -> None:
    """The docstring in its own form, as reStructuredText."""
    lines[:] = restructured("\n".join(lines))


def readable(
    _app: Any, what: str, name: str, about: Any, _options: Any, signature: str | None, returns: Any
) -> tuple[str | None, Any]:
    """The signature as a reader would write it."""
    if signature is None:
        return signature, returns
    if what == "class" and name.startswith("faithkit.integrations."):
        # Its base is not installed; what stands for it takes anything.
        own = inspect.signature(about.__dict__["__init__"], bound_method=True)
        signature = inspect.stringify_signature(own, show_return_annotation=False)
    signature = re.sub(r"TypeAliasForwardRef\('(\w+)'\)", r"\1", signature)
    signature = re.sub(r"Coverage\(source_tokens=[^)]*\)", "Coverage()", signature)
    return signature.replace("<factory>", "..."), returns


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.connect("autodoc-process-docstring", rewrite)
    app.connect("autodoc-process-signature", readable)
