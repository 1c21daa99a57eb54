"""`compute_metrics` under real training: small models that learn in seconds, every trap of a Trainer by its name."""

import copy
import json
import os
import socket
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch
from accelerate import Accelerator
from transformers import (
    DataCollatorForSeq2Seq,
    GPT2Config,
    GPT2LMHeadModel,
    Seq2SeqTrainer,
    Seq2SeqTrainingArguments,
    Trainer,
    TrainingArguments,
    set_seed,
)

import tercet
from small_trainer import (
    HELD_OUT,
    OPTIONS,
    PAIRS,
    TARGETS,
    WORDS,
    by_hand,
    ids,
    items_of,
    make_tokenizer,
    random_states_kept,
    rows,
    trainer_of,
)
from tercet import InputError

TESTS = Path(__file__).resolve().parents[1]


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
    def test_logs_the_scores_of_the_decoded_texts_as_numbers(self, trained, tokenizer):
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
        for entry in trained.state.log_history:
            assert all(type(value) in (int, float) for value in entry.values()), entry
        json.dumps(trained.state.log_history, allow_nan=False)

    def test_the_best_model_is_chosen_by_a_score_and_loaded_at_the_end(self, make_trainer, compute):
        trainer = make_trainer(
            compute, metric_for_best_model="eval_rougeL", load_best_model_at_end=True, save_strategy="epoch",
            num_train_epochs=3, learning_rate=2e-2,
        )  # fmt: skip
        trainer.train()
        scores = [entry["eval_rougeL"] for entry in trainer.state.log_history if "eval_rougeL" in entry]
        assert trainer.state.best_metric == max(scores)
        assert trainer.evaluate()["eval_rougeL"] == max(scores)

    @pytest.mark.parametrize("name", ["wer", "ter", "chrf"])
    def test_the_best_model_is_that_of_the_least_errors_where_lower_is_better(self, make_trainer, tokenizer, name):
        compute = tercet.compute_metrics(tokenizer, name)
        trainer = make_trainer(
            compute, metric_for_best_model=name, greater_is_better=compute.higher_is_better[name],
            load_best_model_at_end=True, save_strategy="epoch", num_train_epochs=3, learning_rate=2e-2,
        )  # fmt: skip
        trainer.train()
        scores = [entry[f"eval_{name}"] for entry in trainer.state.log_history if f"eval_{name}" in entry]
        assert len(set(scores)) > 1
        best = (max if name == "chrf" else min)(scores)
        assert trainer.state.best_metric == best
        assert trainer.evaluate()[f"eval_{name}"] == best

    @pytest.mark.parametrize("how", [{"batch_eval_metrics": True}, {"eval_do_concat_batches": False}])
    def test_batches_give_the_scores_of_the_whole(self, trained, make_trainer, compute, how):
        whole = logged(trained.evaluate())
        trainer = make_trainer(
            compute, model=trained.model, preprocess_logits_for_metrics=compute.preprocess_logits_for_metrics, **how
        )  # the preparation of logits leaves generated ids alone
        for _ in range(2):  # nothing is left behind for the second
            assert logged(trainer.evaluate()) == whole
        assert logged(trainer.predict(trainer.eval_dataset).metrics, "test_") == whole

    def test_a_loaded_module_offers_its_function_too(self, trained, make_trainer, tokenizer):
        own = tercet.load("rouge_nlws").compute_metrics(tokenizer, options={"rouge_types": ["rougeL"]})
        metrics = make_trainer(own, model=trained.model).evaluate()
        assert metrics["eval_rougeL"] == pytest.approx(trained.evaluate()["eval_rougeL"], abs=1e-12)
        assert "eval_bleu" not in metrics


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

    def test_of_half_precision_are_read_and_what_they_say_behind_the_end_of_the_target_is_no_text(
        self, compute, tokenizer
    ):
        labels = rows(tokenizer, TARGETS, -100)
        said = np.where(labels < 0, ids(tokenizer, WORDS[0])[0], labels)
        logits = np.eye(len(tokenizer), dtype=np.float32)[said]
        for given in (logits, torch.tensor(logits).to(torch.bfloat16)):
            assert compute(given, labels)["bleu"] == 1.0
        assert compute(said, labels)["bleu"] < 1.0  # generated ids are what they are


