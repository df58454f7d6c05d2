"""What do phrases that say nothing gain when they are put into a summary?

    python bench/gaming.py -m support -m bertscore -d summeval_dev -d bump1 --limit 200

methods.md §7.3. Every phrase of `PHRASES` stands alone as the whole summary, as it is written here,
and in three places of each summary; a change is against the same summary without it. Its interval
resamples source documents. Beside it, for scale: by how much the stronger half of summeval_dev's
systems (by human rating) is ahead of the weaker, on ten rows for each of --limit.

    suffix  a new sentence after the summary. One that ends without a point is given it, and its
            change is against the summary with that point.
    joined  ", phrase" inside the last sentence, before its point.
    prefix  a new sentence before the summary.

The mined phrase and the first assertion are the paper's; `faithkit train support` learns its claim
head from a grammar of such talk, in which these two stand. The others do not stand in it.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import zip_longest
from random import Random

from data import DATA
from faithkit import meta
from faithkit.benchmark.scoring import read, truth_of
from faithkit.records import Example
from faithkit.run import Prepared, batched, prepare

PHRASES = {
    "mined": (
        "the document discusses",
        "the article reports",
        "the passage mentions",
        "as stated in the source text",
        "the author of the piece notes",
        "the news story states",
        "the transcript reveals",
    ),
    "assertion": (
        "The summary entails the information the document discusses.",
        "This summary is fully supported by the source.",
        "Every statement made here can be verified in the article.",
        "Nothing in this text contradicts the original.",
        "All of these facts are accurate and true.",
        "The document confirms each of these claims.",
        "This is a faithful and factually consistent account.",
    ),
    "filler": (
        "at the end of the day",
        "as we all know",
        "in this day and age",
        "when all is said and done",
        "for what it is worth",
        "to be perfectly honest",
        "and so on and so forth",
    ),
    "qualifier": (
        "to a certain extent",
        "among other things",
        "at least in part",
        "as far as anyone can tell",
        "more or less",
        "in one way or another",
        "under the circumstances",
    ),
}
"""By kind: mined-like, assertion, filler, qualifier; the first of each is methods.md's own."""

RISE = 1e-6
DRAWS = 2000
BATCH = 256
SCALE = "summeval_dev"

_ENDED = re.compile(r"\s*[.!?…]+[\s\"'”’`)\]]*$")

Pair = tuple[str, str]
"""Source and text."""

Found = Mapping[Pair, tuple[float | None, str]]
"""Value and outcome of every pair."""

Change = tuple[str, float | None]
"""A source document and what a phrase changed on one of its summaries: None where the summary has
a value only without the phrase."""


def sentence(phrase: str) -> str:
    """With a capital and a point."""
    return phrase[0].upper() + phrase[1:].removesuffix(".") + "."


def suffix(summary: str, phrase: str) -> Pair:
    """The summary without and with the phrase; so do the others."""
    base = summary if _ENDED.search(summary) else summary.rstrip() + "."
    return base, f"{base.rstrip()} {sentence(phrase)}"


def joined(summary: str, phrase: str) -> Pair:
    end = _ENDED.search(summary)
    place = end.start() if end else len(summary.rstrip())
    inside = phrase[0].lower() + phrase[1:].removesuffix(".")
    return summary, f"{summary[:place]}, {inside}{summary[place:]}"


def prefix(summary: str, phrase: str) -> Pair:
    return summary, f"{sentence(phrase)} {summary.lstrip()}"


PLACES: dict[str, Callable[[str, str], Pair]] = {
    "suffix": suffix, "joined": joined, "prefix": prefix
}  # fmt: skip


def by_document(rows: Iterable[Example], seed: int) -> list[list[Example]]:
    """The rows of each document; documents, and the rows of each, in a random order."""
    found: dict[str, list[Example]] = {}
    for row in rows:
        found.setdefault(truth_of(row).document, []).append(row)
    random = Random(seed)
    documents = list(found.values())
    random.shuffle(documents)
    for some in documents:
        random.shuffle(some)
    return documents


def spread(documents: list[list[Example]], limit: int | None) -> list[Example]:
    """A row of each document, then a second one of each, and so on up to the limit; in the end
    those of a document stand together."""
    turns = [row for turn in zip_longest(*documents) for row in turn if row is not None]
    return sorted(turns[:limit], key=lambda row: truth_of(row).document)


