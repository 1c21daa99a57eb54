"""Stems and lemmas in every metric of words: their scores are in test_contract.py, here is what shows them."""

import pytest

import tercet
from conftest import ZERO_BLEU
from suite import SUITE

pytestmark = ZERO_BLEU

#: Metrics of words, with what makes them score runs of one word and of two.
OPTIONS = {
    "bleu_multi": {"max_order": 2}, "rouge_nlws": {"rouge_types": ["rouge1", "rougeL"]}, "jaccard_sets": {"ngram": 2},
    "bleu_rouge_f": {},
}  # fmt: skip
#: By language: a text, another one with the same lemmas (and stems, where they are the same), what stands in both.
FORMS = {
    "en": ("mice running home", "mouse run home", "mouse run home"),
    "de": ("Kinder spielten im Garten", "Kind spielt im Garten", "kind spielen im garen"),
    "fr": ("chevaux mangeaient", "cheval mangea", "cheval manger"),
    "es": ("niños comieron manzanas", "niño come manzana", "niño comer manzana"),
    "ru": ("кошки спят на окнах", "кошка спит на окне", "кошка спать на окно"),
}

each_metric = pytest.mark.parametrize("metric", OPTIONS)


def words_of(metric, why):
    """Return the words of the prediction in an explanation."""
    found = why.to_dict()
    first = {"rouge_nlws": "types", "jaccard_sets": "variants"}.get(metric)
    entry = found if first is None else found[first][0]
    return entry["prediction_words" if metric == "rouge_nlws" else "prediction"]


@each_metric
@pytest.mark.parametrize("language", FORMS)
def test_other_forms_of_the_same_words_match_by_lemma_and_explanations_show_both(metric, language):
    prediction, reference, lemmas = FORMS[language]
    options = {"tokenizer": "unicode", **OPTIONS[metric]}
    by_word, by_lemma = (
        tercet.score(metric, [prediction], [reference], **own, **options)[SUITE[metric].primary]
        for own in ({}, {"lemmatizer": language})
    )
    assert by_word < 1
    assert by_lemma == pytest.approx(1.0)
    why = tercet.explain(metric, prediction, [reference], lemmatizer=language, **options)
    words, written = words_of(metric, why), prediction.lower().split()
    assert [word["text"] for word in words] == lemmas.split()
    assert [word["written"] or word["text"] for word in words] == written
    for word, lemma in zip(written, lemmas.split(), strict=True):
        assert (f'<ruby>{word}<rt style="font-size:70%">{lemma}</rt></ruby>' in why.to_html()) == (word != lemma)


@each_metric
def test_signatures_name_what_made_words_alike_and_without_it_nothing_stands_beside_a_word(metric):
    def signature(**options):
        return tercet.score(metric, ["a b c d"], ["a b c d"], **OPTIONS[metric], **options).signature

    assert "|lemma:de(simplemma)|" in signature(lemmatizer="de")
    assert "|lemma:ru(pymorphy3)|" in signature(lemmatizer="ru")
    assert "|stem:french|" in signature(stemmer="fr")
    assert "stem:" not in signature() + signature(lemmatizer="en")
    why = tercet.explain(metric, "Mice ran", ["mice run"], **OPTIONS[metric])
    assert all(word["written"] is None for word in words_of(metric, why))
    assert "<ruby>" not in why.to_html()


def test_stopwords_leave_words_and_lemmas_together():
    why = tercet.explain(
        "rouge_nlws", "the mice of the house", ["a mouse"], stopwords="en", lemmatizer="en", rouge_types=["rouge1"]
    )
    words = [(word.written, word.text) for word in why.types[0].prediction_words]
    assert words == [("mice", "mouse"), (None, "house")]
