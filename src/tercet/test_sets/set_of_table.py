"""Tables -> test sets: a column for each system, by names that a user gives or that suggest a role.

A set is made in these steps, each of which adds the fields that it knows:

    _by_segment          a row for each segment, a column for each system; what systems lack, counted
    _texts_or_scores     a set with `systems`, `references`, `source`, `ids`, `scores` and their directions, and how
                         it was read: `fields`, `columns`, `left_out`
    table_set            adds `lost`, `n_all`, `clusters` or a `hint` of them, `slices`, `wrong_ends`, `dialect`,
                         `without_reference` and `own_columns`; of long tables also `own_columns_by_system`
    tables_and_logs.py   adds what tables that were joined by ids have, and `warnings`, of all that was warned of
                         meanwhile
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tercet.errors import InputError, argument, argument_set, arguments_set, did_you_mean, shorten, warn
from tercet.files.columns.name_roles import clear_role, role_of
from tercet.files.columns.roles import document_column, guess_roles
from tercet.files.columns.scores import (
    columns_beside,
    columns_of_scores,
    directions_of,
    scored_systems,
    scores_by_system,
    systems_of,
    without_scores,
)
from tercet.files.formats import table_format
from tercet.files.join import is_id, join_rows
from tercet.files.read import predictions_in, references_in
from tercet.files.table import Memory, Roles, Table, TableWithRoles
from tercet.files.translation.joining import columns_of, complete
from tercet.statistics.clusters import Clusters

from .answer_endings import ending_columns, wrong_ends_of
from .column_checks import check_clear, check_columns, check_roles
from .column_readings import HOW_READ, ColumnReading, ColumnRole, readings
from .column_warnings import (
    warn_left_out,
    warn_of_written_missing,
    warn_swapped,
    warn_unlike_references,
    warn_unused,
)
from .labels import slice_columns, slices_of_columns
from .long_tables import WideTable, pooled_rows, widened
from .misread_tables import check_no_marked_errors, check_rows, warn_repeated_ids
from .named_columns import (
    NamedColumns,
    columns_by_role,
    columns_in_words,
    columns_left_out,
    end_of_fields,
    listing,
)
from .pivoted_tables import PivotedTable
from .test_set import TestSet, without_texts


def table_set(table: Table, path: str, name: str, named: NamedColumns) -> TestSet:
    """Return the texts of a table; columns that are not named have the role that their name suggests."""
    by_segment = _by_segment(table, named)
    segments = by_segment.table
    named_by_segment = by_segment.named
    slices = slices_of_columns(segments, named_by_segment.slices)
    column_of_names = None
    pooled = pooled_rows(segments, named_by_segment)
    if pooled is not None:
        warn(pooled.warning(named_by_segment))
        column_of_names = pooled.long.column
    test_set = _texts_or_scores(segments, path, name, named_by_segment, column_of_names)
    endings = ending_columns(segments, list(test_set.systems), named_by_segment.scores)
    wrong_ends = wrong_ends_of(endings, test_set)
    clusters = None
    hint = ""
    if named_by_segment.cluster is not None:
        clusters = _clusters_of(segments, named_by_segment.cluster)
    else:
        if column_of_names is None:
            warn_repeated_ids(segments)
        hint = _hint_of_documents(segments)
    fields = test_set.fields
    if by_segment.note:
        fields += f" {by_segment.note}"
    dialect = table.dialect
    if dialect is not None and table.decimal:
        dialect = replace(dialect, decimal=table.decimal)
    column_readings = test_set.columns
    own_columns_by_system: Mapping[str, Mapping[str, list[Any]]] = {}
    if isinstance(segments, PivotedTable):
        column_readings = _readings_of_long(segments, test_set, named)
        own_columns_by_system = segments.unread_by_system()
    return replace(
        test_set,
        fields=fields,
        columns=column_readings,
        dialect=dialect,
        own_columns=_own_columns(segments, test_set, named),
        own_columns_by_system=own_columns_by_system,
        clusters=clusters,
        hint=hint,
        slices=slices,
        lost=by_segment.lost.by_system,
        n_all=by_segment.lost.n_all,
        wrong_ends=wrong_ends,
        without_reference=_without_reference(segments, test_set),
    )


def _readings_of_long(pivoted: PivotedTable, test_set: TestSet, named: NamedColumns) -> tuple[ColumnReading, ...]:
    """Return how the columns of the long table were read from which a table was made."""
    # The system that is named is the column of the systems' texts.
    named_by_user = list(named.systems)
    if named.system_column is not None:
        named_by_user.append(named.system_column)
    return pivoted.readings(test_set.columns, named_by_user)


def _own_columns(segments: Table, test_set: TestSet, named: NamedColumns) -> dict[str, list[Any]]:
    """Return the columns of a table of segments that hold neither texts nor scores that are read."""
    if isinstance(segments, Memory):
        # Its columns are languages.
        return {}
    made_of_long: Container[str] = ()
    if isinstance(segments, PivotedTable):
        made_of_long = segments.origins
    unread = {*test_set.left_out, named.cluster, *slice_columns(named.slices, segments.columns)}
    own_columns = {}
    for column, cells in segments.columns.items():
        if column in unread and column not in made_of_long:
            own_columns[column] = cells
    return own_columns


def _without_reference(segments: Table, test_set: TestSet) -> dict[int, str]:
    """Return where the segments without a reference are in a table of segments, in words by their row."""
    if not any(test_set.references):
        return {}
    location_of: dict[int, str] = {}
    for row in test_set.missing:
        line = f"{segments.unit} {segments.lines[row]}"
        cells = [column[row] for column in segments.columns.values()]
        first_cell = next((cell for cell in cells if cell not in (None, "")), None)
        if first_cell is not None:
            line += f": {shorten(first_cell)}"
        location_of[row] = line
    return location_of


def _by_segment(table: Table, named: NamedColumns) -> WideTable:
    """Return a table with a row for each segment that is scored, and a column for each system."""
    if isinstance(table, TableWithRoles):
        return _rows_of_all(table, named)
    if isinstance(table, Memory):
        systems, references, source = columns_of(table, named.systems, named.references, named.source)
        memory, lost = complete(table, systems, references, named.missing)
        languages = replace(named, systems=systems, references=references, source=source)
        return widened(memory, languages)._replace(lost=lost)
    check_no_marked_errors(table, named)
    by_segment = widened(table, named)
    if by_segment.table is table:
        check_rows(table, named)
    return by_segment


def _rows_of_all(table: TableWithRoles, named: NamedColumns) -> WideTable:
    """Return the rows in which all systems have a text, and how many each lacks.

    A translator, or a system, may have only some documents: what becomes of the others, `named.missing` says.
    """
    names = named.systems or table.roles.systems
    systems = [name for name in names if name in table.columns and name not in named.references]
    rows_of: dict[str, set[int]] = {}
    for name in systems:
        rows_of[name] = {row for row, cell in enumerate(table.columns[name]) if cell is not None}
    all_rows = range(len(table.lines))
    if not set(all_rows).intersection(*rows_of.values()):
        raise InputError(
            f"{table.name}: no segment has a text of each of {', '.join(map(shorten, systems))}; name fewer: "
            f"{argument('systems')}."
        )
    rows, lost = join_rows(table, rows_of, all_rows, "segments", named.missing)
    scored: dict[str, list[str | None]] = {}
    for name, cells in table.columns.items():
        if name in systems:
            scored[name] = [cells[row] or "" for row in rows]
        else:
            scored[name] = [cells[row] for row in rows]
    rows_scored = replace(table, columns=scored, lines=[table.lines[row] for row in rows])
    return WideTable(rows_scored, named, lost=lost)


@dataclass(frozen=True, slots=True)
class _KnownColumns:
    """What the columns of a table are: as the user names them, or else as they suggest."""

    table: Table
    #: Those that the user names.
    named: NamedColumns
    #: Those that are read: what the user names for a role, or else what suggests it.
    chosen: NamedColumns
    #: What columns without scores and labels suggest.
    roles: Roles
    scores: list[str]
    slices: list[str]
    #: Columns that label segments.
    labels: set[str]


def _texts_or_scores(table: Table, path: str, name: str, named: NamedColumns, column_of_names: str | None) -> TestSet:
    """Return what a table has; the column of names of systems, if there is one, has no texts."""
    known = _read_roles(table, named, column_of_names)
    if named.scores and not named.need_references and not _has_texts_of_scored(known):
        return _scores_alone(known, name)
    if isinstance(table, Memory):
        # The columns are languages, whose codes suggest no role.
        return _texts_of_systems(replace(known, chosen=named, roles=Roles(None, (), ())), path, name)
    return _texts_of_systems(known, path, name)


def _read_roles(table: Table, named: NamedColumns, column_of_names: str | None) -> _KnownColumns:
    """Return the role of each column."""
    guessed = without_scores(table, named.scores)
    slices = slice_columns(named.slices, table.columns)
    labels = _labels(named, slices, column_of_names)
    unlabelled = {column: cells for column, cells in guessed.columns.items() if column not in labels}
    references = [column for column in named.references if column in table.columns]
    roles = guess_roles(replace(guessed, columns=unlabelled), references)
    return _KnownColumns(
        table=table,
        named=named,
        chosen=_with_roles(named, roles),
        roles=roles,
        scores=[column for column in table.columns if column not in guessed.columns],
        slices=slices,
        labels=labels,
    )


def _labels(named: NamedColumns, slices: Sequence[str], column_of_names: str | None) -> set[str]:
    """Return the columns that label segments: they are no outputs and no references, unless their names say so."""
    labels = {column for column in slices if role_of(column) != "source" and not clear_role(column)}
    if column_of_names is not None:
        labels.add(column_of_names)
    return labels - {*named.systems, *named.references, named.source}


def _with_roles(named: NamedColumns, roles: Roles) -> NamedColumns:
    """Return the columns that are named for each role, or else those that have it; a named one has no other role."""
    source = named.source or roles.source
    references = named.references
    if not references:
        references = [column for column in roles.references if column not in {*named.systems, source}]
    systems = named.systems
    if not systems:
        systems = [column for column in roles.systems if column not in {*references, source}]
    return replace(named, systems=systems, references=references, source=source)


def _has_texts_of_scored(known: _KnownColumns) -> bool:
    """Return whether there are texts of systems: those that are named, or those that the scores are of."""
    named = known.named
    if named.systems:
        return any(column in known.table.columns for column in named.systems)
    if not known.roles.systems:
        return False
    # "task" with "a.score" and "b.score" is no system.
    scored = scored_systems(known.table, named.scores[0])
    return not scored or not set(scored).isdisjoint(known.roles.systems)


def _check_known(known: _KnownColumns, format: str) -> None:
    """Raise an InputError for columns that the user names wrongly, and for roles that are not clear or lacking."""
    named = known.named
    check_columns(known.table, named)
    if not named.systems and not named.references:
        check_clear(known.table, known.roles)
    check_roles(known.table, format, known.chosen)


def _warn_of_roles(known: _KnownColumns) -> None:
    """Warn of columns that are not used, though their names or texts suggest it."""
    table = known.table
    roles = known.roles
    chosen = known.chosen
    if not known.named.references:
        warn_unlike_references(table, roles.unlike, roles.references)
    # Who names the systems leaves the other columns out on purpose. Those of a long table, and of tables that were
    # joined, are named here too: no other column could be a system.
    if not known.named.systems and not isinstance(table, TableWithRoles):
        warn_left_out(table, roles)
        with_role = {*roles.systems, *roles.left_out, *roles.references, roles.source}
        with_role |= {*chosen.references, chosen.source, *known.labels}
        warn_unused(table, [column for column in table.columns if column not in with_role])


def _warn_of_texts(known: _KnownColumns) -> None:
    """Warn of systems and references that seem to be something else."""
    chosen = known.chosen
    warn_swapped(known.table.name, chosen.systems, chosen.references, chosen.source)
    warn_of_written_missing(known.table, chosen.systems, chosen.references)


def _texts_of_systems(known: _KnownColumns, path: str, name: str) -> TestSet:
    """Return the texts of systems and their references, with all that the columns hold."""
    table = known.table
    named = known.named
    chosen = known.chosen
    _check_known(known, table_format(path))
    _warn_of_roles(known)
    texts = {system: predictions_in(table, system) for system in chosen.systems}
    references = references_in(table, chosen.references)
    _warn_of_texts(known)
    by_role = columns_by_role(chosen, known.scores, known.slices)
    left_out = columns_left_out(table, by_role)
    named_by_user = [*named.systems, *named.references, *known.scores, *known.slices]
    for column in (named.source, named.cluster):
        if column is not None:
            named_by_user.append(column)
    source_texts = None
    if chosen.source is not None:
        source_texts = _sources(table, chosen.source)
    ids = None
    if isinstance(table, Memory):
        ids = table.labels.get("id")
    directions = directions_of(named.scores)
    return TestSet(
        name,
        texts,
        references,
        source_texts,
        fields=columns_in_words(table, by_role, left_out),
        columns=readings(table, by_role, known.roles.reasons, named_by_user),
        left_out=left_out,
        scores={score: scores_by_system(table, chosen.systems, score) for score in named.scores},
        lower_is_better=directions.lower,
        higher_is_better=directions.higher,
        ids=ids,
    )


def _scores_alone(known: _KnownColumns, name: str) -> TestSet:
    """Return the scores in a table that has no texts of systems; its other columns are left out."""
    table = known.table
    named = known.named
    scores = named.scores
    first_score = scores[0]
    systems = named.systems or systems_of(table, first_score)
    if not systems:
        in_front = f"base.{first_score}"
        behind = f"{first_score}_base"
        hint = ", or texts of a system beside it."
        if first_score not in table.columns:
            hint = f". {did_you_mean(first_score, table.columns)}"
        raise InputError(
            f"{table.name} has no scores {shorten(first_score)} of a system; expected columns such as {in_front!r} "
            f"or {behind!r}{hint}"
        )
    if not named.systems:
        texts = guess_roles(without_scores(table, scores)).systems
        _check_not_numbered(table, systems, first_score, texts)
    # Columns of objects may be called as their systems.
    with_scores = set(known.scores).union(*(columns_of_scores(table, systems, score) for score in scores))
    by_role: dict[ColumnRole, list[str]] = {}
    if named.cluster is not None:
        by_role["clusters"] = [named.cluster]
    # In this order, as of a column in several roles the last one counts.
    by_role["scores"] = [column for column in table.columns if column in with_scores]
    by_role["slices"] = known.slices
    named_by_user = set().union(*by_role.values())
    left_out = [column for column in table.columns if column not in named_by_user]
    directions = directions_of(scores)
    what_is_there = f"no texts; scores of {listing(systems)}: {listing(scores)}"
    return replace(
        without_texts(name, systems, len(table.lines)),
        fields=f"{table.name}: {what_is_there}{end_of_fields({}, left_out)}",
        columns=readings(table, by_role, known.roles.reasons, named_by_user),
        scores={score: scores_by_system(table, systems, score) for score in scores},
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
        f"{table.name}: it is not clear whether {listing(names)} are of {len(systems)} systems, or scores of one, as "
        f"of {len(systems)} raters. As systems: {as_systems}. As scores of one: {as_scores}.{HOW_READ}"
    )


def _hint_of_documents(table: Table) -> str:
    """Return which column names the documents of segments, and how these are resampled; "" where none does."""
    column = document_column(table)
    if column is None:
        return ""
    n_documents = len(set(table.columns[column]))
    return (
        f"{table.name}: {shorten(column)} names {n_documents:,} documents of {len(table.lines):,} segments. Segments "
        f"of a document are not independent: {argument_set('cluster', column)} resamples documents."
    )


def _clusters_of(table: Table, column: str) -> Clusters:
    """Return the clusters that a column of a table names."""
    cells = table.column(column)
    for row, cell in enumerate(cells):
        if not is_id(cell) or not str(cell).strip():
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
