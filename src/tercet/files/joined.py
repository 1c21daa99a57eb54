"""Translation memories, joined by their source texts, and logs, joined by their samples -> systems and references."""

from __future__ import annotations

import math
import os
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from tercet.errors import InputError, argument, shorten, warn
from tercet.markup import joined

from .join import EMPTY, ERROR, LACKING, LEAVE_OUT, expected_all, join
from .log_names import with_tasks
from .moments import instant, is_moment, last_moment, without_moments
from .read import items, read_file, table_format
from .results import joined_parts
from .segments import in_segments
from .table import SOURCE_TEXT, Log, Memory, Table


class Joined(NamedTuple):
    """The predictions of systems for the source texts of the first memory of references, and the references."""

    systems: dict[str, list[str]]
    references: list[list[str]]
    #: None where memories are joined by ids or times.
    source: list[str] | None
    #: Of the segments, where the first memory has some.
    ids: list[str] | None
    #: By system, how many segments it lacks that are left out, by what is wrong, in words.
    lost: Mapping[str, Mapping[str, int]]
    #: How many segments the first memory has.
    n_all: int
    #: By path, the row of each segment in the file; None where it lacks the segment.
    rows: Mapping[str, list[int | None]]


class _Unit(NamedTuple):
    """A source text and its translations, as they are in a file; None where a column has none."""

    line: int
    row: int
    source: str
    texts: tuple[str | None, ...]


class _Side(NamedTuple):
    """A memory, read: the columns of the target language, and the units by their source texts.

    `variants` has the source texts of units in a regional variant of a language alone, and in which.
    """

    path: str
    joined_by: str
    source: str
    target: str
    columns: list[str]
    units: dict[str, list[_Unit]]
    variants: dict[str, str]


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

    if table.target_language:
        references, source = references or [table.target_language], source or table.source_language
    reference_columns = [pick(code) for code in references]
    languages = {_language(column) for column in reference_columns}
    other_columns = [
        column for column in table.columns if _language(column) in languages and column not in reference_columns
    ]
    return (
        [pick(code) for code in systems] or other_columns,
        reference_columns,
        None if source is None else pick(source),
    )


def complete(memory: Memory, systems: Sequence[str], references: Sequence[str], missing: str = LEAVE_OUT) -> Memory:
    """Return the units of a bilingual file with all of these texts; a warning counts others by what they lack.

    What a system lacks may be an empty text, or an error, as `missing` says.
    """
    if not memory.target_language:
        return memory
    columns = [*systems, *references]
    n_missing: Counter[str] = Counter()
    rows = []
    for row in range(len(memory.lines)):
        lacking = [column for column in columns if not memory.columns[column][row]]
        n_missing.update(lacking)
        is_kept = not lacking or (missing == EMPTY and not {*lacking} & {*references})
        if is_kept:
            rows.append(row)
    if not rows:
        raise InputError(
            f"{memory.name}: no unit has texts in all of {', '.join(map(repr, columns))}; name fewer: "
            f"{argument('systems')}."
        )
    lacks = ", ".join(f"{count:,} without {column!r}" for column, count in n_missing.items())
    if missing == ERROR and any(n_missing[system] for system in systems):
        raise InputError(f"{memory.name}: {lacks}, of {len(memory.lines):,} units. {expected_all()}")
    if missing == EMPTY and any(n_missing[system] for system in systems):
        warn(f"{memory.name}: {lacks}, of {len(memory.lines):,} units: systems have empty texts there.")
    if len(rows) < len(memory.lines):
        warn(
            f"{memory.name}: {len(memory.lines) - len(rows):,} of {len(memory.lines):,} units are left out for every "
            f"system: {lacks}."
        )
    return replace(
        memory,
        columns={name: [cells[row] or "" for row in rows] for name, cells in memory.columns.items()},
        lines=[memory.lines[row] for row in rows],
        labels={name: [cells[row] for row in rows] for name, cells in memory.labels.items()},
    )


