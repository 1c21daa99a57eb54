"""What people put around a table in a spreadsheet: titles, blank rows, hidden rows, sums and averages."""

import io
import warnings
from itertools import product

import openpyxl
import pytest

from tercet.errors import InputError
from tercet.files.formats import READERS
from workbooks import workbook

HEADERS = [["id", "Quelle", "Übersetzung A", "Referenz"], ["№", "источник", "перевод", "эталон"],
           ["编号", "原文", "译文", "参考"], ["seg_id", "source", "mt", "reference"]]  # fmt: skip
ITEMS = [["1", "Guten Morgen", "Good morning.", "Good morning"], ["2", "ночь тиха", "夜很静", "a quiet night"]]


def read(data, format):
    """Return a table, and what was warned of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        table = READERS[format](io.BytesIO(data), f"scores.{format}")
    return table, [str(warning.message) for warning in caught]


def forms(rows):
    """Yield rows as files of each format: CSV and TSV with rows as long as given, and as spreadsheets fill them."""
    width = max(map(len, rows))
    filled = [row + [""] * (width - len(row)) for row in rows]
    for separator, kept in product([",", ";", "\t"], [rows, filled]):
        yield "\n".join(map(separator.join, kept)).encode() + b"\n", "tsv" if separator == "\t" else "csv"
    yield workbook([[cell or None for cell in row] for row in rows]), "xlsx"


@pytest.mark.parametrize("header", HEADERS, ids=lambda header: header[1])
@pytest.mark.parametrize(
    "above",
    [
        [["Evaluation März 2026"]],
        [["Оценка переводов"], [""]],
        [[""], ["人工评测"], ["第二轮"], [""]],
        [["Reference translations and scores of all annotators"], [""]],
    ],
)
def test_a_title_is_above_the_names_of_the_columns(header, above):
    place = len(above) + 1
    for data, format in forms([*above, header, *ITEMS]):
        table, messages = read(data, format)
        assert [list(table.columns), *map(list, zip(*table.columns.values(), strict=True))] == [header, *ITEMS]
        assert table.lines == [place + 1, place + 2]
        titles = ", ".join(repr(row[0]) for row in above if row[0])
        assert messages == [
            f"scores.{format}: the names of the columns are on line {place}, below what is read as a title: {titles}."
        ]


def test_names_of_two_words_are_names_too():
    header = ["source text", "reference text", "system output"]
    for data, format in forms(
        [["Evaluation 2026"], header, ["Regen.", "Rain.", "Rains."], ["Nacht", "night", "a night"]]
    ):
        table, messages = read(data, format)
        assert (list(table.columns), table.lines, len(messages)) == (header, [3, 4], 1)


def test_a_title_with_the_separator_in_it_is_one():
    for title, separator in [("Runde 2, Mai", ";"), ("Раунд 2; май", ",")]:
        rows = "\n".join([title, separator.join(HEADERS[0]), separator.join(["1", "a", "b", "c"])])
        assert list(read(rows.encode(), "csv")[0].columns) == HEADERS[0]


@pytest.mark.parametrize(
    "text",
    [
        "mt,\nid,b\nc,d\n",  # the name of a column is no title
        "title,,\none,two,three\nfour,five,six\n",  # nothing below is named as columns are
        ",Title\nid,mt\nb,c\n",  # as pandas writes rows with numbers
    ],
)
def test_no_row_is_taken_for_names_by_mere_chance(text):
    assert read(text.encode(), "csv")[0].lines == [2, 3]


def test_texts_of_a_single_column_with_commas_are_no_names():
    with pytest.raises(InputError, match="expected 1 cells, as in the header, found 2"):
        read("Übersetzung\nHallo, Welt\nGuten Tag, Welt\n".encode(), "csv")


def test_blank_rows_are_passed_over():
    for blank in ([""], [" ", "", "", ""]):
        for data, format in forms([[""], HEADERS[3], ITEMS[0], blank, blank, ITEMS[1], [""]]):
            table, messages = read(data, format)
            assert (table.lines, table.columns["mt"]) == ([3, 6], ["Good morning.", "夜很静"])
            assert messages == [f"scores.{format}: 2 blank rows are passed over, the first on line 4."]


def test_an_empty_line_of_a_single_column_is_a_cell():
    assert read("mt\n한국어\n\nनमस्ते\n".encode(), "tsv")[0].columns == {"mt": ["한국어", "", "नमस्ते"]}


def test_the_line_by_which_excel_knows_the_separator_is_no_row():
    for first in ["sep=;", "SEP=;", '"sep=;"']:
        table, messages = read(f"{first}\r\nid;mt;ref\r\n1;a, b;c\r\n".encode("utf-8-sig"), "csv")
        assert (table.columns, table.lines, messages) == ({"id": ["1"], "mt": ["a, b"], "ref": ["c"]}, [3], [])
    table, messages = read("sep=\t\r\nmt\tref\r\nдом\t家\r\n".encode("utf-16"), "tsv")
    assert (table.columns, table.lines, messages) == ({"mt": ["дом"], "ref": ["家"]}, [3], [])


def sheet(fill):
    book, file = openpyxl.Workbook(), io.BytesIO()
    for row in [["Bewertung"], HEADERS[0], *ITEMS, ["3", "schön", "nice", "beautiful"]]:
        book.active.append(row)
    fill(book.active)
    book.save(file)
    return file.getvalue()


def test_hidden_rows_are_read_and_said():
    def hide(rows):
        def fill(active):
            for row in rows:
                active.row_dimensions[row].hidden = True

        return fill

    for rows, said in [
        ([4], "1 hidden row is read too, on line 4"),
        ([3, 5], "2 hidden rows are read too, the first on line 3"),
    ]:
        table, messages = read(sheet(hide(rows)), "xlsx")
        assert (table.lines, len(messages)) == ([3, 4, 5], 2)
        assert messages[0] == (
            f"scores.xlsx: {said}. To leave them out, delete them, or copy the visible rows to a sheet of their own."
        )


def test_a_title_may_be_merged_and_other_rows_may_not():
    assert list(read(sheet(lambda active: active.merge_cells("A1:D1")), "xlsx")[0].columns) == HEADERS[0]
    for cells in ("A2:B2", "C4:D4", "A1:D2"):
        with pytest.raises(InputError, match=rf"the cells {cells} are merged, so all but the first are empty"):
            read(sheet(lambda active, cells=cells: active.merge_cells(cells)), "xlsx")


GRADED = [["id", "source", "mt", "reference", "grade"], ["a", "ein Haus", "a house", "one house", "4"],
          ["b", "кот спит", "the cat sleeps", "a cat sleeps", "5"], ["c", "雨", "rain", "it rains", "2"]]  # fmt: skip


@pytest.mark.parametrize(
    "label",
    ["Total", "SUMME:", "Average", "Mittelwert", "Moyenne", "Итого", "平均", "합계", "Średnia", "Ø", "المتوسط"],
)
def test_sums_and_averages_at_the_end_are_left_out_and_said(label):
    for data, format in forms([*GRADED, [""], [label, "", "", "", "3.67"]]):
        table, messages = read(data, format)
        assert table.columns["id"] == ["a", "b", "c"]
        assert messages[-1] == (
            f"scores.{format}, line 6: the last row is read as a sum or an average of the others, and left out: "
            f"'{label} 3.67'. If it is an item, move it up: only last rows are taken so."
        )


def test_several_are_left_out_together():
    table, messages = read(
        workbook([*GRADED, ["Sum", None, None, None, 11], ["Mean", None, None, None, 3.67]]), "xlsx"
    )
    assert table.lines == [2, 3, 4]
    assert messages == [
        "scores.xlsx, line 5: the last 2 rows are read as sums or averages of the others, and left out: 'Sum 11', "
        "'Mean 3.67'. If they are items, move them up: only last rows are taken so."
    ]


@pytest.mark.parametrize(
    "rows",
    [
        [*GRADED, ["", "", "", "", "11"]],  # without a word
        [*GRADED, ["", "", "", "", "3,67"]],
        [["task", "a.score", "b.score"], ["x", "1,5", "1.000,5"], ["y", "2", "3"], ["z", "4", "5"],
         ["average", "2,5", "336,1667"]],  # of names, a word and the right numbers
        [["n", "a.score"], ["1", "50 %"], ["2", "25 %"], ["3", "0 %"], ["Gesamt", "25 %"]],
    ],
)  # fmt: skip
def test_numbers_that_are_the_sum_or_mean_of_the_others_are_left_out(rows):
    data = "\n".join(map(";".join, rows)).encode()
    table, messages = read(data, "csv")
    assert (len(table.lines), len(messages)) == (3, 1)


VENDORS = [["Nr", "source", "reference", "Anbieter A", "Anbieter B"],
           ["1", "Rain.", "Es regnet.", "Regen.", "Regen fällt."],
           ["2", "Шум волн.", "Wellenrauschen.", "Wellen rauschen.", "Lärm der Wellen."]]  # fmt: skip


@pytest.mark.parametrize(
    "last",
    [
        ["Average", "", "", "4.5", "3.1"],  # grades under the columns of texts
        ["Mittelwert:", "", "", "4.5", "3.1"],
        ["Durchschnitt", "", "", "85 %", "43 %"],
        ["", "Итого", "", "9", "6"],
        ["", "", "平均", "4.5", "3.1"],
        ["2", "", "Total", "9", "6"],  # how many there are
        ["", "", "Average", "", "3.1"],
        ["Average score", "", "", "4.5", ""],
        ["Total", "", "", "", ""],
        ["", "", "Gesamt", "", ""],
    ],
    ids=" ".join,
)
def test_a_word_with_numbers_where_all_others_have_texts_is_a_total(last):
    for data, format in forms([*VENDORS, last]):
        table, messages = read(data, format)
        shown = " ".join(filter(None, last))
        (said,) = messages
        assert table.columns["Nr"] == ["1", "2"]
        assert f"line 4: the last row is read as a sum or an average of the others, and left out: '{shown}'" in said


@pytest.mark.parametrize(
    ("items", "last", "is_total"),
    [
        ([["7", "Open", "Öffnen"], ["9", "Save", "Speichern"]], ["", "Total", ""], True),
        ([["7", "Open", "Öffnen"], ["9", "Save", "Speichern"]], ["12", "Total", ""], False),  # with an id of its own
        ([["7", "Open", "Öffnen"], ["", "Save", "Speichern"]], ["", "Total", ""], False),  # as others, without an id
    ],
)
def test_a_word_for_sums_that_could_be_a_source_is_one_where_it_alone_lacks_an_id(items, last, is_total):
    for data, format in forms([["id", "source", "mt"], *items, last]):
        table, messages = read(data, format)
        assert (len(table.lines), len(messages)) == ((2, 1) if is_total else (3, 0))


def test_the_numbers_of_a_total_may_have_decimal_commas():
    for data, format in list(forms([*VENDORS, ["", "", "Mittelwert", "4,5", "3,1 %"]]))[2:]:
        table, messages = read(data, format)
        assert (table.columns["Nr"], len(messages)) == (["1", "2"], 1)


@pytest.mark.parametrize(
    "last",
    [
        ["3", "", "Average", "4", "3"],  # the next item, by its number
        ["3", "Total", "", "", ""],
        ["", "Total", "Summe", "4", "3"],
        ["", "", "", "4.5", "3.1"],  # no word
        ["", "", "average length", "4.5", "3.1"],
    ],
    ids=" ".join,
)
def test_an_item_with_such_a_word_stays(last):
    for data, format in forms([*VENDORS, last]):
        assert read(data, format)[0].columns["Nr"] == ["1", "2", last[0]]


def test_a_word_that_other_items_have_too_is_an_answer():
    rows = [["question", "reference", "mt"], ["4 + 4", "sum", "a sum"], ["", "sum", "8"]]
    assert len(read("\n".join(map(",".join, rows)).encode(), "csv")[0].lines) == 2


@pytest.mark.parametrize(
    "last",
    [
        ["Total", "Summe", "Total", "Sum", "4"],  # texts of a user's interface
        ["Total", "Summe", "", "", "3.67"],
        ["d", "", "", "", "3.67"],  # an item without an answer
        ["", "", "", "", "3"],  # neither the sum nor the mean
        ["", "", "", "", ""],
    ],
)
def test_a_row_that_may_be_an_item_stays(last):
    for data, format in forms([*GRADED, last, ["e", "ночь", "night", "a night", "1"]]):
        assert read(data, format)[0].columns["id"][-1] == "e"
    for data, format in forms([*GRADED, last]):
        assert len(read(data, format)[0].lines) == 3 + any(last)


@pytest.mark.parametrize(
    "rows",
    [
        [["source", "mt", "score"], ["Open", "Öffnen", "0.5"], ["Save", "Speichern", "0.8"], ["New", "Neu", "0.9"],
         ["Total", "", "0"]],  # a source, which no system translated
        [["task", "a.score"], ["algebra", "1"], ["logic", "0"], ["geometry", "0"], ["sum", "1.5"]],  # a task
        [["id", "a.score"], ["1", "1"], ["2", "1"], ["3", "1"], ["", "1"]],  # equal by chance
        [["id", "a.score"], ["1", "0"], ["2", "1"], ["", "0.5"]],
    ],
)  # fmt: skip
def test_a_word_or_a_number_alone_drops_no_row(rows):
    table, messages = read("\n".join(map(",".join, rows)).encode(), "csv")
    assert (len(table.lines), messages) == (len(rows) - 1, [])


@pytest.mark.parametrize(("n_whole", "n_of_one_cell", "is_title"), [(2, 1, True), (2, 2, False), (1, 2, False)])
def test_a_title_is_above_a_table_of_which_most_rows_have_several_cells(n_whole, n_of_one_cell, is_title):
    items = [[f"source {number}", f"text {number}"] for number in range(n_whole)]
    remarks = [[f"source {number}", ""] for number in range(n_whole, n_whole + n_of_one_cell)]
    table, _ = read(workbook([["Evaluation in March", ""], ["source", "mt"], *items, *remarks]), "xlsx")
    assert (list(table.columns) == ["source", "mt"]) is is_title