SEVERAL = [[target, target.split(" ", 1)[1]] if index % 2 else [target] for index, target in enumerate(TARGETS)]


class TestReferences:
    @pytest.mark.parametrize("how", ["beside the evaluation set", "in batches", "by a function of the inputs"])
    def test_in_the_order_of_the_evaluation_set(self, trained, make_trainer, tokenizer, how):
        table = {text: references for (text, _), references in zip(HELD_OUT, SEVERAL, strict=True)}

        def look_up(evaluation):
            return [table[text] for text in decoded(tokenizer, evaluation.inputs)]

        by_function = how == "by a function of the inputs"
        compute = tercet.compute_metrics(tokenizer, options=OPTIONS, references=look_up if by_function else SEVERAL)
        more = {"include_for_metrics": ["inputs"]} if by_function else {"batch_eval_metrics": how == "in batches"}
        trainer = make_trainer(compute, model=trained.model, **more)
        texts = decoded(tokenizer, trained.predict(trained.eval_dataset).predictions)
        expected = by_hand(texts, [table[text] for text, _ in HELD_OUT] if by_function else SEVERAL)
        assert logged(trainer.evaluate()) == pytest.approx(expected, abs=1e-12)

    def test_of_a_trainer_that_groups_by_length_are_refused(self, trained, make_trainer, tokenizer):
        compute = tercet.compute_metrics(tokenizer, options=OPTIONS, references=TARGETS)
        trainer = make_trainer(compute, model=trained.model, train_sampling_strategy="group_by_length")
        with pytest.raises(InputError, match="references are not in the order of the items"):
            trainer.evaluate()

    def test_too_many_or_too_few_are_refused_and_missing_ones_follow_the_metric_s_policy(self, tokenizer):
        predictions = rows(tokenizer, TARGETS, 0)
        for wrong in (TARGETS[:-1], [*TARGETS, "up"]):
            compute = tercet.compute_metrics(tokenizer, references=wrong)
            message = f"references has {len(wrong)} entries, but there are {len(TARGETS)} predictions"
            for how in ({}, {"compute_result": True}):
                with pytest.raises(InputError, match=message):
                    compute(predictions, **how)
            compute.references = TARGETS
            assert compute(predictions)["bleu"] == 1.0
        predictions, missing = rows(tokenizer, ["up", "down"], 0), {"references": ["up", None]}
        with pytest.raises(InputError, match="item 1 of references is empty"):
            tercet.compute_metrics(tokenizer, **missing)(predictions)
        skip = tercet.compute_metrics(tokenizer, "rouge_nlws", **missing, options={"missing_references": "skip"})
        assert skip(predictions)["rouge1"] == 1.0

    def test_leave_out_what_processes_add_to_fill_their_batches(self, tokenizer, monkeypatch):
        compute = tercet.compute_metrics(tokenizer, references=TARGETS)
        predictions = rows(tokenizer, [*TARGETS, "up", "down"], 0)
        expected = compute(predictions[:-2])
        monkeypatch.setenv("WORLD_SIZE", "2")
        assert compute(predictions) == expected
        for batch, last in ((predictions[:20], False), (predictions[20:], True)):
            found = compute(batch, compute_result=last)
        assert found == expected


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
    prompts = [[0] * (width - len(each["input_ids"])) + each["input_ids"] for each in items]
    labels = [each["labels"] + [-100] * (width - len(each["labels"])) for each in items]
    mask = [[0] * (width - len(each["input_ids"])) + [1] * len(each["input_ids"]) for each in items]
    return {"input_ids": torch.tensor(prompts), "attention_mask": torch.tensor(mask), "labels": torch.tensor(labels)}


