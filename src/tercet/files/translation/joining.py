"""Translation memories, subtitles, transcripts, joined by source texts, times or ids -> systems and references."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import NamedTuple

from tercet.errors import InputError, argument, shorten, warn
from tercet.files.join import NOTHING_LOST, Join, Lost, join, join_rows, lacks_in_words
from tercet.files.missing_option import LEAVE_OUT
from tercet.files.read import read_file
from tercet.files.table import SOURCE_TEXT, Memory, Table
from tercet.names_as_shown import joined

from .timed_words import in_segments


class JoinedMemories(NamedTuple):
    """The predictions of systems for the source texts of the first memory of references, and the references."""

    systems: dict[str, list[str]]
    references: list[list[str]]
    #: None where memories are joined by ids or times.
    source: list[str] | None
    #: Of the segments, where the first memory has some.
    ids: list[str] | None
    lost: Lost
    #: By path, the row of each segment in the file; None where it lacks the segment.
    rows: Mapping[str, list[int | None]]


class _Translation(NamedTuple):
    """A source text and its translations, as they are in a file; None where a column has none."""

    line: int
    row: int
    source: str
    texts: tuple[str | None, ...]


class _MemorySide(NamedTuple):
    """A memory, read: the columns of the target language, and the units by their source texts.

    `variants` has the source texts of units in a regional variant of a language alone, and in which.
    """

    path: str
    joined_by: str
    source: str
    target: str
    columns: list[str]
    units: dict[str, list[_Translation]]
    variants: dict[str, str]

    @property
    def texts_in_words(self) -> str:
        """What messages call the texts of units."""
        if self.joined_by == SOURCE_TEXT:
            return "translations"
        return "texts"


def columns_of(
    table: Memory, systems: Sequence[str], references: Sequence[str], source: str | None
) -> tuple[list[str], list[str], str | None]:
    """Return the columns of codes of languages; systems are by default all others of the references' language.

    Of a bilingual file, references are by default its translations, and sources its sources.
    """
    from .tmx import pick_language

    def pick(code: str) -> str:
        try:
            return pick_language(table.columns, code)
        except InputError as error:
            raise InputError(f"{table.name}: {error}") from None

    reference_codes = references
    source_code = source
    if table.target_language:
        reference_codes = references or [table.target_language]
        source_code = source or table.key_column
    reference_columns = [pick(code) for code in reference_codes]
    system_columns = [pick(code) for code in systems]
    if not systems:
        languages = {_language(column) for column in reference_columns}
        of_languages = [column for column in table.columns if _language(column) in languages]
        system_columns = [column for column in of_languages if column not in reference_columns]
    source_column = None
    if source_code is not None:
        source_column = pick(source_code)
    return system_columns, reference_columns, source_column


def complete(
    memory: Memory, systems: Sequence[str], references: Sequence[str], missing: str = LEAVE_OUT
) -> tuple[Memory, Lost]:
    """Return the units of a bilingual file with all of these texts, and what systems lack; warnings count others.

    What a system lacks may be an empty text, or an error, as `missing` says.
    """
    if not memory.target_language:
        return memory, NOTHING_LOST
    rows_of = {system: set(_rows_with(memory, [system])) for system in systems}
    with_references = _rows_with(memory, references)
    if not set(with_references).intersection(*rows_of.values()):
        names = ", ".join(map(repr, [*systems, *references]))
        raise InputError(f"{memory.name}: no unit has texts in all of {names}; name fewer: {argument('systems')}.")
    n_without = len(memory.lines) - len(with_references)
    if n_without:
        warn(
            f"{memory.name}: {n_without:,} of {len(memory.lines):,} units have no text in "
            f"{' and '.join(map(repr, references))}: left out for every system."
        )
    rows, lost = join_rows(memory, rows_of, with_references, "units", missing)
    columns = {}
    for name, texts in memory.columns.items():
        columns[name] = [texts[row] or "" for row in rows]
    labels = {}
    for name, cells in memory.labels.items():
        labels[name] = [cells[row] for row in rows]
    lines = [memory.lines[row] for row in rows]
    return replace(memory, columns=columns, lines=lines, labels=labels), lost


def _rows_with(memory: Memory, columns: Sequence[str]) -> list[int]:
    """Return the units that have a text in each of these columns."""
    return [row for row in range(len(memory.lines)) if all(memory.columns[column][row] for column in columns)]


def join_memories(
    systems: Mapping[str, str],
    references: Sequence[str],
    target: str | None,
    source: str | None,
    missing: str = LEAVE_OUT,
    read: Mapping[str, Memory] | None = None,
) -> JoinedMemories:
    """Read a memory for each system and for each set of references, and join them by source text.

    A segment is a unit of the first memory of references. Source texts that differ in white space, or in how Unicode
    composes a letter, are the same; those that differ in case are not. Where a source text occurs several times, its
    translations are taken in the order of the files if there are as many as references, or once for all if neither
    side's differ. What cannot be joined is left out for every system, or has an empty text, or is an error, as
    `missing` says; a warning counts it and names the first. `read` has memories by path that were read before.
    """
    memories = {}
    for path in (*references, *systems.values()):
        if read is not None and path in read:
            memories[path] = read[path]
        else:
            memories[path] = read_memory(path)
    memories = in_segments(memories, references[0])
    first = memories[references[0]]
    languages = _languages(first, source, target)
    sides = {path: _side_of_memory(path, memory, *languages) for path, memory in memories.items()}
    expected = sides.pop(references[0])
    aligned = _MemoryAlignment.of(expected, sides)
    rows = _joined_rows(aligned, set(systems.values()), missing)
    texts: dict[str, list[str]] = {}
    path_of: dict[str, str] = {}
    for name, path in systems.items():
        columns = sides[path].columns
        for number, column in enumerate(columns):
            system = name
            if len(columns) > 1:
                system = f"{name} {column}"
            texts[system] = aligned.texts(path, number, rows.keys)
            path_of[system] = path
    segments = [aligned.segments[row] for row in rows.keys]
    keys = [segment.source for segment in segments]
    sources = None
    ids = None
    if first.joined_by != SOURCE_TEXT:
        # Times and utterances name the segments.
        ids = keys
    else:
        sources = keys
        if "id" in first.labels:
            ids = [first.labels["id"][segment.row] for segment in segments]
    return JoinedMemories(
        systems=texts,
        references=aligned.references(references[1:], rows.keys),
        source=sources,
        ids=ids,
        lost=rows.lost(path_of),
        rows=aligned.rows_in_files(rows.keys),
    )


def read_memory(path: str) -> Memory:
    """Read a file whose format says that it is a memory."""
    memory = read_file(path)
    assert isinstance(memory, Memory)
    return memory


def _languages(memory: Memory, source: str | None, target: str | None) -> tuple[str, str]:
    """Return the languages of the sources and of the translations."""
    name = memory.name
    languages = list(dict.fromkeys(_language(column) for column in memory.columns))
    of_sources = ""
    of_targets = ""
    if source is not None:
        of_sources = _pick(name, languages, source)
    code_of_targets = target or memory.target_language
    if code_of_targets:
        of_targets = _pick(name, languages, code_of_targets)
    if source is None and memory.key_column:
        of_sources = _pick(name, languages, memory.key_column)
    # Of two languages, the one that is named tells the other.
    if len(languages) == 2 and bool(of_sources) != bool(of_targets):
        (remaining,) = (language for language in languages if language not in (of_sources, of_targets))
        of_sources = of_sources or remaining
        of_targets = of_targets or remaining
    options = []
    if not of_targets:
        options.append(f"the translations' ({argument('reference_columns')})")
    if not of_sources or of_sources == of_targets:
        options.append(f"the sources' ({argument('source_column')})")
    if options:
        raise InputError(
            f"{name} has texts in {', '.join(map(repr, languages))}; name the language, {' and '.join(options)}."
        )
    return of_sources, of_targets


def _pick(name: str, languages: Sequence[str], code: str) -> str:
    """Return the language that is wanted, or else the only one that differs from it in region or script alone."""
    from .tmx import pick_language

    try:
        return pick_language(languages, code)
    except InputError as error:
        try:
            return pick_language(languages, _general(code))
        except InputError:
            raise InputError(f"{name}: {error}") from None


def _side_of_memory(path: str, table: Memory, source_code: str, target_code: str) -> _MemorySide:
    languages = list(dict.fromkeys(_language(column) for column in table.columns))
    if "source" in (source_code, table.key_column):
        # Catalogues do not say in which language their messages are.
        source = _pick(path, languages, table.key_column)
    else:
        source = _pick(path, languages, source_code)
    target = _pick(path, languages, target_code)
    columns = _columns_of_targets(path, table, target)
    units: dict[str, list[_Translation]] = {}
    variants: dict[str, str] = {}
    source_variants = _variants(table, source)
    target_variants = _variants(table, target)

    def first_with_text(columns: Sequence[str], row: int) -> str:
        for column in columns:
            if table.columns[column][row]:
                return column
        return ""

    cells = [table.columns[column] for column in columns]
    rows = zip(table.lines, table.columns[source], *cells, strict=True)
    for row, (line, text, *texts) in enumerate(rows):
        if text is not None and text.strip() and any(translation is not None for translation in texts):
            units.setdefault(_key(text), []).append(_Translation(line, row, text, tuple(texts)))
            continue
        in_source = first_with_text(source_variants, row)
        in_target = first_with_text(target_variants, row)
        if in_source and in_target and in_source != in_target:
            variant = in_source
            if in_source == source:
                variant = in_target
            variants[_key(table.columns[in_source][row])] = _language(variant)
    if not units:
        raise InputError(f"{path} has no unit with texts in both {source!r} and {target!r}.")
    return _MemorySide(
        path=path,
        joined_by=table.joined_by,
        source=source,
        target=target,
        columns=columns,
        units=units,
        variants=variants,
    )


def _columns_of_targets(path: str, table: Memory, target: str) -> list[str]:
    """Return the columns of translations into a language; InputError where nothing tells two of a unit apart."""
    # Of a bilingual file, what others proposed is left out.
    if table.target_language:
        return [column for column in table.columns if column == target]
    if target in table.unattributed:
        raise InputError(
            f"{path}, line {table.unattributed[target]}: two translations in {target!r}; expected one in a unit, or "
            "a different author (creationid, changeid) for each."
        )
    return [column for column in table.columns if _language(column) == target]


def _variants(table: Table, language: str) -> list[str]:
    """Return the columns of a language and of those that differ from it in region or script alone, its own first."""
    general = _general(language)
    variants = [column for column in table.columns if _general(_language(column)) == general]
    return sorted(variants, key=lambda column: _language(column) != language)


def _general(language: str) -> str:
    return language.replace("_", "-").partition("-")[0].casefold()


def _language(column: str) -> str:
    """Return the language of a column: no code has a blank, and behind one is whose text it is, or which."""
    return column.partition(" ")[0]


def _key(source: str) -> str:
    return " ".join(unicodedata.normalize("NFC", source).split())


class _AlignedUnits(NamedTuple):
    """The units of a file by segment."""

    #: None where the file has no unit of the segment, or where it is not clear which.
    units: list[_Translation | None]
    #: How many segments have source texts that the file has more or less often, with different texts.
    n_ambiguous: int

    @classmethod
    def of(cls, side: _MemorySide, segments: Sequence[_Translation], expected: _MemorySide) -> _AlignedUnits:
        """Find the unit of each segment: either the order of the files says which is which, or all are the same."""
        aligned: list[_Translation | None] = []
        n_ambiguous = 0
        occurrences: Counter[str] = Counter()
        for segment in segments:
            key = _key(segment.source)
            units = side.units.get(key, [])
            of_references = expected.units[key]
            unit = None
            if len(units) == len(of_references):
                unit = units[occurrences[key]]
            elif units and _are_one(units) and _are_one(of_references):
                unit = units[0]
            elif units:
                n_ambiguous += 1
            aligned.append(unit)
            occurrences[key] += 1
        return cls(aligned, n_ambiguous)


@dataclass(frozen=True, slots=True)
class _MemoryAlignment:
    """The unit of each file for each segment, which is a unit of the first file of references."""

    expected: _MemorySide
    sides: Mapping[str, _MemorySide]
    segments: list[_Translation]
    #: As `sides`, by path.
    by_path: Mapping[str, _AlignedUnits]

    @classmethod
    def of(cls, expected: _MemorySide, sides: Mapping[str, _MemorySide]) -> _MemoryAlignment:
        segments = list(chain.from_iterable(expected.units.values()))
        # Grouped by source text before, now in the order of the file again.
        segments.sort(key=lambda unit: unit.line)
        by_path = {path: _AlignedUnits.of(side, segments, expected) for path, side in sides.items()}
        return cls(expected, sides, segments, by_path)

    def rows_of(self, path: str) -> set[int]:
        """Return the segments that a file has."""
        return {row for row, unit in enumerate(self.by_path[path].units) if unit is not None}

    def texts(self, path: str, column: int, rows: Sequence[int]) -> list[str]:
        """Return the texts of a system; empty where it has none."""
        units = self.by_path[path].units
        texts = []
        for row in rows:
            unit = units[row]
            text = None
            if unit is not None:
                text = unit.texts[column]
            texts.append(text or "")
        return texts

    def references(self, further: Sequence[str], rows: Sequence[int]) -> list[list[str]]:
        """Return the references of each segment, with those of further files."""
        # An utterance in which nothing was said is a reference; a unit that is not translated is none.
        may_be_empty = self.expected.joined_by != SOURCE_TEXT
        lists = []
        for row in rows:
            texts = list(self.segments[row].texts)
            for path in further:
                unit = self.by_path[path].units[row]
                if unit is not None:
                    texts += unit.texts
            lists.append([text for text in texts if text or (text is not None and may_be_empty)])
        return lists

    def rows_in_files(self, rows: Sequence[int]) -> dict[str, list[int | None]]:
        """Return by path the row of each segment in the file; None where it lacks the segment."""
        rows_by_path: dict[str, list[int | None]] = {self.expected.path: [self.segments[row].row for row in rows]}
        for path, aligned in self.by_path.items():
            units = [aligned.units[row] for row in rows]
            rows_by_path[path] = [None if unit is None else unit.row for unit in units]
        return rows_by_path

    def location(self, row: int) -> str:
        """Return where a segment stands, for messages."""
        return f"on {_location(self.segments[row])}"

    def why_lacking(self, path: str, rows: Sequence[int]) -> str:
        """Return what is known of the segments that a file lacks, in brackets; "" where there is nothing."""
        return _why_lacking(self.sides[path], [self.segments[row] for row in rows], self.by_path[path].n_ambiguous)


def _joined_rows(aligned: _MemoryAlignment, systems: Container[str], missing: str) -> Join[int]:
    """Return the segments that are scored; warnings say what each file lacks, and what has no reference."""
    n_segments = len(aligned.segments)
    expected = aligned.expected
    of_systems = {path: aligned.rows_of(path) for path in aligned.sides if path in systems}
    if not set(range(n_segments)).intersection(*of_systems.values()):
        raise InputError(_nothing_joined(aligned, list(of_systems)))
    what = f"{expected.joined_by}s of {expected.path}"
    rows = join(of_systems, range(n_segments), what, aligned.location, missing, aligned.why_lacking)
    for path, side in aligned.sides.items():
        lacking = [row for row, unit in enumerate(aligned.by_path[path].units) if unit is None]
        # A segment may lack one of its references, but no system.
        if lacking and path not in systems:
            why = aligned.why_lacking(path, lacking)
            lacks = lacks_in_words(path, lacking, n_segments, what, aligned.location, why)
            warn(f"{lacks}: these segments have one reference fewer.")
        _warn_of_further(side, expected)
    return rows


def _are_one(units: Sequence[_Translation]) -> bool:
    return len({unit.texts for unit in units}) == 1


def _why_lacking(side: _MemorySide, lacking: Sequence[_Translation], n_ambiguous: int) -> str:
    """Return what is known of the units that a side lacks, in brackets; "" where there is nothing."""
    reasons = []
    folded = {key.casefold() for key in side.units}
    keys = [_key(unit.source) for unit in lacking]
    n_other_case = sum(key not in side.units and key.casefold() in folded for key in keys)
    if n_other_case:
        reasons.append(f"{n_other_case:,} of them it has in other upper and lower case")
    reasons += _in_variants(lacking, side)
    if n_ambiguous:
        reasons.append(f"{n_ambiguous:,} of them it has more or less often, with different {side.texts_in_words}")
    if not reasons:
        return ""
    return f" ({'; '.join(reasons)})"


def _warn_of_further(side: _MemorySide, expected: _MemorySide) -> None:
    """Warn of texts of a side that nothing was expected of."""
    further = [units[0] for key, units in side.units.items() if key not in expected.units]
    if not further:
        return
    summary = f"1 {side.joined_by} has"
    if len(further) > 1:
        summary = f"{len(further):,} {side.joined_by}s have"
    in_variants = "".join(f" ({words})" for words in _in_variants(further, expected))
    unit = "text"
    if expected.joined_by == SOURCE_TEXT:
        unit = f"unit in {expected.source!r} and {expected.target!r}"
    reason = f"no {unit} in {expected.path}{in_variants}"
    warn(f"{side.path}: {summary} {reason}, the first on {_location(further[0])}: not scored.")


def _nothing_joined(aligned: _MemoryAlignment, systems: Sequence[str]) -> str:
    """Return the error where no segment has a text of every system: of those systems that have none at all."""
    expected = aligned.expected
    without_any = [aligned.sides[path] for path in systems if not aligned.rows_of(path)]
    if not without_any:
        paths = joined(list(map(repr, systems)))
        return (
            f"No {expected.joined_by} of {expected.path!r} is in all of {paths}, though each of them has some: give "
            "them one at a time."
        )
    for side in without_any:
        in_both = [key for key in side.units if key in expected.units]
        if in_both:
            return (
                f"Nothing of {side.path!r} can be joined with {expected.path!r}: what both have occurs in one of "
                f"them more often, with different {expected.texts_in_words}, such as {shorten(in_both[0])}; expected "
                "each as often in both."
            )
    within = f"in {expected.source!r} of"
    expectation = "translations of the same texts"
    if expected.joined_by != SOURCE_TEXT:
        within = "of"
        expectation = f"texts with the same {expected.joined_by}s"
    examples = []
    for side in without_any:
        first_unit, *_ = next(iter(side.units.values()))
        examples.append(f"{side.path!r}, such as {shorten(first_unit.source)}")
    return (
        f"No {expected.joined_by} {within} {expected.path!r}, such as {shorten(aligned.segments[0].source)}, "
        f"can be joined with one of {', and of '.join(examples)}; expected {expectation}."
    )


def _in_variants(units: Sequence[_Translation], side: _MemorySide) -> list[str]:
    """Return how many of the source texts, of which a side has no unit, it has in variants that are not read."""
    keys = [_key(unit.source) for unit in units]
    languages = [side.variants[key] for key in keys if key in side.variants]
    if not languages:
        return []
    return [f"{len(languages):,} of them it has in a variant that is not read, such as {languages[0]!r}"]


def _location(unit: _Translation) -> str:
    return f"line {unit.line}, {shorten(unit.source)}"
