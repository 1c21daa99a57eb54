"""What `compute_metrics` makes of what Trainers and loops hand over: ids and texts; its options; mistakes."""

import copy
import re
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from transformers import ByT5Tokenizer, EvalPrediction

import tercet
from conftest import ANY_TEXTS, ZERO_BLEU, close, needed
from small_trainer import OPTIONS, TARGETS, by_hand, make_tokenizer, rows
from suite import SUITE
from tercet import InputError, OptionError


@pytest.fixture(scope="module")
def tokenizer():
    return make_tokenizer()


@pytest.fixture
def compute(tokenizer):
    return tercet.compute_metrics(tokenizer, options=OPTIONS)


def ragged(labels):
    """Return rows of different lengths, as arrays in one of objects."""
    found = np.empty(len(labels), dtype=object)
    found[:] = [row[row >= 0].tolist() for row in labels]
    return found


#: Ways to hand over ids, as predictions and as labels, of arrays that are padded with -100.
SAME = (lambda labels: labels,) * 2
#: Ways to hand over ids, as predictions and as labels, of arrays that are padded with -100.
KINDS = {
    "padded": SAME, "tensors": (torch.tensor, torch.tensor), "lists": (np.ndarray.tolist, list),
    "beyond the vocabulary": (lambda rows: np.concatenate([rows, rows * 0 + 10**6, rows * 0 - 100], 1), SAME[0]),
    "special": (lambda rows: np.concatenate([rows * 0, rows.clip(0), rows * 0 + 1], 1), SAME[0]),
    "ragged": (ragged, lambda labels: [row[row >= 0] for row in labels]),
    "a tuple of outputs": (lambda labels: (labels, np.zeros((len(labels), 3, 8))), lambda labels: (labels,)),
}  # fmt: skip


def test_which_scores_are_better_is_said_by_their_names_in_a_log(tokenizer):
    metrics = ["bleu", "wer", "ter", "rouge"]
    compute = tercet.compute_metrics(tokenizer, metrics, prefix="mt")
    same = ["le chat dort sur le canapé"]
    names = set(compute(same, same)) - {"mt_gen_len"}
    assert {name: compute.higher_is_better[name] for name in names} == {
        name: name not in ("mt_wer", "mt_cer", "mt_mer", "mt_wil", "mt_ter") for name in names
    }
    assert [compute.higher_is_better[name] for name in ("bleu_multi", "wer", "ter")] == [True, False, False]


