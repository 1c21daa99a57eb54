"""What people put around a table in a spreadsheet: a title above it, blank rows, and sums and averages below it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tercet.errors import InputError, shorten, warn
from tercet.files.columns.name_roles import clear_role, role_of
from tercet.files.numbers import Notation, is_written_number, read_number
from tercet.files.rows import Row

#: Rows of a title at most.
_MOST_TITLES = 10
#: Words of a column's name at most, where it decides that the rows above it are a title.
_LONGEST_NAME = 4
#: With fewer items, a number may be their sum or mean by chance.
_FEWEST_ITEMS = 3
#: Titles that a warning shows at most.
_MOST_SHOWN = 3

#: What stands before a sum or a mean, in lower case.
_TOTALS = frozenset({
    # English, German, Dutch
    "total", "totals", "grand total", "sum", "average", "avg", "mean", "overall", "summe", "gesamt", "gesamtsumme",
    "mittelwert", "durchschnitt", "schnitt", "mittel", "totaal", "som", "gemiddelde", "gemiddeld",
    # French, Spanish, Portuguese, Italian
    "somme", "total général", "moyenne", "suma", "promedio", "media", "total general", "soma", "média", "total geral",
    "somma", "totale", "totale complessivo",
    # Polish, Czech, Swedish, Danish, Turkish, Hungarian
    "razem", "średnia", "łącznie", "celkem", "součet", "průměr", "summa", "medelvärde", "medel", "genomsnitt",
    "gennemsnit", "middelværdi", "toplam", "ortalama", "összesen", "átlag",
    # Russian, Ukrainian, Greek, Arabic, Hebrew, Hindi
    "итого", "сумма", "всего", "среднее", "среднее значение", "разом", "усього", "середнє", "σύνολο", "μέσος όρος",
    "المجموع", "الإجمالي", "المتوسط", "סהכ", 'סה"כ', "סך הכל", "ממוצע", "कुल", "योग", "औसत",
    # of scores
    "average score", "mean score", "total score", "overall score",
    # signs
    "ø", "∅", "σ", "∑",
    # Chinese, Japanese, Korean
    "总计", "合计", "总和", "平均", "平均值", "平均分", "均值",
    "總計", "合計", "總和", "平均數", "総計", "平均点", "합계", "총계", "평균",
})  # fmt: skip


def header_index(rows: Sequence[Row]) -> int:
    """Return the index of the row with the names of the columns: the first, below blank rows and a title.

    A title is a text alone in the first column, above a row of which some cell is named as columns are.
    """
    filled = [index for index, (_, cells) in enumerate(rows) if not _is_blank_row(cells)]
    if not filled:
        return 0
    for index in filled[: _MOST_TITLES + 1]:
        _, cells = rows[index]
        if _n_filled(cells) > 1:
            below = [row for _, row in rows[index + 1 :] if not _is_blank_row(row)]
            if index > filled[0] and _has_names(cells) and _are_of_several_cells(below):
                return index
            break
        title = cells[0].strip()
        # A column that is called "mt" has texts below, which may be split by commas.
        is_one_name = len(title.split()) == 1 and clear_role(title) != ""
        if not title or is_one_name:
            break
    return filled[0]


def _are_of_several_cells(rows: Sequence[list[str]]) -> bool:
    """Return whether most rows have more than one cell that is filled."""
    return 2 * sum(_n_filled(cells) > 1 for cells in rows) > len(rows)


def _has_names(cells: Sequence[str]) -> bool:
    """Return whether a row has names of columns alone, and some are known ones."""
    named = [cell for cell in cells if cell.strip()]
    return any(map(_is_name, named)) and all(len(cell.split()) <= _LONGEST_NAME for cell in named)


def _is_name(text: str) -> bool:
    """Return whether a text is what a column is called, whose role its name says."""
    is_known = role_of(text) != "system" or clear_role(text) != ""
    return is_known and len(text.split()) <= 2


def _n_filled(cells: Sequence[str]) -> int:
    return sum(bool(cell.strip()) for cell in cells)


def _is_blank_row(cells: Sequence[str]) -> bool:
    return not any(cell.strip() for cell in cells)


def body(rows: Sequence[Row]) -> list[Row]:
    """Return the names of the columns and the rows below, without blank ones; in a single column these are cells."""
    below_titles = list(rows[header_index(rows) :])
    if not below_titles:
        return []
    _, header = below_titles[0]
    if len(header) == 1:
        return below_titles
    return [(line, cells) for line, cells in below_titles if not _is_blank_row(cells)]


def table_rows(rows: list[Row], name: str) -> list[Row]:
    """Return the rows of a table, its header first; warn of what stands around and between them."""
    index = header_index(rows)
    titles = [cells[0] for _, cells in rows[:index] if not _is_blank_row(cells)]
    if titles:
        line, _ = rows[index]
        first_titles = ", ".join(map(shorten, titles[:_MOST_SHOWN]))
        further = ""
        if len(titles) > _MOST_SHOWN:
            further = f" and {len(titles) - _MOST_SHOWN} more"
        warn(
            f"{name}: the names of the columns are on line {line}, below what is read as a title: "
            f"{first_titles}{further}."
        )
    inner = body(rows)
    _warn_of_blank_rows(rows[index:], inner, name)
    return _without_totals(inner, name)


def _warn_of_blank_rows(rows: Sequence[Row], filled: Sequence[Row], name: str) -> None:
    """Warn of blank rows above the last row: those below it are none."""
    if not filled or len(filled) == len(rows):
        return
    last_line, _ = filled[-1]
    blank = [line for line, cells in rows if line < last_line and _is_blank_row(cells)]
    if len(blank) == 1:
        warn(f"{name}: 1 blank row is passed over, on line {blank[0]:,}.")
    elif blank:
        warn(f"{name}: {len(blank):,} blank rows are passed over, the first on line {blank[0]:,}.")


# Sums and averages below the rows.


def _without_totals(rows: list[Row], name: str) -> list[Row]:
    """Return the rows without sums and averages at their end; a warning names each."""
    n_kept = len(rows)
    for _, cells in reversed(rows):
        # The header and a row stay in any case.
        if n_kept <= 2 or not _may_be_total(cells):
            break
        n_kept -= 1
    if n_kept == len(rows):
        return rows
    _, header = rows[0]
    items = [cells for _, cells in rows[1:n_kept]]
    n_totals = 0
    for _, cells in reversed(rows[n_kept:]):
        if not _is_total(cells, header, items):
            break
        n_totals += 1
    if n_totals == 0:
        return rows
    totals = rows[len(rows) - n_totals :]
    shown_totals = []
    for _, cells in totals[:_MOST_SHOWN]:
        filled = [cell for cell in cells if cell.strip()]
        shown_totals.append(shorten(" ".join(filled)))
    first_line, _ = totals[0]
    first_totals = ", ".join(shown_totals)
    subject = "the last row is read as a sum or an average"
    remedy = "it is an item, move it up"
    if n_totals > 1:
        subject = f"the last {n_totals} rows are read as sums or averages"
        remedy = "they are items, move them up"
    warn(
        f"{name}, line {first_line:,}: {subject} of the others, and left out: {first_totals}. If {remedy}: only "
        "last rows are taken so."
    )
    return rows[: len(rows) - n_totals]


def _may_be_total(cells: Sequence[str]) -> bool:
    """Return whether a row has numbers alone, but perhaps for a word for sums or averages anywhere."""
    filled = [cell for cell in cells if cell.strip()]
    words = [cell for cell in filled if not is_written_number(cell)]
    if words:
        return len(words) == 1 and _is_label_of_total(words[0])
    return bool(filled) and not cells[0].strip()


def _is_label_of_total(cell: str) -> bool:
    """Return whether a cell says that a sum or a mean follows."""
    return " ".join(cell.casefold().split()).rstrip(" :.=") in _TOTALS


def _is_total(cells: Sequence[str], header: Sequence[str], items: Sequence[Sequence[str]]) -> bool:
    """Return whether a row that has no texts is a sum or a mean of the items.

    A word for it may be enough: :func:`_is_labelled_total`. Otherwise every number must be the sum, or the mean, of
    those above, and the first column, which all others fill, be empty or hold the word.
    """
    if any(len(row) != len(header) for row in [cells, *items]):
        return False
    columns = list(zip(*items, strict=True))
    labels = [column for column, cell in enumerate(cells) if _is_label_of_total(cell)]
    if labels and _is_labelled_total(cells, labels[0], header, columns):
        return True
    first = next(column for column, cell in enumerate(cells) if cell.strip())
    column_of_ids = 0
    if first in labels:
        column_of_ids = first
    if len(items) < _FEWEST_ITEMS or not all(map(str.strip, columns[column_of_ids])):
        return False
    varies = False
    for cell, values in zip(cells, columns, strict=True):
        if not cell.strip() or not is_written_number(cell):
            continue
        if not _adds_up(cell, values):
            return False
        # Of numbers that are all the same, any other is the mean too.
        varies = varies or len(set(values)) > 1
    return varies


def _is_labelled_total(
    cells: Sequence[str], label: int, header: Sequence[str], columns: Sequence[Sequence[str]]
) -> bool:
    """Return whether a word for sums is enough: numbers or blanks stand where all other rows have texts.

    Where the word stands in a column of texts, and none has a number, it may be a source that no system translated:
    then the id must be missing too, or two texts. The row after 1, 2, 3 that has the number 4 is an item.
    """
    word = cells[label].strip().casefold()
    if any(cell.strip().casefold() == word for cell in columns[label]):
        return False
    if any(map(_continues_ids, cells, columns)):
        return False
    texts = [column for column, values in enumerate(columns) if _holds_texts(values)]
    others = [cells[column] for column in texts if column != label]
    if not others:
        return False
    if not _is_blank_row(others) or role_of(header[label]) == "about" or label not in texts:
        return True
    return len(others) > 1 or _lacks_id(cells, header, columns)


def _lacks_id(cells: Sequence[str], header: Sequence[str], columns: Sequence[Sequence[str]]) -> bool:
    """Return whether a row has no id, where all others have one."""
    for name, cell, values in zip(header, cells, columns, strict=True):
        if role_of(name) == "about" and not cell.strip() and all(map(str.strip, values)):
            return True
    return False


def _continues_ids(cell: str, values: Sequence[str]) -> bool:
    """Return whether a number goes on with those of its column, as numbers of rows do: 1, 2, 3."""
    if not cell.strip().isdecimal():
        return False
    expected = [str(int(cell) - distance) for distance in range(len(values), 0, -1)]
    return list(map(str.strip, values)) == expected


def _holds_texts(cells: Sequence[str]) -> bool:
    """Return whether most cells of a column are filled, and none of these is a number."""
    filled = [cell for cell in cells if cell.strip()]
    return 2 * len(filled) > len(cells) and not any(map(is_written_number, filled))


def _adds_up(cell: str, column: Sequence[str]) -> bool:
    """Return whether a number is the sum or the mean of a column's numbers, as far as its digits show."""
    for sign in (".", ","):
        notation = Notation(sign, is_known=True)
        try:
            number = read_number(cell, "a sum", notation)
            values = [read_number(item, "an item", notation) for item in column]
        except InputError:
            continue
        numbers = [value for value in values if not math.isnan(value)]
        if not numbers:
            continue
        total = math.fsum(numbers)
        # A program writes a sum of decimals with its error.
        tolerance = 1e-9 * abs(total)
        if sign in cell:
            n_digits = len(cell.strip().rstrip("% ").rpartition(sign)[2])
            tolerance = max(tolerance, 0.51 * 10.0**-n_digits)
        if abs(number - total) <= tolerance or abs(number - total / len(numbers)) <= tolerance:
            return True
    return False
