"""Metrics learned from human judgements: a combination (`combine.py`, over `components.py`) and a
calibration (`calibrated.py`).
"""
