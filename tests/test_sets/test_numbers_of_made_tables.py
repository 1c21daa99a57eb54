"""A table that is made of others, by item or by ids, has their numbers as they are written there."""

import dataclasses

import pytest

from tercet.errors import InputError
from tercet.files.table import CsvDialect, Notation, Table
from tercet.test_sets.read import read_test_sets


def semicolons(path, *rows):
    path.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    return path


def wide(folder, number):
    rows = [f"1;der Hund da;ein Hund;{number};x Hund;3", f"2;der Kater da;ein Kater;{number};x Kater;3"]
    return semicolons(folder / "wide.csv", "id;reference;base;base.COMET;tuned;tuned.COMET", *rows)


def long(folder, number):
    rows = [
        f"1;der Hund da;base;ein Hund;{number};1,25",
        f"2;der Kater da;base;ein Kater;{number};2,5",
        "1;der Hund da;tuned;x Hund;3;2,75",
        "2;der Kater da;tuned;x Kater;3;1,75",
    ]
    return semicolons(folder / "long.csv", "id;reference;system;output;COMET;seconds", *rows)


def outputs(folder, number):
    rows = [f"1;ein Hund;{number};x Hund;3", f"2;ein Kater;{number};x Kater;3"]
    return semicolons(folder / "outputs.csv", "id;base;COMET_base;tuned;COMET_tuned", *rows)


def references(folder):
    return semicolons(folder / "references.csv", "id;reference", "1;der Hund da", "2;der Kater da")


def numbers(files, **options):
    (test_set,) = read_test_sets(files, scores="COMET", **options)
    return {system: cells.tolist() for system, cells in test_set.scores["COMET"].items()}


@pytest.mark.parametrize(("decimal", "value"), [(",", 1500), (".", 1.5)])
def test_what_the_user_says_of_decimals_goes_for_every_form(tmp_path, decimal, value):
    expected = {"base": [value, value], "tuned": [3, 3]}
    assert numbers(wide(tmp_path, "1.500"), decimal=decimal) == expected
    assert numbers(long(tmp_path, "1.500"), decimal=decimal) == expected
    joined = numbers(outputs(tmp_path, "1.500"), references=references(tmp_path), decimal=decimal)
    assert joined == expected


def test_a_file_with_semicolons_is_asked_for_in_every_form(tmp_path):
    """Its numbers may be written in either way."""
    with pytest.raises(InputError, match=r"wide\.csv, line 2, column 'base\.COMET': .* may be 1\.500 or 1500"):
        numbers(wide(tmp_path, "1.500"))
    with pytest.raises(InputError, match=r"outputs\.csv, line 2, column 'COMET_base': .* may be 1\.500 or 1500"):
        numbers(outputs(tmp_path, "1.500"), references=references(tmp_path))


def test_other_columns_of_a_long_table_show_its_decimals(tmp_path):
    """Also those that differ by system, of which no column is made."""
    assert numbers(long(tmp_path, "1.500")) == {"base": [1500, 1500], "tuned": [3, 3]}


def test_a_long_table_with_ids_beside_references(tmp_path):
    assert numbers(long(tmp_path, "1.500"), references=references(tmp_path), decimal=",")["base"] == [1500, 1500]


def test_a_wrong_number_is_named_in_its_own_file(tmp_path):
    with pytest.raises(InputError, match=r"outputs\.csv, line 2, column 'COMET_base': expected a number"):
        numbers(outputs(tmp_path, "good"), references=references(tmp_path))


def test_what_is_known_of_a_file_is_all_but_its_cells():
    dialect = CsvDialect(";", ",", has_mark=True)
    known = {
        "unit": "row",
        "notation": Notation(","),
        "decimal": ",",
        "dialect": dialect,
        "filled_by": "fillna({})",
    }
    table = Table("a.csv", {"id": [1]}, [2], **known)
    assert table.of_file() == known
    assert {*known, "name", "columns", "lines"} == {field.name for field in dataclasses.fields(Table)}


def test_a_file_of_segments_is_written_as_the_joined_ones_are(tmp_path):
    """As a spreadsheet of that country reads it."""
    options = {"scores": "COMET", "decimal": ","}
    for files, beside in ((wide, {}), (long, {}), (outputs, {"references": references(tmp_path)})):
        (test_set,) = read_test_sets(files(tmp_path, "1,5"), **beside, **options)
        assert (test_set.dialect.separator, test_set.dialect.decimal) == (";", ",")
    path = semicolons(tmp_path / "judge.csv", "id;COMET", "1;1,5", "2;2,5", "3;3,5")
    (test_set,) = read_test_sets(path, need_references=False, **options)
    assert (test_set.dialect.separator, test_set.dialect.decimal) == (";", ",")


def test_scores_that_are_not_there_are_sought_in_the_table_of_systems(tmp_path):
    path = semicolons(tmp_path / "outputs.csv", "id;base;CoMet_base", "1;ein Hund;1", "2;ein Kater;2")
    with pytest.raises(InputError, match=r"outputs\.csv has no scores 'COMET' .* Did you mean 'CoMet_base'"):
        numbers(path, references=references(tmp_path))


def test_scores_may_stand_beside_references(tmp_path):
    beside = semicolons(tmp_path / "references.csv", "id;reference;base.COMET", "1;der Hund da;1", "2;der Kater da;2")
    path = semicolons(tmp_path / "outputs.csv", "id;base", "1;ein Hund", "2;ein Kater")
    assert numbers(path, references=beside) == {"base": [1, 2]}
