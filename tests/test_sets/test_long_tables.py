"""A table with a row for each item and system is compared as one with a column for each system."""

import csv
import json

import pytest

import tercet
from commands import command
from tercet.errors import InputError
from tercet.test_sets.read import read_test_sets

SOURCES = [f"question number {number}" for number in range(1, 7)]
REFERENCES = ["it rains today", "two cats sleep", "we go home", "he reads a book", "she cooks soup", "no"]
OUTPUTS = {
    "gpt-4o": ["it rains", "two cats sleep", "we go", "he reads books", "she cooks soup", "no"],
    "llama-3": ["rain", "two dogs sleep", "we are home", "he read", "soup", "yes"],
}


def write(path, *columns, outputs=OUTPUTS, rows=slice(None), **names):
    """Write a row for each item of each system, with these columns, called otherwise as `names` says."""
    records = [
        {
            "id": number,
            "model": model,
            "input": source,
            "output": output,
            "reference": reference,
            "score": len(output),
            "group": f"g{number % 2}",
        }
        for model, texts in outputs.items()
        for number, (source, output, reference) in enumerate(zip(SOURCES, texts, REFERENCES, strict=True), 1)
    ][rows]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([names.get(column, column) for column in columns])
        writer.writerows([record[column] for column in columns] for record in records)
    return path


@pytest.mark.parametrize(
    ("columns", "names", "key"),
    [
        (["id", "model", "input", "output", "reference"], {}, "id"),
        (["model", "input", "output", "reference"], {}, "input"),
        (["model", "output", "reference", "score"], {}, "reference"),
        (["output", "reference", "id", "model"], {"model": "Engine", "output": "translation"}, "id"),
        (["id", "model", "output", "reference"], {"id": "item", "model": "system", "output": "text"}, "item"),
    ],
)
def test_each_name_is_a_system(tmp_path, columns, names, key):
    path = write(tmp_path / "tidy.csv", *columns, **names)
    (test_set,) = read_test_sets(path)
    assert (test_set.systems, test_set.references) == (OUTPUTS, [[text] for text in REFERENCES])
    assert f"is a system, whose rows are joined by {key!r}" in test_set.fields
    alone = tercet.compare(OUTPUTS, "chrf", references=REFERENCES)
    run = command("compare", path, "-m", "chrf", "-f", "json")
    assert json.loads(run.stdout)["test_sets"][0]["tables"][0]["systems"] == alone.to_dict()["tables"][0]["systems"]
    assert "warning" not in run.stderr


@pytest.mark.parametrize("spec", ["group", "group~g(.)"])
def test_a_column_of_slices_is_beside_the_texts_too(tmp_path, spec):
    """A workbook of segments has it as the file has it."""
    path = write(tmp_path / "tidy.csv", "id", "model", "output", "reference", "group")
    (test_set,) = read_test_sets(path, by=spec)
    assert test_set.own_columns["group"] == ["g1", "g0"] * 3


def test_rows_in_any_order_are_joined(tmp_path):
    path = write(tmp_path / "tidy.csv", "model", "id", "output", "reference")
    header, *rows = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([header, *sorted(rows, key=lambda row: row[::-1])]), encoding="utf-8")
    (test_set,) = read_test_sets(path)
    order = [REFERENCES.index(reference) for (reference,) in test_set.references]
    assert sorted(order) == [*range(6)]
    assert test_set.systems == {name: [texts[place] for place in order] for name, texts in OUTPUTS.items()}


def test_scores_groups_and_clusters_go_with_their_rows(tmp_path):
    path = write(tmp_path / "tidy.csv", "id", "model", "output", "reference", "score", "group")
    (test_set,) = read_test_sets(path, scores="score", by="group", cluster="group")
    lengths = {system: [len(text) for text in texts] for system, texts in OUTPUTS.items()}
    assert {system: numbers.tolist() for system, numbers in test_set.scores["score"].items()} == lengths
    assert test_set.slices == {"group": ["g1", "g0"] * 3}
    assert test_set.clusters.numbers.tolist() == [0, 1] * 3


def test_a_wrong_score_has_its_place_in_the_file(tmp_path):
    path = write(tmp_path / "tidy.csv", "id", "model", "output", "reference", "score")
    path.write_text(path.read_text(encoding="utf-8").replace("yes,no,3", "yes,no,good"), encoding="utf-8")
    with pytest.raises(tercet.InputError, match=r"tidy\.csv, line 13, column 'score': expected a number"):
        read_test_sets(path, scores="score")


