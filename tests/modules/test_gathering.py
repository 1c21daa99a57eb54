"""What is added is there until it has been scored: over threads, processes that fail, full disks and odd systems."""

import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier, Thread

import pytest

import tercet
from conftest import ROOT, ZERO_BLEU
from tercet import GatheringError, InputError
from texts import LATIN, MINILM, all_pairs

PREDICTIONS, REFERENCES = all_pairs(LATIN)


def score(predictions=PREDICTIONS, references=REFERENCES, **options):
    return tercet.score("bleu_multi", predictions, references, **options)


@pytest.fixture(autouse=True)
def _own_files(monkeypatch, tmp_path):
    monkeypatch.setattr("evaluate.config.HF_METRICS_CACHE", str(tmp_path))


class TestThreads:
    def test_a_second_one_is_refused_until_the_first_has_computed_or_ended(self):
        module, one = tercet.load("bleu_multi"), {"predictions": ["a"], "references": ["a"]}
        module.add_batch(predictions=PREDICTIONS[:2], references=REFERENCES[:2])
        with ThreadPoolExecutor(1) as other:
            for door in (
                lambda: module.add(prediction="a"), lambda: module.add_batch(**one), lambda: module.compute(**one),
            ):  # fmt: skip
                with pytest.raises(
                    InputError, match="Another thread has added items to this module and has not computed yet"
                ):
                    other.submit(door).result()
            assert module.compute() == score(PREDICTIONS[:2], REFERENCES[:2])
            other.submit(module.add_batch, predictions=PREDICTIONS, references=REFERENCES).result()
            assert other.submit(module.compute).result() == score()
        for start in (0, 2):
            part = {"predictions": PREDICTIONS[start : start + 2], "references": REFERENCES[start : start + 2]}
            thread = Thread(target=module.add_batch, kwargs=part)
            thread.start()
            thread.join()
        assert module.compute() == score(PREDICTIONS[:4], REFERENCES[:4])

    def test_of_eight_at_once_one_adds_all_of_its_items_and_the_others_are_refused(self):
        module, together = tercet.load("bleu_multi"), Barrier(8)

        def work(number):
            together.wait()
            refused = 0
            for _ in range(50):
                try:
                    module.add(prediction=f"a b c d {number}", reference="a b c d e")
                except InputError:
                    refused += 1
            together.wait()
            return refused

        with ThreadPoolExecutor(8) as pool:
            assert sorted(pool.map(work, range(8))) == [0] + [50] * 7
        assert len(module) == 50


# ---------------------------------------------------------------- processes

# What the processes of a run do: batches to add, then seconds to sleep, an end, or options to compute with; None
# never comes. All runs are at once, each with a folder of its own, in children of one process.
PAIRS = [([prediction], [references]) for prediction, references in zip(PREDICTIONS, REFERENCES, strict=True)]
ADDS, ADDS_NOTHING, NO_TOKENS = {"batches": PAIRS}, {"batches": []}, {"batches": [(["no tokens"], [["here"]])]}
BRIEFLY = {"batches": PAIRS, "timeout": 12}
EVERYTHING = {"segments": True, "confidence_level": 0.9, "n_resamples": 50, "signature": True, "grid": True}
# What comes of it, for each process: a result, the beginning of an error, what all but the first return, nothing
# where it has no end, or whatever the timing makes of it.
DONE, NOTHING, WHATEVER = [None, None], None, ...
ENDED = "GatheringError: process {} of 3 ended before its compute"
ENDED_EARLY = "GatheringError: process {} of 3 (ended before its compute|did not join within 60 sec)"
LATE = r"GatheringError: process {} of 3 did not {} within 12 seconds \('timeout'\)"
OTHERS_LATE = r"GatheringError: (another process did not join within 12 seconds|process 0 of 3 ended before)"
UNUSABLE = "GatheringError: The rows of process 1 of 3 cannot be used: .*"


def each_with(todo, name, values):
    return [{**todo, "options": {name: value}} for value in values]


def three_times(**options):
    return score(PREDICTIONS * 3, REFERENCES * 3, **options)


