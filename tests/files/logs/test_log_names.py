"""Logs whose names do not say their tasks, of old versions and renamed ones; folders, and the newest run in them."""

import json
from datetime import datetime, timezone
from itertools import permutations

import pytest

import tercet
from commands import command
from harness_logs import ENGLISH, GERMAN, RUNS
from tercet.errors import InputError
from tercet.files.logs.moments import instant

MODELS = {"pretrained__EleutherAI__pythia-70m,dtype__float": "A", "pretrained__gpt2": "B"}


def array(path, texts, prompt="German: {}\nEnglish:", **results):
    """Write samples as lm-evaluation-harness 0.4.2 did: an array over many lines, which is called .jsonl."""
    path.parent.mkdir(parents=True, exist_ok=True)
    samples = [
        {
            "doc_id": number, "doc": {"de": german, "en": english}, "target": english,
            "arguments": [[prompt.format(german), {"until": ["\n"], "do_sample": False}]],
            "resps": [[text]], "filtered_resps": [text], "exact_match": float(text == english),
        }
        for number, (german, english, text) in enumerate(zip(GERMAN, ENGLISH, texts, strict=True))
    ]  # fmt: skip
    path.write_text(json.dumps(samples, indent=2, ensure_ascii=False), encoding="utf-8")
    if results:
        (path.parent / "results.json").write_text(json.dumps(results))
    return path


def read(*paths):
    (found,) = tercet.read_test_sets(paths)
    return found


# Samples of lm-evaluation-harness to 0.4.2: an array of them.


def test_two_arrays_of_samples_are_two_runs_of_a_task(tmp_path):
    paths = [array(tmp_path / f"{model}_wmt_de-en.jsonl", RUNS[run]) for model, run in MODELS.items()]
    found = read(*paths)
    assert found.name == "wmt_de-en"
    assert found.systems == {"EleutherAI__pythia-70m,dtype__float": RUNS["A"], "gpt2": RUNS["B"]}
    assert found.references == [[english] for english in ENGLISH]
    assert found.source == [f"German: {german}\nEnglish:" for german in GERMAN]
    assert found.scores["exact_match"]["gpt2"].tolist() == [
        float(text == english) for text, english in zip(RUNS["B"], ENGLISH, strict=True)
    ]
    assert found.fields.endswith("samples joined by doc_id; runs of one task, because they have the same samples.")


@pytest.mark.parametrize(
    ("names", "task", "systems"),
    [
        (["samples_toy_base.json", "samples_toy_tuned.json"], "toy", ["base", "tuned"]),
        (["toy_base.json", "toy_tuned.json"], "toy", ["base", "tuned"]),
        (["base.jsonl", "tuned.jsonl"], "base and tuned", ["base", "tuned"]),
        (["base/toy.json", "tuned/toy.json"], "toy", ["base", "tuned"]),
        (
            [f"{run}/samples_toy_2024-03-01T10-20-30.123456.json" for run in ("base", "tuned")],
            "toy",
            ["base", "tuned"],
        ),
    ],
)
def test_renamed_arrays(tmp_path, names, task, systems):
    found = read(*(array(tmp_path / name, RUNS[run]) for name, run in zip(names, RUNS, strict=True)))
    assert (found.name, list(found.systems.values())) == (task, [RUNS["A"], RUNS["B"]])
    assert list(found.systems) == systems


def test_of_names_that_share_no_word_three_are_the_task(tmp_path):
    names = ["alt", "новый", "旧", "best", "last"]
    found = read(*(array(tmp_path / f"{name}.jsonl", RUNS["A"]) for name in names))
    assert (found.name, list(found.systems)) == ("alt, новый, 旧 and 2 more", names)


def test_results_beside_the_samples_name_the_task(tmp_path):
    """A model's name may end as another's does: only the results tell where the task begins."""
    for run in RUNS:
        name = f"pretrained__{run}__small_chat_wmt_de.jsonl"
        array(tmp_path / run / name, RUNS[run], results={"de": {}, "wmt_de": {"exact_match,none": 0.5}, "e": {}})
    found = read(*(tmp_path / run / f"pretrained__{run}__small_chat_wmt_de.jsonl" for run in RUNS))
    assert (found.name, list(found.systems)) == ("wmt_de", ["A__small_chat", "B__small_chat"])


