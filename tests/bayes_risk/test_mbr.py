"""Minimum Bayes risk: against the definition in plain loops, with sacrebleu's scores of pairs."""

import json
import pickle
from dataclasses import FrozenInstanceError
from fractions import Fraction

import numpy as np
import pytest
import sacrebleu
from hypothesis import given
from hypothesis import strategies as st

import tercet

WEATHER = ["Heute ist es sonnig.", "Heute scheint die Sonne.", "Es ist heute sonnig.", "Morgen regnet es vielleicht."]
GROUPS = [
    WEATHER,
    ["Кошка спит на окне.", "Кошка спит у окна.", "На окне спит кошка.", "Кошка спит на окне.", "Пёс"],
    ["今天天气很好", "今天天气真好", "天气不错"],
    ["แมวนอนบนเสื่อ", "แมวนั่งบนเสื่อ", "", "แมว"],
    ["great 👍🏽 work 🎉", "good 👍🏽 work 🎉", "good work"],
    ["", "", "a"],
    ["alone"],
]
PAIRS = {
    "chrf": sacrebleu.CHRF(),
    "bleu": sacrebleu.BLEU(effective_order=True),
    "ter": sacrebleu.TER(),
}
QUIET = pytest.mark.filterwarnings("ignore:.*(split at white space|splits at spaces):UserWarning")
pytestmark = QUIET

texts = st.text(st.sampled_from("aAbé кошка今天แม👍., "), max_size=12)
several = st.lists(texts, min_size=1, max_size=6)


def expected(metric, group, weights=None):
    """Return the mean score of each candidate against all as references, in exact fractions, and then as a float."""
    weights = [Fraction(weight) for weight in weights or [1] * len(group)]
    found = []
    for candidate in group:
        scores = [Fraction(PAIRS[metric].sentence_score(candidate, [each]).score) for each in group]
        found.append(float(sum(w * s for w, s in zip(weights, scores, strict=True)) / sum(weights)))
    return found


def choose(group, metric="chrf", weights=None, **options):
    return tercet.mbr([group], metric, None if weights is None else [weights], **options)[0]


def test_the_candidate_that_is_most_like_the_others_is_chosen():
    assert choose(["the cat sits", "the cat sat", "a cat sat", "a dog barks"]).text == "the cat sat"


@pytest.mark.parametrize("metric", PAIRS)
def test_the_best_mean_of_sacrebleus_scores_is_chosen(metric):
    found = tercet.mbr(GROUPS, metric, scale=100)
    assert len(found) == len(GROUPS)
    for group, choice in zip(GROUPS, found, strict=True):
        wanted = expected(metric, group)
        assert choice.scores == pytest.approx(wanted, rel=1e-14, abs=1e-12)
        best = min(wanted) if metric == "ter" else max(wanted)
        assert choice.score == pytest.approx(best, rel=1e-14, abs=1e-12)
        assert (choice.text, choice.scores[choice.index]) == (group[choice.index], choice.score)
    assert found.higher_is_better == (metric != "ter")
    assert found.texts == [choice.text for choice in found]


@pytest.mark.parametrize("metric", PAIRS)
@given(group=several, data=st.data())
def test_weights_are_those_of_the_references(metric, group, data):
    counts = data.draw(st.lists(st.integers(0, 9), min_size=len(group), max_size=len(group)).filter(any))
    choice = choose(group, metric, counts, scale=100)
    assert choice.scores == pytest.approx(expected(metric, group, counts), rel=1e-12, abs=1e-9)


@given(several, st.data())
def test_copies_are_weights_to_the_bit_whatever_their_unit(group, data):
    different = list(dict.fromkeys(group))
    counts = data.draw(st.lists(st.integers(1, 4), min_size=len(different), max_size=len(different)))
    copies = [text for text, count in zip(different, counts, strict=True) for _ in range(count)]
    one, other = choose(copies), choose(different, weights=counts)
    scaled = choose(different, weights=[70 * count for count in counts])
    assert other == scaled == choose(different, weights=[count / 64 for count in counts])
    for name in ("text", "score", "margin", "runner_up_text"):
        assert getattr(one, name) == getattr(other, name)
    assert dict(zip(copies, one.scores, strict=True)) == dict(zip(different, other.scores, strict=True))


@given(several, st.randoms())
def test_the_order_of_candidates_decides_ties_only(group, random):
    shuffled = random.sample(group, len(group))
    one, other = choose(group), choose(shuffled)
    assert dict(zip(group, one.scores, strict=True)) == dict(zip(shuffled, other.scores, strict=True))
    assert (one.score, one.margin) == (other.score, other.margin)
    assert one.index == one.scores.index(max(one.scores))
    assert other.index == other.scores.index(max(other.scores))


