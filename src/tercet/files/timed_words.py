"""Words and segments of transcripts (CTM, STM, SegLST) -> the texts of the segments of a reference, by time."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate, chain, pairwise
from operator import attrgetter
from typing import NamedTuple

from tercet.errors import InputError, shorten, warn
from tercet.names_as_shown import joined

from .table import Memory
from .transcripts import BEGIN, CHANNEL, END, RECORDING, SPEAKER, TEXT, texts_by_id

_MOST_NAMED = 5
#: How often a piece may be compared with a segment, which takes some seconds: more have files in which everything
#: overlaps everything.
_MOST_COMPARED = 10_000_000


def in_segments(memories: Mapping[str, Memory], reference: str) -> dict[str, Memory]:
    """Return the memories; those with times have the texts of the segments of the reference, by the same ids.

    A word (of CTM) belongs to the segment in which its middle lies, and a segment to the one with its times, or else
    to those that it overlaps, which become one text with it: no word is put on one side of a border by a guess.
    Speakers tell segments apart that overlap, where both files give them the same names. Channels count where all
    files have them.

    Where the reference has no segments, texts are those of whole recordings, with their channels and speakers if all
    files have these; or of utterances, each a recording of its own.
    """
    timed = {path: memory for path, memory in memories.items() if BEGIN in memory.labels}
    if not timed:
        return {**memories}
    pieces = {path: _pieces_of_memory(memory) for path, memory in timed.items()}
    if reference not in timed:
        # A file of utterances has no channels.
        wholes = {path: _of_whole(of_file, attrgetter("recording")) for path, of_file in pieces.items()}
    else:
        pieces = _with_common_channels(pieces)
        has_times = all(piece.has_times for piece in chain.from_iterable(pieces.values()))
        if has_times and SPEAKER in memories[reference].labels:
            return {**memories, **_by_time(pieces, reference, timed)}
        wholes = _of_wholes(pieces, reference)
    joined_memories = {path: texts_by_id(rows, timed[path].name) for path, rows in wholes.items()}
    return {**memories, **joined_memories}


class _SpokenPiece(NamedTuple):
    """A word or a segment."""

    #: Seconds; NaN of segments without times.
    begin: float
    end: float
    line: int
    recording: str
    #: "" where the file names none, as of speakers.
    channel: str
    speaker: str
    text: str
    is_word: bool

    @property
    def has_times(self) -> bool:
        return not math.isnan(self.begin)

    @property
    def where(self) -> str:
        """The recording and its channel."""
        if not self.channel:
            return self.recording
        return f"{self.recording} {self.channel}"

    def overlaps(self, other: _SpokenPiece) -> bool:
        """Return whether both have some time in common, which may be a moment within one of them."""
        if self.begin == self.end:
            return other.begin <= self.begin < other.end
        if other.begin == other.end:
            return self.begin <= other.begin < self.end
        return max(self.begin, other.begin) < min(self.end, other.end)


_TextRows = list[tuple[int, str, str]]


def _pieces_of_memory(memory: Memory) -> list[_SpokenPiece]:
    no_names = [""] * len(memory.lines)
    channels = memory.labels.get(CHANNEL, no_names)
    speakers = memory.labels.get(SPEAKER, no_names)
    pieces = []
    for row, line in enumerate(memory.lines):
        piece = _SpokenPiece(
            begin=memory.labels[BEGIN][row],
            end=memory.labels[END][row],
            line=line,
            recording=memory.labels[RECORDING][row],
            channel=channels[row],
            speaker=speakers[row],
            text=memory.columns[TEXT][row],
            is_word=SPEAKER not in memory.labels,
        )
        pieces.append(piece)
    return pieces


def _with_common_channels(pieces: Mapping[str, list[_SpokenPiece]]) -> dict[str, list[_SpokenPiece]]:
    """Return the pieces without channels where some file has none; its recordings must then have one each."""
    without_channels = []
    for path, of_file in pieces.items():
        if not all(piece.channel for piece in of_file):
            without_channels.append(path)
    if not without_channels:
        return {**pieces}
    for path, of_file in pieces.items():
        channels: dict[str, str] = {}
        for piece in of_file:
            channel = channels.setdefault(piece.recording, piece.channel)
            if channel != piece.channel:
                raise InputError(
                    f"{path} has the channels {channel!r} and {piece.channel!r} of {piece.recording!r}, and "
                    f"{without_channels[0]} has no channels: it is not clear which words are of which. Give the "
                    "channels different names of recordings in both files."
                )
    without = {}
    for path, of_file in pieces.items():
        without[path] = [piece._replace(channel="") for piece in of_file]
    return without


# Whole recordings, without segments.


def _of_whole(pieces: Iterable[_SpokenPiece], key_of: Callable[[_SpokenPiece], str]) -> _TextRows:
    """Return the texts of pieces with the same key, in the order of time, or of the file where there are no times."""
    by_key: dict[str, list[_SpokenPiece]] = {}
    for piece in pieces:
        by_key.setdefault(key_of(piece), []).append(piece)
    rows = []
    for key, of_key in by_key.items():
        first_line = min(piece.line for piece in of_key)
        rows.append((first_line, key, _text_of_pieces(of_key)))
    return rows


def _of_wholes(pieces: Mapping[str, list[_SpokenPiece]], reference: str) -> dict[str, _TextRows]:
    """Return the texts of each recording and speaker, or of recordings where files name speakers differently."""
    expected = _speakers(pieces[reference])
    are_shared = all(piece.speaker for piece in chain.from_iterable(pieces.values()))
    for path, of_file in pieces.items():
        for where, names in _speakers(of_file).items():
            if names <= expected.get(where, names):
                continue
            are_shared = False
            if len(names) > 1 and len(expected[where]) > 1:
                raise InputError(_unclear(path, reference, where, names, expected[where], "there are no times"))

    def key_of(piece: _SpokenPiece) -> str:
        if are_shared:
            return f"{piece.where} {piece.speaker}"
        return piece.where

    return {path: _of_whole(of_file, key_of) for path, of_file in pieces.items()}


def _speakers(pieces: Iterable[_SpokenPiece]) -> dict[str, set[str]]:
    """Return the names of the speakers of each recording."""
    speakers: dict[str, set[str]] = {}
    for piece in pieces:
        speakers.setdefault(piece.where, set()).add(piece.speaker)
    return speakers


def _text_of_pieces(pieces: Iterable[_SpokenPiece]) -> str:
    """Return the words of pieces, in the order of time, or as they come where some have no times."""
    in_order = list(pieces)
    if all(piece.has_times for piece in in_order):
        in_order.sort()
    return " ".join(piece.text for piece in in_order if piece.text)


# Segments of the reference, and what other files have at these times.


class _JoinedSegments:
    """The segments of a reference: those that belong together, because a piece overlaps several, are one unit."""

    def __init__(self, segments: Sequence[_SpokenPiece]) -> None:
        self.segments = segments
        # Of each segment another of its unit, and of the first itself.
        self._earlier = list(range(len(segments)))

    def unit_of(self, segment: int) -> int:
        """Return the first segment of a segment's unit."""
        first = segment
        while self._earlier[first] != first:
            # So that the way is shorter the next time.
            self._earlier[first] = self._earlier[self._earlier[first]]
            first = self._earlier[first]
        return first

    def unite(self, segments: Sequence[int]) -> None:
        """Make one unit of the units of some segments."""
        for first, second in pairwise(map(self.unit_of, segments)):
            earlier, later = sorted((self.unit_of(first), self.unit_of(second)))
            self._earlier[later] = earlier

    def members(self) -> dict[int, list[int]]:
        """Return the segments of each unit."""
        members: dict[int, list[int]] = {}
        for segment in range(len(self.segments)):
            members.setdefault(self.unit_of(segment), []).append(segment)
        return members


