"""Rich's Console and Text for texts of the user's: nothing in them is a command or markup.

What is a command to a terminal is said in `screen.py`, which needs no Rich and so is quick to load.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text as RichText

from faithkit.control import neutral


class Text(RichText):
    """Rich's Text of a neutral text, so that what is measured is what is shown."""

    def __init__(self, text: str = "", *args: Any, **options: Any) -> None:
        super().__init__(neutral(text), *args, **options)

    def append(self, text: RichText | str, *args: Any, **options: Any) -> Text:
        super().append(neutral(text) if isinstance(text, str) else text, *args, **options)
        return self


class Screen(Console):
    """Rich's Console that takes no text for markup or for an emoji's name, and shows only what is
    neutral besides its own colours.

    error  standard error instead of standard output
    width  in columns; None: the terminal's
    """

    def __init__(self, *, error: bool = False, width: int | None = None) -> None:
        stream = sys.stderr if error else sys.stdout
        super().__init__(
            file=getattr(stream, "unguarded", stream),
            markup=False,
            emoji=False,
            highlight=False,
            width=width,
        )

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """See `Console.render`."""
        for segment in super().render(renderable, options):
            if segment.control:
                yield segment
            else:
                yield Segment(neutral(segment.text), segment.style)