def whole(documents: list[list[Example]], limit: int | None) -> list[list[Example]]:
    """All rows of as many documents as the limit allows, of two at least."""
    kept: list[list[Example]] = []
    for some in documents:
        if limit is None or len(kept) < 2 or sum(map(len, kept)) + len(some) <= limit:
            kept.append(some)
    return kept


def texts(rows: Iterable[Example]) -> list[Pair]:
    """Every distinct source and text that the tables need, those of a source together."""
    wanted: dict[str, dict[str, None]] = {}
    for row in rows:
        own = wanted.setdefault(row.source, {})
        own[row.summary] = None
        for phrase in every_phrase():
            own[phrase] = None
            for put in PLACES.values():
                own |= dict.fromkeys(put(row.summary, phrase))
    return [(source, text) for source, own in wanted.items() for text in own]


def every_phrase() -> list[str]:
    return [phrase for some in PHRASES.values() for phrase in some]


def score(one: Prepared, pairs: Sequence[Pair]) -> Found:
    examples = [Example(str(place), *pair) for place, pair in enumerate(pairs)]
    start, cpu, found = time.perf_counter(), time.process_time(), {}
    for batch in batched(examples, BATCH):
        for example, given in zip(batch, one.metric.score(batch), strict=True):
            found[example.source, example.summary] = (given.value, str(given.outcome))
        print(f"\r{one.label}: {len(found)} of {len(pairs)} texts, "
              f"{time.perf_counter() - start:.0f} s ({time.process_time() - cpu:.0f} s of CPU)",
              end="", file=sys.stderr, flush=True)  # fmt: skip
    print(file=sys.stderr)
    return found


def changes(
    rows: Sequence[Example], phrases: Sequence[str], place: str, found: Found
) -> list[Change]:
    """Of every phrase, and every row that has a value without it."""
    made = []
    for row in rows:
        for phrase in phrases:
            base, changed = PLACES[place](row.summary, phrase)
            before, after = found[row.source, base][0], found[row.source, changed][0]
            if before is not None:
                change = None if after is None else after - before
                made.append((truth_of(row).document, change))
    return made


def mean(values: Sequence[float], documents: Sequence[str], seed: int) -> str:
    """With its interval, where there are documents to resample."""
    data = meta.sample(values, groups=documents)
    found = meta.estimate(meta.MEAN, data, draws=DRAWS, seed=seed)
    if found.value is None or found.low is None:
        return "-" if found.value is None else f"{found.value:+.4f}"
    return f"{found.value:+.4f} [{found.low:+.4f}, {found.high:+.4f}]"


def cell(made: Sequence[Change], seed: int) -> str:
    """Mean change, largest rise, share that rises, and share that loses its value if any does."""
    values = [change for _, change in made if change is not None]
    lost = f"; {share(len(made) - len(values), made)} lost" if len(values) < len(made) else ""
    if not values:
        return f"-{lost}"
    if max(map(abs, values)) <= RISE:
        return f"0{lost}"
    documents = [document for document, change in made if change is not None]
    risen = share(sum(value > RISE for value in values), values)
    return f"{mean(values, documents, seed)}; {max(*values, 0.0):+.4f}; {risen}{lost}"


def share(count: int, every: Sequence[object]) -> str:
    return f"{100 * count / len(every):.1f}%"


def line(
    name: str, rows: Sequence[Example], phrases: Sequence[str], found: Found, seed: int
) -> str:
    """One row of a metric's table."""
    alone = [found[row.source, phrase] for row in rows for phrase in phrases]
    cells = [cell(changes(rows, phrases, place, found), seed) for place in PLACES]
    return table_row(name, *outcomes(alone), *cells)


def outcomes(scores: Sequence[tuple[float | None, str]]) -> tuple[str, str]:
    """The mean of what has a value, and the share of each outcome."""
    values = [value for value, _ in scores if value is not None]
    shares = Counter(outcome for _, outcome in scores).most_common()
    shown = ", ".join(f"{name} {100 * count / len(scores):.0f}%" for name, count in shares)
    return f"{sum(values) / len(values):.4f}" if values else "-", shown


def table_row(*cells: str) -> str:
    return "| " + " | ".join(cells) + " |"


