"""Why a text has its perplexity: pieces that join to the text, surprisals that sum to the score, a picture."""

import json
import math

import pytest
from hypothesis import given, settings

import tercet
from language_models import TINY, small_model, smollm2
from tercet import InputError
from texts import all_pairs, any_texts

pytestmark = pytest.mark.needs("torch")

TEXTS = [*all_pairs()[0], "two  blanks\n\tand a line", " ", "👍🏽👩‍👩‍👧 naïve Zürich", "e\u0301 लगता है।"]


@pytest.fixture(scope="module", params=["gpt2", "llama", pytest.param("smollm2", marks=pytest.mark.long)])
def model(request):
    return smollm2() if request.param == "smollm2" else small_model(request.param)


@pytest.mark.parametrize("start", [True, False])
def test_pieces_join_to_the_text_and_sum_to_the_score(model, start):
    for text in TEXTS:
        options = {"model_id": model, "add_start_token": start}
        try:
            why = tercet.explain("perplexity_lm", text, **options)
        except InputError:
            assert not start
            continue
        assert "".join(piece.text for piece in why.pieces) == text
        assert all(piece.text and piece.text == text[slice(*piece.span)] for piece in why.pieces)
        assert sum(piece.surprisal or 0.0 for piece in why.pieces) == pytest.approx(why.bits)
        assert why.perplexity == pytest.approx(2 ** (why.bits / why.n_tokens))
        assert sum(len(piece.tokens) for piece in why.pieces) == why.n_tokens + (not start)
        result = tercet.score("perplexity_lm", [text], **options)
        assert why.perplexity == pytest.approx(result["perplexity"], rel=1e-6)
        assert why.bits_per_byte == pytest.approx(result["bits_per_byte"], rel=1e-6)


@settings(max_examples=60)
@given(text=any_texts.filter(bool))
def test_pieces_of_any_text_join_to_it(text):
    why = tercet.explain("perplexity_lm", text, model_id=TINY)
    assert "".join(piece.text for piece in why.pieces) == text


def test_characters_of_several_tokens_are_whole():
    why = tercet.explain("perplexity_lm", "今🦔", model_id=TINY)
    assert [piece.text for piece in why.pieces] == ["今", "🦔"]
    assert [len(piece.tokens) for piece in why.pieces][1] > 1


def test_as_plain_python_and_as_a_picture(model):
    text = "A <b>bold</b> cat\nsat & looked."
    why = tercet.explain("perplexity_lm", text, ["references are left alone"], model_id=model)
    plain = json.loads(json.dumps(why.to_dict()))
    assert plain["prediction"] == text
    assert plain["signature"] == tercet.score("perplexity_lm", [text], model_id=model).signature
    shown = why.to_html()
    assert "<b>bold" not in shown
    assert shown.count("<rect") == len(why.pieces)
    assert f"perplexity {why.perplexity:,.2f}" in shown
    assert all(f">{piece.surprisal:.2f}</text>" in shown for piece in why.pieces)


def test_what_is_cut_or_only_read_has_no_number():
    options = {"model_id": TINY, "add_start_token": False, "max_length": 4, "long_text": "truncate"}
    with pytest.warns(UserWarning, match="truncated"):
        why = tercet.explain("perplexity_lm", "the cat sat on the mat today", **options)
    assert (why.pieces[0].surprisal, why.pieces[-1].surprisal, why.n_tokens) == (None, None, 3)
    assert "not scored" in why.to_html()


def test_long_texts_have_as_many_bars_as_can_be_read():
    why = tercet.explain("perplexity_lm", "a cat " * 400, model_id=TINY)
    assert why.to_html().count("<rect") == 300
    assert f"and {len(why.pieces) - 300:,} more" in why.to_html()
    assert math.isfinite(why.perplexity)
