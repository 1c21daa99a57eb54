"""Stems, lemmas and stop-words: the functions that the options stand for, and what they do to a TokenBatch."""

import sys

import numpy as np
import pytest
import simplemma
from nltk.stem.porter import PorterStemmer
from nltk.stem.snowball import SnowballStemmer

import oracles
import tercet
from tercet.corpus import stems
from tercet.corpus.stems import lemmatizer_for, lemmatizer_label, map_words, stemmer_for, stopwords_for
from tercet.errors import OptionError
from tercet.metrics.rouge import perl

WORDS = """a as cat cats dying flies running ran happily relational generalizations agreement mice skies was were
    sing sings caresses ponies hopping hoping feed agreed 1990s 42 traditional vietnamization oed bing ies"""


def mapped(documents, *changes):
    """Return the batch after map_words, as lists of lines of ids, and the number of ids."""
    batch, _ = map_words(*oracles.read(documents, "none"), *changes)
    lines = oracles.line_lists(batch, range(batch.n_types))
    documents_of_lines = [[id_ for line in document for id_ in line] for document in lines]
    assert documents_of_lines == oracles.token_lists(batch, range(batch.n_types))
    return lines, batch.n_types


def test_porter_is_rouge_score_s_and_leaves_words_of_three_letters():
    assert list(map(stemmer_for("porter"), WORDS.split())) == oracles.rouge_score_tokens(WORDS, PorterStemmer())
    assert [stemmer_for("porter")(word) for word in ("was", "ies", "ing", "Was", "Dying", "ÉTATS")] == [
        "was", "ies", "ing", "Was", "die", "état"
    ]  # fmt: skip


def test_porter_needs_no_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "nltk", None)
    stems._porter.cache_clear()
    assert stemmer_for("porter")("running") == "run"
    for options in ({"use_stemmer": True}, {"stemmer": "porter", "tokenizer": "none"}):
        assert tercet.score("rouge", ["cats running"], ["cat runs"], **options)["rouge2"] == 1


def test_snowball_by_name_and_code():
    for language in sorted(set(SnowballStemmer.languages) - {"porter"}):
        assert stemmer_for(language)("nationale") == SnowballStemmer(language).stem("nationale")
    for code, name, word in (("ru", "russian", "кошками"), ("de", "german", "häuser"), ("ar", "arabic", "والكتاب")):
        assert stemmer_for(name)(word) == stemmer_for(code)(word) == SnowballStemmer(name).stem(word) != word
    assert stemmer_for(str.upper)("ab") == lemmatizer_for(str.upper)("ab") == "AB"


def test_lemmas_and_stopwords_by_language():
    for language, word in {"en": "mice", "es": "niños", "de": "Häuser", "uk": "коти"}.items():
        assert lemmatizer_for(language)(word) == simplemma.lemmatize(word, lang=language).lower() != word
    assert lemmatizer_for("ru")("кошками") == "кошка"
    for language, word in {"en": "the", "ru": "и", "es": "los", "de": "und", "hi": "है"}.items():
        assert word in stopwords_for(language)


def test_stopwords_as_given():
    for words in (["a", "b", "a"], ("a", "b"), {"a", "b"}, frozenset("ab"), {"a": 1, "b": 2}):
        assert stopwords_for(words) == frozenset({"a", "b"})


@pytest.mark.parametrize(
    ("function", "value", "message"),
    [
        (stemmer_for, "russain", "'stemmer' option knows no language 'russain'. Did you mean 'russian'?"),
        (stemmer_for, "Porter", "Did you mean 'porter'?"),
        (stemmer_for, "xx", "Known: porter, ar, da"),
        (lemmatizer_for, "xx", "'lemmatizer' option takes a language code .* such as 'en' or 'ru', .* Got 'xx'"),
        (stopwords_for, "xx", "'stopwords' option must be .* language codes .* en, .* Got 'xx'"),
    ],
)
def test_unknown_names_are_refused_with_the_nearest(function, value, message):
    with pytest.raises(OptionError, match=message.replace("?", r"\?")):
        function(value)


