"""Who somebody is in short, in full: "62F" in a clinical note and "I (24M)" in a message as "62
year old female" and "24 year old male", "Sex: M" as "Sex: male"; and the years of a life in
brackets after a name: "(12 May 1911 - 3 June 1990)" as born then and died then. What does not live
here: dates (`dates.py`).
"""

from __future__ import annotations

import re

from faithkit.language import lexicon
from faithkit.language.calendar_words import MONTH, SHORT_MONTH
from faithkit.language.mapped import Piece, Rule, keep_group
from faithkit.language.words import plain_letters

# Ages and sexes

_SEXES = {"m": "male", "f": "female"}
_AGE = r"(?:[1-9]\d|10\d)"
"""Of two digits: "6M" may be six months."""
_NO_WORD = r"(?![\w'’&/-])"
_SHORT_AGE = re.compile(
    rf"(?<![\w.,/$£€])(?P<age>\d{{1,3}})(?P<old>[ -]?(?:y\.o|y/o|yo|yr[- ]old))"
    rf"(?P<point>\.(?!$| (?-i:[A-Z]\w)))?(?:[ -]?(?P<sex>[MF]))?{_NO_WORD}",
    re.IGNORECASE,
)
_SEX_AFTER_AGE = re.compile(
    rf"(?P<before>\d[- ]years?[- ]old,? )(?P<sex>[MF]){_NO_WORD}(?!\.? ?[A-Z])"
)
_FIELD = re.compile(
    rf"\b(?:(?P<name>(?:sex|gender) ?[:=|] ?)(?P<sex>(?-i:[MF])){_NO_WORD}"
    r"(?! ?[|☐☑☒]| (?:or |and )?[MF]\b)"
    rf"|(?P<both>age ?/ ?(?:sex|gender) ?: ?)(?P<age>\d{{1,3}})(?P<old> ?/ ?)(?P<sex_2>[MF])\b)",
    re.IGNORECASE,
)
_PERSONS = (
    "aunt|bf|boss|boyfriend|bro|brother|co-?worker|colleague|cousin|dad|daughter"
    "|ex|father|fianc[eé]e?|flatmate|friend|gf|girlfriend|grandfather|grandma|grandmother|grandpa"
    "|guy|husband|in-law|man|manager|mate|mom|mother|mum|neighbou?r|nephew|niece|partner|pt"
    "|patient|roommate|sibling|sis|sister|son|spouse|stepdad|stepmom|stepson|student|teacher"
    "|twin|uncle|wife|woman"
)
_IN_BRACKETS = re.compile(
    rf"(?P<before>\b(?:I|me|myself|my|he|him|she|her|who|OP|{_PERSONS}),? [(\[] ?)"
    rf"(?:(?P<age>{_AGE}) ?/?(?P<sex>[MF])|(?P<sex_2>[MF]) ?/?(?P<age_2>{_AGE}))(?=[)\],;])",
    re.IGNORECASE,
)
_OF_A_CASE = re.compile(
    rf"(?P<before>(?:^|[:;] |\b[Pp](?:t|atient)\.? (?:(?:is|was) )?(?:an? )?|\b(?:is|was) an? ))"
    rf"(?P<age>{_AGE}) ?(?P<sex>[MF])(?P<after>,? (?:(?P<sure>presents (?:with|to|for|after)\b"
    r"|present(?:ing|ed)\b|p/w|h/o|s/p|c/o)"
    r"|(?:with|who|brought|found|complain\w+|admitted|here|has|had)\b))"
)
_CLINICAL = re.compile(
    r"\b(?:abdominal|admitted|ards|bleed\w*|cad|cancer|chest|chf|ckd|complain\w*|copd|cough\w*"
    r"|dementia|diarrh\w+|dizz\w+|dm|dyspn\w+|ed|edema|er|fall|fever\w*|fracture|headaches?|hx|htn"
    r"|history|icu|infection|intubat\w+|mass|nausea|pain\w*|pmhx?|pneumonia|rash|seizures?|sepsis"
    r"|sob|stroke|surgery|symptoms?|syncope|tumou?r|vomit\w*|weakness|[chps]/[owp])\b",
    re.IGNORECASE,
)
_OTHERS = {
    "M": re.compile(
        r"\b(?:americans?|people|persons|adults|children|women|patients|users|workers|citizens"
        r"|world\w*|global\w*|nation\w*|countr\w+|million|billion|estimat\w+|stud(?:y|ies)|survey"
        r"|U\.?S|insur\w+|deal|fee|fund\w*|bonus)\b",
        re.IGNORECASE,
    ),
    "F": re.compile(
        r"\b(?:rain|sun\w*|wind\w*|cloud\w*|humid\w*|snow\w*|weather|forecast|oven|bake|degrees"
        r"|seat|highs?|lows?)\b",
        re.IGNORECASE,
    ),
}
"""What a text is about in which "45M" is an amount, and "62F" a temperature or a seat."""

