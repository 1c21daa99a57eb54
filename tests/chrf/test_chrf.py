"""chrf_multi against sacrebleu, called on the same texts: equal to the last digit."""

import gzip
import json
import random

import pytest
from evaluate import load
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import CHRF

import tercet
from bleu.test_golden_bleu import read_set
from conftest import ANY_TEXTS
from oracles import corpus_streams
from texts import PAIRS, all_pairs, any_texts, awkward_corpus, corpora

OPTIONS = [
    {}, {"word_order": 2}, {"word_order": 1, "lowercase": True}, {"beta": 1, "char_order": 3}, {"beta": 0},
    {"beta": 0.5, "word_order": 4}, {"whitespace": True}, {"eps_smoothing": True, "word_order": 2},
    {"eps_smoothing": True, "char_order": 9, "whitespace": True}, {"char_order": 0, "word_order": 2},
]  # fmt: skip


def test_chrf_is_the_f_of_matched_characters_in_percent():
    precision, recall = 1 / 2, 1 / 3
    expected = 5 * precision * recall / (4 * precision + recall)  # recall has twice the weight
    assert tercet.score("chrf", ["ab"], ["acd"], char_order=1)["chrf"] == pytest.approx(100 * expected)


def check(predictions, references, **options):
    """Compare the corpus and every item with sacrebleu's, without a tolerance."""
    ours = tercet.score("chrf_multi", predictions, references, segments=True, **options)
    theirs = CHRF(**options)
    assert ours["chrf"] == theirs.corpus_score(predictions, corpus_streams(references)).score
    pairs = zip(predictions, references, strict=True)
    assert ours["segments"]["chrf"] == [theirs.sentence_score(text, targets).score for text, targets in pairs]


@ANY_TEXTS
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_equals_sacrebleu_in_every_language_and_on_awkward_texts(options):
    for languages in (PAIRS, *([language] for language in PAIRS)):
        check(*all_pairs(languages), **options)
    for seed in range(6):
        check(*awkward_corpus(seed, most=(5, 40, 150)[seed % 3]), **options)
    check(["e\u0301a 𝒳𝒴", "👍🏽𝒳"], [["éa 𝒳"], ["👍🏽𝒳"]], **options)


@ANY_TEXTS
@settings(max_examples=300)
@given(corpora(any_texts) | corpora(st.text("ab .(", max_size=12)), st.sampled_from(OPTIONS))
def test_equals_sacrebleu_on_any_text_and_where_references_tie(corpus, options):
    check(*corpus, **options)


@pytest.mark.parametrize("size", [60, 70, 510, 520, 5000])
def test_equals_sacrebleu_on_texts_of_every_length(size):
    rng = random.Random(size)
    predictions = ["".join(rng.choices("abcd e猫 кот\n.", k=size)) for _ in range(3)]
    references = [["".join(rng.choices("abcd e猫 кот\n.", k=size + more)) for more in (0, 9)] for _ in predictions]
    check(predictions, references, word_order=2)


@pytest.mark.parametrize("name", ["ntrex_zh_a", "ntrex_es_a", "ntrex_yue_a", "comet_da_mixed", "e2e_devel_baseline"])
def test_equals_sacrebleu_on_real_test_sets(sets, name):
    rows = [json.loads(line) for line in (sets / f"{name}.jsonl").read_text().splitlines()]
    system = next(iter(rows[0]["hyps"]))
    pairs = [(row["hyps"][system], row["refs"]) for row in rows if system in row["hyps"]]
    check(*zip(*pairs, strict=True), word_order=2)


@ANY_TEXTS
@pytest.mark.parametrize("name", ["ntrex_fr_a", "ntrex_zh_a", "wmt19_darr_lten", "summeval_a", "e2e_devel_baseline"])
def test_equals_the_figures_stored_with_real_test_sets(sets, name):
    """Of sacrebleu 2.6.0, as its command computed them."""
    compared = 0
    for _, predictions, references, figures in read_set(sets, name):
        for label, order in (("sacrebleu chrF2", 0), ("sacrebleu chrF2++", 2)):
            if label in figures:
                found = tercet.score("chrf", predictions, references, word_order=order)["chrf"]
                assert found == pytest.approx(figures[label]["score"], abs=6e-7)
                compared += 1
    assert compared


