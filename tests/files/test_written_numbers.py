"""Numbers as people write them: a column has one notation, whatever the language and the kind of file."""

import csv
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tercet
from tercet.errors import InputError
from tercet.files.numbers import Notation, notation_of, read_number, read_numbers, read_score, shown_by

#: Costs of two systems on six segments.
OLD = [1234567.5, 905.25, 0.75, 1107, -3.5, 12345]
NEW = [1234000.0, 1107.125, 0.25, 985.5, 2.0, 98765.5]


def english(number):
    return f"{number:,.10f}".rstrip("0").rstrip(".")


def german(number):
    return english(number).translate(str.maketrans(",.", ".,"))


def french(number):
    return english(number).translate(str.maketrans({",": "\u202f", ".": ","}))


def swiss(number):
    return english(number).replace(",", "’")


def indian(number):
    whole, _, decimals = f"{abs(number):.10f}".rstrip("0").partition(".")
    head, tail = whole[:-3], whole[-3:]
    pairs = []
    while head:
        pairs.insert(0, head[-2:])
        head = head[:-2]
    grouped = ",".join([*pairs, tail])
    return f"{'-' * (number < 0)}{grouped}{'.' * bool(decimals)}{decimals}"


LANGUAGES = {"English": english, "German": german, "French": french, "Swiss": swiss, "Indian": indian}


def written(folder, kind, write):
    rows = [["id", "old.cost", "new.cost"]]
    for number, (old, new) in enumerate(zip(OLD, NEW, strict=True)):
        rows.append([f"q{number}", write(old), write(new)])
    path = folder / f"costs.{kind}"
    if kind == "xlsx":
        openpyxl = pytest.importorskip("openpyxl")
        book = openpyxl.Workbook()
        for row in rows:
            book.active.append(row)
        book.save(path)
        return path
    with path.open("w", encoding="utf-8", newline="") as file:
        separator = "\t" if kind == "tsv" else ";" if write in (german, french) else ","
        csv.writer(file, delimiter=separator).writerows(rows)
    return path


@pytest.mark.parametrize("kind", ["csv", "tsv", "xlsx"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_table_in_any_language_gives_the_same_scores(tmp_path, language, kind):
    path = written(tmp_path, kind, LANGUAGES[language])
    (test_set,) = tercet.read_test_sets(path, scores="cost", need_references=False)
    assert test_set.scores["cost"]["old"].tolist() == OLD
    assert test_set.scores["cost"]["new"].tolist() == NEW


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("2.907,67", 2907.67),
        ("74 %", 74),
        ("74\u00a0%", 74),
        ("1 234,5", 1234.5),
        ("1\u2009234,5", 1234.5),
        ("1\u202f234,5", 1234.5),
        ("1'234.5", 1234.5),
        ("12,34,567", 1234567),
        ("1.234.567", 1234567),
        ("1e3", 1000),
        ("1,5e-3", 0.0015),
        ("\u22123,25", -3.25),
        ("+.5", 0.5),
        ("7.", 7),
        ("007", 7),
        ("1.107", 1.107),
        ("4,5", 4.5),
        ("٤٫٥".replace("٫", "."), 4.5),
    ],
)
def test_what_can_be_read_in_one_way_is_read_so(text, number):
    assert read_number(text, "it") == number


@pytest.mark.parametrize("text", ["1,2,3", "12.345.67", ".", "e5", "1 23,5", "1_2_", "0x10", "3 apples", "1.234,5,6"])
def test_what_is_no_number_is_refused(text):
    with pytest.raises(InputError, match="Expected a number as it"):
        read_number(text, "it")


def test_a_thousand_of_one_cell_is_known_by_the_others():
    assert read_numbers(["985,5", "1.107"], "it").tolist() == [985.5, 1107]
    assert read_numbers(["985.5", "1,107"], "it").tolist() == [985.5, 1107]
    assert read_numbers(["0,25", "1,107"], "it").tolist() == [0.25, 1.107]


