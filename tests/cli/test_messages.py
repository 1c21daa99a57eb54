"""Messages of the command: written for who types it, and true of what is not here."""

import re
import shlex

import pytest

import tercet
from commands import command
from tercet.base.unknown_names import ELSEWHERE
from tercet.errors import InputError, OptionError

#: What only Python's users know: arguments and settings as Python writes them, its constants, calls, its errors.
PYTHON = re.compile(
    r"\b[a-z_]+=(?:'|True|False|None|[\s,.;:)]|$)|\bNone\b|\bTrue\b|\bFalse\b|tercet\.\w+\(|Value error"
)

TSV = {
    "good.tsv": "mt\tref\na cat\tthe cat\n",
    "unknown.tsv": "id\n1\n",
    "missing.tsv": "mt\tref\na cat\t\na dog\tthe dog\n",
    "zh.tsv": "mt\tref\n猫坐在垫子上\t猫坐在垫子上面\n",
    "more.tsv": "mt\tref\tmystery lang\nthe cat sat\tthe cat\tthe cat sat down\n",
    "a.txt": "a cat\n",
    "list.json": "[]\n",
    "bad.parquet": "a cat sat on the mat\n",
    "graded.tsv": "A\tref\tA.content\na cat\tthe cat\t3\na dog\tthe dog\t4\n",
}


def said(line, folder, code=2):
    """Run a line in a folder with these files, and return what it said on standard error."""
    for name, text in TSV.items():
        (folder / name).write_text(text, encoding="utf-8")
    return command(*line.split(), code=code, cwd=folder).stderr


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("score unknown.tsv", "(choose with --system), or references (choose with --reference-column)"),
        ("score a.txt", "a text file with a reference per line (--references)."),
        ("score missing.tsv", "-m bleu_multi:missing_references=skip leaves such segments out"),
        ("score good.tsv -m bleu:lowercase=maybe", "option of bleu_multi must be true or false. Got 'maybe'"),
        ("score good.tsv -m bleu:smooth=exp", "Did you mean smooth_method=exp?"),
        ("score good.tsv -m bertscore", "bertscore_idf needs 'lang', such as -m bertscore:lang=en, to choose"),
        ("score good.tsv -m perplexity", "such as -m perplexity:model_id=gpt2."),
        ("score good.tsv -m chrf++", "It is chrf with word_order=2, as in chrf:word_order=2."),
        ("score list.json", "nor a table, such as an array of objects"),
        ("score bad.parquet", "bad.parquet is not a Parquet file, or is damaged: Parquet magic bytes not found"),
        ("score good.tsv -m bleu:max_order=x", "must be an integer from 1 to 20. Got 'x'"),
        ("score good.tsv -m bleu:compat=foo", "must be one of null, 'sacrebleu'"),
        ("score good.tsv -m wer:no_punct=7", "must be true or false. Got 7"),
        ("score good.tsv -m chrf:char_order=0,word_order=0", "Give word_order=2"),
        ("score good.tsv -m bertscore:lang=en,multi_ref=best_f,all_layers=true", "all_layers=true excludes it"),
        ("compare good.tsv --baseline B", "There is no system 'B' to use as the baseline"),
        # Refused before the file is looked for, which is not there.
        ("compare none.tsv --alpha 3", "--alpha must be a number above 0 and below 1, such as 0.05. Got 3 instead."),
        ("plan none.tsv --difference 1 --power 1", "--power must be a number from 0.5 on and below 1"),
        ("score none.tsv --interval BCa --no-intervals", "--interval and --no-intervals cannot be given together."),
        ("correlate good.tsv", "has no grades"),
        ("correlate graded.tsv --scores comet", "comet"),
        ("mbr good.tsv", "expected a list per row, or several columns"),
        ("explain bleu good.tsv --against foo", "cannot be compared with 'foo'"),
    ],
)  # fmt: skip
def test_errors_name_what_is_typed(line, message, tmp_path):
    shown = said(line, tmp_path)
    assert message in shown
    assert not PYTHON.search(shown)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("score zh.tsv -m ter", "give normalized=true and asian_support=true"),
        ("score zh.tsv -m bleu", "Give tokenizer=zh, ja, jieba, char or unicode."),
        ("score zh.tsv -m rouge", "tokenizer=unicode"),
    ],
)
def test_warnings_too(line, message, tmp_path):
    shown = said(line, tmp_path, code=0)
    assert message in shown
    assert not PYTHON.search(shown)