def test_scores_without_texts_are_those_of_their_systems(tmp_path):
    path = write(tmp_path / "tidy.csv", "id", "model", "score")
    (test_set,) = read_test_sets(path, scores="score", need_references=False)
    assert list(test_set.scores["score"]) == ["gpt-4o", "llama-3"]


def test_who_slices_by_the_names_scores_all_rows(tmp_path):
    path = write(tmp_path / "tidy.csv", "model", "input", "output", "reference")
    (test_set,) = read_test_sets(path, by="model")
    assert (list(test_set.systems), test_set.n_segments) == (["output"], 12)


POOLED = r"the column 'model' names 2 systems \('gpt-4o', 'llama-3'\), but {}: all rows are "


def test_items_that_a_system_lacks_are_left_out_for_all(tmp_path):
    path = write(tmp_path / "tidy.csv", "id", "model", "output", "reference", rows=slice(11))
    with pytest.warns(UserWarning, match="left out") as warnings:
        (test_set,) = read_test_sets(path)
    assert [str(warning.message) for warning in warnings] == [
        f"{path}: 'llama-3' lacks 1 of the 6 items, the first is '6' (id): left out for every system."
    ]
    assert test_set.systems == {name: texts[:5] for name, texts in OUTPUTS.items()}
    assert test_set.warnings[0] in tercet.compare(test_set, "chrf").warnings


def test_rows_of_systems_that_share_few_items_are_told(tmp_path):
    path = write(tmp_path / "tidy.csv", "id", "model", "output", "reference", rows=slice(4, 12))
    with pytest.warns(UserWarning, match="names 2 systems") as warnings:
        (test_set,) = read_test_sets(path)
    assert [*test_set.systems] == ["output"]
    # Without the advice to resample the rows of an id together, or to name the column as a system.
    (message,) = [str(warning.message) for warning in warnings]
    assert "('gpt-4o', 'llama-3'), but only 2 of 6 items (id) have a row of all of them: all rows are" in message


def test_an_id_of_systems_that_share_next_to_no_items_is_told_as_any_other(tmp_path):
    path = write(tmp_path / "tidy.csv", "id", "model", "output", "reference", rows=slice(4, 11))
    with pytest.warns(UserWarning, match="the id '5' occurs 2 times"):
        (test_set,) = read_test_sets(path)
    assert [*test_set.systems] == ["output"]


@pytest.mark.parametrize(
    "columns", [["id", "model", "output", "reference"], ["model", "input", "output", "reference"]]
)
def test_a_row_without_the_name_of_its_system_is_refused(tmp_path, columns):
    path = write(tmp_path / "tidy.csv", *columns)
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    lines[9] = lines[9].replace("llama-3", " ")
    path.write_text("".join(lines), encoding="utf-8")
    with pytest.raises(tercet.InputError) as error:
        read_test_sets(path)
    assert "line 10, column 'model': the name of the system is missing; other rows have 'gpt-4o', 'llama-3'." in str(
        error.value
    )


def test_answers_of_a_system_called_model_may_be_empty(tmp_path):
    path = tmp_path / "answers.tsv"
    rows = ["q1\tyes\tyes", "q1\tno\tyes", "q2\tno\tno", "q2\t\tno", "q3\tyes\tno", "q3\tno\tno"]
    path.write_text("\n".join(["question\tmodel\treference", *rows]), encoding="utf-8")
    (test_set,) = read_test_sets(path)
    assert test_set.systems == {"model": ["yes", "no", "no", "", "yes", "no"]}


def test_a_row_that_is_there_twice_is_told(tmp_path):
    path = write(tmp_path / "tidy.csv", "id", "model", "output", "reference")
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join([*lines, lines[8]]), encoding="utf-8")
    twice = r"'llama-3' has several rows of '2' \(id\), as on lines 9 and 14"
    with pytest.warns(UserWarning, match=POOLED.format(twice)):
        read_test_sets(path)


def test_a_reference_that_differs_within_an_item_is_refused(tmp_path):
    path = write(tmp_path / "tidy.csv", "id", "model", "output", "reference")
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    lines[9] = lines[9].replace("we go home", "we went home")
    path.write_text("".join(lines), encoding="utf-8")
    with pytest.raises(tercet.InputError) as error:
        read_test_sets(path)
    assert str(error.value).endswith(
        "'3' (id) has the reference 'we go home' for 'gpt-4o', and 'we went home' for 'llama-3'; expected one for "
        "all systems."
    )