class TestIds:
    @pytest.mark.parametrize("kind", KINDS)
    def test_of_any_kind_are_read_without_what_is_no_text(self, compute, tokenizer, kind):
        array = rows(tokenizer, TARGETS, -100)
        given = EvalPrediction(*(made(array) for made in KINDS[kind]))
        assert compute(given)["bleu"] == compute(given.predictions, given.label_ids)["bleu"] == 1.0
        assert compute((array, array)) == compute(array, array)

    def test_below_0_are_an_error_and_beyond_the_vocabulary_in_labels(self, compute, tokenizer):
        labels = rows(tokenizer, TARGETS, -100)
        for side, wrong, message in [
            (0, -1, r"item 2 of the predictions has the id -1, .* \(and -100 for no token\)"),
            (1, -1, "item 2 of the labels has the id -1"),
            (1, 50000, f"item 2 of the labels has the id 50000, .* 0 to {len(tokenizer) - 1} "),
        ]:
            given = [labels.copy(), labels.copy()]
            given[side][2, 1] = wrong
            with pytest.raises(InputError, match=message):
                compute(*given)

    def test_of_added_tokens_belong_to_the_vocabulary(self, tokenizer):
        larger = copy.deepcopy(tokenizer)
        larger.add_tokens(["sideways"])
        array = rows(larger, ["up sideways", "sideways"], -100)
        compute = tercet.compute_metrics(larger, "rouge_nlws", options={"rouge_types": ["rouge1"]})
        assert compute(array, [["up sideways"], ["sideways"]])["rouge1"] == 1.0

    def test_an_empty_prediction_scores_0(self, compute, tokenizer):
        labels = rows(tokenizer, TARGETS, -100)
        scores = compute(np.zeros_like(labels), labels)
        assert scores == {"bleu": 0.0, "rouge1": 0.0, "rougeL": 0.0, "gen_len": 0.0}
        assert compute(np.zeros((len(labels), 0), np.int64), labels) == scores

    @ANY_TEXTS
    def test_a_tokenizer_of_slow_python(self):
        """ByT5's has no fast one; its vocabulary ends after the bytes."""
        slow, array = ByT5Tokenizer(), np.full((2, 20), -100)
        compute = tercet.compute_metrics(slow, "rouge_nlws", options={"rouge_types": ["rouge1"]})
        for row, text in zip(array, ["naïve up", "down"], strict=True):
            own = slow(text).input_ids
            row[: len(own)] = own
        assert compute(np.concatenate([array, array * 0 + 10**6], axis=1), array)["rouge1"] == 1.0

    def test_labels_without_a_token_are_warned_of(self, compute, tokenizer):
        labels = rows(tokenizer, TARGETS, -100)
        labels[1] = -100
        number = f"1 of {len(labels)} items has empty references, the first is item 1: nothing matches there"
        with pytest.warns(UserWarning, match=number):
            compute(labels, labels)
        number = "1 of 1 items of this batch has empty references, the first is item 1:"
        with pytest.warns(UserWarning, match=number) as caught:
            [compute.add(label, label) for label in (labels[:1], labels[1:2], labels[1:2])]
        compute.reset()
        assert len(caught) == 1

    @ZERO_BLEU
    @pytest.mark.filterwarnings("ignore:.*ha(ve|s) empty references", "ignore:.*look like those of a causal model")
    @settings(max_examples=60)
    @given(st.data())
    def test_random_ones_never_crash(self, tokenizer, data):
        compute = tercet.compute_metrics(tokenizer, options=OPTIONS)
        size = data.draw(st.integers(1, 5))
        shape = st.tuples(st.just(size), st.integers(0, 6))
        predictions = data.draw(arrays.arrays(np.int64, shape, elements=st.integers(0, 2**63 - 1) | st.just(-100)))
        labels = data.draw(arrays.arrays(np.int32, shape, elements=st.sampled_from([-100, *range(len(tokenizer))])))
        scores = compute(predictions, labels)
        assert set(scores) == {"bleu", "rouge1", "rougeL", "gen_len"}
        assert all(0 <= scores[name] <= 1 for name in ("bleu", "rouge1", "rougeL"))


class TestLoops:
    @ZERO_BLEU
    def test_of_texts(self, compute):
        texts = ["up down", "left"]
        expected = by_hand(texts, [["up left", "up down down"], ["left"]])
        assert compute(texts, [["up left", "up down down"], ["left"]]) == expected
        assert compute(texts, ["up left", "left"]) == by_hand(texts, ["up left", "left"])

    def test_a_refused_batch_adds_nothing_and_after_an_error_in_a_trainer_s_the_next_evaluation_begins_anew(
        self, compute, tokenizer
    ):
        labels = rows(tokenizer, TARGETS, -100)
        compute.add(labels, labels)
        with pytest.raises(InputError):
            compute.add(labels, labels + 1000)
        assert compute.result()["bleu"] == 1.0
        compute(np.zeros_like(labels), labels, compute_result=False)
        with pytest.raises(InputError):
            compute(labels, labels + 1000, compute_result=False)
        assert compute(labels, labels, compute_result=True)["bleu"] == 1.0
        compute(np.zeros_like(labels), labels, compute_result=False)
        compute.reset()  # after an interruption
        assert compute(labels, labels, compute_result=True)["bleu"] == 1.0


