"""Transcripts of speech (CTM, STM, SegLST, TRN, the text of Kaldi) -> texts by time or id."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, BinaryIO

from tercet.errors import InputError, shorten, warn
from tercet.files.encodings import decode
from tercet.files.limits import LIMITS, Limits, read_bytes, read_whole
from tercet.files.rows import RaggedRows
from tercet.files.table import Memory, Table
from tercet.files.tables.json_tables import parse_value, table_in

TEXT = "text"
ID = "id"
#: Labels of a row that has a time: its recording and channel, the seconds at which it begins and ends, and, of a
#: segment, its speaker.
RECORDING = "recording"
CHANNEL = "channel"
BEGIN = "begin"
END = "end"
SPEAKER = "speaker"
#: Keys of a segment of SegLST, beside those of the speaker and the channel, and what such a file is.
_SESSION = "session_id"
_WORDS = "words"
_START = "start_time"
_STOP = "end_time"
_SEGLST = (
    'segments (SegLST), [{"session_id": "rec1", "speaker": "anna", "start_time": 0, "end_time": 1, "words": "a b"}]'
)
#: The text of an STM segment that is not to be scored, as SCLITE has it.
_IGNORED = "ignore_time_segment_in_scoring"
#: Words of which one is said, as {um / uh}, also where the end is missing, and a word that may be left out, as (um).
_ALTERNATIVES = re.compile(r"(?<!\S)(?:\{[^{}/]*(?:/[^{}]*\}|\s/\s[^{}]*\Z)|\([^()\s]+\))(?!\S)")


def read_kaldi(stream: BinaryIO, name: str, limits: Limits = LIMITS) -> Memory:
    """Read a file ``text`` of Kaldi, ESPnet or the like, a row per line: the id of an utterance, and its words.

    What could be a text without ids is refused: every first word must be another, with a digit, ``-`` or ``_`` in it.
    """
    pairs = []
    for number, line in _numbered_lines(stream, name, limits):
        utterance, _, words = line.strip().replace("\t", " ", 1).partition(" ")
        if not re.search(r"[\d_-]", utterance):
            raise InputError(
                f"{name}, line {number}: expected the id of an utterance and its words, as Kaldi writes them, found "
                f"{shorten(line)}. If this is a text with a segment per line, rename the file to {name}.txt."
            )
        pairs.append((number, utterance, words.strip()))
    return texts_by_id(pairs, name)


def read_trn(stream: BinaryIO, name: str, limits: Limits = LIMITS) -> Memory:
    """Read a file of SCLITE, a row per line: the words, and the id of the utterance in brackets behind them."""
    pairs = []
    for number, line in _numbered_lines(stream, name, limits):
        match = re.fullmatch(r"(.*)\(([^()]+)\)\s*", line, re.DOTALL)
        if match is None:
            raise InputError(
                f"{name}, line {number}: expected words and an utterance's id in brackets, found {shorten(line)}."
            )
        pairs.append((number, match[2].strip(), match[1].strip()))
    return _with_warning(texts_by_id(pairs, name))


def read_stm(stream: BinaryIO, name: str, limits: Limits = LIMITS) -> Memory:
    """Read segments, a row per line: recording, channel, speaker, begin, end, perhaps <labels>, words."""
    rows = RaggedRows(name)
    labels: dict[str, list[Any]] = {}
    for number, line in _numbered_lines(stream, name, limits):
        location = f"{name}, line {number}"
        recording, channel, speaker, begin_cell, end_cell, *texts = _fields(line, 5, name, number)
        begin = _seconds(begin_cell, location)
        end = _seconds(end_cell, location)
        _check_order(begin, end, location)
        words = "".join(texts)
        label = ""
        if words.startswith("<") and ">" in words:
            label, _, words = words[1:].partition(">")
        if words.strip().casefold() == _IGNORED:
            continue
        rows.add(number, {ID: f"{recording} {channel} {begin:.3f}-{end:.3f}", TEXT: " ".join(words.split())})
        cells = {RECORDING: recording, CHANNEL: channel, SPEAKER: speaker, BEGIN: begin, END: end, "label": label}
        _append(labels, cells)
    table = rows.table("segments that are to be scored")
    return _with_warning(Memory(name, table.columns, table.lines, key_column=ID, joined_by=ID, labels=labels))


def _with_warning(memory: Memory) -> Memory:
    """Return a memory, and warn of texts that only SCLITE reads as they are meant."""
    marked = []
    for line, text in zip(memory.lines, memory.columns[TEXT], strict=True):
        match = _ALTERNATIVES.search(text)
        if match:
            marked.append(f"{shorten(match[0])} on line {line:,}")
    if marked:
        warn(
            f"{memory.name}: {len(marked):,} of {len(memory.lines):,} texts have alternative or optional words, as "
            f"SCLITE writes them, the first {marked[0]}: here each is a word that must be said. Keep one of the "
            "alternatives, or score them with SCLITE."
        )
    return memory


def read_ctm(stream: BinaryIO, name: str, limits: Limits = LIMITS) -> Memory:
    """Read words with their times: recording, channel, begin, duration, word, perhaps confidence.

    A row has a word and its recording, and `labels` the rest, of which `timed_words.py` makes texts.
    """
    rows = RaggedRows(name)
    labels: dict[str, list[Any]] = {}
    for number, line in _numbered_lines(stream, name, limits):
        recording, channel, *times, word = _fields(line, 5, name, number)[:5]
        if word.startswith("<ALT"):
            raise InputError(f"{name}, line {number}: alternative words are not supported; expected one word a line.")
        begin, duration = (_seconds(cell, f"{name}, line {number}") for cell in times)
        rows.add(number, {ID: recording, TEXT: word})
        _append(labels, {RECORDING: recording, CHANNEL: channel, BEGIN: begin, END: begin + duration})
    table = rows.table("words with their times")
    return Memory(name, table.columns, table.lines, key_column=ID, joined_by=ID, labels=labels)


def read_seglst(stream: BinaryIO, name: str, limits: Limits = LIMITS) -> Memory:
    """Read segments of SegLST: objects with session_id and words, perhaps speaker, start_time and end_time."""
    text = decode(read_whole(stream, name, limits, _SEGLST), name, is_lines=False)
    limits.check_json([text], name)
    table = table_in(parse_value(text, name), name)
    lacking = [key for key in (_SESSION, _WORDS) if table is None or key not in table.columns]
    if table is None or lacking:
        raise InputError(f"{name} has no {lacking[0]!r}: expected {_SEGLST}.")
    table = replace(table, unit="segment")
    if (_START in table.columns) != (_STOP in table.columns):
        raise InputError(f"{name} has one of {_START!r} and {_STOP!r}; expected both or none.")
    rows = RaggedRows(name, "segment")
    labels: dict[str, list[Any]] = {}
    for row, line in enumerate(table.lines):
        recording = _name_in_row(table, row, _SESSION)
        begin = math.nan
        end = math.nan
        time = ""
        if _START in table.columns:
            location = f"{name}, segment {line}"
            begin = _seconds(table.columns[_START][row], location)
            end = _seconds(table.columns[_STOP][row], location)
            _check_order(begin, end, location)
            time = f" {begin:.3f}-{end:.3f}"
        rows.add(line, {ID: f"{recording}{time}", TEXT: _words_in_row(table, row)})
        channel = _name_in_row(table, row, CHANNEL)
        speaker = _name_in_row(table, row, SPEAKER)
        _append(labels, {RECORDING: recording, CHANNEL: channel, SPEAKER: speaker, BEGIN: begin, END: end})
    memory = rows.table(_SEGLST)
    return _with_warning(
        Memory(name, memory.columns, memory.lines, unit="segment", key_column=ID, joined_by=ID, labels=labels)
    )


def _append(labels: dict[str, list[Any]], cells: Mapping[str, Any]) -> None:
    """Append the labels of a row."""
    for key, cell in cells.items():
        labels.setdefault(key, []).append(cell)


def _name_in_row(table: Table, row: int, key: str) -> str:
    """Return the name of a segment's session, channel or speaker; "" where it has none."""
    cell = None
    if key in table.columns:
        cell = table.columns[key][row]
    if cell is None and key != _SESSION:
        return ""
    is_name = isinstance(cell, str | int) and not isinstance(cell, bool)
    if not is_name or not str(cell).strip():
        raise InputError(f"{table.location(row, key)}: expected a name, got {shorten(cell)}.")
    return str(cell)


