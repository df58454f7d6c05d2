"""promptfoo: faithkit as a Python assertion, `get_assert`. Made for promptfoo 0.12x.

A file beside the configuration imports it, because promptfoo wants a path:

    # faithful.py
    from faithkit.integrations.promptfoo import get_assert

    # promptfooconfig.yaml
    assert:
      - type: python
        value: file://faithful.py
        config: {source: article, at_least: 0.5}
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from faithkit.records import ConfigError, DataError
from faithkit.testing import graded

OPTIONS = ("source", "metric", "at_least")


def get_assert(output: str, context: Mapping[str, Any]) -> dict[str, Any]:
    """Grades an output against its source, which is a variable of the test.

    The assertion's `config`:
    source    the variable that holds the source (default: `source`)
    metric    a metric of faithkit (default: `support`)
    at_least  the lowest value that passes; default: every verdict except "not consistent" passes

    An output that cannot be scored fails with the score 0, since promptfoo needs a number, and with
    the outcome as the reason. Raises ConfigError on an unknown option, and DataError if the test
    lacks the variable; promptfoo shows these errors.
    """
    config = context.get("config") or {}
    for name in config:
        if name not in OPTIONS:
            raise ConfigError(f"config: no option '{name}'; there are {', '.join(OPTIONS)}")
    variable = config.get("source", "source")
    if variable not in context["vars"]:
        raise DataError(f"the test has no variable '{variable}', which should hold the source")
    found, reason = graded(
        output,
        str(context["vars"][variable]),
        metric=config.get("metric", "support"),
        at_least=config.get("at_least"),
    )
    return {
        "pass": not reason,
        "score": found.value or 0.0,
        "reason": "\n\n".join(filter(None, (reason, str(found)))),
    }
