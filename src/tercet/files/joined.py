"""Translation memories, joined by their source texts, and logs, joined by their samples -> systems and references."""

from __future__ import annotations

import os
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from tercet.errors import InputError, argument, shorten, warn
from tercet.markup import joined

from .read import items, read_file, table_format
from .results import joined_parts
from .table import SOURCE_TEXT, Log, Memory, Table


class Joined(NamedTuple):
    """The predictions of systems for the source texts of the first memory of references, and the references."""

    systems: dict[str, list[str]]
    references: list[list[str]]
    #: None where memories are joined by ids or times.
    source: list[str] | None
    #: Of the segments, where the first memory has some.
    ids: list[str] | None


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


def complete(memory: Memory, columns: Sequence[str]) -> Memory:
    """Return the units of a bilingual file with all of these texts; a warning counts others by what they lack."""
    if not memory.target_language:
        return memory
    missing: Counter[str] = Counter()
    rows = []
    for row in range(len(memory.lines)):
        lacking = [column for column in columns if not memory.columns[column][row]]
        missing.update(lacking)
        rows += [] if lacking else [row]
    if not rows:
        raise InputError(
            f"{memory.name}: no unit has texts in all of {', '.join(map(repr, columns))}; name fewer: "
            f"{argument('systems')}."
        )
    if len(rows) < len(memory.lines):
        lacks = ", ".join(f"{count:,} without {column!r}" for column, count in missing.items())
        warn(
            f"{memory.name}: {len(memory.lines) - len(rows):,} of {len(memory.lines):,} units are left out for every "
            f"system: {lacks}."
        )
    return replace(
        memory,
        columns={name: [cells[row] for row in rows] for name, cells in memory.columns.items()},
        lines=[memory.lines[row] for row in rows],
        labels={name: [cells[row] for row in rows] for name, cells in memory.labels.items()},
    )


def join_memories(
    systems: Mapping[str, str], references: Sequence[str], target: str | None, source: str | None
) -> Joined:
    """Read a memory for each system and for each set of references, and join them by source text.

    A segment is a unit of the first memory of references. Source texts that differ in white space, or in how Unicode
    composes a letter, are the same; those that differ in case are not. Where a source text occurs several times, its
    translations are taken in the order of the files if there are as many as references, or once for all if neither
    side's differ. What cannot be joined is left out for every system; a warning counts it and names the first.
    """
    paths = list(systems.values())
    memories = {path: _read(path) for path in [*references, *paths]}
    if any(table_format(path) == "ctm" for path in memories):
        from .transcripts import in_segments

        memories = in_segments(memories, memories[references[0]])
    first = memories[references[0]]
    source, target = _languages(first, source, target)
    expected, *other_sides = (_side(path, memory, source, target) for path, memory in memories.items())
    units = [unit for same_source in expected.units.values() for unit in same_source]
    # Grouped by source text before, now in the order of the file again.
    units.sort(key=lambda unit: unit.line)
    # Said only where something can be joined.
    messages: list[str] = []
    aligned = {side.path: _aligned(side, expected, units, side.path in paths, messages) for side in other_sides}
    # A segment may lack one of its references, but no system.
    kept_rows = [row for row in range(len(units)) if all(aligned[path][row] is not None for path in paths)]
    if not kept_rows:
        place, expectation = f"in {expected.source!r} of", "translations of the same texts"
        if first.joined_by != SOURCE_TEXT:
            place, expectation = "of", f"texts with the same {first.joined_by}s"
        first_units = {side.path: next(iter(side.units.values()))[0] for side in other_sides}
        of_systems = ", and of ".join(f"{path!r}, such as {shorten(first_units[path].source)}" for path in paths)
        raise InputError(
            f"No {first.joined_by} {place} {references[0]!r}, such as {shorten(units[0].source)}, "
            f"can be joined with one of {of_systems}; expected {expectation}."
        )
    for message in messages:
        warn(message)
    texts: dict[str, list[str]] = {}
    columns = {side.path: side.columns for side in other_sides}
    for name, path in systems.items():
        system_units = [unit for row in kept_rows if (unit := aligned[path][row]) is not None]
        for index, column in enumerate(columns[path]):
            system_name = f"{name} {column}" if columns[path][1:] else name
            texts[system_name] = [unit.texts[index] or "" for unit in system_units]
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
    sources = [units[row].source for row in kept_rows]
    if first.joined_by != SOURCE_TEXT:
        return Joined(texts, lists, None, sources)
    ids = [first.labels["id"][units[row].row] for row in kept_rows] if "id" in first.labels else None
    return Joined(texts, lists, sources, ids)


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
    side: _Side, expected: _Side, segments: Sequence[_Unit], is_system: bool, messages: list[str]
) -> list[_Unit | None]:
    """Return the unit of each segment, and append messages on segments without one."""
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
    consequence = "left out for every system" if is_system else "these segments have one reference fewer"
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
        summary = f"{len(ambiguous):,} {total} {occur} here a different number of times, with different translations"
        messages.append(f"{side.path}: {summary}, the first on {_place(ambiguous[0])}: {consequence}.")
    unmatched = [units[0] for key, units in side.units.items() if key not in expected.units]
    if unmatched:
        summary = f"{len(unmatched):,} {side.joined_by}{'s have' if unmatched[1:] else ' has'}"
        reason = f"no {_unit(expected)} in {expected.path}{_in_variants(unmatched, expected)}"
        messages.append(f"{side.path}: {summary} {reason}, the first on {_place(unmatched[0])}: not scored.")
    return aligned


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
#: A time, in the names of files and folders; the second as lmms-eval writes it.
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT[\d.:+-]*\d|\d{8}_\d{6}")


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


