"""Points of the compass in one form."""

from __future__ import annotations

import pytest

from faithkit.language.reading import read


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("in the south-west, the southwest", "in the south west, the south west"),
        ("Southwest winds in the Northwest", "South west winds in the North West"),
        ("North-East, NORTH-EAST, NORTHEAST", "North East, NORTH EAST, NORTH EAST"),
        ("south-westerly, northwestern", "south westerly, north western"),
        ("south-south-west, SSW winds", "south-south west, south-south west winds"),
        ("5 miles N of Ely", "5 miles north of Ely"),
        ("22 km SW of Karsa", "22 kilometres south west of Karsa"),
        ("half a mile S of the church", "0.5 miles south of the church"),
        ("Wind: NW 5 to 7, winds W 4", "Wind: north west 5 to 7, winds west 4"),
        ("winds from the SE", "winds from the south east"),
        ("rain in the NE and NW England", "rain in the north east and north west England"),
        ("fog on the SW coast", "fog on the south west coast"),
        ("The camp is NW of the village.", "The camp is north west of the village."),
    ],
)  # fmt: skip
def test_a_point_of_the_compass_is_one_however_it_is_written(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    "text",
    [
        "the mean (SE 0.4), the SE of the mean",
        "1600 Pennsylvania Ave NW, Omaha, NE",
        "the iPhone SE, SAP SE, London SE1, NW3",
        "from the SW team, to the SW engineer",
        "north, west and south, the north west",
        "Vitamin E of the day, plan N of 5, size S of the shirt",
        "Mr W. East went south.",
    ],
)
def test_other_letters_stay(text: str) -> None:
    assert read(text).text == text


def test_both_words_of_a_point_stand_for_all_of_it() -> None:
    text = "the northwest, the SW of Ely"
    result = read(text)
    for word, point in (("west", "northwest"), ("south", "SW")):
        start = result.text.index(word)
        assert text[slice(*result.span(start, start + len(word)))] == point
