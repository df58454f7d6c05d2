"""What is annotated: a summary with its source, or two summaries of one source.

What lives here: items out of examples, the words that marks snap to, and marks of a metric that
annotators may be shown. What does not: which annotator gets which item (`assignment.py`).
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import combinations
from typing import Any

from faithkit.annotation.tasks import Task
from faithkit.records import JSON, ConfigError, DataError, Example, Score

_WORD = re.compile(r"\w+(?:['’.,:/-]\w+)*|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Item:
    """Something to annotate.

    examples  ids of the examples that it is made of: one, or two of a pair
    example   the other fields of a single example, for the export: document, system, and so on;
              `shown`, those that the task shows
    pilot     the number of the task's worked example that this is, from 1; 0 for any other item
    premarks  marks of metrics in the summary: metric, start, end, label, score
    """

    id: str
    source: str
    summaries: tuple[str, ...]
    examples: tuple[str, ...] = ()
    example: Mapping[str, Any] = field(default_factory=dict)
    pilot: int = 0
    premarks: tuple[Mapping[str, JSON], ...] = ()

    @property
    def summary(self) -> str:
        """The first summary, which is the only one but for pairs."""
        return self.summaries[0]

    @property
    def shown(self) -> Mapping[str, str | int | float]:
        """The fields of the row that annotators see."""
        shown: Mapping[str, str | int | float] = self.example.get("shown", {})
        return shown

    @property
    def texts(self) -> dict[str, str]:
        """The texts that marks can be in."""
        return {"source": self.source, "summary": self.summary}


def words(text: str) -> list[tuple[int, int]]:
    """The words and marks of punctuation of a text, as characters start:end."""
    return [match.span() for match in _WORD.finditer(text)]


def drawn(examples: Sequence[Example], number: int | None, seed: int) -> list[Example]:
    """A random sample of so many examples, in the file's order. Raises ConfigError on more than
    there are."""
    if number is None:
        return list(examples)
    if number > len(examples):
        raise ConfigError(f"--sample {number}: there are {len(examples)} rows")
    places = sorted(random.Random(seed).sample(range(len(examples)), number))
    return [examples[place] for place in places]


def items_of(
    task: Task, examples: Iterable[Example], premarks: Mapping[str, Sequence[Score]] | None = None
) -> list[Item]:
    """The items of a task about these examples, the task's worked examples first.

    premarks  scores of metrics by the example's id, whose spans become marks that are proposed
    Raises DataError where a task about pairs finds none, and on a row without a field that the
    task shows.
    """
    pilots = [
        Item(f"pilot-{number}", pilot.source, pilot.summaries, pilot=number)
        for number, pilot in enumerate(task.pilots, start=1)
    ]
    if task.items == "pairs":
        return pilots + _pairs(examples)
    items = []
    for example in examples:
        if example.id.startswith("pilot-"):
            raise DataError(f"row '{example.id}': ids that begin with 'pilot-' are the task's own")
        marks = _premarks(example, (premarks or {}).get(example.id, ()))
        items.append(Item(example.id, example.source, (example.summary,), (example.id,),
                          _fields(example, task.shows), premarks=marks))  # fmt: skip
    return pilots + items


def _fields(example: Example, shows: Sequence[str]) -> dict[str, Any]:
    values = asdict(example)
    kept = {name: values[name] for name in ("document", "pair", "system")}
    given = {name: value for name, value in kept.items() if value is not None}
    if not shows:
        return given
    shown = {**example.meta, **given}
    for name in shows:
        if not isinstance(shown.get(name), str | int | float):
            raise DataError(
                f"row '{example.id}', field '{name}': the task shows it; expected a text or a "
                f"number, found {shown.get(name)!r}"
            )
    return given | {"shown": {name: shown[name] for name in shows}}


def _premarks(example: Example, scores: Sequence[Score]) -> tuple[Mapping[str, JSON], ...]:
    marks: list[Mapping[str, JSON]] = []
    for score in scores:
        for span in score.spans:
            if span.end > len(example.summary):
                raise DataError(
                    f"{score.metric} on '{example.id}': a mark ends at {span.end}, the summary at "
                    f"{len(example.summary)}; were these scores made of other texts?"
                )
            marks.append({"metric": score.metric, "start": span.start, "end": span.end,
                          "label": span.label, "score": span.score})  # fmt: skip
    return tuple(marks)


def _pairs(examples: Iterable[Example]) -> list[Item]:
    """Every two summaries of one source, in the file's order."""
    by_source: dict[str, list[Example]] = defaultdict(list)
    for example in examples:
        by_source[example.source].append(example)
    items = [
        Item(f"{first.id}|{second.id}", source, (first.summary, second.summary),
             (first.id, second.id), {"document": first.document})
        for source, same in by_source.items()
        for first, second in combinations(same, 2)
        if first.summary != second.summary
    ]  # fmt: skip
    if not items:
        raise DataError("a task about pairs needs two different summaries of one source text")
    return items
