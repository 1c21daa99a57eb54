"""Scores of one run each in files of their own, as of a judge: joined by ids, among them or with what they judge."""

import json

import numpy as np
import pytest

import tercet
from commands import command
from tercet.errors import InputError
from tercet.test_sets.read import read_test_sets

REFERENCES = ["Der Hafen ist ruhig.", "Das Boot fährt.", "Кошка спит.", "今天下雨。", "Il pleut.", "it rains"]
TEXTS = {
    "old": ["Der Hafen ruht.", "Ein Boot fährt.", "Кот спит.", "今天下雨了。", "Il pleut fort.", "it rained"],
    "new": ["Hafen ist ruhig.", "Das Boot geht.", "Кошка спит!", "今天有雨。", "Il a plu.", "rain"],
}
SCORES = {"old": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "new": [2.5, 3.0, 4.0, 4.0, 5.5, 5.0]}
IDS = ["a", "b", "c", "d", "e", "f"]


def write(path, **columns):
    path.parent.mkdir(exist_ok=True)
    records = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
    if path.suffix == ".csv":
        rows = [columns, *zip(*columns.values(), strict=True)]
        path.write_text("".join(",".join(map(str, row)) + "\n" for row in rows), encoding="utf-8")
    else:
        path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def log(folder, texts):
    """Write what lm-evaluation-harness logs of a task."""
    request = {"gen_args_0": {"arg_0": "?", "arg_1": {}}}
    records = [
        {
            "doc_id": number, "doc": {}, "target": target, "arguments": request, "resps": [[text]],
            "filtered_resps": [text], "metrics": ["bleu"], "bleu": 0.5,
        }
        for number, (text, target) in enumerate(zip(texts, REFERENCES, strict=True))
    ]  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "samples_toy_2026-01-02T03-04-05.678.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def judged(folder, suffix="jsonl", ids=IDS):
    """Write the scores of each run, in another order than the runs."""
    return {
        name: write(folder / f"judge_{name}.{suffix}", id=ids[::-1], score=scores[::-1], why=["It is so."] * 6)
        for name, scores in SCORES.items()
    }


def scores_of(test_set):
    return {system: numbers.tolist() for system, numbers in test_set.scores["score"].items()}


def rows_of(run):
    return json.loads(run.stdout)["test_sets"][0]["tables"][0]["systems"]


@pytest.mark.parametrize("suffix", ["jsonl", "csv"])
def test_files_of_scores_alone_are_systems(tmp_path, suffix):
    paths = judged(tmp_path, suffix)
    (test_set,) = read_test_sets([*paths.values()], scores="score", need_references=False)
    assert (test_set.name, scores_of(test_set)) == (
        "test set", {f"judge_{name}": numbers[::-1] for name, numbers in SCORES.items()}
    )  # fmt: skip
    assert test_set.fields.endswith(f"Joined with {str(paths['new'])!r} by ids.")
    (test_set,) = read_test_sets(paths, scores="score", need_references=False)
    assert list(test_set.systems) == ["old", "new"]
    alone = tercet.compare(scores={"score": {name: numbers[::-1] for name, numbers in SCORES.items()}}).to_dict()
    named = [f"{name}={path}" for name, path in paths.items()]
    run = command("compare", *named, "--scores", "score", "-f", "json")
    assert rows_of(run) == alone["tables"][0]["systems"]


def test_one_file_of_scores_is_a_system_and_one_with_texts_is_as_it_was(tmp_path):
    path = write(tmp_path / "judge.csv", id=IDS, score=SCORES["new"])
    run = command("score", path, "--scores", "score", "-f", "json")
    assert [(row["system"], row["value"]) for row in rows_of(run)] == [("judge", np.mean(SCORES["new"]))]
    path = write(tmp_path / "texts.jsonl", id=IDS, tuned=TEXTS["new"], score=SCORES["new"])
    (test_set,) = read_test_sets(path, scores="score", need_references=False)
    assert (test_set.systems, scores_of(test_set)) == ({"tuned": TEXTS["new"]}, {"tuned": SCORES["new"]})