class _Timeline:
    """Segments of one recording, in the order of time, to be found by their times."""

    def __init__(self, segments: Sequence[_SpokenPiece], numbers: Iterable[int]) -> None:
        self._segments = segments
        self._numbers = sorted(numbers, key=lambda number: segments[number])
        self._begins = [segments[number].begin for number in self._numbers]
        # By these it is known where no earlier segment lasts until a time.
        self._latest_ends = list(accumulate((segments[number].end for number in self._numbers), max))
        self._n_compared = 0

    def at(self, piece: _SpokenPiece) -> list[int]:
        """Return the segments with the times of a piece; or else that overlap it; or else that touch a moment.

        The middle of a word stands for it.
        """
        timed = piece
        if piece.is_word:
            middle = (piece.begin + piece.end) / 2
            timed = piece._replace(begin=middle, end=middle)
        near = []
        position = bisect_right(self._begins, timed.end) - 1
        while position >= 0 and self._latest_ends[position] >= timed.begin:
            if self._segments[self._numbers[position]].end >= timed.begin:
                near.append(self._numbers[position])
            position -= 1
            self._n_compared += 1
        if self._n_compared > _MOST_COMPARED:
            raise InputError(
                f"In {piece.where!r} everything seems to overlap everything: more than {_MOST_COMPARED:,} pairs of "
                "segments. Expected segments that mostly follow one another."
            )
        near.reverse()
        same = [number for number in near if _times(self._segments[number]) == _times(timed)]
        if same:
            return same
        overlapping = [number for number in near if timed.overlaps(self._segments[number])]
        if overlapping:
            return overlapping
        is_moment = timed.begin == timed.end
        return [number for number in near if is_moment or self._segments[number].begin == self._segments[number].end]


