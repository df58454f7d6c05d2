"""What is around the sentences of a text and no part of them: markup, lists, labels, tables, boxes,
citations, phrases of chat models, and the marks that files and data sets leave.

`normalise.py` says in which order it is undone.
"""
