"""Tables -> test sets: a column for each system, by names that a user gives or that suggest a role."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from tercet.errors import InputError, argument, argument_set, arguments_set, did_you_mean, shorten, warn
from tercet.files.column_names import ITEM, n_first_shared
from tercet.files.endings import ENDING_COLUMNS, wrong_ends
from tercet.files.join import NOTHING_LOST
from tercet.files.numbers import WRITTEN_AS_MISSING
from tercet.files.read import MEMORIES, TRANSLATIONS, predictions_in, references_in, table_format
from tercet.files.roles import CODES, clear_role, document_column, guess_roles, lack, role_of
from tercet.files.score_columns import (
    columns_beside,
    directions_of,
    score_columns,
    scored_systems,
    systems_of,
    without_scores,
)
from tercet.files.subtitles_and_memories import columns_of, complete
from tercet.files.table import SOURCE_TEXT, Memory, Roles, Table, TableWithRoles
from tercet.names_and_sentences import joined
from tercet.statistics.clusters import Clusters

from .labels import slice_columns, slices_of_columns
from .long_tables import called, lost_by_system, own_columns_of_long, readings_of_long, warn_pooled, wide
from .misread_tables import check_no_marked_errors, check_rows, column_apart
from .reading import HOW_READ, readings
from .roles import (
    MOST_NAMED,
    Columns,
    columns_by_role,
    columns_in_words,
    columns_left_out,
    end_of_fields,
    named,
    warn_left_out,
    warn_swapped,
    warn_unlike_references,
    warn_unused,
)
from .tables_with_roles import rows_of_all
from .test_set import TestSet, without_texts

_T = TypeVar("_T")
#: The alternative for translation memories.
_JOINED = " Or give a {} for each system, and one with the references ({})."
#: The same for files of WMT that have one side each.
_BESIDE = " Or give the file of the references, too ({})."


def table_set(table: Table, path: str, name: str, columns: Columns) -> TestSet:
    """Return the texts of a table; columns that are not named have the role that their name suggests."""
    lost = NOTHING_LOST
    if isinstance(table, Memory):
        systems, references, source = columns_of(table, columns.systems, columns.references, columns.source)
        table, lost = complete(table, systems, references, columns.missing)
        columns = replace(columns, systems=systems, references=references, source=source)
    # In a long table, the system that is named is the column of the systems' texts.
    named_by_user = list(columns.systems)
    if columns.system_column is not None:
        named_by_user.append(columns.system_column)
    note = ""
    if isinstance(table, TableWithRoles):
        table, lost = rows_of_all(table, columns)
    else:
        check_no_marked_errors(table, columns)
        wide_table = wide(table, columns)
        if wide_table.table is table:
            check_rows(table, columns)
        else:
            lost = lost_by_system(wide_table.table)
        table, columns, note = wide_table
    slices = slices_of_columns(table, columns.slices)
    column_of_names = warn_pooled(table, columns)
    test_set = _texts_or_scores(table, path, name, columns, column_of_names)
    fields = test_set.fields
    if note:
        fields += f" {note}"
    test_set = replace(test_set, wrong_ends=_wrong_ends(table, list(test_set.systems), columns.scores))
    unread = {*test_set.left_out, columns.cluster, *slice_columns(columns.slices, table.columns)}
    own_columns = own_columns_of_long(table, [column for column in table.columns if column in unread])
    return replace(
        _with_clusters(test_set, table, columns, is_pooled=column_of_names is not None),
        slices=slices,
        fields=fields,
        columns=readings_of_long(table, test_set.columns, named_by_user),
        lost=lost.by_system,
        n_all=lost.n_all,
        own_columns=own_columns.by_item,
        own_columns_by_system=own_columns.by_system,
    )


@dataclass(frozen=True, slots=True)
class _Reading:
    """What the columns of a table are: as the user names them, or else as they suggest."""

    table: Table
    #: Those that the user names.
    by_user: Columns
    #: The same, with those that suggest a role for which the user names none.
    chosen: Columns
    #: What columns without scores and labels suggest.
    roles: Roles
    scores: list[str]
    slices: list[str]
    #: Columns that label segments.
    labels: set[str]


def _texts_or_scores(table: Table, path: str, name: str, columns: Columns, column_of_names: str | None) -> TestSet:
    """Return what a table has; the column of names of systems, if there is one, has no texts."""
    reading = _read_roles(table, columns, column_of_names)
    if columns.scores and not columns.need_references and not _has_texts_of_scored(reading):
        return _scores_alone(reading, name)
    if isinstance(table, Memory):
        # The columns are languages, whose codes suggest no role.
        reading = replace(reading, chosen=columns, roles=Roles(None, (), ()))
    _check_reading(reading, table_format(path))
    _warn_of_roles(reading)
    texts = {system: predictions_in(table, system) for system in reading.chosen.systems}
    references = references_in(table, reading.chosen.references)
    _warn_of_texts(reading)
    return _as_test_set(reading, name, texts, references)


def _read_roles(table: Table, columns: Columns, column_of_names: str | None) -> _Reading:
    """Return the role of each column."""
    guessed = without_scores(table, columns.scores)
    slices = slice_columns(columns.slices, table.columns)
    labels = _labels(columns, slices, column_of_names)
    unlabelled = {column: cells for column, cells in guessed.columns.items() if column not in labels}
    references = [column for column in columns.references if column in table.columns]
    roles = guess_roles(replace(guessed, columns=unlabelled), references)
    return _Reading(
        table=table,
        by_user=columns,
        chosen=_with_roles(columns, roles),
        roles=roles,
        scores=[column for column in table.columns if column not in guessed.columns],
        slices=slices,
        labels=labels,
    )


def _labels(columns: Columns, slices: Sequence[str], column_of_names: str | None) -> set[str]:
    """Return the columns that label segments: they are no outputs and no references, unless their names say so."""
    labels = {column for column in slices if role_of(column) != "source" and not clear_role(column)}
    if column_of_names is not None:
        labels.add(column_of_names)
    return labels - {*columns.systems, *columns.references, columns.source}


def _with_roles(columns: Columns, roles: Roles) -> Columns:
    """Return the columns that are named for each role, or else those that have it; a named one has no other role."""
    source = columns.source or roles.source
    references = columns.references
    if not references:
        references = [column for column in roles.references if column not in {*columns.systems, source}]
    systems = columns.systems
    if not systems:
        systems = [column for column in roles.systems if column not in {*references, source}]
    return replace(columns, systems=systems, references=references, source=source)


def _has_texts_of_scored(reading: _Reading) -> bool:
    """Return whether there are texts of systems: those that are named, or those that the scores are of."""
    columns = reading.by_user
    if columns.systems:
        return any(column in reading.table.columns for column in columns.systems)
    if not reading.roles.systems:
        return False
    # "task" with "a.score" and "b.score" is no system.
    scored = scored_systems(reading.table, columns.scores[0])
    return not scored or not set(scored).isdisjoint(reading.roles.systems)


def _check_reading(reading: _Reading, format: str) -> None:
    """Raise an InputError for columns that the user names wrongly, and for roles that are not clear or lacking."""
    columns = reading.by_user
    _check_columns(reading.table, columns)
    if not columns.systems and not columns.references:
        check_clear(reading.table, reading.roles)
    chosen = reading.chosen
    check_roles(reading.table, format, chosen.systems, chosen.references, columns.need_references)


def _warn_of_roles(reading: _Reading) -> None:
    """Warn of columns that are not used, though their names or texts suggest it."""
    table = reading.table
    roles = reading.roles
    chosen = reading.chosen
    if not reading.by_user.references:
        warn_unlike_references(table, roles.unlike, roles.references)
    # Who names the systems leaves the other columns out on purpose.
    if not reading.by_user.systems and not isinstance(table, TableWithRoles):
        warn_left_out(table, roles)
        with_role = {*roles.systems, *roles.left_out, *roles.references, roles.source}
        with_role |= {*chosen.references, chosen.source, *reading.labels}
        warn_unused(table, [column for column in table.columns if column not in with_role])


def _warn_of_texts(reading: _Reading) -> None:
    """Warn of systems and references that seem to be something else."""
    chosen = reading.chosen
    warn_swapped(reading.table.name, chosen.systems, chosen.references, chosen.source)
    _warn_of_written_missing(reading.table, chosen.systems, chosen.references)


def _as_test_set(reading: _Reading, name: str, texts: dict[str, list[str]], references: list[list[str]]) -> TestSet:
    """Return the test set of these texts, with all that its columns hold."""
    table = reading.table
    columns = reading.by_user
    chosen = reading.chosen
    by_role = columns_by_role(chosen, reading.scores, reading.slices)
    left_out = columns_left_out(table, by_role)
    named_by_user = [*columns.systems, *columns.references, *reading.scores, *reading.slices]
    for column in (columns.source, columns.cluster):
        if column is not None:
            named_by_user.append(column)
    source_texts = None
    if chosen.source is not None:
        source_texts = _sources(table, chosen.source)
    directions = directions_of(columns.scores)
    return TestSet(
        name,
        texts,
        references,
        source_texts,
        fields=columns_in_words(table, by_role, left_out),
        columns=readings(table, by_role, reading.roles.reasons, named_by_user),
        left_out=left_out,
        scores={score: score_columns(table, chosen.systems, score) for score in columns.scores},
        lower_is_better=directions.lower,
        higher_is_better=directions.higher,
        ids=table.labels.get("id") if isinstance(table, Memory) else None,
    )


def check_clear(table: Table, roles: Roles) -> None:
    """Raise an InputError where columns are as likely systems as references, with both ways to say it."""
    if not roles.doubtful:
        return
    doubtful = list(roles.doubtful)
    references = [name for name in roles.references if name not in doubtful]
    systems = [name for name in roles.systems if name not in doubtful]
    as_systems = _roles_set([*systems, *doubtful], references)
    as_references = _roles_set(systems, [*references, *doubtful])
    question = "are systems or have"
    if len(doubtful) == 1:
        question = "is a system or has"
    raise InputError(
        f"{table.name}: it is not clear whether {joined(list(map(repr, doubtful)), MOST_NAMED)} {question} "
        f"references. As systems: {as_systems}. As references: {as_references}.{HOW_READ}"
    )


def _roles_set(systems: list[str], references: list[str]) -> str:
    """Return the options that name these columns, in words."""
    options = [arguments_set("systems", systems), arguments_set("reference_columns", references)]
    return " ".join(option for option in options if option)


def _scores_alone(reading: _Reading, name: str) -> TestSet:
    """Return the scores in a table that has no texts of systems; its other columns are left out."""
    table = reading.table
    columns = reading.by_user
    scores = columns.scores
    systems = columns.systems or systems_of(table, scores[0])
    if not systems:
        hint = ", or texts of a system beside it."
        if scores[0] not in table.columns:
            hint = f". {did_you_mean(scores[0], table.columns)}"
        raise InputError(
            f"{table.name} has no scores {shorten(scores[0])} of a system; expected columns such as "
            f"{f'base.{scores[0]}'!r} or {f'{scores[0]}_base'!r}{hint}"
        )
    if not columns.systems:
        texts = guess_roles(without_scores(table, scores)).systems
        _check_not_numbered(table, systems, scores[0], texts)
    # Columns of objects may be called as their systems.
    read = {*reading.scores, *reading.labels, *systems}
    columns_of = {"scores": [column for column in table.columns if column in read], "clusters": []}
    if columns.cluster is not None:
        columns_of["clusters"].append(columns.cluster)
    named_by_user = [*columns_of["scores"], *columns_of["clusters"]]
    left_out = [column for column in table.columns if column not in named_by_user]
    directions = directions_of(scores)
    return replace(
        without_texts(name, systems, len(table.lines)),
        fields=f"{table.name}: no texts; scores of {named(systems)}: {named(scores)}{end_of_fields({}, left_out)}",
        columns=readings(table, columns_of, reading.roles.reasons, named_by_user),
        scores={score: score_columns(table, systems, score) for score in scores},
        lower_is_better=directions.lower,
        higher_is_better=directions.higher,
    )


def _check_not_numbered(table: Table, systems: Sequence[str], score: str, texts: Sequence[str]) -> None:
    """Raise an InputError for systems that are numbers: ``score_1`` and ``score_2`` may be of two raters."""
    if len(systems) < 2 or not all(map(str.isdecimal, systems)):
        return
    names = list(columns_beside(table, systems, score).values())
    as_systems = f"{arguments_set('systems', systems)} {argument_set('scores', score)}"
    # Scores without texts are of a system that is to be called something.
    as_scores = f"{arguments_set('systems', texts or ['model'])} {arguments_set('scores', names)}"
    raise InputError(
        f"{table.name}: it is not clear whether {named(names)} are of {len(systems)} systems, or scores of one, as "
        f"of {len(systems)} raters. As systems: {as_systems}. As scores of one: {as_scores}.{HOW_READ}"
    )


def _wrong_ends(table: Table, systems: list[str], scores: Sequence[str]) -> dict[str, dict[int, str]]:
    """Return by system what is wrong with answers, as columns such as ``status`` say that are no scores."""
    problems: dict[str, dict[int, str]] = {system: {} for system in systems}
    for name in ENDING_COLUMNS:
        if name in scores:
            continue
        for system, column in columns_beside(table, systems, name).items():
            for row, kind in wrong_ends(name, table.columns[column]).items():
                problems[system].setdefault(row, kind)
    return problems


def _with_clusters(test_set: TestSet, table: Table, columns: Columns, *, is_pooled: bool) -> TestSet:
    """Return the test set of a table with the clusters of a column; without one, name a column of documents."""
    if columns.cluster is not None:
        return replace(test_set, clusters=_clusters_of(table, columns.cluster))
    if not is_pooled:
        _warn_repeated_ids(table)
    column_of_documents = document_column(table)
    if column_of_documents is None:
        return test_set
    n_documents = len(set(table.columns[column_of_documents]))
    hint = (
        f"{table.name}: {shorten(column_of_documents)} names {n_documents:,} documents of {len(table.lines):,} "
        "segments. Segments of a document are not independent: "
        f"{argument_set('cluster', column_of_documents)} resamples documents."
    )
    return replace(test_set, hint=hint)


def _clusters_of(table: Table, column: str) -> Clusters:
    """Return the clusters that a column of a table names."""
    cells = table.column(column)
    for row, cell in enumerate(cells):
        if isinstance(cell, bool) or not isinstance(cell, str | int) or not str(cell).strip():
            raise InputError(
                f"{table.location(row, column)}: expected the name of the row's cluster, a text or an integer, got "
                f"{shorten(cell)}."
            )
    return Clusters.of(cells, len(cells), column)


def _sources(table: Table, column: str) -> list[str]:
    cells = table.column(column)
    for row, cell in enumerate(cells):
        if not isinstance(cell, str | None):
            raise InputError(f"{table.location(row, column)}: expected a text, got {shorten(cell)}.")
    return [cell or "" for cell in cells]


def _check_columns(table: Table, columns: Columns) -> None:
    """Raise an InputError for a column that is not there, or is named twice or in two roles."""
    for column in (*columns.systems, *columns.references, columns.source):
        if column is not None:
            table.column(column)
    for role, names in (("a system", columns.systems), ("references", columns.references)):
        for column, times in Counter(names).items():
            if times > 1:
                raise InputError(f"{table.name}: the column {column!r} is named twice as {role}; name it once.")
    for column in columns.systems:
        if column in columns.references:
            raise InputError(f"{table.name}: the column {column!r} is named both as a system and as references.")


def check_roles(table: Table, format: str, systems: list[str], references: list[str], need_references: bool) -> None:
    """Raise an InputError for a table without a column of a system, or of references."""
    missing = []
    if not systems:
        missing.append(f"predictions of a system (choose with {argument('systems')})")
    if not references and need_references:
        missing.append(f"references (choose with {argument('reference_columns')})")
    if not missing:
        return
    if isinstance(table, Memory) and table.joined_by != SOURCE_TEXT:
        raise InputError(
            f"{table.name} has the texts of one side, which are joined with those of other files by "
            f"{table.joined_by}: give a file for each system, and one with the references ({argument('references')})."
        )
    kind = "language" if format in TRANSLATIONS else "column"
    problem = f"no {kind}"
    if kind == "column":
        # A column that is called so, but has other cells than texts, is what the user looks for.
        reasons = []
        for column, cells in table.columns.items():
            role = role_of(column)
            is_lacking = (role == "system" and not systems) or (role == "reference" and not references)
            if is_lacking and lack(cells):
                reasons.append(f"{column!r} {lack(cells)}")
        if reasons:
            problem += f" ({', '.join(reasons[:MOST_NAMED])})"
    advice = _advice_for_numbers(table) + HOW_READ
    if format in MEMORIES:
        file = "TMX file" if format == "tmx" else "file"
        advice = _JOINED.format(file, argument("references"))
    elif format == "wmt" and systems:
        advice = _BESIDE.format(argument("references"))
    verb = "is" if len(table.columns) == 1 else "are"
    plural = "s" if len(table.columns) > 1 else ""
    raise InputError(
        f"{table.name}: {problem} was recognized as {', or '.join(missing)}; "
        f"there {verb} the {kind}{plural} {joined(list(map(repr, table.columns)), MOST_NAMED)}.{advice}"
    )


def _advice_for_numbers(table: Table) -> str:
    """Return how numbers are compared, where a table has no texts."""
    lacks = [lack(cells) for cells in table.columns.values()]
    if lacks.count(CODES) < 2 or not all(lacks):
        return ""
    return f" Numbers that came without texts are compared by {argument('scores')}."


def _warn_of_written_missing(table: Table, systems: list[str], references: list[str]) -> None:
    """Warn of texts such as "nan" that systems or references alone have: a program wrote a missing cell so."""
    spellings = frozenset(WRITTEN_AS_MISSING)
    rows_of: dict[str, list[int]] = {}
    for column in [*systems, *references]:
        cells = table.column(column)
        rows_of[column] = [row for row, cell in enumerate(cells) if isinstance(cell, str) and cell in spellings]
    in_systems = {table.columns[column][row] for column in systems for row in rows_of[column]}
    in_references = {table.columns[column][row] for column in references for row in rows_of[column]}
    # An answer may be "None", as that of a reference is.
    in_both = in_systems & in_references
    for column, rows in rows_of.items():
        cells = table.columns[column]
        missing = [row for row in rows if cells[row] not in in_both]
        if not missing:
            continue
        subject = f"{len(missing):,} texts are"
        if len(missing) == 1:
            subject = "1 text is"
        warn(
            f"{table.location(missing[0], column)}: the text is {shorten(cells[missing[0]])}, as programs write a "
            f"missing cell; {subject} so in this column, and scored as words. Write missing cells as empty ones."
        )


def _warn_repeated_ids(table: Table) -> None:
    """Warn of the first id in several rows: a copied segment counts twice."""
    column = _column_of_ids(table)
    if column is None:
        return
    rows: dict[str, list[int]] = {}
    for line, cell in zip(table.lines, table.columns[column], strict=True):
        if cell is not None and str(cell).strip():
            rows.setdefault(str(cell), []).append(line)
    repeated = [(cell, lines) for cell, lines in rows.items() if len(lines) > 1]
    if not repeated:
        return
    cell, lines = repeated[0]
    further = ""
    if len(repeated) == 2:
        further = "; 1 more id is repeated"
    elif len(repeated) > 2:
        further = f"; {len(repeated) - 1:,} more ids are repeated"
    in_column = "" if _is_id(column) else f" of {column!r}"
    warn(
        f"{table.name}: the id {shorten(cell)}{in_column} occurs {len(lines):,} times, first on {table.unit}s "
        f"{lines[0]:,} and {lines[1]:,}{further}. Each row is scored as a separate segment; "
        f"{argument_set('cluster', column)} resamples those of an id together.{_apart_in_words(table, column)}",
    )


def _column_of_ids(table: Table) -> str | None:
    """Return the column that should have another id in each row; None where a row's id has several parts."""
    ids = list(called(table, ITEM))
    for name in ids:
        if _is_id(name):
            return name
    # A document has several segments, which may be numbered in each.
    document = document_column(table)
    segment_ids = [name for name in ids if name != document]
    if not segment_ids:
        return None
    parts = [table.columns[name] for name in ids]
    if document is not None:
        parts.append(table.columns[document])
    keys = list(zip(*(map(repr, cells) for cells in parts), strict=True))
    if len(set(keys)) == len(keys):
        return None
    return segment_ids[0]


