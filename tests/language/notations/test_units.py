"""Units as `reading.read` writes them, and what they are divided by."""

from __future__ import annotations

import pytest

from faithkit.language.reading import read
from faithkit.language.words import words


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("5mg, 5 mg, 500ml", "5 milligrams, 5 milligrams, 500 millilitres"),
        ("10g, 5 g, 5g of sugar", "10 grams, 5 grams, 5 grams of sugar"),
        ("a 5g mast, 5G", "a 5g mast, 5G"),
        ("5 lbs, 5lb, 3 oz", "5 pounds, 5 pounds, 3 ounces"),
        ("256GB, 5 MB, 100 Mb", "256 billion bytes, 5 million bytes, 100 Mb"),
        ("2TB | 2 TB | 2 TB cases", "2 trillion bytes | 2 trillion bytes | 2 TB cases"),
        ("30 MW, 5 kWh", "30 million watts, 5000 watt hours"),
        ("30°, 30°C", "30 degrees, 30 degrees Celsius"),
        ("It reached 31C in the shade.", "It reached 31 degrees Celsius in the shade."),
        ("Highs of 72 F, lows of 1C", "Highs of 72 degrees Fahrenheit, lows of 1 degree Celsius"),
        ("It was cold in flat 31-C, seat 12D.", "It was cold in flat 31-C, seat 12D."),
        ("Bake at 350F/177C.", "Bake at 350 degrees Fahrenheit (177 degrees Celsius)."),
        ("Bake at 180C/160C.", "Bake at 180 degrees Celsius/160 degrees Celsius."),
        ("She sat in seat 31C.", "She sat in seat 31C."),
        ("5'10\" tall, 5’10 tall", "5 feet 10 inches tall, 5 feet 10 inches tall"),
        ("5ft 10in, 6 ft 2 in.", "5 feet 10 inches, 6 feet 2 inches."),
        ("'5' and 6'40\"", "'5' and 6'40\""),
        ("He is 6ft 2in and 9st 4lb.", "He is 6 feet 2 inches tall and 9 stone 4 pounds."),
        ("She was 5'2\" tall. The sofa is 6ft 2in.",
         "She was 5 feet 2 inches tall. The sofa is 6 feet 2 inches."),
        ("He is 6 foot 2. a 6 foot 2 by 4", "He is 6 feet 2 inches tall. a 6 foot 2 by 4"),
        ("He weighs nine stone four. He weighs 14st.",
         "He weighs 9 stone 4 pounds. He weighs 14 stone."),
        ("It is in 14st.", "It is in 14st."),
        ("5 stone 3 walls, 1st 4 lb, 21st 4lb", "5 stone 3 walls, 1st 4 pounds, "
         "21st 4 pounds"),
        ("47 kΩ, 47 kilohms, 47 MΩ", "47 kiloohms, 47 kiloohms, 47 megaohms"),
        ("6.4 eV, 22 µH, 22 mH, 10 uF", "6.4 electronvolts, 22 microhenries, 22 millihenries, "
         "10 microfarads"),
        ("12 kts, 972 hPa, 972 mbar, 400 ppm, 400 ppb", "12 knots, 972 millibars, 972 millibars, "
         "400 parts per million, 400 parts per billion"),
        ("650 m2, 650 m², 650 sq m, 650 sqm, 20 m3",
         "650 square metres, 650 square metres, 650 square metres, 650 square metres, "
         "20 cubic metres"),
        ("2 tsp sugar, 2 Tbsp. sugar, 3 tbsp oil, 2 gal of milk",
         "2 teaspoons sugar, 2 tablespoons sugar, 3 tablespoons oil, 2 gallons of milk"),
        ("6 wks, 6wks, 12 mo, 24 mths, 24 mos. old",
         "6 weeks, 6 weeks, 12 months, 24 months, 24 months old"),
        ("3 ha, 40 cl, 350ms, 240 µm, 240 microns",
         "3 hectares, 40 centilitres, 0.35 seconds, 240 micrometres, 240 micrometres"),
        ("20 µL, 20 ul, 20 μl", "20 microlitres, 20 microlitres, 20 microlitres"),
        ("220 degrees C, 425 degrees F, 5 deg C",
         "220 degrees Celsius, 425 degrees Fahrenheit, 5 degrees Celsius"),
        ("St. Louis 5 MO, the 2 gals, 5 T", "St. Louis 5 MO, the 2 gals, 5 T"),
        ("53.4°N, 2.98° W", "53.4 degrees north, 2.98 degrees west"),
    ],
)  # fmt: skip
def test_units_are_written_out(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Roast it at 220C, then preheat to 425F.",
         "Roast it at 220 degrees Celsius, then preheat to 425 degrees Fahrenheit."),
        ("The lamp uses 60W.", "The lamp uses 60 watts."),
        ("The power failed at 53.4 N, 2.98 W.", "The power failed at 53.4 N, 2.98 W."),
        ("A stamp costs 85p.", "A stamp costs 85 pence."),
        ("The tank holds 2 L.", "The tank holds 2 litres."),
        ("Potassium 3.1 L, flat 5 L", "Potassium 3.1 L, flat 5 L"),
        ("Shares fell 3p to 250p.", "Shares fell 3 pence to 250 pence."),
        ("A 1080p screen costs £300.", "A 1080p screen costs 300 pounds."),
        ("It superconducts at 77 K.", "It superconducts at 77 kelvin."),
        ("The 5p arm, 60W, 77 K and 31C", "The 5p arm, 60W, 77 K and 31C"),
        ("Flat 31C was cold.", "Flat 31C was cold."),
    ],
)  # fmt: skip
def test_what_a_text_is_about_says_which_unit_a_letter_is(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("½ tsp, 1/2 tsp, half a tsp, ½ tsp. of",
         "half a teaspoon, half a teaspoon, half a teaspoon, half a teaspoon of"),
        ("1/2 hr, ½ hour, half an hr", "0.5 hours, 0.5 hours, 0.5 hours"),
        ("¾ cup, 3/4 cups, ⅓ pint, 1/4 mile",
         "3 quarters of a cup, 3 quarters of a cup, a third of a pint, 0.25 miles"),
        ("1½ tsp, 2 1/4 tsp", "1.5 teaspoons, 2.25 teaspoons"),
        ("half hour, a half-hour show, 1/2 tablets, on 1/2",
         "half hour, a half-hour show, 1/2 tablets, on 1/2"),
    ],
)  # fmt: skip
def test_a_part_of_one_unit_has_one_form(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("88 umol, 88 µmol, 88 μmol", "88 micromoles, 88 micromoles, 88 micromoles"),
        ("5 ug, 5 µg, 5 mcg", "5 micrograms, 5 micrograms, 5 micrograms"),
        ("5 mmol, 400 IU, 400IU a day, 1 mmHg",
         "5 millimoles, 400 international units, 400 international units a day, "
         "1 millimetre of mercury"),
        ("Ca 2.1 Mg 0.7, 5 IU students, .800 FT%", "Ca 2.1 Mg 0.7, 5 IU students, 0.800 FT%"),
        # Capitals tell units apart.
        ("5 mSv and 5 MSv", "5 millisieverts and 5 MSv"),
        ("10 mM, 10 mm and 10 MM", "10 millimolar, 10 millimetres and 10 MM"),
        ("5 mL, 5 ml and 5 ML", "5 millilitres, 5 millilitres and 5 ML"),
        ("5 mW, 5 MW, 5 mPa, 5 MPa, 5 nM, 5 nm",
         "5 milliwatts, 5 million watts, 5 millipascals, 5 megapascals, 5 nanomolar, 5 nm"),
    ],
)  # fmt: skip
def test_units_of_laboratories_have_one_form(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("5 mg/kg, 5mg per kg", "5 milligrams per kilogram, 5 milligrams per kilogram"),
        ("5 µg/kg/min", "5 micrograms per kilogram per minute"),
        ("2 L/min, 3.4 mmol/L, 8 g/dL",
         "2 litres per minute, 3.4 millimoles per litre, 8 grams per decilitre"),
        ("90 mL/min/1.73m2", "90 millilitres per minute per 1.73 square metres"),
        ("88/min, 12/day, 4.5 x 10^9/L",
         "88 per minute, 12 per day, 4.5 times 10 to the power of 9 per litre"),
        ("$5/month, $5m/year, 100 people/km2, 5 tablets/day",
         "5 dollars per month, 5 million dollars per year, 100 people per square kilometre, "
         "5 tablets per day"),
        ("£5-10/month, 5-10/day, COVID-19/day",
         "5 pounds to 10 pounds per month, 5 to 10 per day, COVID-19/day"),
        ("24/7, 9/11, 5 and/or 6, a 1 week/month let",
         "24/7, 9/11, 5 and/or 6, a 1 week/month let"),
        ("5 mg/5 ml, 10 km/h, HER2/neu", "5 milligrams/5 millilitres, 10 kilometres per hour, "
         "HER2/neu"),
    ],
)  # fmt: skip
def test_what_an_amount_is_divided_by_is_written_out(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("12bps, 12 basis points, a 12-basis-point cut",
         "0.12 percentage points, 0.12 percentage points, a 0.12 percentage points cut"),
        ("rates rose 25bp, 1 basis point",
         "rates rose 0.25 percentage points, 0.01 percentage points"),
        ("a 25 bp deletion", "a 25 bp deletion"),
        ("fell 0.5pp to 5%", "fell 0.5 percentage points to 5 percent"),
        ("0.5 percentage points, 2 % points", "0.5 percentage points, 2 percentage points"),
        ("a book (250pp), 3.5 ppt of salt", "a book (250pp), 3.5 ppt of salt"),
    ],
)  # fmt: skip
def test_points_have_one_form(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("100rps, 100 req/s, 100 requests/s",
         "100 requests per second, 100 requests per second, 100 requests per second"),
        ("5 req/min, 100 QPS, 50 TPS, 50 tok/s", "5 requests per minute, "
         "100 queries per second, 50 transactions per second, 50 tokens per second"),
        ("The API limit is 600 RPM and 90k TPM.",
         "The API limit is 600 requests per minute and 90000 tokens per minute."),
        ("The engine runs at 600 RPM.", "The engine runs at 600 RPM."),
        ("The model writes 50 TPS.", "The model writes 50 TPS."),
        ("512Mi, 512 MiB, 1Gi", "512 mebibytes, 512 mebibytes, 1024 mebibytes"),
        ("cpu: 250m, the CPU limit is 250m, 250 millicores",
         "cpu: 0.25 cores, the CPU limit is 0.25 cores, 0.25 cores"),
        ("cpu use rose 5 m, 500m", "cpu use rose 5 m, 500m"),
        ("4xA100, 3xL, 10x faster, 2x4", "4 A100, 3xL, 10x faster, 2x4"),
    ],
)  # fmt: skip
def test_what_engineers_count_has_one_form(text: str, plain: str) -> None:
    assert read(text).text == plain


def test_each_word_of_a_coordinate_points_to_all_of_it() -> None:
    result = read("at 53.4°N")
    assert {result.span(word.start, word.end) for word in words(result.text)[1:]} == {(3, 9)}


def test_parts_of_a_unit_point_to_their_own_characters() -> None:
    text = "5mg/kg bd"
    result = read(text)
    assert [
        (word.text, text[slice(*result.span(word.start, word.end))]) for word in words(result.text)
    ] == [
        ("5", "5"), ("milligrams", "mg"), ("per", "/"), ("kilogram", "kg"),
        ("twice", "bd"), ("a", "bd"), ("day", "bd"),
    ]  # fmt: skip