class TestCausalModels:
    @pytest.mark.parametrize(("batches", "told"), [(False, True), (True, True), (False, False), (True, False)])
    def test_generation_is_scored_without_the_prompt(self, causal, tokenizer, tmp_path, batches, told):
        compute = tercet.compute_metrics(tokenizer, options=OPTIONS, causal=told)
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

    @pytest.mark.parametrize("side", ["right", "left"])
    def test_logits_are_for_the_next_place(self, causal, tokenizer, tmp_path, side):
        """A plain Trainer that trains on prompt and target, with labels on the target."""
        tokenizer = copy.deepcopy(tokenizer)
        tokenizer.padding_side = side
        compute = tercet.compute_metrics(tokenizer, options=OPTIONS, causal=True)
        pairs = [(ids(tokenizer, text), ids(tokenizer, target)) for text, target in PAIRS]
        items = [{"input_ids": prompt + answer, "labels": [-100] * len(prompt) + answer} for prompt, answer in pairs]
        arguments = TrainingArguments(
            str(tmp_path), num_train_epochs=3, learning_rate=1e-2, per_device_train_batch_size=10, save_strategy="no",
            per_device_eval_batch_size=7, report_to=[], disable_tqdm=True, use_cpu=True, dataloader_pin_memory=False,
        )  # fmt: skip
        trainer = Trainer(
            model=causal, args=arguments, train_dataset=items[:200], eval_dataset=items[200:],
            data_collator=DataCollatorForSeq2Seq(tokenizer), compute_metrics=compute,
        )  # fmt: skip
        trainer.train()
        texts = []
        # In the same batches, as GPT-2 counts padding on the left among its places.
        for start in range(200, len(items), 7):
            batch = trainer.data_collator(items[start : start + 7])
            likeliest = causal(**batch).logits.argmax(-1).tolist()
            for row, labels in zip(likeliest, batch["labels"].tolist(), strict=True):
                said = [row[place - 1] for place, label in enumerate(labels) if label != -100]
                texts.append(tokenizer.decode(said, skip_special_tokens=True))
        assert trainer.evaluate()["eval_bleu"] > 0.1
        expected, own = by_hand(texts, TARGETS), compute.preprocess_logits_for_metrics
        for told in (True, False):
            trainer.compute_metrics = tercet.compute_metrics(tokenizer, options=OPTIONS, causal=told)
            for prepare in (None, own, tercet.preprocess_logits_for_metrics):
                for steps in (None, 2):
                    trainer.preprocess_logits_for_metrics, trainer.args.eval_accumulation_steps = prepare, steps
                    assert logged(trainer.evaluate()) == pytest.approx(expected, abs=1e-12)
                    trainer.args.batch_eval_metrics = True
                    assert logged(trainer.evaluate()) == pytest.approx(expected, abs=1e-12)
                    trainer.args.batch_eval_metrics = False

    def test_the_first_token_of_the_labels_is_said_by_no_place(self, tokenizer):
        compute = tercet.compute_metrics(tokenizer, options=OPTIONS, causal=True)
        labels = rows(tokenizer, ["up down left", "down up left"], -100)
        logits = np.eye(len(tokenizer))[np.roll(labels, -1, axis=1)]
        assert compute(logits, labels)["bleu"] == 1.0

    def test_without_the_inputs_they_are_asked_for_and_a_prediction_without_its_prompt_is_named(self, tokenizer):
        compute = tercet.compute_metrics(tokenizer, causal=True)
        given = [[3, 4, 5], [4, 5, 6]], [[5], [6]]
        with pytest.raises(InputError, match=r"include_for_metrics=\[\"inputs\"\]"):
            compute(*given)
        with pytest.raises(InputError, match="item 1 of the predictions does not begin with its prompt"):
            compute(*given, inputs=[[3, 4], [3, 4]])
        with pytest.raises(InputError, match="an input for each prediction, got 2 predictions and 1"):
            compute(*given, inputs=[[3, 4]])


