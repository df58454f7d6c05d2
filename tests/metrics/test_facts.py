"""The numbers of `ner` from given entities, by hand; no entity is looked for in a text here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from faithkit import Example
from faithkit.metrics import facts
from faithkit.metrics.facts import Ner

ENTITIES = {
    "Anna": "PERSON",
    "Ben": "PERSON",
    "Rome": "GPE",
    "Monday": "DATE",
    "Acme": "ORG",
    "Shell": "ORG",
}


@pytest.fixture(autouse=True)
def known_entities(monkeypatch: pytest.MonkeyPatch) -> None:
    def entities(texts: list[str]) -> list[list[facts.Entity]]:
        return [
            [
                facts.Entity(text.index(word), text.index(word) + len(word), word, label)
                for word, label in ENTITIES.items()
                if word in text
            ]
            for text in texts
        ]

    monkeypatch.setattr(facts, "entities", entities)


def parts(source: str, summary: str, **options: Any) -> Mapping[str, float]:
    metric = Ner(similarity="exact", mean="labels", truecase="off", **options)
    (score,) = metric.score([Example("x", source, summary)])
    return score.parts


@pytest.mark.parametrize(
    ("absent", "precision", "recall", "f1"),
    [
        # PERSON: precision 1, recall 1/2, f1 2/3. The summary alone has GPE; the source alone DATE
        # and ORG.
        ("zero", 1 / 2, (1 / 2) / 3, (2 / 3) / 4),
        ("skip", 1, 1 / 2, 2 / 3),
    ],
)
def test_labels_of_either_side_count_in_f1(
    absent: str, precision: float, recall: float, f1: float
) -> None:
    found = parts("Anna met Ben of Acme on Monday.", "Anna is in Rome.", absent=absent)
    assert found["precision"] == pytest.approx(precision)
    assert found["recall"] == pytest.approx(recall)
    assert found["f1"] == pytest.approx(f1)


def test_f1_of_labels_is_the_same_when_source_and_summary_change_places() -> None:
    texts = ("Anna met Ben of Acme on Monday.", "Anna is in Rome.")
    assert parts(*texts)["f1"] == pytest.approx(parts(*reversed(texts))["f1"])
