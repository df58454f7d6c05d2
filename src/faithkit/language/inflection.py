"""English verbs: their irregular forms, how to inflect one, and which verb a form belongs to."""

from __future__ import annotations

import re

_IRREGULAR_VERBS = """
be was been;become became become;begin began begun;bend bent bent;bet bet bet;bind bound bound;
bite bit bitten;bleed bled bled;blow blew blown;break broke broken;breed bred bred;
bring brought brought;broadcast broadcast broadcast;build built built;burst burst burst;
buy bought bought;cast cast cast;catch caught caught;choose chose chosen;cling clung clung;
come came come;cost cost cost;creep crept crept;cut cut cut;deal dealt dealt;dig dug dug;
do did done;draw drew drawn;drink drank drunk;drive drove driven;eat ate eaten;fall fell fallen;
feed fed fed;feel felt felt;fight fought fought;find found found;flee fled fled;fly flew flown;
forbid forbade forbidden;forecast forecast forecast;forget forgot forgotten;
forgive forgave forgiven;freeze froze frozen;get got got;give gave given;go went gone;
grind ground ground;grow grew grown;hang hung hung;have had had;hear heard heard;hide hid hidden;
hit hit hit;hold held held;hurt hurt hurt;keep kept kept;kneel knelt knelt;know knew known;
lay laid laid;lead led led;leave left left;lend lent lent;let let let;lie lay lain;light lit lit;
lose lost lost;make made made;mean meant meant;meet met met;overcome overcame overcome;
overtake overtook overtaken;overthrow overthrew overthrown;pay paid paid;put put put;
quit quit quit;read read read;rebuild rebuilt rebuilt;ride rode ridden;ring rang rung;
rise rose risen;run ran run;say said said;see saw seen;seek sought sought;sell sold sold;
send sent sent;set set set;shake shook shaken;shed shed shed;shine shone shone;shoot shot shot;
shrink shrank shrunk;shut shut shut;sing sang sung;sink sank sunk;sit sat sat;sleep slept slept;
slide slid slid;speak spoke spoken;spend spent spent;spin spun spun;split split split;
spread spread spread;spring sprang sprung;stand stood stood;steal stole stolen;stick stuck stuck;
sting stung stung;strike struck struck;strive strove striven;swear swore sworn;sweep swept swept;
swim swam swum;swing swung swung;take took taken;teach taught taught;tear tore torn;
tell told told;think thought thought;throw threw thrown;undergo underwent undergone;
understand understood understood;undertake undertook undertaken;uphold upheld upheld;
wake woke woken;wear wore worn;weep wept wept;win won won;wind wound wound;
withdraw withdrew withdrawn;withhold withheld withheld;withstand withstood withstood;
write wrote written
"""
_IRREGULAR_FORMS = {
    lemma: (past, participle)
    for lemma, past, participle in (entry.split() for entry in _IRREGULAR_VERBS.split(";"))
}
_DOUBLED_VERBS = """
admit permit commit submit omit refer prefer occur regret control transfer deter compel expel rebel
travel cancel model fuel signal label equal level
"""
_DOUBLED = frozenset(_DOUBLED_VERBS.split())
_LEMMAS = {
    form: lemma
    for lemma, forms in _IRREGULAR_FORMS.items()
    for form in forms
    if form not in _IRREGULAR_FORMS
} | {"am": "be", "is": "be", "are": "be", "were": "be", "has": "have", "does": "do"}


def inflect(lemma: str, tag: str) -> str:
    """The form of a verb for a Penn tag: "stopped" for ("stop", "VBD")."""
    if tag == "VBZ":
        return _third_person(lemma)
    if tag == "VBG":
        return _add_ending(lemma, "ing")
    if tag in ("VBD", "VBN"):
        irregular = _IRREGULAR_FORMS.get(lemma)
        return irregular[tag == "VBN"] if irregular else _add_ending(lemma, "ed")
    return lemma


def participle(past: str, lemma: str) -> str | None:
    """The past participle of a verb by its simple past; None if unsure."""
    irregular = _IRREGULAR_FORMS.get(lemma)
    if irregular:
        return irregular[1] if irregular[0] == past else None
    return past if past.endswith("ed") and past == _add_ending(lemma, "ed") else None


def past(form: str, lemma: str) -> str | None:
    """The simple past of a verb by its past participle; None if unsure."""
    irregular = _IRREGULAR_FORMS.get(lemma)
    if irregular:
        return irregular[0] if irregular[1] == form else None
    return form if form.endswith("ed") and form == _add_ending(lemma, "ed") else None


def verb_of(word: str) -> str:
    """The verb that an irregular form belongs to, "went" to "go"; any other word as it is, and a
    form that is a verb itself ("found", "lay") too. `word` in lower case."""
    return _LEMMAS.get(word, word)


def _third_person(lemma: str) -> str:
    if lemma in ("be", "have"):
        return {"be": "is", "have": "has"}[lemma]
    if re.search(r"[^aeiou]y$", lemma):
        return lemma[:-1] + "ies"
    return lemma + ("es" if re.search(r"(s|x|z|ch|sh|[^aeiou]o|go)$", lemma) else "s")


def _add_ending(lemma: str, ending: str) -> str:
    if ending == "ing" and lemma.endswith("ie"):
        return lemma[:-2] + "ying"
    if lemma.endswith("e") and not (ending == "ing" and lemma.endswith(("ee", "oe", "ye"))):
        return lemma[:-1] + ending
    if ending == "ed" and re.search(r"[^aeiou]y$", lemma):
        return lemma[:-1] + "ied"
    is_short = re.fullmatch(r"[^aeiou]*[aeiou][bdgklmnprt]", lemma) is not None
    return (lemma + lemma[-1] if is_short or lemma in _DOUBLED else lemma) + ending


def uninflected(word: str) -> str:
    """What the inflected forms of a word have in common ("planned", "plans", "plan": "plan", while
    "planner" stays); it need not be a word ("house": "hous"). `word` in lower case."""
    base = verb_of(word)
    while (shorter := _ENDING.sub("", base)) != base and _VOWEL.search(shorter):
        base = shorter
    base = base.rstrip("eiy")
    return base[:-1] if base[-2:-1] == base[-1:] else base


_ENDING = re.compile(r"(?:(?<=ie)[sd]|(?<![siu])s|ing|ed)$")
_VOWEL = re.compile("[aeiou]")
