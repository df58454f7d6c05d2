"""Reports from saved results: plots (`plots.py`), pages (`pages.py`) and their `templates/`."""
