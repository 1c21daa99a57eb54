"""Columns of scores in tables: by which names they are found, and what is said of those that are not."""

import json
import math
import re
from decimal import Decimal

import pandas
import pytest

import tercet
from tercet import InputError
from tercet.files.columns.scores import direction_of, is_lower_better, scores_by_system, systems_of
from tercet.files.table import Table
from tercet.test_sets.read import read_test_sets

TEXTS = {"base": ["a cat", "a dog"], "tuned": ["the cat", "the dog"], "reference": ["a cat", "the dog"]}


def table(**columns):
    (n_rows,) = {len(cells) for cells in columns.values()}
    return Table("t.jsonl", columns, list(range(1, n_rows + 1)))


def numbers_in(found):
    return {system: [None if math.isnan(number) else number for number in column] for system, column in found.items()}


@pytest.mark.parametrize(
    "columns",
    [
        {"base.COMET": [0.5, None], "tuned.COMET": [1, 2]},
        {"base COMET": ["0.5", "NA"], "tuned COMET": ["1", "2,0"]},
        {"COMET_base": ["0,5", ""], "COMET_tuned": [1, 2]},
        {"COMET:base": [0.5, math.nan], "tuned/COMET": [1, 2]},
        {"base.COMET": [Decimal("0.50"), pandas.NA], "tuned.COMET": [Decimal(1), 2]},
        {"COMET": [{"base": 0.5, "tuned": 1}, {"tuned": 2}]},
        {"scores": [{"base": {"COMET": 0.5}, "tuned": {"COMET": 1}}, {"base": {"x": 3}, "tuned": {"COMET": 2}}]},
        {"base": [{"COMET": 0.5}, {}], "tuned": [{"COMET": 1}, {"COMET": 2}]},
    ],
)
def test_are_found_by_system(columns):
    found = scores_by_system(table(**columns), ["base", "tuned"], "COMET")
    assert numbers_in(found) == {"base": [0.5, None], "tuned": [1, 2]}


def test_of_one_system_have_their_name_alone():
    assert numbers_in(scores_by_system(table(COMET=[1, 2]), ["base"], "COMET")) == {"base": [1, 2]}
    with pytest.raises(InputError, match=r"t.jsonl has no scores 'COMET'; expected columns such as 'base.COMET' or"):
        scores_by_system(table(COMET=[1, 2]), ["base", "tuned"], "COMET")


def test_systems_whose_names_begin_alike_have_their_own():
    columns = {"gpt.acc": [1], "gpt.4.acc": [0]}
    assert numbers_in(scores_by_system(table(**columns), ["gpt", "gpt.4"], "acc")) == {"gpt": [1], "gpt.4": [0]}
    assert systems_of(table(**columns), "acc") == ["gpt", "gpt.4"]


@pytest.mark.parametrize(
    ("columns", "name"),
    [
        (["accuracy_a", "accuracy_b"], "accuracy"),
        (["COMET_O", "COMET_P"], "COMET"),
        (["о.точность", "с.точность"], "точность"),
        (["流畅度/流", "流畅度/B"], "流畅度"),
    ],
)
def test_systems_may_be_called_by_letters_of_the_score(columns, name):
    systems = [column.replace(name, "").strip("_./") for column in columns]
    scored = table(**{column: [number] for number, column in enumerate(columns)})
    assert systems_of(scored, name) == systems
    assert numbers_in(scores_by_system(scored, systems, name)) == {systems[0]: [0], systems[1]: [1]}


def test_answers_are_true_or_false():
    found = scores_by_system(table(acc_a=[True, False], acc_b=["True", "false"]), ["a", "b"], "acc")
    assert numbers_in(found) == {"a": [1, 0], "b": [1, 0]}


def test_a_comma_before_three_digits_is_decimal_where_another_cell_of_any_system_shows_it():
    found = scores_by_system(table(x_a=["1,234", "2,5"], x_b=["0,125", "3,125"]), ["a", "b"], "x")
    assert numbers_in(found) == {"a": [1.234, 2.5], "b": [0.125, 3.125]}
    found = scores_by_system(table(x_a=["1,234"], x_b=["0,125"]), ["a", "b"], "x")
    assert numbers_in(found) == {"a": [1.234], "b": [0.125]}
    # A point that stands before decimals elsewhere says that the comma does not.
    found = scores_by_system(table(x_a=["7", "1,234"], x_b=["0.5", "2"]), ["a", "b"], "x")
    assert numbers_in(found) == {"a": [7, 1234], "b": [0.5, 2]}
    with pytest.raises(InputError, match=r"'x' of 'a' in segment 2, got '1,234', which may be 1\.234 or 1234: write"):
        scores_by_system(table(x_a=["7", "1,234"], x_b=["5", "2"]), ["a", "b"], "x")


class CountedCells(list):
    """Cells that count how often all of them are read."""

    n_times = 0

    def __iter__(self):
        self.n_times += 1
        return super().__iter__()


