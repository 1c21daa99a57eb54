"""Lists as users have them: changed while they are scored, and with strings that are more than strings."""

import threading

import numpy as np
import pandas as pd
import pytest

import tercet

TEXTS = [f"the cat {number} sat on it" for number in range(9_000)]


@pytest.mark.parametrize("metric", ["bleu_multi", "rouge_nlws", "jaccard_sets"])
def test_a_tokenizer_that_empties_the_list_changes_nothing(metric):
    references = list(TEXTS)

    def split(text):
        del references[100:]
        return text.split()

    found = tercet.score(metric, TEXTS, references, tokenizer=split)
    assert len(references) == 100
    expected = tercet.score(metric, TEXTS, TEXTS, tokenizer=str.split)
    assert list(found.values()) == list(expected.values())


@pytest.mark.parametrize("name", ["bleu", "chrf"])
def test_another_thread_that_changes_the_references_of_an_item_moves_none_to_another(name):
    references, done = [[text, text] for text in TEXTS[:2000]], threading.Event()

    def change():
        while not done.is_set():
            references[0].append("another")
            references[0].pop()

    thread = threading.Thread(target=change)
    thread.start()
    try:
        found = {tercet.score(name, TEXTS[:2000], references, scale=100)[name] for _ in range(20)}
    finally:
        done.set()
        thread.join()
    assert found == {tercet.score(name, TEXTS[:2000], TEXTS[:2000], scale=100)[name]}
    assert found.pop() == pytest.approx(100)


class Loud(str):
    """A string with a method of its own."""

    def lower(self):
        raise AssertionError("a text is read as it is")


@pytest.mark.parametrize("kind", [Loud, np.str_])
def test_strings_of_another_class_are_texts_like_others(kind):
    texts, references = ["The Cat sat on it", "a dog"], [["the cat sat on it", "A Cat"], ["a dog"]]
    of_kind = [kind(texts[0]), texts[1]], [[kind(text) for text in each] for each in references]
    for metric, options in (("bleu_multi", {"lowercase": True}), ("chrf_multi", {"lowercase": True}), ("ter", {})):
        assert tercet.score(metric, *of_kind, **options) == tercet.score(metric, texts, references, **options)


def test_series_with_their_labels_in_another_order_are_told():
    texts, references = pd.Series(["кот спит", "a dog", "it rains"]), pd.Series(["кот спит", "the dog", "it rained"])
    sorted_texts = texts.sort_values()
    message = "indexes of predictions and references have the same labels in another order"
    with pytest.warns(UserWarning, match=message):
        found = tercet.score("chrf", sorted_texts, references)
    assert found["chrf"] == tercet.score("chrf", [*sorted_texts], [*references])["chrf"]
    with pytest.warns(UserWarning, match="indexes of predictions of 'tuned' and references") as caught:
        tercet.compare({"base": texts, "tuned": sorted_texts}, "chrf", references=references)
    assert len(caught) == 1
    for other in (sorted_texts.reset_index(drop=True), sorted_texts.set_axis([7, 8, 9])):
        tercet.score("chrf", other, references)


@pytest.mark.parametrize("name", ["base", "new"])
@pytest.mark.parametrize(("metric", "references"), [("chrf", ["a", "b"]), ("diversity", None)])
def test_an_array_of_two_axes_is_no_list_of_texts(metric, references, name):
    systems = {"base": ["a", "b"], "new": ["a", "c"], name: np.array([["a"], ["b"]])}
    with pytest.raises(tercet.InputError, match=f"predictions of '{name}' must be a list with one text per item"):
        tercet.compare(systems, metric, references=references)


def test_a_data_frame_of_one_column_is_that_column_and_others_are_refused():
    texts, references = ["кот спит", "猫 が 鳴く"], ["кот ест", "猫 が いる"]
    expected = tercet.score("chrf", texts, references)
    frame = pd.DataFrame({"a": texts})
    assert tercet.score("chrf", frame, pd.DataFrame({"b": references})) == expected
    for columns, shown in ({"a": texts, "b": texts}, "2: ['a', 'b']"), ({}, r"0: []"):
        with pytest.raises(tercet.InputError) as caught:
            tercet.score("chrf", pd.DataFrame(columns), references)
        assert f"must be one column, got a DataFrame of {shown}. Give one of them." in str(caught.value)


@pytest.mark.parametrize("words", [["кот", "a"], ("кот", "a"), {"кот", "a"}, frozenset({"кот", "a"})])
def test_stop_words_are_any_collection_of_words(words):
    scorer = tercet.Jaccard(stopwords=words, tokenizer="unicode")
    assert scorer == tercet.Jaccard(stopwords=frozenset({"a", "кот"}), tokenizer="unicode")
    assert scorer(["кот a b"], ["b"])["jaccard"] == tercet.Jaccard()(["b"], ["b"])["jaccard"]


@pytest.mark.parametrize("words", [["кот", 1], [None], {"кот": 1}, 5, iter(["кот"])])
def test_what_is_no_collection_of_words_is_refused(words):
    with pytest.raises(
        tercet.OptionError, match=r"'stopwords' option of jaccard_sets must be a collection of words, "
    ):
        tercet.Jaccard(stopwords=words)
