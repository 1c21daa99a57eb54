"""Evaluation results of the Hub: what `tercet score --out .eval_results/a.yaml` writes, read by huggingface_hub."""

import datetime
import json
import math
import sys
from dataclasses import replace
from types import SimpleNamespace

import huggingface_hub
import pytest
import yaml
from huggingface_hub import parse_eval_result_entries

import tercet
from commands import command
from conftest import ROOT
from tercet.comparison.shown.published_results import to_record, to_yaml
from tercet.test_sets.test_set import TestSet

EN, ES = (str(ROOT / "examples" / "data" / f"{language}.tsv") for language in ("en", "es"))
DATASET = ("--dataset", "openai/gsm8k")
REFERENCES = ["the cat sat on the mat", "it rains in the north", "a dog barks at night"]
TEXTS = ["the cat sat on a mat", "it rains north", "a dog barked at night"]


def entries_of(path):
    """Return the entries of a file as the Hub's own package reads them."""
    return parse_eval_result_entries(yaml.safe_load(path.read_text(encoding="utf-8")))


def one_system(metrics="chrf", *, systems=None, **options):
    return tercet.compare(systems or {"mine": TEXTS}, metrics, references=REFERENCES, **options)


class TestFile:
    def test_each_metric_is_an_entry_with_its_main_score_interval_and_signature(self, tmp_path):
        command("score", ES, "-s", "tuned", "-m", "rouge", "-m", "chrf", *DATASET, "--task", "main",
                "-o", ".eval_results/es.yaml", cwd=tmp_path)  # fmt: skip
        rouge, chrf = entries_of(tmp_path / ".eval_results" / "es.yaml")
        (test_set,) = tercet.read_test_sets(ES, systems=["tuned"])
        comparison = tercet.compare(test_set, ["rouge", "chrf"], test=None)
        main, *further, expected = comparison.tables
        assert [rouge.value, chrf.value] == [main.rows[0].value, expected.rows[0].value]
        (row,) = expected.rows
        assert chrf.notes == (
            f"chrF; 95 % interval {row.low:.2f} to {row.high:.2f} (expanded percentile "
            f"bootstrap (Hesterberg 2015), 1,000 resamples, seed 12345); segments: 44; {expected.signature}"
        )
        assert "; ".join(f"{table.title} {table.rows[0].value:.2f}" for table in further) in rouge.notes
        assert {(entry.dataset_id, entry.task_id) for entry in (rouge, chrf)} == {("openai/gsm8k", "main")}
        today = datetime.datetime.now(datetime.timezone.utc).date()
        assert today - datetime.date.fromisoformat(chrf.date) <= datetime.timedelta(days=1)

    def test_the_main_score_is_that_of_the_options(self, tmp_path):
        command("score", ES, "-s", "tuned", "-m", "rouge:rouge_types=rouge2+rougeL", *DATASET, "-o", "a.yml",
                cwd=tmp_path)  # fmt: skip
        (entry,) = entries_of(tmp_path / "a.yml")
        assert entry.notes.startswith("ROUGE-2; 95 % interval ")
        assert "; ROUGE-L " in entry.notes

    def test_scores_of_other_programs_are_entries_too(self, tmp_path):
        (tmp_path / "a.tsv").write_text("mine.acc\n1\n0\n1\n1\n")
        command("score", "a.tsv", "--scores", "acc", *DATASET, "-o", "a.yaml", cwd=tmp_path)
        (entry,) = entries_of(tmp_path / "a.yaml")
        assert entry.value == 75
        assert entry.notes.startswith("acc; 95 % interval 30.06 to 95.44 (Wilson); segments: 4; ")

    def test_each_test_set_is_a_task_that_is_named_as_the_set(self, tmp_path):
        command("score", EN, ES, "-s", "tuned", "-m", "chrf", *DATASET, "-o", "both.yaml", cwd=tmp_path)
        assert [entry.task_id for entry in entries_of(tmp_path / "both.yaml")] == ["en", "es"]
        run = command("score", EN, ES, "-s", "tuned", "-m", "chrf", *DATASET, "--task", "main", "-f", "hub", code=2)
        assert "One task is named, 'main', and there are 2 test sets" in run.stderr

    @pytest.mark.parametrize("name", ['a: "b" #c', "- x: y", "'", "猫", "true", "1.5", "~", "a\nb: c", "%@`&*!|>"])
    def test_names_are_read_as_they_were_written(self, tmp_path, name):
        run = command("score", ES, "-s", "tuned", "-m", "chrf", *DATASET, "--task", name, "-f", "hub", cwd=tmp_path)
        (entry,) = parse_eval_result_entries(yaml.safe_load(run.stdout))
        assert entry.task_id == name

    def test_only_the_folder_of_results_is_made_and_only_where_a_model_is(self, tmp_path):
        asked = ("score", ES, "-s", "tuned", "-m", "chrf", *DATASET, "-o")
        for path in ("nowhere/a.yaml", "nowhere/.eval_results/a.yaml"):
            assert "Cannot write the file" in command(*asked, path, cwd=tmp_path, code=2).stderr
        command("score", ES, "-m", "nothing", *DATASET, "-o", ".eval_results/a.yaml", cwd=tmp_path, code=2)
        assert list(tmp_path.iterdir()) == []
        command(*asked, tmp_path / ".eval_results" / "a.yaml")
        command(*asked, tmp_path / ".eval_results" / "b.yaml")
        assert len(list((tmp_path / ".eval_results").iterdir())) == 2

    @pytest.mark.parametrize(
        ("asked", "message"),
        [
            (("-s", "tuned", "-o", "a.yaml"), "Evaluation results name their dataset on the Hub: give it, as --"),
            (("-s", "tuned", "--dataset", "a/b/c", "-o", "a.yaml"),
             "--dataset must be the id of a dataset on the Hub, such as openai/gsm8k, got 'a/b/c'"),
            (("-s", "tuned", "--dataset", "", "-o", "a.yaml"), "got ''"),
            ((*DATASET, "-s", "tuned", "--task", " ", "-o", "a.yaml"), "A task must be a name, such as default, got"),
            ((*DATASET, "-o", "a.yaml"), "those of one model, and there are 3 systems: 'baseline', 'tuned', 'large'"),
            ((*DATASET, "-s", "tuned", "-o", "a.json"), "--dataset is for evaluation results: give a file that ends"),
            ((*DATASET, "--task", "x"), "--dataset and --task are for evaluation results"),
        ],
    )  # fmt: skip
    def test_refuses_what_is_no_result_of_one_model(self, tmp_path, asked, message):
        assert message in command("score", ES, "-m", "chrf", *asked, cwd=tmp_path, code=2).stderr
        assert list(tmp_path.iterdir()) == []

    def test_is_of_scores_alone(self, tmp_path):
        run = command("compare", ES, "-m", "chrf", "-o", "a.yaml", cwd=tmp_path, code=2)
        assert "the extension '.yaml' names no format" in run.stderr

    def test_fails_under_a_threshold_when_it_is_written(self, tmp_path):
        asked = ("-s", "tuned", "-m", "chrf", "--fail-under", "chrf=99", *DATASET)
        command("score", ES, *asked, "-o", "a.yaml", cwd=tmp_path, code=1)
        assert len(entries_of(tmp_path / "a.yaml")) == 1


