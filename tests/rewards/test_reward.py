"""A reward is the score of a completion by itself: for every form in which trainers pass texts and references."""

import pickle
import warnings

import numpy as np
import pytest
import sacrebleu
from hypothesis import given
from hypothesis import strategies as st
from rouge_score import rouge_scorer

import tercet
from texts import PAIRS

PREDICTIONS = [prediction for pairs in PAIRS.values() for prediction, _ in pairs] + ["", "🙂 🙃", "far more words"]
REFERENCES = [references for pairs in PAIRS.values() for _, references in pairs] + [
    ["nothing"],
    ["🙂", "🙃 🙂"],
    ["few"],
]
FIRST = [references[0] for references in REFERENCES]

pytestmark = pytest.mark.filterwarnings("ignore:.*(BLEU is|tokenizer|white space|letters).*:UserWarning")


def said(text, *more):
    """A chat whose last message of the assistant is the text."""
    earlier = [{"role": "user", "content": "?"}, {"role": "assistant", "content": "earlier"}]
    return [*earlier, {"role": "assistant", "content": text}, *more]


class TestEqualToThePackages:
    def test_bleu_is_that_of_sacrebleu(self):
        found = tercet.reward("bleu")(completions=PREDICTIONS, references=REFERENCES)
        expected = [sacrebleu.sentence_bleu(*pair).score / 100 for pair in zip(PREDICTIONS, REFERENCES, strict=True)]
        assert found == pytest.approx(expected, abs=1e-12)

    def test_chrf_is_that_of_sacrebleu(self):
        found = tercet.reward("chrf")(completions=PREDICTIONS, references=REFERENCES)
        pairs = zip(PREDICTIONS, REFERENCES, strict=True)
        assert found == pytest.approx([sacrebleu.sentence_chrf(*pair).score / 100 for pair in pairs], abs=1e-12)

    def test_ter_becomes_one_minus_the_rate_of_sacrebleu(self):
        found = tercet.reward("ter")(completions=PREDICTIONS, references=REFERENCES)
        rates = [sacrebleu.sentence_ter(*pair).score / 100 for pair in zip(PREDICTIONS, REFERENCES, strict=True)]
        assert max(rates) > 1
        assert found == pytest.approx([max(0.0, 1 - rate) for rate in rates], abs=1e-12)

    def test_rouge_is_that_of_rouge_score(self):
        found = tercet.reward("rouge", rouge_types=["rougeL"], tokenizer="rouge")(PREDICTIONS, references=FIRST)
        peer = rouge_scorer.RougeScorer(["rougeL"])
        pairs = zip(FIRST, PREDICTIONS, strict=True)
        assert found == pytest.approx([peer.score(*pair)["rougeL"].fmeasure for pair in pairs], abs=1e-12)

    @pytest.mark.parametrize("metric", ["jaccard", "bleu_rouge", "chrf"])
    def test_others_are_what_their_segments_are(self, metric):
        found = tercet.reward(metric)(completions=PREDICTIONS, references=REFERENCES)
        scorer = tercet.scorer(metric, scale=1)
        assert found == scorer.segments(PREDICTIONS, REFERENCES)[scorer.primary]

    def test_a_network_scores_too(self):
        from texts import MINILM

        options = {"model_type": MINILM, "num_layers": 2}
        found = tercet.reward("bertscore", **options)(completions=["a cat", "a dog"] * 2, references=["a cat"] * 4)
        expected = tercet.scorer("bertscore", **options).segments(["a cat", "a dog"], ["a cat"] * 2)["f1"]
        assert found == expected * 2


