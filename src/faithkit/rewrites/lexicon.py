"""Word tables for the makers of changed sentences.

Only data and look-ups: what a word may be exchanged for. Plain lists, such as the names of units,
are in `language/lexicon.py`.
"""

from __future__ import annotations

import re

from faithkit.language.lexicon import word_set


def plural(noun: str) -> str:
    irregular = {"man": "men", "woman": "women", "child": "children", "wife": "wives"}
    if noun in irregular or noun.endswith("loss"):
        return irregular.get(noun, noun + "es")
    if re.search(r"[^aeiou]y$", noun):
        return noun[:-1] + "ies"
    return noun + ("es" if re.search(r"(s|x|z|ch|sh)$", noun) else "s")


def _pairs(text: str) -> dict[str, list[str]]:
    """ "a/b" reads both ways, "a>b" one way only."""
    pairs: dict[str, list[str]] = {}
    for item in text.split():
        first, second = re.split("[/>]", item)
        pairs.setdefault(first, []).append(second)
        if "/" in item:
            pairs.setdefault(second, []).append(first)
    return pairs


VERBS = _pairs("""
rise/fall increase/decrease win/lose support/oppose accept/reject approve/reject allow>forbid
permit/forbid confirm/deny admit/deny acknowledge/deny praise/criticise love/hate like/dislike
buy/sell open/close start/stop begin/end arrive/depart enter/leave join/leave raise/lower
strengthen/weaken expand/shrink improve/worsen succeed/fail attack/defend build/destroy
create/destroy include/exclude encourage/discourage remember/forget appear/disappear
advance/retreat ascend/descend import/export arrest/release acquit/convict free/jail
push/pull trust/distrust obey/disobey connect/disconnect lock/unlock load/unload
overestimate/underestimate accelerate/slow lengthen/shorten widen/narrow welcome/condemn
back/oppose prove/disprove promote/relegate ease/worsen relax/tighten soar/plummet climb/drop
surge/slump grow/shrink extend/shorten boost/hamper help/hinder protect/endanger follow/precede
attract/repel reveal/conceal upgrade/downgrade double/halve install/remove add/remove
uphold/overturn legalise/outlaw lift/impose unite/divide simplify/complicate clarify/confuse
inflate/deflate loosen/tighten overstate/understate maximise/minimise agree/disagree
qualify/disqualify lend/borrow reassure/alarm enhance/diminish recruit/dismiss appoint/dismiss
reduce/increase plunge/soar cut>increase ban>allow refuse>agree gain/lose inherit/bequeath
abandon/continue decline>rise recover/deteriorate
celebrate/mourn invade/liberate endorse/denounce nationalise/privatise overrule/uphold
""")
NOUNS = _pairs("""
increase/decrease rise/fall growth/decline success/failure victory/defeat profit/loss
winner/loser support/opposition approval/rejection strength/weakness advantage/disadvantage
majority/minority friend/enemy ally/enemy buyer/seller man/woman boy/girl son/daughter
father/mother brother/sister husband/wife uncle/aunt king/queen summer/winter morning/evening
import/export arrival/departure birth/death surplus/deficit presence/absence employer/employee
supporter/opponent expansion/contraction improvement/deterioration reward/punishment
poverty/wealth hero/villain amateur/professional benefit/drawback acceptance/refusal
optimism/pessimism guilt/innocence supply/demand minimum/maximum beginning/end win/defeat
boyfriend/girlfriend grandfather/grandmother nephew/niece actor/actress north/south east/west
advance/retreat attack/defence entrance/exit peace/war creditor/debtor ceiling/floor
""")
ADJECTIVES = _pairs("""
high/low higher/lower highest/lowest big/small bigger/smaller biggest/smallest large/small
larger/smaller largest/smallest long/short longer/shorter longest/shortest old/new older/younger
oldest/youngest good/bad better/worse best/worst strong/weak stronger/weaker strongest/weakest
fast/slow faster/slower fastest/slowest early/late earlier/later hot/cold warm/cool dry/wet
heavy/light heavier/lighter rich/poor richer/poorer safe/dangerous safer>riskier easy/difficult
easier/harder happy/unhappy legal/illegal likely/unlikely able/unable possible/impossible
true/false guilty/innocent public/private open/closed full/empty major/minor positive/negative
male/female northern/southern eastern/western domestic/foreign urban/rural temporary/permanent
successful/unsuccessful popular/unpopular common/rare cheap/expensive cheaper>costlier alive/dead
modern/ancient optimistic/pessimistic present/absent necessary/unnecessary clear/unclear
certain/uncertain aware/unaware familiar/unfamiliar fair/unfair stable/unstable usual/unusual
important/unimportant effective/ineffective complete/incomplete correct/incorrect
accurate/inaccurate direct/indirect formal/informal visible/invisible significant/insignificant
sufficient/insufficient adequate/inadequate voluntary/compulsory deep/shallow wide/narrow
thick/thin upper/lower inner/outer internal/external initial/final former/current senior/junior
friendly/hostile peaceful/violent generous/mean honest/dishonest loyal/disloyal polite/rude
quiet/noisy proud/ashamed clean/dirty tight/loose broad/narrow mild/severe
serious>minor simple/complex rising/falling growing/shrinking increasing/decreasing
encouraging/discouraging satisfied/dissatisfied reasonable/unreasonable acceptable/unacceptable
predictable/unpredictable reliable/unreliable welcome/unwelcome willing/unwilling
qualified/unqualified identified/unidentified armed/unarmed authorised/unauthorised
beautiful/ugly famous/unknown healthy/unhealthy young/old
""")
ADVERBS = _pairs("""
always/never often/rarely usually>rarely frequently/rarely quickly/slowly rapidly/slowly
successfully/unsuccessfully directly/indirectly heavily/lightly strongly/weakly sharply/slightly
significantly/slightly fully/partially publicly/privately legally/illegally
deliberately/accidentally upwards/downwards forwards/backwards indoors/outdoors
together/separately temporarily/permanently correctly/incorrectly peacefully/violently
fairly>unfairly early/late earlier/later faster/slower better/worse dramatically/slightly
massively/slightly immediately/eventually officially/unofficially openly/secretly
domestically/internationally voluntarily/involuntarily formally/informally easily>barely
""")
PREPOSITIONS = _pairs("""
before/after with/without above/below inside/outside
""")

