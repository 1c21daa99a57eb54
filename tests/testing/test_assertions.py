"""Assertions for tests of a model: they fail with the score, its interval and the worst items."""

import numpy as np
import pytest

import tercet
from tercet.errors import InputError, OptionError
from tercet.testing import assert_not_worse, assert_score

REFERENCES = ["ein Hund bellt laut", "two cats sleep here", "кошка спит дома", "trời hôm nay mưa to", "it rains"] * 6
GOOD = ["ein Hund bellt laut", "two cats sleep", "кошка спит", "trời hôm nay mưa", "it rained"] * 6
WORSE = ["ein Hund", "two dogs sleep", "кошки спят", "trời mưa", "snow"] * 6


def message_of(function, *arguments, **options):
    with pytest.raises(AssertionError) as failure:
        function(*arguments, **options)
    return str(failure.value)


def test_a_score_that_is_reached_passes():
    value = tercet.compare({"A": GOOD}, "chrf", references=REFERENCES, test=None).tables[0].rows[0].value
    assert_score(GOOD, REFERENCES, "chrf", at_least=value, at_most=value)
    assert_score(GOOD, REFERENCES, tercet.Ter(), at_most=60)


def test_a_failure_shows_the_score_its_interval_and_the_worst_items():
    row = tercet.compare({"A": WORSE}, "chrf", references=REFERENCES, test=None).tables[0].rows[0]
    first, *lines = message_of(assert_score, WORSE, REFERENCES, "chrf", at_least=90).splitlines()
    assert first == (
        f"chrF is {row.value:.2f}, below 90 by {90 - row.value:.2f} (95 % interval: {row.low:.2f} to {row.high:.2f})."
    )
    (value,) = tercet.Chrf(scale=100).segments(["snow"], ["it rains"])["chrf"]
    assert lines[:2] == ["The worst items:", "  item 4:"]
    assert lines[2:4] == [f"    predictions ({value:.2f}): 'snow'", "    reference: 'it rains'"]
    assert len(lines) == 1 + 3 * 3
    message = message_of(assert_score, WORSE, REFERENCES, "ter", at_most=10)
    rate = tercet.Ter(scale=100)(WORSE, REFERENCES)["ter"]
    assert message.startswith(f"TER is {rate:.2f}, above 10 by {rate - 10:.2f} (95 % interval: ")
    assert "  item 2:\n    predictions (100.00): 'кошки спят'" in message


def test_limits_that_allow_everything_are_warned_of():
    with pytest.warns(UserWarning, match=r"at_least=0\.9: chrF is in percent, from 0 to 100\. Did you mean 90\?"):
        assert_score(WORSE, REFERENCES, "chrf", at_least=0.9)
    with pytest.warns(UserWarning, match="lower is better for WER, and at_least= allows the worst. Give at_most="):
        assert_score(WORSE, REFERENCES, "wer", at_least=10)


def test_other_scores_of_a_metric_are_named():
    rouge = "rouge:tokenizer=unicode"
    assert_score(GOOD, REFERENCES, rouge, at_most=90, score="rouge2")
    assert "ROUGE-2 is" in message_of(assert_score, WORSE, REFERENCES, rouge, at_least=90, score="rouge2")
    with pytest.raises(OptionError, match=r"There is no score 'rouge9'\. Did you mean"):
        assert_score(GOOD, REFERENCES, rouge, at_least=1, score="rouge9")


def test_a_score_may_be_one_that_tables_show_only_if_asked():
    rouge = "rouge:tokenizer=unicode"
    for score in ("rougeW", "rougeSU4"):
        assert_not_worse(GOOD, GOOD, REFERENCES, rouge, score=score)
        assert "ROUGE-" in message_of(assert_score, WORSE, REFERENCES, rouge, at_least=99, score=score)


def test_worse_outputs_fail_with_the_items_that_lose_most():
    assert_not_worse(GOOD, GOOD, REFERENCES)
    assert_not_worse(GOOD, WORSE, REFERENCES, margin=1)
    message = message_of(assert_not_worse, WORSE, GOOD, REFERENCES)
    assert message.startswith("The predictions against the baseline: ")
    assert "chrF worse, significantly (one-sided; 90 % interval of the loss: " in message
    losses = np.subtract(*(tercet.Chrf().segments(texts, REFERENCES)["chrf"] for texts in (GOOD, WORSE)))
    worst = sorted(range(30), key=lambda place: (-round(losses[place], 9), place))[:3]
    assert [line.strip(" :") for line in message.splitlines() if line.startswith("  item")] == [
        f"item {place}" for place in worst
    ]
    assert_not_worse(WORSE, GOOD, REFERENCES, margin=80)


