"""From sums of rows to scores: BLEU's beside sacrebleu, error rates beside jiwer, both implementations alike."""

import jiwer
import numpy as np
import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st

from tercet.engine import _engine, plain

METHODS = ("none", "floor", "add-k", "exp", "add-one")


@st.composite
def bleu_rows(draw, max_order):
    """Draw a row of BLEU whose counts a text could have, or none could: sums are read from files as well."""
    length = draw(st.integers(0, 12))
    ngrams = [max(length - order, 0) for order in range(max_order)]
    matches = [draw(st.integers(0, most)) for most in ngrams]
    if draw(st.booleans()):
        matches = draw(st.lists(st.integers(0, 9), min_size=max_order, max_size=max_order))
    lengths = draw(st.lists(st.integers(0, 12), min_size=3, max_size=3))
    return [1, length == 0, 0, draw(st.integers(0, 2)), length, *lengths, *matches, *ngrams]


@st.composite
def questions(draw):
    """Draw rows, and the other arguments of `bleu_scores`."""
    n = draw(st.integers(1, 6))
    rows = draw(st.lists(bleu_rows(n), max_size=4))
    weightings = st.sampled_from([[1 / n] * n, [1.0, *[0.0] * (n - 1)], [*[0.0] * (n - 1), 0.5]])
    any_weights = st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0, 2.0]), min_size=n, max_size=n)
    weights = np.array(draw(st.lists(weightings | any_weights, min_size=1, max_size=3)))
    method, amount = draw(st.sampled_from(METHODS)), draw(st.sampled_from([0.0, 0.1, 1.0, 2.5]))
    counts = np.array(rows, np.float64).reshape(-1, 8 + 2 * n)
    scale = draw(st.sampled_from([1.0, 100.0]))
    return counts, draw(st.integers(5, 7)), method, amount, draw(st.booleans()), weights, scale


@settings(max_examples=400)
@given(questions())
def test_both_implementations_score_counts_alike(question):
    rows, *options = question
    expected = plain.bleu_scores(*question).tolist()
    assert _engine.bleu_scores(*question).tolist() == expected
    # as sums of paired tests lie in memory, column by column
    assert _engine.bleu_scores(np.asfortranarray(rows), *options).tolist() == expected


@settings(max_examples=300)
@given(row=st.integers(1, 6).flatmap(bleu_rows), effective=st.booleans(), data=st.data())
def test_bleu_is_sacrebleus_to_the_last_digit(engine, row, effective, data):
    n = (len(row) - 8) // 2
    method, amount = data.draw(
        st.sampled_from([("none", 0.0), ("exp", 0.0), ("floor", 0.1), ("add-k", 1), ("add-k", 3)])
    )
    expected = sacrebleu.BLEU.compute_bleu(
        row[8 : 8 + n], row[8 + n :], row[4], row[5], method, amount or None, effective, n
    )
    uniform, rows = np.full((1, n), 1 / n), np.array([row], np.float64)
    [[score, *precisions, penalty]] = engine.bleu_scores(rows, 5, method, amount, effective, uniform, 100.0).tolist()
    assert (score, precisions, penalty) == (expected.score, expected.precisions, expected.bp)


def test_a_perfect_text_scores_as_sacrebleu_says_and_of_one_exactly_one(engine):
    rows, uniform = np.array([[1, 0, 0, 1, 7, 7, 7, 7, 7, 6, 5, 4, 7, 6, 5, 4]], np.float64), np.full((1, 4), 0.25)
    assert engine.bleu_scores(rows, 5, "exp", 0.0, False, uniform, 1.0)[0, 0] == 1
    text = "seven words are here so that it"
    theirs = sacrebleu.corpus_bleu([text], [[text]]).score
    assert engine.bleu_scores(rows, 5, "exp", 0.0, False, uniform, 100.0)[0, 0] == theirs


@settings(max_examples=400)
@given(st.data(), st.integers(1, 6), st.sampled_from([f"nltk{number}" for number in range(8)]))
def test_nltk_s_methods_give_both_implementations_the_same(data, n, method):
    rows = data.draw(st.lists(bleu_rows(n), max_size=4))
    further = st.lists(st.integers(0, 9), min_size=n + 2, max_size=n + 2)
    counts = np.array([[*row, *data.draw(further)] for row in rows], np.float64).reshape(-1, 10 + 3 * n)
    value = data.draw(st.sampled_from([0.1, 1.0, 5.0]))
    found, expected = (each.nltk_precisions(counts, 6, method, value, n) for each in (_engine, plain))
    assert found.tolist() == expected.tolist()
    weights = np.array([[1 / n] * n, range(n)])
    formula = 6, method, value, False, weights, 100.0
    scores = plain.bleu_scores(counts, *formula).tolist()
    for rows in (counts, np.asfortranarray(counts)):
        assert _engine.bleu_scores(rows, *formula).tolist() == scores


def test_rows_that_lack_columns_of_nltk_s_methods_are_refused():
    for columns, length_column, orders in ((19, 5, 4), (20, 20, 4), (20, 5, 0)):
        rows = np.ones((1, columns))
        with pytest.raises(ValueError, match="do not have"):
            _engine.nltk_precisions(rows, length_column, "nltk0", 0, orders)
        with pytest.raises(ValueError, match="do not have"):
            _engine.bleu_scores(rows, length_column, "nltk0", 0, False, np.ones((1, max(orders, 5))), 1.0)


def test_rows_that_lack_columns_of_ter_are_refused(engine):
    for columns in (4, 5, 7):
        with pytest.raises(ValueError, match="rows have edits and words"):
            engine.ter_scores(np.zeros((2, columns)), 1.0)


edits = st.lists(st.integers(0, 9), min_size=4, max_size=4)


@given(st.lists(st.tuples(edits, edits), max_size=5))
def test_both_implementations_rate_errors_alike(counts):
    rows = np.array([[1, 0, 0, 1, *words, *characters] for words, characters in counts], np.float64).reshape(-1, 12)
    assert _engine.error_rates(rows, 100).tolist() == plain.error_rates(rows, 100).tolist()


@given(hypothesis=st.text("ab ", max_size=12), reference=st.text("ab ", min_size=1, max_size=12).filter(str.strip))
def test_error_rates_are_jiwers(engine, hypothesis, reference):
    words, characters = jiwer.process_words(reference, hypothesis), jiwer.process_characters(reference, hypothesis)
    counts = [
        number
        for output in (words, characters)
        for number in (output.hits, output.substitutions, output.deletions, output.insertions)
    ]
    [rates] = engine.error_rates(np.array([[1, 0, 0, 1, *counts]], np.float64), 1).tolist()
    edits = characters.substitutions + characters.deletions + characters.insertions
    character_mer = edits / (characters.hits + edits)  # of words alone jiwer has it
    expected = [words.wer, characters.cer, words.mer, words.wil, words.wip, character_mer]
    assert rates == pytest.approx(expected, abs=1e-12)


@given(st.lists(st.tuples(st.integers(0, 9), st.sampled_from([0, 0.5, 1, 7.25])), max_size=5))
def test_ter_is_edits_per_word_and_of_an_empty_reference_one_at_most(counts):
    rows = np.array([[1, 0, 0, 1, *pair] for pair in counts], np.float64).reshape(-1, 6)
    expected = [100 * (edits / length if length else float(edits > 0)) for edits, length in counts]
    assert _engine.ter_scores(rows, 100).tolist() == plain.ter_scores(rows, 100).tolist() == expected
