"""faithkit in other tools: the pytest plugin, a pre-commit hook, and for each evaluation framework
a thin adapter of `faithkit.Scorer`.

Each module imports its framework. faithkit itself imports none of these modules.
"""