def test_tasks_that_results_name_are_two_though_their_samples_are_the_same(tmp_path):
    results = {"toy_a": {}, "toy_b": {}}
    paths = [array(tmp_path / f"pretrained__gpt2_{task}.jsonl", RUNS["A"], results=results) for task in results]
    assert [test_set.name for test_set in tercet.read_test_sets(paths)] == [*results]


@pytest.mark.parametrize("content", ["", "{", "[]", '{"results": []}', '{"results": {"other": {}}}', "[" * 10**5])
def test_results_that_say_nothing(tmp_path, content):
    path = array(tmp_path / "one" / "pretrained__gpt2_toy.jsonl", RUNS["A"])
    (path.parent / "results.json").write_text(content)
    assert read(path).systems == {"one": RUNS["A"]}


def test_other_prompts_are_another_task(tmp_path):
    paths = [
        array(tmp_path / "pretrained__gpt2_toy.jsonl", RUNS["A"]),
        array(tmp_path / "pretrained__gpt2_toy_cot.jsonl", RUNS["B"], prompt="{} Think first."),
    ]
    found = tercet.read_test_sets(paths)
    assert [test_set.name for test_set in found] == ["pretrained__gpt2_toy", "pretrained__gpt2_toy_cot"]


def test_answers_alone_do_not_say_that_samples_are_the_same(tmp_path):
    """Two tasks may have the same answers: samples without prompts are of a task each."""
    paths = [array(tmp_path / f"{run}_toy.jsonl", texts, prompt="") for run, texts in RUNS.items()]
    assert [test_set.name for test_set in tercet.read_test_sets(paths)] == ["A_toy", "B_toy"]


def test_an_array_names_the_sample_that_is_wrong(tmp_path):
    path = array(tmp_path / "pretrained__gpt2_toy.jsonl", RUNS["A"])
    samples = json.loads(path.read_text(encoding="utf-8"))
    samples[2]["filtered_resps"] = []
    path.write_text(json.dumps(samples, indent=2), encoding="utf-8")
    with pytest.raises(InputError, match=r"gpt2_toy.jsonl, row 3: found no response in 'filtered_resps'"):
        tercet.read_test_sets(path)


def test_any_table_may_be_an_array_that_is_called_jsonl(tmp_path):
    path = tmp_path / "table.jsonl"
    path.write_text('\n[\n {"mt": "кот спит", "ref": "кот спал"},\n {"mt": "да", "ref": "да"}\n]\n', encoding="utf-8")
    assert read(path).systems == {"mt": ["кот спит", "да"]}


# Folders of several runs.


def test_a_folder_of_old_samples(tmp_path):
    for model, run in MODELS.items():
        array(tmp_path / "out" / f"{model}_toy.jsonl", RUNS[run], results={"toy": {}})
    expected = {"EleutherAI__pythia-70m,dtype__float": RUNS["A"], "gpt2": RUNS["B"]}
    assert read(tmp_path / "out").systems == expected
    # also beside samples of a newer version
    array(tmp_path / "out" / "new" / "samples_toy_2024-09-01T10-20-30.123456.jsonl", RUNS["A"])
    assert read(tmp_path / "out").systems == {**expected, "new": RUNS["A"]}


TIMES = [
    # lm-evaluation-harness does not say how far a time is ahead of UTC.
    ["2026-1-9T10-20-30.5", "2026-01-10T09-00-00.123456", "2026-01-10T09-00-00.2"],
    # inspect-ai does: 23:30 in New York is 4:30 of the next day in UTC.
    ["2026-03-02T01-00-00+05-30", "2026-03-01T20-00-00+00-00", "2026-03-01T23-30-00-05-00"],
    ["2026-03-01 10:00:00.5", "2026-03-01T10-00-01"],
    ["20251231_235959", "20260101_000000"],
]


@pytest.mark.parametrize(("time", "in_utc"), [
    ("2026-1-9T10-20-30.5", (2026, 1, 9, 10, 20, 30, 500_000)),
    ("2026-03-02T01-00-00+05-30", (2026, 3, 1, 19, 30)),
    ("2026-03-01T23-30-00-05-15", (2026, 3, 2, 4, 45)),
    ("2026-03-01T10-00-01.1234567", (2026, 3, 1, 10, 0, 1, 123_456)),
    ("20251231_235959", (2025, 12, 31, 23, 59, 59)),
])  # fmt: skip
def test_a_time_in_a_name_is_of_utc_or_says_how_far_ahead_it_is(time, in_utc):
    assert instant(time) == datetime(*in_utc, tzinfo=timezone.utc)