RUNS = {
    "first and last": ([{"batches": PAIRS[:2]}, ADDS_NOTHING, {"batches": PAIRS[2:]}], [score, DONE, DONE]),
    "second": ([ADDS_NOTHING, ADDS, ADDS_NOTHING], [score, DONE, DONE]),
    "nobody": ([ADDS_NOTHING] * 3, ["InputError: The corpus is empty", DONE, DONE]),
    "dies": ([ADDS, ADDS, {**ADDS, "die": True}], [ENDED_EARLY.format(2), WHATEVER, NOTHING]),
    "dies with much on disk": (
        [ADDS, {"batches": [(PREDICTIONS * 800, REFERENCES * 800)], "die": True}, ADDS],
        [ENDED_EARLY.format(1), NOTHING, WHATEVER]),
    "last never comes": ([BRIEFLY, BRIEFLY, None], [LATE.format(2, "join"), OTHERS_LATE, NOTHING]),
    "first never comes": ([None, BRIEFLY, None], [NOTHING, LATE.format(0, "join"), NOTHING]),
    "never computes": ([BRIEFLY, {**BRIEFLY, "sleep": 24}, BRIEFLY], [LATE.format(1, "compute"), WHATEVER, WHATEVER]),
    "other options": (
        each_with(ADDS, "max_order", (2, 2, 3)),
        [r"GatheringError: process 2 of 3 was given max_order=3, process 0 max_order=2: give all", DONE, DONE]),
    "other numbers of threads": (each_with(ADDS, "n_jobs", (1, 2, 3)), [three_times, DONE, DONE]),
    "interrupted": (each_with(ADDS, "tokenizer", ["interrupted"] * 3), ["KeyboardInterrupt", WHATEVER, WHATEVER]),
    "one is interrupted": (
        each_with(ADDS, "tokenizer", ("split", "interrupted", "split")),
        [ENDED.format(1), "KeyboardInterrupt", WHATEVER]),
    "one dies as it counts": (
        each_with(ADDS, "tokenizer", ("split", "split", "dies")), [ENDED.format(2), WHATEVER, NOTHING]),
    "counts longer than the timeout": (
        each_with(BRIEFLY, "tokenizer", ("split", "slow", "split")),
        [lambda: three_times(tokenizer=str.split), DONE, DONE]),
    "fails on a text": (
        [{**each, "options": {"tokenizer": "fails"}} for each in (ADDS, ADDS, NO_TOKENS)],
        ["ValueError: no tokens in no tokens$", DONE, DONE]),
    "items without reference": (
        [ADDS, {"batches": [*PAIRS, (["a"], [[]])]}, {"batches": [(["b"], [[]])]}],
        [rf"InputError: item {2 * len(PAIRS)} \(and 1 more\) of references", DONE, DONE]),
    "everything asked for": (
        [{"batches": part, "options": EVERYTHING} for part in (PAIRS[:3], PAIRS[3:5], PAIRS[5:])],
        [lambda: score(**EVERYTHING), DONE, DONE]),
    "again at once": ([{**ADDS, "times": 3, "sleep": each} for each in (0.5, 0, 0)], [three_times, DONE, DONE]),
    "garbage": (
        [ADDS, {**ADDS, "fault": "garbage"}, ADDS], [UNUSABLE + r"-3-1\.shard is damaged, or was not", DONE, DONE]),
    "a stream": (
        [ADDS, {**ADDS, "fault": "a stream"}, ADDS], [UNUSABLE + r"was written by Stream\.save, and", DONE, DONE]),
    "a full disk": (
        [ADDS, {**ADDS, "fault": "a full disk"}, ADDS],
        [ENDED.format(1), "GatheringError: process 1 of 3 cannot use evaluate's files. OSError", DONE]),
    "a version": (
        [ADDS, {**ADDS, "fault": "a version"}, ADDS],
        [r"GatheringError: process 1 of 3 counts differently from process 0: .*version:tercet-0\.0\.7", DONE, DONE]),
}  # fmt: skip
PROCESSES = """
import json, os, signal, sys, time
import tercet
from tercet import signature
from tercet.huggingface import gathering

def split(text):
    if WAY == "interrupted":
        raise KeyboardInterrupt
    if WAY == "dies":
        os.kill(os.getpid(), signal.SIGKILL)
    if WAY == "fails" and text == "no tokens":
        raise ValueError("no tokens in " + text)
    if WAY == "slow":
        time.sleep(0.5)
    return text.split()

def full(path, rows, options):
    raise OSError(28, "No space left on device", str(path))

FAULTS = {
    "garbage": lambda path, rows, options: path.write_bytes(b"not a file of Arrow"),
    "a stream": lambda path, rows, options: tercet.Stream("bleu").save(path),
    "a full disk": full,
}

def work(folder, number, todo):
    global WAY
    options = todo.get("options", {})
    if "tokenizer" in options:
        WAY, options["tokenizer"] = options["tokenizer"], split
    if todo.get("fault") == "a version":
        signature.__version__ = "0.0.7"
    elif "fault" in todo:
        gathering.write_rows = FAULTS[todo["fault"]]
    module = tercet.load(
        "bleu_multi", num_process=3, process_id=number, cache_dir=folder, timeout=todo.get("timeout", 60)
    )
    try:
        for _ in range(todo.get("times", 1) - 1):
            for predictions, references in todo["batches"]:
                module.add_batch(predictions=predictions, references=references)
            time.sleep(todo["sleep"])
            module.compute(**options)
        for predictions, references in todo["batches"]:
            module.add_batch(predictions=predictions, references=references)
        if "die" in todo:
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(todo.get("sleep", 0))
        found = module.compute(**options)
        return [found, sorted(os.listdir(module.data_dir)) if number == 0 else None]
    except BaseException as error:
        return f"{type(error).__name__}: {error}"

folder, runs = sys.argv[1], json.load(sys.stdin)
tercet.load("bleu_multi").compute(predictions=["a"], references=["a"])
children = []
for name, todos in runs.items():
    for number, todo in enumerate(todos):
        said = os.path.join(folder, f"{name}-{number}.json")
        if todo is not None:
            children.append(os.fork())
            if children[-1] == 0:
                found = work(os.path.join(folder, name), number, todo)
                with open(said, "w") as file:
                    json.dump(found, file)
                os._exit(0)
for child in children:
    os.waitpid(child, 0)
"""


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    """What each process of each run returns: a result and the files that are left, or an error."""
    folder = tmp_path_factory.mktemp("processes")
    subprocess.run(
        [sys.executable, "-c", PROCESSES, str(folder)],
        input=json.dumps({name: todos for name, (todos, _) in RUNS.items()}),
        text=True, timeout=180, check=True, env={**os.environ, "HF_HOME": str(folder)},
    )  # fmt: skip
    return {
        name: [json.loads(path.read_text()) if path.exists() else None for path in paths]
        for name, paths in ((name, [folder / f"{name}-{number}.json" for number in range(3)]) for name in RUNS)
    }


