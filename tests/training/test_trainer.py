"""`compute_metrics` under real training: small models that learn in seconds, every trap of a Trainer by its name."""

import copy
import json
import re
import subprocess
import sys
import warnings
from functools import partial
from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import pytest
import torch
from accelerate import Accelerator
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from transformers import (
    ByT5Tokenizer,
    DataCollatorForSeq2Seq,
    EvalPrediction,
    GPT2Config,
    GPT2LMHeadModel,
    Seq2SeqTrainer,
    Seq2SeqTrainingArguments,
    Trainer,
    TrainingArguments,
    set_seed,
)

import tercet
from conftest import ZERO_BLEU, close, needed
from small_trainer import (
    HELD_OUT,
    PAIRS,
    TARGETS,
    WORDS,
    ids,
    items_of,
    make_tokenizer,
    random_states_kept,
    rows,
    trainer_of,
)
from spaces.build import build
from tercet import InputError, OptionError
from tercet.api import make_scorer
from tercet.registry import METRICS, metric_class

OPTIONS = {"max_order": 2, "rouge_types": ["rouge1", "rougeL"]}


@pytest.fixture(scope="module")
def tokenizer():
    return make_tokenizer()


@pytest.fixture(autouse=True)
def _random_states_kept():
    with random_states_kept():
        yield


@pytest.fixture
def compute(tokenizer):
    return tercet.compute_metrics(tokenizer, options=OPTIONS)


def by_hand(texts, references, length=None):
    """Return what must be logged for these texts, from the metrics themselves."""
    bleu = tercet.score("bleu_multi", texts, references, max_order=2)
    rouge = tercet.score("rouge_nlws", texts, references, rouge_types=["rouge1", "rougeL"])
    scores = {"bleu": bleu["bleu"], "rouge1": rouge["rouge1"], "rougeL": rouge["rougeL"]}
    return scores if length is None else {**scores, "gen_len": length}


def decoded(tokenizer, array):
    """Decode by hand, as the examples of transformers do: the padding of a Trainer becomes that of the tokenizer."""
    return tokenizer.batch_decode(np.where(array < 0, tokenizer.pad_token_id, array), skip_special_tokens=True)


def logged(metrics, prefix="eval_"):
    return {name.removeprefix(prefix): metrics[prefix + name] for name in ("bleu", "rouge1", "rougeL")}


@pytest.fixture
def make_trainer(tokenizer, tmp_path):
    return partial(trainer_of, tmp_path, tokenizer)


@pytest.fixture(scope="module")
def trained(tokenizer, tmp_path_factory):
    """Return a trainer after its training; its model is for all tests."""
    with random_states_kept():
        compute = tercet.compute_metrics(tokenizer, options=OPTIONS)
        trainer = trainer_of(tmp_path_factory.mktemp("trained"), tokenizer, compute)
        trainer.train()
    return trainer


class TestSeq2SeqTrainer:
    def test_logs_the_scores_of_the_decoded_texts(self, trained, tokenizer, compute):
        output = trained.predict(trained.eval_dataset)
        texts = decoded(tokenizer, output.predictions)
        lengths = (np.where(output.predictions < 0, 0, output.predictions) != 0).sum(axis=1)
        expected = by_hand(texts, TARGETS, lengths.mean())
        assert {name: output.metrics[f"test_{name}"] for name in expected} == pytest.approx(expected, abs=1e-12)
        assert 0.2 < expected["bleu"] < 1

        of_epochs = [entry for entry in trained.state.log_history if "eval_bleu" in entry]
        assert len(of_epochs) == 2
        assert logged(of_epochs[-1]) == pytest.approx(by_hand(texts, TARGETS), abs=1e-12)
        assert of_epochs[0]["eval_loss"] > of_epochs[1]["eval_loss"]

    def test_every_entry_is_a_number_that_json_and_loggers_take(self, trained):
        for entry in trained.state.log_history:
            assert all(type(value) in (int, float) for value in entry.values()), entry
        json.dumps(trained.state.log_history, allow_nan=False)

    @pytest.mark.parametrize("metric", ["eval_rougeL", pytest.param("bleu", marks=pytest.mark.long)])
    def test_the_best_model_is_chosen_by_a_score_and_loaded_at_the_end(self, metric, make_trainer, compute):
        trainer = make_trainer(
            compute, metric_for_best_model=metric, load_best_model_at_end=True, save_strategy="epoch",
            num_train_epochs=3, learning_rate=2e-2,
        )  # fmt: skip
        trainer.train()
        name = f"eval_{metric.removeprefix('eval_')}"
        scores = [entry[name] for entry in trainer.state.log_history if name in entry]
        assert trainer.state.best_metric == max(scores)
        assert trainer.evaluate()[name] == max(scores)

    def test_batches_give_the_scores_of_the_whole(self, trained, make_trainer, compute):
        whole = logged(trained.evaluate())
        trainer = make_trainer(compute, model=trained.model, batch_eval_metrics=True)
        for _ in range(2):  # nothing is left behind for the second
            assert logged(trainer.evaluate()) == whole
        assert logged(trainer.predict(trainer.eval_dataset).metrics, "test_") == whole

    def test_batches_that_the_trainer_does_not_join_give_the_same(self, trained, make_trainer, compute):
        trainer = make_trainer(compute, model=trained.model, eval_do_concat_batches=False)
        assert logged(trainer.evaluate()) == logged(trained.evaluate())

    def test_a_loaded_module_offers_the_same_for_itself(self, trained, make_trainer, tokenizer):
        own = tercet.load("rouge_nlws").compute_metrics(tokenizer, options={"rouge_types": ["rougeL"]})
        metrics = make_trainer(own, model=trained.model).evaluate()
        assert metrics["eval_rougeL"] == trained.evaluate()["eval_rougeL"]
        assert "eval_bleu" not in metrics

    def test_the_trainer_s_loss_and_prefix_stay_its_own(self, trained):
        assert {"dev_loss", "dev_bleu", "dev_gen_len"} <= set(trained.evaluate(metric_key_prefix="dev"))