@pytest.mark.parametrize("times", TIMES, ids=lambda times: times[0])
def test_the_newest_run_is_that_of_the_latest_instant(tmp_path, times):
    """Whatever the order of the names, and of the times as they are written."""
    for number, order in enumerate(permutations(times)):
        folder = tmp_path / str(number)
        for time in order:
            name = f"samples_toy_{time}.json" if "-" in time else f"{time}_samples_toy.jsonl"
            array(folder / name, [f"{time} {text}" for text in RUNS["A"]])
        with pytest.warns(UserWarning, match=f"toy has {len(times)} runs; the newest, .* is read"):
            (texts,) = read(folder).systems.values()
        assert texts[0].startswith(times[-1])


def test_digits_that_are_no_time_are_before_all_others(tmp_path):
    for time in ("2026-01-02T03-04-05", "2026-13-40T03-04-05"):
        array(tmp_path / f"samples_toy_{time}.json", [time] * len(GERMAN))
    with pytest.warns(UserWarning, match="toy has 2 runs; the newest"):
        (texts,) = read(tmp_path).systems.values()
    assert texts[0] == "2026-01-02T03-04-05"


# OpenCompass writes outputs/<name>/<time>/predictions/<model>/<dataset>.json, promptfoo one file of any name.


def opencompass(path, texts):
    path.parent.mkdir(parents=True, exist_ok=True)
    samples = {
        str(number): {"origin_prompt": [{"role": "HUMAN", "prompt": german}], "prediction": text, "gold": english}
        for number, (german, text, english) in enumerate(zip(GERMAN, texts, ENGLISH, strict=True))
    }
    path.write_text(json.dumps(samples, ensure_ascii=False, indent=4), encoding="utf-8")


def test_folders_of_opencompass(tmp_path):
    work = tmp_path / "outputs" / "default"
    old, new = (work / time for time in ("20260509_090000", "20260510_080000"))
    for run, texts in RUNS.items():
        opencompass(old / "predictions" / run / "wmt.json", ["old"] * len(GERMAN))
        opencompass(new / "predictions" / run / "wmt.json", texts)
        (new / "results" / run).mkdir(parents=True)
        (new / "results" / run / "wmt.json").write_text('{"bleu": 30.5}')
    (new / "summary").mkdir()
    (new / "summary" / "summary_20260510_080000.txt").write_text("tabulate format\n")
    for folder in (new, new / "predictions"):
        found = read(folder)
        assert (found.name, found.systems, found.source) == ("wmt", RUNS, GERMAN)
    assert read(new / "predictions" / "A", new / "predictions" / "B") == found
    with pytest.warns(UserWarning, match="wmt has 2 runs; the newest, .*20260510_080000/predictions/[AB]/wmt.json"):
        assert read(work) == found
    run = command("compare", "outputs/default/20260510_080000", "--n-resamples", "9", cwd=tmp_path)
    assert "note: wmt: logs of OpenCompass: A, B: predictions from prediction; references from gold" in run.stderr


def promptfoo(path, **outputs):
    path.parent.mkdir(parents=True, exist_ok=True)
    results = [
        {
            "testIdx": number, "promptIdx": index, "prompt": {"raw": german, "label": "Translate"},
            "provider": {"id": provider, "label": ""}, "vars": {"question": german, "reference": english},
            "response": {"output": texts[number]}, "success": texts[number] == english, "score": 1,
        }
        for number, (german, english) in enumerate(zip(GERMAN, ENGLISH, strict=True))
        for index, (provider, texts) in enumerate(outputs.items())
    ]  # fmt: skip
    path.write_text(json.dumps({"evalId": "eval-1", "results": {"version": 3, "results": results}}))


def test_a_folder_of_results_of_promptfoo(tmp_path):
    promptfoo(tmp_path / "one" / "output.json", **RUNS)
    (tmp_path / "one" / "package.json").write_text('{"name": "evals"}')
    assert read(tmp_path / "one").systems == RUNS
    for run in RUNS:
        promptfoo(tmp_path / "two" / f"{run}.json", model=RUNS[run])
    assert read(tmp_path / "two").systems == RUNS


def test_logs_of_lmms_eval_are_called_so(tmp_path):
    for run in RUNS:
        array(tmp_path / run / "20260102_030405_samples_toy.jsonl", RUNS[run])
    assert read(tmp_path / "A", tmp_path / "B").fields.startswith("toy: logs of lmms-eval: A, B: ")
