"""What a summary derives from numbers of the evidence: confirmed, refuted, or not judged at all."""

from __future__ import annotations

import numpy as np
import pytest
from tests.helpers.tiny_support import read

from faithkit.support.evidence import Source
from faithkit.support.inputs import attach_evidence
from faithkit.support.model import CERTAIN, REFUTED, adjust_logits
from faithkit.support.number_rules import confirmed_and_refuted
from faithkit.support.statements import MatchLevel, Statement, findings_for

TRUE, FALSE, SILENT = "confirmed", "refuted", "silent"


def judged(evidence: str, claim: str) -> str:
    """What the numbers of one evidence sentence, or of several with "|" between, say of a claim."""
    (sentence,) = read(claim)
    sources = read(*evidence.split(" | "))
    right, wrong = (words.any() for words in confirmed_and_refuted(sentence, sources))
    assert not (right and wrong)
    return TRUE if right else FALSE if wrong else SILENT


SHARES = [
    ("38% of voters backed the plan.", "A majority of voters backed the plan.", FALSE),
    ("38% of voters backed the plan.", "A minority of voters backed the plan.", TRUE),
    ("38% of voters backed the plan.", "Most voters backed the plan.", FALSE),
    ("62% of voters backed the plan.", "Most of the voters backed the plan.", TRUE),
    ("62% of voters backed the plan.", "Less than half of voters backed the plan.", FALSE),
    ("38% of voters backed the plan.", "More than a third of voters backed the plan.", TRUE),
    ("22% of voters backed the plan.", "More than a quarter of voters want it.", SILENT),
    ("22% of voters backed the plan.", "Over a quarter of voters backed the plan.", FALSE),
    ("100% of voters backed the plan.", "All voters backed the plan.", TRUE),
    ("98% of voters backed the plan.", "All voters backed the plan.", FALSE),
    ("100% of voters backed the plan.", "Most but not all voters backed the plan.", FALSE),
    ("9% of voters backed the plan.", "Few voters backed the plan.", TRUE),
    ("80% of voters backed the plan.", "Few voters backed the plan.", FALSE),
    ("20% of voters backed the plan.", "Few voters backed the plan.", SILENT),
    ("24 of the 60 members voted for it.", "A majority of the members voted for it.", FALSE),
    ("24 out of 60 members voted for it.", "A minority of the members voted for it.", TRUE),
    ("Of 60 members, 24 voted.", "Most of the members voted.", FALSE),
    ("He bought a 38% stake in May.", "He bought a minority stake in May.", TRUE),
    ("He bought a 38% stake in May.", "He bought a majority stake in May.", FALSE),
    ("Only 29% of those asked exercise.", "A majority of those asked exercise.", FALSE),
    ("About 48% of voters backed the plan.", "Most voters backed the plan.", SILENT),
    ("More than 38% of voters backed the plan.", "Most voters backed the plan.", SILENT),
    ("More than 60% of voters backed the plan.", "Most voters backed the plan.", TRUE),
    ("31% of voters backed it, 52% did not.", "Most voters backed it.", SILENT),
    ("38% of young voters backed the plan.", "Most voters backed the plan.", SILENT),
    ("38% of voters in Leeds backed the plan.", "Most voters backed the plan.", SILENT),
    ("38% of voters rejected the plan.", "Most voters backed the plan.", SILENT),
    ("38% of voters did not back the plan.", "Most voters backed the plan.", SILENT),
    ("In 2019, 38% of voters backed the plan.", "Most voters backed the plan.", SILENT),
    ("38% of voters voted against the plan.", "Most voters voted for the plan.", SILENT),
    ("He lost 3 in 2019 games.", "Few games he lost.", SILENT),
    ("2 of 3 million voters backed it.", "Most voters backed it.", SILENT),
    ("Sales of cars rose 38%.", "Most sales of cars rose.", SILENT),
    ("38% more voters backed the plan.", "Most voters backed the plan.", SILENT),
    ("38% of the popular songs are old.", "The most popular songs are old.", SILENT),
    ("He won by a majority of 38.", "He won a majority.", SILENT),
    ("2 in 5 voters backed it at most.", "At most 3 voters backed it.", SILENT),
]
BOUNDS = [
    ("The report has 346 pages.", "The report has over 300 pages.", TRUE),
    ("The report has 346 pages.", "The report has over 400 pages.", FALSE),
    ("The report has 346 pages.", "The report has more than 346 pages.", SILENT),
    ("The report has 346 pages.", "The report has fewer than 300 pages.", FALSE),
    ("The report has 346 pages.", "The report has at least 300 pages.", TRUE),
    ("The report has 346 pages.", "The report has about 350 pages.", TRUE),
    ("The report has 346 pages.", "The report has about 500 pages.", FALSE),
    ("The report has 346 pages.", "The report has about 380 pages.", SILENT),
    ("The town has 4,980 inhabitants.", "The town has nearly 5,000 inhabitants.", TRUE),
    ("The town has 4,980 inhabitants.", "The town has nearly 6,000 inhabitants.", FALSE),
    ("The town has 5,020 inhabitants.", "The town has nearly 5,000 inhabitants.", SILENT),
    ("The population is 4,981,340.", "The population is about 5 million.", TRUE),
    ("Unemployment stands at 3.8%.", "Unemployment is below 3%.", FALSE),
    ("Revenue rose by 4.8% to £2m.", "Revenue rose by almost 5%.", TRUE),
    ("He sold 20 cars and won in 73 towns.", "He sold 20 cars and won in over 80 towns.", FALSE),
    ("Over 300 people came.", "Over 200 people came.", SILENT),
    ("At least 300 people came.", "More than 400 people came.", SILENT),
    ("300 to 500 people came.", "More than 600 people came.", SILENT),
    ("12 died in Kabul. | 8 men died in raids.", "More than 15 men died in raids.", FALSE),
    ("12 men died in raids. | 8 men died.", "More than 15 men died in raids.", SILENT),
    ("12 men died in the second raid.", "More than 20 men died in the raids.", SILENT),
    ("The film has 5 songs of 3 singers.", "The film is about 3 singers.", SILENT),
    ("He led it for 4 years.", "Over 5 years he led it.", SILENT),
    ("No loan lasts 14 months.", "No loan lasts longer than 9 months.", SILENT),
    ("It must have 14 pages.", "It must have over 20 pages.", SILENT),
    ("That is 3 for the goat.", "The goat's about 300.", SILENT),
    ("The walk is 5 miles.", "The walk is over 5 km.", SILENT),
    ("Of 40 seeds 3 grew.", "About 30 seeds did not grow.", SILENT),
]
CHANGES = [
    ("The tax rose from 5% to 10%.", "The tax doubled.", TRUE),
    ("The tax rose from 5% to 10%.", "The tax tripled.", FALSE),
    ("The tax rose from 5% to 11%.", "The tax more than doubled.", TRUE),
    ("The tax rose from 5% to 9%.", "The tax nearly doubled.", TRUE),
    ("The tax rose from 5% to 7%.", "The tax more than doubled.", FALSE),
    ("The tax rose from 5% to 12%.", "The tax doubled.", SILENT),
    ("Membership went from 4,000 in 2010 to 8,000.", "Membership halved.", FALSE),
    ("Profit was £38m last year, up from £19m.", "Profit doubled.", TRUE),
    ("Profit was £38m, up from £19m in 2021.", "Profit halved.", FALSE),
    ("The price moved from $80 to $72.", "The price climbed.", FALSE),
    ("The price moved from $80 to $72.", "The price dropped.", TRUE),
    ("Turnover: £5.2m (2021: £4.1m).", "Turnover fell.", FALSE),
    ("Net profit was £163m, compared with £171m a year earlier.", "Net profit rose.", FALSE),
    ("Sales were 310,000 in 2020 and 352,000 in 2021.", "Sales rose in 2021.", TRUE),
    ("Sales were 352,000 in 2021 and 310,000 in 2020.", "Sales fell in 2021.", FALSE),
    ("Sales were 352,000 in 2021 and 310,000 in 2020.", "Sales rose in 2020.", SILENT),
    ("Unemployment was 4.1% in May and 3.8% in June.", "Unemployment rose in June.", FALSE),
    ("Unemployment was 4.1% in May and 3.8% in June.", "Unemployment rose in May.", SILENT),
    ("Prices range from 5 to 15 dollars.", "Prices tripled.", SILENT),
    ("The song rose from place 10 to 5.", "The song fell.", SILENT),
    ("The loss went from £5m to £10m.", "The loss fell.", SILENT),
    ("Sales were 5 in Leeds and 10 in Hull.", "Sales doubled.", SILENT),
    ("Sales of tea rose from 5 to 10 tons.", "Sales tripled.", SILENT),
    ("The tax rose from 5% to 10%.", "The tax rose to 5%.", SILENT),
    ("He fell from 5 to 10 metres.", "He rose.", SILENT),
    ("Costs were £10m against a budget of £12m.", "Costs fell.", SILENT),
    ("He lived there from 2010 to 2020.", "He fell there.", SILENT),
]
COMPARISONS = [
    ("Carla earns $90,000 a year and Dave $70,000.", "Carla earns more than Dave.", TRUE),
    ("Carla earns $90,000 a year and Dave $70,000.", "Dave earns more than Carla.", FALSE),
    ("Carla earns $70,000 a year and Dave $90,000.", "Carla earns more than Dave.", FALSE),
    ("Spain has 47 million inhabitants and Poland 38 million.",
     "Poland has fewer inhabitants than Spain.", TRUE),
    ("Omar is 47 and Neil 58.", "Omar is older than Neil.", FALSE),
    ("The bus takes 5 hours and the train 3 hours.", "The bus takes longer than the train.", TRUE),
    ("Mount Kell is 804 metres high and Mount Orr 987 metres.",
     "Mount Orr is higher than Mount Kell.", TRUE),
    ("Mount Kell is 1,204 metres high and Mount Orr 987.",
     "Mount Orr is higher than Mount Kell.", FALSE),
    ("The north site makes 40 kW and the south site 50.",  # which is read as 40000 watts and 50
     "The north site makes more than the south site.", SILENT),
    ("Poland has 38 million inhabitants and Spain 47.",
     "Poland has more inhabitants than Spain.", SILENT),
    ("Turnover in Asia was $803m, in Europe $301m.",
     "Turnover was higher in Europe than in Asia.", FALSE),
    ("The taxi costs €24 and the tram €3.", "The taxi is cheaper than the tram.", FALSE),
    ("Zoe took 61 seconds and Mia 58.", "Zoe was faster than Mia.", SILENT),
    ("Zoe ranks 61 and Mia 58.", "Zoe ranks higher than Mia.", SILENT),
    ("Costs in Leeds were £5m and sales in Hull £7m.",
     "Costs were higher in Leeds than in Hull.", SILENT),
    ("Leeds sold 5 cars and Hull 7 vans.", "Leeds sold more cars than Hull.", SILENT),
    ("Leeds sold 5 cars and 3 vans and Hull 7 cars.", "Leeds sold more cars than Hull.", SILENT),
    ("Ann and Bob sold 5 cars and 7 vans.", "Ann sold more than Bob.", SILENT),
]  # fmt: skip
ORDERS = [
    ("Ann arrived at 9.10 and Bob at 9.40.", "Ann arrived before Bob.", TRUE),
    ("Ann arrived at 9.10 and Bob at 9.40.", "Bob arrived before Ann.", FALSE),
    ("Bob arrived at 9.40 and Ann at 9.10.", "Bob arrived after Ann.", TRUE),
    ("The lecture starts at 11 am, the film at 2 pm.", "The lecture starts after the film.", FALSE),
    ("The school opened in 1965 and the library in 1970.",
     "The library opened earlier than the school.", FALSE),
    ("Ann left on 3 May 2020 and Bob on 9 April 2021.", "Bob left after Ann.", TRUE),
    ("Ann retired in March; Bob retired in June.", "Bob retired before Ann.", FALSE),
    ("Ann retired in December; Bob retired in March.", "Bob retired before Ann.", SILENT),
    ("Ann arrived at 9.10 and Bob left at 9.40.", "Ann arrived before Bob.", SILENT),
    ("Ann arrived at 9.10 and left at 9.40.", "Ann arrived after Bob.", SILENT),
    ("The fine is 9.10 and the fee 9.40.", "The fee is before the fine.", SILENT),
    ("Ann left at 11.30 and Bob at 1.15.", "Bob left before Ann.", SILENT),
    ("Ann arrived in 2010 and Bob at 9.40.", "Bob arrived before Ann.", SILENT),
]  # fmt: skip
RESULTS = [
    ("Leeds 3 Hull 1", "Leeds beat Hull.", TRUE),
    ("Leeds 3 Hull 1", "Hull beat Leeds.", FALSE),
    ("Leeds 3-1 Hull", "Leeds lost to Hull.", FALSE),
    ("Leeds 3-1 Hull", "Hull were beaten by Leeds 3-1.", TRUE),
    ("Leeds 3-1 Hull", "Leeds won.", TRUE),
    ("Crewe 2 Bury 2", "Crewe and Bury drew.", TRUE),
    ("Crewe 2 Bury 2", "Crewe beat Bury.", FALSE),
    ("Crewe 3 Bury 2", "Crewe drew with Bury.", FALSE),
    ("Woods 68 Els 70", "Els beat Woods.", SILENT),
    ("Chapter 3 Verse 1", "Verse beat Chapter.", SILENT),
    ("Leeds 3 Hull 1", "Leeds beat York.", SILENT),
    ("Leeds 3 Hull 1 on Sunday", "Hull beat Leeds.", SILENT),
    ("Leeds 3 Hull 1", "Hull beat Leeds in the final.", SILENT),
    ("Hull City 0 Stoke City 1", "Stoke City beat Hull City 1-0.", TRUE),
    ("Hull City 0 Stoke City 1", "Hull City beat Stoke City 1-0.", FALSE),
    ("Ashby Rovers 3 (1) Marlow Town 2 (2)", "Ashby Rovers won 3-2.", TRUE),
    ("Ashby Rovers 3 (1) Marlow Town 2 (2)", "Marlow Town beat Ashby Rovers.", FALSE),
    ("Crewe 2 (4) Bury 2 (3)", "Crewe and Bury drew.", SILENT),
    ("(5) T. Nkosi (RSA) beat (4) B. Laurent (FRA) 7-5, 7-5", "Nkosi won.", TRUE),
    ("(5) T. Nkosi (RSA) beat (4) B. Laurent (FRA) 7-5, 7-5", "Laurent won.", FALSE),
    ("Hill Utd beat Denham FC 2-0 on Saturday.", "Denham FC lost.", TRUE),
    ("Hill Utd beat Denham FC 2-0 on Saturday.", "Denham FC won 2-0.", FALSE),
    ("Hill beat Denham on Saturday but lost to them later.", "Hill lost.", SILENT),
    ("Hill beat Denham's record.", "Denham lost.", SILENT),
    ("The panel ruled 3-0 for the tenants.", "The ruling was unanimous.", TRUE),
    ("The panel ruled 3-0 for the tenants.", "The ruling was not unanimous.", FALSE),
    ("The court ruled 6-3 for the state.", "The ruling was unanimous.", FALSE),
    ("The committee approved the budget, 7-0.", "The vote on the budget was not unanimous.", FALSE),
    ("The board voted 8 to nil to sell.", "The board was divided.", FALSE),
    ("The board won 3-0 in the league.", "The board was divided.", SILENT),
    ("The board voted 8-0, one member abstained.", "The board voted unanimously.", SILENT),
    ("The board voted 8-0 to sell.", "The staff was divided.", SILENT),
]
FACTORS = [
    ("The subsidy doubled.", "The subsidy tripled.", FALSE),
    ("The subsidy trebled.", "The subsidy doubled.", FALSE),
    ("The subsidy trebled.", "The subsidy tripled.", TRUE),
    ("The subsidy doubled.", "The subsidy rose by 100%.", TRUE),
    ("The subsidy was halved.", "The subsidy fell by 50%.", TRUE),
    ("The subsidy was halved.", "The subsidy fell by 25%.", FALSE),
    ("The award was cut by 25%.", "The award was cut by a quarter.", TRUE),
    ("The award was cut by 25%.", "The award was cut by one quarter.", TRUE),
    ("The award was cut by 25%.", "The award was cut by a third.", FALSE),
    ("The court cut the price of the permit by half.",
     "The court cut the price of the permit by 25%.", FALSE),
    ("The council doubled the rent.", "The council raised the rent by 100%.", TRUE),
    ("The award nearly doubled.", "The award tripled.", SILENT),
    ("The barn doubled as a school.", "The barn tripled.", SILENT),
    ("Profit doubled and sales tripled.", "Sales doubled.", SILENT),
    ("Profit doubled. | Profit tripled in May.", "Profit tripled.", SILENT),
    ("Rent rose and fell by 50%.", "Rent doubled.", SILENT),
    ("Rent fell by 50 percentage points.", "Rent doubled.", SILENT),
]  # fmt: skip
PARTS = [
    ("6 in 10 voters stayed at home.", "6% of voters stayed at home.", FALSE),
    ("8 in 10 patients recovered.", "Eight patients recovered.", FALSE),
    ("1 in 4 donkeys were lame.", "Four donkeys were lame.", FALSE),
    ("Nine out of ten pupils passed.", "9% of pupils passed.", FALSE),
    ("Nine out of ten pupils passed.", "Nine pupils passed.", SILENT),
    ("8 in 10 patients recovered.", "8 in 10 patients recovered.", SILENT),
    ("6 in 10 voters left. | Six voters left.", "Six voters left.", SILENT),
    ("In 2019, 5 in 10 left.", "5% left in 2019.", SILENT),
    ("The pair of candlesticks weighs 1,086 g.", "Each candlestick weighs 1,086 g.", FALSE),
    ("The two vases weigh 4 kg together.", "Each vase weighs 4 kg.", FALSE),
    ("A pair of chairs sold for £800.", "The chairs sold for £800 each.", FALSE),
    ("A pair of chairs sold for £800 each.", "Each chair sold for £800.", SILENT),
    ("The chairs sold for £800.", "Each chair sold for £800.", SILENT),
    ("A pair of chairs sold for £800.", "Each chair sold for £400.", SILENT),
    ("Peggy was the third of five children.", "Peggy had five siblings.", FALSE),
    ("Peggy was the third of five children.", "Peggy had four siblings.", TRUE),
    ("Ben was the youngest of four brothers.", "Ben had four brothers.", FALSE),
    ("Ben was the youngest of four children.", "Ben had four brothers.", SILENT),
    ("Ben was the youngest of four children.", "Ben had four children.", SILENT),
]
VOTES = [
    ("The panel backed the plan in a near-unanimous vote, 7 to 1.",
     "The panel backed the plan in a near-unanimous vote.", SILENT),
    ("The panel backed the plan in a vote of 7 to 1.",
     "The panel backed the plan in a unanimous vote.", FALSE),
    ("The panel backed the plan in a vote of 7 to 0.",
     "The panel backed the plan in a non-unanimous vote.", FALSE),
    ("The panel was split 7 to 1.", "The panel was ill-split.", SILENT),
]  # fmt: skip
OF_THE_EVIDENCE = [
    ("38% of voters backed it. | 62% of voters backed it.", "Most voters backed it.", SILENT),
    ("38% of voters backed it. | Most voters backed it.", "Most voters backed it.", SILENT),
    ("38% of voters backed it. | It rained.", "Most voters backed it.", FALSE),
    ("It rained.", "Most voters backed it.", SILENT),
]