def test_several_systems_and_scores_are_asserted_together():
    assert_not_worse({"A": GOOD, "B": GOOD}, GOOD, REFERENCES, ["ter", "chrf"])
    message = message_of(assert_not_worse, {"A": GOOD, "B": WORSE}, GOOD, REFERENCES, ["ter", tercet.Chrf()])
    assert message.count("'B' against the baseline: ") == 2
    assert "'A' against" not in message
    assert "TER worse, significantly (one-sided; " in message
    assert message.count(" Adjusted for 4 tests.") == 2
    # the worst items are those of the system, beside the baseline's
    assert "    B (" in message
    assert "    A (" not in message
    with pytest.raises(OptionError, match=r"score='chrf' is for one metric, and there are 2\."):
        assert_not_worse(GOOD, GOOD, REFERENCES, ["bleu", "chrf"], score="chrf")
    with pytest.raises(OptionError, match=r"a metric or several, such as \['bleu', 'chrf'\], got \[\]\."):
        assert_not_worse(GOOD, GOOD, REFERENCES, [])
    with pytest.raises(OptionError, match="predictions is an empty mapping"):
        assert_not_worse({}, GOOD, REFERENCES)
    with pytest.raises(OptionError, match="a system is called 'baseline'"):
        assert_not_worse({"baseline": GOOD}, GOOD, REFERENCES)


def test_five_texts_that_do_not_differ_show_no_small_margin():
    message = message_of(assert_not_worse, GOOD[:5], GOOD[:5], REFERENCES[:5], margin=0.001)
    assert "no text differs; of 5, that excludes little: a loss of up to 45.07 chrF is possible" in message
    assert message.endswith("About 300,000 segments would be needed.")


@pytest.mark.long
def test_texts_that_break_rarely_do_not_pass():
    """Of 20 texts each is lost with a probability of .05: the loss is the margin, and at most 5 % should pass."""
    random = np.random.default_rng(1)
    texts = [f"item {n} has the answer {n * 7 % 13} in the red box" for n in range(20)]
    passed = 0
    for _ in range(100):
        broken = ["" if random.random() < 0.05 else text for text in texts]
        try:
            assert_not_worse(broken, texts, texts, margin=5)
        except AssertionError:
            continue
        passed += 1
    assert passed <= 10


def test_a_margin_needs_enough_items():
    message = message_of(assert_not_worse, GOOD[:6], ["two cats", *GOOD[1:6]], REFERENCES[:6], margin=0.1)
    assert " segments would be needed." in message


def test_clusters_and_lower_is_better():
    with pytest.raises(AssertionError, match="TER worse"):
        assert_not_worse(WORSE, GOOD, REFERENCES, "ter", cluster=[n // 5 for n in range(30)])
    assert_not_worse(GOOD, WORSE, REFERENCES, "ter")


@pytest.mark.parametrize("margin", [-1, float("nan"), "1", None])
def test_what_is_no_margin_is_refused(margin):
    with pytest.raises(OptionError, match="margin must be a number from 0 on"):
        assert_not_worse(GOOD, GOOD, REFERENCES, margin=margin)


def test_one_item_shows_nothing():
    assert "not tested" in message_of(assert_not_worse, ["snow"], ["it rains"], ["it rains"])
    assert "not tested" in message_of(assert_not_worse, ["it rains"], ["snow"], ["it rains"])


def test_wrong_limits_levels_and_texts_are_refused():
    with pytest.raises(OptionError, match="needs at_least= or at_most="):
        assert_score(GOOD, REFERENCES)
    with pytest.raises(OptionError, match="a limit must be a number, got 'high'"):
        assert_score(GOOD, REFERENCES, at_least="high")
    with pytest.raises(OptionError, match="a limit must be a number, got True"):
        assert_score(GOOD, REFERENCES, at_least=True)
    with pytest.raises(OptionError, match="at_least=90 is above at_most=10"):
        assert_score(GOOD, REFERENCES, at_least=90, at_most=10)
    with pytest.raises(OptionError, match=r"takes one metric, such as 'chrf', got \['wer', 'chrf'\]"):
        assert_score(GOOD, REFERENCES, ["wer", "chrf"], at_least=1)
    assert_score(GOOD, REFERENCES, "chrf", at_least=np.int64(30))
    with pytest.raises(OptionError, match=r"alpha must be above 0 and below 0\.5, got 0\.5"):
        assert_not_worse(GOOD, GOOD, REFERENCES, alpha=0.5)
    with pytest.raises(InputError):
        assert_not_worse(GOOD, GOOD[1:], REFERENCES)