class TestBatches:
    @pytest.mark.parametrize("metric", SUITE)
    def test_equal_the_whole_for_every_metric(self, metric, tokenizer):
        smaller = {"max_order": 2} if metric == "bleu_multi" else {}
        options = {**needed(metric), **smaller, "scale": 1}
        compute = tercet.compute_metrics(tokenizer, metric, options=options)
        predictions, labels = rows(tokenizer, TARGETS[::-1], 0), rows(tokenizer, TARGETS, -100)
        whole = compute(predictions, labels)
        for start in range(0, len(TARGETS), 8):
            part = slice(start, start + 8)
            found = compute(predictions[part], labels[part], compute_result=start + 8 >= len(TARGETS))
        assert close(metric, found, whole)
        primary = whole[SUITE[metric].primary]
        assert 0 < primary < 1 or (not SUITE[metric].is_share and primary > 1)

    @pytest.mark.filterwarnings("ignore:rouge_nlws.:UserWarning")
    @pytest.mark.parametrize("tokenizer_of_rouge", ["auto", "unicode"])
    def test_the_letters_of_the_whole_choose_rouge_s_tokenizer(self, tokenizer_of_rouge):
        """One batch in Latin letters, three in Cyrillic ones: each alone would be counted otherwise."""
        options = {"rouge_types": ["rouge1"], "tokenizer": tokenizer_of_rouge}
        compute = tercet.compute_metrics(None, "rouge_nlws", decode=len, options=options)
        texts = ["a b", "да нет и еще слова", "нет да и снова они", "да и нет вместе с ними"]
        references = [texts[0], *[texts[1]] * 3]
        for index in range(4):
            found = compute([texts[index]], [references[index]], compute_result=index == 3)
        assert found == {"rouge1": tercet.score("rouge_nlws", texts, references, **options)["rouge1"]}

    def test_warn_once_for_all_and_count_missing_references_from_the_first_item_on(self, tokenizer):
        compute = tercet.compute_metrics(None, "bleu_multi", decode=len)
        with pytest.warns(UserWarning, match="splits at spaces") as caught:
            [compute(["今天天气很好"], ["今天的天气很好"], compute_result=last) for last in (False, False, True)]
        assert len(caught) == 1
        compute = tercet.compute_metrics(tokenizer, "bleu_multi", references=["up", None])
        compute(["up"], compute_result=False)
        with pytest.raises(InputError, match="item 1 of references is empty"):
            compute(["up"], compute_result=True)


def padded(lists, left):
    """Return rows of ids, filled with -100 on one side."""
    width = max(map(len, lists))
    return np.array(
        [[-100] * (width - len(row)) * left + row + [-100] * (width - len(row)) * (not left) for row in lists]
    )


def said_by(ids):
    """Return the logits of a causal model that predicts each of its ids at the place before."""
    return np.eye(60, dtype=np.float32)[np.roll(ids, -1, axis=1).clip(0)]


def likeliest(logits, labels):
    """Return ids as many a user makes them, without a thought of the labels."""
    return logits.argmax(-1)


PROMPTS = [[*range(20, 20 + n)] for n in (3, 5, 2, 4)]
ANSWERS = [[*range(40 + n, 47)] for n in (0, 2, 1, 3)]
WHOLE = [prompt + answer for prompt, answer in zip(PROMPTS, ANSWERS, strict=True)]
MASKED = [[-100] * len(prompt) + answer for prompt, answer in zip(PROMPTS, ANSWERS, strict=True)]


def name_of(prepare):
    """Return the name of a way to prepare logits, the same in each run."""
    return getattr(prepare, "__name__", str(prepare))


def wer_of_ids(**settings):
    return tercet.compute_metrics(
        None, "wer", decode=lambda rows: [" ".join(map(str, row)) for row in rows], **settings
    )