@pytest.mark.parametrize(
    ("evidence", "claim", "verdict"),
    [
        *SHARES,
        *BOUNDS,
        *CHANGES,
        *COMPARISONS,
        *ORDERS,
        *RESULTS,
        *FACTORS,
        *PARTS,
        *VOTES,
        *OF_THE_EVIDENCE,
    ],
)
def test_numbers_decide_what_is_derived_from_them(evidence: str, claim: str, verdict: str) -> None:
    assert judged(evidence, claim) == verdict


@pytest.mark.parametrize(
    "bound",
    ["over", "upwards of", "exceeding", "surpassing", "beyond", "circa", "an estimated",
     "approaching", "close to"],
)  # fmt: skip
def test_every_phrase_that_makes_a_bound_is_looked_at(bound: str) -> None:
    assert judged("The book has 346 pages.", f"The book has {bound} 800 pages.") == FALSE


@pytest.mark.parametrize("verdict", [True, False])
def test_a_phrase_without_words_is_no_finding(verdict: bool) -> None:
    claim = Statement(read("The vote was near-unanimous.")[0])
    assert not list(findings_for(claim, range(0), MatchLevel.FULL, verdict))


@pytest.mark.parametrize(
    ("claim", "in_doubt", "entailed"),
    [
        ("A majority of voters backed the plan.", ["majority"], False),
        ("Most voters backed the plan.", ["Most", "voters"], False),
        ("A minority of voters backed the plan.", [], True),
        ("Some voters backed the plan.", [], False),
    ],
)
def test_a_sentence_is_settled_by_what_its_numbers_say(
    claim: str, in_doubt: list[str], entailed: bool
) -> None:
    (sentence,) = read(claim)
    reading = attach_evidence(sentence, Source(read("38% of voters backed the plan.")))
    calm = np.full(len(sentence.keys), -3.0, dtype=np.float32)
    words, classes, _ = adjust_logits(reading, (calm, np.zeros(3), 0.0))
    text = sentence.form.text
    written = [text[start:end] for start, end in sentence.offsets]
    doubted = [word for word, logit in zip(written, words, strict=True) if logit == REFUTED]
    assert [word for word in doubted if word not in ("A", "of")] == in_doubt
    assert (classes[0] == CERTAIN and (words == -CERTAIN).all()) == entailed
