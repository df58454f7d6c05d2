"""Where the cells of tables within a text are."""

from __future__ import annotations

import pytest

from faithkit.language.layout.grids import tables


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("| A | B |\n|---|--:|\n| 1 | 2 |", [["A B", "1 2"]]),
        ("+---+---+\n| A | B |\n+---+---+\n| x | y |\n+---+---+", [["A B", "x y"]]),
        ("A\tB\n1\t2\nend", [["A B", "1 2"]]),
        ('A,B\n"1,5",2\n3,4', [["A B", "1,5 2", "3 4"]]),
        ("A;B\n1,5;2", [["A B", "1,5 2"]]),
        ("| A |\n|---|\n| 1 |", [["A", "1"]]),
        ("A | B\n\n\n1 | 2\n\nC | D\n\n3 | 4", [["A B", "1 2"], ["C D", "3 4"]]),
        ("| A |\n|---|\n| x |\n| B |\n|---|\n| y |", [["A", "x"], ["B", "y"]]),
        ("A,B\n1,2,3", []),
        ("Dear Anna,\nit rains.", []),
        ("|\n|\n|", []),
        ("", []),
    ],
)
def test_rows_of_one_kind_and_length_are_a_table(text: str, expected: list[list[str]]) -> None:
    found = [[" ".join(cell.text for cell in row) for row in table] for table in tables(text)]
    assert found == expected


def test_a_cell_is_where_its_text_is() -> None:
    text = 'id,"full name", price\n7,"Anna, B.",  4 '
    cells = [cell for table in tables(text) for row in table for cell in row]
    assert [text[cell.start : cell.end] for cell in cells] == [cell.text for cell in cells]
    assert [cell.text for cell in cells] == ["id", "full name", "price", "7", "Anna, B.", "4"]
