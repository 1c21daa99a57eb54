"""Tables -> test sets: a column for each system, by names that a user gives or that suggest a role."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tercet.errors import InputError, argument, argument_set, arguments_set, did_you_mean, shorten
from tercet.files.columns.name_roles import clear_role, role_of
from tercet.files.columns.roles import document_column, guess_roles
from tercet.files.columns.scores import (
    columns_beside,
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
from .column_readings import HOW_READ, ColumnRole, readings
from .column_warnings import (
    warn_left_out,
    warn_of_written_missing,
    warn_swapped,
    warn_unlike_references,
    warn_unused,
)
from .labels import slice_columns, slices_of_columns
from .long_tables import WideTable, pooled_rows, wide_table
from .misread_tables import check_no_marked_errors, check_rows, warn_repeated_ids
from .named_columns import (
    Columns,
    columns_by_role,
    columns_in_words,
    columns_left_out,
    end_of_fields,
    listing,
)
from .pivoted_tables import PivotedTable
from .test_set import TestSet, without_texts


def table_set(table: Table, path: str, name: str, columns: Columns) -> TestSet:
    """Return the texts of a table; columns that are not named have the role that their name suggests."""
    by_segment = _by_segment(table, columns)
    segments = by_segment.table
    roles = by_segment.columns
    slices = slices_of_columns(segments, roles.slices)
    column_of_names = None
    pooled = pooled_rows(segments, roles)
    if pooled is not None:
        pooled.warn(roles)
        column_of_names = pooled.long.column
    test_set = _texts_or_scores(segments, path, name, roles, column_of_names)
    endings = ending_columns(segments, list(test_set.systems), roles.scores)
    wrong_ends = wrong_ends_of(endings, test_set)
    clusters = None
    hint = ""
    if roles.cluster is not None:
        clusters = _clusters_of(segments, roles.cluster)
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
    whole_set = replace(
        test_set,
        dialect=dialect,
        fields=fields,
        clusters=clusters,
        hint=hint,
        slices=slices,
        wrong_ends=wrong_ends,
        lost=by_segment.lost.by_system,
        n_all=by_segment.lost.n_all,
    )
    if isinstance(segments, PivotedTable):
        return _with_columns_of_long(whole_set, segments, columns)
    return whole_set


def _with_columns_of_long(test_set: TestSet, pivoted: PivotedTable, columns: Columns) -> TestSet:
    """Return a test set with what becomes of the columns of the long table from which its table was made."""
    # The system that is named is the column of the systems' texts.
    named_by_user = list(columns.systems)
    if columns.system_column is not None:
        named_by_user.append(columns.system_column)
    unread = {*test_set.left_out, columns.cluster, *slice_columns(columns.slices, pivoted.columns)}
    own_columns = {}
    for column, cells in pivoted.columns.items():
        if column in unread and column not in pivoted.origins:
            own_columns[column] = cells
    return replace(
        test_set,
        columns=pivoted.readings(test_set.columns, named_by_user),
        own_columns=own_columns,
        own_columns_by_system=pivoted.unread_by_system(),
    )


def _by_segment(table: Table, columns: Columns) -> WideTable:
    """Return a table with a row for each segment that is scored, and a column for each system."""
    if isinstance(table, TableWithRoles):
        return _rows_of_all(table, columns)
    if isinstance(table, Memory):
        systems, references, source = columns_of(table, columns.systems, columns.references, columns.source)
        memory, lost = complete(table, systems, references, columns.missing)
        languages = replace(columns, systems=systems, references=references, source=source)
        return wide_table(memory, languages)._replace(lost=lost)
    check_no_marked_errors(table, columns)
    by_segment = wide_table(table, columns)
    if by_segment.table is table:
        check_rows(table, columns)
    return by_segment


def _rows_of_all(table: TableWithRoles, columns: Columns) -> WideTable:
    """Return the rows in which all systems have a text, and how many each lacks.

    A translator, or a system, may have only some documents: what becomes of the others, `columns.missing` says.
    """
    names = columns.systems or table.roles.systems
    systems = [name for name in names if name in table.columns and name not in columns.references]
    rows_of: dict[str, set[int]] = {}
    for name in systems:
        rows_of[name] = {row for row, cell in enumerate(table.columns[name]) if cell is not None}
    all_rows = range(len(table.lines))
    if not set(all_rows).intersection(*rows_of.values()):
        raise InputError(
            f"{table.name}: no segment has a text of each of {', '.join(map(shorten, systems))}; name fewer: "
            f"{argument('systems')}."
        )
    rows, lost = join_rows(table, rows_of, all_rows, "segments", columns.missing)
    scored: dict[str, list[str | None]] = {}
    for name, cells in table.columns.items():
        if name in systems:
            scored[name] = [cells[row] or "" for row in rows]
        else:
            scored[name] = [cells[row] for row in rows]
    rows_scored = replace(table, columns=scored, lines=[table.lines[row] for row in rows])
    return WideTable(rows_scored, columns, lost=lost)


@dataclass(frozen=True, slots=True)
class _KnownColumns:
    """What the columns of a table are: as the user names them, or else as they suggest."""

    table: Table
    #: Those that the user names.
    by_user: Columns
    #: Those that are read: what the user names for a role, or else what suggests it.
    chosen: Columns
    #: What columns without scores and labels suggest.
    roles: Roles
    scores: list[str]
    slices: list[str]
    #: Columns that label segments.
    labels: set[str]


def _texts_or_scores(table: Table, path: str, name: str, columns: Columns, column_of_names: str | None) -> TestSet:
    """Return what a table has; the column of names of systems, if there is one, has no texts."""
    known = _read_roles(table, columns, column_of_names)
    if columns.scores and not columns.need_references and not _has_texts_of_scored(known):
        return _scores_alone(known, name)
    if isinstance(table, Memory):
        # The columns are languages, whose codes suggest no role.
        return _texts_of_systems(replace(known, chosen=columns, roles=Roles(None, (), ())), path, name)
    return _texts_of_systems(known, path, name)


def _read_roles(table: Table, columns: Columns, column_of_names: str | None) -> _KnownColumns:
    """Return the role of each column."""
    guessed = without_scores(table, columns.scores)
    slices = slice_columns(columns.slices, table.columns)
    labels = _labels(columns, slices, column_of_names)
    unlabelled = {column: cells for column, cells in guessed.columns.items() if column not in labels}
    references = [column for column in columns.references if column in table.columns]
    roles = guess_roles(replace(guessed, columns=unlabelled), references)
    return _KnownColumns(
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


def _has_texts_of_scored(known: _KnownColumns) -> bool:
    """Return whether there are texts of systems: those that are named, or those that the scores are of."""
    columns = known.by_user
    if columns.systems:
        return any(column in known.table.columns for column in columns.systems)
    if not known.roles.systems:
        return False
    # "task" with "a.score" and "b.score" is no system.
    scored = scored_systems(known.table, columns.scores[0])
    return not scored or not set(scored).isdisjoint(known.roles.systems)


def _check_known(known: _KnownColumns, format: str) -> None:
    """Raise an InputError for columns that the user names wrongly, and for roles that are not clear or lacking."""
    columns = known.by_user
    check_columns(known.table, columns)
    if not columns.systems and not columns.references:
        check_clear(known.table, known.roles)
    check_roles(known.table, format, known.chosen)


def _warn_of_roles(known: _KnownColumns) -> None:
    """Warn of columns that are not used, though their names or texts suggest it."""
    table = known.table
    roles = known.roles
    chosen = known.chosen
    if not known.by_user.references:
        warn_unlike_references(table, roles.unlike, roles.references)
    # Who names the systems leaves the other columns out on purpose.
    if not known.by_user.systems and not isinstance(table, TableWithRoles):
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
    columns = known.by_user
    chosen = known.chosen
    _check_known(known, table_format(path))
    _warn_of_roles(known)
    texts = {system: predictions_in(table, system) for system in chosen.systems}
    references = references_in(table, chosen.references)
    _warn_of_texts(known)
    by_role = columns_by_role(chosen, known.scores, known.slices)
    left_out = columns_left_out(table, by_role)
    named_by_user = [*columns.systems, *columns.references, *known.scores, *known.slices]
    for column in (columns.source, columns.cluster):
        if column is not None:
            named_by_user.append(column)
    source_texts = None
    if chosen.source is not None:
        source_texts = _sources(table, chosen.source)
    ids = None
    if isinstance(table, Memory):
        ids = table.labels.get("id")
    directions = directions_of(columns.scores)
    return TestSet(
        name,
        texts,
        references,
        source_texts,
        fields=columns_in_words(table, by_role, left_out),
        columns=readings(table, by_role, known.roles.reasons, named_by_user),
        left_out=left_out,
        scores={score: scores_by_system(table, chosen.systems, score) for score in columns.scores},
        lower_is_better=directions.lower,
        higher_is_better=directions.higher,
        ids=ids,
    )


def _scores_alone(known: _KnownColumns, name: str) -> TestSet:
    """Return the scores in a table that has no texts of systems; its other columns are left out."""
    table = known.table
    columns = known.by_user
    scores = columns.scores
    first_score = scores[0]
    systems = columns.systems or systems_of(table, first_score)
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
    if not columns.systems:
        texts = guess_roles(without_scores(table, scores)).systems
        _check_not_numbered(table, systems, first_score, texts)
    # Columns of objects may be called as their systems.
    read = {*known.scores, *known.labels, *systems}
    by_role: dict[ColumnRole, list[str]] = {
        "scores": [column for column in table.columns if column in read],
        "clusters": [],
    }
    if columns.cluster is not None:
        by_role["clusters"].append(columns.cluster)
    named_by_user = [*by_role["scores"], *by_role["clusters"]]
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
