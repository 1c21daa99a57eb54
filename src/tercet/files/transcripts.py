"""Subtitles (SRT, WebVTT, SSA), transcripts (CTM, STM, TRN, the text of Kaldi) -> texts by time or utterance."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from html import unescape
from typing import Any, BinaryIO

from tercet.errors import InputError, first_line, needs, shorten, warn

from .table import Memory, RaggedRows
from .text import LIMITS, Limits, decode, read_bytes

_TEXT, _TIME, _ID = "text", "time", "id"
#: Labels of a row that has a time: its recording or channel, and the seconds at which it begins and ends.
_RECORDING, _CHANNEL, _BEGIN, _END = "recording", "channel", "begin", "end"
#: Bytes of a line of subtitles: webvtt takes the square of its length where tags are not closed.
_LONGEST_SUBTITLE = 4096
#: Tags of SRT: those that pysubs2 knows as styles, others, and what SSA has for tags.
_STYLES = re.compile(r"< *(?:/ *)?[isub] *>")
_HTML = re.compile(r"< *(?:/ *)?[a-zA-Z][^>]*>")
_OVERRIDES = re.compile(r"\{[^}]*\}")
_SRT = "srt"
#: The text of an STM segment that is not to be scored, as SCLITE has it.
_IGNORED = "ignore_time_segment_in_scoring"
#: Words of which one is said, as {um / uh}, also where the end is missing, and a word that may be left out, as (um).
_ALTERNATIVES = re.compile(r"(?<!\S)(?:\{[^{}/]*(?:/[^{}]*\}|\s/\s[^{}]*\Z)|\([^()\s]+\))(?!\S)")


def read_subtitles(stream: BinaryIO, name: str, limits: Limits = LIMITS) -> Memory:
    """Read subtitles, a row each: its time and its text, without tags and in one line.

    Those without a text, notes and styles are left out; a warning tells of times that cannot be read.
    """
    needs("A file of subtitles (.srt, .vtt, .ass)", "translation", "pysubs2", "webvtt")
    limits = replace(limits, line=min(limits.line, _LONGEST_SUBTITLE))
    text = decode(read_bytes(stream, name, limits), name, is_lines=False)
    rows = RaggedRows(name)
    expected = "subtitles, each with its time and text"
    if not text.strip():
        rows.table(expected)
    try:
        subtitles = _webvtt(text) if text.lstrip().startswith("WEBVTT") else _subtitles(text)
    except Exception as error:
        raise InputError(f"{name} is not a file of subtitles (SRT, WebVTT, SSA): {first_line(error)}.") from None
    for number, (time, words) in enumerate(subtitles, 1):
        if words.strip():
            rows.add(number, {_TIME: time, _TEXT: " ".join(words.split())})
    table = rows.table(expected)
    lines = (line.partition("-->") for line in text.split("\n"))
    n_times = sum(bool(arrow) and re.search(r"\d", start) is not None for start, arrow, _ in lines)
    if n_times > len(subtitles):
        warn(
            f"{name}: {n_times:,} lines look like times (-->), and {len(subtitles):,} subtitles can be read: the "
            "others are left out."
        )
    return Memory(name, table.columns, table.lines, source_language=_TIME, joined_by=_TIME)


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
    found = []
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
        found.append((f"{_clock(event.start)} --> {_clock(event.end)}", words))
    return found


def _without(tags: re.Pattern[str], closing: str, text: str) -> str:
    """Return a text without tags: behind the last that is closed, none is looked for."""
    end = text.rfind(closing) + 1
    return tags.sub("", text[:end]) + text[end:]


def _clock(milliseconds: int) -> str:
    seconds, milliseconds = divmod(milliseconds, 1000)
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{milliseconds:03}"


def read_kaldi(stream: BinaryIO, name: str, limits: Limits = LIMITS) -> Memory:
    """Read a file ``text`` of Kaldi, ESPnet or the like, a row per line: the id of an utterance, and its words.

    What could be a text without ids is refused: every first word must be another, with a digit, ``-`` or ``_`` in it.
    """
    pairs = []
    for number, line in _lines(stream, name, limits):
        utterance, _, words = line.strip().replace("\t", " ", 1).partition(" ")
        if not re.search(r"[\d_-]", utterance):
            raise InputError(
                f"{name}, line {number}: expected the id of an utterance and its words, as Kaldi writes them, found "
                f"{shorten(line)}. If this is a text with a segment per line, rename the file to {name}.txt."
            )
        pairs.append((number, utterance, words.strip()))
    return _by_id(pairs, name)


def read_trn(stream: BinaryIO, name: str, limits: Limits = LIMITS) -> Memory:
    """Read a file of SCLITE, a row per line: the words, and the id of the utterance in brackets behind them."""
    pairs = []
    for number, line in _lines(stream, name, limits):
        match = re.fullmatch(r"(.*)\(([^()]+)\)\s*", line, re.DOTALL)
        if match is None:
            raise InputError(
                f"{name}, line {number}: expected words and an utterance's id in brackets, found {shorten(line)}."
            )
        pairs.append((number, match[2].strip(), match[1].strip()))
    return _with_warning(_by_id(pairs, name))


def read_stm(stream: BinaryIO, name: str, limits: Limits = LIMITS) -> Memory:
    """Read segments, a row per line: recording, channel, speaker, begin, end, perhaps <labels>, words."""
    rows = RaggedRows(name)
    labels: dict[str, list[Any]] = {_RECORDING: [], _BEGIN: [], _END: [], "speaker": [], "label": []}
    for number, line in _lines(stream, name, limits):
        fields = _fields(line, 5, name, number)
        begin, end = (_seconds(cell, name, number) for cell in fields[3:5])
        if end < begin:
            raise InputError(f"{name}, line {number}: the segment ends at {end:g}, before it begins at {begin:g}.")
        label, words = "", fields[5] if len(fields) > 5 else ""
        if words.startswith("<") and ">" in words:
            label, _, words = words[1:].partition(">")
        if words.strip().casefold() == _IGNORED:
            continue
        recording = f"{fields[0]} {fields[1]}"
        rows.add(number, {_ID: f"{recording} {begin:.3f}-{end:.3f}", _TEXT: " ".join(words.split())})
        for key, cell in zip(labels, (recording, begin, end, fields[2], label), strict=True):
            labels[key].append(cell)
    table = rows.table("segments that are to be scored")
    return _with_warning(Memory(name, table.columns, table.lines, source_language=_ID, joined_by=_ID, labels=labels))


def _with_warning(memory: Memory) -> Memory:
    """Return a memory, and warn of texts that only SCLITE reads as they are meant."""
    pairs = zip(memory.lines, memory.columns[_TEXT], strict=True)
    marked = [(line, match[0]) for line, text in pairs if (match := _ALTERNATIVES.search(text))]
    if marked:
        line, words = marked[0]
        warn(
            f"{memory.name}: {len(marked):,} of {len(memory.lines):,} texts have alternative or optional words, as "
            f"SCLITE writes them, the first {shorten(words)} on line {line:,}: here each is a word that must be "
            "said. Keep one of the alternatives, or score them with SCLITE."
        )
    return memory


def read_ctm(stream: BinaryIO, name: str, limits: Limits = LIMITS) -> Memory:
    """Read words with their times: recording, channel, begin, duration, word, perhaps confidence.

    A row has a word and its recording, and `labels` the rest: :func:`in_segments` makes texts of them.
    """
    rows = RaggedRows(name)
    labels: dict[str, list[Any]] = {_CHANNEL: [], _BEGIN: [], _END: []}
    for number, line in _lines(stream, name, limits):
        recording, channel, *times, word = _fields(line, 5, name, number)[:5]
        if word.startswith("<ALT"):
            raise InputError(f"{name}, line {number}: alternative words are not supported; expected one word a line.")
        begin, duration = (_seconds(cell, name, number) for cell in times)
        rows.add(number, {_ID: recording, _TEXT: word})
        for key, cell in zip(labels, (channel, begin, begin + duration), strict=True):
            labels[key].append(cell)
    table = rows.table("words with their times")
    return Memory(name, table.columns, table.lines, source_language=_ID, joined_by=_ID, labels=labels)


def in_segments(memories: Mapping[str, Memory], reference: Memory) -> dict[str, Memory]:
    """Return the memories; the words of a CTM file as the texts of the segments of a reference.

    A word belongs to the segment in which its middle lies; a warning counts those outside any. Where the reference
    has no times, its ids are those of recordings, or of utterances, each a file of its own; where it is a CTM file
    too, texts are those of whole recordings and their channels.
    """
    return {
        path: _joined(memory, reference) if _CHANNEL in memory.labels else memory for path, memory in memories.items()
    }


def _joined(words: Memory, reference: Memory) -> Memory:
    recordings: dict[tuple[str, str], list[tuple[float, float, str]]] = {}
    cells = (
        *(words.columns[name] for name in (_ID, _TEXT)),
        *(words.labels[key] for key in (_CHANNEL, _BEGIN, _END)),
    )
    for recording, word, channel, begin, end in zip(*cells, strict=True):
        recordings.setdefault((recording, channel), []).append((begin, end, word))
    texts: dict[str, list[str]] = {}
    if _RECORDING not in reference.labels:
        with_channel = _CHANNEL in reference.labels
        for (recording, channel), timed in recordings.items():
            key = f"{recording} {channel}" if with_channel else recording
            texts.setdefault(key, []).extend(word for _, _, word in sorted(timed))
        return _by_id([(1, key, " ".join(words_of_key)) for key, words_of_key in texts.items()], words.name)
    segments: dict[str, list[tuple[float, float, str]]] = {}
    for key, recording, begin, end in zip(
        reference.columns[_ID], *(reference.labels[label] for label in (_RECORDING, _BEGIN, _END)), strict=True
    ):
        segments.setdefault(recording, []).append((begin, end, key))
        texts[key] = []
    outside = []
    for (recording, channel), timed in recordings.items():
        of_recording = sorted(segments.get(f"{recording} {channel}", ()))
        begins = [begin for begin, _, _ in of_recording]
        for begin, end, word in sorted(timed):
            middle = (begin + end) / 2
            place = bisect_right(begins, middle) - 1
            if place < 0 or middle > of_recording[place][1]:
                outside.append(f"{word!r} of {recording} {channel} at {begin:g}")
            else:
                texts[of_recording[place][2]].append(word)
    if outside:
        warn(
            f"{words.name}: {len(outside):,} of {len(words.lines):,} words lie outside the segments of "
            f"{reference.name}, the first {outside[0]}: not scored."
        )
    return _by_id([(1, key, " ".join(words_of_key)) for key, words_of_key in texts.items()], words.name)


def _by_id(pairs: Iterable[tuple[int, str, str]], name: str) -> Memory:
    """Return texts by their ids."""
    rows = RaggedRows(name)
    lines: dict[str, int] = {}
    for number, key, text in pairs:
        if lines.setdefault(key, number) != number:
            raise InputError(
                f"{name}, line {number}: the id {shorten(key)} stands on line {lines[key]} too; expected each once."
            )
        rows.add(number, {_ID: key, _TEXT: text})
    table = rows.table("a text and its id per line")
    return Memory(name, table.columns, table.lines, source_language=_ID, joined_by=_ID)


def _lines(stream: BinaryIO, name: str, limits: Limits) -> Iterator[tuple[int, str]]:
    """Yield the lines with their numbers, but for blank ones and comments."""
    text = decode(read_bytes(stream, name, limits), name)
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip() and not line.startswith(";;"):
            yield number, line.removesuffix("\r")


def _fields(line: str, n_fields: int, name: str, number: int) -> list[str]:
    fields = line.split(None, n_fields)
    if len(fields) < n_fields:
        raise InputError(f"{name}, line {number}: expected at least {n_fields} fields, found {shorten(line)}.")
    return fields


def _seconds(cell: str, name: str, number: int) -> float:
    try:
        seconds = float(cell)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds < math.inf:
        raise InputError(f"{name}, line {number}: expected a time in seconds, found {shorten(cell)}.")
    return seconds
