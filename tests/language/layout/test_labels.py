"""Labels of lists, which are read with each item below them."""

from __future__ import annotations

import pytest

from faithkit.language.normalise import plain_source, plain_summary
from faithkit.language.sentences import closed_sentences, source_sentences, speakers


def read(text: str) -> list[str]:
    """The sentences of a source, which are those of a summary."""
    pieces = [sentence.text for sentence in source_sentences(plain_source(text).text)]
    plain = plain_summary(text, "").text
    assert [sentence.text for sentence in closed_sentences(plain)] == pieces
    return pieces


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("Bring\n- a pen\n- paper", ["Bring: a pen", "Bring: paper"]),
        ("Bring:\n\n* a pen\n\n* paper", ["Bring: a pen", "Bring: paper"]),
        ("**Pros**\n- light\n\n**Cons**\n- slow", ["Pros: light", "Cons: slow"]),
        ("## Removed\n- Python 3.8\n\n## Added\n1. Python 3.13\n2. Tests", [
            "Removed: Python 3.8", "Added: Python 3.13", "Added: Tests"]),
        ("- Packaging:\n  - grew 14%\n  - hired\n- Chemicals\n  - shrank", [
            "Packaging: grew 14%", "Packaging: hired", "Chemicals: shrank"]),
        ("1. Packaging\n- grew\n- hired\n2. Chemicals\n- shrank", [
            "Packaging: grew", "Packaging: hired", "Chemicals: shrank"]),
        ("• Packaging:\n◦ grew\n◦ hired\n• It ended.", [
            "Packaging: grew", "Packaging: hired", "It ended."]),
        ("Approved:\n- Projects\n  - Alpha\n  - Beta\n- Budget", [
            "Approved: Projects: Alpha", "Approved: Projects: Beta", "Approved: Budget"]),
        ("- Plans for\n  the year\n  - Alpha", ["Plans for the year", "Alpha"]),
        ("📌 Included:\n✅ Breakfast\n❌ Parking", [
            "📌 Included: ✅ Breakfast", "Included: ❌ Parking"]),
        ("Deaths:\n7\nInjured:\n2", ["Deaths: 7", "Injured: 2"]),
        ("Included: • wifi • pool", ["Included: wifi", "Included: pool"]),
        ("<b>Pros</b><ul><li>light</li><li>cheap</li></ul>", ["Pros: light", "Pros: cheap"]),
        ("Pros\n- light\n\nIt rained.\n\n- cheap", ["Pros: light", "It rained.", "cheap"]),
    ],
)  # fmt: skip
def test_a_label_is_read_with_each_item_below_it(text: str, pieces: list[str]) -> None:
    assert read(text) == pieces


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("Costs\n\nThey fell. It rained.", ["Costs", "They fell.", "It rained."]),
        ("# Costs\nThey fell.", ["Costs", "They fell."]),
        ("Bring it all.\n- a pen", ["Bring it all.", "a pen"]),
        ("Bring\n\nIt rained.\n\n- a pen", ["Bring", "It rained.", "a pen"]),
        ("Eggs\nMilk\n- a pen", ["Eggs", "Milk", "a pen"]),
        ("The board of the company has decided in Leeds on these\n- a pen", [
            "The board of the company has decided in Leeds on these", "a pen"]),
        ("Date: 5 May\n- a pen", ["Date: 5 May", "a pen"]),
        ("It sold the plant and\n- a pen", ["It sold the plant and", "a pen"]),
        ("A | B\n- a pen", ["A | B", "a pen"]),
        ("Club - Leeds (extract)\n- a pen", ["Club - Leeds (extract)", "a pen"]),
        ("Ingredients:\n2 eggs\n5 onions", ["Ingredients:", "2 eggs", "5 onions"]),
        ("Deaths:\n\n7", ["Deaths:", "7"]),
        ("- a pen\n- paper\n* ink", ["a pen", "paper", "ink"]),
    ],
)  # fmt: skip
def test_what_is_no_label_is_read_alone(text: str, pieces: list[str]) -> None:
    assert read(text) == pieces


@pytest.mark.parametrize("heading", ["Key points", "# Summary", "**Overview:**", "Main points:",
                                     "Here are the main points of the article:"])  # fmt: skip
def test_a_plain_heading_is_no_label(heading: str) -> None:
    text = f"{heading}\n- Anna won\n- Bob lost"
    pieces = source_sentences(plain_source(text).text)
    assert [piece.text for piece in pieces][1:] == ["Anna won", "Bob lost"]


def test_a_copy_of_a_label_is_mapped_to_the_first_word_of_its_item() -> None:
    text = "Pros:\n- very light\n- $5 cheap"
    plain = plain_source(text)
    first, second = (plain.text.index(pros) for pros in ("Pros: very", "Pros: $5"))
    places = [plain.span(first, first + 4), plain.span(second, second + 4)]
    assert [text[start:end] for start, end in places] == ["Pros", "$5"]


def test_labels_of_lists_are_no_speakers() -> None:
    text = "Upsides\n- light\n- cheap\n\nDownsides\n- slow\n- loud\n\nThe bag is good."
    plain = plain_source(text).text
    assert not any(speakers(source_sentences(plain), plain))


@pytest.mark.slow
@pytest.mark.parametrize("part", ["Pros:\n- a\n", "- a\n", " - a\n* b\n", "Pros\n\n", "Pros:\n7\n"])
def test_many_labels_take_no_time(part: str) -> None:
    assert plain_source("Plan:\n" + part * 8_000).text  # it was quadratic: minutes for 20,000


@pytest.mark.parametrize("text", ["a:\n- a:\n- ", "Anna:\n- \n-", "Pros:\n-\n-\n- b", "a:\n-"])
def test_items_without_a_word_have_no_label(text: str) -> None:
    for plain in (plain_source(text), plain_summary(text, "")):
        assert len(plain.text) == len(plain.starts)
