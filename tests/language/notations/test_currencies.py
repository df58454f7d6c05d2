"""Currencies and scales that stand beside an amount, put behind it."""

from __future__ import annotations

import pytest

from faithkit.language.mapped import identity_map
from faithkit.language.notations.currencies import with_currencies


def written(text: str, *, source: bool = True) -> str:
    return with_currencies(identity_map(text), source=source).text


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("Total (EUR): 473.67", "Total (EUR): 473.67 EUR"),
        ("Total [€]: 473.67.", "Total [€]: 473.67 euros."),
        ("Amount EUR: 1,204 (net)", "Amount EUR: 1,204 EUR (net)"),
        ("Hourly rate (EUR): 45", "Hourly rate (EUR): 45 EUR"),
        ("Revenue ($k): 560", "Revenue ($k): 560 thousand dollars"),
        ("Revenue (€m): 3.4", "Revenue (€m): 3.4 million euros"),
        ("Revenue (in thousands of dollars): 560",
         "Revenue (in thousands of dollars): 560 thousand dollars"),
        ("Budget ($ in millions): 5", "Budget ($ in millions): 5 million dollars"),
        ("Population (millions): 3.2", "Population (millions): 3.2 million"),
        ("price_usd: 40", "price_usd: 40 USD"),
        ('"salaryEur": 71500, "age": 30', '"salaryEur": 71500 EUR, "age": 30'),
        ("revenue_usd_k=560", "revenue_usd_k=560 thousand USD"),
        ("Total: 473.67 (EUR)", "Total: 473.67 EUR"),
    ],
)  # fmt: skip
def test_the_unit_of_a_label_is_that_of_its_amount(given: str, expected: str) -> None:
    assert written(given) == expected
    assert written(given, source=False) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ('{"total": 473.67, "items": 3, "currency": "EUR"}',
         '{"total": 473.67 EUR, "items": 3, "currency": "euros"}'),
        ('{"total": {"amount": 473.67, "currency": "EUR"}}',
         '{"total": {"amount": 473.67 EUR, "currency": "euros"}}'),
        ('[{"price": 5, "currency": "EUR"}, {"price": 7, "currency": "USD"}]',
         '[{"price": 5 EUR, "currency": "euros"}, {"price": 7 USD, "currency": "dollars"}]'),
    ],
)  # fmt: skip
def test_an_object_says_its_currency(given: str, expected: str) -> None:
    assert written(given) == expected
    assert written(given, source=False) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("total: 473.67\ncurrency: EUR", "total: 473.67 EUR\ncurrency: euros"),
        ("- price: 5\n  currency: EUR\n- price: 7\n  currency: USD",
         "- price: 5 EUR\n  currency: euros\n- price: 7 USD\n  currency: dollars"),
        ("Currency: EUR\n\nInvoice: 1042\nShipping: 4.50\nShips in days: 3\nAmount due: 40",
         "Currency: euros\n\nInvoice: 1042\nShipping: 4.50 EUR\nShips in days: 3\n"
         "Amount due: 40 EUR"),
        ("All amounts in EUR.\nTotal: 473", "All amounts in EUR.\nTotal: 473 EUR"),
        ("Prices are in € incl. VAT\nSoup: 7.50\nTable: 7",
         "Prices are in € incl. VAT\nSoup: 7.50 euros\nTable: 7"),
        ("All figures in EUR m.\nTotal: 4.5\nStaff: 12.50",
         "All figures in EUR m.\nTotal: 4.5 million EUR\nStaff: 12.50"),
    ],
)  # fmt: skip
def test_a_source_says_the_currency_of_its_amounts(given: str, expected: str) -> None:
    assert written(given) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("| Item | Amount (EUR) |\n|---|---|\n| Total | 473.67 |\n| Tax | n/a |",
         "| Item | Amount (EUR) |\n|---|---|\n| Total | 473.67 EUR |\n| Tax | n/a |"),
        ("Item\tAmount EUR\nTotal\t473.67", "Item\tAmount EUR\nTotal\t473.67 EUR"),
        ("item,amount_eur,qty\ntotal,40,3", "item,amount_eur,qty\ntotal, 40 EUR,3"),
        ("| Region | Revenue ($k) |\n| North | 560 |",
         "| Region | Revenue ($k) |\n| North | 560 thousand dollars |"),
        ("| Metric | 2024 | Change |\n| Revenue ($m) | 560 | 16.7 |\n| Staff | 30 | 2 |",
         "| Metric | 2024 | Change |\n| Revenue ($m) | 560 million dollars | 16.7 |\n"
         "| Staff | 30 | 2 |"),
        ("order,amount,currency\nA,40,EUR\nB,30,USD",
         "order,amount,currency\nA, 40 EUR,EUR\nB, 30 USD,USD"),
        ("| Price (USD) | 14 |\n| Size | 3 |", "| Price (USD) | 14 USD |\n| Size | 3 |"),
        ("All amounts in EUR.\n\n| Item | Qty | Price |\n|---|---|---|\n| Pump | 2 | 40 |",
         "All amounts in EUR.\n\n| Item | Qty | Price |\n|---|---|---|\n| Pump | 2 | 40 EUR |"),
    ],
)  # fmt: skip
def test_the_unit_of_a_column_or_row_is_that_of_its_cells(given: str, expected: str) -> None:
    assert written(given) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Exchange rate (USD): 1.08",
        "eur_usd: 1.08",
        "Interest rate (USD): 5.25",
        "amount_usd_cents: 4000",
        '{"amount": 47367, "currency": "usd"}',  # of Stripe: in cents
        "Coagulation (INR): 2.5",
        "has_cad: 1",
        "Distance (m): 40",
        "Revenue (k): 40",
        "Price (EUR): 40%",
        "Price (EUR): 40 to 50",
        "Price (EUR): €40",
        "Year: 2023 (EUR)",
        "Table 3 (USD) shows 40.",
        "At 10:30 (EUR) it rose.",
        "Sales of the shop in Lyon: 40",
        "Prices in Paris rose.\nTotal: 40",
        "All amounts in EUR unless stated otherwise.\nTotal: 40",
        "All amounts in EUR.\nTotal: 40\nPaid in USD",
        "| Metric | Revenue ($m) |\n| Leeds | - |",
    ],
)
def test_another_number_stays(text: str) -> None:
    assert written(text) == text


def test_what_is_put_behind_an_amount_is_mapped_to_it() -> None:
    form = with_currencies(identity_map("Total (EUR): 40"), source=True)
    start = form.text.rindex("EUR")
    assert form.span(start, start + 3) == (13, 15)


def test_of_a_summary_no_other_line_is_read() -> None:
    text = "Total: 40\nAll amounts in EUR"
    assert written(text, source=False) == text
