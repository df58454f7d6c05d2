"""`faithkit bench`: metrics × datasets, scored once, then every statistic from saved values.

`columns.py` is what is known of rows and metrics, `scoring.py` reads and scores, `folder.py` keeps
the values, `thresholds.py` decides, `statistics.py` and `predictions.py` compute, `notes.py` says
what is missing, `tables.py` writes. The statistics themselves are in `meta/`, the readers in
`datasets/`.
"""
