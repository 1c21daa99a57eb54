"""Texts that sacrebleu refuses, and those that it scores wrong without a word: these are refused by name."""

import logging
import re
import subprocess
import sys
from itertools import zip_longest

import pytest
import sacrebleu

from tercet.compat import sacrebleu as ours
from tercet.errors import InputError, OptionError

HYPS = ["the cat sat on the mat", "a dog barked at me", "nothing at all here"]
REFS = ["the cat sat on the mat", "no dog barks", "everything was there"]

SILENTLY_WRONG = {
    "item by item": (HYPS, [[ref] for ref in REFS], r"look transposed.* list\(zip\(\*references\)\)\."),
    "item by item, two each": (HYPS, [[ref, ref] for ref in REFS], r"look transposed.* list\(zip\("),
    "item by item, ragged": (HYPS, [[REFS[0]], [REFS[1], "a dog"], [REFS[2]]], r"itertools\.zip_longest\("),
    "one item, by item": (HYPS[:1], [[REFS[0], "the cat"]], "look transposed"),
    "plain texts": (HYPS, REFS, r"references are texts, .* give \[references\]"),
    "a stream too short": (HYPS, [REFS, REFS[:2]], r"Got 2 texts in references\[1\], for 3 hypotheses"),
    "a stream too long": (HYPS[:2], [REFS], r"Got 3 texts in references\[0\], for 2 hypotheses"),
    "one text as hypotheses": ("the cat", [list("the dog")], r"give \[hypothesis\], or call sentence_score"),
}

FUNCTIONS = ["corpus_bleu", "corpus_chrf", "corpus_ter"]


@pytest.fixture(params=["BLEU", "CHRF", "TER"])
def classes(request):
    return getattr(ours, request.param), getattr(sacrebleu, request.param)


@pytest.mark.parametrize("case", SILENTLY_WRONG)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_sacrebleu_scores_wrong_is_refused(name, case):
    hyps, refs, message = SILENTLY_WRONG[case]
    assert getattr(sacrebleu, name)(hyps, refs).score >= 0
    with pytest.raises(InputError, match=message):
        getattr(ours, name)(hyps, refs)


@pytest.mark.parametrize("case", SILENTLY_WRONG)
def test_it_is_let_through_on_request_with_the_number_of_sacrebleu(classes, case, monkeypatch):
    mine, theirs = classes
    hyps, refs, _ = SILENTLY_WRONG[case]
    wanted = vars(theirs().corpus_score(hyps, refs))
    of_object = mine()
    of_object.check_shapes = False
    assert vars(of_object.corpus_score(hyps, refs)) == wanted
    monkeypatch.setattr(ours.Metric, "check_shapes", False)
    assert vars(mine(references=refs).corpus_score(hyps, None)) == wanted


def test_the_advice_of_the_message_is_right():
    by_item = [[REFS[0]], [REFS[1], "a dog barked"], [REFS[2]]]
    with pytest.raises(InputError, match="zip_longest"):
        ours.corpus_bleu(HYPS, by_item)
    streams = list(zip_longest(*by_item))
    assert vars(ours.corpus_bleu(HYPS, streams)) == vars(sacrebleu.corpus_bleu(HYPS, streams))


def test_as_many_streams_as_hypotheses_may_be_meant():
    square = [["a b", "c d"], ["a b", "c e"]]
    assert ours.corpus_bleu(["a b", "c d"], square).score == sacrebleu.corpus_bleu(["a b", "c d"], square).score


@pytest.mark.parametrize(
    ("hyps", "refs"),
    [
        (5, [REFS]),
        ([1], [REFS]),
        (["a", None], [REFS[:2]]),
        (HYPS, 5),
        (HYPS, [5]),
        (HYPS, [[5]]),
        ([], [[]]),
        (HYPS, []),
    ],
)
def test_what_sacrebleu_refuses_is_refused_with_its_error(classes, hyps, refs):
    mine, theirs = classes
    with pytest.raises(Exception) as wanted:  # noqa: PT011  whatever sacrebleu raises
        theirs().corpus_score(hyps, refs)
    with pytest.raises(wanted.type):
        mine().corpus_score(hyps, refs)


@pytest.mark.parametrize(("hyp", "refs"), [(["a"], ["a"]), ("a", "a"), ("a", 5), ("a", [["a"]]), ("a", [])])
def test_so_it_is_of_sentences(classes, hyp, refs):
    mine, theirs = classes
    with pytest.raises((TypeError, IndexError)) as wanted:
        theirs().sentence_score(hyp, refs)
    with pytest.raises(wanted.type):
        mine().sentence_score(hyp, refs)


def test_a_metric_without_references_says_so(classes):
    mine, theirs = classes
    for error, call in [
        (RuntimeError, lambda cls: cls().corpus_score(HYPS, None)),
        (ValueError, lambda cls: cls().get_signature()),
    ]:
        with pytest.raises(error) as wanted:
            call(theirs)
        with pytest.raises(error, match=re.escape(str(wanted.value))):
            call(mine)


def test_an_item_without_reference_is_named(classes):
    with pytest.raises(InputError, match="item 1 of references has only None"):
        classes[0]().corpus_score(HYPS, [["a", None, "b"], ["a", None, None]])
    with pytest.raises(InputError, match="item 0 of references has only None"):
        classes[0]().sentence_score("a", [None])


def test_a_wrong_option_is_named():
    with pytest.raises(OptionError, match=r"'tokenize' option of BLEU must be one of .*Did you mean '13a'"):
        ours.BLEU(tokenize="13b")
    with pytest.raises(OptionError, match="'smooth_method' option of BLEU must be one of 'none', 'floor'"):
        ours.BLEU.compute_bleu([1] * 4, [1] * 4, 1, 1, smooth_method="nltk1")
    with pytest.raises(OptionError, match="'beta' option"):
        ours.CHRF(beta=-1)


@pytest.mark.parametrize(
    "call",
    [
        lambda package: package.BLEU().sentence_score("a", ["a"]),
        lambda package: package.BLEU().corpus_score(["a cat ."] * 100, [["a cat."] * 100]),
        lambda package: package.BLEU(force=True).corpus_score(["a cat ."] * 100, [["a cat."] * 100]),
        lambda package: package.BLEU(tokenize="char", trg_lang="ja"),
        lambda package: package.BLEU(trg_lang="de"),
    ],
)
def test_warnings_go_where_sacrebleu_logs_them(call, caplog):
    caplog.set_level(logging.WARNING, logger="sacrebleu")
    logged = []
    for package in (ours, sacrebleu):
        caplog.clear()
        call(package)
        logged.append(caplog.record_tuples)
    assert logged[0] == logged[1]


def test_it_runs_without_sacrebleu():
    program = (
        "import sys; sys.modules['sacrebleu'] = None\n"
        "from tercet.compat import sacrebleu\n"
        "print(sacrebleu.corpus_bleu(['a b c d'], [['a b c d']]), sacrebleu.__version__)"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert re.fullmatch(r"BLEU = 100.00 .* ref_len = 4\) 2.6.0\n", ran.stdout)