def _is_id(column: str) -> bool:
    return column.strip().lower() == "id"


def _apart_in_words(table: Table, column: str) -> str:
    """Return which column tells the rows of an id apart, as the end of a message; "" where none does."""
    apart = column_apart(table, [column])
    if apart is None:
        return ""
    values = list(dict.fromkeys(map(str, table.columns[apart])))
    return (
        f" There is one row for each {apart!r} ({named(values)}); if these are systems: "
        f"{argument_set('system_column', apart)}."
    )


# Tables of a system each.


def check_one_system(path: str, systems: Sequence[str], name: str) -> None:
    """Raise an InputError for a table with several systems that is given one name."""
    if len(systems) > 1:
        raise InputError(
            f"{path} has {len(systems)} systems ({named(systems)}), and the name {shorten(name)} is for one: "
            f"give the file without a name, or choose the system: {argument_set('systems', systems[0])}."
        )


def joined_tables(test_sets: list[TestSet], called: Mapping[str, str]) -> list[TestSet]:
    """Return the test sets; of tables with one system each for the same references and sources, one.

    `called` has the names that the user gives to the only systems of test sets.
    """
    alike: dict[Any, list[TestSet]] = {}
    for number, test_set in enumerate(test_sets):
        segments = _identity(test_set)
        # The number keeps a table apart from all others.
        key = number if segments is None else segments
        alike.setdefault(key, []).append(test_set)
    alone = [tables[0] for tables in alike.values() if len(tables) == 1]
    _warn_of_near_misses(alone)
    joined_sets: list[TestSet] = []
    for tables in alike.values():
        first = tables[0]
        if len(tables) > 1:
            taken = {test_set.name for test_set in joined_sets}
            joined_sets.append(_as_one(tables, called, taken))
        elif called.get(first.name):
            joined_sets.append(_renamed(first, called[first.name]))
        else:
            joined_sets.append(first)
    return joined_sets


