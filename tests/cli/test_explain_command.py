"""``tercet explain``: what it shows, as text and as JSON, and what is refused."""

import json

import pytest

import tercet
from commands import command
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
    assert [rule["name"] for rule in found["rules"]] == ["smooth", "reference_length", "right end"]
    total = sum(rule["change"]["bleu"] for rule in found["rules"])
    assert total == pytest.approx(found["equal_to"]["bleu"] - found["ours"]["bleu"], abs=1e-9)


def test_only_what_is_equal_is_called_so(table, tmp_path):
    def said(*arguments):
        return explain(*arguments).replace("\n", " ")

    equal = "Our score of the corpus equals that of "
    assert f"{equal}sacrebleu." in said("bleu:smooth_method=exp", table, "--against", "sacrebleu")
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

    specs = ["bleu_multi:smooth_method=exp", "chrf_multi", "ter", "bleu_multi:lowercase=true,scale=1"]
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
