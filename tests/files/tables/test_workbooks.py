"""Excel workbooks: their first sheet is read as the same table in a CSV; what is damaged or too large is refused."""

import datetime
import io
import re
import zipfile

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tercet
from tercet.errors import InputError
from tercet.files.limits import Limits
from tercet.files.tables.workbooks import read_workbook
from workbooks import workbook

#: Characters that XML can hold; Excel keeps no carriage return.
CHARACTERS = st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff") | st.sampled_from(
    "\n\t"
)


def read(data, **limits):
    return read_workbook(io.BytesIO(data), "test.xlsx", Limits(**limits))


@given(st.lists(st.tuples(st.text(CHARACTERS), st.text(CHARACTERS)), min_size=1, max_size=4))
def test_texts_of_all_scripts_come_back(rows):
    rows = [(f"a{one}", f"{other}z") for one, other in rows]
    rows = [row for row in rows if not any("_x" in cell or cell.startswith("=") for cell in row)]  # Excel's escapes
    if rows:
        found = read(workbook([("mt", "ref"), *rows]))
        assert list(zip(found.columns["mt"], found.columns["ref"], strict=True)) == rows


def test_numbers_dates_and_empty_cells_are_read_as_text():
    day = datetime.date(2026, 3, 4)
    found = read(workbook([["mt", "ref", "n"], [42, None, 4.0], [3.5, "кот", 0], [True, day, None], ["n/a", "猫"]]))
    assert found.lines == [2, 3, 4, 5]
    assert list(found.columns) == ["mt", "ref", "n"]
    assert list(zip(*found.columns.values(), strict=True)) == [
        ("42", "", "4"), ("3.5", "кот", "0"), ("TRUE", "2026-03-04", ""), ("n/a", "猫", "")
    ]  # fmt: skip


def test_the_first_sheet_counts_and_empty_rows_at_its_end_do_not():
    with pytest.warns(UserWarning, match=r"test\.xlsx, sheet 'Sheet': only this sheet is read, not 'notes'"):
        found = read(workbook([["mt", "ref"], ["a", "b"], ["c", "d"], [None, None]], others=["notes"]))
    assert found.columns == {"mt": ["a", "c"], "ref": ["b", "d"]}
    assert found.lines == [2, 3]


def made(fill):
    """Return the bytes of a workbook with a small table that a function adds to."""
    book, file = openpyxl.Workbook(), io.BytesIO()
    for row in [("mt", "ref"), ("a", "b"), ("c", "d")]:
        book.active.append(row)
    fill(book)
    book.save(file)
    return file.getvalue()


def changed(data, part, old, new):
    """Return a workbook with other bytes in a part of its XML, as other programs write them."""
    source, target = zipfile.ZipFile(io.BytesIO(data)), io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name in source.namelist():
            content = source.read(name)
            if name.endswith(part):
                content, times = re.subn(old, new, content, flags=re.DOTALL)
                assert times == 1
            archive.writestr(name, content)
    return target.getvalue()


FORMULA = made(lambda book: book.active.append(["=1+1", "c"]))


def test_the_last_result_of_a_formula_is_its_text():
    for cell, text in [
        (b'<c r="A4"><f>1+1</f><v>2</v></c>', "2"),
        (b'<c r="A4" t="str"><f>A2&amp;A3</f><v>ac</v></c>', "ac"),
        (b'<c r="A4" t="str"><f>""</f><v></v></c>', ""),
    ]:
        found = read(changed(FORMULA, "sheet1.xml", rb'<c r="A4">.*?</c>', cell))
        assert found.columns["mt"] == ["a", "c", text]


def added(cell, value):
    return made(lambda book: book.active.__setitem__(cell, value))


