"""Several metrics after one ``-m``, as sacrebleu takes them, and files that follow."""

import csv

import pytest

from commands import command
from tercet.cli.metric_arguments import with_m_before_each_metric


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a.txt").write_text("The cat sat.\nEin Hund läuft.\n", encoding="utf-8")
    (tmp_path / "b.txt").write_text("The cat sits.\nEin Hund rennt.\n", encoding="utf-8")
    (tmp_path / "ref.txt").write_text("The cat sat.\nEin Hund rannte.\n", encoding="utf-8")
    return tmp_path


def scored(folder, *words):
    """Return the metrics and the systems that a command scored, in their order."""
    # The files may follow "--", after which no option is one.
    used, *further = words
    run = command(used, "-f", "tsv", *further, cwd=folder)
    rows = list(csv.DictReader(run.stdout.splitlines(), delimiter="\t"))
    return list(dict.fromkeys(row["metric"] for row in rows)), list(dict.fromkeys(row["system"] for row in rows))


@pytest.mark.parametrize(
    "words",
    [
        "a.txt b.txt -r ref.txt -m bleu chrf",
        "-m bleu chrf a.txt b.txt -r ref.txt",
        "-r ref.txt -m bleu chrf_multi a.txt b.txt",
        "--metric bleu chrf -r ref.txt a.txt b.txt",
        "--metric=bleu chrf -r ref.txt a.txt b.txt",
        "-mbleu chrf -r ref.txt -- a.txt b.txt",
        "a.txt b.txt -m bleu -r ref.txt -m chrf",
    ],
)
@pytest.mark.parametrize("name", ["score", "compare"])
def test_metrics_and_files_are_told_apart(folder, name, words):
    assert scored(folder, name, *words.split()) == (["bleu_multi", "chrf_multi"], ["a", "b"])


def test_each_metric_has_options_of_its_own(folder):
    words = ["score", "a.txt", "-r", "ref.txt", "-m", "bleu:lowercase=true", "chrf:word_order=2", "ter"]
    assert scored(folder, *words)[0] == ["bleu_multi:lowercase=true", "chrf_multi:word_order=2", "ter"]
    run = command(*words, cwd=folder)
    assert "bleu_multi|tok:13a|case:lc|" in run.stdout
    assert "|nw:2|" in run.stdout


@pytest.mark.parametrize(
    ("words", "separate"),
    [
        ("a.txt bleu -m chrf ter", "a.txt bleu -m chrf -m ter"),
        ("-m chrf a.txt ter", "-m chrf a.txt ter"),
        ("-m chrf -b bleu a.txt", "-m chrf -b bleu a.txt"),
        ("-m chrf -- ter", "-m chrf -- ter"),
        ("-m ./chrf.json ter", "-m ./chrf.json -m ter"),
        ("-m", "-m"),
        ("", ""),
    ],
)
def test_only_a_metric_right_after_a_metric_is_one(words, separate):
    assert with_m_before_each_metric("tercet score", words.split()) == separate.split()


def test_a_word_that_is_a_metric_and_a_file_is_asked_for(folder):
    (folder / "chrf").write_text("The cat.\nEin Hund.\n", encoding="utf-8")
    words = ["score", "a.txt", "-r", "ref.txt", "-m", "bleu", "chrf"]
    message = command(*words, code=2, cwd=folder).stderr
    assert message == (
        "error: chrf is a metric, and a file here. For the metric: tercet score a.txt -r ref.txt -m bleu -m chrf. "
        "For the file: tercet score a.txt -r ref.txt -m bleu ./chrf\n"
    )
    metric = ["score", "a.txt", "-r", "ref.txt", "-m", "bleu", "-m", "chrf"]
    assert scored(folder, *metric) == (["bleu_multi", "chrf_multi"], ["a"])
    file = ["score", "a.txt", "-r", "ref.txt", "-m", "bleu", "./chrf"]
    assert scored(folder, *file) == (["bleu_multi"], ["a", "chrf"])


def test_a_name_that_is_none_is_a_file_that_does_not_exist(folder):
    message = command("score", "a.txt", "-r", "ref.txt", "-m", "bleu", "kiwi22", code=2, cwd=folder).stderr
    assert message == "error: 'kiwi22' cannot be read: No such file or directory.\n"


@pytest.mark.parametrize(("typo", "meant"), [("chrff", "chrf"), ("Chrf", "chrf"), ("blue", "bleu")])
@pytest.mark.parametrize("name", ["score", "compare"])
def test_what_is_nearly_a_metric_and_no_file_is_said_to_be_so(folder, name, typo, meant):
    words = [name, "a.txt", "b.txt", "-r", "ref.txt", "-m", "bleu" if meant == "chrf" else "chrf", typo]
    said = f"There is no file and no metric {typo!r}. Did you mean {meant!r}?"
    assert said in command(*words, cwd=folder, code=2).stderr
    # A file may be called so.
    (folder / typo).write_text("The cat sat.\nEin Hund ging.\n", encoding="utf-8")
    assert typo in scored(folder, *words)[1]


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("-m bleu tokenizer=zh", "-m bleu:tokenizer=zh"),
        ("-m bleu chrf word_order=2", "-m chrf:word_order=2"),
        ("-mbleu tokenizer=zh", "-m bleu:tokenizer=zh"),
        ("--metric=bleu tokenizer=zh", "-m bleu:tokenizer=zh"),
        ("-m rouge:use_stemmer=true tokenizer=unicode", "-m rouge:use_stemmer=true,tokenizer=unicode"),
    ],
)
def test_options_that_stand_apart_are_shown_in_their_metric(folder, words, meant):
    run = command("score", "a.txt", "-r", "ref.txt", *words.split(), cwd=folder, code=2)
    assert run.stderr.endswith(f"Options of a metric follow its name and a colon: {meant}\n")


def test_a_system_may_be_called_as_an_option(folder):
    _, systems = scored(folder, "score", "-r", "ref.txt", "-m", "bleu", "lowercase=a.txt")
    assert systems == ["lowercase"]


def test_a_file_named_as_references_may_be_they(folder):
    run = command("score", "a.txt", "ref.txt", "-m", "bleu", cwd=folder, code=2)
    assert "'ref.txt' is named as references are: is it the one?" in run.stderr
