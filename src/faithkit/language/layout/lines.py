"""The lines of a text: which line ends are a hard wrap, and which divide paragraphs, headings, list
items, table rows and speakers' turns.

Whether a line goes on in the next is decided by what comes before the line end and by the next
line as far as its first finished sentence. So text that is appended after a finished sentence
changes nothing before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from faithkit.language.calendar_words import MONTH
from faithkit.language.layout.entries import SECTION, SIGN, opening_of
from faithkit.language.layout.labels import labelled
from faithkit.language.lexicon import OPEN_WORDS, STOP_WORDS
from faithkit.language.mapped import Mapped, Piece, is_mark, replace_pieces
from faithkit.language.notations.roman import numeral_of
from faithkit.language.sentences import TURN, closed_sentences, ends_sentence
from faithkit.language.speech.dialogues import parse_opening, speakers_from_openings
from faithkit.language.words import words

SHORTEST, LONGEST = 28, 160
"""Characters of a line that may have been wrapped though nothing else says that it goes on."""

SHORTER, RAGGED = 10, 0.6
"""Where the next line begins with a small letter: the least characters, and the least share of the
widest line, since not every program that wraps fills its lines."""

SENTENCE = 8
"""The least words of a sentence on lines that are shorter."""

_STARTERS = STOP_WORDS - {"i", "may", "will"}
"""Words that have a capital only where a sentence or a heading begins."""

_QUOTE = re.compile(r"[ \t]*(?:>[ \t]?)+")
_ROMAN = {numeral_of(number).lower(): number for number in range(1, 11)}
_MONTH = re.compile(rf"(?:{MONTH})\b")
_MORE_THAN = re.compile(r"[ \t]*> ?[$£€¥₹]?\d(?!\d?\. )")
_QUOTED_WORD = re.compile(r"[ \t]*>[ \t]*(?:[^\s\d$£€¥₹]|$)")
_HEADING = re.compile(r"[ \t]*#{1,6}[ \t]+")
_RULE = re.compile(r"[ \t]*(?:[-*_=~][ \t]?){3,}$")
_FENCE = re.compile(r"[ \t]*(?:`{3,}|~{3,})[\w+-]*[ \t]*$")
_ROW = re.compile(r"[ \t]*\|[ \t]?")
_ROW_END = re.compile(r"[ \t]*\|$")
_UNDER_HEAD = re.compile(r"[ \t]*\|(?:[ \t]*+:?-++:?[ \t]*+\|?)++$")
_ITEM = re.compile(
    r"[ \t]*(?:(?P<dash>[-*+→])|[•‣◦▪●○·∙⁃➤➢➔➜➡▶►▸▹❖◆◇✦✧①-⑳❶-❿➀-➓]|\(?(?P<number>\d{1,2})[.)]"
    r"|\(?(?:[A-Za-z]|[ivx]{1,4})\)|(?P<letter>[a-z]|[ivx]{2,4})\.)(?:[ \t]+|$)"
    r"|[ \t]*\d\u20e3[ \t]*"
)
_SECTION = re.compile(SECTION)
_TURN = re.compile(TURN)
_OTHER_TURN = re.compile(
    r"#\w+#:\s|\[[A-Z\d][^\]\n]{0,23}\]:?\s|[A-Z]{3,}(?: [A-Z]+)?(?: \([^()\n]{1,40}\)):\s"
)
_WORD_END = re.compile(r"\w+-?$")
_WORD_START = re.compile(r"\w+")
_SAYS_NO = re.compile(r"[:=][ \t]+no$", re.IGNORECASE)
_LABEL = re.compile(r"[^\n.!?]{0,40}:(?:\s|$)")
_CLOSING = re.compile(r"[.,;:!?)\]%]+(?:\s|$)")


@dataclass(slots=True)
class _Line:
    """A line of a text.

    start, end  its characters, blanks at its end left out
    begin       where it begins after the mark of a quotation; inner: after every mark and blank
    size        its letters in the given text, blanks at its end too
    kind        text, item, turn, heading, row, code; nothing for a blank line, a rule or a fence
    trailing    whether it had blanks at its end
    """

    start: int
    end: int
    size: int
    begin: int
    inner: int
    kind: str = "text"
    trailing: bool = False


def join_wrapped_lines(text: Mapped, given: str, reference: str | None = None) -> Mapped:
    """The text with wrapped lines joined, the marks of lists, headings and quotes left out, and the
    label of a list before each of its items (`labels.py`).

    given      the text as it was given, which says how long the lines were
    reference  a text whose words show how one is written that a line end cut in two. None: nothing
               will be appended to the text, so that its lines to the right count as well
    """
    reader = _Reader(text, given, reference)
    between = list(reader.replace_ends_and_marks())
    pieces = [
        piece
        for piece in labelled(text.text, reader.lines, between, reader.reference)
        if _differs(piece, text.text)
    ]
    return replace_pieces(text, pieces) if pieces else text


def _differs(piece: Piece, text: str) -> bool:
    return piece.text != text[piece.start : piece.end]


class _Reader:
    """Reads lines in their order and says what replaces each line's end and its mark.

    Of the whole text:
    lines        its lines; `kind`, `begin`, `inner` and `end` of each are settled on the way
    reference    the text whose words show how one is written that a line end cut in two
    _is_source   whether it is a source: nothing is appended to one, so that later lines count too
    _cut_size    the size of lines that a program cut within words; 0 where none did
    _turn_starts where lines start that open a turn of a dialogue; none in a summary

    Of the lines before the present one:
    _has_turns    whether one of them was a turn
    _in_code      whether a fence of code is open
    _last_number  number of the last list item that has one; 0 for none
    _last_letter  letter of the last list item that has one; "" for none
    _paragraph_width  size of the widest line since the last blank line, rule or fence

    Of the block (a heading, an item, a turn, lines of text) that the last line belongs to:
    _block_first  its first line
    _block_kind   the kind of that line
    _block_wraps  its line ends that were wraps, so that lines were joined there

    _sentence_sizes  see `_count_words_to_end`; empty until it is needed
    """

    def __init__(self, text: Mapped, given: str, reference: str | None) -> None:
        self._text = text.text
        self.reference = text.text if reference is None else reference
        self.lines = list(_split_lines(text, given))
        self._is_source = reference is None
        self._cut_size = _find_cut_size(self.lines) if self._is_source else 0
        self._turn_starts = (
            _find_turn_starts(self._text, self.lines) if self._is_source else frozenset()
        )
        self._has_turns = False
        self._in_code = False
        self._last_number = 0
        self._last_letter = ""
        self._block_kind = "text"
        self._paragraph_width = 0
        self._block_wraps = 0
        self._block_first: _Line | None = None
        self._sentence_sizes: list[int] = []

    def replace_ends_and_marks(self) -> Iterator[Piece]:
        """What replaces the end of the line before and the mark of each line, then what replaces
        the end of the last row of a table."""
        before: _Line | None = None
        for place, line in enumerate(self.lines):
            self._classify(before, line, place)
            if before is None:
                self._block_first = line
                yield Piece("", line.start, line.inner)
            else:
                yield self._replace_end(before, line, place)
            if line.kind == "row" and (end := _ROW_END.search(self._text, line.inner, line.end)):
                line.end = end.start()
            before = line
        if before is not None and before.kind == "row":
            yield Piece("", before.end, before.end + len(self._text[before.end :].rstrip()))

    def _classify(self, before: _Line | None, line: _Line, place: int) -> None:
        """Settles what a line is and where it begins after its mark."""
        text, end = self._text, line.end
        quote = None if self._is_amount(place) else _QUOTE.match(text, line.start, end)
        if quote:
            line.begin = line.inner = quote.end()
        if _FENCE.match(text, line.inner, end):
            self._in_code = not self._in_code
            line.kind, line.inner = "", end
        elif self._in_code:
            line.kind = "code"
        elif line.inner >= end or any(r.match(text, line.inner, end) for r in (_RULE, _UNDER_HEAD)):
            line.kind, line.inner = "", end
        elif heading := _HEADING.match(text, line.inner, end):
            line.kind, line.inner = "heading", heading.end()
        elif row := _ROW.match(text, line.inner, end):
            line.kind, line.inner = "row", row.end()
        elif self._is_item(before, line):
            item = _ITEM.match(text, line.inner, end)
            line.kind, line.inner = "item", item.end() if item else line.inner
        elif line.start in self._turn_starts or self._is_turn(before, line):
            line.kind, self._has_turns = "turn", True
        elif section := self._match_section(before, line):
            line.kind, line.inner = "item", section.end()

    def _is_amount(self, place: int) -> bool:
        """Whether a line begins with "> 20 kg", more than that, and is not of a quotation: then the
        line before it, or the one in which it goes on, has the mark before a word or nothing."""
        text, line = self._text, self.lines[place]
        if _MORE_THAN.match(text, line.start, line.end) is None:
            return False
        near = self.lines[max(0, place - 1) : place]
        if not ends_sentence(text[line.start : line.end]):
            near += self.lines[place + 1 : place + 2]
        return not any(_QUOTED_WORD.match(text, other.start, other.end) for other in near)

    def _match_section(self, before: _Line | None, line: _Line) -> re.Match[str] | None:
        """The number of a section ("1.1 ") that is a summary's own, since its source has none."""
        section = _SECTION.match(self._text, line.inner, line.end)
        if section is None or self._is_source or section.group().rstrip() in self.reference:
            return None
        return None if before is not None and self._runs_on(before, line) else section

    def _is_item(self, before: _Line | None, line: _Line) -> bool:
        item = _ITEM.match(self._text, line.inner, line.end)
        if item is None:
            return False
        number = int(item["number"]) if item["number"] else None
        # "12." may end a sentence that was wrapped before it, be a day, or a source's clause.
        if number not in (None, 1, self._last_number + 1) and (
            self._is_source
            or _MONTH.match(self._text, item.end(), line.end)
            or self._is_unfinished(before)
        ):
            return False
        letter = item["letter"]
        if letter in _ROMAN and (_ROMAN[letter] == 1 or _ROMAN[letter] == self._last_number + 1):
            number = _ROMAN[letter]
        elif letter and letter != "a" and letter != chr(ord(self._last_letter or "z") + 1):
            return False
        # A dash may be within a sentence that was wrapped before it.
        wrapped = (
            self._block_kind != "item"
            and self._block_wraps > 0
            and (item["dash"] or letter or number)
        )
        if wrapped and before is not None and self._runs_on(before, line):
            return False
        if number is not None:
            self._last_number = number
        if letter and len(letter) == 1:
            self._last_letter = letter
        return True

    def _is_unfinished(self, before: _Line | None) -> bool:
        """Whether a line of text ends neither with a sentence nor with a colon."""
        if before is None or before.kind not in ("text", "turn"):
            return False
        text = self._text[before.inner : before.end]
        return not text.endswith(":") and not ends_sentence(text)

    def _is_turn(self, before: _Line | None, line: _Line) -> bool:
        matches = any(
            pattern.match(self._text, line.inner, line.end + 1) for pattern in (_TURN, _OTHER_TURN)
        )
        return matches and (
            self._has_turns
            or before is None
            or not self._block_wraps
            or not self._runs_on(before, line)
        )

    def _runs_on(self, before: _Line, line: _Line) -> bool:
        """Whether a line ends within a sentence, because it is full."""
        return (
            before.kind in ("text", "turn")
            and not ends_sentence(self._text[before.inner : before.end])
            and self._is_full(before, line)
        )

    def _replace_end(self, before: _Line, line: _Line, place: int) -> Piece:
        """What replaces the end of a line: nothing or a blank where the line goes on in the next,
        else a line end, or two where the sentence splitters would not see that it ends."""
        if line.kind == "" or before.kind == "":
            if line.kind != "":
                self._block_kind, self._block_wraps, self._paragraph_width = line.kind, 0, 0
                self._block_first = line
            return Piece("\n", before.end, line.inner)
        self._paragraph_width = max(self._paragraph_width, before.size)
        in_block = line.kind == "text" and before.kind in ("text", "item", "turn")
        if in_block and not self._is_entry(before, line, place):
            start = self._find_cut(before, line, place)
            if start is not None or (
                self._continues(before, line, place) and not self._is_indented(before, line, place)
            ):
                self._block_wraps += 1
                return Piece(" " if start is None else "", start or before.end, line.inner)
        self._block_kind, self._block_wraps, self._block_first = line.kind, 0, line
        is_visible = (
            _TURN.match(self._text, line.inner, line.end + 1)
            if line.kind == "turn"
            else line.kind in ("text", "code")
            and ends_sentence(self._text[before.inner : before.end])
        )
        return Piece("\n" if is_visible else "\n\n", before.end, line.inner)

    def _is_entry(self, before: _Line, line: _Line, place: int) -> bool:
        """Whether a line opens as the one before it or the first of its block does, or the next
        one of a source, as rows of a log do. A number by itself may be that of running text."""
        kind = self._opening_of(line)
        if kind in ("", SIGN):
            return kind == SIGN
        if _is_open(self._text[before.inner : before.end]):
            return False
        first = self._opening_of(self._block_first or before)
        if kind.startswith("number"):
            return first == kind and not self._block_wraps
        following = self.lines[place + 1 : place + 2] if self._is_source else []
        return kind == first or any(self._opening_of(near) == kind for near in (before, *following))

    def _opening_of(self, line: _Line) -> str:
        return opening_of(self._text[line.inner : line.end])

    def _is_indented(self, before: _Line, line: _Line, place: int) -> bool:
        """Whether a line begins further to the right than the one before it, as no line does that
        goes on, but in a list or where lines were cut at a blank."""
        further = line.inner - line.begin > before.inner - before.begin
        is_cut = before.size == self._cut_size or self._count_equal_before(place) > 1
        return further and self._block_kind != "item" and not is_cut

    def _is_full(self, before: _Line, line: _Line) -> bool:
        """Whether the next line's first word did not fit, as far as the paragraph's width shows."""
        needed = before.size + 1 + len(self._first_word(line))
        return SHORTEST <= before.size <= LONGEST and needed > max(
            self._paragraph_width, self._first_sentence_size(line)
        )

    def _first_word(self, line: _Line) -> str:
        return self._text[line.inner : line.end].split(maxsplit=1)[0]

    def _first_sentence_size(self, line: _Line) -> int:
        """Characters of a line up to its first finished sentence."""
        return len(closed_sentences(self._text[line.inner : line.end])[0].text)

    def _continues(self, before: _Line, line: _Line, place: int) -> bool:
        """Whether a line of text goes on in the next."""
        full = self._is_full(before, line)
        text = self._text[before.inner : before.end]
        if before.size == self._cut_size:
            return True
        if not text or ends_sentence(text):
            return full
        last, first = text.split()[-1], self._first_word(line)
        if last[-1] == ":":
            return full
        if before.size <= LONGEST and (last[-1] in ",;([" or _is_open(text)):
            return True
        if _begins_small(first):
            width = max(self._paragraph_width, self._first_sentence_size(line))
            needed = before.size + 1 + len(first)
            ragged = SHORTER <= before.size <= LONGEST and needed > RAGGED * width
            # Where the block begins with a small letter too, that says nothing.
            if full or _begins_small(self._first_word(self._block_first or before)):
                return full
            return ragged or self._is_prose(before, place)
        if first.lstrip("\"'([").lower() in _STARTERS:
            return full and self._block_wraps > 0
        return full

    def _is_prose(self, before: _Line, place: int) -> bool:
        """Whether a line of a summary and those after it, which begin with small letters, are one
        sentence up to its mark, however short they are: of a list there are few words on one
        side."""
        if self._is_source or before.kind != "text":
            return False
        if not self._sentence_sizes:
            self._sentence_sizes = self._count_words_to_end()
        head, tail = len(self._text[before.inner : before.end].split()), self._sentence_sizes[place]
        is_labelled = _LABEL.match(self._text, before.inner, before.end)
        is_sentence = self._block_wraps > 0 or head + tail >= SENTENCE
        return tail > 0 and is_sentence and not is_labelled

    def _count_words_to_end(self) -> list[int]:
        """[lines], the words of a line that begins with a small letter, and of those after it that
        do, up to the mark that ends a sentence; 0 where a line without one is no such text."""
        sizes = [0] * (len(self.lines) + 1)
        for place, line in reversed(list(enumerate(self.lines))):
            text = self._text[line.inner : line.end]
            if _begins_small(text) and not _LABEL.match(text) and not _ITEM.match(text):
                first = closed_sentences(text)[0].text
                count = len(first.split())
                is_end = ends_sentence(first)
                sizes[place] = count if is_end else (sizes[place + 1] and sizes[place + 1] + count)
        return sizes

    def _find_cut(self, before: _Line, line: _Line, place: int) -> int | None:
        """Where the first part of a word ends that the line end cut in two; None where there is no
        such word. A hyphen goes where the reference has the word without one."""
        if before.trailing or before.size > LONGEST:
            return None
        head = _WORD_END.search(self._text, before.inner, before.end)
        tail = _WORD_START.match(self._text, line.inner, line.end)
        if before.size == self._cut_size and line.inner == line.begin:
            return before.end
        if head is None or tail is None:
            return None
        first, second = head.group().lower(), tail.group().lower()
        words_inside = _words_inside(self.reference)
        if first.endswith("-"):
            if second in ("and", "or", "to"):
                return None
            return before.end - (first[:-1] + second in words_inside)
        if line.inner != line.begin:
            return None
        equal_lines = self._count_equal_before(place)
        are_words = first in words_inside and second in words_inside
        if equal_lines > 1 and first + second in words_inside and not are_words:
            return before.end
        return before.end if equal_lines > 3 and not {first, second} & words_inside else None

    def _count_equal_before(self, place: int) -> int:
        """Lines of one size in a row, the one before `place` among them: a program that cuts lines
        within words makes all of one size. The line at `place` counts where others follow it."""
        count = 1
        size = self.lines[place - 1].size
        while count < min(place, 4) and self.lines[place - 1 - count].size == size:
            count += 1
        line = self.lines[place]
        counts = place + 1 < len(self.lines) and line.size == size
        return count + (counts and not _has_end(self._text[line.start : line.end]))


