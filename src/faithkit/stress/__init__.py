"""Does a metric measure faithfulness? Suites of cases with a known answer, for any metric [STRESS].

`suites/` makes cases and figures and scores nothing; `verdicts.py` has the rules of pass and fail,
`run.py` scores and keeps, `page.py` shows.
"""
