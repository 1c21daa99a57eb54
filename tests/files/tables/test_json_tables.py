"""Tables in .json, in every form in which pandas, datasets and people write them, are those of JSON Lines."""

import json

import pytest

from commands import command
from tercet import InputError, compare, read_test_sets
from tercet.comparison.shown.tables import in_format

ROWS = [
    {"id": 1, "src": "Pada deszcz.", "reference": "It rains.", "A": "It is raining.", "система": "Идёт дождь."},
    {"id": 2, "src": "Zamknij drzwi!", "reference": "Close the door!", "A": "Shut the door!", "система": "Close it!"},
    {"id": 3, "src": "Gdzie jest kot?", "reference": "Where is the cat?", "A": "Where is the cat?", "система": "cat"},
]
COLUMNS = {name: [row[name] for row in ROWS] for name in ROWS[0]}
FORMS = {
    "array": ROWS,
    "columns": COLUMNS,
    "columns by row": {name: {str(row): cell for row, cell in enumerate(cells)} for name, cells in COLUMNS.items()},
    "rows beside other things": {"config": {"beams": 4}, "date": "2026-11-28", "n": 3, "examples": ROWS},
    "rows beside a table without texts": {"models": [{"name": "A", "size": 7, "url": "x.org"}], "examples": ROWS},
    "columns and rows": {"columns": [*COLUMNS], "data": [[*row.values()] for row in ROWS]},
}


def write(path, content, **options):
    path.write_text(json.dumps(content, ensure_ascii=False, **options), encoding="utf-8")
    return path


@pytest.fixture
def expected(tmp_path):
    path = tmp_path / "expected.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    (test_set,) = read_test_sets(path)
    assert [*test_set.systems] == ["A", "система"]
    return test_set


def check_same(path, expected):
    (test_set,) = read_test_sets(path)
    for field in ("systems", "references", "source"):
        assert getattr(test_set, field) == getattr(expected, field)


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_the_same_table(tmp_path, form, indent, expected):
    check_same(write(tmp_path / "out.json", FORMS[form], indent=indent), expected)


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\n\n"])
def test_json_lines_are_read_whatever_the_file_is_called(tmp_path, ending, expected):
    path = tmp_path / "out.json"
    path.write_text("".join(json.dumps(row) + ending for row in ROWS), encoding="utf-8")
    check_same(path, expected)


@pytest.mark.needs("pandas")
@pytest.mark.parametrize("orient", ["records", "list", "columns", "index", "split", "table"])
def test_is_read_as_pandas_writes_it(tmp_path, orient, expected):
    import pandas as pd

    frame = pd.DataFrame(ROWS)
    if orient == "list":
        path = write(tmp_path / "out.json", frame.to_dict("list"))
    else:
        path = tmp_path / "out.json"
        frame.to_json(path, orient=orient)
    check_same(path, expected)


@pytest.mark.needs("datasets")
@pytest.mark.parametrize("lines", [True, False])
def test_is_read_as_datasets_writes_it(tmp_path, lines, expected):
    from datasets import Dataset

    path = tmp_path / "out.json"
    Dataset.from_list(ROWS).to_json(path, **({} if lines else {"lines": False}))
    check_same(path, expected)


def test_lists_of_references_and_texts_by_system_are_read_too(tmp_path):
    rows = [
        {"refs": ["one", "a one"], "hyps": {"A": "one", "B": "on"}},
        {"refs": ["two"], "hyps": {"A": "to", "B": "two"}},
    ]
    (test_set,) = read_test_sets(write(tmp_path / "out.json", rows))
    assert test_set.references == [["one", "a one"], ["two"]]
    assert test_set.systems == {"A": ["one", "to"], "B": ["on", "two"]}


def test_a_missing_text_and_a_wrong_one_have_their_row(tmp_path):
    rows = [{"prediction": "a", "reference": "a"}, {"prediction": "b", "reference": {"text": 3}}]
    with pytest.raises(InputError, match=r"out\.json, row 2, column 'reference': expected a text or a list of texts"):
        read_test_sets(write(tmp_path / "out.json", rows), reference_columns="reference")
    with pytest.raises(InputError, match=r"out\.json, row 2, column 'prediction': the prediction is missing"):
        read_test_sets(write(tmp_path / "out.json", [rows[0], {"reference": "a"}]), systems="prediction")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ([1, 2], "found [1, 2]"),
        ([], "found []"),
        ([{}, {}], "found [{}, {}]"),
        ("text", "found 'text'"),
        ({"bleu": 31.2}, "found an object of 'bleu'"),
        (dict.fromkeys("abcdefg", 3), "found an object of 'a', 'b', 'c', 'd', 'e' and 2 more"),
        ({"scores": [1.0, 2.0]}, "found an object of 'scores'"),
    ],
)
def test_what_is_no_table_is_refused(tmp_path, content, said):
    run = command("score", write(tmp_path / "out.json", content), "-m", "chrf", code=2)
    message = " ".join(run.stderr.split())
    assert "out.json is not a log of inspect-ai with samples, nor a table, such as an array of objects" in message
    assert message.endswith(f"{said}.")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"predictions": ["a", "b"], "references": ["a"]}, "found 2 cells of 'predictions' and 1 of 'references'."),
        (
            {"predictions": ["a", "b", "c"], "references": [["a", "b", "c"]]},
            "found 3 cells of 'predictions' and 1 of 'references', which looks transposed: expected a list for each",
        ),
        (
            {"predictions": ["a", "b"], "references": [["a"], ["b"], ["c"]]},
            "found 2 cells of 'predictions' and 3 of 'references'.",
        ),
        (
            {"prediction": {"0": "a", "1": "b"}, "reference": {"1": "a", "2": "b"}},
            "found other numbers of rows in 'reference' than in 'prediction'.",
        ),
        ({"train": ROWS, "test": ROWS[:2]}, "out.json holds several tables, 'train' and 'test': give each in a file"),
    ],
)
def test_what_may_be_read_in_two_ways_is_refused(tmp_path, content, said):
    with pytest.raises(InputError) as error:
        read_test_sets(write(tmp_path / "out.json", content))
    assert said in str(error.value)


