"""``tercet.compat.sacrebleu`` stands in for sacrebleu: calls, objects and numbers, of which the original is asked."""

import copy
import inspect
import pickle
from itertools import zip_longest

import numpy as np
import pytest
import sacrebleu
from hypothesis import given
from hypothesis import strategies as st

from conftest import ANY_TEXTS
from subword_models import sacrebleu_folder
from tercet.compat import sacrebleu as ours
from tercet.compat.sacrebleu_metrics import METRICS
from tercet.errors import InputError
from texts import ALL_TEXTS, PIECES, all_pairs

FUNCTIONS = [name for name in ours.__all__ if "_" in name]
HYPS, REFS = all_pairs()
#: References of all languages, stream by stream: most items have no second or third one.
STREAMS = [list(stream) for stream in zip_longest(*REFS)]

any_text = st.sampled_from(ALL_TEXTS) | st.lists(st.sampled_from(PIECES), max_size=20).map("".join)
flags = st.booleans()
METRIC_OPTIONS = st.one_of(
    st.fixed_dictionaries(
        {"smooth_method": st.sampled_from(["exp", "floor", "add-k", "none"])},
        optional={
            "lowercase": flags, "effective_order": flags, "max_ngram_order": st.integers(1, 6),
            "smooth_value": st.sampled_from([None, 0, 0.5, 2]),
            "tokenize": st.sampled_from([None, "13a", "intl", "zh", "char", "none"]),
        },
    ).map(lambda options: ("BLEU", options)),
    st.fixed_dictionaries(
        {"word_order": st.integers(0, 3)},
        optional={
            "char_order": st.integers(1, 7), "beta": st.integers(1, 3), "lowercase": flags, "whitespace": flags,
            "eps_smoothing": flags,
        },
    ).map(lambda options: ("CHRF", options)),
    st.fixed_dictionaries(
        dict.fromkeys(("normalized", "no_punct", "asian_support", "case_sensitive"), flags)
    ).map(lambda options: ("TER", options)),
)  # fmt: skip


@st.composite
def corpora(draw):
    """Draw hypotheses and streams of references, the later ones with holes."""
    n = draw(st.integers(1, 5))
    hyps = draw(st.lists(any_text, min_size=n, max_size=n))
    near = [any_text | st.just(hyp) for hyp in hyps]
    later = st.lists(st.tuples(*[text | st.none() for text in near]).map(list), max_size=2)
    return hyps, [list(draw(st.tuples(*near))), *draw(later)]


def same(mine, theirs):
    """Whether two scores have the same attributes in the same order, to the last bit, and look the same."""
    return list(vars(mine).items()) == list(vars(theirs).items()) and repr(mine) == repr(theirs)


@ANY_TEXTS
@given(corpora(), METRIC_OPTIONS)
def test_scores_and_signatures_are_those_of_sacrebleu(corpus, metric):
    (hyps, streams), (name, options) = corpus, metric
    mine, theirs = (getattr(package, name)(**options) for package in (ours, sacrebleu))
    assert same(mine.corpus_score(hyps, streams), theirs.corpus_score(hyps, streams))
    for short in (False, True):
        assert mine.get_signature().format(short) == theirs.get_signature().format(short)
    refs = [stream[0] for stream in streams]
    assert same(mine.sentence_score(hyps[0], refs), theirs.sentence_score(hyps[0], refs))
    assert str(mine.get_signature()) == str(theirs.get_signature())


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_take_the_same_arguments_and_give_the_same_scores(name):
    mine, theirs = getattr(ours, name), getattr(sacrebleu, name)
    assert arguments(mine) == arguments(theirs)
    texts = (HYPS, STREAMS) if "corpus" in name else (HYPS[0], REFS[1])
    assert same(mine(*texts), theirs(*texts))
    usual = [each for _, each in arguments(mine)[2:]]
    other = [(not each if isinstance(each, bool) else each) for each in usual]
    assert same(mine(*texts, *other), theirs(*texts, *other))


def arguments(function):
    return [(each.name, each.default) for each in inspect.signature(function).parameters.values()]


@pytest.mark.parametrize("name", ["BLEU", "CHRF", "TER"])
def test_classes_take_the_same_arguments(name):
    mine, theirs = getattr(ours, name), getattr(sacrebleu, name)
    assert arguments(mine) == arguments(theirs)
    assert arguments(mine.corpus_score) == arguments(theirs.corpus_score)
    assert arguments(mine.sentence_score) == arguments(theirs.sentence_score)
    assert METRICS[name] is mine
    public = {each for each in dir(theirs) if each.isupper() and not each.startswith("_")}
    assert public <= set(dir(mine))