def _as_one(tables: Sequence[TestSet], called: Mapping[str, str], taken: Collection[str]) -> TestSet:
    """Return tables of a system each as one test set, with a name that is not taken."""
    name, systems = _apart([table.name for table in tables])
    columns = [column for table in tables for column in table.systems]
    if len(set(columns)) == len(columns):
        systems = columns
    systems = [called.get(table.name, system) for table, system in zip(tables, systems, strict=True)]
    _check_names_differ(tables, systems)
    if name in taken:
        name = ", ".join(systems)
    first = tables[0]
    for table in tables:
        if table.slices != first.slices:
            warn(f"{table.name} has other slices than {first.name}: those of {first.name} are taken.")
    scores = {}
    for score in first.scores:
        scores[score] = _of_only_systems(systems, [table.scores[score] for table in tables])
    shared = "references" if any(first.references) else "sources"
    note = f"{named(systems)} are read as systems of one test set: the tables have the same {shared}."
    return replace(
        first,
        name=name,
        systems=_of_only_systems(systems, [table.systems for table in tables]),
        fields=" ".join([*(table.fields for table in tables), note]),
        columns=tuple(dict.fromkeys(reading for table in tables for reading in table.columns)),
        left_out=tuple(dict.fromkeys(column for table in tables for column in table.left_out)),
        lost=_of_only_systems(systems, [table.lost for table in tables]),
        own_columns={},
        own_columns_by_system=_own_columns_by_system(systems, tables),
        warnings=tuple(message for table in tables for message in table.warnings),
        wrong_ends=_of_only_systems(systems, [table.wrong_ends for table in tables]),
        scores=scores,
    )