@pytest.mark.parametrize("kind", ["tables", "logs", "folders", "tables with references beside"])
def test_scores_with_the_name_of_a_run_are_of_it(tmp_path, kind):
    ids, options = IDS, {}
    if kind == "tables":
        runs = {
            name: write(tmp_path / f"{name}.jsonl", id=IDS, prediction=texts, reference=REFERENCES)
            for name, texts in TEXTS.items()
        }
    elif kind == "tables with references beside":
        runs = {name: write(tmp_path / f"{name}.jsonl", id=IDS, prediction=texts) for name, texts in TEXTS.items()}
        options = {"references": write(tmp_path / "refs.jsonl", id=IDS, reference=REFERENCES)}
    else:
        ids = list(range(6))
        runs = {name: log(tmp_path / name, texts) for name, texts in TEXTS.items()}
        if kind == "folders":
            runs = {name: path.parent for name, path in runs.items()}
    judges = judged(tmp_path / "judges", ids=ids)
    pairs = {name: [runs[name], judges[name]] for name in runs}
    (test_set,) = read_test_sets(pairs, scores="score", **options)
    assert (test_set.systems, scores_of(test_set)) == (TEXTS, SCORES)
    arguments = [f"{name}={path}" for name, both in pairs.items() for path in both]
    beside = ["-r", options["references"]] if options else []
    run = command("compare", *arguments, *beside, "--scores", "score", "-m", "chrf", "-f", "json")
    tables = json.loads(run.stdout)["test_sets"][0]["tables"]
    alone = tercet.compare(TEXTS, "chrf", references=REFERENCES, scores={"score": SCORES}).to_dict()
    assert [table["systems"] for table in tables] == [table["systems"] for table in alone["tables"]]


def test_what_a_file_of_scores_lacks_has_no_number(tmp_path):
    run = write(tmp_path / "run.jsonl", id=IDS, prediction=TEXTS["old"], reference=REFERENCES)
    judge = write(tmp_path / "judge.jsonl", id=[*IDS[1:], "z"], score=[*SCORES["old"][1:], 9.0])
    with pytest.warns(UserWarning, match="no score there|not counted"):
        (test_set,) = read_test_sets({"old": [run, judge]}, scores="score")
    assert [*test_set.warnings] == [
        f"{judge} lacks 1 of the 6 ids of {run}, the first is 'a': no score there.",
        f"{judge}: 1 of 6 ids are not in {run}, the first is 'z': not counted.",
    ]
    np.testing.assert_array_equal(test_set.scores["score"]["old"], [np.nan, *SCORES["old"][1:]])
    shorter = write(tmp_path / "shorter.jsonl", id=IDS[:5], score=SCORES["new"][:5])
    whole = write(tmp_path / "whole.jsonl", id=IDS, score=SCORES["old"])
    with pytest.warns(UserWarning, match=r"shorter\.jsonl lacks 1 of the 6 ids of .*whole\.jsonl, the first is 'f'"):
        (test_set,) = read_test_sets([whole, shorter], scores="score", need_references=False)
    np.testing.assert_array_equal(test_set.scores["score"]["shorter"], [*SCORES["new"][:5], np.nan])