def test_the_same_messages_are_python_s_in_python(tmp_path):
    said("score unknown.tsv", tmp_path)
    with pytest.raises(
        InputError, match=r"\(choose with systems=\), or references \(choose with reference_columns=\)"
    ):
        tercet.read_test_sets(tmp_path / "unknown.tsv")
    with pytest.raises(
        OptionError, match=r"must be True or False\. Got 'exp' instead\. Did you mean smooth_method='exp'\?"
    ):
        tercet.Bleu(smooth="exp")


@pytest.mark.parametrize(
    ("written", "meant"),
    [("bleu:lc=1", "lowercase"), ("bleu:lower=1", "lowercase"), ("ter:lowercase=1", "case_sensitive"),
     ("bleu:order=2", "max_order"), ("bleu:n=2", "max_order"), ("jaccard:n=2", "ngram"), ("bleu:stem=en", "stemmer"),
     ("rouge:stem=1", "use_stemmer"), ("bleu:tokenize=zh", "tokenizer"), ("bleu:smoothing=exp", "smooth_method"),
     ("bleu:use_effective_order=1", "effective_order"), ("ter:ignore_punct=1", "no_punct"),
     ("ter:support_zh_ja_chars=1", "asian_support"), ("bertscore:model=x", "model_type"),
     ("perplexity:model=x", "model_id")],
)  # fmt: skip
def test_options_of_other_packages_and_short_ones_are_understood(written, meant, tmp_path):
    assert said(f"score good.tsv -m {written}", tmp_path).endswith(f"Did you mean '{meant}'?\n")


@pytest.mark.parametrize("case", ["lc", "mixed"])
@pytest.mark.parametrize("words", [("yes", "no"), ("Yes", "NO"), ("on", "Off"), ("1", "0"), ("TRUE", "false")])
def test_what_is_true_or_false_may_be_yes_or_no(words, case, tmp_path):
    word = words[case == "mixed"]
    said("score good.tsv", tmp_path, code=0)
    assert f"|case:{case}|" in command("score", "good.tsv", "-m", f"bleu:lowercase={word}", cwd=tmp_path).stdout


def test_a_word_stays_a_word_where_one_is_expected(tmp_path):
    said("score good.tsv", tmp_path, code=0)
    shown = command(
        "score", "good.tsv", "-m", "bleu:smooth_method=floor,max_order=1,smooth_value=null", cwd=tmp_path
    ).stdout
    assert "order:1|smooth:floor[0.1]" in shown


@pytest.mark.parametrize(
    "name",
    ["meteor", "METEOR", "bleurt", "comet", "cider", "spice", "MoverScore", "bart_score", "LLM-as-a-judge", "GPT-4",
     "g-eval", "metricx"],
)  # fmt: skip
def test_a_metric_that_is_not_here_gets_a_true_answer(name, tmp_path):
    shown = said(f"score good.tsv -m {name}", tmp_path)
    assert shown.startswith(f"error: There is no metric '{name}' in tercet. ")
    assert f"systemA.{name} of the table, for tercet correlate --scores {name}." in shown
    assert "Did you mean" not in shown
    with pytest.raises(OptionError, match="There is no metric"):
        tercet.score(name, ["a"], ["b"])


@pytest.mark.parametrize(
    ("typed", "example"),
    [
        ("--smooth_method exp", "-m bleu:smooth_method=exp"),
        ("--smooth-method=exp", "-m bleu:smooth_method=exp"),
        ("--bleu", "-m bleu"),
        ("--TER", "-m ter"),
        ("--BertScore", "-m bertscore"),
        ("--tokenize zh", "-m bleu:tokenizer=zh"),
        ("-m chrf --word-order 2", "-m chrf:word_order=2"),
        ("--lowercase good.tsv -m bleu:tokenizer=zh", "-m bleu:tokenizer=zh,lowercase=true"),
        ("-m wer --lowercase=no", "-m wer:lowercase=no"),
        ("--rouge_types rouge1,rougeL", "-m rouge:rouge_types=rouge1+rougeL"),
        ("--lang", "-m bertscore:lang=..."),
        ("--comet", "tercet correlate --scores comet."),
        ("--chrf++", "as in chrf:word_order=2."),
    ],
)
@pytest.mark.parametrize("name", ["score", "compare", "correlate", "mbr", "explain"])
def test_options_and_names_of_metrics_are_not_options_of_the_command(name, typed, example, tmp_path):
    shown = said(f"{name} good.tsv {typed}", tmp_path)
    assert shown.startswith(f"error: There is no option {re.search('--[^ =]+', typed)[0]}. ")
    assert shown.endswith(f" {example}\n")


