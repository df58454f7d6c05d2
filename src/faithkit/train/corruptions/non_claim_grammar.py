"""Non-claims: sentences that state nothing a document could support. Remarks about the text,
hedges, fillers.

The grammar is templates with slots. Every second template is held out, so that a model trained on
one half can be tested on the other. Set phrases fill whole templates, so each half has its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import prod
from random import Random

SLOTS: dict[str, tuple[str, ...]] = {
    "text": (
        "document", "article", "text", "passage", "report", "story", "piece", "source", "summary",
        "paragraph",
    ),
    "tells": ("discusses", "describes", "presents", "covers", "addresses", "outlines", "examines"),
    "matter": (
        "the topic", "the subject", "this issue", "the situation", "several points",
        "various aspects of the topic", "a number of issues", "the events in question",
        "different themes", "the main points", "relevant information", "important details",
    ),
    "thing": ("issue", "topic", "matter", "subject", "question", "development", "story"),
    "big": (
        "important", "significant", "interesting", "complex", "notable", "relevant", "serious",
        "noteworthy",
    ),
    "points": (
        "key points", "main ideas", "details", "facts", "findings", "events", "aspects",
        "takeaways", "themes",
    ),
    "well": ("clearly", "briefly", "in detail", "at length", "in some depth", "concisely"),
    "writer": ("author", "writer", "reporter", "journalist"),
    "more": ("more information", "further details", "the full story", "additional context"),
    "short": ("In short", "In summary", "To sum up", "In conclusion", "Overall", "All in all"),
    "reader": ("the reader", "readers", "the audience", "anyone interested"),
    "time": ("At this point", "At this stage", "For now", "As things stand", "Time and again"),
    "idle": (
        "by and large", "so to speak", "as it were", "all things considered", "in any case",
        "if you ask me", "to make a long story short", "truth be told", "last but not least",
        "believe it or not", "in a manner of speaking", "for better or worse", "by the way",
        "to tell the truth", "when it comes down to it", "in the grand scheme of things",
        "for all intents and purposes", "as the saying goes", "it is what it is",
        "that is the way it goes", "one way or the other", "sooner or later", "to say the least",
        "in all honesty", "as everyone is aware", "in today's world", "and all that",
        "and the like",
        "once everything is taken into account", "in the long run", "up to a point",
        "to some degree", "in some respects", "in many ways", "as a general rule", "so it seems",
        "in a sense", "for the time being", "under certain conditions", "by some measures",
        "all the same", "as far as that goes", "other things being equal",
        "in one sense or another",
        "at any rate", "in the final analysis", "speaking frankly", "as you may have guessed",
    ),
    "stock": (
        "in other words", "for the most part", "as a matter of fact", "needless to say",
        "more often than not", "if truth be told", "that being said", "on the whole",
        "at the very least", "in no small measure", "be that as it may", "to be fair",
        "in point of fact", "without a doubt", "first and foremost", "as luck would have it",
        "strange as it may seem", "as is well known", "in these modern times", "and what have you",
        "et cetera", "after everything has been said", "in the broader picture", "to put it mildly",
        "in plain terms", "to a large degree", "within reason", "in certain respects",
        "as the case may be", "given the circumstances", "to be frank", "as one might expect",
        "in so many words", "like it or not", "for what that means", "and so forth",
    ),
}  # fmt: skip

TEMPLATES: tuple[str, ...] = (
    "The {text} {tells}",
    "This {text} provides an overview of {matter}.",
    "The {text} {tells} {matter}.",
    "The {text} {tells} {matter} {well}.",
    "The summary entails the information the {text} {tells}.",
    "The information in the {text} is consistent with the summary.",
    "It is {big} to note that",
    "It should be noted that this is a {big} {thing}.",
    "{short}, the {text} presents {points}.",
    "{short}, this is a {big} {thing}.",
    "As mentioned above, the {thing} is {big}.",
    "As noted earlier, there are several {points} to consider.",
    "The {writer} goes on to explain the {thing} in detail.",
    "The {writer} also {tells} {matter}.",
    "Please see the {text} for {more}.",
    "For {more}, read the {text}.",
    "Here is a summary of the {text}.",
    "Here are the {points} of the {text}:",
    "The following is a brief summary of {matter}.",
    "Below is an overview of the {points}.",
    "This {text} is about {matter}.",
    "This summary {tells} the {points} of the {text}.",
    "The {points} are summarised {well}.",
    "The {text} contains {points} about {matter}.",
    "There is a lot to say about this {thing}.",
    "There are many {points} in this {text}.",
    "There is much more to the {thing} than this.",
    "Many people find this {thing} {big}.",
    "This is a {big} {thing} for {reader}.",
    "This is a very {big} {text}.",
    "Only time will tell how the {thing} develops.",
    "{time}, the {thing} remains {big}.",
    "{time}, it is hard to say what will happen.",
    "It remains to be seen what happens next with this {thing}.",
    "The {thing} is likely to remain {big}.",
    "The {thing} raises {big} questions.",
    "Let us take a closer look at {matter}.",
    "We will now turn to {matter}.",
    "In this {text}, we look at {matter}.",
    "I have summarised the {text} as requested.",
    "Sure, here is the summary you asked for.",
    "I hope this summary of the {text} helps.",
    "Let me know if you need {more}.",
    "Click here for {more}.",
    "Read on for {more}.",
    "Scroll down for {more} and the {points}.",
    "The rest of the {text} {tells} {matter}.",
    "The first part of the {text} {tells} {matter}.",
    "The {text} begins with {matter} and ends with {points}.",
    "The {text} concludes with {points}.",
    "The {text} is {big} and well written.",
    "The {text} is worth reading for {reader}.",
    "The {text} gives {reader} {more}.",
    "The {text} offers {big} insights into {matter}.",
    "The {writer} makes several {big} points.",
    "The {writer} provides {reader} with {points}.",
    "According to the {text}, the {thing} is {big}.",
    "As the {text} shows, there is more than one side to this {thing}.",
    "Needless to say, this {thing} is {big}.",
    "It goes without saying that the {thing} matters.",
    "Generally speaking, such a {thing} can be {big}.",
    "In general, opinions on this {thing} differ.",
    "On the one hand, the {thing} is {big}; on the other, it is not simple.",
    "Of course, there are different views on the {thing}.",
    "Some might say that the {thing} is {big}.",
    "One could argue that this {thing} deserves attention.",
    "The {text} does not give {more}.",
    "The {text} does not contain enough information to say more.",
    "No {points} are given in the {text} beyond this.",
    "What follows are the {points}.",
    "That is all the {text} says about the {thing}.",
    "This concludes the summary of the {text}.",
    "Summary of the {text}:",
    "Some {points}:",
    "Topic: {matter}",
    "To understand the {thing}, it helps to know the {points}.",
    "When it comes to this {thing}, context is {big}.",
    "With that in mind, the {text} {tells} {matter}.",
    "All of this makes the {thing} {big}.",
    "These {points} show how {big} the {thing} is.",
    "{idle}",
    "{stock}",
    "{idle}, {idle}.",
    "{stock}, {stock}.",
    "{short}, {idle}.",
    "{time}, {stock}.",
    "All statements above have been checked against the {text}.",
    "Each sentence of this summary agrees with the {text}.",
    "The summary above is accurate, complete and {big}.",
    "Nothing was added to what the {text} {tells}.",
    "The {text} backs up all of the above.",
    "This account does not contradict the {text} in any way.",
    "Everything here is taken from the {text}.",
    "The claims made here are correct and {big}.",
)

_SLOT = re.compile(r"\{(\w+)\}")


def non_claims(n: int, *, seed: int, held_out: bool) -> list[str]:
    """`n` different sentences, equally many of each template as long as it has fillings left; fewer
    than `n` only where all templates together have fewer.

    held_out  whether of the held-out templates, those with an odd index in `TEMPLATES`, or of the
              others
    """
    half = TEMPLATES[1 if held_out else 0 :: 2]
    random = Random(f"empty_talk/{seed}/{held_out}")  # the sentences depend on this text
    waiting = [_fillings(template, random) for template in half]
    sentences: list[str] = []
    while waiting and len(sentences) < n:
        random.shuffle(waiting)
        left = []
        for fillings in waiting:
            sentence = next(fillings, None)
            if sentence is not None:
                sentences.append(sentence)
                left.append(fillings)
        waiting = left
    return sentences[:n]


def _fillings(template: str, random: Random) -> Iterator[str]:
    """Every filling of a template once, in random order."""
    parts = _SLOT.split(template)
    choices = [SLOTS[name] for name in parts[1::2]]
    for number in random.sample(range(prod(map(len, choices))), prod(map(len, choices))):
        words = []
        for choice in choices:
            number, which = divmod(number, len(choice))
            words.append(choice[which])
        filled = "".join(part + word for part, word in zip(parts[::2], [*words, ""], strict=True))
        yield filled[:1].upper() + filled[1:]