class TestLogits:
    """Without predict_with_generate a Trainer hands over logits, and T5 a tuple of outputs."""

    def test_their_path_is_that_of_the_likeliest_ids_and_memory_stays_flat(self, trained, make_trainer, tokenizer):
        without = {"compute": None, "model": trained.model, "predict_with_generate": False}
        without["compute"] = tercet.compute_metrics(tokenizer, options=OPTIONS)
        raw = make_trainer(**without)
        flat = make_trainer(**without, preprocess_logits_for_metrics=tercet.preprocess_logits_for_metrics)
        of_raw, of_flat = raw.predict(raw.eval_dataset), flat.predict(flat.eval_dataset)
        assert logged(of_flat.metrics, "test_") == logged(of_raw.metrics, "test_")

        assert isinstance(of_raw.predictions, tuple)  # the decoder's logits, the encoder's hidden states
        assert of_flat.predictions.shape == of_flat.label_ids.shape
        own = np.where(of_flat.label_ids < 0, -100, of_raw.predictions[0].argmax(-1)[:, : of_flat.label_ids.shape[1]])
        expected = by_hand(decoded(tokenizer, own), decoded(tokenizer, of_flat.label_ids))
        assert logged(of_flat.metrics, "test_") == pytest.approx(expected, abs=1e-12)

        batches = make_trainer(**without, batch_eval_metrics=True)
        assert logged(batches.evaluate()) == logged(of_raw.metrics, "test_")

    def test_generated_ids_pass_the_preparation_unchanged(self, trained, make_trainer, compute):
        prepared = make_trainer(
            compute, model=trained.model, preprocess_logits_for_metrics=compute.preprocess_logits_for_metrics
        )
        assert logged(prepared.evaluate()) == logged(trained.evaluate())

    def test_of_half_precision_are_read(self, compute, tokenizer):
        labels = torch.tensor(rows(tokenizer, TARGETS, -100))
        logits = torch.nn.functional.one_hot(labels.clamp(min=0), len(tokenizer)).to(torch.bfloat16)
        assert compute(logits, labels)["bleu"] == 1.0

    def test_what_is_said_behind_the_end_of_the_target_is_no_text(self, compute, tokenizer):
        labels = rows(tokenizer, TARGETS, -100)
        said = np.where(labels < 0, ids(tokenizer, WORDS[0])[0], labels)
        logits = np.eye(len(tokenizer), dtype=np.float32)[said]
        assert compute(logits, labels)["bleu"] == 1.0
        assert compute(said, labels)["bleu"] < 1.0  # generated ids are what they are


SEVERAL = [[target, target.split(" ", 1)[1]] if index % 2 else [target] for index, target in enumerate(TARGETS)]


class TestReferences:
    def test_beside_the_evaluation_set_in_its_order(self, trained, make_trainer, tokenizer):
        compute = tercet.compute_metrics(tokenizer, options=OPTIONS, references=SEVERAL)
        trainer = make_trainer(compute, model=trained.model)
        texts = decoded(tokenizer, trainer.predict(trainer.eval_dataset).predictions)
        expected = by_hand(texts, SEVERAL)
        assert logged(trainer.evaluate()) == pytest.approx(expected, abs=1e-12)
        batches = make_trainer(compute, model=trained.model, batch_eval_metrics=True)
        assert logged(batches.evaluate()) == logged(trainer.evaluate())

    def test_by_a_function_that_knows_the_inputs(self, trained, make_trainer, tokenizer):
        table = {text: references for (text, _), references in zip(HELD_OUT, SEVERAL, strict=True)}

        def look_up(evaluation):
            return [table[text] for text in decoded(tokenizer, evaluation.inputs)]

        several = [table[text] for text, _ in HELD_OUT]
        compute = tercet.compute_metrics(tokenizer, options=OPTIONS, references=look_up)
        trainer = make_trainer(compute, model=trained.model, include_for_metrics=["inputs"])
        texts = decoded(tokenizer, trainer.predict(trainer.eval_dataset).predictions)
        assert logged(trainer.evaluate()) == pytest.approx(by_hand(texts, several), abs=1e-12)

    def test_of_a_trainer_that_groups_by_length_are_refused(self, trained, make_trainer, tokenizer):
        compute = tercet.compute_metrics(tokenizer, options=OPTIONS, references=TARGETS)
        trainer = make_trainer(compute, model=trained.model, train_sampling_strategy="group_by_length")
        with pytest.raises(InputError, match="references are not in the order of the items"):
            trainer.evaluate()

    def test_too_many_or_too_few_are_refused(self, tokenizer):
        predictions = rows(tokenizer, TARGETS, 0)
        for wrong in (TARGETS[:-1], [*TARGETS, "up"]):
            compute = tercet.compute_metrics(tokenizer, references=wrong)
            message = f"references has {len(wrong)} entries, but there are {len(TARGETS)} predictions"
            with pytest.raises(InputError, match=message):
                compute(predictions)
            with pytest.raises(InputError, match=message):
                compute(predictions, compute_result=True)
            compute.references = TARGETS
            assert compute(predictions)["bleu"] == 1.0

    def test_leave_out_what_processes_add_to_fill_their_batches(self, tokenizer, monkeypatch):
        compute = tercet.compute_metrics(tokenizer, references=TARGETS)
        predictions = rows(tokenizer, [*TARGETS, "up", "down"], 0)
        expected = compute(predictions[:-2])
        monkeypatch.setenv("WORLD_SIZE", "2")
        assert compute(predictions) == expected
        for batch, last in ((predictions[:20], False), (predictions[20:], True)):
            found = compute(batch, compute_result=last)
        assert found == expected

    def test_of_another_type_are_refused_at_once(self, tokenizer):
        with pytest.raises(InputError, match="references must be a list"):
            tercet.compute_metrics(tokenizer, references=7)
        with pytest.raises(InputError, match="item 1 of references"):
            tercet.compute_metrics(tokenizer, references=["a", 7])

    def test_that_are_missing_follow_the_metric_s_policy(self, tokenizer):
        predictions = rows(tokenizer, ["up", "down"], 0)
        with pytest.raises(InputError, match="item 1 of references is empty"):
            tercet.compute_metrics(tokenizer, references=["up", None])(predictions)
        skip = tercet.compute_metrics(
            tokenizer, "rouge_nlws", references=["up", None], options={"missing_references": "skip"}
        )
        assert skip(predictions)["rouge1"] == 1.0


