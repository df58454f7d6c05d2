"""`faithkit bench`: metrics × datasets, scored once, then every statistic from saved values.

`scoring.py` makes and keeps the values, `statistics.py` computes on them, `tables.py` writes them.
The statistics themselves are in `meta/`, the readers in `datasets/`.
"""
