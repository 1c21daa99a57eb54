"""Calls of all sizes and options, right and wrong: the short road and the long one give the same answer."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_short_road import WORDS, answer, long

import tercet
from tercet.errors import OptionError

#: Options of each metric, and values for them; some exclude each other, and are then refused.
OPTIONS = {
    "bleu_multi": {
        "tokenizer": ["13a", "zh", "char", "none", "unicode"],
        "max_order": [1, 2, 6],
        "smooth_method": ["none", "floor", "add-k", "exp", "nltk1", "nltk3", "nltk4", "nltk6"],
        "effective_order": [True],
        "reference_length": ["shortest", "average"],
        "weights": [[1], {"bleu1": [1], "bleu2": [0.5, 0.5]}],
        "compat": ["sacrebleu", "evaluate", "nltk"],
    },
    "rouge_nlws": {
        "rouge_types": [["rouge1"], ["rouge2", "rougeL"], ["rougeW"], ["rougeS4", "rougeSU4"], ["rougeLsum"]],
        "tokenizer": ["rouge", "unicode", "char", "none"],
        "use_stemmer": [True],
        "multi_ref": ["average", "jackknife"],
        "output": ["all", "recall"],
        "compat": ["rouge_score", "rouge155"],
    },
    "chrf_multi": {"char_order": [1, 4], "word_order": [0, 2, [0, 1]], "whitespace": [True], "eps_smoothing": [True]},
    "wer": {"tokenizer": ["unicode", "char", "zh"], "no_punct": [True], "standardize": [True]},
    "ter": {"normalized": [True], "no_punct": [True], "asian_support": [True], "case_sensitive": [True]},
    "google_bleu": {"tokenizer": ["char", "unicode"], "min_len": [2], "max_len": [2, 5]},
}
FOR_ALL = {
    "lowercase": [True],
    "scale": [100],
    "missing_references": ["skip", "zero"],
    "normalize": ["nfkc"],
}

#: What stands where a text should be.
WRONG = [None, 7, 0.5, b"a", [], ["a", None], {"text": "a"}, float("nan"), "\ud800"]


def text(chance):
    """Return a text of up to eight words of several scripts."""
    return " ".join(chance.choices(WORDS, k=chance.randint(0, 8)))


def options(name, chance):
    """Return a few options of a metric."""
    values = OPTIONS[name] | FOR_ALL
    chosen = chance.sample(sorted(values), chance.choice([0, 0, 1, 1, 2, 3]))
    return {option: chance.choice(values[option]) for option in chosen}


def columns(n, chance):
    """Return n predictions and their references, one or several each; in one call of three something is wrong."""
    predictions = [text(chance) for _ in range(n)]
    references = [text(chance) for _ in range(n)]
    if chance.random() < 0.5:
        references = [[text(chance) for _ in range(chance.randint(1, 3))] for _ in range(n)]
    if chance.random() < 1 / 3:
        column = chance.choice([predictions, references])
        if column and chance.random() < 0.7:
            column[chance.randrange(n)] = chance.choice(WRONG)
        elif column:
            column.pop()
    return predictions, references


def scorer_of(name, chosen):
    """Return a metric with options, or None where they exclude each other."""
    try:
        return tercet.scorer(name, **chosen)
    except OptionError:
        return None


@pytest.mark.parametrize("name", OPTIONS)
@given(n=st.integers(0, 70), seed=st.integers(0, 2**32))
def test_a_call_has_one_answer_by_both_roads(name, n, seed):
    chance = random.Random(seed)
    scorer = scorer_of(name, options(name, chance))
    if scorer is None:
        return
    predictions, references = columns(n, chance)
    for function in (scorer, scorer.segments):
        by_both = answer(function, predictions, references), answer(function, long(predictions), long(references))
        assert str(by_both[0]) == str(by_both[1])


@pytest.mark.parametrize("name", OPTIONS)
def test_most_options_of_these_calls_go_together_and_take_the_short_road(name):
    chance = random.Random(7)
    scorers = [scorer_of(name, options(name, chance)) for _ in range(100)]
    made = [scorer for scorer in scorers if scorer is not None]
    assert len(made) > 60
    assert sum(scorer._plan is not None for scorer in made) > len(made) / 3