def test_of_several_columns_of_texts_none_is_chosen(tmp_path):
    """Grades are texts where one is missing in words."""
    path = write(tmp_path / "tidy.csv", "id", "model", "output", "reference", "score", output="text", score="value")
    path.write_text(path.read_text(encoding="utf-8").replace("yes,no,3", "yes,no,N/A"), encoding="utf-8")
    with pytest.warns(UserWarning, match=POOLED.format("it is not clear which column has their texts, or ref.*")):
        read_test_sets(path)


def test_rows_of_a_named_column_are_told(tmp_path):
    path = write(tmp_path / "tidy.csv", "model", "input", "output", "reference")
    with pytest.warns(UserWarning, match=POOLED.format("systems= names columns of texts")):
        read_test_sets(path, systems=["output", "input"])


def test_the_column_of_the_texts_may_be_named(tmp_path):
    """Who says ``-s output`` means the texts, not that all rows are of one system."""
    path = write(tmp_path / "tidy.csv", "model", "input", "output", "reference", output="notes")
    (test_set,) = read_test_sets(path, systems="notes")
    assert test_set.systems == OUTPUTS


@pytest.mark.parametrize("id", ["question_id", "Prompt ID", "sample-id", "qid", "key"])
def test_judges_call_the_item_otherwise(tmp_path, id):
    path = write(tmp_path / "judged.csv", "id", "model", "score", id=id)
    (test_set,) = read_test_sets(path, scores="score", need_references=False)
    lengths = {model: [len(text) for text in texts] for model, texts in OUTPUTS.items()}
    assert {model: numbers.tolist() for model, numbers in test_set.scores["score"].items()} == lengths


def test_an_answer_that_differs_by_system_is_its_text(tmp_path):
    path = write(tmp_path / "answers.csv", "id", "model", "output", "score", output="answer")
    (test_set,) = read_test_sets(path, scores="score", need_references=False)
    assert test_set.systems == OUTPUTS
    # the same for all of them, it is the reference
    path = write(tmp_path / "right.csv", "id", "model", "output", "reference", reference="answer")
    (test_set,) = read_test_sets(path)
    assert (test_set.systems, test_set.references) == (OUTPUTS, [[text] for text in REFERENCES])


def test_a_source_that_is_not_there_is_told(tmp_path):
    path = write(tmp_path / "tidy.csv", "id", "model", "output", "reference")
    with (
        pytest.warns(UserWarning, match="all rows are scored as of one system"),
        pytest.raises(tercet.InputError, match="has no column 'input'"),
    ):
        read_test_sets(path, source_column="input")


def test_a_column_that_is_not_there_or_no_name_is_told(tmp_path):
    path = write(tmp_path / "tidy.csv", "id", "model", "output", "reference")
    with pytest.raises(tercet.InputError, match="has no column 'texts'"):
        read_test_sets(path, systems="texts")
    with pytest.raises(tercet.InputError, match=r"source_column= is the name of one column, got \['id'\]"):
        read_test_sets(path, source_column=["id"])


def test_names_are_not_scored_as_texts(tmp_path):
    path = write(tmp_path / "tidy.csv", "model", "input", "reference")
    with pytest.raises(
        tercet.InputError, match=r"'model' has 2 texts in 12 rows \('gpt-4o', 'llama-3'\), which look like"
    ):
        read_test_sets(path)
    (test_set,) = read_test_sets(path, systems="model")
    assert test_set.systems == {"model": ["gpt-4o"] * 6 + ["llama-3"] * 6}


def test_a_system_may_be_called_model(tmp_path):
    """A few answers that the references have too are no names."""
    path = tmp_path / "answers.tsv"
    rows = ["yes\tyes", "no\tyes", "no\tno", "yes\tno"]
    path.write_text("\n".join(["model\treference", *rows]), encoding="utf-8")
    (test_set,) = read_test_sets(path)
    assert test_set.systems == {"model": ["yes", "no", "no", "yes"]}