@pytest.mark.parametrize(
    ("typed", "example"),
    [
        ("-m bleu -qn", "bleu:max_order=..."),
        ("-m bleu -qn 2", "bleu:max_order=2"),
        ("-mbleu:lowercase=true -qvn2", "bleu:lowercase=true,max_order=2"),
        ("-n=2 -m jaccard", "jaccard:ngram=2"),
        ("-nq -m bleu", "bleu:max_order=..."),
        ("-ngram 2 -m bleu", "bleu:max_order=2"),
    ],
)
def test_short_options_of_other_packages_are_answered_too_in_clusters(typed, example, tmp_path):
    shown = said(f"score good.tsv {typed}", tmp_path)
    assert shown.startswith("error: There is no option -n. ")
    assert shown.endswith(f" -m {example}\n")


@pytest.mark.parametrize("typed", ["--smooth_method exp", "--weights [0.5,0.5]", "--lc"])
def test_what_that_answer_says_can_be_typed(typed, tmp_path):
    shown = said(f"score good.tsv -m bleu:max_order=2 {typed}", tmp_path)
    example = shlex.split(shown.rpartition("as in ")[2])
    assert example[1].startswith("bleu:max_order=2,")
    command("score", "good.tsv", *example, cwd=tmp_path)


@pytest.mark.parametrize(
    ("typed", "message"),
    [("--metrics bleu", "--metric"), ("--foo", "No such option: --foo"), ("--out", "requires an argument")],
)
def test_other_wrong_options_are_answered_as_ever(typed, message, tmp_path):
    shown = said(f"score good.tsv {typed}", tmp_path)
    assert message in shown
    assert "-m " not in shown


def test_that_answer_can_be_followed(tmp_path):
    table = "A\tB\tref\tA.human\tB.human\tA.comet\tB.comet\n" + "".join(
        f"a cat {n}\ta dog {n}\tthe cat {n}\t{n}\t{n % 3}\t0.{n}\t0.{n % 4}\n" for n in range(9)
    )
    (tmp_path / "graded.tsv").write_text(table, encoding="utf-8")
    shown = command("correlate", "graded.tsv", "-m", "chrf", "--scores", "comet", cwd=tmp_path).stdout
    assert {"chrf_multi", "comet"} <= set(re.findall(r"\w+", shown))


def test_no_metric_that_is_here_is_said_to_be_elsewhere():
    from tercet.registry import METRICS, SHORT_NAMES

    assert not {name.replace("_", "") for name in (*METRICS, *SHORT_NAMES)} & set(ELSEWHERE)


def test_wer_is_here(tmp_path):
    said("score good.tsv", tmp_path, code=0)
    shown = command("score", "good.tsv", "-m", "wer", cwd=tmp_path).stdout
    assert "50.00" in shown
    assert "Lower is better: wer" in shown


class TestWrongCalls:
    def test_of_score_say_what_comes_first(self):
        for given in ((["a"], ["b"]), (["a"], ["b"], "bleu"), (None, ["a"], ["b"])):
            with pytest.raises(OptionError, match=r"There is no metric .+: expected its name first, such as 'bleu'"):
                tercet.score(*given[:3])

    def test_of_compare_say_where_references_go(self):
        with pytest.raises(OptionError, match=r"'the cat sat' is no metric\. References are given by name"):
            tercet.compare({"A": ["a cat sat"]}, ["the cat sat"])

    def test_of_compare_and_correlate_give_a_line_that_works(self):
        references = ["the cat sat on the mat", "the dog ran"]
        predictions, others = ["the cat sat on a mat", "the dog ran"], ["the cat sat on the mat", "a dog ran"]
        for call in (tercet.compare, tercet.correlate):
            with pytest.raises(InputError) as error:
                call(predictions, references)
            line = re.search(r"as in (tercet\.\w+\(.*?references=references\)),", str(error.value))[1]
            names = {"predictions": predictions, "others": others, "references": references, "tercet": tercet}
            assert eval(line, names)

    def test_of_tokens_say_how_to_join_them(self):
        tokens = [["the", "cat"], ["a", "dog"]]
        message = r'must be a string, got \[.*\] \(list\)\. .*join them with spaces, " "\.join\(tokens\)\.'
        for predictions, references in (
            (tokens, ["the cat", "a dog"]),
            (["the cat", "a dog"], [[each] for each in tokens]),
        ):
            with pytest.raises(InputError, match=message):
                tercet.score("bleu", predictions, references)
        joined = [" ".join(each) for each in tokens]
        assert tercet.score("bleu", joined, joined, max_order=2)["bleu"] == 1
