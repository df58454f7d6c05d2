"""`faithkit reproduce`: a published table as a declarative recipe, ours beside the published cells.

A recipe is a TOML file of `recipes/` (or the user's own). `recipes.py` reads it, `plans.py` says
what it needs and what is taken where that is missing, `kinds/` runs it with what `bench`,
`combine`, `agree`, `stress` and `leaderboard` are made of, `tables.py` writes the result, and
`listing.py` the list of recipes with their state. Nothing is computed here that those commands do
not compute.
"""
