"""Antecedents of pronouns by a spaCy pipeline, and `openie` with them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.helpers.load_metric import load_metric

from faithkit import ConfigError, Example, models
from faithkit.language.coreference import antecedents
from faithkit.metrics.openie import OpenIe

pytestmark = pytest.mark.slow


@pytest.fixture
def pipeline(tmp_path: Path) -> Path:
    """A spaCy pipeline on disk whose component puts "Anna" and what stands for her in a cluster."""
    import spacy
    from spacy.language import Language

    @Language.component("tiny_coref")
    def tiny_coref(document: Any) -> Any:
        own = [t for t in document if t.text in ("She", "her", "Anna")]
        document.spans["coref_clusters_1"] = [document[t.i : t.i + 1] for t in own]
        return document

    model = spacy.blank("en")
    model.add_pipe("tiny_coref")
    model.to_disk(tmp_path / "coref")
    spacy.blank("en").to_disk(tmp_path / "none")
    return tmp_path


def test_pronouns_stand_for_the_name_in_their_cluster(pipeline: Path) -> None:
    text = "Anna left. She sold her house. They stayed."
    assert antecedents([text, "She."], str(pipeline / "coref")) == [
        {11: (14, "Anna"), 20: (23, "Anna")},
        {},
    ]


def test_openie_with_coreference(pipeline: Path) -> None:
    example = Example("x", "Anna came. She sold her house.", "Anna sold Anna's house.")
    (plain,) = OpenIe(similarity="exact").score([example])
    metric = OpenIe(similarity="exact", coreference=str(pipeline / "coref"))
    (resolved,) = metric.score([example])
    assert (plain.value, resolved.value) == (0.0, 1.0)
    assert metric.resolved["coreference"] == "en_pipeline-0.0.0"


@pytest.mark.parametrize(
    ("name", "said"), [("no_such_pipeline", "installed"), ("none", "no coreference")]
)
def test_a_pipeline_that_is_missing_or_does_something_else_is_a_config_error(
    pipeline: Path, name: str, said: str
) -> None:
    path = pipeline / name
    with pytest.raises(ConfigError, match=said):
        OpenIe(coreference=str(path) if path.exists() else name)


def test_an_extractor_and_coreference_exclude_each_other(pipeline: Path) -> None:
    with pytest.raises(ConfigError, match="coreference"):
        load_metric(
            f"openie:extractor=http://localhost:9,coreference={pipeline / 'coref'}", models.load
        )