def test_columns_that_show_nothing_are_read_as_the_others_are(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a.ms;b.ms;a.cost;b.cost\n1.107;1.114;0,5;0,7\n1.200;1.300;0,6;0,9\n", encoding="utf-8")
    (test_set,) = tercet.read_test_sets(path, scores=["ms", "cost"], need_references=False)
    assert test_set.scores["ms"]["a"].tolist() == [1107, 1200]


def test_what_nobody_knows_is_asked(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a.ms;b.ms\n1.107;1.114\n1.200;1.300\n", encoding="utf-8")
    with pytest.raises(
        InputError, match=r"t\.csv, line 2, column 'a\.ms': .*may be 1\.107 or 1107.*decimal='\.' is 1\."
    ):
        tercet.read_test_sets(path, scores="ms", need_references=False)
    for decimal, first in {",": 1107, ".": 1.107}.items():
        (test_set,) = tercet.read_test_sets(path, scores="ms", need_references=False, decimal=decimal)
        assert test_set.scores["ms"]["a"][0] == first
    # Programs that write commas between cells, or tabs, write points before decimals.
    path.write_text("a.ms,b.ms\n1.107,1.114\n1.200,1.300\n", encoding="utf-8")
    (test_set,) = tercet.read_test_sets(path, scores="ms", need_references=False)
    assert test_set.scores["ms"]["a"].tolist() == [1.107, 1.2]
    with pytest.raises(InputError, match=r"'1,107', which may be 1\.107 or 1107"):
        read_numbers(["1,107"], "it")


def test_columns_of_two_notations_are_refused():
    with pytest.raises(InputError, match=r"written in two ways: in '985,5' a comma .* in '1\.5' a point"):
        read_numbers(["985,5", "1.5"], "it")
    with pytest.raises(InputError, match=r"have a percent sign and others have none: '74 %' and '0\.7'"):
        read_numbers(["74 %", "0.7"], "it")
    with pytest.raises(InputError, match=r"have a percent sign and others have none: '74 %' and 0\.7"):
        read_numbers(["74 %", 0.7], "it")
    assert read_numbers(["74 %", "0", None, "n/a"], "it")[:2].tolist() == [74, 0]


def test_an_integer_of_more_digits_than_python_writes_is_named_beside_percents():
    with pytest.raises(InputError, match=r"others have none: '74 %' and <int of about 5,001 digits>"):
        tercet.compare(scores={"accuracy": {"a": ["74 %", 10**5000], "b": ["70 %", "71 %"]}})


def test_a_sign_that_the_user_names_is_taken():
    said = notation_of(["1.107"], "it", said=",")
    assert read_number("1.107", "it", said) == 1107
    with pytest.raises(InputError, match="Expected a number"):
        read_number("1.5", "it", said)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("TRUE", "FALSE"),
        ("WAHR", "FALSCH"),
        ("vrai", "faux"),
        ("verdadero", "falso"),
        ("Verdadeiro", "Falso"),
        ("VERO", "FALSO"),
        ("WAAR", "ONWAAR"),
        ("PRAWDA", "FAŁSZ"),
        ("ИСТИНА", "ЛОЖЬ"),
        ("DOĞRU", "YANLIŞ"),
        ("SANT", "FALSKT"),
        ("真", "假"),
    ],
)
def test_answers_are_those_of_spreadsheets(right, wrong):
    assert [read_score(right, "it"), read_score(wrong, "it")] == [1, 0]


@given(st.floats(-1e12, 1e12).map(lambda number: round(number, 2)), st.sampled_from([*LANGUAGES.values()]))
def test_any_number_comes_back(number, write):
    text = write(number)
    sign = shown_by(text)
    # What shows a sign is read by it; the rest is whole, or has three decimals.
    if sign:
        assert read_number(text, "it") == pytest.approx(number, rel=1e-15)
    else:
        said = notation_of([text], "it", said="," if write in (german, french) else ".")
        assert read_number(text, "it", said) == pytest.approx(number, rel=1e-15)


def test_a_missing_number_is_none():
    assert all(math.isnan(read_number(each, "it")) for each in (None, "", " n/a ", "-", math.nan, "NULL"))