def join_memories(
    systems: Mapping[str, str],
    references: Sequence[str],
    target: str | None,
    source: str | None,
    missing: str = LEAVE_OUT,
    read: Mapping[str, Memory] | None = None,
) -> Joined:
    """Read a memory for each system and for each set of references, and join them by source text.

    A segment is a unit of the first memory of references. Source texts that differ in white space, or in how Unicode
    composes a letter, are the same; those that differ in case are not. Where a source text occurs several times, its
    translations are taken in the order of the files if there are as many as references, or once for all if neither
    side's differ. What cannot be joined is left out for every system, or has an empty text, or is an error, as
    `missing` says; a warning counts it and names the first. `read` has memories by path that were read before.
    """
    paths = list(systems.values())
    memories = {path: (read or {}).get(path) or _read(path) for path in [*references, *paths]}
    memories = in_segments(memories, references[0])
    first = memories[references[0]]
    source, target = _languages(first, source, target)
    expected, *other_sides = (_side(path, memory, source, target) for path, memory in memories.items())
    units = [unit for same_source in expected.units.values() for unit in same_source]
    # Grouped by source text before, now in the order of the file again.
    units.sort(key=lambda unit: unit.line)
    # Said only where something can be joined.
    messages: list[str] = []
    aligned: dict[str, list[_Unit | None]] = {}
    for side in other_sides:
        consequence = "these segments have one reference fewer"
        if side.path in paths:
            consequence = "scored as empty texts" if missing == EMPTY else "left out for every system"
        aligned[side.path] = _aligned(side, expected, units, consequence, messages)
    n_lacking = {path: aligned[path].count(None) for path in paths}
    # A segment may lack one of its references, but no system.
    kept_rows = [row for row in range(len(units)) if all(aligned[path][row] is not None for path in paths)]
    if not kept_rows:
        system_sides = [side for side in other_sides if side.path in paths]
        raise InputError(_nothing_joined(expected, units, system_sides, aligned))
    lacking_path = next((path for path in paths if n_lacking[path]), None)
    if missing == ERROR and lacking_path is not None:
        raise InputError(
            f"{lacking_path} lacks {n_lacking[lacking_path]:,} of the {len(units):,} {first.joined_by}s of "
            f"{references[0]}. {expected_all()}"
        )
    for message in messages:
        warn(message)
    if missing == EMPTY:
        kept_rows = list(range(len(units)))
    texts: dict[str, list[str]] = {}
    lost: dict[str, dict[str, int]] = {}
    columns = {side.path: side.columns for side in other_sides}
    for name, path in systems.items():
        system_units = [aligned[path][row] for row in kept_rows]
        for index, column in enumerate(columns[path]):
            system_name = f"{name} {column}" if columns[path][1:] else name
            texts[system_name] = ["" if unit is None else unit.texts[index] or "" for unit in system_units]
            if n_lacking[path] and missing == LEAVE_OUT:
                lost[system_name] = {LACKING: n_lacking[path]}
    lists: list[list[str]] = []
    for row in kept_rows:
        segment_units = [units[row], *(aligned[path][row] for path in references[1:])]
        # An utterance in which nothing was said is a reference; a unit that is not translated is none.
        lists.append(
            [
                text
                for unit in segment_units
                if unit is not None
                for text in unit.texts
                if text or (text is not None and first.joined_by != SOURCE_TEXT)
            ]
        )
    rows: dict[str, list[int | None]] = {references[0]: [units[row].row for row in kept_rows]}
    for path, units_of_path in aligned.items():
        kept_units = [units_of_path[row] for row in kept_rows]
        rows[path] = [None if unit is None else unit.row for unit in kept_units]
    sources = [units[row].source for row in kept_rows]
    if first.joined_by != SOURCE_TEXT:
        # Times and utterances are the keys: they name the segments.
        return Joined(texts, lists, None, sources, lost, len(units), rows)
    ids = [first.labels["id"][units[row].row] for row in kept_rows] if "id" in first.labels else None
    return Joined(texts, lists, sources, ids, lost, len(units), rows)


def _read(path: str) -> Memory:
    memory = read_file(path)
    assert isinstance(memory, Memory)
    return memory


def _languages(memory: Memory, source: str | None, target: str | None) -> tuple[str, str]:
    """Return the languages of the sources and of the translations."""
    name, target = memory.name, target or memory.target_language or None
    languages = list(dict.fromkeys(_language(column) for column in memory.columns))
    source, target = (None if language is None else _pick(name, languages, language) for language in (source, target))
    if source is None and memory.source_language:
        source = _pick(name, languages, memory.source_language)
    # Of two languages, the one that is named tells the other.
    if len(languages) == 2 and (source is None) != (target is None):
        (remaining,) = (language for language in languages if language not in (source, target))
        source, target = source or remaining, target or remaining
    if source is None or target is None or source == target:
        options = [] if target else [f"the translations' ({argument('reference_columns')})"]
        options += [] if source and source != target else [f"the sources' ({argument('source_column')})"]
        raise InputError(
            f"{name} has texts in {', '.join(map(repr, languages))}; name the language, {' and '.join(options)}."
        )
    return source, target


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