@pytest.mark.parametrize(
    ("columns", "scores", "message"),
    [
        ({"id": IDS, "score": [1] * 6}, (), "as scores of it: choose them, scores='score'. Or give each file a name"),
        ({"id": IDS, "score": [1] * 6}, "grade", "as scores of it; it has no column 'grade', but 'id', 'score'."),
        ({"who": ["x y"] * 6, "score": [1] * 6}, "score", "as scores of it; expected a table with ids and numbers."),
        (
            {"id": ["v"] * 6, "score": [1] * 6},
            "score",
            "line 2, column 'id': 'v' occurs on line 1 too; expected each",
        ),
        (
            {"id": [*IDS[:5], ""], "score": [1] * 6},
            "score",
            "line 6, column 'id': expected the id of an item, got ''.",
        ),
        ({"id": [True, *IDS[1:]], "score": [1] * 6}, "score", "line 1, column 'id': expected the id of an item, got"),
        ({"id": [*"uvwxyz"], "score": [1] * 6}, "score", "judge.jsonl has none of the ids of "),
        ({"id": IDS, "prediction": ["x"] * 6}, "prediction", "both have scores 'prediction'; rename those of one."),
        ({"id": IDS, "score": ["good"] * 6}, "score", "judge.jsonl, line 1, column 'score': "),
    ],
)
def test_what_has_no_scores_of_the_file_with_its_name_is_refused(tmp_path, columns, scores, message):
    run = write(tmp_path / "run.jsonl", id=IDS, prediction=TEXTS["old"], reference=REFERENCES)
    judge = write(tmp_path / "judge.jsonl", **columns)
    with pytest.raises(InputError) as caught:
        read_test_sets([f"old={run}", f"old={judge}"], scores=scores)
    assert message in str(caught.value)


def test_what_is_not_one_run_has_no_scores_in_another_file(tmp_path):
    judge = judged(tmp_path)["old"]
    plain = write(tmp_path / "plain.jsonl", prediction=TEXTS["old"], reference=REFERENCES)
    with pytest.raises(InputError, match=r"plain\.jsonl has no column of ids, by which they could be joined"):
        read_test_sets({"old": [plain, judge]}, scores="score")
    for name in TEXTS:
        log(tmp_path / "runs" / name, TEXTS[name])
    with pytest.raises(
        InputError, match=r"runs' has 2 logs, and '.*judge_old\.jsonl' has scores of one: give the fil"
    ):
        read_test_sets({"old": [tmp_path / "runs", judge]}, scores="score")
    answers = [{"status_code": 200, "body": {"choices": [{"message": {"content": text}}]}} for text in TEXTS["old"]]
    batch = write(tmp_path / "batch.jsonl", custom_id=IDS, response=answers)
    references = write(tmp_path / "refs.jsonl", custom_id=IDS, reference=REFERENCES)
    with pytest.raises(InputError, match="are joined with tables and logs, not with answers of a batch"):
        read_test_sets({"old": [batch, judge]}, references=references, scores="score")


def test_a_long_table_of_scores_is_not_one_run(tmp_path):
    path = write(tmp_path / "judged.jsonl", question_id=IDS * 2, model=["A"] * 6 + ["B"] * 6, score=[1] * 6 + [2] * 6)
    (test_set,) = read_test_sets(path, scores="score", need_references=False)
    assert scores_of(test_set) == {"A": [1] * 6, "B": [2] * 6}


def test_files_that_are_called_as_the_scores_of_another_are_refused(tmp_path):
    paths = [
        write(tmp_path / f"{name}.csv", id=IDS, Q=scores)
        for name, scores in zip(("a", "a.Q"), SCORES.values(), strict=True)
    ]
    with pytest.raises(InputError, match=r"'Q' of the system 'a' would be called 'a\.Q', which is the name"):
        read_test_sets(paths, scores="Q", need_references=False)


def test_columns_of_slices_are_no_scores(tmp_path):
    columns = {"id": IDS, "domain": ["a", "b"] * 3, "doc": ["x"] * 3 + ["y"] * 3}
    path = write(tmp_path / "wide.csv", **columns, **{f"{name}.score": scores for name, scores in SCORES.items()})
    options = {"scores": "score", "need_references": False, "by": "domain", "cluster": "doc"}
    (test_set,) = read_test_sets(path, **options)
    roles = {"id": "left out", "domain": "slices", "doc": "clusters", "old.score": "scores", "new.score": "scores"}
    assert {reading.column: reading.role for reading in test_set.columns} == roles
    assert [*test_set.own_columns] == ["domain", "doc"]
