"""Test sets that are read in one call have different names."""

import json

import tercet
from commands import command
from harness_logs import ENGLISH, GERMAN, RUNS, inspect_shape


def inspect_logs(folder):
    for run, texts in RUNS.items():
        inspect_shape(folder / f"{run}.json", texts, model=f"model/{run}")
    return folder


def lm_eval_logs(folder):
    for run, texts in RUNS.items():
        samples = []
        for number, (target, text) in enumerate(zip(ENGLISH, texts, strict=True)):
            sample = {"doc_id": number, "arguments": [[GERMAN[number], {}]], "target": target, "exact_match": 0.5}
            samples.append({**sample, "filtered_resps": [text]})
        path = folder / run / "samples_de_en_2025-01-01T00-00-00.jsonl"
        path.parent.mkdir(parents=True)
        path.write_text("".join(json.dumps(sample) + "\n" for sample in samples))
    return folder


def table(path, references=ENGLISH, **systems):
    columns = {"reference": references, **systems}
    rows = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def names(*paths):
    return [test_set.name for test_set in tercet.read_test_sets(paths)]


def test_a_task_of_two_harnesses_has_them_behind_its_name(tmp_path):
    paths = [inspect_logs(tmp_path / "inspect"), lm_eval_logs(tmp_path / "lm_eval")]
    assert names(*paths) == ["de_en (inspect-ai)", "de_en (lm-evaluation-harness)"]
    assert names(paths[0]) == names(paths[1]) == ["de_en"]


def test_a_task_with_the_name_of_a_table_has_its_harness_behind_it(tmp_path):
    paths = [table(tmp_path / "de_en.jsonl", **RUNS), inspect_logs(tmp_path / "inspect")]
    assert names(*paths) == ["de_en", "de_en (inspect-ai)"]


def test_headings_of_a_comparison_tell_them_apart(tmp_path):
    paths = [inspect_logs(tmp_path / "inspect"), lm_eval_logs(tmp_path / "lm_eval")]
    shown = command("compare", *paths, "-m", "bleu").stdout
    assert "de_en (inspect-ai): BLEU" in shown
    assert "de_en (lm-evaluation-harness): BLEU" in shown


def test_tables_of_a_system_each_have_no_name_of_another_table(tmp_path):
    one = [table(tmp_path / f"news-{run}.jsonl", output=texts) for run, texts in RUNS.items()]
    other = table(tmp_path / "news.jsonl", references=["a cat", "a dog"], output=["a cat", "dogs"])
    assert names(*one, other) == ["A, B", "news"]
    assert names(other, *one) == ["news", "A, B"]