def _words_in_row(table: Table, row: int) -> str:
    """Return the words of a segment, which may be a text or a list of words."""
    cell = table.columns[_WORDS][row]
    words = cell
    if isinstance(cell, str):
        words = cell.split()
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise InputError(f"{table.location(row, _WORDS)}: expected words, got {shorten(cell)}.")
    return " ".join(words)


def texts_by_id(pairs: Iterable[tuple[int, str, str]], name: str) -> Memory:
    """Return texts by their ids."""
    rows = RaggedRows(name)
    lines: dict[str, int] = {}
    for number, key, text in pairs:
        if lines.setdefault(key, number) != number:
            raise InputError(
                f"{name}, line {number}: the id {shorten(key)} stands on line {lines[key]} too; expected each once."
            )
        rows.add(number, {ID: key, TEXT: text})
    table = rows.table("a text and its id per line")
    return Memory(name, table.columns, table.lines, key_column=ID, joined_by=ID)


def _numbered_lines(stream: BinaryIO, name: str, limits: Limits) -> Iterator[tuple[int, str]]:
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


def _seconds(cell: Any, location: str) -> float:
    seconds = math.nan
    if isinstance(cell, str | int | float) and not isinstance(cell, bool):
        with suppress(ValueError, OverflowError):
            seconds = float(cell)
    if not 0 <= seconds < math.inf:
        raise InputError(f"{location}: expected a time in seconds, found {shorten(cell)}.")
    return seconds


def _check_order(begin: float, end: float, location: str) -> None:
    if end < begin:
        raise InputError(f"{location}: the segment ends at {end:g}, before it begins at {begin:g}.")
