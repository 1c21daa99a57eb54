"""Workbooks of comparisons, read back: numbers are numbers, texts are texts, and what does not fit is said."""

import math
from dataclasses import replace

import openpyxl
import pytest

import tercet
from commands import command
from conftest import ROOT
from tercet.comparison.compare import compare
from tercet.comparison.shown.segment_rows import check_segments_fit
from tercet.comparison.shown.tables import sheets_of
from tercet.errors import InputError
from tercet.files.read import read_table
from tercet.table_formats import MOST_CHARACTERS, MOST_ROWS, Column, Table, write_workbook
from tercet.test_sets.test_set import TestSet

EN, ES = (str(ROOT / "examples" / "data" / f"{language}.tsv") for language in ("en", "es"))
METRICS = ("chrf", "ter")


@pytest.fixture(scope="module")
def comparisons():
    return [compare(each, METRICS, n_resamples=200) for each in tercet.read_test_sets([EN, ES])]


@pytest.fixture
def book(tmp_path):
    def written(sheets):
        write_workbook(tmp_path / "x.xlsx", sheets)
        return openpyxl.load_workbook(tmp_path / "x.xlsx")

    return written


def records(sheet):
    head, *rows = sheet.iter_rows(values_only=True)
    return [dict(zip(head, row, strict=True)) for row in rows]


class TestSheets:
    def test_scores_are_the_records_with_the_best_in_bold(self, book, comparisons):
        sheet = book(sheets_of(comparisons))["Scores"]
        expected = [record for each in comparisons for record in each.records()]
        for found, record in zip(records(sheet), expected, strict=True):
            assert found["better"] == {"chrf_multi": "higher", "ter": "lower"}[found["metric"]]
            assert {name: found[name] for name in record} == pytest.approx(record)
        best = [row[4].font.bold for row in sheet.iter_rows(min_row=2)]
        assert best == [record["best"] for record in expected]

    def test_headers_stay_in_view_and_columns_have_widths(self, book, comparisons):
        for sheet in book(sheets_of(comparisons)):
            assert sheet.freeze_panes == "A2"
            assert all(cell.font.bold for cell in sheet[1])
            assert all(sheet.column_dimensions[cell.column_letter].width >= 10 for cell in sheet[1])

    def test_pairs_are_all_of_each_score_with_the_adjusted_p(self, book, comparisons):
        rows = records(book(sheets_of(comparisons))["Pairs"])
        assert len(rows) == 2 * 2 * 3
        for row in rows:
            found = next(each for each in comparisons if each.test_set.name == row["test_set"])
            table = next(each for each in found.tables if each.metric == row["metric"])
            names = [each.system for each in table.rows]
            i, j = names.index(row["system"]), names.index(row["other"])
            difference = table.rows[i].value - table.rows[j].value
            p = row["p adjusted for all pairs"]
            assert (row["difference"], p) == pytest.approx((difference, table.pvalues[i, j]))
            better = (difference > 0) == (row["better"] == "higher")
            assert row["system is significantly"] == (None if p >= 0.05 else "▲ better" if better else "▼ worse")

    def test_a_pair_that_differs_by_rounding_alone_has_no_difference(self, book):
        scores = {"q": {"base": [0.1, 0.2, 0.3] * 10, "tuned": [0.3, 0.1 + 0.1, 0.1] * 10}}
        found = compare(scores=scores, test=None)
        first, second = found.tables[0].rows
        nearly = replace(found.tables[0], rows=[replace(first, value=0.1 + 0.2), replace(second, value=0.3)])
        (pair,) = records(book(sheets_of([replace(found, tables=[nearly])]))["Pairs"])
        assert pair["difference"] == 0

    def test_segments_have_every_score_and_text(self, book, comparisons):
        rows = records(book(sheets_of(comparisons))["Segments"])
        assert len(rows) == 2 * 44 * 3
        for row in rows:
            found = next(each for each in comparisons if each.test_set.name == row["test_set"])
            place = row["segment"] - 1
            assert (row["prediction"] or "") == found.test_set.systems[row["system"]][place]
            assert row["source"] == found.test_set.source[place]
            references = [row[name] for name in row if name.startswith("reference") and row[name] is not None]
            assert references == found.test_set.references[place]
            for table in found.tables:
                assert row[f"{table.metric} {table.name}"] == pytest.approx(table.segments[row["system"]][place])

    def test_notes_say_how_the_numbers_were_made(self, book, comparisons):
        notes = " ".join(row["note"] for row in records(book(sheets_of(comparisons))["Notes"]))
        for text in (
            "the step-down maximum (Romano and Wolf 2005)",
            "Lower is better: ter.",
            "seed 12345",
            "Empty predictions: baseline 1",
        ):
            assert text in notes

    def test_one_system_has_no_pairs_and_a_segment_left_out_no_score(self, book):
        holed = TestSet("t", {"a": ["x", "y"]}, [["x"], []], None)
        found = book(sheets_of([compare(holed, ["chrf:missing_references=skip"])]))
        assert found.sheetnames == ["Scores", "Segments", "Notes"]
        assert [row["chrf_multi:missing_references=skip chrf"] for row in records(found["Segments"])] == [100, None]

    def test_systems_without_a_test_have_pairs_without_p(self, book):
        (test_set,) = tercet.read_test_sets(EN)
        rows = records(book(sheets_of([compare(test_set, ["ter"], test=None)]))["Pairs"])
        assert [row["p adjusted for all pairs"] for row in rows] == [None] * 3


