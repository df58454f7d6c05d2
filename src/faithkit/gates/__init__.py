"""Gates: what must hold of the rows of a run, and how a failure is told to people and machines.

`conditions.py` reads `--fail-if`, `gate.py` collects the rows and decides, `baseline.py` compares
with an earlier run; `junit.py`, `sarif.py` and `github.py` write what came of it.
"""
