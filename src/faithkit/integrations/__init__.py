"""faithkit inside other tools: the pytest plugin, a pre-commit hook, and for each framework of
evaluation a thin module that is an adapter to `faithkit.Scorer` and no more.

A module imports its framework when it is imported; none of them is imported by faithkit itself.
"""
