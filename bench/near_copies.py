"""Sentences of sources with one change: a planted error, or one that leaves them true
(`faithkit.rewrites`). By kind of change, what `support` says of them.

    python bench/near_copies.py --data-dir DATA [--model mini] [-o results/near-copies.md]

Of the first SOURCES sources of each file of `bench/left_out.py`, in an order of its own, one
sentence of each kind. The model learned from sentences changed by the same rules, of other
sources and of other kinds of text.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random

from data import DATA
from faithkit import Example, Score, meta
from faithkit.evaluation import examples
from faithkit.evaluation.markdown import table_lines
from faithkit.language.sentences import sentences
from faithkit.models.runtime import Runtime
from faithkit.records import Span, verdict_of
from faithkit.rewrites import entity_errors, paraphrases, predicate_errors, restructuring
from faithkit.rewrites.parsed import Maker, Page, apply, is_clause, read, usable
from faithkit.run import prepare
from faithkit.stress.suites.surface import leans
from left_out import FILES, OTHERS, with_interval
from support_card import per_cent

SOURCES, SENTENCES = 40, 30

ERRORS: Mapping[str, Maker] = {
    "number": entity_errors.number,
    "unit": entity_errors.unit,
    "date": entity_errors.date,
    "name": entity_errors.entity_intrinsic,
    "negation": predicate_errors.negation,
    "antonym": predicate_errors.antonym,
    "roles exchanged": predicate_errors.role_swap,
}
HARMLESS: Mapping[str, Maker] = {
    "clause left out": paraphrases.clause_dropped,
    "synonym": paraphrases.synonym,
    "number in words or digits": paraphrases.number_form,
    "passive or active": paraphrases.voice,
    "other order": paraphrases.reordered,
    "negated in other words": restructuring.negated,
    "negated twice": restructuring.negated_twice,
    "two sentences": restructuring.split,
}


def changed(file: str, data: Path) -> Iterator[Example]:
    """The changed sentences of a file's sources. Their label says whether they are still true,
    their document is the source, `spans` are the words that an error changed."""
    _, rows = examples.read(file, str(data), None)
    sources = list(dict.fromkeys(row.source for row in rows))
    Random(file).shuffle(sources)
    for number, source in enumerate(sources[:SOURCES]):
        random = Random(f"{file} {number}")
        prose = [(piece.start, piece.text) for piece in sentences(source) if usable(piece.text)]
        parsed = read(prose[:SENTENCES])
        of_source = Page(source, "", parsed)
        clauses = [one for one in parsed if is_clause(one) and not leans(one)]
        for kind, maker in {**ERRORS, **HARMLESS}.items():
            choices = [(one, edits) for one in clauses for edits in maker(one, of_source, random)]
            if not choices:
                continue
            sentence, edits = random.choice(choices)
            text, wrong = apply(sentence.text, edits)
            spans = tuple(Span(start, end, kind) for start, end in wrong if end > start)
            yield Example(
                f"{file}/{number}/{kind}", source, text, label=int(kind in HARMLESS),
                document=f"{file}/{number}", spans=spans if kind in ERRORS else (),
            )  # fmt: skip


def touches(score: Score, example: Example) -> bool:
    """Whether a mark touches the words that were changed."""
    return any(
        mark.start < wrong.end and wrong.start < mark.end
        for mark in score.spans
        for wrong in example.spans
    )


def line(kind: str, rows: Sequence[tuple[Example, Score]]) -> list[str]:
    def share(flags: Sequence[bool]) -> str:
        return per_cent(sum(flags) / len(flags) if flags else None)

    verdicts = [verdict_of(score.parts) for _, score in rows]
    values = [score.value for _, score in rows if score.value is not None]
    with_words = [(example, score) for example, score in rows if example.spans]
    return [
        kind,
        str(len(rows)),
        f"{sum(values) / len(values):.2f}" if values else "–",
        share([verdict == "consistent" for verdict in verdicts]),
        share([verdict == "not consistent" for verdict in verdicts]),
        share([touches(score, example) for example, score in with_words]),
        share([bool(score.spans) for _, score in rows]),
    ]


def auc(scores: Sequence[Score], rows: Sequence[Example]) -> str:
    values = [score.value for score in scores]
    labels, groups = [row.label for row in rows], [row.document for row in rows]
    data = meta.sample(values, labels, groups=groups)
    return with_interval(meta.estimate(meta.AUC, data, draws=1000))


def page(data: Path, model: str) -> list[str]:
    rows = [row for file in FILES for row in changed(file, data)]
    metrics = prepare([f"support:model={model}", *OTHERS], Runtime(offline=True))
    scores = {one.metric.name: list(one.metric.score(rows)) for one in metrics}
    both = list(zip(rows, scores["support"], strict=True))
    of_kind = {
        kind: [one for one in both if one[0].id.endswith(f"/{kind}")]
        for kind in (*ERRORS, *HARMLESS)
    }
    errors = [one for one in both if not one[0].label]
    harmless = [one for one in both if one[0].label]
    ranked = [f"`{name}` {auc(some, rows)}" for name, some in scores.items()]
    without = [f"{one.id} ({score.outcome})" for one, score in both if score.value is None]
    option = f" --model {model}" if model != "mini" else ""
    header = ["change", "sentences", "mean value", "called consistent", "called not",
              "changed words marked", "any word marked"]  # fmt: skip
    return [
        "# `support` on sentences of the source with one change",
        "",
        "```",
        f"python bench/near_copies.py --data-dir DATA{option} -o results/near-copies.md",
        "```",
        "",
        f"`{metrics[0].signature.short}`. Sources of the files of [support.md](support.md), "
        "on which nothing was trained; the model learned from sentences that the same rules "
        "changed in other sources.",
        "",
        "Harmless changes ranked above errors, AUC × 100 with 95% intervals by bootstrap over "
        f"sources: {', '.join(ranked)}.",
        f"Without a value: {', '.join(without) or 'none'}.",
        "",
        *table_lines(
            header,
            [
                *(line(kind, of_kind[kind]) for kind in ERRORS),
                line("**all errors**", errors),
                *(line(kind, of_kind[kind]) for kind in HARMLESS),
                line("**all harmless**", harmless),
            ],
        ),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-dir", type=Path, default=DATA)
    parser.add_argument("--model", default="mini", help="A support model or its folder.")
    parser.add_argument("-o", "--output", type=Path)
    arguments = parser.parse_args()
    text = "\n".join(page(arguments.data_dir, arguments.model))
    if arguments.output:
        arguments.output.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
