"""Gates: conditions that the rows of a run must meet, and reports of failures.

`conditions.py` reads `--fail-if`, `gate.py` collects the rows and decides, `baseline.py` compares
with an earlier run; `junit.py`, `sarif.py` and `github.py` write reports.
"""
