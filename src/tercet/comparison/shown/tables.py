"""Comparisons as tables, in every format and as the sheets of a workbook."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from tercet.comparison.overall import overall_first, sets_and_overall
from tercet.comparison.result import Comparison
from tercet.comparison.runs.means import as_systems
from tercet.comparison.values.scores import BESIDE_SCORES, ScoreTable
from tercet.comparison.verdicts.legends import in_parentheses, rank_legend
from tercet.comparison.verdicts.verdicts import verdict_in_words
from tercet.errors import OptionError, argument, shorten
from tercet.names_as_shown import one_cell
from tercet.option_checks import has_entries
from tercet.signature import __version__
from tercet.statistics.rounding import apart
from tercet.table_formats import FOR_PEOPLE, Cell, Column, Table, json_text, to_lines

from .records import COLUMNS
from .segment_rows import segments_sheet
from .sheet_columns import PVALUE, sheet_columns
from .system_tables import stacked_table, wide_table


def in_format(comparisons: Sequence[Comparison], form: str, columns: Iterable[str] | None = None) -> str:
    """Return comparisons as json, tsv or csv, with all numbers, or as markdown or latex, as people read them.

    `columns` chooses what people see beside each score, of :data:`BESIDE_SCORES`.
    """
    beside = BESIDE_SCORES if columns is None else _beside_scores(columns)
    if form == "json":
        sets, over_all = sets_and_overall(comparisons)
        document: dict[str, Any] = {"tercet": __version__, "test_sets": [comparison.to_dict() for comparison in sets]}
        if over_all:
            document["overall"] = over_all[0].to_dict()
        return json_text(document)
    if form in FOR_PEOPLE:
        tables: list[Table] = []
        for comparison in overall_first(comparisons):
            tables += _tables_for_people(comparison, len(comparisons) > 1, form, beside)
        return FOR_PEOPLE[form](tables)
    return to_lines(_scores_sheet(comparisons), form)


def _beside_scores(columns: Any) -> tuple[str, ...]:
    """Return the names of what stands beside scores; OptionError for others."""
    names = list(columns) if has_entries(columns) and not isinstance(columns, str) else [columns]
    for name in names:
        if name not in BESIDE_SCORES:
            raise OptionError(
                f"{argument('columns')} names what stands beside each score: {', '.join(BESIDE_SCORES)}. "
                f"Got {shorten(name)}."
            )
    return tuple(names)


def _tables_for_people(comparison: Comparison, several: bool, form: str, beside: Sequence[str]) -> Iterator[Table]:
    """Yield the table of all scores, then those of their sections; where outputs are runs, their means first.

    `beside` is what stands beside scores.
    """
    verdict = verdict_in_words(comparison, {system: system for system in comparison.test_set.systems})
    name = comparison.test_set.name if several else ""
    whole_table = stacked_table if form == "latex" else wide_table
    notes = []
    if comparison.joins_runs:
        systems = as_systems(comparison)
        yield whole_table(systems, [verdict, _legend(systems, beside)], title=name, beside=beside)
    elif verdict:
        notes.append(verdict)
    notes += comparison.section_lines()
    notes.append(_legend(comparison, beside))
    # LaTeX has lines between groups; Markdown has none.
    lined = comparison.tables if form == "latex" else ()
    legend_of_ranks = rank_legend(comparison, lined)
    if "rank" in beside and legend_of_ranks:
        notes.append(legend_of_ranks)
    notes += [*comparison.remarks(), *comparison.warnings]
    yield whole_table(comparison, notes, title=name, beside=beside)
    labels = comparison.titles() if form == "latex" else comparison.score_labels()
    for label, table in zip(labels, comparison.tables, strict=True):
        for section in table.sections:
            if section.table is None:
                continue
            headings = [label, section.title]
            if several:
                headings.insert(0, name)
            titled = replace(section.table, title=": ".join(headings))
            yield _without_columns_above(titled) if form == "latex" else titled


def _legend(comparison: Comparison, beside: Sequence[str]) -> str:
    """Return what the marks and numbers are where a score and its interval share a cell."""
    return f"{in_parentheses(comparison, beside)} {comparison.legend(shown=beside)}".strip()


def _without_columns_above(table: Table) -> Table:
    """Return a table without the columns before that of systems, where the names above its rows say what is there."""
    if not table.groups:
        return table
    start = max(index for index, column in enumerate(table.columns) if column.kind == "name")
    return replace(table, columns=table.columns[start:], rows=[row[start:] for row in table.rows])


def sheets_of(comparisons: Sequence[Comparison], *, worst_first: bool = False) -> list[Table]:
    """Return the sheets Scores, Pairs (of several systems), of sections, Segments (of texts in memory) and Notes.

    With `worst_first`, the segments of each test set go by its first score.
    """
    sheets = [_scores_sheet(comparisons), _pairs_sheet(comparisons), *_section_sheets(comparisons)]
    sheets += [segments_sheet(sets_and_overall(comparisons)[0], worst_first=worst_first), _notes_sheet(comparisons)]
    return [sheet for sheet in sheets if sheet.n_rows]


def _scores_sheet(comparisons: Sequence[Comparison]) -> Table:
    """Return a row for each score of each system."""
    rows = []
    for comparison in comparisons:
        for record in comparison.records():
            emphasized = ("system", "value") if record["best"] else ()
            rows.append([Cell(value, name in emphasized) for name, value in record.items()])
    return Table("Scores", sheet_columns(COLUMNS), rows)


def _pairs_sheet(comparisons: Sequence[Comparison]) -> Table:
    # Outputs that are runs are not tested; their systems are.
    rows: list[list[Any]] = []
    for comparison in comparisons:
        tested = as_systems(comparison) if comparison.joins_runs else comparison
        for table in tested.tables:
            rows += _pairs_of(tested, table)
    columns = sheet_columns(("test_set", "metric", "score", "better", "system", "other"))
    columns += [
        Column("difference", number_format="+0.00;-0.00;0.00"),
        *sheet_columns((PVALUE, "system is significantly")),
    ]
    return Table("Pairs", columns, rows)


def _pairs_of(comparison: Comparison, table: ScoreTable) -> Iterator[list[Any]]:
    position = [comparison.test_set.name, table.metric, table.name, table.better]
    for (first_index, first), (second_index, second) in combinations(enumerate(table.rows), 2):
        difference = apart(first.value, second.value)
        p = float(table.pvalues[first_index, second_index])
        wins = (difference > 0) == table.higher_is_better
        verdict = ""
        if difference and p < comparison.alpha:
            verdict = "▲ better" if wins else "▼ worse"
        yield [*position, first.system, second.system, difference, p, verdict]


def _section_sheets(comparisons: Sequence[Comparison]) -> list[Table]:
    """Return a sheet for each kind of section with a table, of all scores, whose cells are as people read them."""
    rows: dict[tuple[str, ...], list[list[Any]]] = {}
    for comparison in comparisons:
        for table in comparison.tables:
            for section in table.sections:
                if section.table is None:
                    continue
                position = [comparison.test_set.name, table.metric, table.name]
                titles = _titles_of_all_scores(section.table, table.name)
                sheet_rows = rows.setdefault((section.key, *titles), [])
                sheet_rows.extend([*position, *row] for row in section.table.rows)
    # Test sets with other numbers of systems have other columns: a sheet each.
    numbers: dict[str, int] = {}
    sheets = []
    for (key, *key_titles), key_rows in rows.items():
        numbers[key] = numbers.get(key, 0) + 1
        name = key.capitalize() if numbers[key] == 1 else f"{key.capitalize()} {numbers[key]}"
        sheets.append(Table(name, sheet_columns(("test_set", "metric", "score", *key_titles)), key_rows))
    return sheets


def _titles_of_all_scores(section_table: Table, score: str) -> list[str]:
    """Return the titles of the columns, with "value" for that of the score, which each score's table calls otherwise.

    Where no column names the systems, each system has a column, which may be called like the score.
    """
    names_systems = any(column.kind == "name" and column.title == "system" for column in section_table.columns)
    titles = []
    for column in section_table.columns:
        is_score = names_systems and column.kind == "number" and column.title == score
        titles.append("value" if is_score else column.title)
    return titles


def _notes_sheet(comparisons: Sequence[Comparison]) -> Table:
    """Return what the numbers are, and what the metrics warned of."""
    rows = []
    for comparison in comparisons:
        notes = [
            *comparison.section_lines(one_cell),
            comparison.legend(one_cell),
            *comparison.remarks(one_cell),
        ]
        notes += comparison.warnings
        rows += [[comparison.test_set.name, line] for line in [*notes, f"tercet {__version__}"]]
    return Table("Notes", sheet_columns(("test_set", "note")), rows)
