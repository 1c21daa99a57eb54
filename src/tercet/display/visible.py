"""Names of others, as a terminal or a table shows them and does not obey them."""

from __future__ import annotations

import re

# Controls (of the terminal too), line ends of Unicode, what turns the direction of all that follows, half characters.
# What shapes letters or joins emoji is none of them.
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def visible(text: object) -> str:
    r"""Return a text on one line with an escape for each character that would do something instead of being seen.

    Examples
    --------
    >>> print(visible("my\x1b[2Jsystem\n"), visible("ab\u202ecd"), visible("می\u200cخواهم"))
    my\x1b[2Jsystem\n ab\u202ecd می‌خواهم
    """
    return _UNSEEN.sub(lambda match: match[0].encode("unicode_escape").decode(), str(text))


def one_cell(text: str) -> str:
    r"""Return a name for a cell of a table: white space is a blank, and the rest visible.

    Examples
    --------
    >>> one_cell("a\tsystem\n \x07")
    'a system \\x07'
    """
    return visible(" ".join(text.split()))