def _side(path: str, table: Memory, source: str, target: str) -> _Side:
    languages = list(dict.fromkeys(_language(column) for column in table.columns))
    if "source" in (source, table.source_language):
        # Catalogues do not say in which language their messages are.
        source = table.source_language
    source, target = _pick(path, languages, source), _pick(path, languages, target)
    # Of a bilingual file, what others proposed is left out.
    columns = [
        column
        for column in table.columns
        if _language(column) == target and (not table.target_language or column == target)
    ]
    # Where authors do not tell two texts of a unit apart, the second is in such a column.
    if columns[1:] and columns[1] == f"{target} 2":
        row = next(row for row, text in enumerate(table.columns[columns[1]]) if text is not None)
        raise InputError(
            f"{path}, line {table.lines[row]}: two translations in {target!r}; expected one in a unit, or a "
            "different author (creationid, changeid) for each."
        )
    units: dict[str, list[_Unit]] = {}
    variants: dict[str, str] = {}
    source_variants, target_variants = (_variants(table, language) for language in (source, target))
    for row, (line, text, *texts) in enumerate(
        zip(table.lines, table.columns[source], *(table.columns[column] for column in columns), strict=True)
    ):
        if text is not None and text.strip() and any(translation is not None for translation in texts):
            units.setdefault(_key(text), []).append(_Unit(line, row, text, tuple(texts)))
            continue
        in_source = next((column for column in source_variants if table.columns[column][row]), "")
        in_target = next((column for column in target_variants if table.columns[column][row]), "")
        if in_source and in_target and in_source != in_target:
            variants[_key(table.columns[in_source][row])] = _language(in_source if in_source != source else in_target)
    if not units:
        raise InputError(f"{path} has no unit with texts in both {source!r} and {target!r}.")
    return _Side(
        path=path,
        joined_by=table.joined_by,
        source=source,
        target=target,
        columns=columns,
        units=units,
        variants=variants,
    )


def _variants(table: Table, language: str) -> list[str]:
    """Return the columns of a language and of those that differ from it in region or script alone, its own first."""
    general = _general(language)
    variants = [column for column in table.columns if _general(_language(column)) == general]
    return sorted(variants, key=lambda column: _language(column) != language)


def _general(language: str) -> str:
    return language.replace("_", "-").partition("-")[0].casefold()


def _language(column: str) -> str:
    return column.partition(" ")[0]


def _key(source: str) -> str:
    return " ".join(unicodedata.normalize("NFC", source).split())


def _aligned(
    side: _Side, expected: _Side, segments: Sequence[_Unit], consequence: str, messages: list[str]
) -> list[_Unit | None]:
    """Return the unit of each segment, and append messages on segments without one, with what becomes of them."""
    aligned: list[_Unit | None] = []
    missing: list[_Unit] = []
    ambiguous: list[_Unit] = []
    occurrences: Counter[str] = Counter()
    for unit in segments:
        key = _key(unit.source)
        units, position = side.units.get(key, []), occurrences[key]
        occurrences[key] += 1
        if not units:
            missing.append(unit)
        # Either the order of the files says which is which, or all of them are the same.
        elif len(units) == len(expected.units[key]):
            aligned.append(units[position])
            continue
        elif all(
            len({candidate.texts for candidate in candidates}) == 1 for candidates in (units, expected.units[key])
        ):
            aligned.append(units[0])
            continue
        else:
            ambiguous.append(units[0])
        aligned.append(None)
    total = f"of the {len(segments):,} {expected.joined_by}s of {expected.path}"
    if missing:
        folded = {key.casefold() for key in side.units}
        n_other_case = sum(_key(unit.source).casefold() in folded for unit in missing)
        case_note = f" ({n_other_case:,} of them it has in other upper and lower case)" if n_other_case else ""
        summary = f"{len(missing):,} {total}{case_note}{_in_variants(missing, side)}"
        first = _place(missing[0])
        messages.append(f"{side.path} has no {_unit(side)} for {summary}, the first on its {first}: {consequence}.")
    if ambiguous:
        occur = "occurs" if len(ambiguous) == 1 else "occur"
        number, texts = "a different number of times", "translations"
        if side.joined_by != SOURCE_TEXT:
            # Times, too, may be what occurs.
            number, texts = "more or less often", "texts"
        summary = f"{len(ambiguous):,} {total} {occur} here {number}, with different {texts}"
        messages.append(f"{side.path}: {summary}, the first on {_place(ambiguous[0])}: {consequence}.")
    unmatched = [units[0] for key, units in side.units.items() if key not in expected.units]
    if unmatched:
        summary = f"{len(unmatched):,} {side.joined_by}{'s have' if unmatched[1:] else ' has'}"
        reason = f"no {_unit(expected)} in {expected.path}{_in_variants(unmatched, expected)}"
        messages.append(f"{side.path}: {summary} {reason}, the first on {_place(unmatched[0])}: not scored.")
    return aligned