@pytest.mark.parametrize("cells", [["0.5", "2"], ["50 %", "0 %"], ["1.107", "2.204"], ["7", "1.107"]])
def test_each_cell_is_read_as_often_for_many_systems_as_for_two(cells):
    def times_of_all(n_systems):
        columns = {f"x_{number}": CountedCells(cells) for number in range(n_systems)}
        scores_by_system(table(**columns), [str(number) for number in range(n_systems)], "x")
        return {column.n_times for column in columns.values()}

    assert times_of_all(30) == times_of_all(2)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"x_a": ["one", "1"], "x_b": ["1,5", "1.5"]}, "as 'x' of 'a' in segment 1, got 'one'"),
        ({"x_a": ["1,5", "1.5"], "x_b": ["one", "1"]}, "as 'x' of 'a' are written in two ways"),
        ({"x_a": ["one", "2"], "x_b": ["1", "5 %"]}, "as 'x' of 'a' have a percent sign and others have none: '5 %'"),
    ],
)
def test_what_is_wrong_in_the_first_system_is_said_first(columns, message):
    with pytest.raises(InputError, match=re.escape(message)):
        scores_by_system(table(**columns), ["a", "b"], "x")


@pytest.mark.parametrize(
    ("name", "is_lower"),
    [
        ("wer", True), ("wordErrorRate", True), ("editDistance", True), ("bits_per_byte", True), ("valLoss", True),
        ("bitsPerByte", True), ("exactMatch", False), ("terseness", False), ("errorFreeAccuracy", False),
        ("toxicity", True), ("latencyMs", True), ("hallucination_rate", True), ("err", True), ("non_toxicity", False),
    ],
)  # fmt: skip
def test_lower_is_better_by_the_words_of_a_name(name, is_lower):
    assert is_lower_better(name) is is_lower


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"base.COMET": [1]}, "has no scores 'COMET' of 'tuned'; expected columns such as 'base.COMET'"),
        ({"base.Comet": [1]}, "has no scores 'COMET'; .* Did you mean 'base.Comet'"),
        ({"base.COMET": ["x"], "tuned.COMET": [1]}, "expected a number as 'COMET' of 'base' in segment 1, got 'x'"),
        ({"scores": ["x"]}, "line 1, column 'scores': expected {system: {dimension: value}}, got 'x'"),
    ],
)
def test_missing_and_wrong_ones_are_named(columns, message):
    with pytest.raises(InputError, match=message):
        scores_by_system(table(**columns), ["base", "tuned"], "COMET")


@pytest.mark.parametrize(
    ("columns", "column"),
    [
        ({"основа.COMET": [1, 2], "COMET_調整": [1, "良い"]}, "COMET_調整"),
        ({"COMET": [{"основа": 1, "調整": 1}, {"основа": 2, "調整": "良い"}]}, "COMET"),
        ({"scores": [{}, {"основа": {"COMET": 2}, "調整": {"COMET": "良い"}}]}, "scores"),
        ({"основа.COMET": [1, 2], "調整": [{"COMET": 1}, {"COMET": "良い"}]}, "調整"),
    ],
)
def test_a_wrong_one_has_its_place_in_the_file(columns, column):
    message = f"^t.jsonl, line 2, column '{column}': expected a number as 'COMET' of '調整' in segment 2, got '良い'"
    with pytest.raises(InputError, match=message):
        scores_by_system(table(**columns), ["основа", "調整"], "COMET")


@pytest.fixture
def file_of(tmp_path):
    def write(columns):
        rows = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
        path = tmp_path / "t.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return path

    return write


def test_are_no_texts_of_systems(file_of):
    columns = {
        **TEXTS,
        "base.COMET": ["0.5", "0.7"],
        "tuned.COMET": ["good", "bad"],
        "tuned.acc": [1, 0],
        "acc_base": [1, 1],
    }
    (test_set,) = read_test_sets(file_of({**columns, "tuned.COMET": ["0.5", "0.9"]}), scores=["COMET", "acc"])
    assert list(test_set.systems) == ["base", "tuned"]
    assert {name: numbers_in(found) for name, found in test_set.scores.items()} == {
        "COMET": {"base": [0.5, 0.7], "tuned": [0.5, 0.9]},
        "acc": {"base": [1, 1], "tuned": [1, 0]},
    }
    assert "scores: 'base.COMET', 'tuned.COMET', 'tuned.acc', 'acc_base'." in test_set.fields
    comparison = tercet.compare(test_set, "chrf", scores="COMET", n_resamples=100)
    assert [table.name for table in comparison.tables] == ["chrf", "COMET"]
    with pytest.raises(InputError, match="expected a number as 'COMET' of 'tuned' in segment 1, got 'good'"):
        read_test_sets(file_of(columns), scores="COMET")


