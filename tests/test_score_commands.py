"""``tercet score`` and ``tercet compare``, run as processes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import ROOT
from tercet import score
from tercet.lab.test_sets import read_test_sets

COMMAND = str(Path(sys.executable).parent / "tercet")


def tercet(*arguments, code=0, cwd=ROOT):
    run = subprocess.run(
        [COMMAND, *arguments], cwd=cwd, capture_output=True, text=True, encoding="utf-8", timeout=120, check=False
    )
    assert run.returncode == code, run.stderr
    return run


def sample(system):
    """Return the English texts of a system, and their references."""
    (test_set,) = read_test_sets([SAMPLES["en"]])
    return test_set.systems[system], test_set.references


SAMPLES = {language: str(ROOT / "examples" / "data" / f"{language}.tsv") for language in ("en", "es")}


class TestScoreAndCompare:
    def test_score_prints_each_system_with_its_interval_and_the_signature(self):
        run = tercet("score", SAMPLES["en"], "--metric", "bleu_multi:smooth_method=exp")
        expected = score("bleu_multi", *sample("large"), smooth_method="exp", scale=100, confidence_level=0.95)
        low, high = expected["intervals"]["bleu"]
        assert f"{expected['bleu']:.2f}*" in run.stdout
        assert f"{low:.2f} – {high:.2f}" in run.stdout
        assert "bleu_multi|tok:13a|case:mixed|order:4|smooth:exp" in run.stdout
        assert "wins" not in run.stdout

    def test_compare_writes_every_form_to_a_file(self, tmp_path):
        for form, end in (("json", "json"), ("tsv", "tsv"), ("markdown", "md"), ("latex", "tex"), ("text", "txt")):
            out = tmp_path / f"result.{end}"
            run = tercet("compare", SAMPLES["es"], "-b", "tuned", "--n-resamples", "50", "-f", form, "-o", str(out))
            assert run.stdout == ""
            assert "tuned" in out.read_text(encoding="utf-8")
        assert json.loads((tmp_path / "result.json").read_text())["baseline"] == "tuned"

    def test_compare_takes_text_files_too(self, tmp_path):
        predictions, references = sample("large")
        for name, lines in (("large", predictions), ("ref", [texts[0] for texts in references])):
            (tmp_path / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        run = tercet("compare", "large.txt", "-r", "ref.txt", "-f", "json", cwd=tmp_path)
        (row,) = json.loads(run.stdout)["tables"][0]["systems"]
        expected = score("bleu_multi", predictions, [texts[0] for texts in references], scale=100)
        assert row["value"] == pytest.approx(expected["bleu"])

    def test_exports_and_segments_are_files(self, tmp_path):
        run = tercet(
            "compare", SAMPLES["en"], "--n-resamples", "20", "--export", str(tmp_path / "new"),
            "--segments", str(tmp_path / "segments.tsv"),
        )  # fmt: skip
        assert sorted(path.name for path in (tmp_path / "new").iterdir()) == [
            "baseline_en.tsv", "large_en.tsv", "tuned_en.tsv",
        ]  # fmt: skip
        assert len((tmp_path / "segments.tsv").read_text().splitlines()) == 1 + 3 * len(sample("large")[0])
        assert "baseline_en.tsv" in run.stderr

    def test_one_segment_side_by_side(self):
        run = tercet("compare", SAMPLES["en"], "--segment", "2")
        assert "segment 2" in run.stdout
        assert "reference 1" in run.stdout

    def test_a_segment_without_reference_is_named_as_the_command_counts(self, tmp_path):
        (tmp_path / "news.tsv").write_text("mt\tref\na b\ta b\nc\t\n", encoding="utf-8")
        for command in (["score", "news.tsv"], ["compare", "news.tsv"], ["compare", "news.tsv", "--segment", "1"]):
            run = tercet(*command, code=2, cwd=tmp_path)
            assert "news, segment 2 has no reference; -m bleu_multi:missing_references=skip" in run.stderr
            tercet(*command, "-m", "bleu_multi:missing_references=skip", cwd=tmp_path)
        run = tercet("explain", "bleu_multi", "news.tsv", "-a", "nltk", code=2, cwd=tmp_path)
        assert "news, segment 2 has no reference; -O missing_references=skip" in run.stderr

    @pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
    def test_signs_that_the_encoding_lacks_do_not_end_it(self, encoding):
        for arguments in (["compare", SAMPLES["es"], "--n-resamples", "20"], ["score", SAMPLES["es"]]):
            run = subprocess.run(
                [COMMAND, *arguments], env={**os.environ, "PYTHONIOENCODING": encoding}, capture_output=True,
                timeout=120, check=False,
            )  # fmt: skip
            assert (run.returncode, b"?" in run.stdout) == (0, True)
            assert b"Error" not in run.stderr

    def test_test_sets_are_not_compared_with_each_other(self):
        run = tercet("score", SAMPLES["en"], SAMPLES["es"])
        assert "en: bleu_multi" in run.stdout
        assert "es: bleu_multi" in run.stdout
        assert "warning: scores of different test sets or languages cannot be compared" in run.stderr

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["compare", "nowhere.tsv"], "nowhere.tsv"),
            (["compare", SAMPLES["en"], "-m", "bleu"], "There is no metric 'bleu'. Did you mean 'bleu_multi'?"),
            (["compare", SAMPLES["en"], "-m", "bleu_multi:tokeniser=zh"], "Did you mean 'tokenizer'?"),
            (["compare", SAMPLES["en"], "-b", "large2"], "Did you mean 'large'?"),
            (["compare", SAMPLES["en"], "--segment", "999"], "no segment 999"),
            (["compare", SAMPLES["en"], "--segment", "2", "-b", "large2"], "Did you mean 'large'?"),
            (["compare", SAMPLES["en"], "--segment", "2", "-f", "json"], "without --format"),
            (
                ["compare", SAMPLES["en"], "--segment", "2", "--export", "x", "--segments", "y"],
                "without --segments, --export",
            ),
            (["compare", SAMPLES["en"], "--export", SAMPLES["es"]], "No files can be written to the folder"),
            (["compare", SAMPLES["en"], "--export", f"{SAMPLES['es']}/x"], "es.tsv' does not take them"),
            (["compare", SAMPLES["en"], "-m", "bleu_multi:seed=7"], "give --seed"),
            (["compare", SAMPLES["en"], "-o", "no/such/folder/x"], "There is no folder to write the file"),
            (["score", SAMPLES["en"], "-s", "lagre"], "Did you mean 'large'?"),
            (["score", SAMPLES["en"], "--format", "xml"], "xml"),
        ],
    )
    def test_a_mistake_ends_with_its_message_and_code_2(self, arguments, message, tmp_path):
        run = tercet(*arguments, cwd=tmp_path, code=2)
        assert message in " ".join(run.stderr.split())
        assert "Traceback" not in run.stderr
