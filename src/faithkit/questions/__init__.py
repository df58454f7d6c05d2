"""Models that ask and answer questions: by rules over the parse (`rules.py`), by a
sequence-to-sequence model (`seq2seq.py`), as clozes that the support model fills (`answering.py`),
and by extractive question answering (`spans.py`). Chat models are worded in
`metrics/questions_chat.py`.
"""
