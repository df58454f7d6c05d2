"""Who did what to whom: generated facts in real documents, paraphrased, and with their two roles
exchanged.

A model that has learned from copies and changed words takes "Arsenal beat Chelsea" for supported
where Chelsea beat Arsenal: every word occurs. Such pairs, also in the passive and with the opposite
verb ("lost to", "bought from"), teach it to tell the roles apart [Min et al. 2020, Syntactic Data
Augmentation Increases Robustness to Inference Heuristics, section 3]. The facts are made by rule;
the documents around them are real, and sentences of these have their own roles exchanged too
(`rewrites.predicate_errors.role_swap`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from random import Random
from typing import NamedTuple

from faithkit.language.sentences import sentences
from faithkit.records import document_id
from faithkit.rewrites import paraphrases, predicate_errors
from faithkit.rewrites.parsed import Page, capitalised, is_clause, read, usable
from faithkit.train.paraphrased import made_row
from faithkit.train.words import CONTRADICTED, ENTAILED, Labelled

RELATIONS = "relations"
"""The file of these rows."""

FACTS = 2
"""Facts that are inserted into a document."""

SENTENCES = 20
"""How many of the first sentences of a document are parsed, and have facts inserted after them."""

OWN = 1
"""Sentences of a document that are paraphrased, and that have their own roles exchanged."""

WORDINGS: tuple[tuple[str, ...], ...] = tuple(
    tuple(wording.strip() for wording in line.split("|"))
    for line in """
{a} beat {b} | {b} was beaten by {a} | {b} lost to {a}
{a} defeated {b} | {b} was defeated by {a} | {b} lost to {a}
{a} knocked {b} out | {b} was knocked out by {a} | {b} was eliminated by {a}
{a} overtook {b} | {b} was overtaken by {a} | {b} fell behind {a}
{a} finished ahead of {b} | {b} finished behind {a}
{a} sued {b} | {b} was sued by {a} | {a} took {b} to court
{a} criticised {b} | {b} was criticised by {a} | {a} was critical of {b}
{a} praised {b} | {b} was praised by {a} | {b} received praise from {a}
{a} thanked {b} | {b} was thanked by {a}
{a} accused {b} of fraud | {b} was accused of fraud by {a}
{a} blamed {b} for the delay | {b} was blamed for the delay by {a}
{a} warned {b} about the ice | {b} was warned about the ice by {a}
{a} invited {b} to the meeting | {b} was invited to the meeting by {a}
{a} hired {b} | {b} was hired by {a} | {b} went to work for {a}
{a} dismissed {b} | {b} was dismissed by {a} | {b} lost a job with {a}
{a} replaced {b} | {b} was replaced by {a} | {b} gave way to {a}
{a} succeeded {b} | {b} was succeeded by {a} | {b} was followed by {a}
{a} interviewed {b} | {b} was interviewed by {a} | {b} gave an interview to {a}
{a} rescued {b} | {b} was rescued by {a} | {b} was saved by {a}
{a} attacked {b} | {b} was attacked by {a} | {b} came under attack from {a}
{a} helped {b} | {b} was helped by {a} | {b} got help from {a}
{a} supported {b} | {b} was supported by {a} | {b} had the support of {a}
{a} recommended {b} for the post | {b} was recommended for the post by {a}
{a} nominated {b} | {b} was nominated by {a}
{a} trained {b} | {b} was trained by {a} | {b} learned from {a}
{a} taught {b} to swim | {b} was taught to swim by {a} | {b} learned to swim from {a}
{a} followed {b} into the hall | {b} was followed into the hall by {a}
{a} chased {b} down the street | {b} was chased down the street by {a}
{a} called {b} | {b} was called by {a} | {b} got a call from {a}
{a} ignored {b} | {b} was ignored by {a}
{a} forgave {b} | {b} was forgiven by {a}
{a} trusted {b} | {b} was trusted by {a} | {b} had the trust of {a}
{a} feared {b} | {b} was feared by {a} | {a} was afraid of {b}
{a} admired {b} | {b} was admired by {a}
{a} misled {b} | {b} was misled by {a}
{a} persuaded {b} to stay | {b} was persuaded to stay by {a} | {b} stayed because of {a}
{a} asked {b} for advice | {b} was asked for advice by {a}
{a} told {b} that it was late | {b} heard from {a} that it was late
{a} told {b} about the leak | {b} heard about the leak from {a} | {b} was told about the leak by {a}
{a} promised {b} an answer | {b} was promised an answer by {a}
{a} reported {b} to the police | {b} was reported to the police by {a}
{a} owed {b} 300 euros | {b} was owed 300 euros by {a}
{a} sold {x} to {b} | {b} bought {x} from {a} | {a} sold {b} {x}
{a} lent {x} to {b} | {b} borrowed {x} from {a} | {a} lent {b} {x}
{a} gave {x} to {b} | {b} got {x} from {a} | {b} was given {x} by {a} | {a} gave {b} {x}
{a} sent {x} to {b} | {b} received {x} from {a} | {b} was sent {x} by {a}
{a} offered {x} to {b} | {b} was offered {x} by {a} | {a} offered {b} {x}
{a} rented {x} to {b} | {b} rented {x} from {a}
{a} left {x} to {b} | {b} inherited {x} from {a}
{a} stole {x} from {b} | {b} had {x} stolen by {a}
{a} returned {x} to {b} | {b} got {x} back from {a}
{a} paid {b} for {x} | {b} was paid for {x} by {a}
{a} won {x} from {b} | {b} lost {x} to {a}
{a} showed {x} to {b} | {b} was shown {x} by {a} | {a} showed {b} {x}
{a} arrived before {b} | {b} arrived after {a}
{a} left later than {b} | {b} left earlier than {a}
{a} spoke after {b} | {b} spoke before {a}
{a} is older than {b} | {b} is younger than {a}
{a} is taller than {b} | {b} is shorter than {a}
{a} earned more than {b} | {b} earned less than {a}
{a} scored higher than {b} | {b} scored lower than {a}
{a} had fewer complaints than {b} | {b} had more complaints than {a}
{a} waited longer than {b} | {b} waited less long than {a}
{a} works for {b} | {b} employs {a} | {a} is employed by {b}
{a} reports to {b} | {b} is in charge of {a}
{a} depends on {b} | {b} is relied on by {a}
""".strip().splitlines()
)
"""Each line has several wordings of one relation of two actors."""

ACTORS: tuple[tuple[str, ...], ...] = tuple(
    tuple(name.strip() for name in sort.replace("\n", ",").split(","))
    for sort in """
