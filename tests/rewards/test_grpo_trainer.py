"""TRL's trainer learns from a reward: a small model on a CPU, in seconds."""

import math
import re

import pytest

import tercet
from conftest import ROOT
from examples.grpo_reward import train
from small_trainer import random_states_kept

#: What TRL itself warns of is not the suite's.
pytestmark = [
    pytest.mark.filterwarnings(f"ignore::{name}")
    for name in ("DeprecationWarning", "FutureWarning", "ResourceWarning", "pytest.PytestUnraisableExceptionWarning")
]


#: What a model thinks before it answers.
THOUGHTS = (
    "First I look at the words. " * 80,
    "Сначала я смотрю на слова. " * 60,
    "首先我看这些词。" * 160,
    "أولاً أنظر إلى الكلمات. " * 60,
    "पहले मैं शब्दों को देखता हूँ। " * 60,
)


def rises(losses, rewards):
    return all(map(math.isfinite, losses)) and rewards[-1] > rewards[0] + 0.15


def test_the_reward_rises_and_is_what_the_trainer_logs(tmp_path):
    given = []
    reward = tercet.reward("rouge", references="answer", rouge_types=["rougeL"])

    def kept(completions, answer, **columns):
        found = reward(completions=completions, answer=answer, **columns)
        given.append((completions, answer, found))
        return found

    kept.__name__ = reward.__name__
    with random_states_kept():
        history = train(tmp_path, kept)
    losses, rewards = ([float(entry[name]) for entry in history] for name in ("loss", "rewards/rougeL/mean"))
    assert rises(losses, rewards)
    of_first_log = [each for _, _, found in given[: len(given) // 5] for each in found]
    assert rewards[0] == pytest.approx(sum(of_first_log) / len(of_first_log), abs=1e-5)
    for completions, answer, found in given[:3]:
        expected = tercet.score("rouge", completions, answer, rouge_types=["rougeL"], segments=True)
        assert found == expected["segments"]["rougeL"]


def thinking_before(reward, given):
    """Return a reward of what the model writes, behind a thought of 1,200 characters and more in some script."""

    def thinking(completions, answer, **columns):
        texts = [f"<think>{THOUGHTS[at % len(THOUGHTS)]}</think> {text}" for at, text in enumerate(completions)]
        found = reward(completions=texts, answer=answer, **columns)
        given.append((texts, answer, found))
        return found

    thinking.__name__ = reward.__name__
    return thinking


def test_completions_that_think_earn_what_their_answers_score(tmp_path):
    """The model writes the answers; none of the thoughts is warned of."""
    reward, given = tercet.reward("rouge", references="answer", rouge_types=["rougeL"], normalize="think"), []
    with random_states_kept():
        history = train(tmp_path, thinking_before(reward, given))
    assert rises(*([float(entry[name]) for entry in history] for name in ("loss", "rewards/rougeL/mean")))
    for texts, answer, found in given[:3] + given[-3:]:
        expected = tercet.score("rouge", texts, answer, rouge_types=["rougeL"], normalize="think", segments=True)
        assert found == expected["segments"]["rougeL"]


def test_of_several_metrics_each_scores_what_it_reads(tmp_path):
    """One metric reads the answers alone, the other the thoughts as well, whose length then counts."""
    reads_answers, reads_all, given = tercet.Chrf(normalize="think", scale=1), tercet.Bleu(max_order=2), []
    reward = tercet.reward({reads_answers: 0.75, reads_all: 0.25}, references="answer")
    with random_states_kept(), pytest.warns(UserWarning, match="a model's thinking"):
        train(tmp_path, thinking_before(reward, given), steps=5)
    for texts, answer, found in given:
        of_answers = tercet.score(reads_answers, texts, answer, segments=True)["segments"]["chrf"]
        of_all = tercet.reward(reads_all, references="answer")
        with pytest.warns(UserWarning, match="a model's thinking"):
            pairs = zip(of_answers, of_all(texts, answer=answer), strict=True)
        expected = [0.75 * first + 0.25 * other for first, other in pairs]
        assert found == pytest.approx(expected, abs=1e-12)


def test_completions_without_reference_are_left_out(tmp_path, caplog):
    """TRL takes None, says so, and averages the others."""
    reward, given = tercet.reward({"bleu": 0.5, "chrf": 0.5}, references="answer"), []

    def kept(answer, **columns):
        given.extend(reward(answer=[None if each == "one" else each for each in answer], **columns))
        return given[-len(answer) :]

    with random_states_kept():
        history = train(tmp_path, kept, steps=5)
    scored = [each for each in given if each is not None]
    assert 0 < len(scored) < len(given)
    assert "All reward functions returned None" in caplog.text
    assert all(math.isfinite(float(entry["loss"])) for entry in history)
    first = [each for each in given[:40] if each is not None]
    assert float(history[0]["reward"]) == pytest.approx(sum(first) / len(first), abs=1e-5)


@pytest.mark.long
def test_the_example_prints_what_a_page_shows():
    """Other machines round otherwise: the shape of the table is the same, and what it tells."""
    from test_examples import printed_by

    page = (ROOT / "docs" / "use" / "rewards.md").read_text(encoding="utf-8")
    shown = re.search(r"```text\n( +step .*?)\n```", page, flags=re.DOTALL)[1]
    for printed in (printed_by("examples/grpo_reward.py").rstrip(), shown):
        head, *rows = printed.splitlines()
        assert head.split() == ["step", "loss", "reward", "completions/mean_length"]
        steps, losses, rewards, _ = zip(*([float(cell) for cell in row.split()] for row in rows), strict=True)
        assert steps == (40, 80, 120, 160, 200)
        assert rises(losses, rewards)