class TestCausalLogits:
    """The likeliest ids of a causal model's logits are said one place before; prompts are -100 in labels, or not."""

    @pytest.mark.parametrize("array", [np.array, torch.tensor], ids=["numpy", "torch"])
    @pytest.mark.parametrize("left", [False, True], ids=["right", "left"])
    @pytest.mark.parametrize("causal", [True, False])
    def test_of_masked_prompts_are_found_out(self, array, left, causal):
        ids, labels = padded(WHOLE, left), array(padded(MASKED, left))
        logits, compute = array(said_by(ids)), wer_of_ids(causal=causal)
        expected = {"wer": 0.0, "cer": 0.0, "mer": 0.0, "wil": 0.0}
        for prepare in (tercet.preprocess_logits_for_metrics, compute.preprocess_logits_for_metrics):
            found = compute(prepare(logits, labels), labels)
            assert found | expected == found
            assert found["gen_len"] == np.mean(list(map(len, ANSWERS)))
        assert compute(logits, labels) == found
        outputs = (logits, (np.zeros((4, 3)),))  # the hidden states of layers in a tuple of their own
        assert compute(outputs, labels) == found
        # Of a diverged model something is wrong, too.
        assert compute(said_by(ids[:, ::-1]), labels)["wer"] > 0.5

    @pytest.mark.parametrize("array", [np.array, torch.tensor], ids=["numpy", "torch"])
    @pytest.mark.parametrize(
        "prepare", [None, "of the function", tercet.preprocess_logits_for_metrics, likeliest], ids=name_of
    )
    def test_of_labels_that_have_the_prompts_are_shifted_however_they_are_prepared(self, array, prepare):
        ids = padded(WHOLE, left=False)
        logits, labels, compute = array(said_by(ids)), array(ids), wer_of_ids(causal=True)
        given = logits
        if prepare == "of the function":
            given = compute.preprocess_logits_for_metrics(logits, labels)
        elif prepare is not None:
            given = prepare(logits, labels)
        assert compute(given, labels)["wer"] == 0.0

    @pytest.mark.parametrize("prepare", [None, tercet.preprocess_logits_for_metrics, likeliest], ids=name_of)
    def test_of_labels_that_have_the_prompts_are_warned_of(self, prepare):
        ids = padded(WHOLE, left=False)
        given = said_by(ids) if prepare is None else prepare(said_by(ids), ids)
        compute = wer_of_ids()
        with pytest.warns(
            UserWarning, match="look like those of a causal model: .* one place before theirs, 0 at it"
        ):
            assert compute(given, ids)["wer"] > 0
        compute(given, ids)  # once is enough

    def test_that_are_prepared_without_the_labels_are_warned_of_or_refused(self):
        ids, labels = padded(WHOLE, left=False), padded(MASKED, left=False)
        given = likeliest(said_by(ids), labels)
        with pytest.warns(UserWarning, match="causal model: all labels begin with -100, as those of prompts do"):
            wer_of_ids()(given, labels)
        with pytest.raises(InputError, match="likeliest ids of logits, give the Trainer the preprocess_logits_for_m"):
            wer_of_ids(causal=True)(given, labels)
        with pytest.raises(
            InputError, match=r"does not begin with its prompt.* the preprocess_logits_for_metrics of"
        ):
            wer_of_ids(causal=True)(given, labels, inputs=ids)

    def test_of_a_model_with_an_encoder_stay_where_they_are(self):
        """Its batches may be padded on the left to a width that no label has."""
        labels = np.concatenate([np.full((4, 1), -100), padded(ANSWERS, left=True)], axis=1)
        logits = np.eye(60, dtype=np.float32)[labels.clip(0)]
        outputs = (logits, np.zeros((4, 9, 16), np.float32))
        assert wer_of_ids()(outputs, labels)["wer"] == 0.0
        assert wer_of_ids()(tercet.preprocess_logits_for_metrics(outputs, labels), labels)["wer"] == 0.0


