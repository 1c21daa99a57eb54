"""``tercet explain``: what it shows, as text and as JSON, and what is refused."""

import json
import math
import os
import pty
import subprocess
from dataclasses import replace

import pytest

import tercet
from commands import TERCET, command
from conftest import ROOT
from tercet.cli.explained_package import SystemDifference, to_json
from tercet.comparison.packages.package_differences import explain_difference
from texts import LATIN, all_pairs

PREDICTIONS, REFERENCES = all_pairs(LATIN)


@pytest.fixture(autouse=True)
def _no_hub(monkeypatch):
    """The Hub is asked by no test, nor waited for."""
    import evaluate

    def refuse(name):
        raise FileNotFoundError(name)

    monkeypatch.setattr(evaluate, "load", refuse)


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "latin.jsonl"
    rows = [{"ours": text, "references": texts} for text, texts in zip(PREDICTIONS, REFERENCES, strict=True)]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return str(path)


def explain(*arguments, code=0):
    run = command("explain", *arguments, code=code, env={"COLUMNS": "100"})
    return run.stdout if code == 0 else run.stderr


class TestOneSegment:
    EN = str(ROOT / "examples" / "data" / "en.tsv")

    def test_of_a_table_or_text_files_the_worst_by_default(self, tmp_path):
        (test_set,) = tercet.read_test_sets(self.EN)
        lines = {"tuned": test_set.systems["tuned"], "ref": [each[0] for each in test_set.references]}
        for name, texts in (lines | {"src": test_set.source}).items():
            (tmp_path / f"{name}.txt").write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
        files = [str(tmp_path / f"{name}.txt") for name in ("tuned", "ref", "src")]
        of_files = explain("bleu", files[0], "-r", files[1], "--source", files[2])
        of_table = explain("-m", "bleu", self.EN, "--system", "tuned", "--reference-column", "reference1")
        assert of_files.partition("\n")[2] == of_table.partition("\n")[2]
        assert of_files.startswith("ref, segment ")
        assert "the worst by BLEU; choose another with --segment\nsource " in of_files
        assert explain(self.EN) == explain("bleu", self.EN)  # the metric of score and compare

    def test_several_metrics_test_sets_and_systems(self, table):
        shown = explain("-m", "ter", "-m", "chrf", self.EN, table, "--segment", "2", "--system", "ours", code=2)
        assert "'ours'" in shown
        shown = explain("-m", "ter", "-m", "chrf", self.EN, "--segment", "2", "-s", "tuned", "-s", "large")
        assert shown.count("en, segment 2 of 44\n") == 2
        assert [shown.count(f"\n{name}: ") for name in ("tuned", "large", "baseline")] == [2, 2, 0]

    def test_json_has_what_python_has_and_scores_in_percent(self):
        (found,) = json.loads(explain("ter", self.EN, "-s", "tuned", "--segment", "3", "-f", "json"))
        (test_set,) = tercet.read_test_sets(self.EN)
        why = tercet.explain("ter", test_set.systems["tuned"][2], test_set.references[2], scale=1)
        assert found["explanation"] == why.to_dict()
        assert found["scores"]["ter"] == pytest.approx(100 * why.score)
        assert (found["test_set"], found["segment"], found["metric"], found["system"]) == ("en", 3, "ter", "tuned")

    def test_files_have_the_form_of_their_ending(self, tmp_path):
        for ending, start in ((".html", "<!DOCTYPE html>"), (".json", "["), (".txt", "en, segment "), ("", "en, ")):
            path = tmp_path / f"why{ending}"
            run = command("explain", "bleu", self.EN, "-s", "tuned", "-o", path)
            assert (run.stdout, run.stderr.splitlines()[-1]) == ("", str(path))
            assert path.read_text(encoding="utf-8").startswith(start)
        command("explain", "bleu", self.EN, "-a", "nltk", "-o", tmp_path / "rules.txt")
        assert "compat=nltk" in (tmp_path / "rules.txt").read_text(encoding="utf-8")

    @pytest.mark.parametrize(("more", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False)])
    def test_a_terminal_has_colours_unless_refused_and_a_pipe_has_brackets(self, more, coloured):
        ours, theirs = pty.openpty()
        asked = [TERCET, "explain", "bleu", self.EN, "-s", "tuned", "--segment", "2"]
        env = {**{name: os.environ[name] for name in os.environ if name != "NO_COLOR"}, "TERM": "xterm", **more}
        with subprocess.Popen(asked, stdout=theirs, stderr=theirs, env=env) as run:
            os.close(theirs)
            shown = b""
            while True:
                try:
                    piece = os.read(ours, 4096)
                except OSError:  # at its end, on Linux
                    break
                if not piece:
                    break
                shown += piece
        os.close(ours)
        assert run.returncode == 0
        assert (b"\x1b[" in shown, b"]4" in shown) == (coloured, not coloured)
        assert "]4" in explain("bleu", self.EN, "-s", "tuned", "--segment", "2")

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            ("bleu EN --segment 45", "en has no segment 45: its segments are numbered 1 to 44"),
            ("bleu EN --segment 0", "0 is not in the range x>=1"),
            ("bleu EN --items 3", "--items is an option with --against."),
            ("bleu EN --their-option smooth=true", "--their-option is an option with --against."),
            ("bleu EN -a nltk --segment 2", "--segment is an option without --against."),
            ("bleu EN -a nltk -f html", "--against gives text or JSON, not HTML."),
            ("bleu EN -o EN", "the extension '.tsv' names no format: use one of .html .htm .json .txt"),
            ("bleu EN -f text -o EN", "--out would overwrite the input"),
            ("bleu nowhere.tsv -o no/where.txt", "Cannot write the file"),
            ("system.txt", "There is no metric 'system.txt'"),
        ],
    )
    def test_mistakes_are_refused(self, line, message):
        said = " ".join(explain(*line.replace("EN", self.EN).split(), code=2).split())
        assert message in " ".join(said.replace("│", " ").split())