def _nothing_joined(
    expected: _Side,
    units: Sequence[_Unit],
    systems: Sequence[_Side],
    aligned: Mapping[str, Sequence[_Unit | None]],
) -> str:
    """Return the error where no segment has a text of every system: of those systems that have none at all."""
    without_any = [side for side in systems if not any(aligned[side.path])]
    if not without_any:
        paths = joined([repr(side.path) for side in systems])
        return (
            f"No {expected.joined_by} of {expected.path!r} is in all of {paths}, though each of them has some: give "
            "them one at a time."
        )
    for side in without_any:
        key = next((key for key in side.units if key in expected.units), None)
        if key is not None:
            texts = "translations" if expected.joined_by == SOURCE_TEXT else "texts"
            return (
                f"Nothing of {side.path!r} can be joined with {expected.path!r}: what both have occurs in one of "
                f"them more often, with different {texts}, such as {shorten(key)}; expected each as often in both."
            )
    location, expectation = f"in {expected.source!r} of", "translations of the same texts"
    if expected.joined_by != SOURCE_TEXT:
        location, expectation = "of", f"texts with the same {expected.joined_by}s"
    first_units = {side.path: next(iter(side.units.values()))[0] for side in without_any}
    of_systems = ", and of ".join(f"{path!r}, such as {shorten(unit.source)}" for path, unit in first_units.items())
    return (
        f"No {expected.joined_by} {location} {expected.path!r}, such as {shorten(units[0].source)}, "
        f"can be joined with one of {of_systems}; expected {expectation}."
    )


def _unit(side: _Side) -> str:
    return f"unit in {side.source!r} and {side.target!r}" if side.joined_by == SOURCE_TEXT else "text"


def _in_variants(units: Sequence[_Unit], side: _Side) -> str:
    """Say how many of the source texts, of which a side has no unit, it has in variants that are not read."""
    languages = [side.variants[key] for unit in units if (key := _key(unit.source)) in side.variants]
    return (
        f" ({len(languages):,} of them it has in a variant that is not read, such as {languages[0]!r})"
        if languages
        else ""
    )


def _place(unit: _Unit) -> str:
    return f"line {unit.line}, {shorten(unit.source)}"


# Logs of harnesses -> the same samples in every run of a task: each run is a system.

#: The column that tells the repeats of a sample apart.
_REPEAT = "repeat"


class Runs(NamedTuple):
    """The runs of a task: predictions by system, references and sources of the samples that all of them have."""

    task: str
    systems: dict[str, list[str]]
    references: list[list[str]]
    source: list[str] | None
    #: Which of the logs' fields these are, in words.
    fields: str
    first: Log
    #: The numbers that the harness computed, by score and system; NaN where missing.
    scores: dict[str, dict[str, list[float]]]
    #: Why there are no texts of systems, which are empty then, and no references.
    no_texts: str
    #: What the labels are of segments that are resampled together; None if each is alone.
    cluster: str | None
    labels: list[str]
    #: The row of each segment in the first log.
    order: list[int]
    #: By system, how many samples it did not answer, or not to the end, by what is wrong, in words.
    lost: Mapping[str, Mapping[str, int]]
    #: How many samples there are, with those that some run lacks.
    n_all: int