NEAR = 200
"""Characters before and after "45M" that tell what it is."""


def _with_age(match: re.Match[str], age: str, sex: str) -> tuple[Piece, ...]:
    start, end = min(match.start(age), match.start(sex)), max(match.end(age), match.end(sex))
    words = f"{match[age]} year old {_SEXES[plain_letters(match[sex])]}"
    return (Piece(words, start, end),)


def _short_age(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "62 y.o. F" and "62yof" as "62 year old female", "is 62 y/o" as "is 62 years old"."""
    sex, point = match["sex"], match["point"] or ""
    following = _NEXT_WORD.match(match.string, match.end())
    before_noun = following is not None and following[1].lower() not in lexicon.STOP_WORDS
    old = " year old" if sex or before_noun else " years old"
    stop = match.end("point") if point else match.end("old")
    pieces = keep_group(match, "age"), Piece(old, match.start("old"), stop)
    if not sex:
        return pieces
    return (*pieces, Piece(f" {_SEXES[plain_letters(sex)]}", stop, match.end()))


_NEXT_WORD = re.compile(r"[ -]([A-Za-z]+)(?![/\w])")


def _sex_after_age(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "a 62-year-old F" as "a 62-year-old female"; nothing of "F. Scott"."""
    return keep_group(match, "before"), Piece(_SEXES[match["sex"].lower()], *match.span("sex"))


def _field(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "Sex: M" as "Sex: male", "Age/Sex: 54/M" as "Age/Sex: 54 year old male"."""
    if match["both"]:
        return keep_group(match, "both"), *_with_age(match, "age", "sex_2")
    return keep_group(match, "name"), Piece(_SEXES[plain_letters(match["sex"])], *match.span("sex"))


def _in_brackets(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "my wife (F31)" as "my wife (31 year old female)"; not "revenue (45M)"."""
    age, sex = ("age", "sex") if match["age"] else ("age_2", "sex_2")
    return keep_group(match, "before"), *_with_age(match, age, sex)


def _of_a_case(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "45M with cough" as "45 year old male with cough"; not "45M with no power"."""
    near = match.string[max(0, match.start() - NEAR) : match.end() + NEAR]
    is_case = match["sure"] or _CLINICAL.search(near)
    if not is_case or _OTHERS[match["sex"]].search(near):
        return ()
    return keep_group(match, "before"), *_with_age(match, "age", "sex"), keep_group(match, "after")


AGES = (
    Rule(_SHORT_AGE, _short_age, re.compile(r"\d[ -]?y(?:\.?o|/o|r)")),
    Rule(_SEX_AFTER_AGE, _sex_after_age, re.compile(r"old,? [mf]\b")),
    Rule(_FIELD, _field, re.compile(r"(?:sex|gender) ?[:=|]")),
    Rule(_IN_BRACKETS, _in_brackets, re.compile(r"[(\[] ?(?:\d{2,3} ?/?[mf]|[mf] ?/?\d\d)\b")),
    Rule(_OF_A_CASE, _of_a_case, re.compile(r"\b\d{2,3} ?[mf],? ")),
)
AGES_CUE = re.compile("|".join(rule.cue.pattern for rule in AGES if rule.cue))
"""Rules for texts in which `AGES_CUE` is found; before those of units and scales."""

# Lives

_YEAR = r"(?:1\d|20)\d\d"
_DATE, _LATER = (
    rf"(?:about )?(?:(?:{MONTH}|{SHORT_MONTH}) (?P<day{form}>\d{{1,2}}(?: ?,)? )?)?"
    rf"(?P<year{form}>{_YEAR})"
    for form in ("", "_2")
)
_WORKS = """
actor actress activist anthropologist archaeologist architect artist astronomer athlete author
ballerina banker biologist bishop botanist boxer businessman businesswoman chemist choreographer
clergyman comedian composer conductor cricketer critic cyclist dancer dentist designer diplomat
director dramatist economist editor educator engineer engraver entrepreneur explorer footballer
geographer geologist golfer guitarist historian illustrator industrialist inventor journalist judge
jurist lawyer lexicographer librarian linguist mathematician merchant microbiologist missionary
musician naturalist novelist nurse officer painter palaeontologist paleontologist pathologist
philanthropist philologist philosopher photographer physician physicist physiologist pianist pilot
playwright poet politician potter preacher priest printmaker producer professor psychiatrist
psychologist rabbi sailor scholar scientist screenwriter sculptor singer socialite sociologist
soldier songwriter soprano statesman statistician suffragette surgeon swimmer teacher theologian
translator violinist writer zoologist
"""
_WORK_AFTER = re.compile(
    rf",? (?:was|is) (?:an?|the) (?:[\w'’-]+,? (?:and )?){{0,6}}?(?:{'|'.join(_WORKS.split())})\b",
    re.IGNORECASE,
)
_LIFE = re.compile(
    rf"(?P<open>\( ?(?:[^()]{{1,60}}?[;,] )??)(?P<born>{_DATE})(?P<to> ?[–-] ?| to )"
    rf"(?P<died>{_LATER})(?P<close> ?\))",
    re.IGNORECASE,
)
_NAME_BEFORE = re.compile(
    r"(?<![\w.'’-])(?P<name>(?:[A-Z][\w.'’-]* (?:(?:d[aei]|del|der|la|van|von|bin|ibn) )*){0,4}"
    r"[A-Z][\w.'’-]*)(?:, [A-Z]+)? ?$"
)
_IN_SMALL = re.compile(r"(?P<name>[a-z.'’-]+(?: [a-z.'’-]+){0,3}) ?")
_NO_PERSON = lexicon.word_set("""
the king queen emperor empress pope sultan tsar shah caliph president minister chancellor reign
academy agency airlines airport airways army association band bank battle bridge brigade brothers
building bureau castle church city club college committee company conference confederation congress
corporation council court district dynasty empire era factory federation festival group hall
hospital hotel house institute kingdom land league magazine ministry movement museum nations
network office opera orchestra organisation organization palace park party period pier project
province radio railroad railway records regiment region republic revolution school service society
squadron stadium state states station street studio studios team television theatre theater tower
trial trials union university war works world
""")
"""Words of names that are no person's, or of one who reigns or serves in the years."""
_NUMERAL = re.compile(r"[IVX]+$")
LEAST_YEARS, MOST_YEARS = 20, 115
"""Of a life, where nothing but a name tells that the years are one's."""


def _life(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "Mary Hale (May 12 1911 - June 3 1990)" with "born on May 12 1911 and died on June 3 1990";
    years without a day only of who "was a painter"."""
    years = int(match["year_2"]) - int(match["year"])
    has_work = _WORK_AFTER.match(match.string, match.end()) is not None
    before = match.string[max(0, match.start() - 80) : match.start()]
    if not 0 < years <= MOST_YEARS or not _names_person(before, has_work=has_work):
        return ()
    if not has_work and (years < LEAST_YEARS or not (match["day"] or match["day_2"])):
        return ()
    first, last = ("on" if match[name] else "in" for name in ("day", "day_2"))
    return (
        keep_group(match, "open"),
        Piece(f"born {first} {match['born']}", *match.span("born")),
        Piece(" and ", *match.span("to")),
        Piece(f"died {last} {match['died']}", *match.span("died")),
        keep_group(match, "close"),
    )


def _names_person(before: str, *, has_work: bool) -> bool:
    """Whether a text ends in what may be a person's name: of one word if that has a work."""
    is_small = before.islower()
    match = _IN_SMALL.fullmatch(before) if is_small else _NAME_BEFORE.search(before)
    if match is None:
        return False
    found = match["name"].split()
    others = _NO_PERSON | lexicon.STOP_WORDS if is_small else _NO_PERSON
    is_other = any(_NUMERAL.match(word) or word.lower() in others for word in found)
    return not is_other and (has_work or len(found) > 1)


LIVES = (Rule(_LIFE, _life, re.compile(rf"{_YEAR} ?(?:[–-]|to\b)")),)
"""Rules for texts with digits; after those of `dates.py`."""