IN_TWO_WAYS = "which may be 1.100 or 1100"


def test_thousands_of_one_system_beside_plain_numbers_of_another_are_asked_about(tmp_path):
    """In a file with tabs: only where ; stands between columns, people who write thousands so are likely."""
    path = tmp_path / "t.tsv"
    path.write_text("old.ms\tnew.ms\n900\t1.100\n910\t1.204\n", encoding="utf-8")
    with pytest.raises(InputError, match=IN_TWO_WAYS):
        tercet.read_test_sets(path, scores="ms", need_references=False)
    (test_set,) = tercet.read_test_sets(path, scores="ms", need_references=False, decimal=",")
    assert test_set.scores["ms"]["new"].tolist() == [1100, 1204]
    path.write_text("old.s\tnew.s\n1.900\t1.100\n1.910\t1.204\n", encoding="utf-8")
    (test_set,) = tercet.read_test_sets(path, scores="s", need_references=False)
    assert test_set.scores["s"]["new"].tolist() == [1.1, 1.204]


def test_texts_and_ids_do_not_say_how_numbers_are_written(tmp_path):
    path = tmp_path / "t.tsv"
    path.write_text(
        "id\tnote\told.s\tnew.s\n1.000.001\t3,5\t1.900\t1.100\n1.000.002\tкот\t1.910\t2\n", encoding="utf-8"
    )
    (test_set,) = tercet.read_test_sets(path, scores="s", need_references=False)
    assert test_set.scores["s"]["new"].tolist() == [1.1, 2]


@pytest.mark.parametrize("name", ["version", "modelVersion", "doc_id", "Datum"])
def test_versions_and_ids_do_not_say_how_numbers_are_written(tmp_path, name):
    path = tmp_path / "t.csv"
    path.write_text(f"{name};old.cost;new.cost\n3.5;1,107;2,104\n3.5;1,205;2,350\n", encoding="utf-8")
    with pytest.raises(InputError, match="which may be"):
        tercet.read_test_sets(path, scores="cost", need_references=False)


def test_a_power_has_no_thousands():
    assert read_number("1.107e2", "score", Notation(".", is_known=True)) == 110.7
    with pytest.raises(InputError, match=r"got '1\.107e2'"):
        read_number("1.107e2", "score", Notation(",", is_known=True))


def test_a_percent_sign_in_one_system_alone_is_refused(tmp_path):
    path = tmp_path / "t.tsv"
    path.write_text("old.error\tnew.error\n5%\t.20\n6%\t.30\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"Some numbers as .* have a percent sign and others have none"):
        tercet.read_test_sets(path, scores="error", need_references=False)


@pytest.mark.parametrize("sign", [";", "comma", "٫"])
def test_another_sign_before_decimals_is_refused(tmp_path, sign):
    path = tmp_path / "t.tsv"
    path.write_text("old.s\tnew.s\n1,5\t1,25\n", encoding="utf-8")
    with pytest.raises(tercet.OptionError, match=r"decimal= must be ',' or '\.'\. Got "):
        tercet.read_test_sets(path, scores="s", need_references=False, decimal=sign)


@pytest.mark.parametrize("number", [10**400, -(10**400), 10**101])
def test_an_integer_of_any_size_that_is_too_large_is_refused_with_its_segment(tmp_path, number):
    message = r"expected a number of at most 1e\+100 as '?q.* in segment 2, got "
    with pytest.raises(InputError, match=f"(?i){message}"):
        tercet.compare(scores={"q": {"A": [1, number], "B": [0, 1]}})
    path = tmp_path / "scores.jsonl"
    path.write_text(f'{{"A.q": 1, "B.q": 0}}\n{{"A.q": {number}, "B.q": 1}}\n', encoding="utf-8")
    with pytest.raises(InputError, match=f"(?i)scores.jsonl, line 2, .*{message}"):
        tercet.read_test_sets(path, scores="q", need_references=False)


def test_an_integer_of_any_size_makes_thousands_likely_beside_it():
    assert notation_of(["1,107", 10**400], "it") == Notation("")