def test_the_runner_up_has_another_text_and_the_margin_is_never_negative():
    for metric in ("chrf", "ter"):
        choice = choose(["a b c", "a b c", "a b d", "a e f"], metric)
        assert (choice.index, choice.runner_up, choice.runner_up_text) == (0, 2, "a b d")
        assert choice.margin == abs(choice.scores[0] - choice.scores[2]) > 0
    for same in (["alone"], ["same"] * 3):
        assert choose(same).to_dict() == {
            "index": 0, "text": same[0], "score": 100.0, "runner_up": None, "runner_up_text": None, "margin": None,
            "scores": [100.0] * len(same),
        }  # fmt: skip


def test_of_a_tie_the_first_is_chosen():
    group = ["a b", "c d"]
    assert [choose(each, "jaccard").text for each in (group, group[::-1])] == ["a b", "c d"]
    assert choose(group, "jaccard").margin == 0


def test_a_candidate_of_weight_0_may_be_chosen_and_is_no_reference():
    choice = choose(["the cat sat", "a dog", "the cat sits"], weights=[0, 0, 1])
    assert choice.scores == pytest.approx(expected("chrf", ["the cat sat", "a dog", "the cat sits"], [0, 0, 1]))
    only = choose(["the cat sat down", "the dog sat down", "cows"], weights=[1, 1, 0]).scores
    assert only[:2] == choose(["the cat sat down", "the dog sat down"]).scores


def test_metrics_are_given_as_elsewhere_and_the_signature_says_how():
    by_name = tercet.mbr([WEATHER], "bleu", lowercase=True)
    by_value = tercet.mbr([WEATHER], tercet.Bleu(lowercase=True))
    assert by_name == by_value == tercet.mbr([WEATHER], "bleu", lowercase=True, n_jobs=2)
    result = tercet.score("bleu", WEATHER[:1], WEATHER[1:2], lowercase=True, segments=True)
    assert by_name.signature.replace("|mbr:self,uniform", "") == result.signature
    assert "|mbr:self,weighted|" in tercet.mbr([WEATHER], "bleu", [[1, 2, 3, 4]]).signature


def test_a_rule_that_groups_differ_in_is_named_by_group():
    with pytest.warns(UserWarning, match="tokenizer='unicode' is used instead"):
        found = tercet.mbr([WEATHER, GROUPS[1]], "rouge", rouge_types="rouge1")
    assert "|tok:by-group|" in found.signature
    assert "|tok:rouge|" in tercet.mbr([WEATHER, ["a cat"]], "rouge").signature


def test_a_tokenizer_that_cannot_split_the_candidates_is_warned_of_where_mbr_was_called():
    with pytest.warns(UserWarning, match="bleu_multi: tokenizer='13a' splits at spaces") as caught:
        tercet.mbr([GROUPS[2]], "bleu")
    assert [each.filename for each in caught] == [__file__]


def test_any_containers_are_read():
    group = np.array(["a cat", "the cat"], dtype=object)
    found = tercet.mbr((group, ("x", "y", "z")), "chrf", [np.array([1, 2]), (0.5, 0.25, 0.25)])
    assert found == tercet.mbr([["a cat", "the cat"], ["x", "y", "z"]], "chrf", [[1, 2], [2, 1, 1]])


def test_results_are_kept_shown_and_frozen():
    found = tercet.mbr([["a cat", "the cat"], ["x", "y", "z"]], "chrf")
    assert found == pickle.loads(pickle.dumps(found))
    assert json.loads(json.dumps(found.to_dict()))["groups"][1] == found[1].to_dict()
    mean = f"{(found[0].score + found[1].score) / 2:.4g}"
    assert repr(found) == f"<Choices in 2 groups by chrf_multi: expected chrf {mean} on average>"
    assert found.summary()[0].startswith("2 groups of 2 to 3 candidates. Expected chrf of the chosen, on average: ")
    many = tercet.mbr([["<b>", "</b>"]] * 25, "jaccard")
    html = many._repr_html_()
    assert ("&lt;b&gt;" in html, "<b>" in html, "5 more" in html) == (True, False, True)
    assert html.count("<tr>") == 21
    assert many.summary()[1] == "Margin to the runner-up: median 0; below 1% of the score in 25 of 25 groups."
    with pytest.raises(FrozenInstanceError):
        found[0].index = 3


def test_a_summary_counts_small_margins_and_groups_without_a_runner_up():
    assert tercet.mbr([["a"], ["b", "b"], ["a c", "a d"]], "ter").summary() == [
        "3 groups of 1 to 2 candidates. Expected ter of the chosen, on average: 8.333 (lower is better).",
        "Margin to the runner-up: median 0; below 1% of the score in 1 of 1 group.",
        "Without a runner-up, as there is one text only: 2 groups.",
    ]


def test_huge_and_tiny_weights_neither_overflow_nor_vanish():
    assert choose(["a b", "a c"], weights=[1e308, 1e308]) == choose(["a b", "a c"])
    assert choose(["a b", "a c"], weights=[5e-324, 5e-324]) == choose(["a b", "a c"])
