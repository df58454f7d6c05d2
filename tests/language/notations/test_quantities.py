"""One amount in several units, as it is read."""

from __future__ import annotations

import pytest

from faithkit.language.mapped import identity_map
from faithkit.language.normalise import plain_source
from faithkit.language.notations import quantities
from faithkit.language.notations.quantities import in_units_of, unit_of_label
from faithkit.language.reading import read
from faithkit.language.words import words


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("3.2 GHz, 3200 MHz, 3.2 MHz",
         "3.2 billion hertz, 3.2 billion hertz, 3.2 million hertz"),
        ("2 TB. 2,000 GB. 2 GB", "2 trillion bytes. 2 trillion bytes. 2 billion bytes"),
        ("a 25-GB plan, a 25-gigabyte file, 1 GB",
         "a 25 billion bytes plan, a 25 billion byte file, 1 billion bytes"),
        ("512 MiB, 0.5 GiB, 4 gibibytes", "512 mebibytes, 512 mebibytes, 4096 mebibytes"),
        ("10 Gbps, 10 Gbit/s, 10 Mb/s",
         "10 billion bits per second, 10 billion bits per second, 10 million bits per second"),
        ("40 MW, 40 kW, a 40-megawatt plant", "40 million watts, 40000 watts, "
         "a 40 million watt plant"),
        ("5 kWh, 5 MWh, 5 megawatt-hours",
         "5000 watt hours, 5 million watt hours, 5 million watt hours"),
        ("500 ms, 10000ms, 85 µs", "0.5 seconds, 10 seconds, 0.000085 seconds"),
        ("64 bits, 230 volts, gigabytes of data", "64 bits, 230 volts, gigabytes of data"),
    ],
)  # fmt: skip
def test_a_technical_prefix_is_a_numbers_scale(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    ("source", "summary", "read_as"),
    [
        ("It takes 90 minutes.", "It takes 1.5 hours.", "It takes 90 minutes."),
        ("It takes 90 min.", "An hour and a half; 1h30m.", "90 min; 90 min."),
        ("It takes 1 hour 30 minutes.", "It takes 90 mins.", "It takes 1 hour 30 minutes."),
        ("It takes 90 minutes.", "It takes 1.75 hours.", "It takes 1.75 hours."),
        ("It is 500 g, or 0.5 kg.", "It is 0.5 kg.", "It is 0.5 kg."),
        ("Use 500 grams.", "Use 0.5 kg, then 0.6 kg.", "Use 500 grams, then 0.6 kg."),
        ("1,200 metres away", "a 1.2-kilometer walk", "a 1,200 metres walk"),
        ("184 cm tall, 33 cl", "1840 mm, 0.33 litres", "184 cm, 33 cl"),
        ("750 mg twice daily", "1,750 mg daily", "1,750 mg daily"),
        ("2 hours, 3 people", "120 minutes on 5G", "2 hours on 5G"),
        ("500 mg per day", "0.5 g per day", "0.5 g per day"),
        ("0.5 kg", "500 G", "500 G"),
        ("760 mm of mercury", "76 cm", "76 cm"),
        ("50 µg", "50 mcg, 50 μg, 0.05 mg", "50 mcg, 50 μg, 50 µg"),
        ("500 mL of saline", "0.5 L of saline", "500 mL of saline"),
        ("2 kV, 20 mV", "2000 V, 0.02 V", "2 kV, 20 mV"),
        ("50 nM, 2 mM", "0.05 µM, 50 nmol/L, 2 mmol/L", "50 nM, 50 nM, 2 mM"),
        ("1 M NaCl", "1 mol/L or 1 molar NaCl", "1 M or 1 M NaCl"),
        ("9.1 g/dL", "91 g/L, 9.1 g/L", "9.1 g/dL, 9.1 g/L"),
        ("35 kt, 972 mb", "35 knots, 972 hPa", "35 kt, 972 mb"),
        ("410 pc, 4.2 ly", "410 parsecs, 4.2 light-years", "410 pc, 4.2 ly"),
        ("47 kΩ", "47,000 ohms, 47 MΩ", "47 kΩ, 47 MΩ"),
        ("The galaxy is at 410 pc. 410 kt", "410 parsecs, 410 knots", "410 parsecs, 410 kt"),
        ("The genome has 5.4 kb.", "5,400 bp", "5.4 kilobase pairs"),
        ("5.4 kb", "5,400 bp, 5.4 Mb, 5400 BP", "5.4 kb, 5.4 Mb, 5400 BP"),
        ("5 MB", "5000 kb", "5000 kb"),
    ],
)
def test_an_amount_is_read_in_the_unit_of_the_source(
    source: str, summary: str, read_as: str
) -> None:
    assert in_units_of(identity_map(summary), source).text == read_as


@pytest.mark.parametrize("name", sorted(quantities._UNITS))
def test_every_unit_has_a_size_however_it_is_written(name: str) -> None:
    for unit in (name, name.upper(), name.lower(), name.capitalize(), name.replace("μ", "µ")):
        text = f"{unit} 5 {unit} 5{unit}s"
        assert in_units_of(identity_map(text), text).text == text


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("128, 256 or 512 GB", "128 billion, 256 billion or 512 billion bytes"),
        ("5-7 GB", "5 billion to 7 billion bytes"),
        ("In 2024, 512 GB. On May 3, 5 GB", "In 2024, 512 billion bytes. On May 3, "
         "5 billion bytes"),
    ],
)  # fmt: skip
def test_numbers_share_the_unit_after_them(text: str, plain: str) -> None:
    assert read(text).text == plain


def test_an_amounts_words_point_to_its_own_characters() -> None:
    text = "of 25 GB"
    result = read(text)
    assert [
        (word.text, text[slice(*result.span(word.start, word.end))]) for word in words(result.text)
    ] == [("of", "of"), ("25", "25"), ("billion", " GB"), ("bytes", " GB")]


@pytest.mark.parametrize(
    ("label", "unit"),
    [
        ("Timeout (ms)", "milliseconds"),
        ("timeout_ms", "milliseconds"),
        ("Disk [GB]", "gigabytes"),
        ("Duration (min)", "minutes"),
        ("Age (min)", ""),
        ("Revenue (MM)", ""),
        ("Speed (Mb)", ""),
        ("birth_mm", ""),
        ("Participant(s)", ""),
        ("Total (EUR)", ""),
        ("user_id", ""),
    ],
)
def test_a_label_names_a_unit(label: str, unit: str) -> None:
    assert unit_of_label(label) == unit


def test_a_key_says_the_unit_of_its_value() -> None:
    assert read("timeout_ms is set to 500.").text == "timeout_ms is set to 0.5 seconds."
    assert read("user_id is 500. timeout_ms is 500 ms.").text == (
        "user_id is 500. timeout_ms is 0.5 seconds."
    )


def test_the_unit_of_a_label_is_put_behind_its_amounts() -> None:
    assert plain_source("Timeout (ms): 500").text == "Timeout (ms): 500 milliseconds"
    table = "| Disk (GB) | Price |\n|---|---|\n| 512 | 5 |"
    assert "512 gigabytes" in plain_source(table).text
