"""From saved scores to statistics: what `bench`, `calibrate`, `combine`, `agree` and `leaderboard`
do.

`bench/` is `faithkit bench`; `judged.py` is the table of scores beside human judgements that the
others start from; `learning.py` fits calibrations and combinations; `leaderboard.py` compares
summarisers; `annotations.py` annotators.
"""