def join_logs(
    logs: Sequence[Log],
    systems: Sequence[str] = (),
    references: Sequence[str] = (),
    source: str | None = None,
    cluster: str | None = None,
) -> Iterator[Runs]:
    """Yield the runs of each task that the logs are of; columns are those of their formats unless given.

    Samples are joined by their ids; those that one run lacks are left out for every run, and a warning counts them.
    The references must be the same. Sources are kept where every run has the same: prompts may differ. Samples that
    were repeated, as in the epochs of inspect-ai, are clusters of segments, unless `cluster` names another column.
    """
    logs = joined_parts(logs)
    tasks: dict[tuple[str, str], dict[str, Log]] = {}
    for log, name in zip(logs, _names_of_runs(logs), strict=True):
        tasks.setdefault((log.harness, log.task), {})[name] = log
    nothing: list[_NothingToCompareError] = []
    for runs in tasks.values():
        try:
            yield _runs_of_task(
                _repeated(runs, systems), systems=systems, references=references, source=source, cluster=cluster
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
) -> Runs:
    first_log = next(iter(runs.values()))
    # The first log that says which values of a score are better has its way.
    directions: dict[str, bool] = {}
    for log in runs.values():
        directions = {**log.higher_is_better, **directions}
    rows = {name: _rows(log) for name, log in runs.items()}
    keys = _in_all(runs, rows)
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
            if log.names_systems and len(runs) == 1:
                system = label
            texts[system] = [predictions[row] for row in order]
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
    return replace(log, columns=columns, lines=lines, key=(log.key[0], _REPEAT), numbers=numbers)


def _rows(log: Log) -> dict[tuple[str, ...], int]:
    """Return the row of each sample."""
    rows: dict[tuple[str, ...], int] = {}
    for row, key in enumerate(zip(*(log.column(column) for column in log.key), strict=True)):
        if rows.setdefault(key, row) != row:
            raise InputError(f"{log.name}: {_named(log, key)} occurs twice; expected each sample of one run once.")
    return rows