TABLE = workbook([["mt", "ref"], ["a", "b"]])
SHEETS = workbook([["mt", "ref"], ["a", "b"]], others=["news"])
DAMAGED = "not an Excel workbook .* or is damaged"
NOT_READ = "not an Excel workbook .* that can be read"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        # cells whose text is not what is seen
        (FORMULA, r"^test\.xlsx, cell A4: the file has the formula '=1\+1' and not its result\. .* save it again"),
        (added("B4", "#N/A"), r"cell B4: found the error #N/A; expected a text"),
        (made(lambda book: book.active.merge_cells("A2:A3")), r"the cells A2:A3 are merged, so all but the first"),
        (added("B1048576", "left"),
         r"row 1,048,576 holds 'left' below 1,048,572 empty rows; expected no gap between rows"),
        (added("XFD3", "left"),
         r"^test\.xlsx, cell XFD3: found 'left' far to the right of the table; expected at most 500 columns"),
        # what is not in the file: another sheet would be taken for the first
        *(
            (changed(book, "workbook.xml.rels", rb'Target="[^"]*sheet1.xml"', b'Target="%s"' % target),
             rf"its sheet 'Sheet' is to be in {path}, which is not in the file")
            for book in (TABLE, SHEETS)
            for target, path in [(b"/../out.xml", r"'.*out\.xml'"), (b"/xl/none.xml", "'xl/none.xml'")]
        ),
        (changed(TABLE, "workbook.xml", rb'r:id="rId1"', b'r:id="rId9"'),
         r"refers to what is not in the file \('rId9'\)"),
        (changed(TABLE, "sheet1.xml", rb'<c r="A2".*?</c>', b'<c r="A2" t="s"><v>99</v></c>'),
         "refers to what is not in"),
        (changed(TABLE, "sheet1.xml", b"^", b'<!DOCTYPE a [<!ATTLIST c z CDATA "zz">]>'),
         "xl/worksheets/sheet1.xml: declares a document type, which is refused in an Excel file"),
        (changed(TABLE, "sheet1.xml", b"</sheetData>", b'<row r="3">' + b"<c/>" * 20_000 + b"</row></sheetData>"),
         "a row has 20,000 cells; expected at most 500"),
        # what is no table
        (b"", "^test.xlsx is empty; expected an Excel workbook"), (TABLE[:-30], DAMAGED),
        *((changed(TABLE, part, b".+", b"<broken"), NOT_READ) for part in ("/workbook.xml", "sheet1.xml")),
        (workbook([]), "expected the names of the columns in the first line, but it is empty"),
        (workbook([["mt", "ref"]]), "has a header .mt, ref. and no rows"),
        (workbook([["mt", "mt"], ["a", "b"]]), "the column 'mt' appears twice"),
        (workbook([["mt"] + [str(n) for n in range(600)], ["a"]]), "more than 500 columns"),
    ],
)  # fmt: skip
def test_what_is_refused(data, message):
    with pytest.raises(InputError, match=message):
        read(data)


def test_a_hidden_sheet_is_not_read_and_an_empty_one_not_missed():
    def hide(book):
        book.active.sheet_state = "hidden"
        book.create_sheet("news").append(["mt", "ref"])
        book["news"].append(["e", "f"])
        book.create_sheet("Sheet3")

    assert read(made(hide)).columns == {"mt": ["e"], "ref": ["f"]}


def test_a_cell_without_a_name_above_it_is_named_by_its_number():
    found = read(workbook([["mt", None, "ref"], ["a", "x", "b"]]))
    assert found.columns == {"mt": ["a"], "column 2": ["x"], "ref": ["b"]}


def test_scores_grades_and_test_sets_are_read_from_it(tmp_path):
    path = tmp_path / "graded.xlsx"
    head = ["ref", "A", "B", "A.content", "B.content"]
    rows = [["it rains a lot", "it rained", "it rains a lot", 2, 5], ["кот спит", "кот спит", "пёс", 4.5, None]]
    path.write_bytes(workbook([head, *rows]))
    (test_set,) = tercet.read_test_sets(path, systems=["A", "B"])
    assert test_set.systems == {"A": ["it rained", "кот спит"], "B": ["it rains a lot", "пёс"]}
    found = tercet.correlate(path, "jaccard", n_resamples=9, n_permutations=9)
    assert found.grades.mean("content")[0].tolist() == [2.0, 4.5]
    assert found.tables[0].n_graded == 3


def test_an_archive_that_would_fill_the_memory_is_refused_before_it_is_unpacked():
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", b" " * (8 << 20))
    with pytest.raises(InputError, match=r"test\.xlsx holds more than 4 MiB, unpacked"):
        read(target.getvalue(), n_bytes=4 << 20)


def test_a_sheet_that_claims_another_size_is_read_to_its_end():
    data = changed(TABLE, "sheet1.xml", b'ref="A1:B2"', b'ref="A1:A1"')
    assert read(data).columns == {"mt": ["a"], "ref": ["b"]}


def with_row(row):
    """Return the table with another row in the XML of its sheet."""
    return changed(TABLE, "sheet1.xml", b"</sheetData>", row + b"</sheetData>")


def test_a_sheet_has_as_many_rows_and_a_row_as_many_cells_as_programs_can_write():
    with pytest.raises(InputError, match="found row 1,048,577; expected at most 1,048,576, which is the limit"):
        read(with_row(b'<row r="1048577"><c r="A1048577"><v>1</v></c></row>'))
    assert read(with_row(b'<row r="1048576"><c r="A1048576"/></row>')).columns == read(TABLE).columns
    assert read(with_row(b'<row r="3">' + b"<c/>" * 16_384 + b"</row>")).columns == read(TABLE).columns
    with pytest.raises(InputError, match="a row has 16,385 cells; expected at most 500"):
        read(with_row(b'<row r="3">' + b"<c/>" * 16_385 + b"</row>"))


@pytest.mark.parametrize(("line", "is_read"), [(1004, True), (1005, False)])
def test_up_to_a_thousand_empty_rows_stand_between_rows(line, is_read):
    data = added(f"A{line}", "e")
    if is_read:
        with pytest.warns(UserWarning, match="1,000 blank rows are passed over, the first on line 4"):
            assert read(data).columns["mt"] == ["a", "c", "e"]
    else:
        with pytest.raises(InputError, match="row 1,005 holds 'e' below 1,001 empty rows"):
            read(data)