def _is_open(text: str) -> bool:
    """Whether a line ends with a word that others follow: "the", but not the "no" of "Pets: no"."""
    last = text.rsplit(maxsplit=1)[-1:]
    return bool(last) and last[0].lower() in OPEN_WORDS and not _SAYS_NO.search(text)


def _begins_small(text: str) -> bool:
    """Whether the first letter or digit is a small letter."""
    return next(filter(str.isalnum, text), "").islower()


def _find_turn_starts(text: str, lines: Sequence[_Line]) -> frozenset[int]:
    """Where the lines of a dialogue start that open a turn; none in another text."""
    written = [line for line in lines if line.end > line.start]
    openings = [parse_opening(text[line.start : line.end].lstrip(" >")) for line in written]
    names = speakers_from_openings(openings, len(written))
    return frozenset(line.start for line, name in zip(written, names, strict=True) if name)


def _find_cut_size(lines: Sequence[_Line]) -> int:
    """The size of all lines but the last of each paragraph where a program cut them within words; 0
    where none did. Lines that end between words are of many sizes just below the widest."""
    width = max(line.size for line in lines)
    full = sum(line.size == width for line in lines)
    shorter = sum(0.75 * width <= line.size < width for line in lines)
    return width if SHORTEST <= width <= LONGEST and full >= 4 and full >= 3 * shorter else 0