def test_processes_that_fill_the_last_batch_log_what_one_does(trained, make_trainer, compute, tmp_path):
    """Two processes take 14 items at a time, so that 12 of the 30 are there twice."""
    settings = {
        "generated": {}, "in batches": {"batch_eval_metrics": True}, "logits": {"predict_with_generate": False},
        "with inputs": {"include_for_metrics": ["inputs"]},
    }  # fmt: skip
    trained.model.save_pretrained(tmp_path / "model")
    (tmp_path / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    shared = {**os.environ, "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    shared["PYTHONPATH"] = os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])
    call = [sys.executable, "-m", "training.evaluation_ranks", str(tmp_path)]
    ranks = [{**shared, "RANK": rank, "LOCAL_RANK": rank} for rank in ("0", "1")]
    processes = [subprocess.Popen(call, env=rank) for rank in ranks]
    assert [process.wait(timeout=300) for process in processes] == [0, 0]
    for rank in (0, 1):
        logs = json.loads((tmp_path / f"log-{rank}.json").read_text(encoding="utf-8"))
        for name, own in settings.items():
            alone = make_trainer(compute, model=trained.model, **own).evaluate()
            assert logged(logs[name]) == pytest.approx(logged(alone), abs=1e-12), name
            assert logs[name]["eval_gen_len"] == alone["eval_gen_len"], name


class TestItemsThatAreRepeated:
    """Of a distributed run the last batch is filled with the first items, which count once."""

    @pytest.fixture(autouse=True)
    def _two_processes(self, monkeypatch):
        monkeypatch.setenv("WORLD_SIZE", "2")

    @pytest.mark.parametrize("n_repeated", [0, 1, 5, 13])
    def test_are_left_out_of_scores_and_lengths(self, tokenizer, compute, n_repeated):
        array = rows(tokenizer, TARGETS, -100)
        predictions, labels = (np.concatenate([each, each[:n_repeated]]) for each in (array[::-1], array))
        predictions[-n_repeated or len(predictions) :] = array[::-1][:n_repeated]
        found = compute(predictions, labels)
        assert found == compute(array[::-1], array)
        assert tercet.compute_metrics(tokenizer, "diversity")(predictions, labels) == tercet.compute_metrics(
            tokenizer, "diversity"
        )(array[::-1], array)

    def test_are_kept_where_the_set_may_have_them_twice(self, tokenizer, compute):
        answers = ["up", "left", "up", "left", "down", "up"]
        labels, said = rows(tokenizer, answers, -100), rows(tokenizer, ["up"] * 6, -100)
        found = tercet.compute_metrics(tokenizer, "wer")(said, labels)
        assert found["wer"] == 0.5

    def test_are_kept_by_one_process(self, tokenizer, compute, monkeypatch):
        monkeypatch.setenv("WORLD_SIZE", "1")
        labels = rows(tokenizer, ["up down", "left", "right", "up down"], -100)
        said = rows(tokenizer, ["up down", "left", "right", "left left"], -100)
        assert compute(said, labels)["rouge1"] == 0.75
        monkeypatch.setenv("WORLD_SIZE", "2")
        assert compute(said, labels)["rouge1"] == 1.0


def test_a_loop_with_accelerate(trained, tokenizer, compute):
    accelerator, items = Accelerator(cpu=True), items_of(tokenizer, HELD_OUT)
    loader = torch.utils.data.DataLoader(items, batch_size=7, collate_fn=trained.data_collator)
    model, loader = accelerator.prepare(trained.model, loader)
    for batch in loader:
        prompt = {name: batch[name] for name in ("input_ids", "attention_mask")}
        with torch.no_grad():
            predicted = accelerator.unwrap_model(model).generate(**prompt, max_length=8)
        predicted = accelerator.pad_across_processes(predicted, dim=1, pad_index=tokenizer.pad_token_id)
        labels = accelerator.pad_across_processes(batch["labels"], dim=1, pad_index=-100)
        compute.add(*accelerator.gather_for_metrics((predicted, labels)))
    found = compute.result()
    assert {name: found[name] for name in ("bleu", "rouge1", "rougeL")} == logged(trained.evaluate())
    with pytest.raises(InputError, match="The corpus is empty"):
        compute.result()
