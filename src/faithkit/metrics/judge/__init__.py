"""Chat models as judges: the metric (`judge.py`), reading what they answered (`answers.py`,
`answers_rated.py`) and their prompts (`prompts/`).
"""