def join_logs(
    logs: Sequence[Log],
    systems: Sequence[str] = (),
    references: Sequence[str] = (),
    source: str | None = None,
    cluster: str | None = None,
    missing: str = LEAVE_OUT,
) -> Iterator[Runs]:
    """Yield the runs of each task that the logs are of; columns are those of their formats unless given.

    Samples are joined by their ids; those that one run lacks are left out for every run, or have an empty text there,
    or are an error, as `missing` says, and a warning counts them.
    The references must be the same. Sources are kept where every run has the same: prompts may differ. Samples that
    were repeated, as in the epochs of inspect-ai, are clusters of segments, unless `cluster` names another column.
    """
    logs = with_tasks(joined_parts(logs))
    tasks: dict[tuple[str, str], dict[str, Log]] = {}
    for log, name in zip(logs, _given_names(logs, _names_of_runs(logs)), strict=True):
        tasks.setdefault((log.harness, log.task), {})[name] = log
    nothing: list[_NothingToCompareError] = []
    for runs in tasks.values():
        try:
            repeated = _repeated(runs, systems)
            if missing == EMPTY:
                repeated = _filled(repeated, systems)
            yield _runs_of_task(
                repeated, systems=systems, references=references, source=source, cluster=cluster, missing=missing
            )
        except _NothingToCompareError as error:
            nothing.append(error)
    if nothing and len(nothing) == len(tasks):
        raise nothing[0]
    for reason in nothing:
        warn(f"{str(reason).removesuffix('.')}: it is left out.")


class _NothingToCompareError(InputError):
    """A task with neither texts nor a score of each sample."""


def _runs_of_task(
    runs: Mapping[str, Log],
    systems: Sequence[str],
    references: Sequence[str],
    source: str | None,
    cluster: str | None,
    missing: str,
) -> Runs:
    first_log = next(iter(runs.values()))
    # The first log that says which values of a score are better has its way.
    directions: dict[str, bool] = {}
    for log in runs.values():
        directions = {**log.higher_is_better, **directions}
    rows = {name: _rows(log) for name, log in runs.items()}
    keys = _in_all(runs, rows, missing)
    known: set[tuple[str, ...]] = set()
    for name, log in runs.items():
        known.update(rows[name], log.failed)
    lost: dict[str, Counter[str]] = {}
    texts: dict[str, list[str]] = {}
    lists: list[list[str]] = []
    sources = []
    scores: dict[str, dict[str, list[float]]] = {}
    no_texts = next((log.no_texts for log in runs.values() if log.no_texts), "")
    references, source = references or first_log.roles.references, source or first_log.roles.source
    for name, log in runs.items():
        order = [rows[name][key] for key in keys]
        columns = systems or log.roles.systems
        for column in columns:
            predictions, row_references = items(log, column, references)
            # With several filters, a column is called such as "filtered_resps strict-match".
            label = column.partition(" ")[2] or column
            system = f"{name} {label}" if columns[1:] else name
            if log.names_systems and len(runs) == 1 and not log.called:
                system = label
            texts[system] = [predictions[row] for row in order]
            # What one of several files lacks is in the others; in one alone, its format counts it.
            n_missing = max(len(known - rows[name].keys()), log.n_unanswered.get(column, 0))
            lost[system] = Counter({LACKING: n_missing})
            for key, wrong_end in log.wrong_ends.items():
                # An answer that is empty counts as that.
                if key in rows[name] and predictions[rows[name][key]].strip():
                    lost[system][wrong_end] += 1
            for score, by_column in log.numbers.items():
                # A text that is read in the place of a log's only one has its scores.
                values = by_column.get(column) or (next(iter(by_column.values())) if len(by_column) == 1 else None)
                if values is not None:
                    scores.setdefault(score, {})[system] = [values[row] for row in order]
        run_references = [row_references[row] for row in order]
        # Those of the first run are what the others must have.
        lists = lists or run_references
        for key, expected, actual in zip(keys, lists, run_references, strict=True):
            if actual != expected:
                raise InputError(
                    f"{log.name}: the sample with {_named(log, key)} has the references {shorten(actual)}; "
                    f"{first_log.name} has {shorten(expected)}: these are not runs of the same task."
                )
        cells = log.column(source) if source else []
        has_texts = bool(cells) and all(isinstance(cell, str) for cell in cells)
        sources.append([cells[row] for row in order] if has_texts else [])
    incomplete = [score for score, by_system in scores.items() if len(by_system) < len(texts)]
    if incomplete:
        lacking = next(system for system in texts if system not in scores[incomplete[0]])
        warn(
            f"{first_log.task}: {shorten(lacking)} has no score {shorten(incomplete[0])}, and others have: left out."
        )
    scores = {score: by_system for score, by_system in scores.items() if score not in incomplete}
    if no_texts:
        if not scores:
            raise _NothingToCompareError(f"{no_texts}, and none of its scores is a number of each sample.")
        texts, lists = {system: [""] * len(keys) for system in texts}, [[] for _ in keys]
    # Prompts may differ between runs: a source is what all of them have.
    shared_sources = sources[0] if sources[0] and all(run_sources == sources[0] for run_sources in sources) else None
    fields = "no texts"
    if not no_texts:
        predictions_from = ", ".join(systems or first_log.roles.systems)
        if first_log.names_systems and not systems:
            predictions_from = first_log.roles.systems[0].partition(" ")[0]
        fields = f"predictions from {predictions_from}"
        fields += f"; references from {', '.join(references)}" if references else ""
    fields += f"; scores: {', '.join(scores)}" if scores else ""
    fields += f"; sources from {source}" if shared_sources else ""
    fields += f"; samples joined by {' and '.join(first_log.key)}" if len(runs) > 1 else ""
    if not first_log.names_task and len({Path(log.name).name for log in runs.values()}) > 1:
        fields += "; runs of one task, because they have the same samples"
    logs = f"{'logs' if len(runs) > 1 else 'log'} of {first_log.harness}"
    labels = [key[0] for key in keys]
    n_samples, cluster_name = len(set(labels)), None
    if cluster is not None:
        cells, row_of_key = first_log.column(cluster), rows[next(iter(runs))]
        labels, cluster_name = [str(cells[row_of_key[key]] or "") for key in keys], cluster
        if len({(key[0], label) for key, label in zip(keys, labels, strict=True)}) > n_samples:
            warn(
                f"{first_log.name}: {cluster!r} puts answers to the same sample into different clusters, though they "
                "are not independent. Without it, logs are resampled by sample."
            )
    elif n_samples < len(keys):
        cluster_name = "sample id"
        fields += f"; {n_samples:,} samples with {len(keys):,} answers are resampled by sample"
    return Runs(
        task=first_log.task,
        systems=texts,
        references=lists,
        source=shared_sources,
        fields=f"{first_log.task}: {logs}: {', '.join(texts)}: {fields}.",
        first=replace(first_log, higher_is_better=directions),
        scores=scores,
        no_texts=no_texts,
        cluster=cluster_name,
        labels=labels,
        order=[rows[next(iter(runs))][key] for key in keys],
        lost=lost,
        n_all=max(len(known), *(len(rows[name]) + len(log.failed) + log.n_left_out for name, log in runs.items())),
    )