@pytest.fixture
def causal(tokenizer):
    set_seed(2)
    config = GPT2Config(
        vocab_size=len(tokenizer), n_positions=32, n_embd=32, n_layer=2, n_head=4, bos_token_id=1, eos_token_id=1,
        pad_token_id=0, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0,
    )  # fmt: skip
    return GPT2LMHeadModel(config)


def prompts_on_the_left(items):
    """Collate for generation: prompts filled on the left, targets on the right, to one length."""
    width = max(len(item[name]) for item in items for name in ("input_ids", "labels"))
    return {
        "input_ids": torch.tensor([[0] * (width - len(each["input_ids"])) + each["input_ids"] for each in items]),
        "attention_mask": torch.tensor(
            [[0] * (width - len(each["input_ids"])) + [1] * len(each["input_ids"]) for each in items]
        ),
        "labels": torch.tensor([each["labels"] + [-100] * (width - len(each["labels"])) for each in items]),
    }


class TestCausalModels:
    @pytest.mark.parametrize("batches", [False, True])
    def test_generation_is_scored_without_the_prompt(self, causal, tokenizer, tmp_path, batches):
        compute = tercet.compute_metrics(tokenizer, options=OPTIONS, causal=True)
        causal.generation_config.max_new_tokens = 6
        arguments = Seq2SeqTrainingArguments(
            str(tmp_path), predict_with_generate=True, include_for_metrics=["inputs"], batch_eval_metrics=batches,
            per_device_eval_batch_size=7, report_to=[], disable_tqdm=True, use_cpu=True, dataloader_pin_memory=False,
        )  # fmt: skip
        trainer = Seq2SeqTrainer(
            model=causal, args=arguments, eval_dataset=items_of(tokenizer, HELD_OUT), processing_class=tokenizer,
            data_collator=prompts_on_the_left, compute_metrics=compute,
        )  # fmt: skip
        texts, lengths = [], []
        for start in range(0, len(HELD_OUT), 7):
            batch = prompts_on_the_left(items_of(tokenizer, HELD_OUT[start : start + 7]))
            prompt = {name: batch[name] for name in ("input_ids", "attention_mask")}
            new = causal.generate(**prompt, max_new_tokens=6)[:, batch["input_ids"].shape[1] :]
            texts += tokenizer.batch_decode(new, skip_special_tokens=True)
            lengths += (new != 0).sum(dim=1).tolist()
        found = trainer.evaluate()
        assert logged(found) == pytest.approx(by_hand(texts, TARGETS), abs=1e-12)
        assert found["eval_gen_len"] == np.mean(lengths)

    @pytest.mark.parametrize("prepared", [False, True])
    def test_logits_are_for_the_next_place(self, causal, tokenizer, tmp_path, prepared):
        """A plain Trainer that trains on prompt and target, with labels on the target."""
        compute = tercet.compute_metrics(tokenizer, options=OPTIONS, causal=True)
        items = []
        for text, target in PAIRS:
            prompt, answer = ids(tokenizer, text), ids(tokenizer, target)
            items.append({"input_ids": prompt + answer, "labels": [-100] * len(prompt) + answer})
        arguments = TrainingArguments(
            str(tmp_path), num_train_epochs=3, learning_rate=1e-2, per_device_train_batch_size=10,
            per_device_eval_batch_size=7, save_strategy="no", report_to=[], disable_tqdm=True, use_cpu=True,
            dataloader_pin_memory=False,
        )  # fmt: skip
        trainer = Trainer(
            model=causal, args=arguments, train_dataset=items[:200], eval_dataset=items[200:],
            data_collator=DataCollatorForSeq2Seq(tokenizer), compute_metrics=compute,
            preprocess_logits_for_metrics=compute.preprocess_logits_for_metrics if prepared else None,
        )  # fmt: skip
        trainer.train()
        texts = []
        for item in items[200:]:
            logits = causal(input_ids=torch.tensor([item["input_ids"]])).logits[0].argmax(-1)
            said = [int(logits[place - 1]) for place, label in enumerate(item["labels"]) if label != -100]
            texts.append(tokenizer.decode(said, skip_special_tokens=True))
        found = trainer.evaluate()
        assert logged(found) == pytest.approx(by_hand(texts, TARGETS), abs=1e-12)
        assert found["eval_bleu"] > 0.1

    def test_the_first_token_of_the_labels_is_said_by_no_place(self, tokenizer):
        compute = tercet.compute_metrics(tokenizer, options=OPTIONS, causal=True)
        labels = rows(tokenizer, ["up down left", "down up left"], -100)
        logits = np.eye(len(tokenizer))[np.roll(labels, -1, axis=1)]
        assert compute(logits, labels)["bleu"] == 1.0

    def test_without_the_inputs_they_are_asked_for(self, tokenizer):
        compute = tercet.compute_metrics(tokenizer, causal=True)
        with pytest.raises(InputError, match=r"include_for_metrics=\[\"inputs\"\]"):
            compute(rows(tokenizer, TARGETS, 0), rows(tokenizer, TARGETS, -100))

    def test_a_prediction_without_its_prompt_is_named(self, tokenizer):
        compute = tercet.compute_metrics(tokenizer, causal=True)
        with pytest.raises(InputError, match="item 1 of the predictions does not begin with its prompt"):
            compute([[3, 4, 5], [4, 5, 6]], [[5], [6]], inputs=[[3, 4], [3, 4]])
        with pytest.raises(InputError, match="an input for each prediction, got 2 predictions and 1"):
            compute([[3, 4, 5], [4, 5, 6]], [[5], [6]], inputs=[[3, 4]])