def table(rows: Sequence[Example], found: Found, each: bool, seed: int) -> list[str]:
    """A metric's table on a dataset."""
    header = ("phrases", "alone", "outcomes alone", *PLACES)
    base = [found[row.source, row.summary] for row in rows]
    lines = [table_row(*header), table_row(*("---" for _ in header)),
             table_row("(unchanged)", *outcomes(base), *("" for _ in PLACES))]  # fmt: skip
    for kind, phrases in PHRASES.items():
        lines.append(line(kind, rows, phrases, found, seed))
        if each:
            lines += [line(f"“{phrase}”", rows, [phrase], found, seed) for phrase in phrases]
    return [*lines, line("all", rows, every_phrase(), found, seed)]


def largest(rows: Sequence[Example], found: Found) -> list[str]:
    """The row and phrase of the largest rise in each place."""
    lines = []
    for place in PLACES:
        rises = [(change, row.id, phrase) for row in rows for phrase in every_phrase()
                 for _, change in changes([row], [phrase], place, found)
                 if change is not None]  # fmt: skip
        if rises and max(rises)[0] > RISE:
            change, row, phrase = max(rises)
            lines.append(f"- largest rise, {place}: {change:+.4f}, row `{row}`, “{phrase}”")
    return lines


def halves(rows: Sequence[Example]) -> tuple[set[str], set[str]]:
    """The weaker and the stronger half of the systems, by mean human rating."""
    ratings: dict[str, list[float]] = {}
    for row in rows:
        if row.rating is not None:
            ratings.setdefault(str(row.system), []).append(row.rating)
    systems = sorted(ratings, key=lambda name: sum(ratings[name]) / len(ratings[name]))
    return set(systems[: len(systems) // 2]), set(systems[-(len(systems) // 2) :])


def gap(
    documents: Sequence[Sequence[Example]], sides: tuple[set[str], set[str]], found: Found,
    seed: int,
) -> str:  # fmt: skip
    """Mean over documents of the stronger systems' mean value less the weaker ones'."""
    gaps = []
    for some in documents:
        means = []
        for side in sides:
            scores = [found[row.source, row.summary][0] for row in some if row.system in side]
            values = [value for value in scores if value is not None]
            means += [sum(values) / len(values)] if values else []
        if len(means) == 2:
            gaps.append((truth_of(some[0]).document, means[1] - means[0]))
    return mean([value for _, value in gaps], [name for name, _ in gaps], seed)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-m", "--metric", action="append", required=True)
    parser.add_argument("-d", "--dataset", action="append", required=True)
    parser.add_argument("--data-dir", default=str(DATA))
    parser.add_argument("--limit", type=int, help="rows of each dataset, spread over documents")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--each", action="store_true", help="a line for each phrase as well")
    given = parser.parse_args()
    prepared = prepare(given.metric, offline=True)
    for one in prepared:
        if not one.metric.needs <= {"source", "summary"}:
            sys.exit(f"{one.label} reads more than a source and a summary")
    datasets = {
        name: spread(by_document(read(name, given.data_dir, None)[1], given.seed), given.limit)
        for name in given.dataset
    }
    rated = read(SCALE, given.data_dir, None)[1]
    most = 10 * given.limit if given.limit else None
    documents, sides = whole(by_document(rated, given.seed), most), halves(rated)
    pairs = texts(row for rows in datasets.values() for row in rows)
    scale = [(row.source, row.summary) for some in documents for row in some]
    pairs = sorted(dict.fromkeys([*pairs, *scale]), key=lambda pair: pair[0])
    found = {one.label: score(one, pairs) for one in prepared}
    print(
        "In each place: mean change [95% interval]; largest rise; summaries that rise by "
        f"more than {RISE:g}; those that lose their value, if any do. 0: no change.\n"
    )
    for label, scores in found.items():
        for name, rows in datasets.items():
            count = len({truth_of(row).document for row in rows})
            print(f"`{label}` on {name}, {len(rows)} rows of {count} documents\n")
            print("\n".join(table(rows, scores, given.each, given.seed)))
            print("\n".join(["", *largest(rows, scores), ""]) if given.each else "")
    print(f"For scale: the stronger half of systems less the weaker, {SCALE}, {len(scale)} rows of "
          f"{len(documents)} documents\n")  # fmt: skip
    print(table_row("metric", "gap [95% interval]"), table_row("---", "---"), sep="\n")
    for label, scores in found.items():
        print(table_row(f"`{label}`", gap(documents, sides, scores, given.seed)))


if __name__ == "__main__":
    main()
