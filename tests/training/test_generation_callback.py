"""`GenerationCallback` in real Trainers: what a model writes is scored as the texts are, and compared."""

import json
import math
import os
import random
import socket
import subprocess
import sys
from pathlib import Path

import datasets
import numpy as np
import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import (
    GenerationConfig,
    GPT2Config,
    GPT2LMHeadModel,
    PreTrainedTokenizerFast,
    T5Config,
    T5ForConditionalGeneration,
    Trainer,
    TrainerCallback,
    TrainingArguments,
    set_seed,
)

import tercet
from commands import command
from conftest import FEW_ITEMS
from small_trainer import random_states_kept
from tercet import InputError, OptionError
from tercet.huggingface.checkpoint_file import read_checkpoints
from tercet.huggingface.generation import generate
from tercet.huggingface.repeated_looks import cost_of_looking, resamples_at

TESTS = Path(__file__).resolve().parents[1]
NUMBERS = ("one", "два", "三", "four", "five")
SPECIAL = ("<pad>", "</s>", "<user>", "<answer>", "count", "to")
PROMPTS = [f"count to {number}" for number in NUMBERS]
REFERENCES = [" ".join(NUMBERS[: place + 1]) for place in range(len(NUMBERS))]
CHAT = (
    "{% for message in messages %}<user> {{ message['content'] }} {% endfor %}"
    "{% if add_generation_prompt %}<answer> {% endif %}"
)
ENDS = {"bos_token_id": 1, "eos_token_id": 1, "pad_token_id": 0}
SETTINGS = {"max_new_tokens": 6, "do_sample": False}


#: What TRL, and the arguments of today, say in transformers 5.
of_transformers = pytest.mark.filterwarnings("ignore:.*gradient_checkpointing:FutureWarning")


@pytest.fixture(autouse=True)
def _random_states_kept():
    with random_states_kept():
        set_seed(0)
        yield


@pytest.fixture
def tokenizer():
    return tokenizer_of()


def tokenizer_of():
    ids = {word: number for number, word in enumerate((*SPECIAL, *NUMBERS))}
    words = Tokenizer(models.WordLevel(ids, unk_token="<pad>"))
    words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    found = PreTrainedTokenizerFast(tokenizer_object=words, pad_token="<pad>", eos_token="</s>", padding_side="right")
    found.chat_template = CHAT
    return found


def small_model(**settings):
    return GPT2LMHeadModel(
        GPT2Config(vocab_size=11, n_positions=24, n_embd=32, n_layer=1, n_head=2, **ENDS, **settings)
    )


def items_of(tokenizer):
    texts = [f"{prompt} {answer} </s>" for prompt, answer in zip(PROMPTS, REFERENCES, strict=True)]
    return [{"input_ids": ids, "labels": ids} for ids in tokenizer(texts).input_ids]


class Collator:
    def __call__(self, items):
        width = max(len(item["input_ids"]) for item in items)
        ids = torch.tensor([item["input_ids"] + [0] * (width - len(item["input_ids"])) for item in items])
        return {"input_ids": ids, "labels": torch.where(ids == 0, -100, ids), "attention_mask": (ids != 0).long()}


def arguments(folder, **settings):
    return TrainingArguments(
        str(folder), **{
            "max_steps": 60, "eval_strategy": "steps", "eval_steps": 20, "learning_rate": 1e-2, "report_to": [],
            "per_device_train_batch_size": 5, "save_strategy": "no", "disable_tqdm": True, "use_cpu": True,
            "dataloader_pin_memory": False, "logging_strategy": "no", **settings,
        },
    )  # fmt: skip


def trainer_of(folder, tokenizer, callback, model=None, items=None, **settings):
    items = items_of(tokenizer) if items is None else items
    return Trainer(
        model or small_model(), arguments(folder, **settings), Collator(), items, items, tokenizer,
        callbacks=[] if callback is None else [callback],
    )  # fmt: skip


def callback_of(copies=1, **settings):
    return tercet.GenerationCallback(
        PROMPTS * copies,
        REFERENCES * copies,
        **{"metrics": ["chrf", "wer"], "generation_config": SETTINGS, **settings},
    )