class TestCells:
    def test_no_text_is_a_formula_or_another_type(self, book):
        texts = [
            "=1+1",
            "=HYPERLINK(A1)",
            "+1",
            "-1",
            "@x",
            "12",
            "1e5",
            "TRUE",
            "#N/A",
            "2026-01-02",
            " a ",
            "a\nb\t",
        ]
        sheet = book([Table("S", [Column("text")], [[text] for text in texts])])["S"]
        assert [row[0].value for row in sheet.iter_rows(min_row=2)] == texts
        assert {row[0].data_type for row in sheet.iter_rows(min_row=2)} <= {"s", "inlineStr"}

    def test_characters_that_the_format_does_not_allow_are_escaped(self, book):
        sheet = book([Table("S", [Column("a\x1b")], [["\x07 \ud800 \ufffe \U0001f600"]])])["S"]
        assert sheet["A1"].value == "a\\x1b"
        assert sheet["A2"].value == "\\x07 \\ud800 \\ufffe \U0001f600"

    def test_numbers_that_the_format_does_not_have_are_empty(self, book):
        sheet = book(
            [Table("S", [Column(name, number_format="0.00") for name in "abc"], [[math.nan, math.inf, 0.5]])]
        )["S"]
        assert [cell.value for cell in sheet[2]] == [None, None, 0.5]
        assert sheet["C2"].number_format == "0.00"

    def test_longer_texts_than_a_cell_holds_are_cut_and_counted(self, book):
        fits, long, pairs = "a" * MOST_CHARACTERS, "a" * (MOST_CHARACTERS + 1), "\U0001f600" * 20_000
        with pytest.warns(UserWarning, match="2 texts are cut to the 32,767 characters that a cell of a workbook"):
            sheet = book([Table("S", [Column("text")], [[fits], [long], [pairs]])])["S"]
        found = [row[0].value for row in sheet.iter_rows(min_row=2)]
        assert found[0] == fits
        assert [each[-1] for each in found[1:]] == ["…", "…"]
        assert all(len(each.encode("utf-16-le")) <= 2 * MOST_CHARACTERS for each in found)

    def test_more_rows_than_a_sheet_has_are_refused_before_scoring(self, tmp_path):
        many = TestSet("t", {"a": [], "b": []}, [[]] * (MOST_ROWS // 2), None)
        with pytest.raises(InputError, match=r"sheet 'Segments' would have 1,048,577 rows, more than the 1,048,576"):
            check_segments_fit([many])
        check_segments_fit([TestSet("t", {"a": []}, [[]] * (MOST_ROWS - 1), None)])
        with pytest.raises(InputError, match="sheet 'S' would have"):
            write_workbook(tmp_path / "x.xlsx", [Table("S", [Column("a")], iter(()), n_made=MOST_ROWS)])
        assert list(tmp_path.iterdir()) == []


class TestCommand:
    def test_score_and_compare_write_workbooks_that_are_tables_again(self, tmp_path):
        for words in (["compare", EN, ES, "--n-resamples", 50], ["score", EN, "--format", "xlsx"]):
            run = command(*words, "-m", "bleu", "-o", "s.xlsx", cwd=tmp_path)
            assert (run.stdout, run.stderr.splitlines()[-1]) == ("", "s.xlsx")
            with pytest.warns(UserWarning, match="only this sheet is read"):
                table = read_table(str(tmp_path / "s.xlsx"))
            values = [float(value) for value in table.columns["value"]]
            test_sets = tercet.read_test_sets([EN, ES] if ES in words else EN)
            comparisons = [compare(each, ["bleu"], test=None) for each in test_sets]
            comparisons += [tercet.overall(comparisons)] if len(comparisons) > 1 else []
            assert values == pytest.approx([row.value for each in comparisons for row in each.tables[0].rows])

    def test_correlate_writes_its_figures(self, tmp_path):
        graded = ROOT / "examples" / "data" / "graded.tsv"
        asked = ("--n-resamples", 20, "--n-permutations", 20)
        command("correlate", graded, *asked, "-o", tmp_path / "c.xlsx")
        out = command("correlate", graded, *asked, "-f", "json").stdout
        rows = records(openpyxl.load_workbook(tmp_path / "c.xlsx")["Figures"])
        assert len(rows) > 5
        assert all(isinstance(row["value"], float | int | None) for row in rows)
        assert f'"{rows[0]["metric"]}"' in out
