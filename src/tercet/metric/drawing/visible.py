"""Names from user input, escaped for terminals and tables."""

from __future__ import annotations

import re

# Controls (of the terminal too), line ends of Unicode, what turns the direction of all that follows, half characters.
# What shapes letters or joins emoji is none of them.
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def visible(text: object) -> str:
    """Return a text on one line with escapes for control characters."""
    return _UNSEEN.sub(lambda match: match[0].encode("unicode_escape").decode(), str(text))


def one_cell(text: str) -> str:
    """Return a name for a cell of a table: white space becomes a space, the rest visible."""
    return visible(" ".join(text.split()))
