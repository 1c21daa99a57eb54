"""The option ``missing``: how segments that a system lacks are treated. `join.py` does it, and batches and logs."""

from __future__ import annotations

from typing import Final

from tercet.errors import OptionError, argument, argument_set, did_you_mean, shorten

LEAVE_OUT: Final = "leave-out"
EMPTY: Final = "empty"
ERROR: Final = "error"
#: What may become of them.
MISSING = (LEAVE_OUT, EMPTY, ERROR)


def check_missing(missing: str) -> None:
    """Raise an OptionError for what is no way to treat segments that a system lacks."""
    if missing not in MISSING:
        hint = did_you_mean(missing, MISSING)
        raise OptionError(f"{argument('missing')} is {', '.join(map(repr, MISSING))}, got {shorten(missing)}. {hint}")


def expected_all() -> str:
    """Return what an error adds of segments that a system lacks, where a user asked for one."""
    return (
        f"Expected all of them: {argument_set('missing', LEAVE_OUT)} leaves them out for every system, "
        f"{argument_set('missing', EMPTY)} scores them as empty texts."
    )
