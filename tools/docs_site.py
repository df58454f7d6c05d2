"""Builds the documentation site: the pages of docs/, results/ and others of the repository, and
those that `docs_reference.py` writes, by Sphinx, with warnings as errors and without a network.

    python tools/docs_site.py [FOLDER]      # out/docs

The pages are put together in FOLDER-source: those of docs/ at the top, the others under their path.
Links between files of the repository become links between pages. At the end the built pages are
read: none of them may load anything from elsewhere.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath

import docs_reference

ROOT = Path(__file__).parents[1]
OTHERS = ("CONTRIBUTING.md", "CHANGELOG.md", "examples/README.md", "data/claims/README.md")
"""Pages of the site that are not in docs/ or results/."""

BELOW = {"results/README.md": "\n```{toctree}\n:hidden:\n:glob:\n\n*\nreproduce/*\n```\n"}
"""What some pages get at their end: the list of pages below them."""

LINK = re.compile(r"(!?\[[^\]\n]*\])\((?!https?:|mailto:|#)([^)\s#]*)(#[^)\s]*)?\)")
FENCE = re.compile(r"^ *(```|~~~)")
LOADING = {
    "script": ("src",), "img": ("src", "srcset"), "iframe": ("src",), "source": ("src", "srcset"),
    "video": ("src", "poster"), "audio": ("src",), "embed": ("src",), "object": ("data",),
}  # fmt: skip
"""Attributes that make a browser load something; those of `link` depend on its rel."""

REMOTE = re.compile(r"^\s*(?:[a-z]+:)?//", re.I)
REMOTE_STYLE = re.compile(r"(?:url\(|@import)\s*[\"']?\s*(?:https?:)?//", re.I)


class SiteError(Exception):
    """A link to nothing, or a built page that loads something from elsewhere."""


def sources(root: Path = ROOT) -> Iterator[str]:
    """The files of the repository that are pages, by their path."""
    for folder in ("docs", "results"):
        for path in sorted((root / folder).rglob("*.md")):
            yield path.relative_to(root).as_posix()
    yield from OTHERS


def place(path: str) -> str:
    """Where a file of the repository is in the site."""
    return path.removeprefix("docs/")


def linked(text: str, path: str, pages: set[str], root: Path = ROOT) -> str:
    """The page with its links as they are in the site; a link to a file that is no page is its
    text alone. Code is left as it is. Raises SiteError on a link to nothing; generated pages are
    not there for those who read the page in the repository, so that none links to them.

    path   of the page within the repository
    pages  paths within the repository of all pages
    """
    here = PurePosixPath(path).parent

    def moved(match: re.Match[str]) -> str:
        label, target, anchor = match[1], match[2], match[3] or ""
        full = os.path.normpath(here / target)
        if not (root / full).exists():
            raise SiteError(f"{path}: a link to {target}, which is not there")
        if full not in pages and not full.startswith("docs/img/"):
            return label[1:-1]
        return f"{label}({os.path.relpath(place(full), PurePosixPath(place(path)).parent)}{anchor})"

    lines, fenced = [], False
    for line in text.split("\n"):
        fenced ^= bool(FENCE.match(line))
        lines.append(line if fenced else LINK.sub(moved, line))
    return "\n".join(lines)


def put_together(folder: Path) -> None:
    """Writes the sources of the site into an empty folder."""
    shutil.rmtree(folder, ignore_errors=True)
    paths = list(sources())
    pages = set(paths)
    shutil.copytree(ROOT / "docs", folder, ignore=shutil.ignore_patterns("*.md", "__pycache__"))
    texts = {place(path): linked((ROOT / path).read_text("utf-8"), path, pages) for path in paths}
    for path, text in {**texts, **docs_reference.pages()}.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text + BELOW.get(path, ""), encoding="utf-8")


class _Loads(HTMLParser):
    """Addresses that a page loads, and its styles."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.styles: list[str] = []
        self._in_style = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self._in_style = tag == "style"
        self.styles.append(values.get("style", ""))
        names = LOADING.get(tag, ())
        if tag == "link" and not {"canonical", "next", "prev", "search", "index"} & set(
            values.get("rel", "").split()
        ):
            names = ("href",)
        self.addresses += [values[name] for name in names if name in values]

    def handle_data(self, data: str) -> None:
        if self._in_style:
            self.styles.append(data)


def loaded_from_elsewhere(page: str) -> list[str]:
    """Addresses outside the site that a browser would load with this page."""
    loads = _Loads()
    loads.feed(page)
    styles = [style for style in loads.styles if REMOTE_STYLE.search(style)]
    return [address for address in loads.addresses if REMOTE.match(address)] + styles


def check(folder: Path) -> int:
    """How many pages were read. Raises SiteError where one, or a style, loads from elsewhere."""
    pages = sorted(folder.rglob("*.html"))
    for page in pages:
        if found := loaded_from_elsewhere(page.read_text("utf-8")):
            raise SiteError(f"{page}: loads {', '.join(found)}")
    for style in folder.rglob("*.css"):
        if REMOTE_STYLE.search(style.read_text("utf-8")):
            raise SiteError(f"{style}: loads from elsewhere")
    return len(pages)


def main(folder: Path) -> int:
    from sphinx.cmd.build import main as build

    source = folder.with_name(f"{folder.name}-source")
    put_together(source)
    shutil.rmtree(folder, ignore_errors=True)
    options = ["-q", "-W", "--keep-going", "-E", "-j", "auto", "-d", str(folder) + "-doctrees"]
    if code := build([*options, "-b", "html", str(source), str(folder)]):
        return code
    print(f"{folder / 'index.html'}: {check(folder)} pages, nothing loaded from elsewhere")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "out" / "docs")))
    except SiteError as error:
        sys.exit(f"docs_site: {error}")
