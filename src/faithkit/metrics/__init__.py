"""Metrics: `base.py` is the contract, `registry.py` the table of metrics and how a request becomes
an instance; one file per mechanism beside them, judges in `judge/`, learned metrics in `learned/`.
"""