# The claim grows stronger than the source's.
STRONGER = _pairs(
    "may>will might>will could>will possible>certain likely>certain probable>certain "
    "probably>certainly possibly>certainly potentially>certainly perhaps>certainly "
    "sometimes>always often>always usually>always some>all many>all most>all "
    "nearly>more_than almost>more_than partly>entirely partially>completely mostly>entirely"
)
# Verbs of saying and thinking with a clause after them.
STRONGER_VERBS = _pairs(
    "suggest>prove indicate>prove believe>know think>know suspect>confirm "
    "allege>prove claim>prove hope>know fear>know expect>guarantee imply>prove speculate>confirm"
)
# The claim grows weaker: a milder fault, of its own kind.
WEAKER = _pairs(
    "will>might must>may certain>possible certainly>possibly always>sometimes "
    "definitely>possibly all>some completely>partially entirely>partly never>rarely"
)
WEAKER_VERBS = _pairs(
    "prove>suggest confirm>suggest show>suggest know>suspect reveal>suggest "
    "demonstrate>suggest establish>suggest"
)

CONNECTIVES = _pairs("because>although although>because though>because despite>because_of")

# Each from small to large, money last: there a bound such as "more than" decides nothing.
UNITS = [
    group.split()
    for group in (
        "foot yard metre kilometre mile",
        "gram kilogram tonne",
        "second minute hour day week month year decade",
        "thousand million billion trillion",
        "litre gallon",
        "acre hectare",
        "centimetre inch",
        "kph mph",
        "dollar pound euro",
    )
]
SHORT_UNITS = _pairs("m>bn bn>m km>miles kg>tonnes mph>kph cm>metres lb>kg ft>metres")
CURRENCIES = "£$€"

