"""``tercet explain``: what it shows, as text and as JSON, and what is refused."""

import json

import pytest
from typer.testing import CliRunner

import tercet
from tercet.cli.app import app
from tercet.cli.explain_command import read_options
from tercet.difference.differences import explain_difference
from tercet.errors import InputError, OptionError
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


def run(*arguments):
    return CliRunner().invoke(app, ["explain", *arguments], env={"COLUMNS": "100"})


def test_the_command_shows_the_chain(table):
    told = run("bleu_multi:tokenizer=13a", table, "--against", "nltk")
    assert told.exit_code == 0, told.output
    for text in ("tokenizer", "13a → none", "compat=nltk", "nltk itself", "segments differ"):
        assert text in told.output
    told = run("bleu:smooth_method=exp", table, "--against", "sacrebleu")
    assert "Our score of the corpus equals that of sacrebleu." in told.output


def test_the_command_shows_many_scores_in_tables_that_fit(table):
    told = run("rouge_nlws", table, "--against", "rouge155").output
    assert all(len(line) <= 100 for line in told.splitlines() if line.startswith(" "))
    assert told.count("rouge155 itself") == 3  # tables, of three scores each


def test_the_command_gives_json(table):
    told = run("bleu_multi", table, "-a", "evaluate", "-f", "json", "--their-option", "smooth=true")
    (found,) = json.loads(told.output)
    assert (found["test_set"], found["system"]) == ("latin", "ours")
    assert [rule["name"] for rule in found["rules"]] == ["smooth", "reference_length", "right end"]
    total = sum(rule["change"]["bleu"] for rule in found["rules"])
    assert total == pytest.approx(found["equal_to"]["bleu"] - found["ours"]["bleu"], abs=1e-9)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["bleu_multi:lowercase"], "option=value"),
        (["bleu_multi:lowercas=true"], "Did you mean 'lowercase'"),
        (["bleu_multi:n_gaps=2"], "no option 'n_gaps'"),
        (["bleu_multi:against=nltk"], "no option 'against'"),
        (["bleu_multi", "--their-option", "lowercase"], "name=value"),
        (["bleu_multi:compat=nltk,segments=true"], "'segments' cannot be given for one metric"),
    ],
)
def test_the_command_refuses_options(table, arguments, message):
    metric, *others = arguments
    told = run(metric, table, "-a", "nltk", *others)
    assert isinstance(told.exception, OptionError)
    assert message in str(told.exception)


def test_a_metric_without_files_is_refused():
    told = run("bleu_multi", "-a", "nltk")
    assert isinstance(told.exception, InputError)
    assert "only the metric 'bleu_multi'" in str(told.exception)


def test_metrics_are_written_and_scaled_as_in_a_comparison(table):
    """Each metric in percent unless it says otherwise, also several of them, after -m or in front of the files."""

    def ours(*arguments):
        return [found["ours"] for found in json.loads(run(*arguments, "-f", "json").output)]

    specs = ["bleu_multi:smooth_method=exp", "chrf_multi", "ter", "bleu_multi:lowercase=true,scale=1"]
    written = [part for spec in specs for part in ("-m", spec)]
    compared = tercet.compare(tercet.read_test_sets(table)[0], specs, test=None)
    scores = {(each.metric, each.name): each.rows[0].value for each in compared.tables}
    found = ours(*written, table, "-a", "sacrebleu")
    for spec, each in zip(specs, found, strict=True):
        assert ours(spec, table, "-a", "sacrebleu") == [each]
        for name, value in each.items():
            assert value == pytest.approx(scores[spec, name])
    assert found[0]["bleu"] > 1 > found[3]["bleu"]


# ---------------------------------------------------------------- what the function behind it refuses


@pytest.mark.parametrize(
    ("metric", "options", "message"),
    [
        (
            "bertscore_idf",
            {"against": "sacrebleu"},
            "ter and rouge_nlws can be explained against other packages, not bertscore_idf",
        ),
        ("bleu_multi", {"against": "sacreblue"}, "Did you mean 'sacrebleu'"),
        ("bleu_multi", {"against": "rouge155"}, "with 'rouge155'. Known: sacrebleu, evaluate, nltk"),
        ("bleu_mutli", {"against": "nltk"}, "Did you mean 'bleu_multi'"),
        ("bleu_multi", {"against": "nltk", "lowercas": True}, "Did you mean 'lowercase'"),
        ("bleu_multi", {"against": "nltk", "their_options": {"max_ordr": 2}}, "Did you mean 'max_order'"),
        ("bleu_multi", {"against": "nltk", "their_options": {"compat": "nltk"}}, "'against' names it"),
        (
            "bertscore_idf",
            {"against": "bert_score"},
            "ter and rouge_nlws can be explained against other packages, not bertscore_idf",
        ),
        ("rouge_nlws", {"against": "rouge_score", "rouge_types": ["rougeW"]}, "rouge_score has none of the types"),
    ],
)
def test_what_is_refused(metric, options, message):
    with pytest.raises(OptionError, match=message):
        explain_difference(metric, PREDICTIONS, REFERENCES, **options)


def test_texts_that_cannot_be_scored_are_refused():
    with pytest.raises(InputError, match="item 1 of references"):
        explain_difference("bleu_multi", ["a", "b"], [["a"], []], against="nltk")
    with pytest.raises(InputError, match="corpus is empty"):
        explain_difference("bleu_multi", [], [], against="nltk")


# ---------------------------------------------------------------- what is told of equality


def test_only_what_is_equal_is_called_so(table, tmp_path):
    told = run("bleu_multi:compat=evaluate", table, "-a", "evaluate").output  # which is not there to be called
    assert "Our score of the corpus equals that of compat=evaluate." in told
    two = tmp_path / "two.jsonl"
    two.write_text(json.dumps({"mt": "a b c d", "ref": ["a b d e f g", "a b"]}), encoding="utf-8")
    told = run("rouge_nlws", str(two), "-a", "rouge_score").output
    assert "Our scores of the corpus equal those of rouge_score." in told


def test_values_are_read_as_those_of_a_metric():
    written = ["rouge_types=rouge1+rougeL", "lowercase=TRUE", "tokenizer=none", "beta=null"]
    assert read_options(written) == {
        "rouge_types": ["rouge1", "rougeL"], "lowercase": True, "tokenizer": "none", "beta": None
    }  # fmt: skip
