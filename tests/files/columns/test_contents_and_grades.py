"""What a column is by its name and cells: a role, documents, texts, grades, or no part of its rows."""

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tercet import InputError
from tercet.files.columns.contents import are_codes, lack, unrelated
from tercet.files.columns.grades import check_systems_of_grades, grade_columns, possible_grades
from tercet.files.columns.lacks import Lack
from tercet.files.columns.name_roles import clear_role, name_role
from tercet.files.columns.roles import document_column
from tercet.files.table import Table


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("ref", "reference"), ("reference_2", "reference"), ("source", "source"), ("src", "source"),
        ("en_src", "source"),
        ("hypothesis", "system"), ("prediction", "system"), ("summary", ""), ("human", ""), ("", ""), ("猫", ""),
    ],
)  # fmt: skip
def test_a_name_has_a_clear_role_or_none(name, role):
    assert clear_role(name) == role


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        (["кот", None], ""),
        (["1.5", "кот"], ""),
        (["1.5", "2,5", ""], "codes"),
        ([None, ""], "empty"),
        ([], "empty"),
        (["кот", 5], "no text"),
        ([["кот"]], "no text"),
    ],
)
def test_a_column_of_texts_has_texts_of_which_one_is_no_number(cells, reason):
    reasons = {"": None, "empty": Lack.EMPTY, "codes": Lack.CODES, "no text": Lack.NO_TEXT}
    assert lack(cells) == reasons[reason]


@pytest.mark.parametrize("cell", ["7", "1.5", "2026-01-09 10:20", "٧ ٥", "q7", "run_3/a#b", "a٧", "http://кот"])
def test_numbers_dates_ids_and_addresses_are_codes(cell):
    assert are_codes([cell, None, f" {cell} "])


@pytest.mark.parametrize("cell", ["", "кот", "a", "a 7", "a٧٧", "кот7", "7%"])
def test_texts_are_no_codes(cell):
    assert not are_codes([cell, " x "])


def test_a_long_run_of_digits_takes_no_more_time_than_its_length():
    before = time.process_time()
    for digits in ("0" * 200_000, "a" * 100_000 + "0" * 100_000, "1 " * 100_000):
        assert not are_codes([f"{digits}。"])
        assert are_codes([digits])
    assert time.process_time() - before < 5


@pytest.mark.parametrize(
    ("name", "cells", "is_of_documents"),
    [
        ("doc_id", ["a", "a", "b"], True),
        ("doc_id", [1, 1, 2], True),
        ("doc_id", ["a", "b", "c"], False),
        ("doc_id", ["a", "a", "a"], False),
        ("doc_id", ["a", "a", ""], False),
        ("doc_id", ["a", "a", None], False),
        ("document", ["a b c", "a b c", "b", "b"], True),
        ("document", ["a b c d", "a b c d", "b", "b"], False),
        ("document", ["a", "a", "b", "c"], False),
        ("document", ["a", "a", "b", "b", "b", "c"], True),
        ("число", ["a", "a", "b"], False),
    ],
)
def test_documents_have_several_rows_each_and_a_name_in_every_row(name, cells, is_of_documents):
    table = Table("t.tsv", {"text": ["x"] * len(cells), name: cells}, [*range(len(cells))])
    assert document_column(table) == (name if is_of_documents else None)


WORDS = ["кот спит дома", "лодка у причала", "идёт мелкий дождь", "чайки кричат утром", "старый маяк погас"]


@pytest.mark.parametrize(
    ("n_rows", "other", "is_unrelated"),
    [
        (4, ["zu gut", "falsch", "na ja", "so so"], True),
        (3, ["zu gut", "falsch", "na ja"], False),
        (4, ["кот спит", "falsch", "na ja", "so so"], False),
        (4, WORDS[1:], True),
    ],
)
def test_a_column_is_unrelated_that_shares_no_words_with_its_rows_of_four_or_more(n_rows, other, is_unrelated):
    columns = {"mt": WORDS[:n_rows], "заметка": other}
    references = [[text] for text in WORDS[:n_rows]]
    assert unrelated(columns, references) == (["заметка"] if is_unrelated else [])
    assert unrelated({"заметка": other}, references) == []


def test_where_no_column_shares_words_nothing_is_said():
    columns = {"a": ["zu gut", "falsch", "na ja", "so so"], "b": ["x", "y", "z", "w"]}
    assert unrelated(columns, [[text] for text in WORDS[:4]]) == []
    assert unrelated({**columns, "mt": WORDS[:4]}, [["кот спит дома"]] * 4) == []


def graded(columns, systems=(), asked=()):
    table = Table("t.tsv", columns, [*range(3)])
    return [(found.column, found.dimension, found.rater, found.system)
            for found in grade_columns(table, systems, columns, asked=asked)]  # fmt: skip


NUMBERS = ["4", "3,5", None]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("grade", ("grade", "", "")),
        ("rating_1", ("rating", "1", "")),
        ("grade B", ("grade", "B", "")),
        ("annotator_1", ("grade", "annotator_1", "")),
        ("fluency_rater_b", ("fluency", "rater_b", "")),
        ("rater 2 adequacy rating", ("adequacy rating", "rater 2", "")),
    ],
)
def test_a_name_of_grades_has_a_dimension_and_a_rater(name, expected):
    assert graded({"text": ["x"] * 3, name: NUMBERS}) == [(name, *expected)]


