"""Labelled rows of all benchmark and training files, on which the default verdict is trained.

`FILES` has every file's reader, those of `train.words` included; `labelled` reads files;
`sentence_targets` gives the targets of a row's sentences; `FAMILIES` is for leaving families out.
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
    """The rows of these files, in their order, as in `train.words.labelled`. A name with an
    extension is the path of a user's file: one that `faithkit export` wrote, or one of premises and
    hypotheses (`entailed.py`).

    meaning  the target of each label of a file of premises and hypotheses
    """
    user_files = {name: _user_file(Path(name), meaning) for name in files if is_file(name)}
    return words.labelled(files, data, {**FILES, **user_files})


def _user_file(path: Path, meaning: Mapping[str, Target]) -> Callable[[Path], Iterator[Labelled]]:
    def read(_: Path) -> Iterator[Labelled]:
        if not path.is_file():
            raise DataError(f"{path}: no such file")
        return entailed(path, meaning) if has_premises(path) else exported(str(path))

    return read
