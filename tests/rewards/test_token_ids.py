"""Rewards of token ids are those of the ids as words, without the special ones."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from transformers import AutoTokenizer

import tercet
from tercet.rewards.texts import TokenStrings
from texts import MINILM, PAIRS

TOKENIZER = AutoTokenizer.from_pretrained(MINILM)
PREDICTIONS = [prediction for pairs in PAIRS.values() for prediction, _ in pairs]
REFERENCES = [references for pairs in PAIRS.values() for _, references in pairs]
METRICS = [("bleu", {}), ("bleu", {"max_order": 2}), ("rouge", {"rouge_types": ["rougeL"]}), ("rouge", {})]


def as_words(ids):
    return " ".join(map(str, ids))


def plain(text):
    """The ids of a text without special ones, as that of unknown characters is."""
    return [each for each in TOKENIZER(text).input_ids if each not in TOKENIZER.all_special_ids]


@pytest.mark.filterwarnings("ignore:.*(BLEU is|blanks).*:UserWarning")
@pytest.mark.parametrize(("metric", "options"), METRICS)
def test_they_are_the_rewards_of_the_ids_as_words(metric, options):
    completions = [[*TOKENIZER(text).input_ids, TOKENIZER.pad_token_id] for text in PREDICTIONS]
    found = tercet.reward(metric, token_ids=TOKENIZER, **options)(completion_ids=completions, references=REFERENCES)
    words = [as_words(plain(text)) for text in PREDICTIONS]
    of_references = [[as_words(plain(text)) for text in texts] for texts in REFERENCES]
    expected = tercet.reward(metric, tokenizer="none", **options)(completions=words, references=of_references)
    assert found == pytest.approx(expected, abs=1e-12)
    assert min(found) < max(found) == 1


@given(st.lists(st.lists(st.integers(0, 300_000), max_size=9), min_size=1, max_size=4))
def test_any_ids_count(rows):
    """Also those whose characters would have a lower case, or be white space."""
    reward = tercet.reward("rouge", token_ids=TOKENIZER, rouge_types=["rouge1"])
    kept = [[each for each in row if each not in TOKENIZER.all_special_ids] for row in rows]
    answer = plain("the cat sat")
    expected = tercet.scorer("rouge", tokenizer="none", rouge_types=["rouge1"]).segments(
        [as_words([*row, *answer]) for row in kept], [as_words(answer)] * len(rows)
    )["rouge1"]
    found = reward(completion_ids=[[*row, *answer] for row in rows], references=["the cat sat"] * len(rows))
    assert found == pytest.approx(expected, abs=1e-12)


def test_the_ids_of_references_are_kept_in_bounded_memory(monkeypatch):
    monkeypatch.setattr("tercet.rewards.texts._MOST_KEPT", 2)
    strings = TokenStrings(TOKENIZER)
    first = [strings.of_text(text) for text in "abcab"]
    assert first[:2] == first[3:]
    assert len(strings._kept) <= 2


def test_guards_count_tokens():
    reward = tercet.reward("rouge", token_ids=TOKENIZER, rouge_types=["rouge1"], repetition_penalty=True)
    ids = plain("a b c d")
    assert reward(completion_ids=[ids, ids * 2], references=["a b c d"] * 2) == pytest.approx([1, 2 / 3 * 4 / 5])


@pytest.mark.parametrize(("given", "message"), [
    (None, "completion_ids must be a list of ids .* got None"),
    ([[1], [2, -100]], r"item 1 is \[2, -100\]"),
    ([[1.5]], r"item 0 is \[1.5\]"),
    ([["a"]], "item 0 is"),
    ([[10**6]], r"item 0 is \[1000000\]"),
    ([3], "item 0 is 3"),
])  # fmt: skip
def test_what_is_no_id_is_refused(given, message):
    reward = tercet.reward("bleu", token_ids=TOKENIZER)
    with pytest.raises(tercet.InputError, match=message):
        reward(completion_ids=given, references=["a"] * len(given or [1]))


def test_what_cannot_take_ids_is_refused():
    with pytest.raises(tercet.OptionError, match="normalize of bleu_multi changes texts, and token_ids decodes none"):
        tercet.reward("bleu", token_ids=TOKENIZER, normalize="think")
    with pytest.raises(tercet.OptionError, match=r"token_ids is for metrics of tokens, .* not chrf_multi"):
        tercet.reward("chrf", token_ids=TOKENIZER)
    with pytest.raises(tercet.OptionError, match="'tokenizer' cannot be given"):
        tercet.reward("bleu", token_ids=TOKENIZER, tokenizer="intl")
    with pytest.raises(tercet.OptionError, match="token_ids must be a tokenizer of transformers"):
        tercet.reward("bleu", token_ids="gpt2")
    with pytest.raises(tercet.OptionError, match="verl and OpenRLHF pass texts"):
        tercet.reward("bleu", token_ids=TOKENIZER).verl("", "a", "a")