def _repeated(runs: Mapping[str, Log], systems: Sequence[str]) -> Mapping[str, Log]:
    """Return the logs with a row for each of a sample's repeats, where a cell holds the texts of all of them."""
    cells_by_run = {
        name: [log.column(column) for column in systems or log.roles.systems] for name, log in runs.items()
    }
    if not any(isinstance(cell, list) for columns in cells_by_run.values() for column in columns for cell in column):
        return runs
    return {name: _with_row_of_each(log, cells_by_run[name]) for name, log in runs.items()}


def _with_row_of_each(log: Log, systems: Sequence[Sequence[Any]]) -> Log:
    repeat_counts = [
        max(len(cell) if isinstance(cell, list) else 1 for cell in cells) for cells in zip(*systems, strict=True)
    ]
    pairs = [(row, repeat) for row, n_repeats in enumerate(repeat_counts) for repeat in range(n_repeats)]

    def cell_of(cells: Sequence[Any], row: int, repeat: int) -> Any:
        cell = cells[row]
        # A filter that takes one of the repeats has its text in all rows: copies change no statistic of clusters.
        if not any(cells is system for system in systems) or not isinstance(cell, list):
            return cell
        if len(cell) == 1:
            return cell[0]
        return cell[repeat] if repeat < len(cell) else None

    columns = {name: [cell_of(cells, *pair) for pair in pairs] for name, cells in log.columns.items()}
    columns[_REPEAT] = [str(repeat) for _, repeat in pairs]
    # The score of a sample with repeats is of all of them.
    numbers = {
        score: {column: [values[row] for row, _ in pairs] for column, values in by_column.items()}
        for score, by_column in log.numbers.items()
    }
    lines = [log.lines[row] for row, _ in pairs]
    key = (log.key[0], _REPEAT)
    return replace(
        log,
        columns=columns,
        lines=lines,
        key=key,
        numbers=numbers,
        failed=frozenset((sample, "0") for sample, *_ in log.failed),
        wrong_ends={(sample, "0"): kind for (sample, *_), kind in log.wrong_ends.items()},
    )


def _rows(log: Log) -> dict[tuple[str, ...], int]:
    """Return the row of each sample."""
    rows: dict[tuple[str, ...], int] = {}
    for row, key in enumerate(zip(*(log.column(column) for column in log.key), strict=True)):
        if rows.setdefault(key, row) != row:
            raise InputError(f"{log.name}: {_named(log, key)} occurs twice; expected each sample of one run once.")
    return rows