Anna Kovacs, Tom Reyes, Priya Nair, David Okafor, Lena Vogt, Samuel Brandt, Mei Tanaka
Carlos Duarte, Fatima Aziz, Erik Lund, Grace Mensah, Ivan Petrov, Nora Walsh, Hugo Marchand
Aisha Bello, Peter Novak, Ruth Adler, Omar Haddad, Julia Costa, Simon Clarke

Maria, Jack, Olu, Beth, Ahmed, Karin, Luis, Zoe, Viktor, Hana, Pablo, Irene, Kofi, Dora, Max, Leila

Norwood, Ashby United, Real Tormes, Halden, Kestrel Rovers, Port Vale, Lakeside, Bergen
Dunholme, Sporting Vigo, Mill Town, Torrance

Brightwell, Oracle, Nordlys, Kappa Foods, Delmar, Voltera, Siemens, Hartley Motors
Aquila, Tesco, Pinnacle, Renfield

Germany, France, Chile, Kenya, Norway, Japan, Canada, Peru, Egypt, Vietnam, Latvia, Ghana

the minister, the bank, the mayor, the union, the council, the school, the landlord, the tenant
the nurse, the surgeon, the coach, the club, the editor, the reporter, the insurer, the charity
the committee, the director

her brother, the neighbour, the driver, the old man, the girl, the baker, the captain
the teacher, the boy, the gardener, the postman, the shopkeeper
""".strip().split("\n\n")
)
"""Names and descriptions by sort, so that two of one sort may take either role."""

THINGS = (
    "a boat", "12 tractors", "the house by the river", "3 million euros", "the letters", "a horse",
    "the only key", "forty chairs", "the recipe", "an old piano", "the land", "two tickets",
)  # fmt: skip
TIMES = (
    "", "", "on Saturday", "in March", "last year", "in Leeds", "after the meeting",
    "two days later", "in 2019", "during the strike",
)  # fmt: skip


class Fact(NamedTuple):
    """A relation of two actors, and when it holds."""

    wordings: tuple[str, ...]
    a: str
    b: str
    thing: str
    time: str

    def row(self, wording: str, *, exchanged: bool = False, time: bool = True) -> Labelled:
        """The sentence of a wording, with or without the time, as a row whose source and document
        are empty. With the two actors exchanged, their words are labelled as unsupported."""
        first, second = (self.b, self.a) if exchanged else (self.a, self.b)
        values = {"a": first, "b": second, "x": self.thing}
        text, wrong = "", []
        for piece in wording.replace("{", "}").split("}"):
            start, text = len(text), text + values.get(piece, piece)
            if exchanged and piece in ("a", "b"):
                wrong.append((start, len(text)))
        text = f"{text} {self.time}".rstrip() if time else text
        spans = tuple((start, end, 1.0) for start, end in wrong)
        if not exchanged:
            spans = ((0, len(text) + 1, 0.0),)
        target = CONTRADICTED if exchanged else ENTAILED
        return Labelled(RELATIONS, "", "", f"{capitalised(text)}.", spans, target)


def relation_rows(documents: Sequence[str], seed: int) -> list[Labelled]:
    """Rows of documents with facts inserted among their sentences, and of their own sentences:
    paraphrased claims, and the same with the two roles exchanged."""
    made: list[Labelled] = []
    for document in documents:
        random = Random(f"{seed} {document}")
        made += _of_facts(document, random)
        made += _of_own_sentences(document, random)
    return made


def _facts(random: Random) -> list[Fact]:
    """Facts of different relations; two neighbouring facts share an actor."""
    sort = random.choice(ACTORS)
    names = random.sample(sort, FACTS + 1)
    relations = random.sample(WORDINGS, FACTS)
    return [
        Fact(wordings, *random.choice([pair, pair[::-1]]), random.choice(THINGS),
             random.choice(TIMES))
        for wordings, pair in zip(relations, pairwise(names), strict=True)
    ]  # fmt: skip


def _of_facts(document: str, random: Random) -> Iterator[Labelled]:
    ends = [piece.end for piece in sentences(document)][:SENTENCES]
    if not ends:
        return
    facts = _facts(random)
    in_source = [random.choice(fact.wordings) for fact in facts]
    source = document
    offsets = sorted((random.choice(ends) for _ in facts), reverse=True)
    for offset, fact, wording in zip(offsets, facts, in_source, strict=True):
        source = f"{source[:offset]} {fact.row(wording).summary}{source[offset:]}"
    for fact, wording in zip(facts, in_source, strict=True):
        # Seldom in the source's own wording: rules decide about copies of a sentence.
        others = [other for other in fact.wordings if other != wording]
        claimed = random.choice([*others, *others, wording])
        for exchanged in (False, True):
            row = fact.row(claimed, exchanged=exchanged, time=random.random() < 0.6)
            yield replace(row, source=source, document=document_id(source))


def _of_own_sentences(document: str, random: Random) -> Iterator[Labelled]:
    """Sentences of a document in the other voice, and others with their roles exchanged."""
    prose = [(piece.start, piece.text) for piece in sentences(document) if usable(piece.text)]
    parsed = [sentence for sentence in read(prose[:SENTENCES]) if is_clause(sentence)]
    page = Page(document, "", tuple(parsed))
    faithful = [(sentence, edits) for sentence in parsed
                for edits in paraphrases.voice(sentence, page, random)]  # fmt: skip
    wrong = [(sentence, edits) for sentence in parsed
             for maker in (predicate_errors.role_swap, predicate_errors.voice_swap)
             for edits in maker(sentence, page, random)]  # fmt: skip
    for choices in (faithful, wrong):
        random.shuffle(choices)
    for sentence, edits in faithful[:OWN]:
        yield made_row(RELATIONS, document, sentence, edits)
    for sentence, edits in wrong[:OWN]:
        row = made_row(RELATIONS, document, sentence, edits, wrong=True)
        yield replace(row, target=CONTRADICTED)
        # The sentence with a part left out or moved, which stays true.
        others = [edits for maker in (paraphrases.clause_dropped, paraphrases.reordered)
                  for edits in maker(sentence, page, random)]  # fmt: skip
        if others:
            yield made_row(RELATIONS, document, sentence, random.choice(others))
