"""English: sentences, words, the parse, plain form and normalisation, synonyms, triples and roles.

`sentences`, `words`, `case`, `parse` and `coreference` take a text into pieces with character
offsets (`pipeline` loads spaCy); `normalise` gives its plain form by the steps in `layout/` and
`speech/`, `reading` one form of each number, date and negation by the rules in `notations/`;
`inflection` and `thesaurus` are about single words;
`relations` reads (subject, relation, object) triples off the parse; `identification` says whether
a text is English prose. Importing any of them loads neither spaCy nor NumPy.
"""
