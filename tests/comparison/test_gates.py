"""Gates by their exit code: what is worse, missing or unknown fails, and what is as good passes."""

import csv
import html
import json
from dataclasses import replace

import numpy as np
import pytest

import tercet
from commands import command
from gate_scenes import BAD, FAILING, GOOD, PASSING, REFERENCES, N
from tercet.errors import OptionError
from tercet.testing import assert_not_worse, assert_score


def table(path, **columns):
    """Write a table of columns of N cells."""
    names = [name.replace("__", ".") for name in columns]
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", *names])
        for number, cells in enumerate(zip(*columns.values(), strict=True)):
            rows.writerow([f"q{number}", *cells])
    return path


def texts(path, **systems):
    return table(path, **systems, reference=REFERENCES)


def numbers(start, step=0.0):
    return [round(start + step + (number * 7 % 11) / 10, 3) for number in range(N)]


def without(values, n_missing):
    return [""] * n_missing + values[n_missing:]


def batch(path, answers, *, failed=0, cut_off=0, ended="length"):
    """Write the output of a batch of which the first requests failed, and the next answers are cut off."""
    rows = []
    for number, text in enumerate(answers):
        reason = ended if failed <= number < failed + cut_off else "stop"
        choices = [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": reason}]
        body = {"model": "gpt-x", "choices": choices}
        response, error = {"status_code": 200, "body": body}, None
        if number < failed:
            response, error = None, {"message": "overloaded"}
        rows.append({"custom_id": f"q{number}", "response": response, "error": error})
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def inspect_log(folder, answers, *, failed=0, score=1, status="success", eval=None, given=None):
    """Write a log of inspect-ai of which the last samples ended with an error, or as `given` says."""
    samples = []
    for number, text in enumerate(answers):
        sample = {
            "id": number,
            "epoch": 1,
            "input": f"Frage {number}",
            "target": REFERENCES[number],
            "output": {"completion": text, "choices": [{"message": {"content": text}, "stop_reason": "stop"}]},
            "scores": {"match": {"value": "C" if number % 4 < 3 * score else "I"}},
        }
        if number >= N - failed:
            sample |= given or {"error": {"message": "timeout"}}
        samples.append(sample)
    folder.mkdir(parents=True)
    path = folder / "2026-05-04T10-20-30+00-00_garten_x.json"
    header = {"version": 2, "status": status, "eval": {"task": "garten", "model": folder.name, **(eval or {})}}
    path.write_text(json.dumps(header | {"samples": samples}, ensure_ascii=False), encoding="utf-8")
    return path


def harness_log(folder, task, answers, scores=None):
    """Write a log of lm-evaluation-harness: the placeholder of a task without scores, or its exact matches."""
    rows = []
    for number, text in enumerate(answers):
        name, value = ("bypass", 0) if scores is None else ("exact_match", scores[number])
        rows.append(
            {
                "doc_id": number,
                "doc": {"question": f"Frage {number}"},
                "target": REFERENCES[number],
                "arguments": {"gen_args_0": {"arg_0": f"Frage {number}", "arg_1": {}}},
                "resps": [[text]],
                "filtered_resps": [text],
                "filter": "none",
                "metrics": [name],
                "doc_hash": f"{number:064x}",
                "prompt_hash": f"{number:064x}",
                "target_hash": f"{number:064x}",
                name: value,
            }
        )
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"samples_{task}_2026-05-04T10-20-30.123456.jsonl"
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def two_tasks(folder, n_answers=N):
    """Write runs of a task without scores, garten, and of one with them, of which the new run has so many answers."""
    for run, answers in (("old", BAD), ("new", GOOD)):
        harness_log(folder / run, "garten", answers)
    right = [float(number % 4 > 0) for number in range(N)]
    harness_log(folder / "old", "zahlen", BAD, right)
    harness_log(folder / "new", "zahlen", GOOD[:n_answers], right)
    return folder / "old", folder / "new"


def gate(code, *arguments):
    return command("compare", *arguments, code=code).stderr


def assert_passes(*arguments):
    """The gate is evaluated, and lets the systems pass: exit code 0 alone says neither."""
    said = gate(0, *arguments)
    assert "passed: " in said
    assert "failed: " not in said


def words(scene, folder):
    """Return the arguments of a scene's gate."""
    systems = ("-s", "old", "-s", "new")
    return scene.write(folder / "t.csv"), *systems, "-m", scene.metric, "--max-missing", scene.most_missing


def assert_scene(scene):
    gated = {"margin": scene.margin, "max_missing": scene.max_missing}
    assert_not_worse(scene.new, scene.old, scene.references, scene.metric, **gated)


class TestFails:
    @pytest.mark.parametrize("name", FAILING)
    def test_in_a_scene(self, tmp_path, name):
        said = gate(1, *words(FAILING[name], tmp_path), "--fail-if-worse", FAILING[name].gate)
        assert FAILING[name].said in said

    def test_a_thousand_beside_decimal_commas(self, tmp_path):
        old = [f"9{number % 90 + 10},5" for number in range(N)]
        new = [f"1.1{number % 90 + 10}" for number in range(N - 1)] + ["985,5"]
        path = tmp_path / "t.csv"
        rows = "".join(f"{one};{other}\n" for one, other in zip(old, new, strict=True))
        path.write_text(f"old.latency_ms;new.latency_ms\n{rows}", encoding="utf-8")
        assert "worse, significantly" in gate(1, path, "--scores", "latency_ms", "--fail-if-worse", "latency_ms")

    def test_missing_scores(self, tmp_path):
        path = table(tmp_path / "t.csv", old__judge=numbers(4), new__judge=without(numbers(5), 24))
        said = gate(1, path, "--scores", "judge", "--fail-if-worse", "judge")
        assert "failed: t: 'new' lacks 24 of 60 segments (24 without a number); at most 1 % may be missing" in said
        assert "passed" not in said

    def test_failed_requests(self, tmp_path):
        old, new = batch(tmp_path / "old.jsonl", GOOD), batch(tmp_path / "new.jsonl", REFERENCES, failed=36)
        references = table(tmp_path / "refs.csv", reference=REFERENCES)
        said = gate(1, old, new, "-r", references, "-m", "chrf", "--fail-if-worse", "chrf")
        assert "'new' lacks 36 of 60 segments (36 missing)" in said

    def test_requests_that_nobody_answered(self, tmp_path):
        old, new = batch(tmp_path / "old.jsonl", GOOD[:57]), batch(tmp_path / "new.jsonl", REFERENCES[:57])
        references = table(tmp_path / "refs.csv", reference=REFERENCES)
        asked = [old, new, "-r", references, "-m", "chrf", "--fail-if-worse", "chrf"]
        assert "'new' lacks 3 of 60 segments (3 missing)" in gate(1, *asked)
        requests = tmp_path / "input.jsonl"
        lines = [
            {"custom_id": f"q{number}", "url": "/v1/chat/completions", "body": {"messages": []}}
            for number in range(57)
        ]
        requests.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        gate(0, *asked, "--source", requests)

    def test_answers_that_are_cut_off(self, tmp_path):
        old, new = batch(tmp_path / "old.jsonl", GOOD), batch(tmp_path / "new.jsonl", REFERENCES, cut_off=7)
        references = table(tmp_path / "refs.csv", reference=REFERENCES)
        said = gate(1, old, new, "-r", references, "-m", "chrf", "--fail-if-worse", "chrf")
        assert "'new' lacks 7 of 60 segments (7 cut off)" in said

    def test_answers_that_a_filter_stopped(self, tmp_path):
        old = batch(tmp_path / "old.jsonl", GOOD)
        new = batch(tmp_path / "new.jsonl", REFERENCES, cut_off=7, ended="content_filter")
        references = table(tmp_path / "refs.csv", reference=REFERENCES)
        said = gate(1, old, new, "-r", references, "-m", "chrf", "--fail-if-worse", "chrf")
        assert "'new' lacks 7 of 60 segments (7 stopped by a filter)" in said

    def test_samples_that_ended_with_an_error(self, tmp_path):
        old, new = inspect_log(tmp_path / "old", GOOD), inspect_log(tmp_path / "new", REFERENCES, failed=25)
        assert "'new' lacks 25 of 60 segments (25 missing)" in gate(1, old, new, "--fail-if-worse", "match")

    @pytest.mark.parametrize(
        "given",
        [
            {"limit": {"type": "time", "limit": 60}},
            {
                "output": {
                    "completion": "ein",
                    "choices": [{"message": {"content": "ein"}, "stop_reason": "model_length"}],
                }
            },
        ],
    )
    def test_samples_that_a_limit_ended(self, tmp_path, given):
        old, new = (
            inspect_log(tmp_path / "old", GOOD),
            inspect_log(tmp_path / "new", REFERENCES, failed=9, given=given),
        )
        assert "'new' lacks 9 of 60 segments (9 cut off)" in gate(1, old, new, "--fail-if-worse", "match")

    def test_samples_that_a_run_had_before_it(self, tmp_path):
        for place, (eval, status, code) in enumerate(
            (
                ({"dataset": {"samples": 60}}, "error", 1),
                ({"dataset": {"samples": 90, "sample_ids": [*range(N)]}}, "cancelled", 1),
                ({"dataset": {"samples": 30}, "config": {"epochs": 2}}, "started", 1),
                ({"dataset": {"samples": 90}, "config": {"limit": 50}}, "error", 0),
                ({"dataset": {"samples": 60}}, "success", 0),
                # How many there were, nobody says.
                ({"dataset": "новости"}, "error", 0),
                ({"dataset": {"name": "новости"}}, "cancelled", 0),
            )
        ):
            new = inspect_log(tmp_path / f"{place}" / "new", REFERENCES[:50], eval=eval, status=status)
            said = gate(code, new, "--fail-under", "match=5")
            if code:
                assert "'new' lacks 10 of 60 segments (10 missing)" in said
                assert f"the run broke off (status '{status}'): 10 of 60 samples are not in the log." in said
            else:
                assert "the run broke off" not in said

    def test_empty_answers_and_errors_in_their_place(self, tmp_path):
        new = ["", "API error", "timeout", *REFERENCES[3:]]
        path = texts(tmp_path / "t.csv", old=GOOD, new=new)
        said = gate(1, path, "-m", "chrf", "--fail-if-worse", "chrf")
        assert "'new' lacks 3 of 60 segments (1 empty, 2 an error's message)" in said
        assert "'new' lacks 3 of 60" in gate(1, path, "-m", "chrf", "--fail-under", "chrf=10", "--max-missing", "2 %")

    def test_numbers_that_stand_for_missing_ones(self, tmp_path):
        new = [-1 if number < 24 else 1.5 for number in range(N)]
        path = table(tmp_path / "t.csv", old__latency=numbers(2), new__latency=new)
        said = gate(1, path, "--scores", "latency", "--fail-if-worse", "latency")
        assert "'new' lacks 24 of 60 segments (24 with a number that stands for a missing one)" in said

    def test_empty_answers_under_a_score_of_another_program(self, tmp_path):
        new = ["" if number < 25 else text for number, text in enumerate(REFERENCES)]
        logs = inspect_log(tmp_path / "old", GOOD, score=0.5), inspect_log(tmp_path / "new", new)
        assert "'new' lacks 25 of 60 segments (25 empty)" in gate(1, *logs, "--fail-if-worse", "match")

    def test_a_test_set_that_a_system_lacks(self, tmp_path):
        news = texts(tmp_path / "news.csv", old=GOOD, new=REFERENCES)
        chat = texts(tmp_path / "chat.csv", old=GOOD, mid=REFERENCES)
        said = gate(1, news, chat, "-m", "chrf", "--fail-if-worse", "chrf")
        assert "failed: chat: 'new' is missing: all 60 segments." in said
        assert "failed: over all: " in said

    def test_what_is_cut_off_and_empty_is_counted_once(self, tmp_path):
        old, new = (
            batch(tmp_path / "old.jsonl", GOOD),
            batch(tmp_path / "new.jsonl", ["", *REFERENCES[1:]], cut_off=1),
        )
        references = table(tmp_path / "refs.csv", reference=REFERENCES)
        words = ("-r", references, "-m", "chrf", "--fail-if-worse", "chrf")
        assert "'new' lacks 1 of 60 segments" in gate(1, old, new, *words)
        gate(0, old, new, *words, "--max-missing", "2%")

    def test_a_loss_that_may_exceed_the_margin(self, tmp_path):
        path = table(tmp_path / "t.csv", old__accuracy=[1] * N, new__accuracy=[1] * (N - 3) + [0] * 3)
        said = gate(1, path, "--scores", "accuracy", "--fail-if-worse", "accuracy=6")
        assert "5.00 points of accuracy worse; the margin is 6; too uncertain to pass" in said

    def test_a_baseline_that_answered_next_to_nothing(self, tmp_path):
        old, new = batch(tmp_path / "old.jsonl", BAD, failed=57), batch(tmp_path / "new.jsonl", REFERENCES)
        references = table(tmp_path / "refs.csv", reference=REFERENCES)
        said = gate(1, old, new, "-r", references, "-m", "chrf", "--fail-if-worse", "chrf")
        assert "chrF higher; not tested, as there are too few segments." in said

    def test_one_of_several_tasks(self, tmp_path):
        good, bad = texts(tmp_path / "a.csv", old=GOOD, new=GOOD), texts(tmp_path / "b.csv", old=GOOD, new=BAD)
        said = gate(1, good, bad, "-m", "chrf", "--fail-if-worse", "chrf").splitlines()
        assert said[-1] == "failed: over all: 1 of 2 test sets: b."

    def test_a_task_that_lacks_answers_beside_one_without_scores(self, tmp_path):
        said = gate(1, *two_tasks(tmp_path, N - 4), "--fail-if-worse", "chrf")
        assert "passed: garten: 'new' against 'old'" in said
        assert "failed: zahlen: 'new' lacks 4 of 60 segments (4 missing)" in said
        assert "failed: over all: 1 of 2 test sets: zahlen." in said
        assert "passed: zahlen" not in said

    @pytest.mark.parametrize("option", [("--fail-if-worse", "exact_match"), ("--fail-under", "exact_match=10")])
    def test_a_task_that_has_none_of_the_scores(self, tmp_path, option):
        said = gate(1, *two_tasks(tmp_path), *option)
        assert "failed: garten: not gated: its scores are chrf, and the gate names 'exact_match'." in said
        assert "failed: over all: 1 of 2 test sets: garten." in said

    def test_answers_that_a_task_lacks_which_has_none_of_the_scores(self, tmp_path):
        runs = two_tasks(tmp_path)
        harness_log(runs[1], "garten", GOOD[: N - 4])
        said = gate(1, *runs, "--fail-if-worse", "exact_match")
        assert "failed: garten: 'new' lacks 4 of 60 segments (4 missing)" in said

    @pytest.mark.filterwarnings("ignore:.*has the same text in 4 of 60")
    @pytest.mark.parametrize("name", FAILING)
    def test_in_a_scene_of_pytest(self, name):
        with pytest.raises(AssertionError) as failure:
            assert_scene(FAILING[name])
        assert FAILING[name].said in str(failure.value)

    def test_under_a_threshold_in_pytest(self):
        with pytest.raises(AssertionError, match="'predictions' lacks 6 of 60"):
            assert_score([""] * 6 + REFERENCES[6:], REFERENCES, "chrf", at_least=5)

    @pytest.mark.parametrize(
        ("column", "whole", "lost", "kind"),
        [
            ("finish_reason", "stop", "length", "cut off"),
            ("finish_reason", "stop", "content_filter", "stopped by a filter"),
            ("status", "ok", "error", "failed"),
            ("error", "", "overloaded", "failed"),
            ("error", None, {"message": "overloaded", "code": 529}, "failed"),
        ],
    )
    def test_what_a_column_says_of_answers(self, tmp_path, column, whole, lost, kind):
        said_of_new = [lost] * 9 + [whole] * (N - 9)
        says = f"'new' lacks 9 of 60 segments (9 {kind})"
        beside = {"old": GOOD, "new": REFERENCES, f"new__{column}": said_of_new}
        gated = ("-m", "chrf", "--fail-if-worse", "chrf")
        assert says in gate(1, texts(tmp_path / "wide.csv", **beside), *gated)
        scores = {"old__judge": numbers(4), "new__judge": numbers(5), f"new__{column}": said_of_new}
        path = table(tmp_path / "scores.csv", **scores)
        assert says in gate(1, path, "--scores", "judge", "--fail-if-worse", "judge")
        old, new = texts(tmp_path / "old.csv", output=GOOD), tmp_path / "new.csv"
        texts(new, output=["", *REFERENCES[1:]], **{column: said_of_new})  # an empty answer that failed counts once
        assert says in gate(1, old, new, *gated)
        rows = [
            {"item": number, "model": model, "output": answers[number], column: said, "reference": REFERENCES[number]}
            for number in range(N)
            for model, answers, said in (("old", GOOD, whole), ("new", REFERENCES, said_of_new[number]))
        ]
        path = tmp_path / "long.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        assert says in gate(1, path, *gated)

    def test_what_a_column_of_errors_says_of_most_answers(self, tmp_path):
        errors = ["overloaded"] * 40 + [""] * (N - 40)
        lacks = "'new' lacks 40 of 60 segments (40 failed)"
        gated = ("-m", "chrf", "--fail-if-worse", "chrf")
        path = texts(tmp_path / "t.csv", old=GOOD, new=REFERENCES, new__error__message=errors)
        assert lacks in gate(1, path, *gated)
        # Without a name that says so, they may be remarks: nothing is counted, and that is said.
        path = texts(tmp_path / "t.csv", old=GOOD, new=REFERENCES, new__error=errors)
        said = gate(0, path, *gated)
        assert "'new.error' has a text in 40 of 60 rows. So many may be remarks" in said
        assert "call the column 'new.error.message'" in said
        path = table(tmp_path / "s.csv", old__judge=numbers(4), new__judge=numbers(5), new__error=errors)
        assert "'new.error' has a text in 40 of 60" in gate(0, path, "--scores", "judge", "--fail-if-worse", "judge")
        # Answers that are empty are missing by themselves.
        path = texts(tmp_path / "t.csv", old=GOOD, new=without(REFERENCES, 40), new__error=errors)
        said = gate(1, path, *gated)
        assert "'new' lacks 40 of 60 segments (40 empty)" in said
        assert "may be remarks" not in said


class TestAsks:
    @pytest.mark.parametrize("name", ["response_time", "ttft_ms", "price", "tokens", "penalty", "refusals"])
    def test_which_numbers_are_better(self, tmp_path, name):
        path = table(tmp_path / "t.csv", **{f"old__{name}": numbers(4), f"new__{name}": numbers(4, 2)})
        for option in (("--fail-if-worse", name), ("--fail-under", f"{name}=3")):
            said = gate(2, path, "--scores", name, *option)
            assert f"does not say whether higher or lower numbers of {name!r} are better" in said
            assert f"--scores {name}:better=lower" in said
        gate(1, path, "--scores", f"{name}:better=lower", "--fail-if-worse", name)
        gate(0, path, "--scores", f"{name}:better=higher", "--fail-if-worse", name)
        # A comparison without a gate takes higher ones, and says so.
        for form in ("text", "markdown", "html"):
            out = command("compare", path, "--scores", name, "--format", form).stdout
            said = f"Whether higher or lower numbers of '{name}' are better is not known: higher ones are taken"
            assert said in html.unescape(out)
            out = command("compare", path, "--scores", f"{name}:better=lower", "--format", form).stdout
            assert "is not known" not in out

    def test_for_a_score_that_tells_something_apart(self, tmp_path):
        path = table(tmp_path / "t.csv", old__score=[999] * N, new__score=[999] * N)
        said = gate(2, path, "--scores", "score", "--fail-if-worse", "score")
        assert "'score' is 999 in every segment of every system: a placeholder" in said

    @pytest.mark.parametrize("written", ["-1", "101", "some", "nan"])
    def test_for_a_percentage(self, tmp_path, written):
        path = texts(tmp_path / "t.csv", old=GOOD, new=GOOD)
        said = gate(2, path, "-m", "chrf", "--fail-if-worse", "chrf", "--max-missing", written)
        assert "--max-missing takes a percentage from 0 to 100" in said
        with pytest.raises(OptionError, match="max_missing must be a share from 0 to 1, got 5"):
            assert_score(GOOD, REFERENCES, "chrf", at_least=5, max_missing=5)


class TestPasses:
    @pytest.mark.parametrize("name", PASSING)
    def test_in_a_scene(self, tmp_path, name):
        said = gate(0, *words(PASSING[name], tmp_path), "--fail-if-worse", PASSING[name].gate)
        assert "passed: t: 'new' against 'old'" in said

    def test_test_sets_of_other_systems(self, tmp_path):
        german = texts(tmp_path / "de.csv", old=BAD, new=REFERENCES)
        greek = texts(tmp_path / "el.csv", alt=BAD, neu=REFERENCES)
        assert_passes(german, greek, "-m", "chrf", "--fail-if-worse", "chrf")

    def test_a_metric_that_the_gate_alone_names(self, tmp_path):
        assert_passes(texts(tmp_path / "t.csv", old=BAD, new=GOOD), "--fail-if-worse", "chrf")

    def test_a_lower_rate(self, tmp_path):
        path = table(tmp_path / "t.csv", old__wer=numbers(4, 2), new__wer=numbers(4))
        assert_passes(path, "--scores", "wer", "--fail-if-worse", "wer")

    def test_few_enough_missing_scores(self, tmp_path):
        path = table(tmp_path / "t.csv", old__judge=numbers(4), new__judge=without(numbers(5), 3))
        assert_passes(path, "--scores", "judge", "--fail-if-worse", "judge", "--max-missing", "5%")

    def test_what_the_baseline_lacks(self, tmp_path):
        path = table(tmp_path / "t.csv", old__judge=without(numbers(4), 9), new__judge=numbers(5))
        assert_passes(path, "--scores", "judge", "--fail-if-worse", "judge")

    @pytest.mark.parametrize(
        ("column", "cells"),
        [("status", ["passed", "failed", "ok"]), ("error", [0.2, 0.4, ""]), ("finish_reason", ["stop", "eos", ""])],
    )
    def test_columns_that_say_something_else(self, tmp_path, column, cells):
        path = texts(tmp_path / "t.csv", old=GOOD, new=GOOD, **{column: cells * 20, f"new__{column}": cells * 20})
        said = gate(0, path, "-m", "chrf", "--fail-if-worse", "chrf")
        assert f"systems: 'old', 'new'; references: 'reference'; left out: 'id', '{column}', 'new.{column}'." in said

    def test_a_score_of_a_log(self, tmp_path):
        old, new = inspect_log(tmp_path / "old", GOOD), inspect_log(tmp_path / "new", REFERENCES)
        assert_passes(old, new, "--fail-if-worse", "match")

    def test_tasks_with_scores_and_without_by_the_metric_that_the_gate_names(self, tmp_path):
        run = command("compare", *two_tasks(tmp_path), "--fail-if-worse", "chrf", "--format", "tsv", code=0)
        assert "passed: garten: 'new' against 'old': scores" in run.stderr
        assert "passed: zahlen: 'new' against 'old': scores" in run.stderr
        assert "passed: over all: all 2 test sets." in run.stderr
        rows = csv.DictReader(run.stdout.splitlines(), delimiter="\t")
        scored = {(row["test_set"], row["score"]) for row in rows}
        assert {("garten", "chrf"), ("zahlen", "exact_match"), ("zahlen", "chrf")} < scored

    def test_each_task_by_a_score_of_its_own(self, tmp_path):
        assert_passes(*two_tasks(tmp_path), "--fail-if-worse", "exact_match", "--fail-under", "chrf=5")

    def test_all_of_several_tasks(self, tmp_path):
        paths = [texts(tmp_path / f"{name}.csv", old=BAD, new=GOOD) for name in "ab"]
        said = gate(0, *paths, "-m", "chrf", "--fail-if-worse", "chrf").splitlines()
        assert said[-1] == "passed: over all: all 2 test sets."

    @pytest.mark.filterwarnings("ignore:.*has the same text in 4 of 60")
    @pytest.mark.parametrize("name", PASSING)
    def test_in_a_scene_of_pytest(self, name):
        assert_scene(PASSING[name])

    def test_above_a_threshold_in_pytest(self):
        assert_score(GOOD, REFERENCES, "chrf", at_least=50)


def test_placeholders_are_left_out_by_default(tmp_path):
    values = {"base": np.zeros(N), "new": np.zeros(N)}
    (read,) = tercet.read_test_sets(texts(tmp_path / "t.csv", base=BAD, new=GOOD))
    test_set = replace(read, scores={"bypass": values})
    with pytest.warns(UserWarning, match="bypass is 0 in every segment of every system: a placeholder"):
        found = tercet.compare(test_set)
    assert [each.name for each in found.tables] == ["chrf"]
