"""Whether a text can be read by what knows English only: is it in another language, or is it code
or a table of numbers?

By rule, from scripts and function words, and only where that is sure: a name, a headline, a
quotation or a word or two are taken for English. No model is loaded. Figures: docs/support.md.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

from faithkit.language.words import STOP_WORDS
from faithkit.records import Outcome

FOREIGN_SCRIPT = 0.6
"""Share of the letters that are of no Latin alphabet, from which a text is in another language."""

FOREIGN_WORDS = 0.1
"""Share of the words that are function words of one other language and none of English, from which
a text is in it; if they are more than twice as many as the function words of English alone."""

FOREIGN_LETTERS = 0.2
"""Share of the words in small letters with a letter beyond "z", from which a text of five words or
more with hardly an English function word is in another language. (A capital may make it a name.)"""

_COMMON = """
Afrikaans: die het en van is nie dat sy vir aan met hulle wat ook maar deur sal kan gaan was word
haar ons jy ek;
Catalan: el la els les de del dels i a en amb per que un una no és va han ser més però com aquest
aquesta seva seu;
Croatian: je su da se na u i za od će bi nije koji koja koje kako ali ili sa po iz što biti bio
jer samo također;
Czech: je v se o s k ve ke na že do za by od ale jako které který která jsou bude byl byla bylo
jsem aby pro při také nebo mezi podle kvůli protože již;
Danish: og det er en at den på i til af med for ikke der som har var de et fra men vil om sig han
kan efter blev hun eller ved være fordi;
Dutch: de het een en van is dat te in op zijn voor met niet aan er om ook als maar bij nog naar
uit door over ze hij wordt werd heeft worden hebben omdat gaat weer dicht;
Estonian: ja on ei et see oli ta kui ka mis oma aga või siis kes seda ning pole nad olid tema mida
selle kuid;
Finnish: ja on ei että se oli hän mutta myös ovat kun joka jotka mitä niin kuin tai olla sen sekä
ollut vuoksi koska mukaan vain jo heidän;
French: a le la les de des du un une et est à en que qui dans pour par pas sur au aux plus ne se ce
il elle sont avec son sa ses ont été mais nous vous cette leur être fait ou où deux comme;
German: der die das und ist nicht ein eine einen einem einer zu den dem des von mit auf für im
sich es auch als an sind wird werden aus bei nach hat haben dass er sie wie oder um noch nur vom
zum zur über war wurde am im so man beim;
Hungarian: a az és hogy nem is egy van volt meg de ez csak már mint vagy el lesz még azt ki kell
miatt mert szerint után fel újra;
Indonesian: yang dan di ini itu dengan untuk dari pada tidak akan dalam adalah ke oleh karena ada
mereka juga sudah telah bahwa saya bisa selama hari;
Irish: agus an na is ar ag go a le do ní bhí tá i sé sí nach seo sin leis chun mar bhfuil ina
nuair gur;
Italian: il la le i gli lo di del della dei delle che e è un una in per non con si da al alla sono
ha hanno più ma come anche dal dalla nel nella questo questa su sul sulla ed o era essere perché
resterà;
Latvian: un ir ka no ar par uz kas bet tas nav to arī lai pēc kā vai bija tika viņš šo jau;
Lithuanian: ir yra kad ne su į tai iš bet kaip buvo jau dėl ar nuo jis bus per po apie kuris;
Norwegian: og det er en at den på i til av med for ikke som har var de et fra men vil om seg han
kan etter ble hun eller ved være fordi igjen;
Polish: i w na z się nie że do to jest o od po za jak ale są przez dla będzie był była było być ma
które który która ich jego oraz może tylko także lub we zostanie powodu bo;
Portuguese: o a os as de do da dos das e é que em um uma para com não por no na nos nas ao à se
mais como mas foi são ele ela tem ser seu sua pelo pela está vai muito também já ou quando;
Romanian: și de la în a cu pe că nu este o un din care pentru au mai fi sunt se va vor sau dar
prin ce după lui ei fost al ale le luni;
Slovak: je sa na že do za by od ale ako ktoré ktorý ktorá sú bude bol bola bolo som aby pre pri
tiež alebo medzi podľa pretože už;
Spanish: el la los las de del y en que es un una para por con no se su al lo como más pero sus le
ha está este esta son fue ser han muy ya o sin sobre también porque entre hay cuando;
Swahili: na ya wa kwa ni katika la za kuwa hii hiyo ambayo kama au cha lakini yake wake wao pia
hivyo baada sana si huo;
Swedish: och det är en att den på i till av med för inte som har var de ett från men vill om sig
han kan efter hon eller vid vara eftersom ska igen grund;
Tagalog: ang ng sa mga na at ay si ni ito hindi para may kay nila siya kung din rin mula upang
sila dahil niya;
Turkish: ve bir bu da de için ile olarak çok daha gibi ama olan sonra kadar ne değil var olduğunu
göre ya en yeni günü olduğu tarafından nedeniyle yeniden;
Vietnamese: và của là có được không trong cho với các một những đã này người khi để đến từ sẽ vào
cũng như thì ở ra về tại trên lại vì rằng;
Welsh: y yr yn a i o ar mae wedi ei eu am bod ac gan gyda ond hefyd fod bydd oedd yw ni at hyn
sydd cael mewn fel sy byddai roedd;
"""
_FUNCTION_WORDS = {
    name.strip(): frozenset(known.split())
    for name, _, known in (entry.partition(":") for entry in _COMMON.split(";") if entry.strip())
}
"""The commonest words of languages in Latin letters."""

_NAMES = "von van der den de del della di da du la le el al dos das des les los las un san y e "
_PARTICLES = frozenset(_NAMES.split())
"""Words of names; two of them alone say nothing."""

_MORE = (
    "us will one two say also like get go make know new year years people first last told man "
    "woman i'm don't it's "
)
_ENGLISH = STOP_WORDS | frozenset(_MORE.split())
_LETTER = re.compile(r"[^\W\d_]")
_LATIN = re.compile("[A-Za-z\u00aa-\u024f\u0250-\u02af\u1e00-\u1eff\ufb00-\ufb06\uff21-\uff5a]")
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")


@lru_cache(maxsize=512)
def unsupported(text: str) -> Outcome | None:
    """`unsupported_language` or `unsupported_text` where the text is surely none that English
    models can read, else None."""
    if _is_foreign(text):
        return Outcome.UNSUPPORTED_LANGUAGE
    return Outcome.UNSUPPORTED_TEXT if _is_code(text) or _is_table(text) else None


def _is_foreign(text: str) -> bool:
    letters = len(_LETTER.findall(text))
    if letters and 1 - len(_LATIN.findall(text)) / letters > FOREIGN_SCRIPT:
        return True
    given = _WORD.findall(text)
    words = Counter(word.lower() for word in given)
    total = len(given)
    hits: Counter[str] = Counter()
    for word, count in words.items():
        for language in _LANGUAGES.get(word, ()):
            hits[language] += count
    for language, count in hits.most_common(2):
        known = _FUNCTION_WORDS[language]
        english = sum(words[word] for word in words.keys() & _ENGLISH - known)
        foreign = words.keys() & known - _ENGLISH
        sure = len(foreign) > 1 and foreign - _PARTICLES
        if sure and count > 2 * english and count >= FOREIGN_WORDS * total:
            return True
    marked = {word for word in given if word[0].islower() and not word.isascii()}
    share = sum(words[word] for word in marked) / max(total, 5)
    english = sum(words[word] for word in words.keys() & _ENGLISH)
    return len(marked) > 1 and share >= FOREIGN_LETTERS and english <= 0.07 * total


def _languages() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for language, known in _FUNCTION_WORDS.items():
        for word in known - _ENGLISH:
            found.setdefault(word, []).append(language)
    return found


_LANGUAGES = _languages()
"""A word's languages but English."""


