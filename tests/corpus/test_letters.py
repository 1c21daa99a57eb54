"""Letters that ROUGE's tokenizer drops: where that changes scores, every metric that has it says so."""

import unicodedata
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tercet
from growth import times_longer
from tercet.compat.rouge_scorer import RougeScorer
from tercet.corpus.letters import FEW, EqualWords, equal_words
from tercet.corpus.transcripts import transcript_change
from tercet.metrics.ter import normalization
from texts import any_texts

VIETNAMESE = ["bà bán bánh bé"], ["bá bận bình bế"]
CZECH = ["Kočka spí na pohovce"], ["Kočka leží na pohovce"]
RUSSIAN = ["Кошка спит на окне.", "Поезд пришёл вовремя."]
ENGLISH = "the owner of the old mill near the river sold a naïve friend the whole farm and went to sea again"


def said_of(metric, predictions, references, **options):
    """Return what scoring warns of."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        tercet.score(metric, predictions, references, **options)
    return [str(each.message) for each in found]


def test_a_long_word_of_ascii_is_searched_in_linear_time():
    def search(size):
        return lambda: equal_words("a" * size + "… é", ["é… " + "a" * size])

    assert times_longer(search, few=1000, many=20_000) < 100  # 20 times as long; its square is 400 times as much


def test_different_words_that_score_1_are_named():
    with pytest.warns(UserWarning, match="rouge_nlws: ") as found:
        result = tercet.score("rouge", *VIETNAMESE)
    assert (result["rouge1"], result["rouge2"], result["rougeL"]) == (1, 1, 1)
    assert [str(each.message) for each in found] == [
        "rouge_nlws: the tokenizer of rouge_score keeps a-z and 0-9 only and drops 4 of 11 letters of the references "
        "(36 %), in 1 of 1 items, the first in item 0; 'bánh' and 'bình' both become 'b nh'. Give "
        "tokenizer='unicode', which keeps them."
    ]  # fmt: skip
    assert said_of("rouge", *VIETNAMESE, tokenizer="unicode") == []


@pytest.mark.parametrize(("metric", "options"), [
    ("rouge", {}), ("rouge", {"tokenizer": "rouge"}), ("rouge", {"compat": "rouge_score"}),
    ("rouge", {"compat": "rouge155"}),
    ("jaccard", {"tokenizer": "rouge"}), ("jaccard", {"variants": {"ascii": {"tokenizer": "rouge"}}}),
    ("bleu_rouge", {"tokenizer": "rouge"}),
])  # fmt: skip
def test_every_metric_with_this_tokenizer_says_so(metric, options):
    (said,) = said_of(metric, *VIETNAMESE, **options)
    assert "'bánh' and 'bình' both become 'b nh'" in said


def test_five_in_a_hundred_letters_are_told_unless_the_user_named_the_tokenizer():
    for options in ({}, {"compat": "rouge_score"}):
        (said,) = said_of("rouge", *CZECH, **options)
        assert "drops 3 of 18 letters of the references (17 %), in 1 of 1 items, the first in item 0. " in said
        assert said.endswith("or tokenizer='rouge' to choose that.")
    assert said_of("rouge", *CZECH, tokenizer="rouge") == []


def test_english_with_a_few_loan_words_is_left_alone():
    texts = [ENGLISH] * 40
    assert said_of("rouge", texts, [text.replace("naïve", "naive") for text in texts]) == []
    assert said_of("rouge", [text.replace("naïve", "naive") for text in texts], texts) == []
    assert said_of("rouge", [f"{ENGLISH} Beyoncé’s résumé"], [f"{ENGLISH} Beyoncé’s resume and résumé"]) == []


def test_a_few_letters_are_told_where_words_become_equal():
    reference = ENGLISH.replace("naïve", "pêche")
    for references in ([reference], [[reference]], [["x", reference]]):
        (said,) = said_of("rouge", [reference.replace("pêche", "pèche")], references)
        assert "drops 1 of 7" in said
        assert "in 1 of 1 items, the first in item 0; 'pèche' and 'pêche' both become 'p che'" in said


def test_the_first_items_of_all_systems_are_compared():
    targets = [ENGLISH.replace("naïve", "plain"), "il a été vu"] * FEW
    systems = {"one": targets, "other": [text.replace("été", "ôté") for text in targets]}
    with pytest.warns(UserWarning, match="in 16 of 32 items, the first in item 1; 'ôté' and 'été' both become 't'"):
        tercet.compare(systems, "rouge", references=targets, test=None)


@pytest.mark.parametrize(("prediction", "reference", "expected"), [
    ("bà", "bá", EqualWords("bà", "bá", "b")),
    ("«Élan»", "élan", None),  # the same word in other marks
    (unicodedata.normalize("NFD", "été"), "été", None),  # and in another form, which is an artefact
    ("bà bá", "bá bà", None),  # each is in both
    ("à", "é", None),  # nothing is left that could match
    ("café", "cafe", None), ("cafe", "café", None),  # accents are missing on one side: these match less, not more
    ("кот", "кит", None),
    ("Größe", "Grüße", EqualWords("größe", "grüße", "gr e")), ("Öl", "Äl", EqualWords("öl", "äl", "l")),
])  # fmt: skip
def test_which_words_become_equal(prediction, reference, expected):
    assert equal_words(prediction, [reference]) == expected
    assert equal_words(prediction, ["nothing", reference]) == expected
    assert (equal_words(reference, [prediction]) is None) == (expected is None)


@given(any_texts, any_texts)
def test_words_that_become_equal_are_different_ones_that_score(prediction, reference):
    found = equal_words(prediction, [reference])
    if found is not None:
        assert found.of_prediction != found.of_reference
        rouge = tercet.Rouge(tokenizer="rouge", rouge_types=["rouge1"])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert rouge([found.of_prediction], [found.of_reference])["rouge1"] == 1


def test_a_stream_and_a_reward_say_it_once():
    def add_parts():
        stream = tercet.Stream("rouge", tokenizer="rouge")
        for _ in range(3):
            stream.add(*VIETNAMESE)
        stream.result()

    def reward_steps():
        reward = tercet.reward("rouge")
        for _ in range(3):
            reward(completions=VIETNAMESE[0], references=VIETNAMESE[1])

    for call in (add_parts, reward_steps):
        with pytest.warns(UserWarning, match="both become 'b nh'") as found:
            call()
        assert len(found) == 1


def test_rouge_scorer_says_it_too():
    scorer = RougeScorer(["rouge1"])
    with pytest.warns(UserWarning, match="'bánh' and 'bình' both become 'b nh'"):
        assert scorer.score(VIETNAMESE[1][0], VIETNAMESE[0][0])["rouge1"].fmeasure == 1
    scorer.score(CZECH[1][0], CZECH[0][0])  # one text with few accents among thousands is no news


@given(
    st.text(st.characters(categories=["L", "M", "N", "P", "Z"]), max_size=30).filter(
        lambda text: not set("<>[]") & {*text}
    )
)
def test_what_changes_the_texts_of_wer_and_ter_drops_no_letter(text):
    """Siblings of that tokenizer: their options remove marks and case alone."""

    def letters(of):
        return [each for each in of.casefold() if unicodedata.category(each)[0] in "LMN"]

    bare = transcript_change(lowercase=True, no_punct=True, standardize=False)
    assert letters(bare(text)) == letters(text.lower())
    for asian_support in (False, True):
        change = normalization(True, True, asian_support, False)
        assert letters(change(text)) == letters(text.lower())


def test_few_references_that_lose_every_letter_are_told_among_many():
    texts = ["Москва 2020", *["a plain English sentence of some length"] * 9]
    with pytest.warns(UserWarning, match="every letter of 1 of 10 references"):
        tercet.score("rouge_nlws", texts, texts)


def test_two_systems_on_one_test_set_are_split_alike():
    """One long English hallucination must not change how the other predictions are read."""
    options = {"rouge_types": "rouge1", "segments": True}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        good = tercet.score("rouge_nlws", RUSSIAN, RUSSIAN, **options)
        bad = tercet.score("rouge_nlws", [RUSSIAN[0], "the " * 90], RUSSIAN, **options)
    assert good.signature == bad.signature
    assert (good["segments"]["rouge1"], bad["segments"]["rouge1"]) == ([1, 1], [1, 0])