SAME_PLACE = [
    {"us", "u.s.", "usa", "united states", "the united states", "america", "washington"},
    {"uk", "u.k.", "britain", "united kingdom", "great britain", "england", "london"},
    {"eu", "european union", "europe", "brussels"},
    {"russia", "soviet union", "moscow", "kremlin"},
    {"china", "beijing"},
    {"british", "english", "uk", "britons"},
    {"american", "us", "u.s.", "americans"},
]
PERSON_NOUNS = word_set(
    "man woman boy girl father mother son daughter brother sister husband wife child friend police "
    "officer minister president judge player coach manager teacher student doctor nurse lawyer "
    "driver soldier leader politician singer actor actress director chairman scientist researcher "
    "journalist worker farmer fan supporter victim patient captain striker midfielder goalkeeper "
    "defender senator governor mayor prosecutor official suspect attacker gunman rider resident "
    "protester voter employee customer owner neighbour neighbor passenger pilot priest bishop "
    "prince princess king queen duke rebel rival leader winner champion teenager pensioner "
    "colleague reporter author critic activist lawmaker minister agent cousin"
)
# Groups that act as people do.
BODY_NOUNS = word_set(
    "committee council court government company club team board agency firm charity university "
    "party army union bank ministry parliament panel jury commission department group police "
    "association airline school hospital crowd crew family"
)
SYMMETRIC_VERBS = word_set(
    "meet marry face play divorce share discuss talk agree clash compete border resemble equal "
    "merge tie draw speak date fight kiss engage cooperate collaborate negotiate contact be become "
    "remain include involve mean have say add tell follow call name see know like "
    "live work go come leave fly arrive return travel start begin end spend bear base"
)
LIGHT_VERBS = word_set(
    "have be do make take get give go come put let see say tell ask want need use become keep mean "
    "set bring leave show call find know think"
)
# For "predicate": verbs that go with most people, and with most things, as their object.
VERBS_FOR_PEOPLE = word_set(
    "criticise praise sue visit thank replace interview warn support ignore attack marry defeat "
    "injure rescue arrest recruit dismiss appoint nominate blame invite threaten follow hire"
)
VERBS_FOR_THINGS = word_set(
    "reject postpone cancel approve ignore review abandon announce deny complete delay praise "
    "criticise discuss avoid change examine lose buy sell destroy repair design ban oppose publish "
    "predict celebrate promise investigate question welcome demand finance"
)
SYNONYMOUS = [
    set(group.split())
    for group in (
        "kill murder shoot stab",
        "begin start launch open found create establish set",
        "buy purchase acquire get obtain gain receive earn attain achieve secure win collect",
        "reveal show expose disclose announce declare report publish release issue unveil present",
        "beat defeat overcome",
        "hit strike attack assault",
        "help support back aid assist finance fund sponsor welcome praise",
        "lead head run manage",
        "make build produce form develop design write construct",
        "hold stage host organise celebrate",
        "hurt injure wound hit",
        "visit tour see attend",
        "join enter",
        "claim allege say predict promise expect",
        "end finish stop complete cancel abandon drop",
        "arrest detain hold",
        "cause prompt spark trigger",
        "suffer sustain face experience",
        "raise increase boost change improve",
        "cut reduce change slash",
        "watch see examine review study investigate consider discuss question",
        "criticise condemn blame attack slam question oppose reject",
        "reject deny dismiss refuse oppose block ban",
        "delay postpone",
        "tell warn inform",
        "hire recruit sign appoint employ nominate name pick choose select",
        "damage destroy ruin",
        "miss lose avoid",
    )
]

# Interchangeable in nearly every sentence: "a=b" both ways, "a>b" one way. Verbs by lemma.
SYNONYM_VERBS = _pairs(
    "begin>start buy/purchase injure/hurt build/construct choose/select try/attempt happen>occur "
    "occur>happen obtain>get gather/collect reply/respond emphasise/stress postpone>delay "
    "permit/allow complete/finish require>need disclose>reveal repair>mend pick>select assist>help "
    "vanish/disappear rescue>save demolish/destroy depart>leave conclude>end annoy/irritate "
    "purchase>acquire terrify/frighten demonstrate>show murder>kill"
)
SYNONYM_NOUNS = _pairs(
    "film/movie child/kid physician>doctor lawyer/attorney firm>company mistake/error "
    "plane>aircraft shop>store photo/photograph prize/award teenager/teen bike/bicycle "
    "telephone/phone illness/sickness blaze>fire sister>sibling brother>sibling exam/examination "
    "cop>officer ad/advertisement lab/laboratory inquiry/investigation probe>investigation "
    "automobile>car residence>home dwelling>home mum/mother dad/father fee>charge vessel>ship"
)
SYNONYM_ADJECTIVES = _pairs(
    "large>big sick/ill famous/well-known difficult>hard huge/enormous entire/whole rich/wealthy "
    "brave/courageous crucial/vital annual/yearly wrong/incorrect sufficient>adequate giant>huge "
    "massive/huge tiny>small dead>deceased"
)
SYNONYM_ADVERBS = _pairs(
    "approximately/about roughly/about around/about currently>now almost/nearly often/frequently "
    "quickly/rapidly initially/originally however/nevertheless previously>earlier "
    "immediately/instantly eventually/finally swiftly/quickly entirely/completely"
)
SYNONYMS = {
    "VERB": SYNONYM_VERBS,
    "NOUN": SYNONYM_NOUNS,
    "ADJ": SYNONYM_ADJECTIVES,
    "ADV": SYNONYM_ADVERBS,
}