class TestLoops:
    def test_by_hand(self, trained, tokenizer, compute):
        """Ids of tensors, batch after batch."""
        expected = logged(trained.evaluate())
        for start in range(0, len(HELD_OUT), 7):
            batch = trained.data_collator(items_of(tokenizer, HELD_OUT[start : start + 7]))
            predicted = trained.model.generate(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"],
                                               max_length=8)  # fmt: skip
            compute.add(predicted, batch["labels"])
        assert {name: value for name, value in compute.result().items() if name != "gen_len"} == expected
        with pytest.raises(InputError, match="The corpus is empty"):
            compute.result()

    def test_with_accelerate(self, trained, tokenizer, compute):
        accelerator = Accelerator(cpu=True)
        loader = torch.utils.data.DataLoader(
            items_of(tokenizer, HELD_OUT), batch_size=7, collate_fn=trained.data_collator
        )
        model, loader = accelerator.prepare(trained.model, loader)
        for batch in loader:
            with torch.no_grad():
                predicted = accelerator.unwrap_model(model).generate(
                    input_ids=batch["input_ids"], attention_mask=batch["attention_mask"], max_length=8
                )
            predicted = accelerator.pad_across_processes(predicted, dim=1, pad_index=tokenizer.pad_token_id)
            labels = accelerator.pad_across_processes(batch["labels"], dim=1, pad_index=-100)
            compute.add(*accelerator.gather_for_metrics((predicted, labels)))
        found = compute.result()
        assert {name: found[name] for name in ("bleu", "rouge1", "rougeL")} == logged(trained.evaluate())

    @ZERO_BLEU
    def test_of_texts(self, compute):
        texts = ["up down", "left"]
        expected = by_hand(texts, [["up left", "up down down"], ["left"]])
        assert compute(texts, [["up left", "up down down"], ["left"]]) == expected
        assert compute(texts, ["up left", "left"]) == by_hand(texts, ["up left", "left"])

    @pytest.mark.parametrize("form", [list, np.array, torch.tensor, lambda each: [np.array(row) for row in each]])
    def test_ids_of_any_kind(self, form, compute, tokenizer):
        predictions, labels = rows(tokenizer, TARGETS, 0).tolist(), rows(tokenizer, TARGETS, -100).tolist()
        assert compute(form(predictions), form(labels))["bleu"] == 1.0

    def test_rows_of_different_lengths(self, compute, tokenizer):
        lists = [ids(tokenizer, text) for text in TARGETS]
        assert compute(lists, lists)["bleu"] == 1.0
        ragged = np.empty(len(lists), dtype=object)
        ragged[:] = lists
        assert compute(ragged, ragged)["bleu"] == 1.0

    def test_a_refused_batch_adds_nothing(self, compute, tokenizer):
        labels = rows(tokenizer, TARGETS, -100)
        compute.add(labels, labels)
        with pytest.raises(InputError):
            compute.add(labels, labels + 1000)
        assert compute.result()["bleu"] == 1.0

    def test_after_an_error_in_a_trainer_s_batch_the_next_evaluation_begins_anew(self, compute, tokenizer):
        labels = rows(tokenizer, TARGETS, -100)
        compute(np.zeros_like(labels), labels, compute_result=False)
        with pytest.raises(InputError):
            compute(labels, labels + 1000, compute_result=False)
        assert compute(labels, labels, compute_result=True)["bleu"] == 1.0

    def test_reset_forgets_an_interrupted_evaluation(self, compute, tokenizer):
        labels = rows(tokenizer, TARGETS, -100)
        compute(np.zeros_like(labels), labels, compute_result=False)
        compute.reset()
        assert compute(labels, labels, compute_result=True)["bleu"] == 1.0


