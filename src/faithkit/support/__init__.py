"""The support model: evidence selection and word-level features (`evidence.py`), the network
(`network.py`), the trained model over an encoder (`model.py`) and its weights (`weights/`).
"""