@pytest.mark.long
@ZERO_BLEU
@pytest.mark.parametrize("run", RUNS)
def test_a_run_of_three_processes(outcomes, run):
    for outcome, expected in zip(outcomes[run], RUNS[run][1], strict=True):
        if callable(expected):
            result, left = outcome
            assert result == json.loads(json.dumps(expected()))
            assert not [name for name in left if not name.endswith(".lock")]
        elif isinstance(expected, str):
            assert re.match(expected, outcome)
        elif expected is not WHATEVER:
            assert outcome == expected


# ---------------------------------------------------------------- disks


class TestFolders:
    def test_that_cannot_be_made_or_written_are_named(self, tmp_path, monkeypatch):
        (tmp_path / "file").write_text("")
        with pytest.raises(GatheringError, match=r"evaluate cannot .*Not a directory.*/file.* HF_HOME"):
            tercet.load("bleu_multi", cache_dir=str(tmp_path / "file" / "cache"))
        monkeypatch.setattr("evaluate.config.HF_MODULES_CACHE", str(tmp_path / "file" / "modules"))
        with pytest.raises(GatheringError, match=r"evaluate cannot load the module bleu_multi\. .*/file.* HF_HOME"):
            tercet.load("bleu_multi", download_mode="force_redownload")

    def test_that_go_or_are_full_matter_only_where_processes_meet_in_them(self, tmp_path):
        given = {"num_process": 2, "process_id": 1, "timeout": 1}
        alone, one_of_two = (
            tercet.load("bleu_multi", cache_dir=str(tmp_path / "cache"), **each) for each in ({}, given)
        )
        for folder in {alone.data_dir, one_of_two.data_dir}:
            Path(folder).rmdir()
            Path(folder).write_text("in the way")
        alone.add_batch(predictions=PREDICTIONS[:3], references=REFERENCES[:3])
        assert alone.compute(predictions=PREDICTIONS[3:], references=REFERENCES[3:]) == score()
        for _ in range(2):
            with pytest.raises(GatheringError, match=r"process 1 of 2 cannot use .*Not a directory.*cache"):
                one_of_two.add(prediction="a", reference="a")