class TestBatches:
    @pytest.mark.parametrize("metric", METRICS)
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
        primary = whole[make_scorer(metric, needed(metric)).primary]
        assert 0 < primary < 1 or (not metric_class(metric).is_share and primary > 1)

    @pytest.mark.parametrize("tokenizer_of_rouge", ["auto", "unicode"])
    def test_the_letters_of_the_whole_choose_rouge_s_tokenizer(self, tokenizer_of_rouge):
        """One batch in Latin letters, three in Cyrillic ones: each alone would be counted otherwise."""
        compute = tercet.compute_metrics(
            None, "rouge_nlws", decode=len, options={"rouge_types": ["rouge1"], "tokenizer": tokenizer_of_rouge}
        )
        texts = ["a b", "да нет и еще слова", "нет да и снова они", "да и нет вместе с ними"]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            for index, text in enumerate(texts):
                found = compute([text], [texts[0]] if index == 0 else [texts[1]], compute_result=index == 3)
            references = [texts[0], *[texts[1]] * 3]
            expected = tercet.score(
                "rouge_nlws", texts, references, rouge_types=["rouge1"], tokenizer=tokenizer_of_rouge
            )
        assert found == {"rouge1": expected["rouge1"]}

    def test_warn_once_for_all(self, tokenizer):
        compute = tercet.compute_metrics(None, "bleu_multi", decode=len)
        with pytest.warns(UserWarning, match="splits at spaces") as caught:
            [compute(["今天天气很好"], ["今天的天气很好"], compute_result=last) for last in (False, False, True)]
        assert len(caught) == 1

    def test_count_missing_references_from_the_first_item_on(self, tokenizer):
        compute = tercet.compute_metrics(tokenizer, "bleu_multi", references=["up", None])
        compute(["up"], compute_result=False)
        with pytest.raises(InputError, match="item 1 of references is empty"):
            compute(["up"], compute_result=True)


class TestIds:
    def test_minus_100_in_predictions_and_labels_is_no_token(self, compute, tokenizer):
        array = rows(tokenizer, TARGETS, -100)
        assert compute(array, array)["bleu"] == 1.0

    def test_beyond_the_vocabulary_of_the_tokenizer_are_left_out_of_predictions(self, compute, tokenizer):
        labels = rows(tokenizer, TARGETS, -100)
        predictions = np.concatenate([labels, np.full((len(labels), 1), len(tokenizer)), labels * 0 - 100], axis=1)
        assert compute(predictions, labels)["bleu"] == 1.0

    def test_below_0_are_an_error_but_for_the_one_that_trainers_pad_with(self, compute, tokenizer):
        labels = rows(tokenizer, TARGETS, -100)
        predictions = labels.copy()
        predictions[2, 1] = -1
        with pytest.raises(
            InputError, match=r"item 2 of the predictions has the id -1, .* \(and -100 for no token\)"
        ):
            compute(predictions, labels)

    def test_beyond_the_vocabulary_are_an_error_in_labels(self, compute, tokenizer):
        labels = rows(tokenizer, TARGETS, -100)
        labels[3, 1] = 50000
        with pytest.raises(InputError, match=f"item 3 of the labels has the id 50000, .* 0 to {len(tokenizer) - 1} "):
            compute(labels, labels)
        labels[3, 1] = -1
        with pytest.raises(InputError, match="item 3 of the labels has the id -1"):
            compute(labels, labels)

    def test_special_ones_and_padding_are_no_text(self, compute, tokenizer):
        labels = rows(tokenizer, TARGETS, -100)
        predictions = np.concatenate([labels * 0, np.maximum(labels, 0), labels * 0 + 1], axis=1)
        assert compute(predictions, labels)["bleu"] == 1.0

    def test_of_added_tokens_belong_to_the_vocabulary(self, tokenizer):
        larger = copy.deepcopy(tokenizer)
        larger.add_tokens(["sideways"])
        array = rows(larger, ["up sideways", "sideways"], -100)
        compute = tercet.compute_metrics(larger, "rouge_nlws", options={"rouge_types": ["rouge1"]})
        assert compute(array, [["up sideways"], ["sideways"]])["rouge1"] == 1.0

    def test_a_tuple_of_outputs_gives_its_first(self, compute, tokenizer):
        labels = rows(tokenizer, TARGETS, -100)
        states = np.zeros((len(TARGETS), 3, 8), np.float32)
        assert compute(EvalPrediction((labels, states), labels))["bleu"] == 1.0
        assert compute(EvalPrediction((labels, states), (labels,)))["bleu"] == 1.0

    def test_a_pair_of_predictions_and_labels_is_taken_for_that(self, compute, tokenizer):
        labels = rows(tokenizer, TARGETS, -100)
        assert compute((labels, labels)) == compute(labels, labels) == compute(EvalPrediction(labels, labels))

    def test_an_empty_prediction_scores_0(self, compute, tokenizer):
        labels = rows(tokenizer, TARGETS, -100)
        scores = compute(np.zeros_like(labels), labels)
        assert scores == {"bleu": 0.0, "rouge1": 0.0, "rougeL": 0.0, "gen_len": 0.0}
        assert compute(np.zeros((len(labels), 0), np.int64), labels) == scores

    def test_a_tokenizer_of_slow_python(self):
        """ByT5's has no fast one; its vocabulary ends after the bytes."""
        slow = ByT5Tokenizer()
        compute = tercet.compute_metrics(slow, "rouge_nlws", options={"rouge_types": ["rouge1"]})
        texts = ["naïve up", "down"]
        array = np.full((2, 20), -100)
        for row, text in zip(array, texts, strict=True):
            own = slow(text).input_ids
            row[: len(own)] = own
        predictions = np.concatenate([array, array * 0 + 10**6], axis=1)
        assert compute(predictions, array)["rouge1"] == 1.0

    @ZERO_BLEU
    @settings(max_examples=60, deadline=None)
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


