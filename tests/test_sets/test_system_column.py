"""`--system-column` names the column of a long table that has the system of each row, whatever it is called."""

import csv
import json
import shlex

import pytest

import tercet
from commands import command
from tercet.errors import InputError
from tercet.test_sets.read import read_test_sets

SOURCES = [f"Frage Nummer {number}" for number in range(1, 7)]
REFERENCES = ["it rains today", "кошка спит", "we go home", "今天下雨。", "she cooks soup", "no"]
OUTPUTS = {
    "Müller GmbH": ["it rains", "кошка спала", "we go", "今天下雨", "she cooks soup", "no"],
    "acme": ["rain", "кот спит", "we are home", "雨", "soup", "yes"],
}
COLUMN = "Vendor Name"


def write(path, *columns, outputs=OUTPUTS, names=COLUMN):
    records = [
        {"id": number, names: system, "source": source, "answer": text, "reference": reference, "points": len(text)}
        for system, texts in outputs.items()
        for number, (source, text, reference) in enumerate(zip(SOURCES, texts, REFERENCES, strict=True), 1)
    ]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(records)
    return path


def rows_of(run):
    return json.loads(run.stdout)["test_sets"][0]["tables"][0]["systems"]


@pytest.mark.parametrize(
    ("columns", "key"),
    [
        (["id", COLUMN, "answer", "reference"], "id"),
        ([COLUMN, "source", "answer", "reference"], "source"),
        (["answer", COLUMN, "reference"], "reference"),
        (["id", COLUMN, "answer", "reference", "points"], "id"),
    ],
)
def test_each_of_its_names_is_a_system(tmp_path, columns, key):
    path = write(tmp_path / "tidy.csv", *columns)
    (test_set,) = read_test_sets(path, system_column=COLUMN)
    assert (test_set.systems, test_set.references) == (OUTPUTS, [[text] for text in REFERENCES])
    assert f"Each {COLUMN!r} is a system, whose rows are joined by {key!r}; texts: 'answer'" in test_set.fields
    alone = tercet.compare(OUTPUTS, "chrf", references=REFERENCES).to_dict()
    run = command("compare", path, "--system-column", COLUMN, "-m", "chrf", "-f", "json")
    assert rows_of(run) == alone["tables"][0]["systems"]


def test_scores_and_a_column_of_texts_go_with_it(tmp_path):
    path = write(tmp_path / "tidy.csv", "id", COLUMN, "answer", "reference", "points")
    (test_set,) = read_test_sets(path, system_column=COLUMN, systems="answer", scores="points")
    assert test_set.systems == OUTPUTS
    for system, texts in OUTPUTS.items():
        assert test_set.scores["points"][system].tolist() == [len(text) for text in texts]
    numbers = write(tmp_path / "numbers.csv", "id", COLUMN, "points")
    (test_set,) = read_test_sets(numbers, system_column=COLUMN, scores="points", need_references=False)
    assert test_set.scores["points"]["acme"].tolist() == [len(text) for text in OUTPUTS["acme"]]


def test_references_may_stand_in_another_table(tmp_path):
    path = write(tmp_path / "answers.csv", "id", COLUMN, "answer")
    references = write(tmp_path / "refs.csv", "id", "reference", outputs={"any": REFERENCES})
    (test_set,) = read_test_sets(path, references=references, system_column=COLUMN)
    assert (test_set.systems, test_set.references) == (OUTPUTS, [[text] for text in REFERENCES])
    assert f"Joined with {str(path)!r} by 'id'. {path}: Each {COLUMN!r} is a system" in test_set.fields
    # A column whose name says it needs no option.
    known = write(tmp_path / "known.csv", "id", "model", "answer", names="model")
    (test_set,) = read_test_sets(known, references=references)
    assert test_set.systems == OUTPUTS
    (test_set,) = read_test_sets({"old": known}, references=references)
    assert list(test_set.systems) == [f"old {system}" for system in OUTPUTS]


def test_read_writes_it_out_and_the_command_reads_the_same(tmp_path):
    path = write(tmp_path / "tidy.csv", "id", COLUMN, "answer", "reference", "points")
    run = command("read", path, "--system-column", COLUMN, "-f", "json")
    (found,) = json.loads(run.stdout)["test_sets"]
    _, *arguments = shlex.split(found["command"])
    assert arguments[2:] == ["--system-column", COLUMN, "--system", "answer", "--reference-column", "reference"]
    roles = {one["column"]: (one["role"], one["reason"]) for one in found["columns"]}
    assert roles[COLUMN] == ("names of systems", "you say so")
    assert rows_of(command(*arguments, "-f", "json")) == rows_of(
        command("compare", path, "--system-column", COLUMN, "-f", "json")
    )
    known = write(tmp_path / "known.csv", "id", "model", "answer", "reference", names="model")
    (found,) = json.loads(command("read", known, "-f", "json").stdout)["test_sets"]
    assert "--system-column model --system answer --reference-column reference" in found["command"]
    _, *arguments = shlex.split(found["command"])
    assert rows_of(command(*arguments, "-f", "json")) == rows_of(command("compare", known, "-f", "json"))


