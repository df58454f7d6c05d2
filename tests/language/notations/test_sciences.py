"""What sciences abbreviate, as `reading.read` writes it."""

from __future__ import annotations

import pytest

from faithkit.language.reading import read


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("The star is 4.6 Gyr old.", "The star is 4.6 billion years old."),
        ("800 kyr, 10–12 Myr, 1 Myr",
         "800000 years, 10 million to 12 million years, 1 million year"),
        ("65 Ma old, 40 ka ago, 2.5 Ga BP",
         "65 million years old, 40000 years ago, 2.5 billion years BP"),
        ("The zircon gave 65.2 Ma.", "The zircon gave 65.2 million years."),
        ("At 65 Ma retired. He has 40 ka.", "At 65 Ma retired. He has 40 ka."),
        ("The plasmid has 5.4 kb, 5,400 bp, 5.4 Mb.",
         "The plasmid has 5400 base pairs, 5400 base pairs, 5.4 million base pairs."),
        ("The rate rose 25 bp; the line has 100 Mb.",
         "The rate rose 0.25 percentage points; the line has 100 Mb."),
        ("Winds of 35 kt or 35 kn", "Winds of 35 knots or 35 knots"),
        ("MINIMUM CENTRAL PRESSURE...972 MB", "MINIMUM CENTRAL PRESSURE...972 millibars"),
        ("a bomb of 35 kt, 972 mb of files", "a bomb of 35 kt, 972 mb of files"),
        ("The pressure fell to 972 mb.", "The pressure fell to 972 millibars."),
        ("The galaxy is 410 pc away.", "The galaxy is 410 parsecs away."),
        ("410 pc of them", "410 pc of them"),
    ],
)  # fmt: skip
def test_a_unit_is_read_by_what_the_text_is_about(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("p99 latency rose, P95 latency fell.",
         "99th percentile latency rose, 95th percentile latency fell."),
        ("The 99th-percentile latency rose.", "The 99th percentile latency rose."),
        ("p50 = 12 ms, p99.9 = 80 ms", "median = 0.012 seconds, 99.9th percentile = 0.08 seconds"),
        ("the 50th percentile, the 91st percentile", "the median, the 91st percentile"),
        ("See p99, the P90 gun, p53 protein, on p95 in 5 seconds",
         "See p99, the P90 gun, p53 protein, on p95 in 5 seconds"),
        ("Turn to p99.", "Turn to p99."),
    ],
)  # fmt: skip
def test_a_percentile_has_one_form(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("410 µmol m⁻² s⁻¹, 410 μmol m^-2 s^-1, 410 umol/m²/s",
         "410 micromoles per square metre per second, 410 micromoles per square metre per second, "
         "410 micromoles per square metre per second"),
        ("5 mg kg-1 day-1, 90 mL min−1", "5 milligrams per kilogram per day, "
         "90 millilitres per minute"),
        ("4 erg s⁻¹, 5 s⁻¹", "4 erg/s, 5 per second"),
        ("5 m s-10, figure 5 s-1, type 5 h-1", "5 m s-10, figure 5 s-1, type 5 h-1"),
    ],
)  # fmt: skip
def test_a_negative_exponent_is_a_divisor(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Incubate for 30' at 37 °C, then 15\" on ice.",
         "Incubate for 30 minutes at 37 degrees Celsius, then 15 seconds on ice."),
        ("The rope runs for 30' on the left.", "The rope runs for 30' on the left."),
        ("a 4k7 resistor, a 47k resistor", "a 4.7 kiloohms resistor, a 47000 resistor"),
        ("C1 is a capacitor of 4n7.", "C1 is a capacitor of 4.7 nanofarads."),
        ("They sold 4k7 of them.", "They sold 4k7 of them."),
    ],
)  # fmt: skip
def test_marks_of_minutes_and_of_parts_of_circuits(text: str, plain: str) -> None:
    assert read(text).text == plain