class TestTheFormsOfTextsAndReferences:
    def test_chat_messages_are_read_as_their_texts(self):
        reward = tercet.reward("chrf")
        expected = reward(completions=["the cat", "", "a dog"], references=["the cat", "x", "the dog"])
        parts = [{"type": "text", "text": "the "}, {"type": "image"}, {"type": "text", "text": "cat"}]
        chats = [said(parts), said(""), said("a dog", {"role": "tool", "content": "the dog"})]
        answers = [[{"role": "assistant", "content": "the cat"}], ["x"], {"role": "assistant", "content": "the dog"}]
        assert reward(completions=chats, references=answers) == expected

    @pytest.mark.parametrize("message", [
        {"content": None, "tool_calls": [{"function": {"name": "f"}}]},
        {"content": None, "function_call": {"name": "f"}},
        {"content": [{"type": "tool_use", "name": "f", "input": {}}]},
        {"content": None, "reasoning_content": "Hmm, 猫 ..."},
        {"content": None, "refusal": "Нет."},
        {"content": []},
        {"content": ""},
    ])  # fmt: skip
    def test_a_message_that_says_why_it_has_no_text_is_empty(self, message):
        chat = [{"role": "assistant", **message}]
        assert tercet.reward("chrf")(completions=[chat], references=["the cat"]) == [0.0]
        spoken = [{"role": "assistant", **message, "content": [{"type": "text", "text": "the cat"}]}]
        assert tercet.reward("chrf")(completions=[spoken], references=["the cat"]) == [1.0]
        if message["content"] != "":
            with pytest.raises(tercet.InputError, match="the last message of the assistant in a reference of item 0"):
                tercet.reward("chrf")(completions=["the cat"], references=[[chat]])

    def test_what_trl_passes_besides_is_left_aside(self):
        found = tercet.reward("bleu", references="answer")(
            prompts=["?"], completions=["a b c d"], completion_ids=[[1, 2]], answer=["a b c d"], other=[3],
            trainer_state=object(), log_metric=print,
        )  # fmt: skip
        assert found == [1.0]

    @pytest.mark.parametrize("none", [None, [], float("nan"), np.array([], object)])
    def test_none_for_what_has_no_reference(self, none):
        found = tercet.reward("bleu")(completions=["a", "b", "c"], references=["a", none, ["x", "c"]])
        assert found == [1.0, None, 1.0]
        assert tercet.reward("bleu")(completions=["a"], references=[none]) == [None]
        assert tercet.reward("bleu")(completions=[], references=[]) == []

    @given(st.data())
    def test_groups_are_scored_as_their_completions_alone(self, data):
        texts = st.text("ab 猫Ж🙂", max_size=8)
        references = data.draw(st.lists(st.lists(texts, min_size=1, max_size=2), min_size=1, max_size=3))
        size = data.draw(st.integers(1, 4))
        sizes = data.draw(st.sampled_from([[size] * 3, [size, 1, 2]]))
        lists = [own for own, times in zip(references, sizes, strict=False) for _ in range(times)]
        completions = data.draw(st.lists(texts, min_size=len(lists), max_size=len(lists)))
        reward = tercet.reward({"chrf": 1, "ter": 1}, length_penalty=True, repetition_penalty=True)
        alone = [reward(completions=[one], references=[own])[0] for one, own in zip(completions, lists, strict=True)]
        assert reward(completions=completions, references=lists) == pytest.approx(alone, abs=1e-12)

    def test_a_sum_has_its_weights(self):
        chrf = tercet.Chrf(word_order=2, scale=100)
        both = tercet.reward({"bleu": 0.25, chrf: 0.5, "ter": 0.25})
        alone = [tercet.reward(each)(PREDICTIONS, references=REFERENCES) for each in ("bleu", chrf, "ter")]
        expected = np.array([0.25, 0.5, 0.25]) @ np.array(alone)
        assert both(PREDICTIONS, references=REFERENCES) == pytest.approx(expected.tolist(), abs=1e-12)
        assert both.__name__ == "bleu+chrf+ter"
        assert tercet.reward("rouge", rouge_types=["rougeL"]).__name__ == "rougeL"

    def test_processes_can_be_given_one(self):
        reward = pickle.loads(pickle.dumps(tercet.reward("bleu", references="answer", max_order=2)))
        assert reward(completions=["a b"], answer=["a b"]) == [1.0]


@pytest.mark.parametrize(("text", "tokens"), [
    ("the cat sat down", ["the", "cat", "sat", "down"]),
    ("Кошка села на окно", ["Кошка", "сидит", "на", "окно"]),
    ("猫坐在窗上", [*"猫坐在垫子上"]),
])  # fmt: skip
class TestReferencesThatAreTokens:
    ADVICE = r"look like the tokens of one text, .* join them, as by \" \".join\(tokens\)"

    def test_are_warned_of_once_in_training(self, text, tokens):
        reward = tercet.reward("chrf")
        with pytest.warns(UserWarning, match=self.ADVICE):
            reward(completions=[text] * 2, references=[tokens] * 2)
        reward(completions=[text] * 2, references=[tokens] * 2)  # warnings are errors

    def test_are_warned_of_in_a_call_and_a_comparison(self, text, tokens):
        for metric in ("chrf", "ter"):
            with pytest.warns(UserWarning, match=self.ADVICE):
                tercet.score(metric, [text], [tokens])
        with pytest.warns(UserWarning, match=self.ADVICE):
            tercet.compare({"a": [text] * 2, "b": [text] * 2}, "chrf", references=[tokens] * 2)

    def test_answers_of_one_word_are_not(self, text, tokens):
        tercet.score("chrf", [text, tokens[0]], [[text, f"{text}!", tokens[0]], tokens])
        tercet.score("chrf", [text], [tokens[:2]])


