"""Labelled rows of all benchmark and training files: what the default verdict learns from.

`FILES` names every file's reader, those of `train.words` among them; `labelled` reads them;
`sentence_targets` says what a row knows of each sentence; `FAMILIES` is for leaving families out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from faithkit.records import DataError
from faithkit.train import words
from faithkit.train.labels import annotated, judged, questions
from faithkit.train.labels.entailed import entailed, has_premises
from faithkit.train.labels.exported import exported, is_file
from faithkit.train.labels.families import FAMILIES, family, leave_out, overlaps
from faithkit.train.labels.judged import TARGETS
from faithkit.train.labels.rows import sentence_targets
from faithkit.train.words import (
    Labelled,
    Readers,
    Target,
)

__all__ = [
    "FAMILIES",
    "FILES",
    "Labelled",
    "family",
    "labelled",
    "leave_out",
    "overlaps",
    "sentence_targets",
]

FILES: Readers = {
    **words.FILES,
    "cliff": judged.cliff,
    "lss_dev": annotated.lss,
    "defacto_dev": annotated.defacto,
    "entfa_dev": annotated.entfa,
    "diasumfact_dev": annotated.diasumfact,
    "storysumm_dev": annotated.storysumm,
    "covidfact": annotated.covidfact,
    "claims_train": annotated.claims("train"),
    "claims_dev": annotated.claims("dev"),
    "faithbench_dev": judged.faithbench,
    "summeval_dev": judged.summeval,
    "qags_xsum": judged.qags_xsum,
    **{name: judged.entailment(name) for name in ("fm2", "fever_symmetric", "climate_fever")},
    questions.FILE: questions.claims,
    **{name: judged.by_label(name) for name in ("faceval_dev", "cogensumm_dev", "cg2c_doc")},
}
"""The readers by name. `claims_train` is for training, `claims_dev` for choosing; the claims set's
test split is in neither."""


def labelled(
    files: Sequence[str], data: Path, meaning: Mapping[str, Target] = TARGETS
) -> list[Labelled]:
    """Everything that these files say, in their order, as `train.words.labelled`. A name with an
    ending is the path of a file of the user's own: one that `faithkit export` wrote, or one of
    premises and hypotheses (`entailed.py`).

    meaning  of the labels of such a file
    """
    own = {name: _own(Path(name), meaning) for name in files if is_file(name)}
    return words.labelled(files, data, {**FILES, **own})


def _own(path: Path, meaning: Mapping[str, Target]) -> Callable[[Path], Iterator[Labelled]]:
    def read(_: Path) -> Iterator[Labelled]:
        if not path.is_file():
            raise DataError(f"{path}: no such file")
        return entailed(path, meaning) if has_premises(path) else exported(str(path))

    return read
