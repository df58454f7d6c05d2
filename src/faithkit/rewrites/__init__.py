"""Sentences changed by rules over the parse: paraphrases (`paraphrases`, `restructuring`) and
planted errors (`entity_errors`, `predicate_errors`).

Shared by the training sentences (`train/corruptions`) and the stress tests (`stress`). Which
sentences are changed, and what becomes of them, is decided there.
"""
