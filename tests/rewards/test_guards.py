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


#: What a model thinks before it answers, of 1,200 characters and more, and an answer.
THINKING = {
    "latin": ("The user asks for a translation, so I look at each word. " * 30, "the cat sat on the mat"),
    "cyrillic": ("Пользователь просит перевод, я смотрю на слова. " * 30, "кот сидел на коврике"),
    "chinese": ("用户要求翻译,我逐词查看。" * 120, "猫坐在垫子上"),
    "arabic": ("المستخدم يطلب ترجمة، أنظر إلى كل كلمة. " * 40, "القطة جلست على السجادة"),
    "repetitive": ("hm " * 20_000, "two dogs bark at night"),
}


@pytest.mark.parametrize(("thought", "answer"), THINKING.values(), ids=THINKING)
class TestNormalizedCompletions:
    """Lengths, repetitions and warnings are those of what is scored, and no thought is held against an answer."""

    @pytest.mark.parametrize("metric", ["chrf", "bleu_rouge", "rouge"])
    def test_a_long_thought_changes_no_reward(self, metric, thought, answer):
        options = {"tokenizer": "unicode", "rouge_types": ["rougeL"]} if metric == "rouge" else {}
        text = f"<think>{thought}</think>{answer[:-2]}"
        guards = {"length_penalty": True, "repetition_penalty": True}
        for chosen in ({}, guards):
            thinking = tercet.reward(metric, normalize="think", **chosen, **options)
            expected = tercet.reward(metric, **chosen, **options).verl("", answer[:-2], answer)
            assert thinking.verl("", text, answer) == expected > 0
            assert thinking(completions=[text] * 4, references=[answer] * 4) == [expected] * 4

    def test_every_trainer_gets_what_the_answer_scores(self, thought, answer):
        texts = [f"<think>{thought}</think>{answer[:end]}" for end in (-1, -2, -3, len(answer))]
        of_answers = tercet.score("chrf:normalize=think", texts, [answer] * 4, scale=1, segments=True)
        scored = of_answers["segments"]["chrf"]
        reward = tercet.reward("chrf", normalize="think")
        chats = [[{"role": "assistant", "content": text}] for text in texts]
        parts = [[{"role": "assistant", "content": [{"type": "text", "text": text}]}] for text in texts]
        assert scored[3] == 1 > scored[2] > 0
        for completions in (texts, chats, parts):
            assert reward(completions=completions, references=[answer] * 4) == scored
            assert reward(completions=completions, references=[[answer], answer, [answer, answer], answer]) == scored
        assert reward.verl(data_sources=[""] * 4, solution_strs=texts, ground_truths=[answer] * 4) == scored
        assert [reward.verl("", text, answer) for text in texts] == scored
        both = tercet.reward({tercet.Chrf(normalize="think"): 0.5, "chrf:normalize=think,word_order=2": 0.5})
        with_words = tercet.reward("chrf", normalize="think", word_order=2)(texts, references=[answer] * 4)
        expected = [0.5 * first + 0.5 * second for first, second in zip(scored, with_words, strict=True)]
        assert both(texts, references=[answer] * 4) == pytest.approx(expected, abs=1e-12)

    def test_openrlhf_gets_what_the_answer_scores(self, thought, answer):
        pytest.importorskip("torch", reason="not installed here: make test-all")
        text = f"<think>{thought}</think>{answer[:-2]}"
        expected = tercet.score("chrf", [answer[:-2]], [answer], scale=1)["chrf"]
        found = tercet.reward("chrf", normalize="think").openrlhf([f"Say: {text}"], ["Say: "], [answer])
        assert found["rewards"].tolist() == pytest.approx([expected], abs=1e-7)

    def test_of_several_metrics_each_sees_what_it_scores(self, thought, answer):
        text = f"<think>{thought}</think>{answer}"
        reads_answers, reads_all = tercet.Chrf(normalize="think"), tercet.Chrf(word_order=2)
        with pytest.warns(UserWarning, match="a model's thinking in 1 of 1 items"):
            found = tercet.reward({reads_answers: 0.5, reads_all: 0.5}).verl("", text, answer)
        with pytest.warns(UserWarning, match="a model's thinking in 1 of 1 items"):
            all_alone = tercet.reward(reads_all).verl("", text, answer)
        assert found == pytest.approx(0.5 + 0.5 * all_alone)
        assert all_alone < 0.5

    def test_what_two_readings_find_is_warned_of_once(self, thought, answer):
        text = f"<think>{thought}</think>{answer} &quot;"
        reward = tercet.reward({tercet.Chrf(normalize="think"): 0.5, tercet.Chrf(normalize=["think", "nfc"]): 0.5})
        with pytest.warns(UserWarning, match="HTML entities") as caught:
            reward.verl("", text, answer)
        assert len(caught) == 1

    def test_an_answer_that_is_too_long_is_cut_as_ever(self, thought, answer):
        endless = " ".join([answer] * 2_000)
        found = tercet.reward("chrf", normalize="think").verl("", f"<think>{thought}</think>{endless}", answer)
        assert found == tercet.reward("chrf").verl("", endless, answer) < 0.1
