"""The suites (`edits`, `gaming`, `counterfactual`, `probes`, `difficulty`): pure functions that
make cases from examples and figures from values. Beside them what they share: `cases`, `choosing`,
`figures`, the edits by `surface` and `wording`, `rewriting` by a chat model, `famous` names and
the `phrases` of gaming.
"""
