"""Which annotator gets which items: the same for the same names, overlap and items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from faithkit.records import ConfigError


def assign(
    items: Sequence[str], annotators: Sequence[str], overlap: int | None = None
) -> dict[str, tuple[str, ...]]:
    """Item to annotators, so many for each item that it has `overlap` of them (all without it).

    Each annotator gets as many items as any other, or one fewer. Of the annotators with the fewest
    items those come first that share the fewest with the ones chosen already, so that all pairs of
    annotators have items in common. Raises ConfigError on a repeated name or an impossible overlap.
    """
    if len(set(annotators)) < len(annotators):
        raise ConfigError(f"--annotators names somebody twice: {', '.join(annotators)}")
    most = len(annotators)
    if overlap is not None and not 1 <= overlap <= most:
        raise ConfigError(f"--overlap {overlap}: expected 1 to {most}, the number of annotators")
    load: Counter[str] = Counter()
    shared: Counter[frozenset[str]] = Counter()
    assigned = {}
    for item in items:
        chosen: list[str] = []
        for _ in range(overlap or most):
            left = [name for name in annotators if name not in chosen]
            name = min(left, key=lambda name: (load[name], _shared(shared, name, chosen)))
            chosen.append(name)
            load[name] += 1
        for name in chosen:
            shared.update(frozenset((name, other)) for other in chosen if other < name)
        assigned[item] = tuple(chosen)
    return assigned


def _shared(shared: Counter[frozenset[str]], name: str, chosen: Sequence[str]) -> int:
    return sum(shared[frozenset((name, other))] for other in chosen)
