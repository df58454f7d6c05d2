"""Numbers, times and names as they are said: one form with what is written."""

from __future__ import annotations

import pytest

from faithkit.language.reading import read


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("the twenty first of june", "June 21"),
        ("on june twenty first, july twenty second", "on June 21, July 22"),
        ("on the thirty first of march nineteen forty two", "on March 31 1942"),
        ("my birthday is june fifteenth", "my birthday is June 15"),
        ("The twenty-third of May", "May 23"),
        ("from the third to the tenth of August", "from August 3 to August 10"),
        ("the twelfth or the nineteenth of may", "May 12 or May 19"),
        ("the twenty first century, twenty-first-century", "the 21st century, 21st century"),
        ("the forty fourth president came in twenty fifth",
         "the 44th president came in 25th"),
        ("the twenty second floor", "the 22nd floor"),
        # not days, nor ordinals
        ("a twenty second delay, a thirty-second clip", "a 20 second delay, a thirty-second clip"),
        ("the twenty first graders", "the 20 first graders"),
        ("the twenty first half points", "the 20 first half points"),
        ("by one twenty-fourth", "by one twenty-fourth"),
        ("In June first responders came, in March second graders.",
         "In June first responders came, in March second graders."),
        ("They march first. A third of June was wet. June's third",
         "They march first. A third of June was wet. June's third"),
    ],
)  # fmt: skip
def test_ordinals_in_two_words_are_one_number(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("his blood pressure is one forty over ninety", "his blood pressure is 140/90"),
        ("a pressure of one hundred and twenty over eighty", "a pressure of 120/80"),
        ("blood pressure 140 over 90", "blood pressure 140/90"),
        ("he weighs one eighty two pounds", "he weighs 182 pounds"),
        ("about six fifty dollars, five fifty a month", "about 650 dollars, 5 50 a month"),
        ("i owe him one fifty a week", "i owe him 150 a week"),
        ("it holds two fifty people", "it holds 250 people"),
        ("about three fifty thousand", "about 350000"),
        ("at four twenty main street, room two twelve", "at 420 main street, room 212"),
        # two numbers
        ("thirty over sixty candidates", "30 over 60 candidates"),
        ("on day one fifty people came", "on day one 50 people came"),
        ("we had two twenty minute talks", "we had 2 20 minute talks"),
        ("for three fifty pound notes", "for 3 50 pound notes"),
        ("about two fifty people left", "about 2 50 people left"),
        ("the room one floor up, room two ten people", "the room one floor up, room 2 10 people"),
    ],
)
def test_hundreds_are_said_without_the_word(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("on oh one six three two nine six oh one double four", "on 01632960144"),
        ("oh seven seven double oh nine hundred one two three", "07700900123"),
        ("the code for the door is one nine oh five", "the code for the door is 1905"),
        (
            "bus number one oh four, at two four six main street",
            "bus number 104, at 246 main street",
        ),
        ("call nine one one", "call 911"),
        ("one two three go", "one 2 3 go"),
        ("one two three four five six seven eight nine", "one 2 3 4 5 6 7 8 9"),
        ("oh one more thing, two three bedroom flats", "oh one more thing, 2 3 bedroom flats"),
    ],
)
def test_digits_one_by_one_are_one_number(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("a hundred and and twenty people", "120 people"),
        ("a hundred and uh twenty, two hundred uh and fifty", "120, 250"),
        ("a hundred and, um, maybe more", "100 and, um, maybe more"),
        ("twenty um five", "25"),
    ],
)
def test_a_filler_within_a_number_is_left_out(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("it was twenty nineteen when we met", "it was 2019 when we met"),
        ("in march of twenty twenty covid hit", "in march of 2020 covid hit"),
        ("the summer of nineteen seventy six was hot", "the summer of 1976 was hot"),
        ("the nineteen ninety two election", "the 1992 election"),
        ("the twenty twelve olympics", "the 2012 olympics"),
        ("the class of ninety eight", "the class of 1998"),
        ("july fourth nineteen oh five", "July 4 1905"),
        ("the twenty ten pound notes", "the 20 10 pound notes"),
        ("a group of twenty twelve year olds", "a group of 20 12 year olds"),
        ("It was twenty twenty vision", "It was 20 20 vision"),
        ("a class of thirty pupils", "a class of 30 pupils"),
    ],
)
def test_years_in_words_are_told_by_what_stands_around(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("at ten to three, until twenty past two", "at 2:50, until 2:20"),
        ("It's five to one. It's ten minutes to six.", "It is 12:55. It is 5:50."),
        ("at twenty five past six", "at 6:25"),
        ("Doors open at half seven.", "Doors open at 7:30."),
        ("it has moved to quarter to three", "it has moved to 2:45"),
        ("leaves at nineteen forty five", "leaves at 7:45 pm"),
        ("The meeting is at six thirty.", "The meeting is at 6:30."),
        ("at seven forty-five pm", "at 7:45 pm"),
        ("at six oh five", "at 6:05"),
        ("prices fell by five to six percent", "prices fell by 5 to 6 percent"),
        ("They won ten to three. Open from ten to three.", "They won 10 to 3. Open from 10 to 3."),
        ("the odds were at ten to two", "the odds were at 10 to 2"),
        ("it sold at five to six dollars", "it sold at 5 to 6 dollars"),
        ("She walked past six houses, ten past six men.",
         "She walked past 6 houses, 10 past 6 men."),
        ("at half three quarters", "at half 3 quarters"),
        ("shares closed at six thirty, we are at eleven twenty",
         "shares closed at 6 30, we are at 11 20"),
        ("at eleven twelve people left", "at 11 12 people left"),
    ],
)  # fmt: skip
def test_times_in_words_are_times(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("the ticket is two pound fifty", "the ticket is 2.5 pounds"),
        ("three dollars fifty each", "3.5 dollars each"),
        ("five dollars and ninety nine cents", "5.99 dollars"),
        ("It's a tenner per house, I owe you a fiver.",
         "It is 10 pounds per house, I owe you 5 pounds."),
        ("two dollars fifty people gave", "2 dollars 50 people gave"),
        ("five pounds and ten children", "5 pounds and 10 children"),
        ("a fiver, 5 euros", "a fiver, 5 euros"),
    ],
)  # fmt: skip
def test_prices_are_said_without_pence(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("she works for the b b c", "she works for the BBC"),
        ("a d n a test", "a DNA test"),
        ("options a b c, the x y z axis, i b elieve", "options a b c, the x y z axis, i b elieve"),
        ("Rovers won three-nil, 2-nil, nil nil", "Rovers won 3 to 0, 2 to 0, 0 to 0"),
        ("Nil by mouth", "Nil by mouth"),
        ("He waited 1hr 10 at the gate.", "He waited 1 hour 10 minutes at the gate."),
        ("1 hour 30 people came", "1 hour 30 people came"),
    ],
)
def test_letters_scores_and_hours_are_as_they_are_written(text: str, plain: str) -> None:
    assert read(text).text == plain


def test_what_is_said_is_mapped_to_its_words() -> None:
    text = "he owes about six fifty dollars"
    form = read(text)
    start = form.text.index("650")
    assert text[slice(*form.span(start, start + 3))] == "six fifty"