def test_calls_as_they_are_seen_in_public_code():
    """The patterns of programs: each runs as it stands, and gives the original's number."""
    hyps, refs, chinese = HYPS[:4], [each[0] for each in REFS[:4]], ALL_TEXTS[25:30]

    def programs(package):
        bleu, chrf = package.BLEU(effective_order=True), package.CHRF(word_order=2)
        yield package.corpus_bleu(hyps, [refs]).score
        yield package.corpus_bleu(chinese, [chinese[::-1]], tokenize="zh").score
        yield package.corpus_bleu(hyps, [refs], tokenize="none").precisions[3]
        yield package.sentence_bleu(hyps[0], [refs[0]]).score
        yield package.sentence_bleu(hyps[0], [refs[0]], tokenize="intl", use_effective_order=True).score
        yield [package.sentence_bleu(hyp, hyps[:place] + hyps[place + 1 :]).score for place, hyp in enumerate(hyps)]
        yield [bleu.sentence_score(hyp, [ref]).score for hyp, ref in zip(hyps, refs, strict=True)]
        yield [chrf.corpus_score(hyps, [refs]).score, chrf.sentence_score(hyps[0], [refs[0]]).score]
        yield package.BLEU(trg_lang="zh").corpus_score(chinese, [chinese[::-1]]).score
        meters = {"counts": np.array([9, 5, 2, 0]), "totals": np.array([12, 10, 8, 6])}
        yield package.BLEU.compute_bleu(meters["counts"], meters["totals"], 12, 13, smooth_method="exp").score
        yield package.metrics.BLEU().corpus_score(hyps, [refs]).format(width=1, score_only=True)

    assert list(programs(ours)) == list(programs(sacrebleu))
    former = ours.corpus_bleu(sys_stream=hyps, ref_streams=[refs], tokenize="intl")  # names of sacrebleu 1
    assert same(former, sacrebleu.corpus_bleu(hyps, [refs], tokenize="intl"))
    assert "smooth_method" in inspect.getfullargspec(ours.BLEU.compute_bleu)[0]


counts, lengths = st.lists(st.integers(0, 9), min_size=4, max_size=4), st.integers(0, 30)


METHODS = st.sampled_from(["none", "exp", "floor", "add-k"])


@given(counts, counts, st.tuples(lengths, lengths, METHODS, st.sampled_from([None, 0, 0.5, 3]), flags))
def test_bleu_of_counts_from_elsewhere(correct, total, rest):
    total = sorted(total, reverse=True)  # there are no more n-grams than words
    correct = [min(each) for each in zip(correct, total, strict=True)]
    unchanged = correct[:], total[:]
    mine = ours.BLEU.compute_bleu(correct, total, *rest)
    assert (correct, total) == unchanged
    assert same(mine, sacrebleu.BLEU.compute_bleu(correct, total, *rest))


def test_references_are_kept_for_many_systems():
    mine, theirs = ours.CHRF(references=STREAMS), sacrebleu.CHRF(references=STREAMS)
    for hyps in (HYPS, HYPS[::-1]):
        assert same(mine.corpus_score(hyps, None), theirs.corpus_score(hyps, None))
    assert str(mine.get_signature()) == "nrefs:var|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0"
    assert "version:tercet-" in str(mine.tercet.signature())
    with pytest.raises(InputError, match="Got 21 texts"):
        mine.corpus_score(HYPS[1:], None)


@pytest.mark.filterwarnings("ignore:The 'warn' method is deprecated")  # which sacrebleu calls
@pytest.mark.parametrize("tokenize", ours.BLEU.TOKENIZERS)
def test_every_tokenizer_has_its_score_and_its_name(tokenize, monkeypatch, tmp_path):
    sacrebleu_folder(monkeypatch, tmp_path)
    mine, theirs = ours.BLEU(tokenize=tokenize), sacrebleu.BLEU(tokenize=tokenize)
    assert same(mine.corpus_score(HYPS, STREAMS), theirs.corpus_score(HYPS, STREAMS))
    assert str(mine.get_signature()) == str(theirs.get_signature())
    assert set(ours.BLEU.TOKENIZERS) == set(sacrebleu.BLEU.TOKENIZERS)


def test_scores_and_metrics_pickle():
    bleu = pickle.loads(pickle.dumps(ours.BLEU(lowercase=True, references=STREAMS)))
    score = bleu.corpus_score(HYPS, None)
    assert same(pickle.loads(pickle.dumps(score)), score)
    assert same(copy.deepcopy(bleu).corpus_score(HYPS, None), score)


def test_what_is_changed_after_a_metric_was_made_counts():
    mine, theirs = ours.BLEU(), sacrebleu.BLEU()
    for each in (mine, theirs):
        each.effective_order, each.lowercase, each.max_ngram_order, each.smooth_method = True, True, 2, "floor"
    assert same(mine.sentence_score("A b", ["a c"]), theirs.sentence_score("A b", ["a c"]))
    assert str(mine.get_signature()) == str(theirs.get_signature())


def test_counts_of_no_order_and_names_of_numpy():
    assert ours.BLEU.compute_bleu([], [], 4, 4, max_ngram_order=0).score == 0
    counts = [3, 2, 1, 1], [4, 3, 2, 1], 4, 4
    expected = sacrebleu.BLEU.compute_bleu(*counts, smooth_method="exp").score
    assert ours.BLEU.compute_bleu(*counts, smooth_method=np.str_("exp")).score == expected
