"""From saved scores to statistics: what `bench`, `calibrate`, `combine`, `agree` and `leaderboard`
do.

`judged.py` is the judged table that all but `agree` work on, `examples.py` reads its rows and
`scoring.py` its columns. `bench/` is `faithkit bench`; `learning.py` fits calibrations and
combinations; `leaderboard.py` compares summarisers; `annotations.py` annotators.
"""
