"""tercet.compat in place of NLTK's BLEU: the same calls on the same tokens, the original's beside ours."""

import pickle
import warnings
from inspect import signature

import nltk.translate.bleu_score as original
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.compat import nltk as ours
from texts import ALL_TEXTS

REFERENCE = ["the", "cat", "is", "on", "the", "mat", "today"]
HYPOTHESIS = ["the", "cat", "is", "off", "the", "mat"]
WEIGHTINGS = [(0.5, 0.5), (0.25, 0.25, 0.25, 0.25), (0, 0, 1), [0.1] * 6]

tokens = st.lists(
    st.sampled_from(["the", "cat", "", "a b", "猫", "แมว", "кот", "👍", 1, 1.0, None, ("x", 2)]), max_size=9
)
words = st.lists(st.sampled_from(["the", "cat", "sat", "Cat"]), max_size=9)


def corpora_of(texts):
    segment = st.tuples(texts, st.lists(texts, min_size=1, max_size=3))
    return st.lists(segment, min_size=1, max_size=4).map(lambda pairs: list(zip(*pairs, strict=True)))


corpora = corpora_of(tokens) | corpora_of(words)


def outcome(module, method, *arguments, **options):
    """Return the score, or the error, and the warnings."""
    smoothing = module.SmoothingFunction(**options)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        try:
            score = module.corpus_bleu(*arguments, smoothing_function=getattr(smoothing, method))
        except (AssertionError, ArithmeticError) as error:
            score = "no value" if isinstance(error, ArithmeticError) else str(error)
    return score, [(str(each.message), each.category) for each in found]


def both(method, *arguments, **options):
    return (outcome(module, method, *arguments, **options) for module in (ours, original))


# --- the calls as people write them


def test_a_sentence_with_method1():
    expected = original.sentence_bleu(
        [REFERENCE], HYPOTHESIS, smoothing_function=original.SmoothingFunction().method1
    )
    assert (
        ours.sentence_bleu([REFERENCE], HYPOTHESIS, smoothing_function=ours.SmoothingFunction().method1) == expected
    )


# --- the same numbers, types and warnings


@pytest.mark.parametrize("name", ["sentence_bleu", "corpus_bleu", "modified_precision", "brevity_penalty"])
def test_names_and_defaults_of_arguments(name):
    def arguments(module):
        return [(each.name, each.default) for each in signature(getattr(module, name)).parameters.values()]

    assert arguments(ours) == arguments(original)


@pytest.mark.parametrize("method", ["method0", "method1", "method2", "method3"])
@given(corpora)
def test_scores_of_any_tokens(method, corpus):
    hypotheses, references = corpus
    found, expected = both(method, references, hypotheses, WEIGHTINGS)
    assert found == expected


def test_a_corpus_of_many_thousand_sentences():
    hypothesis = [*REFERENCE[:4], "a", "mat"]
    hypotheses = [hypothesis] * 9000
    for texts in (hypotheses, [[*hypothesis[:5], "кот"], *hypotheses]):
        lists = [[REFERENCE]] * len(texts)
        assert ours.corpus_bleu(lists, texts) == original.corpus_bleu(lists, texts)


@pytest.mark.parametrize("method", ["method4", "method5", "method6", "method7"])
@given(corpora, st.sampled_from([1, 2.5, 5]))
def test_scores_in_fractions_differ_in_their_last_digits(method, corpus, number):
    hypotheses, references = corpus
    found, expected = both(method, references, hypotheses, alpha=number, k=number)
    assert found == (expected[0] if isinstance(expected[0], str) else pytest.approx(expected[0], rel=1e-14), [])


@given(corpora, st.sampled_from([0, 0.1, 1]))
def test_epsilon_counts_as_in_nltk(corpus, epsilon):
    hypotheses, references = corpus
    found, expected = both("method1", references, hypotheses, epsilon=epsilon)
    assert found == expected


def test_methods_that_would_divide_by_nothing_are_errors():
    smooth, precisions = ours.SmoothingFunction(alpha=0, k=0), [ours.Fraction(1, 2)] * 3
    calls = [(smooth.method4, "abc", "divide by zero"), (smooth.method7, "abc", "divide by zero")]
    for method, hypothesis, kind in [*calls, (smooth.method6, "ab", "divide by zero")]:
        with pytest.raises(FloatingPointError, match=f"{kind} encountered"):
            method(precisions, [list("abc")], list(hypothesis))
    assert smooth.method1([]) == []