def _times(piece: _SpokenPiece) -> tuple[float, float]:
    return (round(piece.begin, 3), round(piece.end, 3))


class _JoinedFile(NamedTuple):
    """What a file has at the times of a reference."""

    #: Pieces, each with one of the segments to which it belongs.
    inside: list[tuple[_SpokenPiece, int]]
    outside: list[_SpokenPiece]
    #: The recordings in which it names speakers that the reference does not have there.
    other_names: set[str]


def _by_time(
    pieces: Mapping[str, list[_SpokenPiece]], reference: str, memories: Mapping[str, Memory]
) -> dict[str, Memory]:
    units = _JoinedSegments(pieces[reference])
    timelines = _timelines(units.segments)
    joined_files: dict[str, _JoinedFile] = {}
    for path, of_file in pieces.items():
        if path == reference:
            continue
        joined_files[path] = _joined_by_time(of_file, units, timelines)
        _tell_outside(joined_files[path], memories[path], memories[reference])
        _tell_missing(pieces, path, reference)
    # Every file has joined what its pieces overlap.
    members = units.members()
    for path in joined_files:
        _tell_names(joined_files[path], units, members, path, reference)
    _tell_units(memories[reference], members, units)
    ids = _unit_ids(members, units.segments)
    rows = {path: _rows_of_units(of_file.inside, units, ids) for path, of_file in joined_files.items()}
    numbered_segments = [(segment, number) for number, segment in enumerate(units.segments)]
    rows[reference] = _rows_of_units(numbered_segments, units, ids)
    return {path: texts_by_id(rows[path], memories[path].name) for path in pieces}


def _timelines(segments: Sequence[_SpokenPiece]) -> dict[tuple[str, str | None], _Timeline]:
    """Return the segments of each speaker of each recording, and of all of its speakers (None)."""
    numbers: dict[tuple[str, str | None], list[int]] = {}
    for number, segment in enumerate(segments):
        for speaker in (segment.speaker, None):
            numbers.setdefault((segment.where, speaker), []).append(number)
    return {key: _Timeline(segments, of_key) for key, of_key in numbers.items()}


def _joined_by_time(
    pieces: Iterable[_SpokenPiece], units: _JoinedSegments, timelines: Mapping[tuple[str, str | None], _Timeline]
) -> _JoinedFile:
    expected = _speakers(units.segments)
    other_names = {where for where, names in _speakers(pieces).items() if not names <= expected.get(where, names)}
    joined_file = _JoinedFile([], [], other_names)
    for piece in pieces:
        speaker = None
        if piece.where not in other_names:
            speaker = piece.speaker
        timeline = timelines.get((piece.where, speaker))
        segments = []
        if timeline is not None:
            segments = timeline.at(piece)
        if segments:
            units.unite(segments)
            joined_file.inside.append((piece, segments[0]))
        else:
            joined_file.outside.append(piece)
    return joined_file


def _rows_of_units(
    inside: Iterable[tuple[_SpokenPiece, int]], units: _JoinedSegments, ids: Mapping[int, str]
) -> _TextRows:
    """Return the text of each unit; without a piece it is empty."""
    by_unit: dict[int, list[_SpokenPiece]] = {unit: [] for unit in ids}
    for piece, segment in inside:
        by_unit[units.unit_of(segment)].append(piece)
    rows = []
    for unit, of_unit in by_unit.items():
        first_line = min((piece.line for piece in of_unit), default=1)
        rows.append((first_line, ids[unit], _text_of_pieces(of_unit)))
    return rows


def _unit_ids(members: Mapping[int, list[int]], segments: Sequence[_SpokenPiece]) -> dict[int, str]:
    """Return a name of each unit: recording, channel and time, and the speaker where two have the same."""
    ids: dict[int, str] = {}
    taken: set[str] = set()
    for unit, numbers in members.items():
        begin = min(segments[number].begin for number in numbers)
        end = max(segments[number].end for number in numbers)
        time = f"{begin:.3f}-{end:.3f}"
        first = segments[unit]
        name = f"{first.where} {time}"
        if name in taken:
            name = f"{first.where} {first.speaker} {time}"
        if name in taken:
            name += f" line {first.line}"
        ids[unit] = name
        taken.add(name)
    return ids


# What users are told.


