"""Pages of tables: escaped, self-contained, with plots inside."""

from __future__ import annotations

from pathlib import Path

from faithkit.report.pages import Section, Table, tables_page

HOSTILE = "<script>alert(1)</script>"


def test_every_text_is_escaped(tmp_path: Path) -> None:
    table = Table(HOSTILE, [HOSTILE], [[HOSTILE, HOSTILE]], [HOSTILE])
    section = Section(HOSTILE, [HOSTILE], [table])
    tables_page(tmp_path / "page.html", HOSTILE, [section], [HOSTILE])
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<script" not in text
    assert text.count("&lt;script&gt;alert(1)") >= 8


def test_a_plot_is_inside_the_page(tmp_path: Path) -> None:
    (tmp_path / "curve.png").write_bytes(b"png")
    tables_page(tmp_path / "page.html", "t", [Section("s", plots=[tmp_path / "curve.png"])])
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert '<img src="data:image/png;base64,cG5n" alt="Plot: curve">' in text