@given(corpora)
def test_parts_of_the_score(corpus):
    for hypothesis, references in zip(*corpus, strict=True):
        closest = ours.closest_ref_length(references, len(hypothesis))
        assert closest == original.closest_ref_length(references, len(hypothesis))
        assert ours.brevity_penalty(closest, len(hypothesis)) == original.brevity_penalty(closest, len(hypothesis))
        for n in (1, 3):
            found, expected = (each.modified_precision(references, hypothesis, n) for each in (ours, original))
            assert (found.numerator, found.denominator) == (expected.numerator, expected.denominator)
            assert float(found) == float(expected)


def test_one_score_or_a_list_of_them_and_an_integer_without_a_match():
    assert ours.sentence_bleu([REFERENCE], HYPOTHESIS, [(1,)]) == ours.sentence_bleu([REFERENCE], HYPOTHESIS, (1,))
    assert repr(ours.sentence_bleu([["a"]], ["b"])) == repr(original.sentence_bleu([["a"]], ["b"])) == "0"
    assert repr(ours.sentence_bleu([["a"]], [], [(1,), (0, 1)])) == "[0, 0]"


@pytest.mark.filterwarnings(r"ignore:\s*The hypothesis contains 0 counts:UserWarning")
@pytest.mark.parametrize("length", [1, 2, 3, 4])
def test_weights_for_short_texts(length):
    arguments = [REFERENCE[:length]], REFERENCE[:length]
    found, expected = (each.sentence_bleu(*arguments, auto_reweigh=True) for each in (ours, original))
    assert found == expected == 1


def test_a_smoothing_of_the_user_gets_counts_and_the_last_segment():
    def smoothing(p_n, references, hypothesis, hyp_len):
        seen.append((hypothesis, references, hyp_len))
        return [(p.numerator + 1) / (p.denominator + 1) for p in p_n]

    seen = []
    corpus = [[REFERENCE], [HYPOTHESIS, REFERENCE]], [HYPOTHESIS, REFERENCE[:5]]
    found, expected = (each.corpus_bleu(*corpus, smoothing_function=smoothing) for each in (ours, original))
    assert found == expected
    assert seen[0] == seen[1] == (REFERENCE[:5], [HYPOTHESIS, REFERENCE], 11)


def test_a_smoothing_is_pickled():
    method = pickle.loads(pickle.dumps(ours.SmoothingFunction(epsilon=0.5).method1))
    assert method.__self__.epsilon == 0.5


def test_a_warning_points_at_the_caller():
    with pytest.warns(UserWarning, match="0 counts of 3-gram overlaps") as warned:
        ours.sentence_bleu([["a", "b", "c"]], ["a", "b", "d"], (0, 0, 1))
    assert warned[0].filename == __file__


# --- what is refused, and what is warned of


@pytest.mark.parametrize("text", [text for text in ALL_TEXTS if len(text) > 5])
def test_characters_of_strings_are_scored_with_a_warning(text):
    with pytest.warns(UserWarning, match=r"^The tokens of a string are its characters, as in NLTK"):
        found = ours.sentence_bleu([text], text[1:])
    assert found == original.sentence_bleu([text], text[1:])


@pytest.mark.parametrize(
    ("references", "hypothesis", "message"),
    [
        ("the cat", "the cat", "^The references of item 0 must be a list of at least one reference, .* 'the cat' in"),
        ([], ["the"], r"^The references of item 0 must be a list of at least one reference, .* \[\] instead.$"),
        (REFERENCE, HYPOTHESIS, "^item 0 has lists of words and the string 'the', whose tokens would be its char"),
        (["the cat"], HYPOTHESIS, "^item 0 has lists of words and the string 'the cat', "),
        ([REFERENCE], "the cat", "^item 0 has lists of words and the string 'the cat', "),
    ],
)
def test_strings_in_place_of_lists(references, hypothesis, message):
    with pytest.raises(ValueError, match=message):
        ours.sentence_bleu(references, hypothesis)
    with pytest.raises(ValueError, match=message.replace("item 0", "item 1")):
        ours.corpus_bleu([[REFERENCE], references], [HYPOTHESIS, hypothesis])


def test_an_empty_corpus():
    with pytest.raises(ValueError, match="The corpus is empty"):
        ours.corpus_bleu([], [])


def test_unequal_numbers_of_hypotheses_and_references_are_refused():
    message = r"^Expected one list of references for each hypothesis, got 2 lists for 1 hypothesis.$"
    with pytest.raises(AssertionError, match=message):
        ours.corpus_bleu([[REFERENCE], [REFERENCE]], [HYPOTHESIS])


def test_a_divisor_of_zero_has_no_value():
    corpus = [[["a", "b"]]], [["a", "c"]]
    for method, number in (("method4", {"k": 0}), ("method7", {"k": 0})):
        found, expected = both(method, *corpus, **number)
        assert found == expected == ("no value", [])
