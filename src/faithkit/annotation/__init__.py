"""Annotation by people: tasks, the store of what annotators did, agreement and export.

The pages in the browser are in `faithkit.web`; this package needs no server.
"""