def kept(folder):
    lines = (folder / "checkpoints.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def evaluations(trainer):
    return [entry for entry in trainer.state.log_history if "eval_chrf" in entry]


class TestATrainer:
    @pytest.fixture
    def run(self, tmp_path, tokenizer):
        trainer = trainer_of(tmp_path, tokenizer, callback_of())
        trainer.train()
        return trainer, tmp_path

    def test_scores_are_those_of_the_texts_that_are_kept(self, run):
        trainer, folder = run
        rows = kept(folder)
        assert [(row["source"], row["references"]) for row in rows] == [
            (prompt, [reference]) for prompt, reference in zip(PROMPTS, REFERENCES, strict=True)
        ]
        assert [entry["step"] for entry in evaluations(trainer)] == [20, 40, 60]
        for entry in evaluations(trainer):
            texts = [row[f"step {entry['step']}"] for row in rows]
            for metric in ("chrf", "wer"):
                result = tercet.score(metric, texts, REFERENCES, confidence_level=0.95)
                assert entry[f"eval_{metric}"] == result[metric]
                assert [entry[f"eval_{metric}_low"], entry[f"eval_{metric}_high"]] == result.intervals[metric]
        assert evaluations(trainer)[-1]["eval_chrf"] > evaluations(trainer)[0]["eval_chrf"]

    def test_differences_and_p_are_those_of_compare_times_what_looking_costs(self, run):
        trainer, folder = run
        (test_set,) = tercet.read_test_sets(folder / "checkpoints.jsonl")
        assert [*test_set.systems] == ["step 20", "step 40", "step 60"]
        entries = evaluations(trainer)
        assert not any("_p_" in name for name in entries[0])
        for look, entry in enumerate(entries[1:], 1):
            earlier = [f"step {e['step']}" for e in entries[:look]]
            best = max(earlier, key=lambda name: entries[earlier.index(name)]["eval_chrf"])
            for label, other in (("first", "step 20"), ("best", best)):
                test = tercet.load("paired_significance").compute(
                    predictions1=test_set.systems[other],
                    predictions2=test_set.systems[f"step {entry['step']}"],
                    references=REFERENCES,
                    metric="chrf",
                )
                assert entry[f"eval_chrf_diff_{label}"] == test["stat"]
                assert entry[f"eval_chrf_p_{label}"] == min(1, test["p"] * ((math.pi * look) ** 2 / 6))

    def test_compare_reads_the_file(self, run):
        shown = command("compare", run[1] / "checkpoints.jsonl", "-m", "chrf", "--baseline", "step 20").stdout
        assert "step 60" in shown


def test_the_best_model_can_be_chosen_by_what_was_written(tmp_path, tokenizer):
    settings = {"load_best_model_at_end": True, "metric_for_best_model": "wer", "greater_is_better": False}
    trainer = trainer_of(tmp_path, tokenizer, callback_of(), save_strategy="steps", save_steps=20, **settings)
    trainer.train()
    assert trainer.state.best_metric == min(entry["eval_wer"] for entry in evaluations(trainer))


def written_by(model, tokenizer):
    """Return what a model writes now, asked without the callback."""
    return generate(model, tokenizer, PROMPTS, SETTINGS, batch_size=8, seed=12345)


def chrf_of(model, tokenizer):
    return tercet.score("chrf", written_by(model, tokenizer), REFERENCES)["chrf"]


def load_in_place(model, weights):
    """Write other weights as adapters are merged: no version of a parameter counts it."""
    for parameter, other in zip(model.parameters(), weights.values(), strict=True):
        parameter.data.copy_(other)


def load_other_storage(model, weights):
    for parameter, other in zip(model.parameters(), weights.values(), strict=True):
        parameter.data = other.clone()


def load_state(model, weights):
    model.load_state_dict(weights, strict=False)


class TestOtherWeights:
    """An evaluation says what the model writes that the Trainer holds, not what it wrote after the last step."""

    def test_of_the_best_model_that_is_loaded_at_the_end(self, tmp_path, tokenizer):
        # The least chrF counts as the best, which is that of an early step.
        trainer = trainer_of(
            tmp_path, tokenizer, callback_of(), save_strategy="steps", save_steps=20, load_best_model_at_end=True,
            metric_for_best_model="chrf", greater_is_better=False,
        )  # fmt: skip
        trainer.train()
        scores = {entry["step"]: entry["eval_chrf"] for entry in evaluations(trainer)}
        best = trainer.state.best_global_step
        assert scores[best] < scores[60]
        for _ in range(2):
            found = trainer.evaluate()
            assert found["eval_chrf"] == scores[best] == chrf_of(trainer.model, tokenizer)
            assert trainer.state.log_history[-1]["eval_chrf"] == scores[best]
            assert found["eval_chrf_diff_first"] == scores[best] - scores[20]
        rows = kept(tmp_path)
        assert [*rows[0]] == ["source", "references", "step 20", "step 40", "step 60", "step 60 (2)"]
        assert [row["step 60 (2)"] for row in rows] == [row[f"step {best}"] for row in rows]

    @pytest.mark.parametrize("load", [load_state, load_in_place, load_other_storage])
    def test_that_are_loaded_by_hand(self, tmp_path, tokenizer, load):
        trainer = trainer_of(tmp_path, tokenizer, callback_of(), max_steps=40)
        untrained = {name: value.detach().clone() for name, value in trainer.model.named_parameters()}
        trainer.train()
        trained = {name: value.detach().clone() for name, value in trainer.model.named_parameters()}
        figures = []
        for weights in (untrained, trained):
            load(trainer.model, weights)
            figures.append(trainer.evaluate()["eval_chrf"])
            assert figures[-1] == chrf_of(trainer.model, tokenizer)
        assert figures[0] != figures[1] == evaluations(trainer)[1]["eval_chrf"]
        assert [*kept(tmp_path)[0]][2:] == ["step 20", "step 40", "step 40 (2)", "step 40 (3)"]

    def test_of_another_trainer_are_another_run(self, tmp_path, tokenizer):
        callback, models = callback_of(), [small_model(), small_model()]
        trainers = [
            trainer_of(tmp_path / str(number), tokenizer, callback, model, max_steps=20)
            for number, model in enumerate(models)
        ]
        figures = [trainer.evaluate() for trainer in trainers]
        for model, found in zip(models, figures, strict=True):
            assert found["eval_chrf"] == chrf_of(model, tokenizer)
            assert "eval_chrf_p_first" not in found
        trainers[0].train()
        assert trainers[1].evaluate()["eval_chrf"] == figures[1]["eval_chrf"]
        trainers[1].train()
        assert [*kept(tmp_path / "1")[0]][2:] == ["step 0", "step 20"]
        assert evaluations(trainers[1])[-1]["eval_chrf"] == chrf_of(models[1], tokenizer)

    def test_a_trainer_of_the_same_model_overwrites_no_file_of_another(self, tmp_path, tokenizer):
        callback, model = callback_of(), small_model()
        trainer_of(tmp_path / "a", tokenizer, callback, model, max_steps=20).train()
        (tmp_path / "b").mkdir()
        (tmp_path / "b" / "checkpoints.jsonl").write_text("of another\n", encoding="utf-8")
        trainer_of(tmp_path / "b", tokenizer, callback, model).evaluate()
        assert (tmp_path / "b" / "checkpoints-1.jsonl").read_text(encoding="utf-8") == "of another\n"

    def test_that_are_the_same_for_several_evaluation_sets_are_asked_once_a_step(
        self, tmp_path, tokenizer, monkeypatch
    ):
        calls = []

        def counted(*given, **settings):
            calls.append(len(calls))
            return generate(*given, **settings)

        monkeypatch.setattr("tercet.huggingface.generation_callback.generate", counted)
        trainer = trainer_of(tmp_path, tokenizer, callback_of(), max_steps=40)
        items = items_of(tokenizer)
        trainer.eval_dataset = {"dev": items[:2], "test": items[2:]}
        trainer.train()
        assert len(calls) == 2
        found = trainer.evaluate()
        assert found["eval_chrf"] == chrf_of(trainer.model, tokenizer)
        assert {"eval_dev_loss", "eval_test_loss"} <= found.keys()
        assert [*kept(tmp_path)[0]][2:] == ["step 20", "step 40"]


class TestNames:
    def test_begin_as_those_of_the_evaluation(self, tmp_path, tokenizer):
        trainer = trainer_of(tmp_path, tokenizer, callback_of(), max_steps=20)
        trainer.train()
        (trained,) = evaluations(trainer)
        items = items_of(tokenizer)
        found = trainer.evaluate(items, metric_key_prefix="test")
        assert found["test_chrf"] == trained["eval_chrf"]
        assert not [name for name in found if name.startswith("eval_")]
        assert trainer.state.log_history[-1]["test_chrf_low"] == trained["eval_chrf_low"]
        assert trainer.predict(items).metrics["test_chrf"] == trained["eval_chrf"]
        assert trainer.predict(items, metric_key_prefix="held_out").metrics["held_out_wer"] == trained["eval_wer"]
        assert "held_out_wer" not in trainer.state.log_history[-1]
        assert trainer.evaluate(metric_key_prefix="eval_dev")["eval_chrf"] == trained["eval_chrf"]

    def test_keep_apart_from_those_of_compute_metrics(self, tmp_path, tokenizer):
        items = items_of(tokenizer)
        compute = tercet.compute_metrics(tokenizer, "chrf", causal=True)
        trainer = Trainer(
            small_model(), arguments(tmp_path), Collator(), items, items, tokenizer, compute_metrics=compute,
            preprocess_logits_for_metrics=compute.preprocess_logits_for_metrics, callbacks=[callback_of()],
        )  # fmt: skip
        found = trainer.predict(items).metrics
        assert found["test_generated_chrf"] == chrf_of(trainer.model, tokenizer)
        assert found["test_chrf"] != found["test_generated_chrf"]


def test_chats_are_references_too(tmp_path, tokenizer):
    asked = {"role": "user", "content": "count"}
    chats = [[asked, {"role": "assistant", "content": reference}] for reference in REFERENCES]
    callback = tercet.GenerationCallback(PROMPTS, chats, "chrf", generation_config=SETTINGS)
    trainer = trainer_of(tmp_path, tokenizer, callback)
    assert trainer.evaluate()["eval_chrf"] == chrf_of(trainer.model, tokenizer)
    assert [row["references"] for row in kept(tmp_path)] == [[reference] for reference in REFERENCES]
    with pytest.raises(InputError, match="the last message of the assistant in item 1 of references must have a"):
        tercet.GenerationCallback(PROMPTS[:2], [chats[0], [asked, {"role": "assistant", "content": None}]], "chrf")


class Seen(TrainerCallback):
    """What a model and its Trainer are like before and after a look."""

    def __init__(self, tokenizer, model):
        self.tokenizer, self.model, self.states = tokenizer, model, []

    def on_step_end(self, args, state, control, **_):
        modes = tuple(module.training for module in self.model.modules())
        self.states.append((modes, self.tokenizer.padding_side, self.tokenizer.pad_token, torch.rand(1).item()))


@of_transformers
@pytest.mark.parametrize("sampling", [False, True])
def test_training_is_what_it_is_without_the_callback(tmp_path, tokenizer, sampling):
    losses, states = [], []
    for every in (7, 1000):
        set_seed(0)
        model = small_model()
        model.transformer.drop.eval()  # a module that its user froze
        callback = callback_of(every=every, generation_config={"max_new_tokens": 4, "do_sample": sampling})
        trainer = trainer_of(
            tmp_path, tokenizer, callback, model, eval_strategy="no", gradient_checkpointing=True,
            logging_strategy="steps", logging_steps=5, max_steps=20,
        )  # fmt: skip
        seen = Seen(tokenizer, model)
        trainer.add_callback(seen)
        trainer.train()
        losses.append([entry["loss"] for entry in trainer.state.log_history if "loss" in entry])
        states.append(seen.states)
    assert losses[0] == losses[1]
    assert states[0] == states[1]


class TestGeneration:
    def test_batches_padded_on_the_left_write_what_each_prompt_gives_alone(self, tokenizer):
        model = small_model()
        prompts = [*PROMPTS, "count to count to count to 三"]
        together = generate(model, tokenizer, prompts, SETTINGS, batch_size=4, seed=1)
        alone = [generate(model, tokenizer, [prompt], SETTINGS, batch_size=1, seed=1)[0] for prompt in prompts]
        assert together == alone

    def test_conversations_go_through_the_chat_template(self, tokenizer):
        model = small_model()
        conversations = [[{"role": "user", "content": prompt}] for prompt in PROMPTS]
        texts = [f"<user> {prompt} <answer> " for prompt in PROMPTS]
        assert generate(model, tokenizer, conversations, SETTINGS, batch_size=8, seed=1) == generate(
            model, tokenizer, texts, SETTINGS, batch_size=8, seed=1
        )
        tokenizer.chat_template = None
        with pytest.raises(InputError, match=r"item 0 of prompts is a conversation, .*; the tokenizer has no chat"):
            generate(model, tokenizer, conversations, SETTINGS, batch_size=8, seed=1)

    def test_models_with_a_decoder_of_its_own_and_tokenizers_without_padding(self, tokenizer):
        tokenizer.pad_token = None
        config = T5Config(
            vocab_size=11, d_model=16, d_kv=8, d_ff=16, num_layers=1, num_heads=2, decoder_start_token_id=0,
            pad_token_id=0, eos_token_id=1,
        )  # fmt: skip
        texts = generate(T5ForConditionalGeneration(config), tokenizer, PROMPTS, SETTINGS, batch_size=8, seed=1)
        assert len(texts) == len(PROMPTS)
        assert tokenizer.pad_token is None

    def test_sampling_is_seeded(self, tokenizer):
        model, sampled = small_model(), {"max_new_tokens": 6, "do_sample": True}
        first, again, other = (
            generate(model, tokenizer, PROMPTS, sampled, batch_size=8, seed=seed) for seed in (1, 1, 2)
        )
        assert first == again != other

    def test_batches_are_halved_where_memory_runs_out(self, tokenizer):
        model, sizes = small_model(), []
        whole = model.generate

        def generate_few(input_ids, **settings):
            sizes.append(len(input_ids))
            if len(input_ids) > 1:
                raise torch.OutOfMemoryError("CUDA out of memory.")
            return whole(input_ids=input_ids, **settings)

        expected = generate(model, tokenizer, PROMPTS, SETTINGS, batch_size=1, seed=1)
        model.generate = generate_few
        assert generate(model, tokenizer, PROMPTS, SETTINGS, batch_size=4, seed=1) == expected
        assert sizes == [4, 2, 1, 1, 1, 1, 1]

        def fail(**settings):
            raise RuntimeError("shapes do not fit")

        model.generate = fail
        with pytest.raises(RuntimeError, match="shapes do not fit"):
            generate(model, tokenizer, PROMPTS, SETTINGS, batch_size=4, seed=1)

    def test_when_time_is_over_the_first_prompts_have_texts(self, tokenizer):
        assert len(generate(small_model(), tokenizer, PROMPTS, SETTINGS, batch_size=2, seed=1, seconds=1e-9)) == 2


@FEW_ITEMS
def test_checkpoints_are_compared_on_the_prompts_that_they_share(tmp_path, tokenizer):
    callback = callback_of(time_budget=1e-9, batch_size=3)
    trainer = trainer_of(tmp_path, tokenizer, callback, max_steps=40)
    trainer.train()
    assert len(kept(tmp_path)) == 3
    assert "eval_chrf_p_best" in evaluations(trainer)[-1]


def run_two_processes(module, folder):
    """Run a module of the tests in two processes, until both have ended."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    shared = {**os.environ, "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    shared["PYTHONPATH"] = os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])
    call = [sys.executable, "-m", module, str(folder)]
    ranks = [{**shared, "RANK": rank, "LOCAL_RANK": rank} for rank in ("0", "1")]
    processes = [subprocess.Popen(call, env=rank) for rank in ranks]
    assert [process.wait(timeout=300) for process in processes] == [0, 0]


def test_processes_share_the_prompts_and_log_the_same(tmp_path):
    run_two_processes("training.generation_ranks", tmp_path)
    logs = [json.loads((tmp_path / f"log-{rank}.json").read_text(encoding="utf-8")) for rank in (0, 1)]
    ours = [
        {name: value for entry in log for name, value in entry.items() if name.startswith(("eval_chrf", "eval_wer"))}
        for log in logs
    ]
    texts = [row["step 20"] for row in kept(tmp_path / "run")]
    assert ours[0] == ours[1]
    assert ours[0]["eval_chrf"] == tercet.score("chrf", texts, REFERENCES)["chrf"]


def test_processes_with_clocks_memories_and_folders_of_their_own_stay_together(tmp_path, tokenizer):
    run_two_processes("training.sharing_ranks", tmp_path)
    found = [json.loads((tmp_path / f"found-{rank}.json").read_text(encoding="utf-8")) for rank in (0, 1)]
    alone = generate(small_model(), tokenizer, PROMPTS * 4, SETTINGS, batch_size=2, seed=1)
    for by_process in found:
        # Time was over for one of them after a batch of two texts each.
        assert by_process["of_sharded_weights"] == alone[:4]
        assert by_process["where_memory_runs_out"] == [alone[:5], [2, 1, 1, 1]]
        assert by_process["resumed_where_one_has_the_file"] == ["step 20"]
    assert [by_process["where_one_fails"] for by_process in found] == [
        "in process 1: RuntimeError: index out of range",
        "index out of range",
    ]


@FEW_ITEMS
def test_a_sample_of_the_prompts_is_drawn_by_the_seed(tmp_path, tokenizer):
    drawn = []
    for seed in (1, 1, 2):
        trainer = trainer_of(tmp_path / str(len(drawn)), tokenizer, callback_of(n=3, seed=seed), max_steps=20)
        trainer.train()
        drawn.append([(row["source"], row["references"]) for row in kept(tmp_path / str(len(drawn)))])
    assert drawn[0] == drawn[1] != drawn[2]
    assert {*((source, *refs) for source, refs in drawn[2])} <= {*zip(PROMPTS, REFERENCES, strict=True)}


def test_training_stops_where_checkpoints_are_not_better_than_noise(tmp_path, tokenizer):
    trainer = trainer_of(
        tmp_path, tokenizer, callback_of(copies=4, early_stopping_patience=2), learning_rate=0.0, max_steps=200
    )
    trainer.train()
    assert trainer.state.global_step == 60


def test_training_goes_on_where_texts_are_too_few_to_show_any_difference(tmp_path, tokenizer):
    trainer = trainer_of(
        tmp_path, tokenizer, callback_of(early_stopping_patience=2), learning_rate=0.0, max_steps=100
    )
    trainer.train()
    assert trainer.state.global_step == 100


@pytest.mark.parametrize("every", ["eval", 20])
def test_a_resumed_run_goes_on_counting_checkpoints_that_are_not_better(tmp_path, tokenizer, every):
    settings = {"learning_rate": 0.0, "save_strategy": "steps", "save_steps": 20, "max_steps": 200}

    class Ended(TrainerCallback):
        """Ends a run after step 40, as a crash would."""

        def on_save(self, args, state, control, **_):
            control.should_training_stop = state.global_step == 40

    patient = {"copies": 4, "early_stopping_patience": 3, "every": every}
    trainer = trainer_of(tmp_path, tokenizer, callback_of(**patient), **settings)
    trainer.add_callback(Ended())
    trainer.train()
    assert trainer.state.global_step == 40
    resumed = trainer_of(tmp_path, tokenizer, callback_of(**patient), **settings)
    resumed.train(resume_from_checkpoint=True)
    assert resumed.state.global_step == 80


def test_a_run_that_is_resumed_at_an_earlier_step_forgets_the_later_ones(tmp_path, tokenizer):
    saving = {"save_strategy": "steps", "save_steps": 20}
    trainer = trainer_of(tmp_path, tokenizer, callback_of(), max_steps=60, **saving)
    trainer.train()
    trainer.train(resume_from_checkpoint=str(tmp_path / "checkpoint-20"))
    assert [*kept(tmp_path)[0]][2:] == ["step 20", "step 40", "step 60"]
    scores = [
        tercet.score("chrf", [row[f"step {step}"] for row in kept(tmp_path)], REFERENCES)["chrf"] for step in (20, 60)
    ]
    assert evaluations(trainer)[-1]["eval_chrf_diff_first"] == scores[1] - scores[0]


def test_a_resumed_run_goes_on_with_its_checkpoints_and_another_keeps_the_file(tmp_path, tokenizer):
    saving = {"save_strategy": "steps", "save_steps": 20}
    trainer_of(tmp_path, tokenizer, callback_of(), max_steps=40, **saving).train()
    earlier = kept(tmp_path)
    resumed = trainer_of(tmp_path, tokenizer, callback_of(), max_steps=60, **saving)
    resumed.train(resume_from_checkpoint=True)
    assert [*kept(tmp_path)[0]] == ["source", "references", "step 20", "step 40", "step 60"]
    assert [row["step 40"] for row in kept(tmp_path)] == [row["step 40"] for row in earlier]
    assert "eval_chrf_p_best" in evaluations(resumed)[-1]
    trainer_of(tmp_path, tokenizer, callback_of(), max_steps=20).train()
    assert [*kept(tmp_path)[0]] == ["source", "references", "step 20"]
    assert len((tmp_path / "checkpoints-1.jsonl").read_text().splitlines()) == 5


@pytest.mark.parametrize("content", ["", "[]\n", "no JSON\n", '{"source": "another"}\n'])
def test_a_file_that_is_no_earlier_run_is_set_aside_when_a_run_is_resumed(tmp_path, tokenizer, content):
    saving = {"save_strategy": "steps", "save_steps": 20}
    trainer_of(tmp_path, tokenizer, callback_of(), max_steps=20, **saving).train()
    (tmp_path / "checkpoints.jsonl").write_text(content, encoding="utf-8")
    trainer_of(tmp_path, tokenizer, callback_of(), max_steps=40, **saving).train(resume_from_checkpoint=True)
    assert [*kept(tmp_path)[0]] == ["source", "references", "step 40"]
    assert (tmp_path / "checkpoints-1.jsonl").read_text(encoding="utf-8") == content


def test_texts_with_line_ends_of_other_kinds_are_read_again(tmp_path):
    prompts = ["a\u2028b\x85c"]
    callback = tercet.GenerationCallback(prompts, ["d\u2028"], "chrf")
    callback._comparison.restore(3, ["e\u2029f"], 1)
    callback._write(tmp_path / "checkpoints.jsonl")
    assert read_checkpoints(tmp_path / "checkpoints.jsonl", prompts) == [(3, 1, ["e\u2029f"])]


def test_texts_with_half_a_sign_are_read_again(tmp_path):
    prompts = ["猫\ud83d", "кот"]
    callback = tercet.GenerationCallback(prompts, ["d", "e"], "chrf")
    callback._comparison.restore(3, ["e", "ä"], 1)
    callback._write(tmp_path / "checkpoints.jsonl")
    assert read_checkpoints(tmp_path / "checkpoints.jsonl", prompts) == [(3, 1, ["e", "ä"])]


@pytest.mark.parametrize("second", ['{"source": "кот"}', '{"source": "кот", "step 3": 7}', '{"source": "\xff"}'])
def test_a_file_that_lacks_a_text_is_of_no_earlier_run(tmp_path, second):
    content = f'{{"source": "猫", "step 3": "a cat"}}\n{second}\n'
    path = tmp_path / "checkpoints.jsonl"
    path.write_bytes(content.encode("utf-8").replace(b"\xc3\xbf", b"\xff"))
    assert read_checkpoints(path, ["猫", "кот"]) == []


def test_scores_that_compute_metrics_logs_too_keep_their_names(tmp_path, tokenizer):
    items = items_of(tokenizer)
    trainer = Trainer(
        small_model(), arguments(tmp_path, max_steps=20), Collator(), items, items, tokenizer,
        compute_metrics=tercet.compute_metrics(tokenizer, "chrf", causal=True),
        preprocess_logits_for_metrics=tercet.compute_metrics(
            tokenizer, "chrf", causal=True
        ).preprocess_logits_for_metrics,
        callbacks=[callback_of(metrics="chrf")],
    )  # fmt: skip
    trainer.train()
    (entry,) = evaluations(trainer)
    texts = [row["step 20"] for row in kept(tmp_path)]
    assert entry["eval_generated_chrf"] == tercet.score("chrf", texts, REFERENCES)["chrf"] != entry["eval_chrf"]


def test_tensorboard_shows_scores_and_texts(tmp_path, tokenizer):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    trainer = trainer_of(tmp_path, tokenizer, callback_of(), report_to=["tensorboard"], max_steps=20)
    trainer.train()
    events = EventAccumulator(str(tmp_path / "runs" / "generations"))
    events.Reload()
    (point,) = events.Scalars("eval/chrf")
    assert (point.step, point.value) == (20, pytest.approx(evaluations(trainer)[0]["eval_chrf"], rel=1e-6))
    assert "eval/generations/text_summary" in events.Tags()["tensors"]


@of_transformers
class TestTrl:
    def test_supervised_fine_tuning_of_conversations(self, tmp_path, tokenizer):
        from trl import SFTConfig, SFTTrainer

        conversations = [[{"role": "user", "content": prompt}] for prompt in PROMPTS]
        callback = tercet.GenerationCallback(conversations, REFERENCES, "chrf", generation_config=SETTINGS)
        data = datasets.Dataset.from_list(
            [
                {"text": f"<user> {prompt} <answer> {answer} </s>"}
                for prompt, answer in zip(PROMPTS, REFERENCES, strict=True)
            ]
        )
        settings = arguments(tmp_path).to_dict()
        wanted = ("max_steps", "eval_strategy", "eval_steps", "learning_rate", "report_to", "save_strategy")
        config = SFTConfig(
            str(tmp_path), **{name: settings[name] for name in wanted}, disable_tqdm=True, use_cpu=True, bf16=False,
            per_device_train_batch_size=5, dataloader_pin_memory=False, max_length=None,
        )  # fmt: skip
        trainer = SFTTrainer(
            small_model(), args=config, train_dataset=data, eval_dataset=data, processing_class=tokenizer,
            callbacks=[callback],
        )  # fmt: skip
        trainer.train()
        assert [row["source"] for row in kept(tmp_path)] == [f"user: {prompt}" for prompt in PROMPTS]
        entry = evaluations(trainer)[-1]
        texts = [row["step 60"] for row in kept(tmp_path)]
        assert entry["eval_chrf"] == tercet.score("chrf", texts, REFERENCES)["chrf"] > 50

    def test_grpo(self, tmp_path, tokenizer):
        from trl import GRPOConfig, GRPOTrainer

        tokenizer.padding_side = "left"
        examples = [{"prompt": prompt, "answer": answer} for prompt, answer in zip(PROMPTS, REFERENCES, strict=True)]
        config = GRPOConfig(
            str(tmp_path), max_steps=4, per_device_train_batch_size=8, num_generations=4, max_completion_length=6,
            save_strategy="no", report_to=[], disable_tqdm=True, use_cpu=True, bf16=False,
            dataloader_pin_memory=False,
        )  # fmt: skip
        callback = callback_of(metrics="rouge", options={"tokenizer": "unicode"}, every=2)
        trainer = GRPOTrainer(
            small_model(), tercet.reward("chrf", references="answer"), config, callbacks=[callback],
            train_dataset=datasets.Dataset.from_list(examples), processing_class=tokenizer,
        )  # fmt: skip
        trainer.train()
        entries = [entry for entry in trainer.state.log_history if "eval_rougeL" in entry]
        assert [entry["step"] for entry in entries] == [2, 4]
        for entry in entries:
            texts = [row[f"step {entry['step']}"] for row in kept(tmp_path)]
            assert entry["eval_rougeL"] == tercet.score("rouge", texts, REFERENCES, tokenizer="unicode")["rougeL"]
        assert {"eval_rougeL_p_best", "eval_rouge1_diff_first"} <= entries[1].keys()


class TestWhatIsRefused:
    @pytest.mark.parametrize(
        ("prompts", "references", "message"),
        [
            ([], [], "prompts must have at least one item, got none."),
            (["a", 3], ["b", "c"], "item 1 of prompts must be a text or a list of messages, got 3."),
            (["a", [{"role": "user", "content": "b"}]], ["b", "c"], "give either texts or conversations"),
            (["a"], None, "chrf_multi needs references: one text, or a list of texts, for each prompt."),
            (["a"], ["b", "c"], "must have one entry per item, got 1 predictions and 2 references"),
            (["a"], [[]], "item 0 of references is empty"),
            (["a"], ["\ud800"], "a reference of item 0 is not valid Unicode text"),
        ],
    )
    def test_prompts(self, prompts, references, message):
        with pytest.raises(InputError) as caught:
            tercet.GenerationCallback(prompts, references, "chrf")
        assert message in str(caught.value)

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (
                {"every": "step"},
                "must be 'eval', 'epoch', or a number of steps. Got 'step' instead.",
            ),
            ({"evry": 5}, "GenerationCallback has no option 'evry'. Did you mean 'every'?"),
            ({"metrics": "blue"}, "Did you mean 'bleu'?"),
            ({"options": {"lowercas": True}}, "Did you mean 'lowercase'?"),
            ({"generation_config": 5}, "generation_config must be a GenerationConfig"),
            ({"time_budget": -1}, "a number of seconds above 0"),
        ],
    )
    def test_options(self, options, message):
        with pytest.raises(OptionError) as caught:
            callback_of(**options)
        assert message in str(caught.value)

    @pytest.mark.parametrize(
        ("settings", "message"),
        [
            (
                {"max_new_tokens": -1},
                "generation_config cannot be used. ValueError: `max_new_tokens` must be greater than 0",
            ),
            ({"max_new_tokens": "5"}, "generation_config cannot be used. TypeError: '<=' not supported"),
            (
                {"cache_implementation": "stat"},
                "generation_config cannot be used. ValueError: Invalid `cache_implementation` (stat)",
            ),
            ({"num_return_sequences": 2}, "generation_config cannot be used. ValueError: Greedy methods"),
        ],
    )
    def test_settings_of_generation_where_the_callback_is_made(self, settings, message):
        with pytest.raises(OptionError) as caught:
            callback_of(generation_config=settings)
        assert message in str(caught.value)

    @pytest.mark.parametrize(
        ("settings", "message"),
        [
            ({"max_new_token": 5}, "['max_new_token'] (note: typos"),
            ({"do_sample": True, "temperature": 0.0}, "the model cannot write with generation_config. ValueError"),
            (
                {"do_sample": True, "num_return_sequences": 2},
                "one text per prompt, got 2: give num_return_sequences=1",
            ),
            (GenerationConfig(max_length=2), "Input length of input_ids is 3, but `max_length` is set to 2"),
        ],
    )
    def test_settings_the_model_cannot_write_with_where_training_begins(self, tmp_path, tokenizer, settings, message):
        trainer = trainer_of(tmp_path, tokenizer, callback_of(generation_config=settings, every=20))
        with pytest.raises(OptionError) as caught:
            trainer.train()
        assert message in str(caught.value)
        assert trainer.state.global_step == 0

    def test_a_trainer_without_a_tokenizer_where_it_is_made(self, tmp_path, tokenizer):
        chats = [[{"role": "user", "content": prompt}] for prompt in PROMPTS]
        of_chats = tercet.GenerationCallback(chats, REFERENCES, "chrf")
        with pytest.raises(OptionError, match="needs a tokenizer: give the Trainer its processing_class"):
            trainer_of(tmp_path, None, callback_of(), items=[])
        with pytest.raises(OptionError, match=r"needs a tokenizer as the processing_class .*, got .* \(function\)"):
            trainer_of(tmp_path, print_nothing, callback_of(), items=[])
        with pytest.raises(OptionError, match="needs a model that generates texts, got a Linear"):
            trainer_of(tmp_path, tokenizer, callback_of(), torch.nn.Linear(1, 1))
        tokenizer.chat_template = "{{ raise_exception('the roles must alternate') }}"
        with pytest.raises(InputError, match=r"item 0 of prompts, .* does not fit the .*: the roles must alternate"):
            trainer_of(tmp_path, tokenizer, of_chats)
        tokenizer.chat_template = None
        with pytest.raises(InputError, match=r"item 0 of prompts is a conversation, .* has no chat template"):
            trainer_of(tmp_path, tokenizer, of_chats)
        tokenizer.pad_token = tokenizer.eos_token = None
        with pytest.raises(OptionError, match="has neither pad_token nor eos_token"):
            trainer_of(tmp_path, tokenizer, callback_of(), items=[])

    def test_a_trainer_without_a_tokenizer_that_is_given_the_callback_later(self, tmp_path, tokenizer):
        trainer = trainer_of(tmp_path, None, None, items=items_of(tokenizer))
        trainer.add_callback(callback_of(every=20))
        with pytest.raises(OptionError, match="needs a tokenizer"):
            trainer.train()


def print_nothing():
    """Stand for what is no tokenizer."""


def test_of_many_looks_at_a_model_that_does_not_change_few_find_a_difference():
    """Under the null, 5 % of all runs at most find p < .05 at any of their looks."""
    rng, n_runs, n_found = np.random.default_rng(3), 60, 0
    words = random.Random(5).choices(NUMBERS, k=400)
    references = [" ".join(words[place : place + 5]) for place in range(60)]

    def written():
        return [" ".join(word for word in text.split() if rng.random() < 0.7) for text in references]

    for _ in range(n_runs):
        callback = tercet.GenerationCallback(references, references, "chrf")
        found = False
        for step in range(8):
            figures = callback._comparison.add(step, written()).figures
            found = found or (step > 0 and figures["chrf_p_first"] < 0.05)
        n_found += found
    assert n_found <= 7  # of 60 runs; 8 or more have a chance of 1 in 100 at 5 %


class TestManyLooks:
    """A test at every look: how often was looked costs resamples, and hides no clear difference."""

    def test_a_run_that_improves_is_never_stopped(self):
        references = [" ".join(f"w{place}x{word}" for word in range(60)) for place in range(50)]
        callback = tercet.GenerationCallback(references, references, "wer")
        verdicts = []
        for step in range(1, 42):
            looked = callback._comparison.add(step, [" ".join(text.split()[:step]) for text in references])
            assert looked.figures.get("wer_p_best", 0) < 0.01
            assert looked.figures.get("wer_p_first", 0) < 0.01
            assert "not" not in looked.sentences[0]
            verdicts.append(looked.is_better)
        assert verdicts == [None] + [True] * 40

    def test_checkpoints_that_are_no_better_count_at_late_looks_too(self):
        references = [f"{place} and {place + 1}" for place in range(30)]
        callback = tercet.GenerationCallback(references, references, "wer")
        looks = [callback._comparison.add(step, references) for step in range(30)]
        assert [looked.is_better for looked in looks] == [None] + [False] * 29
        assert looks[-1].sentences[0].endswith(", the same as step 0, the best before it (p = 1, not significant)")

    def test_too_few_texts_for_any_difference_are_said_to_be_so(self):
        references = [f"{place} and {place + 1}" for place in range(10)]
        callback = tercet.GenerationCallback(references, references, "wer")
        looks = [callback._comparison.add(step, ["0"] * 10) for step in range(10)]
        assert looks[3].sentences[0].endswith("(p = 1, not significant)")
        assert looks[9].sentences[0].endswith("(p = 1, 10 texts are too few to show any difference)")
        # From the fourth comparison on, p is above .05 whatever the texts are.
        assert [looked.is_better for looked in looks] == [None, *[False] * 3, *[None] * 6]

    def test_texts_without_a_score_show_no_difference(self):
        references = [[f"{place} and {place + 1}"] if place < 5 else [] for place in range(30)]
        skipping = {"missing_references": "skip"}
        callback = tercet.GenerationCallback(["a"] * 30, references, "wer", options=skipping)
        callback._comparison.add(0, ["0"] * 30)
        looked = callback._comparison.add(1, ["0"] * 30)
        assert looked.sentences[0].endswith("(p = 1, 5 texts are too few to show any difference)")
        assert looked.is_better is None

    @pytest.mark.parametrize("look", [1, 7, 8, 18, 25])
    def test_resamples_let_p_be_a_fifth_of_the_level(self, look):
        assert cost_of_looking(look) / (resamples_at(look) + 1) <= 0.05 / 4
        assert 10_000 <= resamples_at(look) <= 100_000
