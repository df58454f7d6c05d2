"""Faithfulness metrics of other packages (deepeval, ragas, LlamaIndex) as metrics of faithkit, so
that they can be scored, benched and stressed like any other.

`base.py` runs them, `judging.py` is the chat model that they ask; each other file is one package,
by whose own code the numbers are made. Their names are `registry.FRAMEWORKS`.
"""