def test_correlate_takes_it(tmp_path):
    columns = ["id", COLUMN, "answer", "reference", "points"]
    path = write(tmp_path / "graded.csv", *columns)
    known = write(tmp_path / "known.csv", "id", "model", *columns[2:], names="model")
    options = ["-m", "chrf", "-d", "points", "--n-resamples", "9", "-f", "json"]
    run = command("correlate", path, "--system-column", COLUMN, *options)
    tables = [json.loads(each.stdout)["dimensions"] for each in (run, command("correlate", known, *options))]
    assert tables[0] == tables[1]
    # Without ids, rows are joined by their sources.
    path = write(tmp_path / "graded.csv", "source", *columns[1:])
    run = command("correlate", path, "--system-column", COLUMN, *options)
    assert json.loads(run.stdout)["dimensions"] == tables[1]
    run = command("correlate", path, "--system-column", "vendor", *options, code=2)
    assert "has no column 'vendor'. Did you mean 'Vendor Name'?" in run.stderr


@pytest.mark.parametrize(
    ("columns", "options", "message"),
    [
        (["id", COLUMN, "answer", "reference"], {"system_column": "vendor"}, "no column 'vendor'. Did you mean"),
        (
            ["id", COLUMN, "answer", "reference"],
            {"system_column": COLUMN, "systems": ["answer", "reference"]},
            "systems= with system_column= is the one column of the systems' texts; got 'answer', 'reference'.",
        ),
        (
            ["id", COLUMN, "answer", "reference"],
            {"system_column": "answer", "systems": "answer"},
            "the column 'answer' has names of systems and texts; name it once.",
        ),
        (
            [COLUMN, "points"],
            {"system_column": COLUMN, "scores": "points", "need_references": False},
            "('Müller GmbH', 'acme'): no column tells items apart, as an id or a source does.",
        ),
        ([COLUMN, "id", "reference"], {"system_column": COLUMN}, "no column has their texts."),
        (["id", COLUMN], {"system_column": ["id"]}, "system_column= is the name of one column, got ['id']."),
    ],
)
def test_what_it_cannot_be_is_said(tmp_path, columns, options, message):
    path = write(tmp_path / "tidy.csv", *columns)
    with pytest.raises(InputError) as caught:
        read_test_sets(path, **options)
    assert message in str(caught.value)


def test_rows_that_are_no_items_of_systems_are_not_pooled(tmp_path):
    path = write(tmp_path / "tidy.csv", "id", COLUMN, "answer", "reference")
    text = path.read_text(encoding="utf-8")
    last = text.splitlines()[-1]
    path.write_text(f"{text}{last}\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_test_sets(path, system_column=COLUMN)
    assert "'acme' has several rows of '6' (id), as on lines 13 and 14." in str(caught.value)
    path.write_text(text.replace("1,acme", "1,"), encoding="utf-8")
    with pytest.raises(InputError, match="line 8, column 'Vendor Name': expected the name of the row's system"):
        read_test_sets(path, system_column=COLUMN)
    one = write(tmp_path / "one.csv", "id", COLUMN, "answer", "reference", outputs={"acme": OUTPUTS["acme"]})
    with pytest.raises(InputError, match=r"names one system, 'acme', in all rows; .* give the file as NAME=PATH"):
        read_test_sets(one, system_column=COLUMN)


def test_files_without_columns_refuse_it(tmp_path):
    text = tmp_path / "a.txt"
    text.write_text("a\n")
    with pytest.raises(InputError, match=r"'Vendor Name' is the name of a column, but '.*a.txt' is a text file"):
        read_test_sets(text, references=text, system_column=COLUMN)
    log = tmp_path / "samples_toy_2026-01-02T03-04-05.678.jsonl"
    request = {"gen_args_0": {"arg_0": "?", "arg_1": {}}}
    record = {"doc_id": 0, "doc": {}, "target": "a", "arguments": request, "resps": [["a"]], "filtered_resps": ["a"]}
    log.write_text(json.dumps(record))
    for path in (log, tmp_path):
        with pytest.raises(InputError, match="is a log of runs, and system_column= is for tables with a row"):
            read_test_sets(path, system_column=COLUMN)