def _tell_outside(joined_file: _JoinedFile, memory: Memory, reference: Memory) -> None:
    """Warn of pieces outside the segments of the reference; InputError where there are no others."""
    if not joined_file.outside:
        return
    piece = joined_file.outside[0]
    kind = "word" if piece.is_word else "segment"
    first = f"{shorten(piece.text)} of {piece.where} at {piece.begin:g}"
    if not joined_file.inside:
        segment = _pieces_of_memory(reference)[0]
        raise InputError(
            f"No {kind} of {memory.name}, such as {first}, lies in a segment of {reference.name}, such as "
            f"{segment.where} {segment.begin:g}-{segment.end:g}; expected the same names of recordings and channels, "
            "and times in seconds."
        )
    warn(
        f"{memory.name}: {len(joined_file.outside):,} of {len(memory.lines):,} {kind}s lie outside the segments of "
        f"{reference.name}, the first {first}: not scored."
    )


def _tell_missing(pieces: Mapping[str, list[_SpokenPiece]], path: str, reference: str) -> None:
    """Warn of recordings of which a file has nothing."""
    expected = _speakers(pieces[reference])
    recordings = _speakers(pieces[path])
    missing = [where for where in expected if where not in recordings]
    if missing:
        warn(
            f"{path} has nothing of {len(missing):,} of the {len(expected):,} recordings of {reference}, the first "
            f"{missing[0]!r}: all of its words count as missing."
        )


def _tell_names(
    joined_file: _JoinedFile, units: _JoinedSegments, members: Mapping[int, list[int]], path: str, reference: str
) -> None:
    """Warn of speakers with other names; InputError where several talk at once, in both files."""
    named = _speakers([*(piece for piece, _ in joined_file.inside), *joined_file.outside])
    expected = _speakers(units.segments)
    by_unit: dict[int, list[_SpokenPiece]] = {}
    for piece, segment in joined_file.inside:
        unit = units.unit_of(segment)
        # Where times are the same, or there is one speaker on each side, names decide nothing.
        is_same = len(members[unit]) == 1 and _times(piece) == _times(units.segments[segment])
        sides = (named[piece.where], expected[piece.where])
        is_named = not any("" in side for side in sides)
        if piece.where in joined_file.other_names and not is_same and is_named and max(map(len, sides)) > 1:
            by_unit.setdefault(unit, []).append(piece)
    if not by_unit:
        return
    for unit, of_unit in by_unit.items():
        at_once = _at_once([units.segments[number] for number in members[unit]])
        if at_once is not None and _at_once(of_unit) is not None:
            where = of_unit[0].where
            reason = f"several talk at once, at {at_once:g} s"
            raise InputError(_unclear(path, reference, where, named[where], expected[where], reason))
    several = list(dict.fromkeys(of_unit[0].where for of_unit in by_unit.values()))
    first = several[0]
    warn(
        f"{path}: {len(several):,} of {len(named):,} recordings have speakers whose names are not in {reference}, "
        f"the first {first!r} ({_quote(named[first])}, and there {_quote(expected[first])}): their segments were "
        "joined by time alone. Who spoke is not scored."
    )


def _at_once(pieces: Iterable[_SpokenPiece]) -> float | None:
    """Return the time at which two speakers talk at once; None without."""
    latest: _SpokenPiece | None = None
    # Of the pieces by others than the speaker of that one, the one that lasts longest.
    other: _SpokenPiece | None = None
    for piece in sorted(pieces):
        earlier = latest
        if latest is not None and latest.speaker == piece.speaker:
            earlier = other
        if earlier is not None and piece.begin < piece.end and earlier.overlaps(piece):
            return piece.begin
        if latest is None or piece.end >= latest.end:
            if latest is not None and latest.speaker != piece.speaker:
                other = latest
            latest = piece
        elif latest.speaker != piece.speaker and (other is None or piece.end > other.end):
            other = piece
    return None


def _tell_units(reference: Memory, members: Mapping[int, list[int]], units: _JoinedSegments) -> None:
    united = [numbers for numbers in members.values() if len(numbers) > 1]
    if not united:
        return
    numbers = list(chain.from_iterable(united))
    first = units.segments[numbers[0]]
    texts = "one longer text" if len(united) == 1 else f"{len(united):,} longer texts"
    warn(
        f"{reference.name}: {len(numbers):,} of {len(units.segments):,} segments were joined to {texts}, the first "
        f"at {first.begin:g} s of {first.where!r}, because what another file has overlaps several of them."
    )


def _unclear(path: str, reference: str, where: str, names: set[str], expected: set[str], reason: str) -> str:
    return (
        f"{path} has the speakers {_quote(names)} in {where!r}, and {reference} has {_quote(expected)}; {reason}, "
        "so it is not clear whose words are whose. Give the speakers the same names in both files; or give all "
        "speakers one name, to join by time alone; or score them with meeteval's cpWER, which finds the speakers."
    )


def _quote(names: Iterable[str]) -> str:
    return joined(list(map(repr, sorted(names))), _MOST_NAMED)