def _filled(runs: Mapping[str, Log], systems: Sequence[str]) -> dict[str, Log]:
    """Return the logs with a row for each sample that another one has: the text of a system is empty there."""
    rows = {name: _rows(log) for name, log in runs.items()}
    keys = _in_all(runs, rows, EMPTY)
    filled: dict[str, Log] = {}
    for name, log in runs.items():
        lacking = [key for key in keys if key not in rows[name]]
        columns = {column: list(cells) for column, cells in log.columns.items()}
        lines = list(log.lines)
        for key in lacking:
            other, row = next((runs[other], of_other[key]) for other, of_other in rows.items() if key in of_other)
            lines.append(other.lines[row])
            for column, cells in columns.items():
                if column in (systems or log.roles.systems):
                    cells.append("")
                elif column in other.columns:
                    cells.append(other.columns[column][row])
                else:
                    cells.append(None)
        numbers = {
            score: {column: [*values, *[math.nan] * len(lacking)] for column, values in by_column.items()}
            for score, by_column in log.numbers.items()
        }
        filled[name] = replace(log, columns=columns, lines=lines, numbers=numbers)
    return filled


def _all_keys(rows: Mapping[str, Mapping[tuple[str, ...], int]]) -> list[tuple[str, ...]]:
    """Return the samples of all runs, in the order of the first that has them."""
    return list(dict.fromkeys(key for run_rows in rows.values() for key in run_rows))


def _in_all(
    runs: Mapping[str, Log], rows: Mapping[str, Mapping[tuple[str, ...], int]], missing: str
) -> list[tuple[str, ...]]:
    """Return the samples that are scored, in the order of the first run, and warn of others."""
    all_keys = _all_keys(rows)
    if not any(all(key in run_rows for run_rows in rows.values()) for key in all_keys):
        log_names = " and ".join(log.name for log in runs.values())
        raise InputError(f"{log_names} have no sample in common; expected runs of the same samples.")
    samples = {log.name: rows[name] for name, log in runs.items()}
    first = next(iter(runs.values()))
    return join(samples, all_keys, "samples of these runs", lambda key: f"with {_named(first, key)}", missing).keys


def _named(log: Log, key: tuple[str, ...]) -> str:
    return " and ".join(f"the {column} {shorten(cell)}" for column, cell in zip(log.key, key, strict=True))


def _given_names(logs: Sequence[Log], names: Sequence[str]) -> list[str]:
    """Return the names that users give to runs, or else their own, which stand behind those of several runs."""
    counts = Counter((log.harness, log.task, log.called) for log in logs)
    given: list[str] = []
    for log, name in zip(logs, names, strict=True):
        if not log.called:
            given.append(name)
        elif counts[log.harness, log.task, log.called] == 1:
            given.append(log.called)
        else:
            given.append(f"{log.called} {name}")
    names_of_tasks = Counter((log.harness, log.task, name) for log, name in zip(logs, given, strict=True))
    for (_, task, name), times in names_of_tasks.items():
        if times > 1:
            raise InputError(f"Two runs of {task} are called {shorten(name)}; expected a name of its own for each.")
    return given


def _names_of_runs(logs: Sequence[Log]) -> list[str]:
    """Return the first of these that tells the runs of each task apart: model, a folder, several, folder and date."""
    paths = [Path(log.name).absolute() for log in logs]
    folders = [[part for part in path.parts[-2:0:-1] if not is_moment(part)] for path in paths]
    depth = max(map(len, folders), default=0)
    # First the model, or where a log does not name it, the folder; then one folder after the other, from within.
    candidates = [[log.run or parents[0] for log, parents in zip(logs, folders, strict=True)]]
    candidates += [[parents[level] if level < len(parents) else "" for parents in folders] for level in range(depth)]
    candidates += [["/".join(parents[level::-1]) for parents in folders] for level in range(1, depth)]
    # Runs of one model at several times are told apart by these.
    moments = [last_moment(str(path)) for path in paths]
    candidates += [[f"{name} {moment}" for name, moment in zip(candidates[0], moments, strict=True)]]
    candidates += [[log.name for log in logs]]
    for names in candidates:
        runs = {(log.harness, log.task, name) for log, name in zip(logs, names, strict=True)}
        if len(runs) == len(logs) and all(names):
            return names
    raise InputError(f"The file {logs[0].name!r} is given twice.")