class TestWhatCannotBeRead:
    """A Trainer or a loop hands over what is no prediction: told, by its item where there is one."""

    @pytest.fixture
    def decoding(self):
        return tercet.compute_metrics(None, "bleu_multi", decode=lambda rows: [str(row) for row in rows])

    DEEP: ClassVar[list] = []
    for _ in range(10**4):
        DEEP = [DEEP]

    @pytest.mark.parametrize(
        "ids", [5, None, "ab", {"a": 1}, [[1], "a"], [[1], [0.5]], [[1], [None]], [[1], np.array(7)], DEEP,
                [DEEP, [1]], [[1], [10**30]], np.array(7), np.array([[0.5]]), [[1], [float("nan")]], [[1], object()]],
        ids=lambda value: type(value).__name__,
    )  # fmt: skip
    def test_ids(self, decoding, ids):
        for pair in ((ids, [[1], [2]]), ([[1], [2]], ids)):
            with pytest.raises(InputError, match=r"[Pp]redictions|labels"):
                decoding(*pair)

    @pytest.mark.parametrize("inputs", [5, {}, {"ids": [[1], [2]]}, [[1]], [[1], "a"], np.array(7)], ids=str)
    def test_prompts(self, inputs):
        causal = tercet.compute_metrics(None, "bleu_multi", decode=str, causal=True)
        with pytest.raises(InputError, match=r"inputs|input for each prediction"):
            causal([[1, 5], [2, 6]], [[5], [6]], inputs=inputs)

    @pytest.mark.parametrize(
        ("returned", "message"),
        [
            (None, "decode must return a list of texts, got None"),
            ("ab", "decode must return a list of texts, got 'ab'"),
            ({"a": 1, "b": 2}, "decode must return a list of texts, got {'a': 1"),
            (["a"], "decode was given 2 lists of ids and returned 1 texts"),
            (["a", None], "item 1 of predictions must be a string, got None"),
            ((1 / number for number in (1, 0)), "What decode returned cannot be read. ZeroDivisionError"),
        ],
    )
    def test_texts_of_a_decoder(self, returned, message):
        compute = tercet.compute_metrics(None, "bleu_multi", decode=lambda rows: returned)
        with pytest.raises(InputError, match=re.escape(message)):
            compute([[1], [2]], ["a", "b"])

    def test_references_that_end_in_an_error(self):
        with pytest.raises(InputError, match=re.escape("references cannot be read. ZeroDivisionError")):
            tercet.compute_metrics(None, "bleu_multi", decode=str, references=(1 / each for each in (1, 0)))
        once = tercet.compute_metrics(None, "bleu_multi", decode=str, references=iter(["a b c d"] * 2))
        assert once(["a b c d"] * 2)["bleu"] == once(["a b c d"] * 2)["bleu"] == 1.0

    @pytest.mark.parametrize("array", [np.array, torch.tensor], ids=["numpy", "torch"])
    @pytest.mark.parametrize("causal", [False, True])
    def test_logits_that_are_nan_are_named_by_their_item(self, array, causal):
        logits = np.random.default_rng(1).random((3, 4, 5)).astype(np.float32)
        labels = np.ones((3, 4), np.int64)
        expected = tercet.preprocess_logits_for_metrics(array(logits), array(labels), causal=causal).tolist()
        logits[2, 1, 3] = np.nan
        with pytest.raises(InputError, match=r"item 2 of the predictions has logits that are NaN"):
            tercet.preprocess_logits_for_metrics(array(logits), array(labels), causal=causal)
        labels[2, 2 if causal else 1] = -100  # a place of padding, where models may compute anything
        expected[2][2 if causal else 1] = -100
        found = tercet.preprocess_logits_for_metrics(array(logits), array(labels), causal=causal)
        assert found.tolist() == expected