@pytest.mark.long
def test_equals_sacrebleu_for_the_systems_of_a_shared_task(sets):
    with gzip.open(sets / "wmt17_ende_16sys.jsonl.gz", "rt") as file:
        rows = [json.loads(line) for line in file]
    references = [row["refs"] for row in rows]
    for system in rows[0]["hyps"]:
        check([row["hyps"][system] for row in rows], references)


class TestSeveralOrdersOfWords:
    def test_one_pass_gives_what_each_call_gives(self):
        predictions, references = all_pairs()
        together = tercet.score("chrf", predictions, references, word_order=[1, 0, 2], segments=True)
        for name, order in {"chrf": 1, "chrf_w0": 0, "chrf_w2": 2}.items():
            alone = tercet.score("chrf", predictions, references, word_order=order, segments=True)
            assert together[name] == alone["chrf"]
            assert together["segments"][name] == alone["segments"]["chrf"]

    def test_each_chooses_its_own_reference(self):
        predictions, references = ["ab cd"], [["abcd x", "ab dc"]]
        together = tercet.score("chrf", predictions, references, word_order=[0, 4])
        for name, order in (("chrf", 0), ("chrf_w4", 4)):
            assert together[name] == CHRF(word_order=order).sentence_score("ab cd", references[0]).score

    def test_intervals_and_the_keys_of_evaluate(self):
        predictions, references = all_pairs()
        result = tercet.score("chrf", predictions, references, word_order=(2, 0), confidence_level=0.9)
        assert list(result) == ["chrf", "chrf_w0", "score", "char_order", "word_order", "beta", "intervals"]
        assert (result["score"], result["word_order"]) == (result["chrf"], 2)
        assert tercet.score("chrf", predictions, references, word_order=range(3))["chrf_w2"] == result["chrf"]
        for name in ("chrf", "chrf_w0"):
            low, high = result["intervals"][name]
            assert low < result[name] < high


class TestExplain:
    @pytest.mark.parametrize("options", OPTIONS, ids=str)
    def test_counts_and_score_are_those_of_the_scorer(self, options):
        for text, references in PAIRS["en"] + PAIRS["zh"] + PAIRS["tr"]:
            why = tercet.explain("chrf", text, references, **options)
            (found,) = why.scores
            expected = pytest.approx(CHRF(**options).sentence_score(text, references).score, abs=1e-12)
            numbers = [number for each in found.orders for number in (each.prediction, each.reference, each.matches)]
            assert found.score == expected
            assert CHRF(**options)._compute_f_score(numbers) == expected

    def test_every_character_is_shown_and_white_space_has_no_level(self):
        why = tercet.explain("chrf", "Два  кота\nспят", ["Три кота спали"]).scores[0]
        assert "".join(each.text for each in why.prediction) == "Два  кота\nспят"
        assert {each.level for each in why.prediction if each.text.isspace()} == {0}
        levels = {each.text: each.level for each in why.prediction[5:9]}
        assert levels == dict.fromkeys("кота", 6)


def test_evaluates_module_speaks_as_evaluates_chrf():
    predictions, references = all_pairs(["en"])
    module = load("metrics/chrf_multi", "sacrebleu")
    idle = {"char_order": 0, "word_order": 2, "whitespace": True}  # is an error elsewhere
    for options in ({"word_order": 2, "beta": 3}, idle):
        result = module.compute(predictions=predictions, references=references, signature=True, **options)
        assert list(result) == ["score", "char_order", "word_order", "beta", "signature"]
        expected = CHRF(**options).corpus_score(predictions, corpus_streams(references)).score
        assert result["score"] == expected
        assert "|equals:sacrebleu|" in result["signature"]
    result = module.compute(
        predictions=predictions * 2, references=references * 2, segments=True, confidence_level=0.9
    )
    assert list(result["segments"]) == list(result["intervals"]) == ["score"]
