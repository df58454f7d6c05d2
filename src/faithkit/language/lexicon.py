"""The word lists of the package: English words by what they do in a sentence, names of times and
units, and what is common in other languages.

Only data lives here. What is exchanged for what in a rewritten sentence is in
`rewrites/lexicon.py`; months and weekdays are in `calendar_words.py`, forms of verbs in
`inflection.py`, synonyms in `thesaurus.py`.
Words are in lower case unless their capital matters.
"""

from __future__ import annotations

from faithkit.language.calendar_words import MONTHS, WEEKDAYS


def word_set(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


def _listed(text: str) -> list[str]:
    return text.split()


# --- function words and verbs that mean little ---------------------------------------------------

STOP_WORDS = word_set("""
a about after again against all also am an and any are as at be because been before being
between both but by can could did do does doing down during each for from further had has have
having he her here hers him his how i if in into is it its itself just may me might more most
must my no nor not now of off on once only or other our out over own s said same says she should
so some such t than that the their them then there these they this those through to too under
until up upon very was we were what when where which while who whom why will with would you your
""")
"""Function words, which are no content of a sentence."""

NEGATIONS = word_set("no not nor never neither none cannot without")
MODAL_VERBS = word_set("can could may might must shall should will would")
NEGATIONS_AND_MODALS = NEGATIONS | MODAL_VERBS
"""Function words that can be wrong by themselves."""

ARTICLES = word_set("a an the")
COORDINATORS = word_set("and but or nor")
CONJUNCTIONS = COORDINATORS | word_set("so that")
HALVES_OF_DAY = word_set("am pm a.m p.m")
"""After a time they can be wrong by themselves."""

ACRONYMS = word_set("it who")
"""Function words that are names in capitals (information technology, World Health Organization)."""

NAMES_IN_S = word_set("andreas carlos elias jonas lucas lukas marcos matias nicolas tobias")
"""First names that without their "s" are others', "Carlo"."""
SURNAMES = word_set("more will down can so")
"""Function words that are names after a first name ("Thomas More")."""

BEFORE_TIMES = word_set("""
after before between by during early following for from in last late mid next of on past since this
through till to until
""")
"""Words that a month may follow."""

PREPOSITIONS = word_set("""
about above across after against along among around at before behind below beneath beside between
beyond by despite down during except for from in inside into near of off on onto out outside over
past per since through throughout till to toward towards under until up upon via with within
without
""")

TEXTS = word_set("""
document article text passage source story report summary account piece transcript original author
writer statement information
""")
"""What a text, or a part of one, is called by those who talk about it."""

META_TEXT_WORDS = TEXTS | word_set("""
news claim fact detail content point topic question answer word every
discuss describe mention say state tell note reveal provide contain cover explain present confirm
support entail contradict verify follow mean
accurate true faithful factual factually faithfully fully consistent consistently correct likely
""")
"""What talk about a text, or about how well it is summarised, is made of. A sentence that names a
text and has no other content states nothing of what the text is about, unless the source tells of
such a text."""

PRONOUNS = word_set("""
i me my mine myself you your yours yourself he him his himself she her hers herself it its
itself we us our ours ourselves they them their theirs themselves this that these those who whom
whose which
""")
"""Pronouns that can refer to something named, possessive and relative ones too."""

LIGHT_VERBS = word_set("""
be become bring come do get give go have hold keep let make put run set take turn
""")
"""Verbs that mean little alone ("take part", "give way"), so that a sense shared with one says
little."""

CONTROL_VERBS = word_set("""
tell ask order urge force allow persuade advise encourage invite warn beg instruct enable help
want expect let make cause lead request require teach remind convince permit command
""")
"""Verbs whose object does what follows: "told him to leave". With others ("used a key to leave")
the subject does."""

HEDGES = word_set("""
almost nearly hardly barely scarcely rarely seldom allegedly reportedly apparently possibly
probably perhaps maybe supposedly
""")
"""Adverbs that change whether a thing happened, as a negation does."""

OPEN_WORDS = word_set("""
a an the and or but nor of to for with from by at as than that which who whose my your our their
if because while whether is are was were be been has have had will would can could should may
might must not no into onto very de von van al el la le mr mrs ms dr since during between
against until where when including such both either per via near about like under through
towards among
""")
"""Words that hardly end a sentence or a heading."""

# --- adverbs, prepositions and conjunctions by the question that they answer ---------------------

TIME_ADVERBS = word_set("""
today tomorrow yesterday tonight now then soon later recently already ago once earlier
afterwards before early late currently previously lately still yet again always never often
sometimes when eventually finally immediately
""")
TIME_PREPOSITIONS = word_set("after before during since until till")

TIME_CONJUNCTIONS = word_set("when while whilst after before until till once whenever")
PLACE_ADVERBS = word_set("""
here there home abroad away back outside inside nearby upstairs downstairs overseas elsewhere
everywhere nowhere north south east west where online
""")
PLACE_PREPOSITIONS = word_set("""
in at near inside outside behind beside across along around between above below under through
towards toward into onto among beyond
""")
AMBIGUOUS_PLACE_PREPOSITIONS = word_set("on from to over off within")
"""They lead to a place only where a name or a word for a place follows."""

REASON_PREPOSITIONS = word_set("because due owing thanks")
REASON_CONJUNCTIONS = word_set("because since as so")

MANNER_PREPOSITIONS = word_set("by with without via using like as despite")
MANNER_ADVERBS = word_set("well fast hard together alone badly thus")
"""Those without -ly."""

# --- times, places, numbers and units ------------------------------------------------------------

TIME_NOUNS = word_set("""
second minute hour day night morning afternoon evening midnight noon week weekend fortnight
month year decade century season spring summer autumn winter monday tuesday wednesday thursday
friday saturday sunday january february april june july august september october november
december christmas easter today tomorrow yesterday tonight time moment age era period date
quarter past future start end
""")
"""Without "march" and "may", which are verbs too."""

LONG_BOOKS = _listed("""
Genesis Exodus Leviticus Numbers Deuteronomy Joshua Judges Samuel Kings Chronicles Nehemiah Job
Psalm Psalms Proverbs Isaiah Jeremiah Ezekiel Hosea Zechariah Matthew Mark Luke John Acts Romans
Corinthians Hebrews Revelation Quran Surah Sura
""")
"""Books with chapters above twelve, whose verses look like times: "Exodus 20:13"."""

PLACE_NOUNS = word_set("""
street road city town village country county state district area region border coast sea ocean
island river lake bridge mountain park garden field house home hospital school university
college prison court church station airport shop store office building room hotel site scene
beach farm factory centre center market stadium club bank floor ground
""")
MONEY_NOUNS = word_set("$ £ € pound dollar euro cent penny")

SPELLED = _listed(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty"
)
"""Each number at its own index."""
TENS = _listed("twenty thirty forty fifty sixty seventy eighty ninety")
NUMBER_WORDS = {word: str(number) for number, word in enumerate(SPELLED)} | {
    word: str(10 * number) for number, word in enumerate(TENS, start=2)
}
"""Number words up to ninety, each with its digits."""
_FROM_THIRD = _listed(
    "third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
    "fifteenth sixteenth seventeenth eighteenth nineteenth"
)
_TENTHS = {
    word: str(number)
    for number, word in zip(
        range(20, 100, 10),
        _listed("twentieth thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth"),
        strict=True,
    )
}
ORDINALS = {
    **{word: str(number) for number, word in enumerate(_FROM_THIRD, start=3)},
    **_TENTHS,
    **{
        f"{tenth.removesuffix('ieth')}y-{unit}": str(int(tens) + number)
        for tenth, tens in _TENTHS.items()
        for number, unit in enumerate(["first", "second", *_FROM_THIRD[:7]], start=1)
    },
    "hundredth": "100",
}
"""Without "first" and "second", which seldom count."""
CENTURIES = _listed("seventeen eighteen nineteen twenty")
"""The words that begin a year in words: "nineteen eighty-four"."""
DECADES = {
    word: str(10 * number)
    for number, word in enumerate(
        _listed("twenties thirties forties fifties sixties seventies eighties nineties"), start=2
    )
}
FRACTIONS = {
    2: ("half", "halves"), 3: ("a third", "thirds"), 4: ("a quarter", "quarters"),
    5: ("a fifth", "fifths"), 6: ("a sixth", "sixths"), 7: ("a seventh", "sevenths"),
    8: ("an eighth", "eighths"), 9: ("a ninth", "ninths"), 10: ("a tenth", "tenths"),
}  # fmt: skip
"""Denominators, each with the names of one such part and of several."""
FRACTION_SIGNS = {"½": (1, 2), "⅓": (1, 3), "⅔": (2, 3), "¼": (1, 4), "¾": (3, 4), "⅕": (1, 5),
                  "⅛": (1, 8)}  # fmt: skip
SCALES = {"thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12,
          "quadrillion": 10**15, "lakh": 10**5, "lakhs": 10**5, "crore": 10**7, "crores": 10**7,
          "lakh crore": 10**12, "lakh crores": 10**12}  # fmt: skip
SHORT_SCALES = {"k": 1000, "m": 10**6, "mn": 10**6, "mln": 10**6, "mm": 10**6, "mil": 10**6,
                "mio": 10**6, "bn": 10**9, "b": 10**9, "bln": 10**9, "bil": 10**9, "mrd": 10**9,
                "tn": 10**12, "tril": 10**12, "cr": 10**7, "grand": 1000}  # fmt: skip
"""Of these "m", "mm", "mil", "b", "bil", "tril", "cr" and "grand" are scales of money alone."""
CURRENCIES = {"$": "dollars", "£": "pounds", "€": "euros", "¥": "yen", "₹": "rupees"}
DOLLARS = {"us": "", "a": "Australian ", "au": "Australian ", "c": "Canadian ", "ca": "Canadian ",
           "nz": "New Zealand ", "hk": "Hong Kong ", "s": "Singapore ",
           "usa": "American "}  # fmt: skip
"""What stands before a dollar sign, and the adjective of that dollar."""
CURRENCY_CODES = {"usd": "dollars", "gbp": "pounds", "eur": "euros", "jpy": "yen", "inr": "rupees",
                  "aud": "Australian dollars", "cad": "Canadian dollars", "chf": "Swiss francs",
                  "sgd": "Singapore dollars", "hkd": "Hong Kong dollars",
                  "nzd": "New Zealand dollars", "cny": "yuan", "rmb": "yuan",
                  "sek": "Swedish kronor", "nok": "Norwegian kroner",
                  "dkk": "Danish kroner", "pln": "zloty"}  # fmt: skip
"""Before or after an amount: "EUR 5", "5 EUR"."""
BEFORE_AMOUNTS = {"rs": "rupees"}
"""Short names of currencies that stand before an amount alone: "Rs. 5"."""
DIMENSIONS = _listed("tall high long wide deep thick away apart")
"""Words before which "m" is a metre: "3m tall"."""
RACES = _listed("run race walk runner runners course event fun charity road swim")
"""Words before which "k" is a kilometre: "a 10k run"."""

HYPHENATED_UNITS = _listed("year month week day hour minute mile metre foot man point storey bed")
"""Nouns that a number is joined with by a hyphen: "a three-year plan"."""
COUNTED_NOUNS = _listed(
    "people users customers viewers copies tonnes households homes jobs votes shares years barrels "
    "followers subscribers visitors employees workers residents passengers listeners readers "
    "voters accounts documents parameters records rows tokens downloads views requests messages "
    "queries transactions emails passwords hectares acres"
)
"""Nouns before which "m" is a million, "5m people", "b" a billion and " k" a thousand."""

# --- headings -------------------------------------------------------------------------------------

PLAIN_HEADINGS = word_set("""
summary summaries overview introduction background context conclusion conclusions recap abstract
synopsis outline agenda contents highlights takeaway takeaways points findings facts insights
details notes minutes appendix references sources discussion description information results report
update updates news article document text story tldr brief glance review terms agreement policy
guide manual changelog matters means happened know watch decisions decided tips advice
""")
"""Last words of a heading that only says what sort of text follows it."""

# --- signs ----------------------------------------------------------------------------------------

CHECK_MARKS = {**dict.fromkeys("✓✔✅☑", "(yes)"), **dict.fromkeys("✗✘❌🚫☐", "(no)")}
"""A crossed box, "☒", may be either."""
UP_DOWN = {**dict.fromkeys("▲⬆↑📈🔺🔼", "up"), **dict.fromkeys("▼⬇↓📉🔻🔽", "down")}
"""Beside a number."""
PICTURES = {"👍": "thumbs up", "👎": "thumbs down", "🟢": "green", "🟡": "yellow", "🟠": "orange",
            "🔴": "red"}  # fmt: skip
"""Pictures that may be used as words."""
MARKERS = _listed(
    "ER PR HER2 HIV HBV HCV HBsAg HPV EBV CMV EGFR ALK ROS1 BRAF KRAS PD-L1 ANA CCP JAK2 MRSA Rh "
    "COVID IgM IgG PCR ANCA VDRL AFB"
)
"""What a test for is positive ("HER2+") or negative, beside the numbered ones ("CD4+")."""

FALLS = word_set("""
cool cut decline decrease dip drop fall plummet plunge reduce sink slide slip slump tumble
""")
"""Words that say how far something fell, "fell 5%", or to what, "fell to 5%"."""
BELOW_ZERO = FALLS | word_set("""
absolute ago bc before behind below contract contraction debit debt decelerate deficit deteriorate
discount down earlier ebb erode freeze frost improve improvement inverse inversely lag less lessen
lose loss lower magnitude myopia narrow negative negatively outflow outlay overdraft overdrawn
owe prior recede reduction retreat save saving shed short shortfall shrink shrinkage size slow south
subtract subzero trail under underperform weaken west withdraw worse worsen
""")
"""Words by which a number without a sign may be meant as a negative one: "fell 5%"."""

ADVERSE = (
    FALLS
    | NEGATIONS
    | word_set("""
against avoid bad broke broken con cons costly danger delay delayed delays dirty don't down error
errors excluded exclusions expensive fail failed fails failure few fewer forbidden high higher
issue issues lack lacking lacks late less limited long loss losses lost low lower missing mistakes
myth myths negative negatives noisy poor poorly problem problems prohibited refused rejected
rising risk risks risky rose short slow slower uncertain unclear unreliable weak weaker weakness
weaknesses worse worst wrong
""")
)
"""Words beside which a cross says once more that something is bad or not so: "❌ Weak margins"."""

FINITE = MODAL_VERBS | word_set(
    "is are was were has have had do does did isn't aren't wasn't weren't"
)
"""Verbs that make a statement of the words around them."""

# --- abbreviations, contractions and clause boundaries -------------------------------------------

ABBREVIATIONS = _listed(
    "mr mrs ms messrs dr prof rev hon gen col lt sgt capt sen rep gov atty mt vs cf est opp approx "
    "e.g i.e viz brig pte govt asst"
)
"""Words after which a point never ends a sentence, nor does it after a single letter."""
CLOSING_ABBREVIATIONS = _listed(
    "etc jr sr inc ltd co corp bros assn assoc dept univ st ave blvd ph.d "
    "jan feb mar apr jun jul aug sep sept oct nov dec"
)
"""After these, after "al", and after letters with points ("U.S.") it ends one only before
SENTENCE_STARTERS."""
NAME_ABBREVIATIONS = _listed("Pres Sec Maj Cpl Adm Cmdr Supt Insp Det Tab Cap Inj Syr Pt Ald")
"""After these it ends one except before a name."""
NUMBER_ABBREVIATIONS = _listed(
    "no nos fig figs sec secs sect art arts vol vols p pp ch chap eq eqs op para paras "
    "subpara subsec reg regs sched ann pat app ref refs"
)
"""After these it ends one except before a number."""
SMALL_ABBREVIATIONS = _listed(
    "max min incl excl bil mio yr yrs adj exch suppl misc pt pts hx inj tab syr temp resp abd vit "
    "staph strep sq ft mon tue tues wed thu thurs fri exc"
)
"""After these, in small letters or as names of days, it ends one except before a number or a small
letter."""
BEFORE_TAXES = _listed("incl excl exc")
"""Of these, words that "VAT" and others in capitals follow too."""
UNITS_WITH_POINT = _listed(
    "in yd oz lb lbs hr hrs mins sec secs cu tbsp tbs tsp tsps wk wks mo mos mth mths"
)
"""After these and a number it ends none before a small letter: "5 in. high"."""
CHAT_ABBREVIATIONS = _listed(
    "thx tks pls plz tbh brb btw np kk hmm hm mm gn rn ng lmk ffs tv dvd cd"
)
"""Words without a vowel after which a sentence may end; "Ng" is a name."""
HOUR_ABBREVIATIONS = _listed("a.m p.m")
AFTER_HOURS = frozenset(
    {*MONTHS, *WEEKDAYS, "Eastern", "Central", "Pacific", "Mountain", "Greenwich", "British"}
)
"""Words with a capital that go on with a sentence after "p.m."; so do short ones in capitals."""
CLOSING_DOSES = _listed("p.a b.d t.d.s b.i.d t.i.d q.i.d q.d.s o.d")
"""Dotted abbreviations after which a sentence ends before any capital."""
LETTERED = _listed(
    "party plan option grade type block group class category phase level series zone gate vitamin "
    "hepatitis influenza appendix annex exhibit schedule section clause paragraph article part "
    "stage team ward bay hall room unit degrees"
)
"""Nouns that a letter follows: "Party A", "hepatitis B"."""
UNIT_LETTERS = frozenset("VAWmlpgshKCF")
"""Units of one letter, after which and a number a sentence may end: "It runs at 230 V."""
SENTENCE_STARTERS = _listed(
    "the he she it they we his her its their our this that these those there but when if although "
    "however"
)
"""Words that have a capital after an abbreviation only where a sentence begins."""
CONTRACTED_NOT = {"ca": "can", "wo": "will", "sha": "shall"}
"""What is left of a verb before "n't", and the verb."""
CONTRACTED_VERBS = {"re": "are", "ve": "have", "ll": "will", "m": "am"}
CLAUSE_BREAKS = _listed(
    "who whom whose which that what when while where why how if unless whether because although "
    "though since but and or nor no not never nobody nothing none neither"
)
"""Words across which one negation does not cancel another."""

# --- markup ---------------------------------------------------------------------------------------

INLINE_TAGS = word_set("""
abbr acronym b bdi bdo big code del em font i ins kbd mark nobr s samp small span strike strong sub
summary sup title tt u var wbr
""")
BLOCK_TAGS = word_set("""
article aside blockquote body caption center dd details div dl dt fieldset figcaption figure footer
form h1 h2 h3 h4 h5 h6 head header hr html li main nav ol p pre section table tbody tfoot thead tr
ul
""")
TAGS_WITH_ATTRIBUTES = word_set("""
a button cite data iframe img input label link meta option picture q select source svg textarea time
""")
"""Tags whose names are as often placeholders ("Dear <label>"): these open only with attributes."""

BEFORE_MARKS = OPEN_WORDS | word_set("""
in on see cf ref refs reference references eq equation version step option range interval list
array vector set tuple scale value values output input return returns index
""")
"""Words before "[1]" where that is no citation but what they name ("see [1]", "the range [1]")."""

COMMANDS = word_set("""
sudo docker docker-compose kubectl helm npm npx yarn pip pip3 python python3 git apt apt-get brew
curl wget ssh scp chmod mkdir cd rm cp mv tar systemctl terraform
""")
"""Programs that a line of a shell script calls."""

# --- other languages -----------------------------------------------------------------------------

_FUNCTION_WORDS = """
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
FUNCTION_WORDS = {
    name.strip(): word_set(listed)
    for name, _, listed in (entry.partition(":") for entry in _FUNCTION_WORDS.split(";"))
    if name.strip()
}
"""The commonest words of languages in Latin letters."""

NAME_PARTICLES = word_set("""
von van der den de del della di da du la le el al dos das des les los las un san y e
""")
"""Words of names, which say nothing of a text's language."""

NO_KEYWORDS = word_set("""
of the was were are been his her him he she they them their we you your our us me but would should
could will had has have who whom than there these those because which what about after before
""")
"""English function words that hardly any code has as a keyword or as the name of a variable."""

COMMON_ENGLISH = word_set("""
us will one two say also like get go make know new year years people first last told man woman
i'm don't it's
""")
"""Common English words that are no stop words."""
