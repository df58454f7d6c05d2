"""Chat models: `local.py` runs one here, `endpoint.py` asks one behind an API, `transcripts.py`
stores what they answered and keeps texts from passing for the marks of a chat template.
"""