# ---------------------------------------------------------------- odd systems


def lines_of(code, folder, *arguments, env=(), cwd=ROOT):
    """Return what a Python with such arguments prints, whose files are in a folder."""
    own = {"HF_HOME": str(folder), "PYTHONPATH": str(ROOT / "src")}
    process = subprocess.run(
        [sys.executable, *arguments, "-c", code, MINILM],
        env={**os.environ, **own, **dict(env)}, capture_output=True, text=True, timeout=120, cwd=cwd,
    )  # fmt: skip
    assert process.returncode == 0, process.stderr
    return process.stdout.splitlines()


SCRIPT = """
import sys
import tercet

texts = ["the cat sat on the mat today", chr(0x434) + chr(0x430) + " a b c"]
options = {"bertscore_idf": {"model_type": sys.argv[1], "num_layers": 2}, "rouge_nlws": {"tokenizer": "unicode"}}
for metric in ("bleu_multi", "rouge_nlws", "bertscore_idf"):
    try:
        module = tercet.load(metric)
        module.add_batch(predictions=texts, references=texts)
        found = module.compute(**options.get(metric, {}))
        print(metric, found.get("bleu", found.get("rouge1", found.get("mean_f1"))))
        module.add(prediction=7, reference="a")
    except tercet.TercetError as error:
        print(type(error).__name__, ascii(str(error)))
"""


@pytest.mark.parametrize(("arguments", "env"), [
    pytest.param(["-O"], {}, id="without asserts"),
    pytest.param(["-W", "error"], {}, id="warnings are errors"),
    pytest.param([], {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, id="C locale"),
])  # fmt: skip
@pytest.mark.long
def test_an_odd_python_scores_and_refuses_all_the_same(arguments, env, tmp_path):
    scored = lines_of(SCRIPT, tmp_path, *arguments, env=env)
    assert scored[1::2] == ["InputError 'item 0 of predictions must be a string, got 7 (int).'"] * 3
    assert [line.split()[0] for line in scored[::2]] == ["bleu_multi", "rouge_nlws", "bertscore_idf"]
    assert [float(line.split()[1]) for line in scored[::2]] == pytest.approx([1.0] * 3, abs=1e-5)


NOWHERE = """
import os, sys
import tercet

os.rmdir(os.getcwd())
print(tercet.score("bleu_multi", ["a b c d"], ["a b c d"])["bleu"])
for way in (
    lambda: tercet.load("bleu_multi"),
    lambda: tercet.score("bertscore_idf", ["a b"], ["a b"], model_type=sys.argv[1], num_layers=2),
):
    try:
        print(way())
    except tercet.TercetError as error:
        print(error)
"""


@pytest.mark.needs("transformers")
def test_without_a_working_directory_texts_are_scored_and_other_packages_named(tmp_path):
    (tmp_path / "gone").mkdir()
    why = "The working directory no longer exists, and {} cannot be imported without one: change to another."
    expected = ["1.0", why.format("evaluate"), why.format("transformers")]
    assert lines_of(NOWHERE, tmp_path, cwd=tmp_path / "gone") == expected


FORK = """
import os, sys
import tercet

texts = ["the cat sat on the mat today", "a dog barks"] * 40
options = {"bleu_multi": {"n_jobs": 4}, "rouge_nlws": {"n_jobs": 4}}
options["bertscore_idf"] = {"model_type": sys.argv[1], "num_layers": 2}
expected = {metric: tercet.score(metric, texts, texts, **given) for metric, given in options.items()}
module = tercet.load("bleu_multi")
module.add_batch(predictions=texts, references=texts)
child = os.fork()
if child == 0:
    for metric, given in options.items():
        assert tercet.score(metric, texts, texts, **given) == expected[metric]
    module.add(prediction="a", reference="a")
    assert len(module) == 81
    os._exit(0)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert module.compute() == expected["bleu_multi"]
print("both")
"""


@pytest.mark.long
def test_a_forked_child_scores_as_its_parent(tmp_path):
    assert lines_of(FORK, tmp_path) == ["both"]