def test_models_of_separate_items_are_one_system(tmp_path):
    """As in a data set of many models, which wrote an item each."""
    path = tmp_path / "routed.jsonl"
    records = [
        {"model": ["small-7b", "large-70b"][number % 2], "input": source, "output": output, "reference": reference}
        for number, (source, output, reference) in enumerate(
            zip(SOURCES, OUTPUTS["llama-3"], REFERENCES, strict=True)
        )
    ]
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    (test_set,) = read_test_sets(path)
    assert test_set.systems == {"output": OUTPUTS["llama-3"]}


@pytest.mark.parametrize("run", ["seed", "run", "Run ID", "trial"])
def test_runs_of_a_system_are_systems_behind_its_name(tmp_path, run):
    """A system has an item once for each seed: its rows are not pooled."""
    path = tmp_path / "seeds.csv"
    rows = [["id", "model_name", run, "reference", "output"]]
    expected = {}
    for model, texts in OUTPUTS.items():
        for seed in ("3", "11"):
            expected[f"{model}-{seed}"] = [f"{text} {seed}" for text in texts]
            for number, text in enumerate(texts):
                rows.append([str(number), model, seed, REFERENCES[number], f"{text} {seed}"])
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    (test_set,) = read_test_sets(path)
    assert test_set.systems == expected
    assert f"Systems are those in 'model_name', with their {run!r} behind them: runs='(.+)-(.+)'" in test_set.fields
    assert test_set.own_columns_by_system[run]["gpt-4o-11"] == ["11"] * 6
    outcome = command("compare", path, "-m", "chrf", "--runs", "(.+)-(.+)", "--n-resamples", "9")
    assert "--runs '(.+)-(.+)' compares them by the means of their runs." in outcome.stderr
    assert "Runs: gpt-4o is gpt-4o-3 and gpt-4o-11; llama-3 is llama-3-3 and llama-3-11." in outcome.stdout


def test_the_pattern_of_runs_with_hyphens_names_the_systems(tmp_path):
    path = tmp_path / "runs.csv"
    rows = ["id,model,run,reference,output"]
    for model in ("base", "large.v2"):
        for run in ("2024-01", "2024-02"):
            rows += [f"{number},{model},{run},{text},{text} {run}" for number, text in enumerate(REFERENCES)]
    path.write_text("\n".join(rows), encoding="utf-8")
    (test_set,) = read_test_sets(path)
    pattern = r"(base|large\.v2)-(.+)"
    assert f"runs={pattern!r}" in test_set.fields
    found = tercet.compare(test_set, "chrf", runs=pattern)
    assert list(found.runs) == ["base", "large.v2"]


def test_a_seed_of_each_system_leaves_its_name_alone(tmp_path):
    path = tmp_path / "seeds.csv"
    rows = ["id,model,seed,reference,output"]
    rows += [f"{number},{model},7,{REFERENCES[number]},{text}" for model, texts in OUTPUTS.items()
             for number, text in enumerate(texts)]  # fmt: skip
    path.write_text("\n".join(rows), encoding="utf-8")
    assert list(read_test_sets(path)[0].systems) == [*OUTPUTS]


def test_a_system_may_be_called_as_texts_of_another_would_end(tmp_path):
    """The column ``output`` of a system ``b.output`` holds its texts, and no scores."""
    first, second = OUTPUTS.values()
    path = write(
        tmp_path / "long.csv", "id", "model", "output", "reference", outputs={"m": first, "b.output": second}
    )
    (test_set,) = read_test_sets(path)
    assert list(test_set.systems) == ["m", "b.output"]
    assert {column.column: column.role for column in test_set.columns}["output"] == "texts"


@pytest.mark.parametrize("columns", [("id", "model", "output", "reference", "score"), ("id", "model", "score")])
def test_systems_that_are_called_as_the_scores_of_another_are_refused(tmp_path, columns):
    first, second = OUTPUTS.values()
    path = write(tmp_path / "long.csv", *columns, outputs={"m": first, "m.score": second})
    with pytest.raises(InputError, match=r"'score' of the system 'm' would be called 'm\.score', which is the name"):
        read_test_sets(path, scores="score", need_references=False)


def test_the_line_of_an_item_without_reference_is_said(tmp_path):
    references = ["", "it rains", "two cats sleep"]
    rows = [f"k{number},{model},a {model} cat,{text}" for number, text in enumerate(references) for model in "xy"]
    (tmp_path / "long.csv").write_text("\n".join(["id,model,output,reference", *rows]), encoding="utf-8")
    (test_set,) = read_test_sets(tmp_path / "long.csv")
    assert test_set.without_reference == {0: "line 2: 'k0'"}