# Folders into which harnesses write -> the logs in them, the newest of each task.

#: Names of logs with samples: of lm-evaluation-harness, lighteval, inspect-ai, inspect-ai in JSON, deepeval, MLflow.
_LOG = re.compile(
    r"(\d{8}_\d{6}_)?samples_.+\.jsonl?(\.gz)?|pretrained__.+\.jsonl(\.gz)?|details_.+\.parquet|.+\.eval|\d{4}-\d\d-\d\dT.*\.json"
    r"|test_run_\d{8}_\d{6}\.json|eval_results_table\.json",
    re.IGNORECASE,
)
_EXPECTED = (
    "samples_*.jsonl of lm-evaluation-harness (--log_samples), details_*.parquet of lighteval, *.eval of inspect-ai, "
    "test_run_*.json of deepeval, eval_results_table.json of MLflow, predictions/*/*.json of OpenCompass, results of "
    "promptfoo in JSON"
)
#: Other files that may be logs, in a folder without any that are named so.
_OF_ANY_NAME = re.compile(r".+\.jsonl?(\.gz)?", re.IGNORECASE)
#: The folder in which OpenCompass has one of each model.
_OF_OPENCOMPASS = "predictions"
_MOST_LISTED = 10


def read_folder(folder: str) -> list[Log]:
    """Return the logs in a folder and those within it; of several runs of a task, the newest, with a warning.

    Logs that cannot be read are left out with a warning where others can.
    """
    files = sorted(_files(folder))
    paths = [path for path in files if _is_named_as_log(path)]
    # Results of promptfoo, and samples of old versions of lm-evaluation-harness, have any name.
    unnamed = [] if paths else [path for path in files if _OF_ANY_NAME.fullmatch(os.path.basename(path))]
    logs, errors = [], []
    for path in [*paths, *unnamed]:
        try:
            table = read_file(path)
        except InputError as refusal:
            errors.append(refusal)
            continue
        logs += [table] if isinstance(table, Log) else []
    if not paths and not logs:
        names = [os.path.relpath(path, folder) for path in files]
        content = f"it holds {joined([*map(repr, names)], _MOST_LISTED) or 'no file'}"
        tables = [path for path in files if table_format(path) not in ("", "inspect")]
        example = f", such as {tables[0]!r}" if tables else ""
        raise InputError(
            f"{folder!r} cannot be read: it is a folder without logs of a harness; {content}; expected {_EXPECTED}; "
            f"or give files{example}."
        )
    # Nothing could be read: the reason of the first file says why.
    if not logs and errors:
        raise errors[0]
    if not logs:
        raise InputError(
            f"{folder!r}: {os.path.relpath(paths[0], folder)!r} is no log of a harness; expected {_EXPECTED}."
        )
    # What is not even named as a log is none.
    errors = errors if paths else []
    for error in errors:
        warn(f"A log is left out: {error}")
    return _newest(logs, folder)


def _is_named_as_log(path: str) -> bool:
    """Return whether a file has the name of a log, or is where OpenCompass writes predictions."""
    file = Path(path).absolute()
    is_of_opencompass = file.parent.parent.name == _OF_OPENCOMPASS and file.suffix.lower() == ".json"
    return is_of_opencompass or bool(_LOG.fullmatch(file.name))


def _files(folder: str) -> list[str]:
    """Return the files in a folder and the folders within, but for hidden ones."""
    paths = []
    for parent, folders, names in os.walk(folder):
        # In place, as os.walk goes on into these folders.
        folders[:] = [name for name in folders if not name.startswith(".")]
        paths += [os.path.join(parent, name) for name in names if not name.startswith(".")]
    return paths


def _newest(logs: list[Log], folder: str) -> list[Log]:
    """Return the newest run of each task and model, by the times in the paths."""
    runs: dict[tuple[str, ...], list[tuple[datetime, Log]]] = {}
    for log in logs:
        parent = without_moments(str(Path(log.name).parent))
        moment = instant(last_moment(log.name))
        runs.setdefault((log.harness, log.task, log.run, parent), []).append((moment, log))
    latest_logs = []
    for (_, task, *_), dated in runs.items():
        newest = max(moment for moment, _ in dated)
        latest = [log for moment, log in dated if moment == newest]
        if len(latest) < len(dated):
            warn(
                f"{folder}: {task} has {len(dated)} runs; the newest, {latest[0].name!r}, is read. To read another, "
                "give its file."
            )
        latest_logs += latest
    return latest_logs