def _of_only_systems(systems: Sequence[str], tables: Sequence[Mapping[str, _T]]) -> dict[str, _T]:
    """Return what tables have of their only systems, by the names that these have among all; some may have none."""
    by_system: dict[str, _T] = {}
    for system, table in zip(systems, tables, strict=True):
        for value in table.values():
            by_system[system] = value
    return by_system


def _own_columns_by_system(systems: Sequence[str], tables: Sequence[TestSet]) -> dict[str, dict[str, list[Any]]]:
    """Return the own columns of tables of a system each: a comment on one's texts says nothing of the others'."""
    by_column: dict[str, dict[str, list[Any]]] = {}
    for system, table in zip(systems, tables, strict=True):
        for column, cells in table.own_columns.items():
            by_column.setdefault(column, {})[system] = cells
        # The only system is called otherwise among several.
        for column, by_system in table.own_columns_by_system.items():
            by_column.setdefault(column, {})[system] = next(iter(by_system.values()))
    return by_column


def _check_names_differ(tables: Sequence[TestSet], systems: Sequence[str]) -> None:
    """Raise an InputError for a name that is given to a table, and is that of another one's system."""
    for number, (table, system) in enumerate(zip(tables, systems, strict=True)):
        if system in systems[:number]:
            earlier = tables[systems.index(system)]
            raise InputError(
                f"The systems of {earlier.name} and {table.name} are both called {shorten(system)}; name both, as "
                "NAME=PATH."
            )