class TestOptions:
    def test_by_metric_or_all_in_one(self, tokenizer):
        labels = rows(tokenizer, TARGETS, -100)
        own = {"bleu_multi": {"max_order": 2}, "rouge_nlws": {"rouge_types": ["rouge1"]}, "scale": 100}
        flat = {"max_order": 2, "rouge_types": ["rouge1"], "scale": 100}
        of_own, of_flat = (tercet.compute_metrics(tokenizer, options=each)(labels, labels) for each in (own, flat))
        assert of_own == of_flat
        assert (of_own["bleu"], of_own["rouge1"]) == (100.0, 100.0)

    @ZERO_BLEU
    def test_intervals_are_numbers_too(self, tokenizer):
        options = {**OPTIONS, "confidence_level": 0.9, "n_resamples": 20}
        labels = rows(tokenizer, TARGETS, -100)
        found = tercet.compute_metrics(tokenizer, "bleu_multi", options={"confidence_level": 0.9, "n_resamples": 20})(
            labels[::-1], labels
        )
        assert list(found) == ["bleu", "bleu_low", "bleu_high", "gen_len"]
        assert found["bleu_low"] <= found["bleu"] <= found["bleu_high"]
        assert "rougeL_high" in tercet.compute_metrics(tokenizer, options=options)(labels, labels)

    def test_keep_chooses_among_all_numbers(self, tokenizer):
        labels = rows(tokenizer, TARGETS, -100)
        keep = ["bleu", "brevity_penalty", "rouge_nlws_empty_predictions"]
        assert tercet.compute_metrics(tokenizer, keep=keep)(labels, labels) == dict(
            zip(keep, (1.0, 1.0, 0.0), strict=True)
        )
        assert tercet.compute_metrics(tokenizer, keep="rougeL", prefix="dev")(labels, labels) == {"dev_rougeL": 1.0}

    @pytest.mark.parametrize(
        ("settings", "message"),
        [
            ({"keep": ["blue"]}, "'blue' is not in the results: .* Did you mean 'bleu'"),
            ({"keep": ["precisions"]}, r"'precisions' is \[.*\]: loggers take numbers"),
            ({"keep": ["signature"]}, "'signature' is 'bleu_multi.*: loggers take numbers"),
            ({"options": {"use_aggregator": False}}, r"'rouge1' is \[.*\]: loggers take numbers"),
            ({"options": {"max_ordre": 2}}, "no option 'max_ordre'. Did you mean 'max_order'"),
            ({"options": {"bleu_multi": {"max_ordre": 2}}}, "no option 'max_ordre'. Did you mean 'max_order'"),
            ({"options": {"bleu_multi": 2}}, "The options of bleu_multi must be a mapping, got 2"),
            ({"options": {"bertscore_idf": {}}}, "no option 'bertscore_idf'"),
            ({"options": ["scale"]}, "options must be a mapping"),
            ({"sentence_split": "never"}, "'sentence_split' option of compute_metrics must be one of"),
            ({"metrics": ["bleu_mutli"]}, "Did you mean 'bleu_multi'"),
            ({"metrics": []}, "metrics must be names of different metrics of the suite"),
            ({"metrics": ["bleu_multi"] * 2}, "metrics must be names of different metrics"),
            ({"decode": "yes"}, "decode must be a function"),
            ({"metrics": None}, "metrics must be names of different metrics of the suite, got None"),
            ({"metrics": [None]}, r"different metrics of the suite, got \[None\]"),
            ({"options": 5}, "options must be a mapping of options, or of metrics to theirs, got 5"),
            ({"metrics": 5}, "metrics must be names of different metrics of the suite, got 5"),
            ({"metrics": [["bleu_multi"]]}, "metrics must be names of different metrics of the suite, got"),
            ({"keep": 5}, "'keep' option of compute_metrics must be a list of names of entries, or None. Got 5"),
            ({"keep": [5]}, "'keep' option of compute_metrics must be a list of names"),
            ({"keep": ["b" * 10**5]}, "The entry 'b{58}… is not in the results"),
            ({"causal": "yes"}, "'causal' option of compute_metrics must be True or False. Got 'yes'"),
            ({"prefix": 3}, "'prefix' option of compute_metrics must be a text to put before the names, or None"),
            ({"metrics": "bleu_multi", "sentence_split": "never"}, "'sentence_split' option of compute_metrics must"),
            ({"options": {10**5000: 1}}, "have no option <int of about 5,001 digits>"),
        ],
    )  # fmt: skip
    def test_that_are_wrong_are_refused_before_the_training(self, tokenizer, settings, message):
        with pytest.raises(OptionError, match=message):
            tercet.compute_metrics(tokenizer, **settings)

    def test_that_are_wrong_are_refused_without_a_tokenizer_too(self):
        with pytest.raises(OptionError, match="metrics must be names of different metrics of the suite, got None"):
            tercet.compute_metrics(metrics=None)
        with pytest.raises(
            OptionError, match="The tokenizer must be one of transformers, with batch_decode, got None"
        ):
            tercet.compute_metrics()

    @pytest.mark.parametrize(
        ("settings", "message"),
        [
            ({"options": 5}, "options must be a mapping of options, or of metrics to theirs, got 5"),
            ({"options": []}, "options must be a mapping of options, or of metrics to theirs, got []"),
            ({"metrics": None}, "This scores bleu_multi only: for other 'metrics' use tercet.compute_metrics."),
        ],
    )
    def test_that_are_wrong_are_refused_by_a_module_too(self, settings, message):
        with pytest.raises(OptionError, match=re.escape(message)):
            tercet.load("bleu").compute_metrics(decode=len, **settings)

    def test_sentence_split_cuts_texts_without_line_ends(self):
        texts = ["Up we go. Then down.", "Left."], ["Then down. Up we go.", "Left."]
        options = {"rouge_types": ["rougeLsum"]}
        found = {
            split: tercet.compute_metrics(None, "rouge_nlws", decode=len, options=options, sentence_split=split)(
                *texts
            )
            for split in ("newline", "auto")
        }
        for split, scores in found.items():
            expected = tercet.score("rouge_nlws", *texts, **options, sentence_split=split)
            assert scores == {"rougeLsum": expected["rougeLsum"]}
        assert found["newline"] != found["auto"]

    def test_what_is_no_tokenizer_is_refused(self):
        with pytest.raises(
            OptionError, match=r"The tokenizer must be one of transformers, with batch_decode, got 'gpt2'"
        ):
            tercet.compute_metrics("gpt2")

    def test_a_processor_is_a_tokenizer(self, tokenizer):
        processor = SimpleNamespace(tokenizer=tokenizer, batch_decode=tokenizer.batch_decode)
        labels = rows(tokenizer, TARGETS, -100)
        predictions = np.concatenate([labels, labels * 0 + 10**6], axis=1)
        compute = tercet.compute_metrics(processor, options=OPTIONS)
        padded = np.where(labels < 0, 0, labels)
        assert compute(predictions, labels)["bleu"] == 1.0
        assert compute(padded, labels)["gen_len"] == (padded != 0).sum(axis=1).mean()

    def test_decode_takes_the_tokenizer_s_place(self, tokenizer):
        labels = rows(tokenizer, TARGETS, -100)
        compute = tercet.compute_metrics(
            tokenizer, "rouge_nlws", decode=lambda lists: ["same"] * len(lists), options={"rouge_types": ["rouge1"]}
        )
        assert compute(labels[::-1], labels)["rouge1"] == 1.0
        short = tercet.compute_metrics(tokenizer, decode=lambda lists: ["one"])
        with pytest.raises(InputError, match="decode was given 30 lists of ids and returned 1 texts"):
            short(labels, labels)