class TestCausalGeneration:
    def generated(self, left):
        """Return what a model generates that is asked in one batch, its prompts, and the labels."""
        prompts = padded(PROMPTS, left).clip(0)
        return np.concatenate([prompts, padded(ANSWERS, left=False).clip(0)], axis=1), prompts

    @pytest.mark.parametrize("left", [False, True], ids=["right", "left"])
    @pytest.mark.parametrize("causal", [True, False])
    def test_is_found_out_where_the_inputs_are_there(self, left, causal):
        predictions, prompts = self.generated(left)
        labels = padded(ANSWERS, left=False)
        compute = tercet.compute_metrics(
            None, "wer", decode=lambda rows: [" ".join(str(each) for each in row if each) for row in rows],
            causal=causal,
        )  # fmt: skip
        assert compute(predictions, labels, inputs=prompts)["wer"] == 0.0
        assert compute(predictions, labels, inputs={"input_ids": prompts})["wer"] == 0.0

    def test_is_warned_of_where_prompts_are_padded_on_the_left(self, tokenizer):
        ids = [tokenizer("up down left").input_ids, tokenizer("up").input_ids, tokenizer("left up").input_ids]
        predictions, labels = padded(ids, left=True).clip(0), padded(ids, left=False)
        with pytest.warns(UserWarning, match="causal model: some begin with padding, as prompts do"):
            tercet.compute_metrics(tokenizer, "wer")(predictions, labels)

    def test_that_was_given_the_answers_is_warned_of(self):
        inputs = padded(WHOLE, left=False)
        predictions = np.concatenate([inputs.clip(0), np.full((4, 2), 50)], axis=1)
        inputs = inputs.clip(0)
        labels = np.where(padded(MASKED, left=False) >= 0, inputs, -100)
        with pytest.warns(UserWarning, match="inputs have the labels in them, .* Evaluate it on the prompts alone"):
            wer_of_ids(causal=True)(predictions, labels, inputs=inputs)

    def test_of_other_models_is_left_alone_where_inputs_are_no_ids(self):
        predictions = padded(ANSWERS, left=False)
        for inputs in (np.zeros((4, 80, 30), np.float32), {"input_features": np.zeros((4, 80, 30))}, [], [[1]]):
            assert wer_of_ids()(predictions, predictions, inputs=inputs)["wer"] == 0.0


DEEP = []
for _ in range(10**4):
    DEEP = [DEEP]


