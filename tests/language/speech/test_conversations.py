"""Who speaks in a conversation in quotation marks."""

from __future__ import annotations

import pytest

from faithkit.language.normalise import plain_source
from faithkit.language.sentences import source_sentences, speakers


def spoken(text: str) -> dict[str, str]:
    """Who speaks each sentence of whom the text does not say it."""
    plain = plain_source(text).text
    pieces = source_sentences(plain)
    found = zip(pieces, speakers(pieces, plain), strict=True)
    return {piece.text.strip("\"'"): name for piece, name in found if name}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"Will you come, Anna?" asked Paul.\n\n"No," said Anna.\n\n"I see."', {"I see.": "Paul"}),
        ("“Will you come?” asked Paul.\n“No,” said Anna, “I won't.”\n“I see.”", {"I see.": "Paul"}),
        ("'Will you come?' asked Paul. 'No,' said Anna, 'I won't.' 'I'm off.'",
         {"I'm off.": "Paul"}),
        ('"Shall we go?" said Mia.\n\n"Soon," said Lou.\n\n"I\'m cold."\n\n"Take it."',
         {"I'm cold.": "Mia", "Take it.": "Lou"}),
        ('"I won."\n\n"How much?" asked Ben.\n\n"A lot," Ruth said softly.\n\n"Good," said Ben.',
         {"I won.": "Ruth"}),
        ('"I won. Look."\n\n"How much?" asked Ben.\n\n"A lot," said Ruth.',
         {'I won.': "Ruth", "Look.": "Ruth"}),
        ('Paul said, "Will you come?"\n\n"No," said Anna.\n\n"I see."', {"I see.": "Paul"}),
        ('"Will you?" asked Mr. Holt.\n\n"No," she said.\n\n"Why?"\n\n"I\'m old," said Eve.',
         {"Why?": "Mr. Holt"}),
    ],
)  # fmt: skip
def test_an_utterance_without_a_name_is_the_other_ones(text: str, expected: dict[str, str]) -> None:
    assert spoken(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        '"Will you?" asked Paul.\n\n"No," said Anna.\n\nIt rained.\n\n"I see."',
        '"Will you?" asked Paul.\n\n"No," said Anna.\n\n"Me," said Ben.\n\n"I see."',  # three
        '"Will you?" asked Paul.\n\n"I see."',  # one
        '"It is good," said Ms Jones.\n\n"It is bad," said Mr Holt.\n\n"We are angry."',  # news
        '"Will you?" asked Paul.\n\n"No," said Anna.\n\nPaul sighed. "I see."',
        '"Will you?" asked Paul.\n\n"I see."\n\n"No," said Anna.\n\n"Yes."\n\n"So," said Anna. "I',
        '"Will you?" asked Paul.\n\n"A."\n\n"B."\n\n"No," said Anna. He left.'
        '\n\n"C."\n\n"D," said Anna.\n\n"E?" asked Paul.\n\n"F."\n\n"G"\n\n"H" Ben said.',
    ],
)
def test_where_it_cannot_be_told_nobody_speaks(text: str) -> None:
    found = spoken(text)
    assert not {"I see.", "We are angry.", "F.", "G"} & set(found)


def test_between_two_names_both_must_say_the_same() -> None:
    text = '"Will you?" asked Paul.\n\n"A."\n\n"B," said Anna.'
    assert spoken(text) == {}
