"""Where the tests find files of the repository, and data beside it."""

from __future__ import annotations

from pathlib import Path

HELPERS = Path(__file__).parent
ROOT = HELPERS.parents[1]
EXAMPLES = ROOT / "examples"
SHARED_DATA = ROOT.parent / "shared" / "data"
"""Real data that is no part of the repository; tests that need it skip without it."""
