"""Times in the names of files and folders -> the instants that they are."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone

#: How a date begins that lm-evaluation-harness, lighteval and inspect-ai write in names of files.
DATE = r"\d{4}-\d\d?-\d\d?"
#: A date and a time as lmms-eval, OpenCompass and deepeval write them.
COMPACT = r"\d{8}_\d{6}"
#: Either; the first, perhaps, with what it is ahead of UTC, as inspect-ai writes it.
_MOMENT = re.compile(
    rf"(?P<spelled>{DATE}[T ]\d\d?[-:]\d\d?[-:]\d\d?)(?:[.,](?P<fraction>\d{{1,9}}))?"
    r"(?:(?P<sign>[+-])(?P<hours_ahead>\d\d)[-:]?(?P<minutes_ahead>\d\d)(?!\d)|Z)?"
    rf"|(?<!\d)(?P<compact>{COMPACT})(?!\d)"
)
#: Before any other: that of a path without a time.
NEVER = datetime.min.replace(tzinfo=timezone.utc)


def is_moment(name: str) -> bool:
    """Return whether a name is a time."""
    return _MOMENT.fullmatch(name) is not None


def last_moment(path: str) -> str:
    """Return the last time in a path, as it is written; "" where there is none."""
    text = ""
    for match in _MOMENT.finditer(path):
        text = match[0]
    return text


def without_moments(path: str) -> str:
    """Return a path without the times in it."""
    return _MOMENT.sub("", path)


def instant(moment: str) -> datetime:
    """Return the instant of a time, which is that of UTC where it does not say how far it is ahead.

    >>> instant("2026-1-9T10-20-30") < instant("2026-01-10T09-00-00") < instant("2026-01-10T10-30-00+01-00")
    True
    """
    match = _MOMENT.fullmatch(moment)
    if match is None:
        return NEVER
    numbers = re.findall(r"\d+", match["spelled"] or "")
    if match["compact"]:
        numbers = re.findall(r"\d{4}(?=\d{4}_)|\d\d", match["compact"])
    year, month, day, hour, minute, second = map(int, numbers)
    ahead = timedelta(hours=int(match["hours_ahead"] or 0), minutes=int(match["minutes_ahead"] or 0))
    if match["sign"] == "-":
        ahead = -ahead
    # Digits behind the sixth are less than a microsecond.
    microsecond = int((match["fraction"] or "").ljust(6, "0")[:6])
    try:
        return datetime(year, month, day, hour, minute, second, microsecond, tzinfo=timezone(ahead))
    except ValueError:
        # Digits that are no time.
        return NEVER
