"""Degenerate completions take bounded time and earn nothing; the penalties do what they say."""

import math
import time

import pytest

import tercet

WORDS = [f"w{number}" for number in range(100)]
REFERENCE = " ".join(WORDS)
#: 40,000 tokens: of one word, of the reference again and again, of its words in another order.
DEGENERATE = {
    "one word": " ".join(["w1"] * 40_000),
    "copies": " ".join([REFERENCE] * 400),
    "shuffled": " ".join(WORDS[place * 37 % 100] for place in range(40_000)),
}
METRICS = {
    "bleu": {}, "chrf": {}, "ter": {}, "jaccard": {}, "bleu_rouge": {}, "google_bleu": {},
    "rouge": {"rouge_types": ["rougeL"]}, "rouge_nlws": {"rouge_types": ["rouge1"], "output": "recall"},
}  # fmt: skip


class TestLongCompletions:
    @pytest.mark.parametrize("kind", DEGENERATE)
    @pytest.mark.parametrize(("metric", "options"), METRICS.items())
    def test_they_earn_next_to_nothing_in_bounded_time(self, metric, options, kind):
        reward = tercet.reward(metric, **options)
        start = time.process_time()
        found = reward(completions=[REFERENCE] * 7 + [DEGENERATE[kind]], references=[REFERENCE] * 8)
        assert time.process_time() - start < 5  # hundredths of a second; sacrebleu's TER alone takes minutes
        assert found[:7] == pytest.approx([1.0] * 7)
        assert 0 <= found[7] < 0.03

    def test_a_cut_text_earns_the_score_of_what_is_left_times_its_share(self):
        text = DEGENERATE["copies"]
        limit = 8 * len(REFERENCE)
        found = tercet.reward("chrf").verl("", text, REFERENCE)
        assert found == tercet.reward("chrf").verl("", text[:limit], REFERENCE) * limit / len(text)
        limit = 1000
        assert tercet.reward("bleu", max_length_ratio=1).verl("", text, "w0 w1 w2 w3") == pytest.approx(
            tercet.score("bleu", [text[:limit]], ["w0 w1 w2 w3"])["bleu"] * limit / len(text)
        )

    @pytest.mark.parametrize("metric", ["bleu", "chrf", "ter", "rouge", "rouge_nlws"])
    def test_no_text_gains_by_getting_longer_than_the_limit(self, metric):
        reward = tercet.reward(metric, **METRICS.get(metric, {}))
        texts = [" ".join([REFERENCE] * times) for times in (8, 9, 12, 20, 100)]
        found = reward(completions=texts, references=[REFERENCE] * 5)
        assert found == sorted(found, reverse=True)

    def test_up_to_the_limit_the_reward_is_the_score(self):
        text = " ".join([REFERENCE] * 7)
        unlimited = tercet.reward("chrf", max_length_ratio=1e300)
        assert (
            unlimited.verl("", DEGENERATE["copies"], REFERENCE)
            == (tercet.score("chrf", [DEGENERATE["copies"]], [REFERENCE], scale=1)["chrf"])
        )
        assert (
            tercet.reward("chrf").verl("", text, REFERENCE)
            == tercet.score("chrf", [text], [REFERENCE], scale=1)["chrf"]
        )


class TestLengthPenalty:
    PLAIN, GUARDED = tercet.reward("chrf"), tercet.reward("chrf", length_penalty=True)

    def factor(self, text, references):
        return self.GUARDED.verl("", text, references) / self.PLAIN.verl("", text, references)

    def test_it_is_the_brevity_penalty_and_its_mirror_image(self):
        assert self.factor("abcde", "abcdefghij") == pytest.approx(math.exp(1 - 10 / 5))
        assert self.factor("abcdefghij", "abcde") == pytest.approx(math.exp(1 - 10 / 5))
        assert self.factor("猫坐在垫子上", "猫坐在垫") == pytest.approx(math.exp(1 - 6 / 4))

    def test_between_the_shortest_and_the_longest_reference_there_is_none(self):
        assert self.factor("abcd", ["abcdefgh", "abc"]) == 1
        assert self.factor("ab", ["abcdefgh", "abc"]) == pytest.approx(math.exp(1 - 3 / 2))

    def test_an_empty_text_earns_nothing(self):
        assert self.GUARDED.verl("", "", "abc") == 0


class TestRepetitionPenalty:
    GUARDED = tercet.reward("rouge", rouge_types=["rouge1"], output="recall", repetition_penalty=True)

    def test_it_is_the_share_of_different_fourgrams(self):
        text = "a b c d a b c d"  # of five, four differ
        assert self.GUARDED.verl("", text, "a b c d") == pytest.approx(4 / 5)
        assert self.GUARDED.verl("", "a b c", "a b c") == 1

    def test_what_the_reference_repeats_may_be_repeated(self):
        song = "la la la la la la la la"
        assert self.GUARDED.verl("", song, song) == 1
        assert self.GUARDED.verl("", f"{song} la la la", song) == pytest.approx((1 / 8) / (1 / 5))
        assert self.GUARDED.verl("", song, ["la li lo lu le", song]) == 1

    def test_it_sees_texts_without_blanks(self):
        chrf = tercet.reward("chrf", repetition_penalty=True)
        plain = tercet.reward("chrf").verl("", "猫坐在垫" * 3, "猫坐在垫子上")
        assert chrf.verl("", "猫坐在垫" * 3, "猫坐在垫子上") == pytest.approx(plain * 4 / 9)