class TestRefusals:
    @pytest.mark.parametrize(("metric", "options", "message"), [
        ("bleu", {"scale": 100}, "'scale' cannot be given, as rewards are from 0 to 1"),
        ("bleu", {"references": None}, "the name of a column. Got None"),
        ("bleu", {"max_length_ratio": 0.5}, "a number of at least 1. Got 0.5"),
        ("bleu", {"special_tokens": "</s>"}, "a list of texts. Got '</s>'"),
        ("bleu", {"max_ordr": 2}, "Did you mean 'max_order'"),
        ("perplexity", {"model_id": "gpt2"}, "perplexity_lm scores texts without references"),
        ({"bleu": "much"}, {}, "the weight of bleu_multi must be a number, got 'much'"),
        ({"bleu": 1, "chrf": 1}, {"max_order": 2}, "'max_order' is no option of several metrics"),
        ("bleu:scale=100", {}, "'scale' cannot be given, as rewards are from 0 to 1"),
        ({"bleu:segments=true": 1}, {}, "'segments' is an option of tercet.score: tercet.reward takes n_jobs"),
        ({"bleu:max_ordr=2": 1}, {}, "Did you mean 'max_order'"),
        ("bleu:max_order=2", {"max_order": 3}, "'max_order' of bleu_multi is given twice: as 2 in 'bleu:"),
        ({}, {}, "at least one metric"),
        ({"bleu": 0.0, "chrf": 0}, {}, "a weight must differ from 0, got only 0: all rewards would be 0"),
        (["bleu", "chrf"], {}, "several metrics are given with their weights, as in {'bleu': 0.5, 'chrf': 0.5}"),
        ("bleu", {"segments": True}, "'segments' is an option of tercet.score: tercet.reward takes n_jobs"),
    ])  # fmt: skip
    def test_of_options(self, metric, options, message):
        with pytest.raises(tercet.OptionError, match=message):
            tercet.reward(metric, **options)

    @pytest.mark.parametrize(("given", "message"), [
        ({"completions": ["a"], "answers": ["a"]}, "no column 'answer' .* Did you mean 'answers'"),
        ({"completions": ["a", 3], "answer": ["a", "b"]}, "item 1 of completions must be a string or a list of mess"),
        ({"completions": ["a"], "answer": ["a", "b"]}, "one entry of references per completion, got 2 for 1"),
        ({"completions": ["a"], "answer": [[3]]}, "a reference of item 0 of references must be a string"),
        ({"completions": list("abcd") + ["\ud800"] * 2, "answer": ["a"] * 6}, "item 4 of completions is not valid"),
        ({"completions": None, "answer": ["a"]}, "completions must be a list with one completion per item, got None"),
        ({}, "no column 'answer' .* No column was given"),
        ({"completions": [said(["a"])], "answer": ["a"]}, "the content of item 0 of completions must be a string"),
        ({"completions": [said(5)], "answer": ["a"]}, r"a list of parts with type and text, got 5 \(int\)"),
        ({"completions": [said([{"text": 3}])], "answer": ["a"]}, "the content of item 0 of completions"),
        ({"completions": [said("a"), said(None)], "answer": ["a"] * 2}, "in item 1 of completions must have a text"),
        ({"completions": [[{"role": "assistant"}]], "answer": ["a"]}, "in item 0 .* must have a text, got {'role"),
        ({"completions": [said([{"type": "image"}])], "answer": ["a"]}, "the last message .* in item 0 of com"),
        ({"completions": [[{"role": "user", "content": "a"}]], "answer": ["a"]}, "item 0 of completions must have a"),
        ({"completions": [[]], "answer": ["a"]}, r"must have a message of the assistant, got \[\]"),
        ({"completions": ["a"], "answer": [[said(None)]]}, "the last message .* in a reference of item 0 "),
        ({"completions": ["a"], "answer": [{"target": "a"}]}, "item 0 of references must be a string or a list"),
        ({"completions": [np.array("a")], "answer": ["a"]}, r"item 0 of completions must be .*, got array\('a'"),
        ({"completions": ["a"], "answer": [[np.array("a")]]}, "a reference of item 0 of references must be a string"),
        ({"completions": [said(np.array("a"))], "answer": ["a"]}, "the content of item 0 of completions must be a"),
        ({"completions": np.array("a"), "answer": ["a"]}, "completions must be a list with one completion per item"),
        ({"completions": ["a"], "answer": [said("a")[:1]]}, "item 0 of references must have a message of the ass"),
    ])  # fmt: skip
    def test_of_texts(self, given, message):
        with pytest.raises(tercet.InputError, match=message):
            tercet.reward("bleu", references="answer")(**given)


few_texts = st.lists(st.sampled_from(["a", "cat", "The", "<b>", "&amp;", "é", "猫", ""]), max_size=5).map(" ".join)
few_pairs = st.lists(st.tuples(few_texts, few_texts), min_size=1, max_size=5)


@pytest.mark.parametrize("metric", ["bleu", "chrf", "rouge", "ter", {"wer": 0.3, "bleu:max_order=2": 0.7}])
@given(st.lists(few_pairs, min_size=1, max_size=3))
def test_a_few_completions_are_scored_as_many_are(metric, batches):
    """A few are scored by themselves; of many, those with the same reference together."""

    def answers(as_many):
        function = tercet.reward(metric)
        function._by_plans = function._by_plans and not as_many
        rewards = []
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for batch in batches:
                completions, references = map(list, zip(*batch, strict=True))
                rewards.append(function(completions, references=references))
        return rewards, [str(warning.message) for warning in caught]

    assert answers(as_many=False) == answers(as_many=True)