@pytest.mark.parametrize(
    "further",
    [
        {"languages": ["pl", "en"]},
        {"config": {}, "errors": []},
        {"precisions": [0.5, 0.25, 0.1, 0.0]},
    ],
)
def test_columns_may_stand_beside_other_lists(tmp_path, further, expected):
    check_same(write(tmp_path / "out.json", {**further, **COLUMNS}), expected)


@pytest.mark.parametrize("name", ["judge", "meta"])
def test_a_column_may_hold_objects_as_in_json_lines(tmp_path, name):
    objects = [{"prediction": text, "doc": str(row)} for row, text in enumerate(["yes", "no", "so"])]
    rows = [{name: cell, **row} for cell, row in zip(objects, ROWS, strict=True)]
    path = tmp_path / "out.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (of_lines,) = read_test_sets(path)
    check_same(write(tmp_path / "out.json", {name: objects, **COLUMNS}), of_lines)


def test_cells_are_joined_by_the_number_of_their_row(tmp_path, expected):
    columns = FORMS["columns by row"]
    turned = {**columns, "A": dict(reversed(columns["A"].items()))}
    check_same(write(tmp_path / "out.json", turned), expected)


def test_rows_by_number_are_rows_though_they_have_a_prediction(tmp_path):
    """As pandas writes an index; OpenCompass calls references gold."""
    rows = {str(row): {"prediction": texts["A"], "reference": texts["reference"]} for row, texts in enumerate(ROWS)}
    (test_set,) = read_test_sets(write(tmp_path / "out.json", rows))
    assert (test_set.systems, test_set.references) == (
        {"prediction": COLUMNS["A"]},
        [[text] for text in COLUMNS["reference"]],
    )


def test_one_row_is_a_table(tmp_path):
    (test_set,) = read_test_sets(write(tmp_path / "out.json", ROWS[0]))
    assert test_set.systems == {"A": ["It is raining."], "система": ["Идёт дождь."]}


@pytest.mark.parametrize(("marks", "encoding"), [("", "utf-8-sig"), ("\ufeff", "utf-8-sig"), ("", "utf-16")])
def test_marks_of_byte_order_are_read_over(tmp_path, marks, encoding, expected):
    path = tmp_path / "out.json"
    rows = [json.dumps(row, ensure_ascii=False) for row in ROWS]
    for content in (f"[{', '.join(rows)}]", "\n".join(rows)):
        path.write_text(marks + content, encoding=encoding)
        # Lines of JSON are read in UTF-16 from files that are called so.
        if content.startswith("[") or encoding != "utf-16":
            check_same(path, expected)


def test_a_key_that_is_there_twice_and_half_a_character_are_refused(tmp_path):
    path = tmp_path / "out.json"
    for content, said in [
        ('[{"prediction": "a", "prediction": "b", "reference": "b"}]', "the key 'prediction' appears twice"),
        (r'[{"prediction": "\ud83d", "reference": "b"}]', "the lone surrogate '\\ud83d' is not a character"),
    ]:
        path.write_text(content, encoding="utf-8")
        with pytest.raises(InputError) as error:
            read_test_sets(path)
        assert f"{path}: {said}" in str(error.value)


def test_many_empty_lines_behind_an_object_take_no_time(tmp_path):
    path = tmp_path / "out.json"
    path.write_text("{}" + "\n" * 300_000, encoding="utf-8")
    with pytest.raises(InputError, match="is not a log of inspect-ai"):
        read_test_sets(path)


def test_a_file_is_compared_on_the_command_line(tmp_path):
    run = command("compare", write(tmp_path / "out.json", ROWS), "-m", "chrf", "-f", "json")
    systems = {name: COLUMNS[name] for name in ("A", "система")}
    alone = compare(systems, "chrf", references=COLUMNS["reference"])
    (expected,) = json.loads(in_format([alone], "json"))["test_sets"]
    assert json.loads(run.stdout)["test_sets"][0]["tables"][0]["systems"] == expected["tables"][0]["systems"]
