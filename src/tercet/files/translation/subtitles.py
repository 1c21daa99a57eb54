"""Subtitles (SRT, WebVTT, SSA) -> texts by time."""

from __future__ import annotations

import re
from html import unescape
from typing import BinaryIO

from tercet.errors import InputError, first_line, needs, warn
from tercet.files.encodings import decode
from tercet.files.limits import LIMITS, Limits, read_bytes
from tercet.files.rows import RaggedRows
from tercet.files.table import Memory

_TIME = "time"
_TEXT = "text"
#: Bytes of a line of subtitles: webvtt takes the square of its length where tags are not closed.
_LONGEST_SUBTITLE = 4096
#: Tags of SRT: those that pysubs2 knows as styles, others, and what SSA has for tags.
_STYLES = re.compile(r"< *(?:/ *)?[isub] *>")
_HTML = re.compile(r"< *(?:/ *)?[a-zA-Z][^>]*>")
_OVERRIDES = re.compile(r"\{[^}]*\}")
_SRT = "srt"


def read_subtitles(stream: BinaryIO, name: str, limits: Limits = LIMITS) -> Memory:
    """Read subtitles, a row each: its time and its text, without tags and in one line.

    Those without a text, notes and styles are left out; a warning tells of times that cannot be read.
    """
    needs("A file of subtitles (.srt, .vtt, .ass)", "translation", "pysubs2", "webvtt")
    limits = limits._replace(line=min(limits.line, _LONGEST_SUBTITLE))
    text = decode(read_bytes(stream, name, limits), name, is_lines=False)
    rows = RaggedRows(name)
    expected = "subtitles, each with its time and text"
    if not text.strip():
        raise rows.empty_error(expected)
    read_cues = _subtitles
    if text.lstrip().startswith("WEBVTT"):
        read_cues = _webvtt
    try:
        subtitles = read_cues(text)
    except Exception as error:
        raise InputError(f"{name} is not a file of subtitles (SRT, WebVTT, SSA): {first_line(error)}.") from None
    for number, (time, words) in enumerate(subtitles, 1):
        if words.strip():
            rows.add(number, {_TIME: time, _TEXT: " ".join(words.split())})
    table = rows.table(expected)
    n_times = 0
    for line in text.split("\n"):
        start, arrow, _ = line.partition("-->")
        if arrow and re.search(r"\d", start):
            n_times += 1
    if n_times > len(subtitles):
        warn(
            f"{name}: {n_times:,} lines look like times (-->), and {len(subtitles):,} subtitles can be read: the "
            "others are left out."
        )
    return Memory(name, table.columns, table.lines, key_column=_TIME, joined_by=_TIME)


def _webvtt(text: str) -> list[tuple[str, str]]:
    """Return the times of subtitles, and their texts."""
    import webvtt

    cues = webvtt.WebVTT.from_string(text)
    return [(f"{cue.start} --> {cue.end}", unescape(cue.text)) for cue in cues.captions]


def _subtitles(text: str) -> list[tuple[str, str]]:
    """Return the times of subtitles, and their texts without tags.

    pysubs2 finds tags, too, but takes the square of a text's length where they, or blank lines, do not end.
    """
    import pysubs2

    file = pysubs2.SSAFile.from_string(re.sub(r"\n{3,}", "\n\n", text), keep_html_tags=True)
    cues = []
    for event in file:
        if event.is_comment:
            continue
        words = event.text
        if file.format == _SRT:
            # Braces within a tag are no braces, nor are tags within braces but styles.
            words = _without(_HTML, ">", _STYLES.sub("{}", words))
        words = _without(_OVERRIDES, "}", words)
        for escape, character in ((r"\h", " "), (r"\n", "\n"), (r"\N", "\n")):
            words = words.replace(escape, character)
        cues.append((f"{_clock(event.start)} --> {_clock(event.end)}", words))
    return cues


def _without(tags: re.Pattern[str], closing: str, text: str) -> str:
    """Return a text without tags: behind the last that is closed, none is looked for."""
    end = text.rfind(closing) + 1
    return tags.sub("", text[:end]) + text[end:]


def _clock(milliseconds: int) -> str:
    seconds, fraction = divmod(milliseconds, 1000)
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{fraction:03}"
