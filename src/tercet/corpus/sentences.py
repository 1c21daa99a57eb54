"""Texts in sentences, a line each, and texts truncated to so many words or bytes, as ROUGE asks for them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

# A sentence ends at . ! ? or … with closing quotes or brackets after it, then white space, then something that
# begins a sentence (not a lower-case letter); the marks of Chinese, Japanese and Hindi need no white space.
# A run of marks is looked at from its first one only, so that time is linear: where that fails, all others would.
# Texts, which `re` compiles on first use: most programs that import this file never split a sentence.
_MARKS = ".!?…"
_CLOSERS = "\"'”’»)\\]」』】）"
_WIDE_MARKS = "。！？｡।॥؟۔።"
_SENTENCE_END = (
    rf"(?<![{_MARKS}])(?P<mark>[{_MARKS}]+[{_CLOSERS}]*)\s+(?=\S)"
    rf"|(?<![{_WIDE_MARKS}])(?P<wide>[{_WIDE_MARKS}]+[{_CLOSERS}]*)(?![{_WIDE_MARKS}{_CLOSERS}])\s*(?=\S)"
)
_ABBREVIATION = r"(?:^|[\s(])(?:[^\W\d]|Dr|Fig|Mr|Mrs|Ms|Prof|St|No|Nr|Sr|Sra|vs|e\.g|i\.e|U\.S|т\.е|ул|г)\.$"


def split_sentences(text: str) -> str:
    """Put each sentence of a text without line ends on a line of its own; leave other texts as they are."""
    if "\n" in text.strip():
        return text

    def mark_end(match: re.Match[str]) -> str:
        follows = text[match.end()]
        if match["mark"] and (
            follows.islower() or re.search(_ABBREVIATION, text[max(0, match.end("mark") - 12) : match.end("mark")])
        ):
            return match[0]
        return match[0].rstrip() + "\n"

    return re.sub(_SENTENCE_END, mark_end, text)


def truncate_words(text: str, limit: int) -> str:
    """Keep the first `limit` words of a text (words as white space separates them), and its line ends.

    Source: ROUGE-1.5.5, option -l.
    """
    return _truncate(text, limit, str.split, " ".join)


def truncate_bytes(text: str, limit: int) -> str:
    """Keep the first `limit` bytes of a text in UTF-8, line ends not counted; half a character is dropped.

    Source: ROUGE-1.5.5, option -b.
    """
    return _truncate(text, limit, str.encode, lambda data: data.decode(errors="ignore"))


def _truncate(text: str, limit: int, parts_of: Callable[[str], Any], join: Callable[[Any], str]) -> str:
    """Keep the first parts of a text, counted from line to line."""
    lines: list[str] = []
    for line in text.split("\n"):
        parts = parts_of(line)
        if len(parts) >= limit:
            lines.append(join(parts[:limit]))
            break
        lines.append(line)
        limit -= len(parts)
    return "\n".join(lines)
