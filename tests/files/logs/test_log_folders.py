"""Folders of harnesses: their logs are found, the newest of each run; forks, old logs, and what scores a task."""

import json
from dataclasses import replace

import pytest

import harness_logs as logs
import tercet
from commands import command
from harness_logs import ENGLISH, GERMAN, RUNS, TARGETS
from tercet.errors import InputError
from tercet.files.logs.folders import read_folder
from tercet.files.logs.runs import join_logs

TASK = "samples_toy_2026-01-02T0{}-04-05.678.jsonl"


def samples(path, texts, **fields):
    """Write what lm-evaluation-harness logs, with other or further fields; None leaves one out."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [
        {
            "doc_id": number, "doc": {"de": german}, "target": targets[0], "resps": [[text]],
            "arguments": {"gen_args_0": {"arg_0": german, "arg_1": {"until": ["\n"]}}}, "filtered_resps": [text],
            "filter": "none", "doc_hash": "0f3a", "metrics": ["bleu"], "bleu": 0.5, **fields,
        }
        for number, (german, targets, text) in enumerate(zip(GERMAN, TARGETS, texts, strict=True))
    ]  # fmt: skip
    rows = [{name: value for name, value in row.items() if value is not None} for row in rows]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def folders(tmp_path):
    """Return the folders of two runs, with results and hidden files beside the logs."""
    for run, texts in RUNS.items():
        samples(tmp_path / run / "some__model" / TASK.format(3), texts)
        (tmp_path / run / "some__model" / "results_2026-01-02T03-04-05.678.json").write_text("{}")
        (tmp_path / run / ".cache").mkdir()
        (tmp_path / run / ".cache" / "samples_old.jsonl").write_text("{")
    return [tmp_path / run for run in RUNS]


def refusal(*paths, **options):
    with pytest.raises(InputError) as caught:
        tercet.read_test_sets(paths, **options)
    return str(caught.value)


def test_folders_are_read_as_the_logs_in_them(folders):
    (found,) = tercet.read_test_sets(folders)
    assert found.systems == {"A": RUNS["A"], "B": RUNS["B"]}
    assert (found.name, found.source) == ("toy", GERMAN)
    assert [list(each.systems) for each in tercet.read_test_sets([folders[0].parent])] == [["A", "B"]]
    file = folders[0] / "some__model" / TASK.format(3)
    assert tercet.read_test_sets([file, folders[1]]) == [found]
    run = command("compare", "A", "B", "--n-resamples", "9", cwd=folders[0].parent)
    assert "note: toy: logs of lm-evaluation-harness: A, B: predictions from filtered_resps;" in run.stderr


def test_those_of_lighteval_and_inspect(tmp_path):
    path = "{0}/details/org/model/2026-01-02T03-04-05.6/details_toy:de-en|0_2026-01-02T03-04-05.6.parquet"
    for run, texts in RUNS.items():
        logs.lighteval_shape(tmp_path / path.format(run), texts)
        for format in ("eval", "json"):
            logs.inspect_shape(
                tmp_path / f"{run}_{format}/logs/2026-01-02T03-04-05+00-00_de-en_x.{format}", texts, run
            )
    for ending in ("", "_eval", "_json"):
        (found,) = tercet.read_test_sets([tmp_path / f"{run}{ending}" for run in RUNS])
        assert found.systems == {run: RUNS[run] for run in RUNS}


@pytest.mark.parametrize(
    ("name", "run"),
    [("/samples_gsm8k.jsonl", "samples_gsm8k"), ("/2024-05-01T10-20-30/samples_x.jsonl", "samples_x")],
)
def test_a_log_in_no_folder_is_called_as_its_file(folders, name, run):
    (log,) = read_folder(str(folders[0]))
    (runs,) = join_logs([replace(log, name=name)])
    assert runs.systems == {run: RUNS["A"]}


def test_of_several_runs_of_a_task_the_newest_is_read(folders):
    newer = samples(folders[0] / "some__model" / TASK.format(9), ENGLISH)
    samples(folders[0] / "other__model" / TASK.format(1), RUNS["B"])
    with pytest.warns(UserWarning, match=rf"A: toy has 2 runs; the newest, '{newer}', is read\. To read another"):
        (found,) = tercet.read_test_sets([folders[0]])
    assert found.systems == {"other__model": RUNS["B"], "some__model": ENGLISH}


def test_folders_without_logs_say_what_is_there(tmp_path):
    (tmp_path / "out").mkdir()
    assert "cannot be read: it is a folder without logs of a harness; it holds no file; expected samples_" in refusal(
        tmp_path / "out"
    )
    for number in range(12):
        (tmp_path / "out" / f"{number:02}.txt").write_text("a\n")
    message = refusal(tmp_path / "out")
    assert "it holds '00.txt', '01.txt', " in message
    assert "'09.txt' and 2 more; expected samples_*.jsonl of lm-evaluation-harness (--log_samples)" in message
    assert message.endswith("results of promptfoo in JSON; or give files.")
    (tmp_path / "out" / "表.csv").write_text("система,ref\nкот,кот\n", encoding="utf-8")
    assert refusal(tmp_path / "out").endswith(f"in JSON; or give files, such as '{tmp_path / 'out' / '表.csv'}'.")
    assert "is a folder; expected the files in it" in refusal("a.txt", references=tmp_path / "out")


def test_a_log_without_texts_is_left_out_beside_others(folders):
    request = {"gen_args_0": {"arg_0": "a", "arg_1": " b"}}
    choices = samples(
        folders[0] / "some__model" / "samples_quiz_2026-01-02T03-04-05.6.jsonl", ENGLISH, arguments=request
    )
    assert [found.name for found in tercet.read_test_sets([folders[0]])] == ["quiz", "toy"]
    with pytest.warns(UserWarning, match=rf"quiz is left out: {choices}, line 1: this log holds log-likelihoods"):
        assert [found.name for found in tercet.read_test_sets([folders[0]], need_texts=True)] == ["toy"]
    run = command("compare", folders[0], "-m", "chrf")
    assert "warning: quiz is left out" in run.stderr
    assert "compare its scores: --scores bleu." in run.stderr
    next(folders[0].rglob("samples_toy*")).unlink()
    run = command("compare", folders[0], "-m", "chrf", code=2)
    assert "quiz has no texts for chrf_multi: " in run.stderr
    assert "this log holds log-likelihoods of a text, not texts that a model wrote" in run.stderr
    broken = samples(folders[0] / "some__model" / "samples_other_2026-01-02T03-04-05.6.jsonl", ENGLISH, arguments=[])
    with pytest.warns(UserWarning, match=f"A log is left out: {broken}, line 1: expected the requests of a sample"):
        assert [found.name for found in tercet.read_test_sets([folders[0]])] == ["quiz"]
    with broken.open("w") as file:
        file.write(choices.read_text().splitlines()[0] + "\n")
        file.write(next(folders[1].rglob("samples_toy*")).read_text())
    assert "line 1: this log holds log-likelihoods of a text, not texts that a model wrote, but line 2" in refusal(
        broken
    )


@pytest.mark.parametrize("form", [lambda text: [text], str, lambda text: [[text]]], ids=["list", "text", "lists"])
def test_logs_of_lmms_eval(tmp_path, form):
    """They have no requests, and responses without a filter, flat."""
    for run, texts in RUNS.items():
        path = samples(tmp_path / run / "toy.jsonl", texts, arguments=None, doc=None, filter=None, input="Was?")
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        rows = [
            {**row, "resps": form(text), "filtered_resps": form(text)} for row, text in zip(rows, texts, strict=True)
        ]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    (found,) = tercet.read_test_sets([tmp_path / run / "toy.jsonl" for run in RUNS])
    assert found.systems == RUNS
    assert found.references == [[targets[0]] for targets in TARGETS]
    assert found.source == ["Was?"] * len(GERMAN)


def test_logs_of_lmms_eval_as_it_names_them(tmp_path):
    """Scores may be objects, choices are pairs, and the direction is in the results beside the samples."""
    responses = [["-1.5", "False"], ["-0.5", "True"]]
    for run in RUNS:
        folder = tmp_path / run / "some__model"
        path = samples(
            folder / "20260102_030405_samples_quiz.jsonl", RUNS[run], arguments=None, doc=None, filter=None,
            input="Was?", metrics=None, bleu=None, success=True, filtered_resps=responses, resps=responses,
            quiz_acc={"question_id": 3, "category": "a", "score": 1.0}, quiz_misses=2, gold={"id": 1, "answer": "B"},
        )  # fmt: skip
        directions = {"higher_is_better": {"quiz": {"quiz_acc": True, "quiz_misses": False, "gold": None}}}
        (folder / "20260102_030405_results.json").write_text(json.dumps(directions))
    (found,) = tercet.read_test_sets([tmp_path / run for run in RUNS])
    assert (found.name, list(found.systems), list(found.scores)) == ("quiz", list(RUNS), ["quiz_acc", "quiz_misses"])
    assert found.lower_is_better == ("quiz_misses",)
    assert "log-likelihoods of 2 choices" in found.no_texts
    for content in ("{", "[]", '{"higher_is_better": 1}', '{"higher_is_better": {"quiz": [1]}}', "[" * 10**5):
        (folder / "20260102_030405_results.json").write_text(content)
        assert tercet.read_test_sets(path)[0].lower_is_better == ()


def test_old_logs_of_several_filters_say_how_to_choose(tmp_path):
    path = samples(tmp_path / "samples_toy.jsonl", RUNS["A"], filter=None)
    path.write_text(path.read_text() * 2)
    message = refusal(path)
    assert "line 5: doc_id 0 occurs again in 'filtered_resps'; the harness writes a line for each filter" in message
    assert message.endswith("and choose a filter: systems=.")


def test_chats_as_prompts_are_no_source(tmp_path):
    request = {"gen_args_0": {"arg_0": [{"role": "user", "content": "a"}], "arg_1": {}}}
    (found,) = tercet.read_test_sets(samples(tmp_path / "samples_toy.jsonl", RUNS["A"], arguments=request))
    assert found.source is None


def test_columns_whose_names_end_alike_are_systems_by_their_whole_names(tmp_path):
    answers = {"small answer": "a cat", "large answer": "猫"}
    path = samples(tmp_path / TASK.format(3), RUNS["A"], doc=answers)
    (found,) = tercet.read_test_sets(path, systems=["doc.small answer", "doc.large answer"])
    assert list(map(list, found.systems.values())) == [["a cat"] * 4, ["猫"] * 4]
    assert [name[-16:] for name in found.systems] == ["doc.small answer", "doc.large answer"]


def test_a_task_of_right_and_wrong_says_what_it_is_scored_by(tmp_path):
    scored = "this task is scored by {}, in the log of {}: whether an answer is right as a whole"
    exact = {"exact_match": 0.0}
    for fields, names in (
        ({"metrics": ["exact_match"], **exact}, "exact_match"),
        ({"metrics": None, "bleu": None, **exact}, "exact_match"),
        ({"metrics": ["acc", "acc_norm"]}, "acc, acc_norm"),
        ({"metrics": ["exactMatch"], "exactMatch": 0.0}, "exactMatch"),
    ):  # fmt: skip
        path = samples(tmp_path / TASK.format(1), RUNS["A"], **fields)
        (found,) = tercet.read_test_sets(path)
        with pytest.warns(UserWarning, match=f"toy: {scored.format(names, 'lm-evaluation-harness')}"):
            tercet.compare(found, "chrf")
    for fields in (
        {"metrics": ["bleu", "exact_match"]}, {"metrics": ["bypass"]}, {"metrics": None, "bleu": None},
        {"metrics": ["chrF", "exact_match"]},
    ):  # fmt: skip
        (found,) = tercet.read_test_sets(samples(tmp_path / TASK.format(1), RUNS["A"], **fields))
        tercet.compare(found, "chrf")  # no warning
    path = logs.inspect_shape(tmp_path / "a.eval", RUNS["A"], scores={"choice": {"value": "C"}})
    (found,) = tercet.read_test_sets(path)
    with pytest.warns(UserWarning, match=f"de_en: {scored.format('choice', 'inspect-ai')}"):
        tercet.compare(found, "chrf")


def test_a_column_without_a_number_is_no_score(tmp_path):
    path = samples(tmp_path / TASK.format(1), RUNS["A"], metrics=None)
    path.write_text(path.read_text().replace('"bleu": 0.5', '"bleu": 0.5, "judge": null'))
    (found,) = tercet.read_test_sets(path)
    with pytest.raises(InputError, match="has no scores 'judge'"):
        tercet.compare(found, scores="judge")
    (log,) = read_folder(str(tmp_path))
    assert log.scores == ("bleu",)


def test_logs_without_the_scores_that_are_named_are_left_out(tmp_path):
    paths = [
        samples(
            tmp_path / f"a/samples_{task}_2026-01-02T03-04-05.678.jsonl", RUNS["A"], metrics=[score], **{score: 1}
        )
        for task, score in (("one", "acc"), ("other", "f1"))
    ]
    with pytest.warns(UserWarning, match=r"^other is left out: it has no scores 'acc'\.$"):
        (found,) = tercet.read_test_sets(paths, scores="acc")
    assert found.name == "one"
    both = tercet.read_test_sets(paths, scores="em")
    with pytest.raises(InputError, match="one has no scores 'em'"):
        tercet.compare(both[0], scores="em")