class TestMistakes:
    """A Trainer or a loop hands over what is no prediction, which is named by its item where there is one."""

    @pytest.mark.parametrize(("predictions", "message"), [
        (np.zeros((2, 3)), r"float64 of shape \(2, 3\), which are neither ids, .* nor logits"),
        (torch.zeros(2, 3, 4, 5), r"float32 of shape \(2, 3, 4, 5\), which are neither"),
        (np.zeros(2, np.int64), r"must be ids of tokens, shape \(items, length\), got int64 of shape \(2,\)"),
        (np.zeros((2, 3), bool), r"got bool of shape \(2, 3\)"),
        (np.zeros((2, 3, 4), np.int64), r"got int64 of shape \(2, 3, 4\)"),
        ([1, 2], r"got \[1, 2\] \(list\)"),
        ([[0.5], [1]], r"got \[\[0.5\], \[1\]\] \(list\)"),
        (None, r"got None \(NoneType\)"),
        ([None, "a"], "item 0 of predictions must be a string, got None"),
        ([[3]], "got 1 predictions and 2 references"),
    ])  # fmt: skip
    def test_in_predictions_say_what_was_given(self, compute, predictions, message):
        with pytest.raises(InputError, match=message):
            compute(predictions, [[3], [3]])

    @pytest.mark.parametrize(
        "ids", [5, "ab", {"a": 1}, [[1], "a"], [[1], [None]], [[1], np.array(7)], DEEP, [DEEP, [1]], [[1], [10**30]],
                np.array(7), [[1], [float("nan")]], [[1], object()]],
        ids=lambda value: type(value).__name__,
    )  # fmt: skip
    def test_in_ids_of_either_side(self, ids):
        decoding = tercet.compute_metrics(None, "bleu_multi", decode=lambda rows: [str(row) for row in rows])
        for pair in ((ids, [[1], [2]]), ([[1], [2]], ids)):
            with pytest.raises(InputError, match=r"[Pp]redictions|labels"):
                decoding(*pair)

    def test_in_labels_and_prompts(self, compute):
        with pytest.raises(InputError, match="There are no labels: give labels, or references"):
            compute([[3]])
        with pytest.raises(InputError, match=r"The labels must be ids of tokens, .* got float32 of shape \(1, 1\)"):
            compute([[3]], torch.zeros(1, 1))
        with pytest.raises(InputError, match="The corpus is empty"):
            compute([], [])
        causal = tercet.compute_metrics(None, "bleu_multi", decode=str, causal=True)
        for inputs in (5, {}, {"ids": [[1], [2]]}, [[1]], [[1], "a"], np.array(7)):
            with pytest.raises(InputError, match=r"inputs|input for each prediction"):
                causal([[1, 5], [2, 6]], [[5], [6]], inputs=inputs)

    @pytest.mark.parametrize(("references", "texts", "message"), [
        ([["a"]], ["a", "b"], "references has 1 entry, but there are 2 predictions: give"),
        ([["a"], ["b"]], ["a"], "references has 2 entries, but there is 1 prediction: give"),
    ])  # fmt: skip
    def test_in_the_number_of_references(self, references, texts, message):
        compute = tercet.compute_metrics(None, "bleu_multi", decode=str, references=references)
        with pytest.raises(InputError, match=message):
            compute(texts)

    @pytest.mark.parametrize(("returned", "message"), [
        (None, "decode must return a list of texts, got None"),
        ("ab", "decode must return a list of texts, got 'ab'"),
        ({"a": 1, "b": 2}, "decode must return a list of texts, got {'a': 1"),
        (["a"], "decode was given 2 lists of ids and returned 1 text."),
        (["a", None], "item 1 of predictions must be a string, got None"),
        ((1 / number for number in (1, 0)), "The result of decode cannot be read. ZeroDivisionError"),
    ])  # fmt: skip
    def test_in_texts_of_a_decoder(self, returned, message):
        compute = tercet.compute_metrics(None, "bleu_multi", decode=lambda rows: returned)
        with pytest.raises(InputError, match=re.escape(message)):
            compute([[1], [2]], ["a", "b"])

    def test_in_references(self, tokenizer):
        for wrong, message in [
            (7, "references must be a list"), (["a", 7], "item 1 of references"),
            ((1 / each for each in (1, 0)), re.escape("references cannot be read. ZeroDivisionError")),
        ]:  # fmt: skip
            with pytest.raises(InputError, match=message):
                tercet.compute_metrics(tokenizer, references=wrong)
        once = tercet.compute_metrics(None, "bleu_multi", decode=str, references=iter(["a b c d"] * 2))
        assert once(["a b c d"] * 2)["bleu"] == once(["a b c d"] * 2)["bleu"] == 1.0

    @pytest.mark.parametrize("array", [np.array, torch.tensor], ids=["numpy", "torch"])
    @pytest.mark.parametrize("causal", [False, True])
    def test_logits_that_are_nan_are_named_by_their_item(self, array, causal):
        def likeliest():
            return tercet.preprocess_logits_for_metrics(array(logits), array(labels), causal=causal).tolist()

        logits = np.random.default_rng(1).random((3, 4, 5)).astype(np.float32)
        labels = np.ones((3, 4), np.int64)
        expected = likeliest()
        logits[2, 1, 3] = np.nan
        with pytest.raises(InputError, match=r"item 2 of the predictions has logits that are NaN"):
            likeliest()
        labels[2, 2 if causal else 1] = -100  # a place of padding, where models may compute anything
        expected[2][2 if causal else 1] = -100
        assert likeliest() == expected


