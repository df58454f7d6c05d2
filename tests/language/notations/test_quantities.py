"""One amount in several units, as `reading.read` writes it."""

from __future__ import annotations

import pytest

from faithkit.language.normalise import plain_source
from faithkit.language.notations.quantities import unit_of_label
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
    ("text", "plain"),
    [
        ("0.5 kg, 500 g, 1.5 kg, 1500 g", "500 grams, 500 grams, 1.5 kilograms, 1.5 kilograms"),
        ("1.2 km, 1,200 metres, a 1200-meter race",
         "1.2 kilometres, 1.2 kilometres, a 1.2 kilometre race"),
        ("45 mm, 1.2 cm, 180 cm", "45 millimetres, 1.2 centimetres, 1.8 metres"),
        ("33 cl, 0.33 litres, 1.5 litres", "330 millilitres, 330 millilitres, 1.5 litres"),
        ("0.9 mg/dL, 1000 km/h, 1500 mm of mercury, 667 centimetres−1",
         "0.9 milligrams per decilitre, 1000 kilometres per hour, 1500 millimetres of mercury, "
         "667 centimetres−1"),
    ],
)  # fmt: skip
def test_grams_metres_and_litres_have_one_unit(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("90 minutes, 1.5 hours, 1h30m", "1.5 hours, 1.5 hours, 1.5 hours"),
        ("80 minutes, 1h20m, 1.25 hours", "80 minutes, 80 minutes, 75 minutes"),
        ("192 minutes, 3h 12m", "3 hours 12 minutes, 3 hours 12 minutes"),
        ("0.5 hours, 120 seconds, 1 minute 30 seconds, 60 minutes",
         "30 minutes, 2 minutes, 1.5 minutes, 1 hour"),
        ("1.7 hours, 37.75 hours, 500 minutes, 14 minutes 30 seconds",
         "1.7 hours, 37.75 hours, 500 minutes, 14 minutes 30 seconds"),
        ("1 hour 30 minutes 20 seconds", "1 hour 30 minutes 20 seconds"),
    ],
)  # fmt: skip
def test_times_have_one_unit(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("128, 256 or 512 GB", "128 billion, 256 billion or 512 billion bytes"),
        ("5-7 GB", "5 billion to 7 billion bytes"),
        ("from 500 to 1000 mg", "from 500 milligrams to 1 gram"),
        ("from 500 mg to 1000 mg", "from 500 milligrams to 1 gram"),
        ("0.9 to 0.4 kg", "900 to 400 grams"),
        ("2.5 x 4 cm", "2.5 x 4 centimetres"),
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