def _renamed(test_set: TestSet, name: str) -> TestSet:
    """Return a test set whose only system has another name."""
    (system,) = test_set.systems
    lost = {}
    if system in test_set.lost:
        lost[name] = test_set.lost[system]
    scores = {}
    for score, by_system in test_set.scores.items():
        scores[score] = {name: by_system[system]}
    return replace(
        test_set,
        systems={name: test_set.systems[system]},
        fields=f"{test_set.fields} {shorten(system)} is called {shorten(name)}.",
        wrong_ends={name: test_set.wrong_ends[system]},
        lost=lost,
        scores=scores,
    )


def _identity(test_set: TestSet) -> Any:
    """Return what the tables of one test set share; None for one that stays alone.

    References, or else sources, tell segments apart unless all are the same, such as "yes".
    """
    texts: Sequence[Any] | None = test_set.source
    if any(test_set.references):
        texts = list(map(tuple, test_set.references))
    if len(test_set.systems) != 1 or texts is None or (len(texts) > 1 and len(set(texts)) == 1):
        return None
    source = None if test_set.source is None else tuple(test_set.source)
    clusters = None if test_set.clusters is None else test_set.clusters.numbers.tobytes()
    return tuple(texts), source, clusters


def _warn_of_near_misses(test_sets: Sequence[TestSet]) -> None:
    """Warn of tables of one system each that have nearly the same references: their systems are not compared."""
    by_length: dict[int, list[TestSet]] = {}
    for test_set in test_sets:
        if len(test_set.systems) == 1 and any(test_set.references):
            by_length.setdefault(test_set.n_segments, []).append(test_set)
    for first, *others in by_length.values():
        for other in others:
            difference = _difference_in_words(first, other)
            if difference:
                warn(f"{first.name} and {other.name} have {difference}: their systems are not compared.")
    firsts = [alike[0] for alike in by_length.values()]
    for other in firsts[1:]:
        _warn_of_other_length(firsts[0], other)