class TestWhatIsNoIds:
    @pytest.mark.parametrize(
        ("predictions", "message"),
        [
            (np.zeros((2, 3)), r"float64 of shape \(2, 3\), which are neither ids, .* nor logits"),
            (torch.zeros(2, 3, 4, 5), r"float32 of shape \(2, 3, 4, 5\), which are neither"),
            (np.zeros(2, np.int64), r"must be ids of tokens, shape \(items, length\), got int64 of shape \(2,\)"),
            (np.zeros((2, 3), bool), r"got bool of shape \(2, 3\)"),
            (np.zeros((2, 3, 4), np.int64), r"got int64 of shape \(2, 3, 4\)"),
            ([1, 2], r"got \[1, 2\] \(list\)"),
            ([[0.5], [1]], r"got \[\[0.5\], \[1\]\] \(list\)"),
            (None, r"got None \(NoneType\)"),
            ([None, "a"], "item 0 of predictions must be a string, got None"),
        ],
    )  # fmt: skip
    def test_is_refused_with_what_was_given(self, compute, predictions, message):
        with pytest.raises(InputError, match=message):
            compute(predictions, [[3], [3]])

    def test_lengths_that_differ_are_named(self, compute):
        with pytest.raises(InputError, match="got 2 predictions and 1 references"):
            compute([[3], [3]], [[3]])
        with pytest.raises(InputError, match="got 1 predictions and 2 references"):
            compute([[3]], [[3], [3]])

    def test_no_labels_are_asked_for(self, compute):
        with pytest.raises(InputError, match="There are no labels: give labels, or references"):
            compute([[3]])

    def test_labels_of_floats_are_refused(self, compute):
        with pytest.raises(InputError, match=r"The labels must be ids of tokens, .* got float32 of shape \(1, 1\)"):
            compute([[3]], torch.zeros(1, 1))

    def test_an_empty_corpus_is_refused(self, compute):
        with pytest.raises(InputError, match="The corpus is empty"):
            compute([], [])


WITHOUT_THE_PACKAGE = """
import json, sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "tercet":
            raise ImportError("the package is not here")
sys.meta_path.insert(0, Refuse())
import evaluate
import numpy as np
from transformers import EvalPrediction, PreTrainedTokenizerFast
folder, tokenizer, given = *sys.argv[1:3], json.loads(sys.argv[3])
tokenizer = PreTrainedTokenizerFast.from_pretrained(tokenizer)
compute = evaluate.load(folder).compute_metrics(tokenizer, options=given["options"])
logits, labels = np.eye(len(tokenizer))[given["predictions"]], np.array(given["labels"])
prepared = compute.preprocess_logits_for_metrics((logits, None), labels)
print(json.dumps([compute(EvalPrediction(logits, labels)), compute(prepared, labels, compute_result=True)]))
"""


@pytest.mark.parametrize("metric", ["bleu_multi", "rouge_nlws"])
@pytest.mark.long
def test_a_module_of_a_space_works_without_the_package(metric, tokenizer, tmp_path):
    options = {"bleu_multi": {"max_order": 2}, "rouge_nlws": {"rouge_types": ["rougeL"]}}[metric]
    texts = ["north east west"], ["north east south"]
    predictions, labels = (rows(tokenizer, each, -100).tolist() for each in texts)
    given = json.dumps({"predictions": predictions, "labels": labels, "options": options})
    tokenizer.save_pretrained(tmp_path / "tokenizer")
    run = subprocess.run(
        [sys.executable, "-c", WITHOUT_THE_PACKAGE, str(build(metric, tmp_path)), str(tmp_path / "tokenizer"), given],
        cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr[-3000:]
    name = {"bleu_multi": "bleu", "rouge_nlws": "rougeL"}[metric]
    expected = {name: tercet.score(metric, *texts, **options)[name], "gen_len": 4.0}
    assert json.loads(run.stdout) == [expected] * 2