def _count_letters(text: str) -> int:
    """Letters of a text, each counted with its marks as one."""
    return len(text) if text.isascii() else sum(not is_mark(letter) for letter in text)


def _has_end(text: str) -> bool:
    return len(closed_sentences(text)) > 1 or ends_sentence(text)


def _split_lines(text: Mapped, given: str) -> Iterator[_Line]:
    start = 0
    for line in text.text.split("\n"):
        end = start + len(line)
        size = _count_letters(given[text.starts[start] : text.ends[end - 1]]) if line else 0
        stripped = start + len(line.rstrip())
        # A line of the given text may begin with blanks.
        inner = start + len(line) - len(line.lstrip())
        yield _Line(start, stripped, size, start, min(inner, stripped), trailing=stripped < end)
        start = end + 1


@lru_cache(maxsize=64)
def _words_inside(text: str) -> frozenset[str]:
    """The words of a text but those at a line's beginning or end, in small letters, and all stop
    words."""
    lines = text.splitlines()
    by_line = [words(line) for line in lines]
    inner = by_line if len(lines) == 1 else [line_words[1:-1] for line_words in by_line]
    return STOP_WORDS | {
        part
        for line_words in inner
        for word in line_words
        for part in _split_at_hyphens(word.text.lower())
    }


def _split_at_hyphens(word: str) -> list[str]:
    return [word, *word.split("-")] if "-" in word else [word]