_LINE_OF_CODE = re.compile(
    r"""[ \t]*(?: .*[;{}] | [)\]}]+[,;]? | </?\w+[^<>]*>.* | //.* | @\w+.* | return\b.*
    | (?:def|class|if|elif|else|for|while|try|except|with|import|from|function|const|let|var|public
        |private|static|func|fn|package|[#]include)\b.*(?:[:;({]|import[ ].*|\))
    | [\w.\[\]"']+[ ]?(?:[-+*/|]?=|:=)[ ]?\S.* | [\w.]+\(.*\) )[ \t]*$""",
    re.VERBOSE,
)


def _is_code(text: str) -> bool:
    """Whether of five lines or more that are not blank three in four look like code."""
    lines = [line for line in text.splitlines() if line.strip()]
    code = sum(_LINE_OF_CODE.match(line) is not None for line in lines)
    return len(lines) >= 5 and code >= 0.75 * len(lines)


def _is_table(text: str) -> bool:
    """Whether of twenty cells (words or numbers) or more four in five are numbers."""
    cells = re.findall(r"[^\s,;|]+", text)
    numbers = sum(cell[0] in "+-.$£€0123456789" and not _LETTER.search(cell) for cell in cells)
    return len(cells) >= 20 and numbers >= 0.8 * len(cells)
