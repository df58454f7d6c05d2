"""Terms and codes of parties, read as their names."""

from __future__ import annotations

import pytest

from faithkit.language.normalise import plain_source, plain_summary

LEASE = 'Anna Cole ("the Landlord") lets it to Ben Drew ("the Tenant"). The Tenant pays.'


def last(text: str) -> str:
    """The last sentence of a source as it is read."""
    return plain_source(text).text.rsplit(". ", 1)[-1].rsplit("\n", 1)[-1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (LEASE, "Ben Drew pays."),
        ('VEGA FARMS LIMITED (hereinafter "the Borrower") agrees. The Borrower\'s rate rises.',
         "Vega Farms Limited's rate rises."),
        ("Ben Drew, hereinafter referred to as the Tenant, agrees. It binds the Tenant.",
         "It binds Ben Drew."),
        ('By and between Acme, Inc., a Delaware corporation ("Seller"), and Vega LLC ("Buyer"). '
         "Seller ships to Buyer.", "Acme, Inc ships to Vega LLC."),
        ("Landlord: Anna Cole\nTenant: Ben Drew\n\nThe Tenant pays tax.", "Ben Drew pays tax."),
        ('(1) ANNA COLE ("the Landlord")\n(2) BEN DREW ("the Tenant")\n\nThe Tenant pays.',
         "Ben Drew pays."),
        ("Simon Ash (W1) and Joanne Pell (V1) came. V1 saw W1.", "Joanne Pell saw Simon Ash."),
        ("V1 = Joanne Pell; W1 = Simon Ash. V1's door was shut.", "Joanne Pell's door was shut."),
        ('Bank of Kent (the "Lender") agrees. The Lender pays.', "Bank of Kent pays."),
    ],
)  # fmt: skip
def test_a_term_is_read_as_the_name_that_it_stands_for(text: str, expected: str) -> None:
    assert last(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        'Kestrel Bank plc (the "Bank") agrees. The Bank pays.',  # says itself who it is
        'Claire Foy ("The Crown") stars. The Crown was renewed.',
        'Acme and Vega (the "Agreement") agree. The Agreement ends.',
        'The board of Vega plc (the "Company") met. The Company pays.',
        'Anna Cole and Ben Drew ("the Tenant") agree. The Tenant pays.',
        'Ben Drew of 14 High Street, Leeds ("the Tenant") agrees. The Tenant pays.',
        'Ben Drew ("the Tenant") agrees. Any Tenant pays.',
        'Ben Drew ("the Tenant") agrees. Ben Drew is the Tenant.',
        'Ben Drew ("the Tenant") agrees. The Tenant is Ben Drew.',
        'Ben Drew ("the Tenant") agrees. The Tenant Handbook says so.',
        'Ben Drew ("the Tenant") agrees. The tenant next door pays.',
        "Alma Lee (B12) agrees. B12 is a vitamin.",
        "Manager: Good Morning\nManager: Yes\nManager: No\nThe Manager left.",
        "The Tenant pays. Ben Drew (Tenant) agrees.",  # below it nothing is said
        "Rated ($X = 3)",
        "",
    ],
)
def test_other_words_stay(text: str) -> None:
    assert last(text) == text.rsplit(". ", 1)[-1].rsplit("\n", 1)[-1]


@pytest.mark.parametrize(
    ("summary", "expected"),
    [
        ("The Tenant pays.", "Ben Drew pays."),
        ("It is the tenant's duty.", "It is Ben Drew's duty."),
        ("Ben Drew is the tenant.", "Ben Drew is the tenant."),
        ("The landlord is Anna Cole.", "The landlord is Anna Cole."),
        ("Ben Drew, the tenant, pays.", "Ben Drew, the tenant, pays."),
        ("Ben Drew (the tenant) pays.", "Ben Drew (the tenant) pays."),
        ("Tenants pay.", "Tenants pay."),
    ],
)
def test_a_summary_is_read_with_the_terms_of_its_source(summary: str, expected: str) -> None:
    assert plain_summary(summary, LEASE).text == expected


def test_small_letters_say_nothing_where_the_source_has_them_of_another() -> None:
    source = LEASE + " The last tenant left in May."
    assert plain_summary("The tenant pays.", source).text == "The tenant pays."


def test_a_name_is_mapped_to_its_term() -> None:
    form = plain_source(LEASE)
    start = form.text.rindex("Ben Drew")
    first, last = form.span(start, start + 8)
    assert LEASE[first:last] == "The Tenant"