def test_need_no_texts(file_of):
    path = file_of({"id": [1, 2], "base.COMET": [0.5, 0.7], "tuned.COMET": [0.6, 0.9]})
    (test_set,) = read_test_sets(path, scores="COMET", need_references=False)
    assert (list(test_set.systems), test_set.n_segments) == (["base", "tuned"], 2)
    assert test_set.no_texts == "it has only scores"
    assert test_set.fields == f"{path}: no texts; scores of 'base', 'tuned': 'COMET'; left out: 'id'."
    assert [row.value for row in tercet.compare(test_set, n_resamples=100).tables[0].rows] == pytest.approx(
        [0.6, 0.75]
    )
    (only_base,) = read_test_sets(path, scores="COMET", systems="base", need_references=False)
    assert list(only_base.systems) == ["base"]
    with pytest.raises(InputError, match=r"t.jsonl has no scores 'x' of a system; expected columns such as 'base.x'"):
        read_test_sets(path, scores="x", need_references=False)
    with pytest.raises(InputError, match=r"t.jsonl: no column \(.*\) was recognized as predictions of a system"):
        read_test_sets(path, scores="COMET")


def test_text_files_have_none(tmp_path):
    (tmp_path / "a.txt").write_text("a\n")
    with pytest.raises(InputError, match=r"scores= names columns of tables, but '.*a.txt' is a text file"):
        read_test_sets(tmp_path / "a.txt", scores="COMET", need_references=False)


@pytest.mark.parametrize(
    "names",
    [
        ["COMET_base", "COMET_tuned", "COMET-QE_base", "COMET-QE_tuned"],
        ["a.COMET", "b.COMET", "COMET_version"],
        ["COMET_base", "COMET_tuned", "COMET_norm_base", "COMET_norm_tuned"],
    ],
)
def test_other_columns_are_no_systems(names):
    with pytest.raises(InputError, match="it is not clear which systems have scores 'COMET'"):
        systems_of(table(**{name: [1] for name in names}), "COMET")


def test_of_two_columns_for_the_same_none_is_taken():
    columns = {"base.COMET": [0.5], "COMET_base": [0.9]}
    with pytest.raises(InputError, match=r"several columns: 'base\.COMET', 'COMET_base'"):
        scores_by_system(table(**columns), ["base"], "COMET")


def test_a_number_among_objects_by_system_is_refused():
    with pytest.raises(InputError, match=r"expected \{system: number\}, got 0\.9"):
        scores_by_system(table(COMET=[{"a": 0.5, "b": 0.6}, 0.9]), ["a", "b"], "COMET")


LOWER = ("wer_no_punct", "latency_without_cache", "Word Error Rate (no case)", "hallucination_rate",
         "wrong_answer", "incorrect_answer", "Wrong answers (%)")  # fmt: skip
HIGHER = ("no_errors", "error-free", "COMET", "rouge1_f", "rouge-1-f", "BLEU4", "chrF", "précision",
          "not_wrong")  # fmt: skip
UNCLEAR = (
    *("accuracy_loss", "error_detection_f1", "edit_distance_similarity", "1-WER", "error_reduction", "cost_savings"),
    *("attack_success", "answer_time", "refusal_score", "score_drop", "bias_score", "price", "accélération"),
    *("no_answer", "not_correct", "missing_answer", "f1_std", "acc_stderr", "bleu variance", "right_or_wrong"),
)


def test_a_direction_is_taken_from_a_name_that_says_it_clearly():
    assert {name: direction_of(name) for name in LOWER} == dict.fromkeys(LOWER, "lower")
    assert {name: direction_of(name) for name in HIGHER} == dict.fromkeys(HIGHER, "higher")
    assert {name: direction_of(name) for name in UNCLEAR} == dict.fromkeys(UNCLEAR)


@pytest.mark.parametrize("texts", [{}, {"reference": TEXTS["reference"], "mt": TEXTS["base"]}])
def test_numbered_scores_are_of_two_systems_or_of_two_raters(tmp_path, texts):
    columns = {**texts, "score_1": [3, 4], "score_2": [5, 2]}
    rows = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    with pytest.raises(InputError) as error:
        read_test_sets(tmp_path / "a.jsonl", scores="score", need_references=False)
    message = str(error.value)
    model = "mt" if texts else "model"
    assert "'score_1', 'score_2' are of 2 systems, or scores of one, as of 2 raters" in message
    assert "As systems: systems=['1', '2'] scores='score'." in message
    assert f"As scores of one: systems='{model}' scores=['score_1', 'score_2']." in message
    (found,) = read_test_sets(tmp_path / "a.jsonl", scores="score", systems=["1", "2"], need_references=False)
    assert numbers_in(found.scores["score"]) == {"1": [3, 4], "2": [5, 2]}
    names = ["score_1", "score_2"]
    (found,) = read_test_sets(tmp_path / "a.jsonl", scores=names, systems=model, need_references=False)
    assert numbers_in(found.scores["score_2"]) == {model: [5, 2]}
