"""`faithkit bench`: metrics × datasets, scored once, then every statistic from saved values.

`folder.py` keeps the values, `thresholds.py` decides, `statistics.py` and `predictions.py` compute,
`notes.py` words what is missing, `tables.py` writes. The table they work on is in `judged.py`, the
statistics themselves are in `meta/`, the readers in `datasets/`.
"""
