"""What verl and OpenRLHF call, with the arguments that they pass; by their own code where they are installed."""

import asyncio

import numpy as np
import pytest
import torch
from transformers import AutoTokenizer

import tercet
from texts import MINILM

SOLUTIONS = ["the cat sat on the mat", "a dog ran", "so what now"]
TRUTHS = ["the cat lay on the mat", ["a dog ran", "the dog ran"], "so"]
EXPECTED = tercet.reward("chrf")(completions=SOLUTIONS, references=TRUTHS)
#: As a user writes them into a file, which both import.
PROGRAM = "import tercet\n\nreward = tercet.reward('chrf', special_tokens=['[SEP]'])\ncompute_score = reward.verl\n"
PROGRAM += "reward_func = reward.openrlhf\n"


class TestVerl:
    REWARD = tercet.reward("chrf")

    def test_one_solution_at_a_time(self):
        found = [
            self.REWARD.verl(
                data_source="test", solution_str=text, ground_truth=truth, extra_info={"num_turns": None}
            )
            for text, truth in zip(SOLUTIONS, TRUTHS, strict=True)
        ]
        assert found == EXPECTED
        assert all(type(each) is float for each in found)
        assert self.REWARD.verl("test", SOLUTIONS[0], TRUTHS[0], None) == EXPECTED[0]  # as PrimeRewardManager

    def test_a_batch(self):
        found = self.REWARD.verl(
            data_sources=np.array(["test"] * 3, object), solution_strs=SOLUTIONS, ground_truths=TRUTHS,
            extra_infos=np.array([{}] * 3, object), reward_router_address=None,
        )  # fmt: skip
        assert found == EXPECTED

    def test_a_truth_from_a_parquet_file_is_an_array(self):
        assert self.REWARD.verl("test", SOLUTIONS[1], np.array(TRUTHS[1], object)) == EXPECTED[1]

    def test_without_a_truth_it_is_0_and_says_so(self):
        with pytest.warns(UserWarning, match="item 0 has no reference: its reward is 0"):
            assert self.REWARD.verl("test", "a", None) == 0.0
        with pytest.warns(UserWarning, match="item 1 has no reference"):
            assert self.REWARD.verl(solution_strs=["a", "b"], ground_truths=["a", None]) == [1.0, 0.0]


class TestOpenRLHF:
    REWARD = tercet.reward("chrf", special_tokens=["</s>", "<pad>"])

    def test_the_completion_follows_the_prompt(self):
        queries = [f"Say it: {text}</s><pad>" for text in SOLUTIONS]
        found = self.REWARD.openrlhf(queries, ["Say it: "] * 3, TRUTHS)
        assert found["rewards"].tolist() == found["scores"].tolist() == pytest.approx(EXPECTED, abs=1e-7)
        assert found["rewards"].shape == (3,)

    def test_a_query_without_its_prompt_is_refused(self):
        for wrong, shown in (("b", "'b'"), (None, "None")):
            message = f"item 1 of queries must be a text that begins with its prompt, 'c', got {shown}"
            with pytest.raises(tercet.InputError, match=message):
                self.REWARD.openrlhf(["a", wrong], ["a", "c"], ["", ""])
        with pytest.raises(tercet.InputError, match="There must be one prompt per query, got 1 for 2"):
            self.REWARD.openrlhf(["a", "b"], ["a"], ["", ""])


class TestByTheirOwnCode:
    @pytest.fixture
    def script(self, tmp_path):
        path = tmp_path / "rewards.py"
        path.write_text(PROGRAM)
        return str(path)

    @pytest.mark.filterwarnings("default")  # of verl's own packages
    def test_reward_managers_of_verl(self, script):
        verl = pytest.importorskip("verl", reason="not installed here: make test-harnesses")
        from omegaconf import OmegaConf
        from tensordict import TensorDict
        from verl.experimental.reward_loop.reward_manager.naive import NaiveRewardManager as RewardLoop
        from verl.trainer.ppo.reward import get_custom_reward_fn
        from verl.workers.reward_manager import BatchRewardManager, NaiveRewardManager

        tokenizer = AutoTokenizer.from_pretrained(MINILM)
        prompts = tokenizer(["say"] * 3, return_tensors="pt").input_ids
        given = tokenizer(SOLUTIONS, padding=True, return_tensors="pt")
        mask = torch.cat([torch.ones_like(prompts), given.attention_mask], 1)
        texts = {"prompts": prompts, "responses": given.input_ids, "attention_mask": mask}
        custom = {"path": script, "name": "compute_score"}
        config = OmegaConf.create({"reward": {"custom_reward_function": custom}})
        function = get_custom_reward_fn(config)

        def data():
            others = [[{"ground_truth": truth} for truth in TRUTHS], ["test"] * 3, [{} for _ in range(3)]]
            names = ("reward_model", "data_source", "extra_info")
            columns = {name: np.array(values, object) for name, values in zip(names, others, strict=True)}
            return verl.DataProto(batch=TensorDict(texts, batch_size=3), non_tensor_batch=columns)

        async def one_by_one():
            manager = RewardLoop(config, tokenizer, function)
            manager.loop = asyncio.get_running_loop()
            return [(await manager.run_single(data()[place : place + 1]))["reward_score"] for place in range(3)]

        for manager in (NaiveRewardManager, BatchRewardManager):
            rewards = manager(tokenizer, 0, compute_score=function)(data()).sum(1)
            assert rewards.tolist() == pytest.approx(EXPECTED, abs=1e-6), manager
        assert asyncio.run(one_by_one()) == EXPECTED

    def test_the_executor_of_openrlhf(self, script):
        pytest.importorskip("openrlhf", reason="not installed here: make test-harnesses")
        from openrlhf.utils.agent import SingleTurnAgentExecutor

        executor = SingleTurnAgentExecutor(script)
        queries = [f"Say it: {text}[SEP]" for text in SOLUTIONS]
        found = asyncio.run(executor._fetch_rewards_via_func(queries, ["Say it: "] * 3, TRUTHS))
        assert [each["rewards"].item() for each in found] == pytest.approx(EXPECTED, abs=1e-7)