class TestOptions:
    def test_by_metric_or_all_in_one(self, tokenizer):
        labels = rows(tokenizer, TARGETS, -100)
        own = {"bleu_multi": {"max_order": 2}, "rouge_nlws": {"rouge_types": ["rouge1"]}, "scale": 100}
        flat = {"max_order": 2, "rouge_types": ["rouge1"], "scale": 100}
        of_own, of_flat = (tercet.compute_metrics(tokenizer, options=each)(labels, labels) for each in (own, flat))
        assert of_own == of_flat
        assert (of_own["bleu"], of_own["rouge1"]) == pytest.approx((100, 100))

    @ZERO_BLEU
    def test_intervals_are_numbers_too(self, tokenizer):
        asked, labels = {"confidence_level": 0.9, "n_resamples": 20}, rows(tokenizer, TARGETS, -100)
        found = tercet.compute_metrics(tokenizer, "bleu_multi", options=asked)(labels[::-1], labels)
        assert list(found) == ["bleu", "bleu_low", "bleu_high", "gen_len"]
        assert found["bleu_low"] <= found["bleu"] <= found["bleu_high"]
        assert "rougeL_high" in tercet.compute_metrics(tokenizer, options=OPTIONS | asked)(labels, labels)

    def test_keep_chooses_among_all_numbers(self, tokenizer):
        labels = rows(tokenizer, TARGETS, -100)
        expected = {"bleu": 1.0, "brevity_penalty": 1.0, "rouge_nlws_empty_predictions": 0.0}
        assert tercet.compute_metrics(tokenizer, keep=[*expected])(labels, labels) == expected
        assert tercet.compute_metrics(tokenizer, keep="rougeL", prefix="dev")(labels, labels) == {"dev_rougeL": 1.0}

    @pytest.mark.parametrize(("settings", "message"), [
        ({"keep": ["blue"]}, "'blue' is not in the results: .* Did you mean 'bleu'"),
        ({"keep": ["precisions"]}, r"'precisions' is \[.*\]: loggers take numbers"),
        ({"keep": 5}, "'keep' option of compute_metrics must be a list of names of entries, or None. Got 5"),
        ({"keep": ["b" * 10**5]}, "The entry 'b{58}… is not in the results"),
        ({"options": {"use_aggregator": False}}, r"'rouge1' is \[.*: loggers take numbers"),
        ({"options": {"max_ordre": 2}}, "no option 'max_ordre'. Did you mean 'max_order'"),
        ({"options": {"bleu_multi": {"max_ordre": 2}}}, "no option 'max_ordre'. Did you mean 'max_order'"),
        ({"options": {"bleu_multi": 2}}, "The options of bleu_multi must be a mapping, got 2"),
        ({"options": {"bertscore_idf": {}}}, "no option 'bertscore_idf'"),
        (
            {"options": {"bleu": {"max_order": 2}, "bleu_multi": {"lowercase": True}}},
            "options has 'bleu' and 'bleu_multi', two names of one metric: give its options under one of them",
        ),
        ({"options": 5}, "options must be a mapping of options, or of metrics to theirs, got 5"),
        ({"options": {10**5000: 1}}, "have no option <int of about 5,001 digits>"),
        ({"sentence_split": "never"}, "'sentence_split' option of compute_metrics must be one of"),
        ({"metrics": ["bleu_mutli"]}, "Did you mean 'bleu_multi'"),
        ({"metrics": []}, "metrics must be different metrics of the suite"),
        ({"metrics": ["bleu_multi"] * 2}, "metrics must be different metrics"),
        ({"metrics": [None]}, r"different metrics of the suite, got \[None\]"),
        ({"metrics": 5}, "metrics must be different metrics of the suite, got 5"),
        ({"decode": "yes"}, "decode must be a function"),
        ({"causal": "yes"}, "'causal' option of compute_metrics must be True or False. Got 'yes'"),
        ({"prefix": 3}, "'prefix' option of compute_metrics must be a text to put before the names, or None"),
    ])  # fmt: skip
    def test_that_are_wrong_are_refused_before_the_training(self, tokenizer, settings, message):
        with pytest.raises(OptionError, match=message):
            tercet.compute_metrics(tokenizer, **settings)

    def test_that_are_wrong_are_refused_without_a_tokenizer_and_by_a_module_too(self):
        of_tokenizer, module = "one of transformers, with batch_decode, got ", tercet.load("bleu").compute_metrics
        for call, own, message in [
            (tercet.compute_metrics, {"metrics": None}, "metrics must be different metrics of the suite, got None"),
            (tercet.compute_metrics, {"tokenizer": None}, of_tokenizer + "None"),
            (tercet.compute_metrics, {"tokenizer": "gpt2"}, of_tokenizer + "'gpt2'"),
            (module, {"options": 5}, "options must be a mapping of options, or of metrics to theirs, got 5"),
            (module, {"metrics": None}, "bleu_multi only: for other 'metrics' use tercet.compute_metrics."),
        ]:
            with pytest.raises(OptionError, match=re.escape(message)):
                call(**own, **({"decode": len} if call == module else {}))

    def test_sentence_split_cuts_texts_without_line_ends(self):
        texts, found = (["Up we go. Then down.", "Left."], ["Then down. Up we go.", "Left."]), []
        given = {"metrics": "rouge_nlws", "decode": len, "options": {"rouge_types": ["rougeLsum"]}}
        for split in ("newline", "auto"):
            found.append(tercet.compute_metrics(None, **given, sentence_split=split)(*texts))
            expected = tercet.score("rouge_nlws", *texts, **given["options"], sentence_split=split)
            assert found[-1] == {"rougeLsum": expected["rougeLsum"]}
        assert found[0] != found[1]

    def test_sentence_split_of_a_metric_is_kept_unless_another_is_asked_for(self):
        texts = (["Up we go. Then down.", "Left."], ["Then down. Up we go.", "Left."])
        by_split = {split: tercet.score("rouge_nlws", *texts, sentence_split=split) for split in ("newline", "auto")}
        assert by_split["newline"]["rougeLsum"] != by_split["auto"]["rougeLsum"]
        given = tercet.Rouge(sentence_split="auto")
        for metric, asked, split in (
            ("rouge_nlws:sentence_split=auto", None, "auto"), (given, None, "auto"), (given, "newline", "newline"),
        ):  # fmt: skip
            compute = tercet.compute_metrics(None, metric, decode=len, sentence_split=asked)
            assert compute(*texts)["rougeLsum"] == by_split[split]["rougeLsum"]
        with pytest.raises(OptionError, match="'sentence_split' of rouge_nlws is given twice"):
            tercet.compute_metrics(None, "rouge:sentence_split=auto", decode=len, sentence_split="newline")

    def test_a_processor_is_a_tokenizer(self, tokenizer):
        processor = SimpleNamespace(tokenizer=tokenizer, batch_decode=tokenizer.batch_decode)
        labels = rows(tokenizer, TARGETS, -100)
        predictions = np.concatenate([labels, labels * 0 + 10**6], axis=1)
        compute = tercet.compute_metrics(processor, options=OPTIONS)
        padded = np.where(labels < 0, 0, labels)
        assert compute(predictions, labels)["bleu"] == 1.0
        assert compute(padded, labels)["gen_len"] == (padded != 0).sum(axis=1).mean()

    def test_lengths_are_those_of_texts_where_the_end_fills_rows(self, tokenizer):
        """A tokenizer such as GPT-2's has no padding: generation fills the shorter rows with the end."""
        filled = copy.deepcopy(tokenizer)
        filled.pad_token = None
        labels = rows(tokenizer, ["up down left", "up", "down up"], -100)
        ends = np.concatenate([np.where(labels < 0, 1, labels), np.full((3, 2), 1)], axis=1)
        lengths = [4, 2, 3]  # each with one end
        for predictions in (ends, labels):
            assert tercet.compute_metrics(filled, "wer")(predictions, labels)["gen_len"] == np.mean(lengths)

    def test_decode_takes_the_tokenizer_s_place(self, tokenizer):
        labels, options = rows(tokenizer, TARGETS, -100), {"rouge_types": ["rouge1"]}
        same = tercet.compute_metrics(
            tokenizer, "rouge_nlws", decode=lambda rows: ["same"] * len(rows), options=options
        )
        assert same(labels[::-1], labels)["rouge1"] == 1.0
