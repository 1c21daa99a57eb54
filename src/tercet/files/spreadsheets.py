"""What people put around a table in a spreadsheet: a title above it, blank rows, and sums and averages below it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tercet.errors import InputError, shorten, warn

from .numbers import Notation, is_number, read_number
from .roles import clear_role, role_of
from .table import Row

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


def header_place(rows: Sequence[Row]) -> int:
    """Return the place of the row with the names of the columns: the first, below blank rows and a title.

    A title is a text alone in the first column, above a row of which some cell is named as columns are.
    """
    filled = [place for place, (_, cells) in enumerate(rows) if not _is_blank(cells)]
    if not filled:
        return 0
    for place in filled[: _MOST_TITLES + 1]:
        _, cells = rows[place]
        if _n_filled(cells) > 1:
            below = [row for _, row in rows[place + 1 :] if not _is_blank(row)]
            if place > filled[0] and _has_names(cells) and _are_of_several_cells(below):
                return place
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


def _is_blank(cells: Sequence[str]) -> bool:
    return not any(cell.strip() for cell in cells)


def body(rows: Sequence[Row]) -> list[Row]:
    """Return the names of the columns and the rows below, without blank ones; in a single column these are cells."""
    rows = rows[header_place(rows) :]
    if not rows or len(rows[0][1]) == 1:
        return list(rows)
    return [row for row in rows if not _is_blank(row[1])]


def table_rows(rows: list[Row], name: str) -> list[Row]:
    """Return the rows of a table, its header first; warn of what stands around and between them."""
    place = header_place(rows)
    titles = [cells[0] for _, cells in rows[:place] if not _is_blank(cells)]
    if titles:
        shown = ", ".join(map(shorten, titles[:_MOST_SHOWN]))
        further = f" and {len(titles) - _MOST_SHOWN} more" if len(titles) > _MOST_SHOWN else ""
        warn(
            f"{name}: the names of the columns are on line {rows[place][0]}, below what is read as a title: "
            f"{shown}{further}."
        )
    inner = body(rows)
    _warn_of_blank_rows(rows[place:], inner, name)
    return _without_totals(inner, name)


def _warn_of_blank_rows(rows: Sequence[Row], kept: Sequence[Row], name: str) -> None:
    """Warn of blank rows above the last row: those below it are none."""
    if not kept or len(kept) == len(rows):
        return
    last_line = kept[-1][0]
    blank = [line for line, cells in rows if line < last_line and _is_blank(cells)]
    if blank:
        subject = "1 blank row is" if len(blank) == 1 else f"{len(blank):,} blank rows are"
        warn(f"{name}: {subject} passed over, {'' if len(blank) == 1 else 'the first '}on line {blank[0]:,}.")


# Sums and averages below the rows.


def _without_totals(rows: list[Row], name: str) -> list[Row]:
    """Return the rows without sums and averages at their end; a warning names each."""
    n_kept = len(rows)
    # The header and a row stay in any case.
    while n_kept > 2 and _may_be_total(rows[n_kept - 1][1]):
        n_kept -= 1
    if n_kept == len(rows):
        return rows
    items = [cells for _, cells in rows[1:n_kept]]
    n_totals = 0
    for _, cells in reversed(rows[n_kept:]):
        if not _is_total(cells, rows[0][1], items):
            break
        n_totals += 1
    if n_totals == 0:
        return rows
    totals = rows[len(rows) - n_totals :]
    shown = ", ".join(shorten(" ".join(cell for cell in cells if cell.strip())) for _, cells in totals[:_MOST_SHOWN])
    subject, object_ = "the last row is read as a sum or an average", "it is an item, move it"
    if n_totals > 1:
        subject, object_ = f"the last {n_totals} rows are read as sums or averages", "they are items, move them"
    warn(
        f"{name}, line {totals[0][0]:,}: {subject} of the others, and left out: {shown}. If {object_} up: only last "
        "rows are taken so."
    )
    return rows[: len(rows) - n_totals]


def _may_be_total(cells: Sequence[str]) -> bool:
    """Return whether a row has numbers alone, but perhaps for a word for sums or averages anywhere."""
    filled = [cell for cell in cells if cell.strip()]
    words = [cell for cell in filled if not is_number(cell)]
    if words:
        return len(words) == 1 and _label(words[0])
    return bool(filled) and not cells[0].strip()


def _label(cell: str) -> bool:
    """Return whether a cell says that a sum or a mean follows."""
    return " ".join(cell.casefold().split()).rstrip(" :.=") in _TOTALS


def _is_total(cells: Sequence[str], header: Sequence[str], items: Sequence[Sequence[str]]) -> bool:
    """Return whether a row that has no texts is a sum or a mean of the items.

    A word for it may be enough: :func:`_is_labelled_total`. Otherwise every number must be the sum, or the mean, of
    those above, and the first column, which all others fill, be empty or hold the word.
    """
    if any(len(row) != len(header) for row in [cells, *items]):
        return False
    label = next((place for place, cell in enumerate(cells) if _label(cell)), None)
    if label is not None and _is_labelled_total(cells, label, header, items):
        return True
    first = next(place for place, cell in enumerate(cells) if cell.strip())
    is_labelled = label == first
    place_of_ids = first if is_labelled else 0
    if len(items) < _FEWEST_ITEMS or not all(row[place_of_ids].strip() for row in items):
        return False
    numbers = [place for place, cell in enumerate(cells) if is_number(cell) and cell.strip()]
    columns = [[row[place] for row in items] for place in numbers]
    # Of numbers that are all the same, any other is the mean too.
    varies = any(len({*column}) > 1 for column in columns)
    return varies and all(_adds_up(cells[place], column) for place, column in zip(numbers, columns, strict=True))


def _is_labelled_total(
    cells: Sequence[str], label: int, header: Sequence[str], items: Sequence[Sequence[str]]
) -> bool:
    """Return whether a word for sums is enough: numbers or blanks stand where all other rows have texts.

    Where the word stands in a column of texts, and none has a number, it may be a source that no system translated:
    then the id must be missing too, or two texts. The row after 1, 2, 3 that has the number 4 is an item.
    """
    word = cells[label].strip().casefold()
    if any(row[label].strip().casefold() == word for row in items):
        return False
    if any(_continues_ids(cells[place], header[place], items, place) for place in range(len(header))):
        return False
    texts = [place for place in range(len(header)) if _holds_texts([row[place] for row in items])]
    others = [cells[place] for place in texts if place != label]
    if not others:
        return False
    if not _is_blank(others) or role_of(header[label]) == "about" or label not in texts:
        return True
    return len(others) > 1 or _lacks_id(cells, header, items)


def _lacks_id(cells: Sequence[str], header: Sequence[str], items: Sequence[Sequence[str]]) -> bool:
    """Return whether a row has no id, where all others have one."""
    for place, name in enumerate(header):
        if role_of(name) == "about" and not cells[place].strip() and all(row[place].strip() for row in items):
            return True
    return False


def _continues_ids(cell: str, name: str, items: Sequence[Sequence[str]], place: int) -> bool:
    """Return whether a number goes on with those of its column, as numbers of rows do: 1, 2, 3."""
    if not cell.strip().isdecimal():
        return False
    expected = [str(int(cell) - distance) for distance in range(len(items), 0, -1)]
    return [row[place].strip() for row in items] == expected


def _holds_texts(cells: Sequence[str]) -> bool:
    """Return whether most cells of a column are filled, and none of these is a number."""
    filled = [cell for cell in cells if cell.strip()]
    return 2 * len(filled) > len(cells) and not any(map(is_number, filled))


def _adds_up(cell: str, column: Sequence[str]) -> bool:
    """Return whether a number is the sum or the mean of a column's numbers, as far as its digits show."""
    for sign in (".", ","):
        notation = Notation(sign, is_known=True)
        try:
            number = read_number(cell, "a sum", notation)
            values = [read_number(other, "an item", notation) for other in column]
        except InputError:
            continue
        known = [value for value in values if not math.isnan(value)]
        if not known:
            continue
        total = math.fsum(known)
        # A program writes a sum of decimals with its error.
        tolerance = 1e-9 * abs(total)
        if sign in cell:
            n_digits = len(cell.strip().rstrip("% ").rpartition(sign)[2])
            tolerance = max(tolerance, 0.51 * 10.0**-n_digits)
        if abs(number - total) <= tolerance or abs(number - total / len(known)) <= tolerance:
            return True
    return False
