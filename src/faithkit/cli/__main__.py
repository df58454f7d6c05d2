"""`python -m faithkit.cli` is the `faithkit` program."""

from faithkit.cli import main

main()