def _in_all(runs: Mapping[str, Log], rows: Mapping[str, Mapping[tuple[str, ...], int]]) -> list[tuple[str, ...]]:
    """Return the samples that every run has, in the order of the first, and warn of others."""
    all_keys = list(dict.fromkeys(key for run_rows in rows.values() for key in run_rows))
    common_keys = [key for key in all_keys if all(key in run_rows for run_rows in rows.values())]
    if not common_keys:
        log_names = " and ".join(log.name for log in runs.values())
        raise InputError(f"{log_names} have no sample in common; expected runs of the same samples.")
    for name, log in runs.items():
        missing_keys = [key for key in all_keys if key not in rows[name]]
        if missing_keys:
            warn(
                f"{log.name} lacks {len(missing_keys):,} of the {len(all_keys):,} samples of these runs, the first "
                f"with {_named(log, missing_keys[0])}: left out for every system."
            )
    return common_keys


def _named(log: Log, key: tuple[str, ...]) -> str:
    return " and ".join(f"the {column} {shorten(cell)}" for column, cell in zip(log.key, key, strict=True))


def _names_of_runs(logs: Sequence[Log]) -> list[str]:
    """Return the first of these that tells the runs of each task apart: model, a folder, several, folder and date."""
    paths = [Path(log.name).absolute() for log in logs]
    folders = [[part for part in path.parts[-2:0:-1] if not _MOMENT.fullmatch(part)] for path in paths]
    depth = max(map(len, folders), default=0)
    # First the model, or where a log does not name it, the folder; then one folder after the other, from within.
    candidates = [[log.run or parents[0] for log, parents in zip(logs, folders, strict=True)]]
    candidates += [[parents[level] if level < len(parents) else "" for parents in folders] for level in range(depth)]
    candidates += [["/".join(parents[level::-1]) for parents in folders] for level in range(1, depth)]
    # Runs of one model at several times are told apart by these.
    moments = ["".join(_MOMENT.findall(str(path))[-1:]) for path in paths]
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
    r"(\d{8}_\d{6}_)?samples_.+\.jsonl(\.gz)?|details_.+\.parquet|.+\.eval|\d{4}-\d\d-\d\dT.*\.json"
    r"|test_run_\d{8}_\d{6}\.json|eval_results_table\.json",
    re.IGNORECASE,
)
_EXPECTED = (
    "samples_*.jsonl of lm-evaluation-harness (--log_samples), details_*.parquet of lighteval, *.eval of inspect-ai, "
    "test_run_*.json of deepeval, eval_results_table.json of MLflow"
)
_MOST_LISTED = 10


def read_folder(folder: str) -> list[Log]:
    """Return the logs in a folder and those within it; of several runs of a task, the newest, with a warning.

    Logs that cannot be read are left out with a warning where others can.
    """
    files = sorted(_files(folder))
    paths = [path for path in files if _LOG.fullmatch(os.path.basename(path))]
    if not paths:
        names = [os.path.relpath(path, folder) for path in files]
        content = f"it holds {joined([*map(repr, names)], _MOST_LISTED) or 'no file'}"
        tables = [path for path in files if table_format(path) not in ("", "inspect")]
        example = f", such as {tables[0]!r}" if tables else ""
        raise InputError(
            f"{folder!r} cannot be read: it is a folder without logs of a harness; {content}; expected {_EXPECTED}; "
            f"or give files{example}."
        )
    logs, errors = [], []
    for path in paths:
        try:
            table = read_file(path)
        except InputError as refusal:
            errors.append(refusal)
            continue
        logs += [table] if isinstance(table, Log) else []
    # Nothing could be read: the reason of the first file says why.
    if not logs and errors:
        raise errors[0]
    if not logs:
        raise InputError(
            f"{folder!r}: {os.path.relpath(paths[0], folder)!r} is no log of a harness; expected {_EXPECTED}."
        )
    for error in errors:
        warn(f"A log is left out: {error}")
    return _newest(logs, folder)


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
    runs: dict[tuple[str, ...], list[tuple[str, Log]]] = {}
    for log in logs:
        parent = _MOMENT.sub("", str(Path(log.name).parent))
        moment = "".join(_MOMENT.findall(log.name)[-1:])
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
