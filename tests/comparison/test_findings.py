"""What fresh readers once found: each test is a thing that went wrong, or would have gone wrong silently."""

import warnings

import evaluate
import numpy as np
import pandas as pd
import pytest

import tercet
from conftest import ZERO_BLEU
from tercet import InputError, OptionError, score
from tercet.corpus.tokenizers import split_ja, split_sentences

pytestmark = ZERO_BLEU

RUSSIAN = ["Кошка спит на окне.", "Поезд пришёл вовремя."]


def quiet(*arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return score(*arguments, **options)


def test_two_systems_on_one_test_set_are_split_alike():
    """One long English hallucination must not change how the other predictions are read."""
    good = quiet("rouge_nlws", RUSSIAN, RUSSIAN, rouge_types="rouge1", segments=True)
    bad = quiet("rouge_nlws", [RUSSIAN[0], "the " * 90], RUSSIAN, rouge_types="rouge1", segments=True)
    assert good.signature == bad.signature
    assert (good["segments"]["rouge1"], bad["segments"]["rouge1"]) == ([1, 1], [1, 0])


def test_references_that_lose_every_letter_are_reported_also_where_they_are_few():
    texts = ["Москва 2020", *["a plain English sentence of some length"] * 9]
    with pytest.warns(UserWarning, match="every letter of 1 of 10 references"):
        score("rouge_nlws", texts, texts)


def test_bleu_warns_where_its_tokenizer_cannot_split():
    for text in ("今天天气很好", "私は毎朝お茶を飲みます", "แมวนอนบนเสื่อ"):
        with pytest.warns(UserWarning, match="scripts written without spaces") as caught:
            score("bleu_multi", [text], [text])
        assert caught[0].filename == __file__  # the line of the caller, so that each call is heard
        score("bleu_multi", [text], [text], tokenizer="char")


def test_nltk_has_no_smoothing_of_others():
    for options in ({"smooth_method": "exp"}, {"smooth": True}, {"grid": {"smooth_method": ["floor"]}}):
        with pytest.raises(OptionError, match="smoothing methods that NLTK has"):
            score("bleu_multi", ["a b"], ["a b"], compat="nltk", **options)


#: The packages whose numbers signatures claim, and options with which they do; None where they claim no package.
EQUALS = {
    "sacrebleu": [{}],
    "sacrebleu(bleu)": [{"weights": {"a": [1]}}],
    "evaluate-bleu": [{"compat": "evaluate"}, {"compat": "evaluate", "smooth": True}],
    "nltk": [{"compat": "nltk"}],
    None: [
        {"compat": "sacrebleu", "weights": [1]}, {"compat": "sacrebleu", "reference_length": "average"},
        {"compat": "sacrebleu", "tokenizer": "unicode"}, {"compat": "evaluate", "smooth_method": "nltk1"},
        {"compat": "nltk", "smooth_method": "nltk5", "weights": [0.5, 0.5]}, {"missing_references": "zero"},
        {"compat": "sacrebleu", "smooth": True}, {"smooth": True},
    ],
}  # fmt: skip
ROUGE_EQUALS = {
    "rouge_score": [{"rouge_types": ["rouge1"], "stemmer": "porter"}, {"rouge_types": ["rouge1"]}],
    "ROUGE-1.5.5": [{"compat": "rouge155"}],
    None: [
        {"compat": "rouge155", "tokenizer": "char"}, {"compat": "rouge155", "stopwords": ["q"]},
        {"rouge_types": ["rouge1"], "beta": 2}, {"rouge_types": ["rougeW"]},
    ],
}  # fmt: skip


@pytest.mark.parametrize(("metric", "equals"), [("bleu_multi", EQUALS), ("rouge_nlws", ROUGE_EQUALS)])
def test_a_signature_claims_an_equal_only_where_the_options_are_its(metric, equals):
    for equal, options in ((equal, options) for equal, several in equals.items() for options in several):
        signature = score(metric, ["a b"], ["a b"], **options).signature
        fields = dict(field.split(":", 1) for field in signature.split("|")[1:])
        assert fields.get("equals") == equal, options


def test_signatures_distinguish_options():
    def signature(**options):
        return score("rouge_nlws", ["a b"], ["a b"], **options).signature

    for one, other in (
        ({"stopwords": ["a"]}, {"stopwords": ["b"]}), ({"beta": 1.2345678}, {"beta": 1.2345679}),
        ({"compat": "rouge155", "max_bytes": 60}, {"max_bytes": 60, "tokenizer": "rouge"}), ({"scale": 100}, {}),
    ):  # fmt: skip
        assert signature(**one) != signature(**other)
    assert "|seg:exp,eff|" in score("bleu_multi", ["a"], ["a"], segments=True).signature
    assert signature(stemmer="ru") == signature(stemmer="russian")
    floor = {"smooth_method": "floor"}
    assert score("bleu_multi", ["a"], ["a"], **floor) == score("bleu_multi", ["a"], ["a"], smooth_value=0.1, **floor)
    with pytest.raises(OptionError, match="named ones"):
        score("bleu_multi", ["a"], ["a"], weights={"x|version:y": [1]})


def test_a_tokenizer_that_answers_with_a_mapping_or_set_is_refused():
    for answer in ({"input_ids": [1], "attention_mask": [1]}, {"a", "b"}):
        with pytest.raises(InputError, match="must return a list of strings"):
            score("bleu_multi", ["hello"], ["utterly different"], tokenizer=lambda text, answer=answer: answer)


def test_japanese_of_any_length_and_with_nul_is_split_and_many_sentences_are_found_in_linear_time():
    assert split_ja("東京\x00都に行く")[0] == "東京"
    assert "行く" in split_ja("東京\x00都に行く")
    assert sum(map(len, split_ja("東京都に行く" * 200_000))) == 1_200_000
    assert split_sentences("It rains today. " * 30_000).count("\n") == 29_999


def test_the_grid_names_its_weights():
    for options, name in (
        ({"grid": True}, "uniform"), ({"grid": True, "weights": [1]}, "1"),
        ({"grid": {"weights": {"uniform": [0.5, 0.5]}}}, "uniform"),
    ):  # fmt: skip
        assert {row["weights"] for row in score("bleu_multi", ["a b"], ["a b"], **options)["grid"]} == {name}


def test_porter_sees_words_in_lower_case():
    options = {"rouge_types": "rouge1", "tokenizer": "none", "use_stemmer": True}
    assert score("rouge_nlws", ["Hello Cats RUNNING"], ["hello cats Running"], **options)["rouge1"] == 1.0


def test_a_wrong_value_for_one_metric_leaves_what_was_added_to_the_other():
    both = evaluate.combine([tercet.load("bleu_multi"), tercet.load("rouge_nlws")])
    both.add_batch(predictions=["a b"], references=["a b"])
    with pytest.raises(OptionError, match="beta"):
        both.compute(beta=-1)
    assert both.compute(rouge_types=["rouge1"])["rouge1"] == 1.0


def test_none_is_the_default_tokenizer_and_numpy_strings_are_strings():
    for metric in ("bleu_multi", "rouge_nlws"):
        assert score(metric, ["a b"], ["a c"], tokenizer=None) == score(metric, ["a b"], ["a c"])
        assert score(metric, ["a b"], ["a c"], missing_references=np.str_("skip"))


def test_what_pandas_says_for_none_is_a_missing_reference():
    for nothing in (None, float("nan"), pd.NA):
        column = pd.Series(["a", nothing], dtype=object)
        assert score("rouge_nlws", ["a", "b"], column, missing_references="skip").missing_references == 1
        with pytest.raises(InputError, match="item 1 of references is empty"):
            score("rouge_nlws", ["a", "b"], column)


def test_only_the_usual_bleu_is_interpreted():
    for options in ({"weights": [1]}, {"max_order": 1}, {"tokenizer": "char"}, {"smooth_method": "nltk5"}):
        assert score("bleu_multi", ["a b c d"], ["a b c d"], **options).interpretation is None


def test_a_callable_sees_the_same_lines_whatever_is_asked():
    found = [
        score("rouge_nlws", ["exam-\nple x"], ["example x"], tokenizer=str.split, rouge_types=types)["rouge1"]
        for types in (["rouge1"], ["rouge1", "rougeW"])
    ]
    assert found[0] == found[1]