class TestEntries:
    def test_are_those_of_a_file(self):
        (entry,) = one_system().to_eval_results("openai/gsm8k", "main")
        assert isinstance(entry, huggingface_hub.EvalResultEntry)
        assert entry.value == tercet.score("chrf", TEXTS, REFERENCES, scale=100)["chrf"]
        assert one_system().to_eval_results("openai/gsm8k")[0].task_id == "test set"

    def test_a_score_that_is_no_number_is_left_out(self):
        comparison = one_system(["bleu", "chrf"])
        bleu, chrf = comparison.tables
        undefined = replace(bleu, rows=[replace(bleu.rows[0], value=math.nan)])
        with pytest.warns(UserWarning, match="BLEU of 'test set' is nan, and left out"):
            (entry,) = replace(comparison, tables=[undefined, chrf]).to_eval_results("openai/gsm8k")
        assert entry.value == chrf.rows[0].value
        empty = replace(comparison, tables=[undefined])
        for write in (to_yaml, to_record):
            with (
                pytest.warns(UserWarning, match="left out"),
                pytest.raises(tercet.errors.InputError, match="There is no result to write: no score is a number"),
            ):
                write([empty], "openai/gsm8k", None)

    def test_an_interval_that_has_no_ends_is_not_written(self):
        comparison = one_system()
        (table,) = comparison.tables
        bare = replace(table, rows=[replace(table.rows[0], low=math.nan, high=math.nan)])
        (entry,) = replace(comparison, tables=[bare]).to_eval_results("openai/gsm8k")
        assert entry.notes == f"chrF; segments: 3; {table.signature}"

    def test_only_segments_that_are_scored_are_counted(self):
        test_set = TestSet("t", {"mine": TEXTS}, [[], *([text] for text in REFERENCES[1:])], None)
        of_segments = tercet.compare(test_set, "chrf:missing_references=skip")
        (entry,) = of_segments.to_eval_results("openai/gsm8k")
        assert "; segments: 2; " in entry.notes
        clustered = tercet.compare(test_set, "chrf:missing_references=skip", cluster=["a", "b", "b"])
        for comparison in (of_segments, clustered):
            (result,) = json.loads(to_record([comparison], None, None))["evaluation_results"]
            assert result["score_details"]["uncertainty"]["num_samples"] == 2

    @pytest.mark.parametrize("dataset", [None, 3, "", "a b", "a/b/c", ["a/b"], "a--b", "\ud800"])
    def test_refuses_what_is_no_id_of_a_dataset(self, dataset):
        with pytest.raises(
            tercet.errors.OptionError, match=r"dataset_id must be the id of a dataset on the Hub, such"
        ):
            one_system().to_eval_results(dataset)

    @pytest.mark.parametrize("task", ["", 3, b"x", ["main"]])
    def test_refuses_what_is_no_task(self, task):
        with pytest.raises(tercet.errors.OptionError, match="A task must be a name"):
            one_system().to_eval_results("openai/gsm8k", task)

    def test_refuses_several_systems(self):
        systems = {"a": TEXTS, "b": REFERENCES}
        with pytest.raises(tercet.errors.InputError, match="there are 2 systems: 'a', 'b'"):
            one_system(systems=systems).to_eval_results("openai/gsm8k")

    def test_says_which_version_has_them(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "huggingface_hub", SimpleNamespace(__version__="0.36.0"))
        with pytest.raises(tercet.errors.OptionError, match=r"need huggingface_hub 1\.4 or newer, got 0\.36"):
            one_system().to_eval_results("openai/gsm8k")
