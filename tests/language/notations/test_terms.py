"""What prices, contracts and schedules abbreviate, as `reading.read` writes it."""

from __future__ import annotations

import pytest

from faithkit.language.reading import read


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("£950 pcm, £950 p.c.m., £950/month, £950 per calendar month",
         "950 pounds per month, 950 pounds per month, 950 pounds per month, "
         "950 pounds per month"),
        ("£120 p.w. and £120 pw", "120 pounds per week and 120 pounds per week"),
        ("The rent is £120 p.w.", "The rent is 120 pounds per week."),
        ("£60k pa, 3% p.a., 3% per annum", "60000 pounds per year, 3 percent per year, "
         "3 percent per year"),
        ("$15 p/h, £120 p/m, 90 euros p.n., £20 pp",
         "15 dollars per hour, 120 pounds per month, 90 euros per night, 20 pounds per person"),
        ("rose 3.2% y/y, 3% yoy", "rose 3.2 percent year on year, 3 percent year on year"),
        ("5 pm, 40 pp. of it, my pa, pH 5 pn", "5 pm, 40 pp. of it, my pa, pH 5 pn"),
    ],
)  # fmt: skip
def test_rates_are_written_out(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("£65 exc. VAT, £65 ex VAT, £65 ex-VAT, £65 (excl. VAT)",
         "65 pounds excluding VAT, 65 pounds excluding VAT, 65 pounds excluding VAT, "
         "65 pounds (excluding VAT)"),
        ("25 days excl. public holidays", "25 days excluding public holidays"),
        ("incl. bills, inc. VAT", "including bills, including VAT"),
        ("£65 plus VAT, £65 + VAT, £65+VAT, £65 (plus VAT), £65 net of VAT",
         "65 pounds excluding VAT, 65 pounds excluding VAT, 65 pounds excluding VAT, "
         "65 pounds (excluding VAT), 65 pounds excluding VAT"),
        ("£65 exclusive of VAT, £65, VAT not included, EUR 65 a day plus VAT",
         "65 pounds excluding VAT, 65 pounds excluding VAT, 65 euros a day excluding VAT"),
        ("£65 inclusive of VAT, £65 (VAT included), £950 pcm plus bills",
         "65 pounds including VAT, 65 pounds (including VAT), "
         "950 pounds per month excluding bills"),
        ("£65 plus £5 delivery, £65 plus 20% VAT, £5m net of tax, £5m before tax",
         "65 pounds plus 5 pounds delivery, 65 pounds plus 20 percent VAT, "
         "5 million pounds net of tax, 5 million pounds before tax"),
        ("£65 VAT is included, the total plus VAT, £65 in VAT",
         "65 pounds VAT is included, the total plus VAT, 65 pounds in VAT"),
        ("incl. VAT, breakfast included", "including VAT, breakfast included"),
        ("an ex tax inspector, Acme Inc. taxes, lunch incl.",
         "an ex tax inspector, Acme Inc. taxes, lunch incl."),
    ],
)  # fmt: skip
def test_what_a_price_has_or_leaves_out_is_written_out(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("1h20m, 1 h 20 min, 1 hr 20 mins, 1 hour and 20 minutes",
         "1 hour 20 minutes, 1 hour 20 minutes, 1 hour 20 minutes, 1 hour 20 minutes"),
        ("after 60s, took 90s, took 45s in all",
         "after 60 seconds, took 90 seconds, took 45 seconds in all"),
        ("The timeout is 30s, fell from 4.8s to 350ms",
         "The timeout is 30 seconds, fell from 4.8 seconds to 0.35 seconds"),
        ("every 10 d, kept for 90d, for 3h", "every 10 days, kept for 90 days, for 3 hours"),
        ("for 90s fans, took 100s of hours, in her 40s, the 45s, all 9.5s",
         "for 90s fans, took 100s of hours, in her 40s, the 45s, all 9.5s"),
        ("It took 1.2 s, 90 s of it, $1.2 s", "It took 1.2 seconds, 90 s of it, 1.2 dollars s"),
        ("for 3d printing, seat 12d, 5d", "for 3d printing, seat 12d, 5d"),
    ],
)  # fmt: skip
def test_durations_are_written_out(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("3.3 V typ., 5.5 V and typ. 3.3 V", "3.3 V typical, 5.5 V and typical 3.3 V"),
        ("Parameter | Typ | Max", "Parameter | Typical | Max"),
        ("Typ 2 Diabetes, a typ is", "Typ 2 Diabetes, a typ is"),
    ],
)
def test_a_typical_value_is_called_so(text: str, plain: str) -> None:
    assert read(text).text == plain
