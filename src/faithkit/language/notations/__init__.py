"""Ways of writing one thing, read as one: numbers, units, money, times, dates, signs, short forms.

Each file is about one kind. `reading.py` says in which order they are read.
"""
