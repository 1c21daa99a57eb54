"""What each token adds to a cosine: the sums are the score, and a browser shows them."""

import html
import re

import numpy as np
import pytest
from hypothesis import given, settings

import small_encoders
import tercet
from tercet import InputError
from texts import MINILM, PAIRS, any_texts

CAT, MAT = "The cat sleeps on the mat.", "A cat lies on a mat."


def explain(prediction, references, **options):
    return tercet.explain("embedding_cosine", prediction, references, **{"model_type": MINILM, **options})


def sums(why):
    return [sum(token.contribution for token in side) for side in (why.prediction_tokens, why.reference_tokens)]


@pytest.mark.parametrize("pooling", ["mean", "weightedmean", "mean_sqrt_len_tokens"])
def test_contributions_of_both_sides_sum_to_the_score(pooling):
    for (prediction, references), *_ in PAIRS.values():
        why = explain(prediction, references, pooling=pooling)
        score = tercet.score("cosine", [prediction], [references], model_type=MINILM, pooling=pooling)
        assert why.cosine == pytest.approx(score["cosine"], abs=1e-6)
        assert why.reference_index == getattr(score, "best_references", [0])[0]
        assert why.decomposes
        assert sums(why) == pytest.approx([why.cosine] * 2, abs=1e-6)
        assert why.signature in re.sub(r"\|refs:\d\|", "|", score.signature)


@settings(max_examples=25)
@given(one=any_texts, other=any_texts)
def test_of_any_texts_they_sum_to_the_score(one, other):
    why = explain(one, [other])
    if why.decomposes:
        assert sums(why) == pytest.approx([why.cosine] * 2, abs=1e-6)
    else:
        assert why.cosine == 0.0


def test_a_token_stands_where_it_is_in_the_text():
    why = explain(f"  {CAT} ", MAT)
    assert why.prediction == CAT
    for token in why.prediction_tokens:
        assert token.special == (token.span is None) == (token.token in ("[CLS]", "[SEP]"))
        assert token.text == (token.token if token.special else CAT[slice(*token.span)])
    assert [token.text for token in why.prediction_tokens[1:4]] == ["The", "cat", "sleeps"]


def test_what_the_texts_share_adds_most():
    why = explain("The cat sleeps near the volcano.", "A cat is asleep.")
    by_text = {token.text: token.contribution for token in why.prediction_tokens}
    assert by_text["cat"] > by_text["volcano"]


@pytest.mark.parametrize("pooling", ["cls", "max", "lasttoken"])
def test_what_is_no_sum_over_tokens_is_not_divided_among_them(pooling):
    why = explain(CAT, MAT, pooling=pooling)
    expected = tercet.score("cosine", [CAT], [MAT], model_type=MINILM, pooling=pooling)["cosine"]
    assert why.cosine == pytest.approx(expected, abs=1e-6)
    assert why.decomposes is False
    assert {token.contribution for token in (*why.prediction_tokens, *why.reference_tokens)} == {None}
    shown = text_of(why)
    assert f"with the pooling '{pooling}', or a dense layer after it, the embedding is not a sum" in shown
    assert "contribution" not in shown.replace(why.signature, "")


def test_an_empty_text_has_nothing_to_divide():
    why = explain("", [CAT])
    assert (why.cosine, why.decomposes) == (0.0, False)
    assert "the cosine with an empty text is 0" in why.to_html()


def test_windows_are_explained_as_one_text():
    options = {"max_length": 6, "long_text": "window"}
    why = explain(CAT, MAT, **options)
    assert len(why.prediction_tokens) == 9
    assert sums(why) == pytest.approx([why.cosine] * 2, abs=1e-6)
    expected = tercet.score("cosine", [CAT], [MAT], model_type=MINILM, **options)["cosine"]
    assert why.cosine == pytest.approx(expected, abs=1e-6)


def test_what_is_cut_is_not_shown_and_warned_of():
    with pytest.warns(UserWarning, match="2 texts were longer than 6 tokens and truncated"):
        why = explain(CAT, MAT, max_length=6)
    assert [token.text for token in why.prediction_tokens] == ["[CLS]", "The", "cat", "sleeps", "on", "[SEP]"]
    with pytest.raises(InputError, match=r"item 0 of predictions has \d+ tokens, more than the encoder's limit of 6"):
        explain(CAT, MAT, max_length=6, long_text="error")


@pytest.mark.parametrize("name", ["roberta", "gpt2", "deberta-v2", "convbert"])
def test_other_encoders_are_explained_too(tmp_path, name):
    small_encoders.build(name, tmp_path)
    why = explain(CAT, [MAT, "The dog barks."], model_type=tmp_path / name)
    assert sums(why) == pytest.approx([why.cosine] * 2, abs=1e-6)
    assert "".join(token.text for token in why.prediction_tokens if not token.special) == CAT.replace(" ", "")


def text_of(why):
    """The text of its page."""
    return html.unescape(re.sub("<[^>]*>", "", why.to_html()))


def test_the_page_shows_every_token_and_its_sum():
    why = explain("<script>alert(1)</script> The cat & the mat", ["<b>A cat</b>"])
    shown = text_of(why)
    assert f"cosine {why.cosine:.4f}" in shown
    assert f"tokens of the prediction: contributions sum to {why.cosine:.4f}" in shown
    for token in why.prediction_tokens:
        assert f"{token.contribution:+.4f}" in shown
    assert why.signature in shown


def test_what_takes_away_has_another_colour():
    why = explain("A cat sleeps on the mat in the warm kitchen.", ["Shares fell sharply on Monday."])
    signs = {np.sign(token.contribution) for token in why.prediction_tokens}
    assert signs == {1.0, -1.0}
    assert "rgba(220,50,47," in why.to_html()
    assert "rgba(86,140,233," in why.to_html()