def _difference_in_words(first: TestSet, second: TestSet) -> str:
    """Return what keeps two tables of as many rows apart; "" where their references are not nearly the same."""
    if len(set(map(tuple, second.references))) == 1:
        return ""
    pairs = list(zip(first.references, second.references, strict=True))
    differing = [row for row, (one, other) in enumerate(pairs, 1) if one != other]
    if not differing:
        return "the same references, but other sources or clusters"
    if sorted(first.references) == sorted(second.references):
        return "the same references in another order"
    n_differing = f"{len(differing):,} of {len(pairs):,} rows"
    if len(differing) <= len(pairs) // 2:
        return f"different references in {n_differing}, the first in row {differing[0]:,}"
    if all(list(map(str.strip, one)) == list(map(str.strip, other)) for one, other in pairs):
        return f"references that differ in {n_differing} by blanks at their ends, the first in row {differing[0]:,}"
    return ""


def _warn_of_other_length(first: TestSet, other: TestSet) -> None:
    """Warn of a table that has most of the references of another one, which has more or fewer rows."""
    references = Counter(map(tuple, first.references))
    shared = references & Counter(map(tuple, other.references))
    n_shared = shared.total()
    if len(references) > 1 and 2 * n_shared > min(first.n_segments, other.n_segments):
        warn(
            f"{first.name} has {first.n_segments:,} rows and {other.name} {other.n_segments:,}, of which "
            f"{n_shared:,} have the same references: their systems are not compared. Give the same rows in both."
        )


def _apart(names: Sequence[str]) -> tuple[str, list[str]]:
    """Return what the names of files share, as the name of a test set, and what tells them apart.

    >>> _apart(["news.base", "news.tuned"]), _apart(["main", "pr"]), _apart(["seed-1", "seed-2"])
    (('news', ['base', 'tuned']), ('test set', ['main', 'pr']), ('test set', ['seed-1', 'seed-2']))
    """
    words = [re.split(r"([._/ -]+)", name) for name in names]
    start = n_first_shared(words)
    end = n_first_shared([name_words[start:][::-1] for name_words in words])
    parts = ["".join(name_words[start : len(name_words) - end]) for name_words in words]
    have_letters = all(any(map(str.isalpha, part)) for part in parts)
    if not have_letters or len(set(parts)) < len(parts):
        return "test set", list(names)
    shared = words[0][:start] + words[0][len(words[0]) - end :]
    return "".join(shared).strip("._/ -") or "test set", parts