def test_shows_the_chain_of_rules(table):
    shown = explain("bleu_multi:tokenizer=13a", table, "--against", "nltk")
    for text in ("tokenizer", "13a → none", "compat=nltk", "nltk itself", "segments differ"):
        assert text in shown


def test_shows_many_scores_in_tables_that_fit(table):
    shown = explain("rouge_nlws", table, "--against", "rouge155")
    assert all(len(line) <= 100 for line in shown.splitlines() if line.startswith(" "))
    assert shown.count("rouge155 itself") in (3, 4)  # tables, of two or three scores each: what the terminal holds


def test_gives_json(table):
    shown = explain("bleu_multi", table, "-a", "evaluate", "-f", "json", "--their-option", "smooth=true")
    (found,) = json.loads(shown)
    assert (found["test_set"], found["system"]) == ("latin", "ours")
    assert [rule["name"] for rule in found["rules"]] == ["smooth_method", "reference_length", "right end"]
    assert (found["rules"][0]["from_value"], found["rules"][0]["to_value"]) == ("exp", "none (smooth=True)")
    total = sum(rule["change"]["bleu"] for rule in found["rules"])
    assert total == pytest.approx(found["equal_to"]["bleu"] - found["ours"]["bleu"], abs=1e-9)


def test_a_number_that_json_does_not_have_is_null():
    found = explain_difference("ter", ["a b"], [["a c"]], against="sacrebleu")
    difference = replace(found, ours={"ter": math.nan}, theirs={"ter": -math.inf})
    text = to_json([SystemDifference("a set", "mt", difference)])
    (row,) = json.loads(text, parse_constant=pytest.fail)
    assert row["ours"] == row["theirs"] == {"ter": None}


def test_only_what_is_equal_is_called_so(table, tmp_path):
    def said(*arguments):
        return explain(*arguments).replace("\n", " ")

    equal = "Our score of the corpus equals that of "
    assert f"{equal}sacrebleu." in said("bleu", table, "--against", "sacrebleu")
    # evaluate's module is not there to be called
    assert f"{equal}compat=evaluate." in said("bleu_multi:compat=evaluate", table, "-a", "evaluate")
    two = tmp_path / "two.jsonl"
    two.write_text(json.dumps({"mt": "a b c d", "ref": ["a b d e f g", "a b"]}), encoding="utf-8")
    assert "Our scores of the corpus equal those of rouge_score." in said("rouge_nlws", two, "-a", "rouge_score")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("bleu_multi:lowercase", "option=value"),
        ("bleu_multi:lowercas=true", "Did you mean 'lowercase'"),
        ("bleu_multi:n_gaps=2", "no option 'n_gaps'"),
        ("bleu_multi:against=nltk", "no option 'against'"),
        ("bleu_multi:compat=nltk,segments=true", "'segments' cannot be given for one metric"),
        ("bleu_mutli", "Did you mean 'bleu_multi'"),
        ("bleu_multi --their-option lowercase", "name=value"),
        ("bleu_multi --their-option max_ordr=2", "Did you mean 'max_order'"),
        ("bleu_multi --their-option compat=nltk", "'against' names it"),
        ("bleu_multi -a sacreblue", "Did you mean 'sacrebleu'"),
        ("bleu_multi -a rouge155", "with 'rouge155'. Known: sacrebleu, evaluate, nltk"),
        ("bertscore_idf:lang=en -a bert_score",
         "ter and rouge_nlws can be explained against other packages, not bertscore_idf"),
        ("rouge_nlws:rouge_types=rougeW -a rouge_score", "rouge_score has none of the types"),
    ],
)  # fmt: skip
def test_mistakes_are_refused(table, line, message):
    metric, *others = line.split() if " -a " in line else [*line.split(), "-a", "nltk"]
    assert message in " ".join(explain(metric, table, *others, code=2).split())


def test_texts_that_cannot_be_scored_are_refused(tmp_path):
    table = tmp_path / "in.tsv"
    table.write_text("mt\tref\na\ta\nb\t\n")
    assert "segment 2 has no reference" in explain("bleu_multi", table, "-a", "nltk", code=2)
    assert "only the metric 'bleu_multi'" in explain("bleu_multi", "-a", "nltk", code=2)


def test_metrics_are_written_and_scaled_as_in_a_comparison(table):
    """Each metric in percent unless it says otherwise, also several of them, after -m or in front of the files."""

    def ours(*arguments):
        return [found["ours"] for found in json.loads(explain(*arguments, table, "-a", "sacrebleu", "-f", "json"))]

    specs = ["bleu_multi", "chrf_multi", "ter", "bleu_multi:lowercase=true,scale=1"]
    compared = tercet.compare(tercet.read_test_sets(table)[0], specs, test=None)
    scores = {(each.metric, each.name): each.rows[0].value for each in compared.tables}
    found = ours(*(part for spec in specs for part in ("-m", spec)))
    for spec, each in zip(specs, found, strict=True):
        assert ours(spec) == [each]
        assert each == pytest.approx({name: scores[spec, name] for name in each})
    assert found[0]["bleu"] > 1 > found[3]["bleu"]


def test_values_of_their_options_are_read_as_those_of_a_metric(table):
    written = [part for each in ("lowercase=TRUE", "tokenizer=char") for part in ("--their-option", each)]
    (found,) = json.loads(explain("bleu_multi", table, "-a", "sacrebleu", "-f", "json", *written))
    assert {"lowercase", "tokenizer"} <= {rule["name"] for rule in found["rules"]}
