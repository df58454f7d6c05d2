"""What the commands `calibrate`, `combine`, `agree` and `leaderboard` do.

`judged.py` is the table of scores beside human judgements that they start from; `learning.py` fits
calibrations and combinations; `leaderboard.py` compares summarisers; `annotations.py` annotators.
"""