def test_a_package_that_is_not_installed_is_named(monkeypatch):
    for function, value, package in ((lemmatizer_for, "lb", "simplemma"), (stopwords_for, "en", "stop_words")):
        monkeypatch.setitem(sys.modules, package, None)
        with pytest.raises(OptionError, match=r"pip install .tercet\[languages\]."):
            function(value)


@pytest.mark.parametrize(
    ("documents", "stem", "dropped", "lines", "n_ids"),
    [
        (["run runs\ncat", "cats running x"], stemmer_for("porter"), "", [[[0, 0], [1]], [[1, 0, 2]]], 3),
        (["the a\ncat the", "the", "", "a\nx the y\n\nthe\na cat"], None, "the a", [[[0]], [], [], [[1, 2], [0]]], 3),
        (["runs run running"], stemmer_for("porter"), "run", [[[0, 0]]], 1),  # stop-words are words, not stems
        (["the the\nthe", ""], str.upper, "the", [[], []], 0),
        (["", " \n "], str.upper, "the", [[], []], 0),
        (["b a\nb"], None, "", [[[0, 1], [0]]], 2),
    ],
)
def test_words_get_ids_by_stem_and_stopwords_go_with_lines_of_them_alone(documents, stem, dropped, lines, n_ids):
    assert mapped(documents, stem, *([set(dropped.split())] if dropped else [])) == (lines, n_ids)


def test_each_different_word_is_mapped_once():
    seen = []
    mapped(["b a b", "a c"], lambda word: seen.append(word) or word, {"c"})
    assert seen == ["b", "a"]


def test_stems_stopwords_and_rounding_of_the_script():
    expected = {
        "agreement statement employment": "agreem statem employ",  # -ent goes after -ement was tried
        "dependent adoption communion generalizations": "depend adopt communion gener",
        "mice children went better": "mouse child go well",  # irregular forms are not stemmed further
        "was men ies": "was men ies",  # up to three letters
    }
    for words, stemmed in expected.items():
        assert list(map(perl.stemmer(), words.split())) == stemmed.split()
    assert perl.stopwords() & {"a", "the", "zero", "cat", ""} == {"a", "the", "zero"}
    exact = np.array([[0.003125, 0.015625, 0.046875], [1 / 3, 1.0, 0.0]])  # the exact binary value is rounded
    assert perl.five_decimals(exact).tolist() == [[0.00313, 0.01562, 0.04688], [0.33333, 1.0, 0.0]]
    assert perl.five_decimals(np.zeros((0, 3))).shape == (0, 3)


def test_russian_lemmas_are_those_of_pymorphy_where_it_is_installed():
    assert lemmatizer_label("ru") == "ru(pymorphy3)"
    assert lemmatizer_for("ru")("теплых") == "тёплый"
    assert lemmatizer_label("uk") == "uk(simplemma)"
    assert lemmatizer_label(None) is None


def test_without_pymorphy_the_signature_names_another_package(monkeypatch):
    pair = "rouge_nlws", ["кошки спят"], ["кошка спит"]
    options = {"tokenizer": "unicode", "lemmatizer": "ru", "rouge_types": ["rouge1"]}
    for package in ("pymorphy3", "simplemma"):
        found = tercet.score(*pair, **options)
        assert (found["rouge1"], f"|lemma:ru({package})|" in found.signature) == (1.0, True)
        monkeypatch.setitem(sys.modules, "pymorphy3", None)


@pytest.mark.parametrize("word", ["по-" * 500, "не" * 10_000, "НЕДО" * 100, "-" * 100_000])
def test_of_russian_words_of_more_than_40_letters_nothing_is_looked_up(word):
    """pymorphy3 takes off prefix after prefix: without end, or in more ways than can be gone through."""
    assert lemmatizer_for("ru")(word) == word.lower()
    found = tercet.score("jaccard_sets", [word], ["а"], lemmatizer="ru", tokenizer="none")
    assert found["jaccard"] == 0.0
    assert lemmatizer_for("ru")("сельскохозяйственно-промышленными") == "сельскохозяйственно-промышленный"


def test_porter_sees_words_in_lower_case():
    options = {"rouge_types": "rouge1", "tokenizer": "none", "use_stemmer": True}
    assert tercet.score("rouge_nlws", ["Hello Cats RUNNING"], ["hello cats Running"], **options)["rouge1"] == 1.0