@pytest.mark.parametrize("signs", ["_", " ", "1", "a", "_1 ", "猫_"])
def test_a_long_name_takes_no_more_time_than_its_length(signs):
    before = time.process_time()
    for name in (f"grade{signs * 20_000}\n猫", f"grade{signs * 20_000}b?", f"{signs * 20_000}!"):
        graded({name: NUMBERS})
        clear_role(name)
        name_role(name)
    assert time.process_time() - before < 1


@settings(max_examples=300)
@given(st.text(st.sampled_from("aB7٧_ .-\n猫é"), max_size=8))
def test_numbers_and_letters_at_the_end_of_a_name_are_of_raters(end):
    """By patterns that say it forwards, and take long for long names."""
    name = f"{end} x grade{end}"
    forwards = re.fullmatch(r"(.*?[^\W\d_])[\W_]*(\d+)|(.+?)[\W_]+([A-Za-z])", name)
    expected = (name, "")
    if forwards is not None:
        expected = forwards[1] or forwards[3], forwards[2] or forwards[4]
    found = graded({name: NUMBERS}, asked=[name])
    assert [(dimension, rater) for _, dimension, rater, _ in found] == [expected]


@pytest.mark.parametrize("cells", [["a", "b", None], [None, None, ""], [True, False, True], ["4", "gut", "5"]])
def test_what_holds_no_numbers_is_no_grade(cells):
    assert graded({"grade": cells}) == []
    assert possible_grades(Table("t.tsv", {"мнение": cells}, [0, 1, 2]), ["мнение"]) == []


def test_numbers_under_any_name_may_be_grades():
    columns = {"мнение": NUMBERS, "grade": [1, 2.5, None], "id": [1, 2, 3]}
    assert possible_grades(Table("t.tsv", columns, [0, 1, 2]), ["мнение", "grade"]) == ["мнение", "grade"]


def test_scores_of_chrf_are_no_grades():
    """It is one word, though it is written as two of camelCase are."""
    columns = {"chrF": ["52", "48"], "chrF_score": ["52", "48"]}
    table = Table("t.tsv", columns, [0, 1])
    assert possible_grades(table, columns) == []
    assert grade_columns(table, ["base"], columns) == []


def test_of_several_systems_names_say_which():
    columns = {"human_base": NUMBERS, "tuned grade": NUMBERS, "grade": NUMBERS}
    assert graded(columns, ["base", "tuned"]) == [
        ("human_base", "human", "", "base"),
        ("tuned grade", "grade", "", "tuned"),
    ]
    assert graded({"grade": NUMBERS}, ["base"]) == [("grade", "grade", "", "base")]
    table = Table("t.tsv", columns, [0, 1, 2])
    check_systems_of_grades(table, ["base", "tuned"], ["human_base", "tuned grade"])
    check_systems_of_grades(table, ["base"], ["grade"])
    with pytest.raises(
        InputError, match=r"not clear which of the systems 'base' and 'tuned' the grades in 'grade' are of"
    ):
        check_systems_of_grades(table, ["base", "tuned"], [*columns])


@pytest.mark.parametrize(
    ("systems", "columns"),
    [
        (["base", "Base"], ["human_base", "human_Base"]),
        (["Base", "base"], ["base_human", "Base_human"]),
        (["модель", "Модель"], ["оценка_Модель_rater_1", "оценка_модель_rater_1"]),
        (["output_a", "output_A"], ["grade_A", "grade_a"]),
    ],
)
def test_systems_that_differ_by_capital_letters_have_their_own_grades(systems, columns):
    found = graded(dict.fromkeys(columns, NUMBERS), systems)
    own = {system for column, _, _, system in found if system.removeprefix("output_") in column}
    assert own == {*systems}


def test_another_spelling_of_a_system_is_that_system():
    assert graded({"human_BASE": NUMBERS}, ["base", "tuned"]) == [("human_BASE", "human", "", "base")]


def test_a_score_is_of_grades_where_nothing_else_can_be_and_two_of_them_are_asked_about():
    assert [name for name, *_ in graded({"score": NUMBERS})] == ["score"]
    assert [name for name, *_ in graded({"score": NUMBERS, "grade": NUMBERS})] == ["grade"]
    assert [name for name, *_ in graded({"score": NUMBERS, "grade": NUMBERS}, asked=["score"])] == ["score"]
    with pytest.raises(
        InputError, match=r"it is not clear which of 'score' and 'quality' are human grades, and which"
    ):
        graded({"score": NUMBERS, "quality": NUMBERS})


def test_a_dimension_may_be_asked_for_by_the_name_of_a_column_or_by_its_own():
    columns = {"rating_1": NUMBERS, "grade": NUMBERS}
    for asked in ("rating", "rating_1"):
        assert [name for name, *_ in graded(columns, asked=[asked])] == ["rating_1"]
