"""Porter's stemmer: NLTK's stems, word for word; and rows of texts whose words have them."""

import random
import re
from itertools import chain

from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.stem.porter import PorterStemmer

from tercet.engine import _engine, plain
from tercet.engine.plain_porter import IRREGULAR, STEPS
from texts import ALL_TEXTS

NLTK = PorterStemmer()
SHORT = ("s", "y", "e", "ies", "sses", "ss", "ied", "eed", "ed", "ated", "bling", "ing", "ll", "alli", "logi", "sion")
ENDINGS = sorted({*SHORT, *chain.from_iterable(endings for endings, _ in STEPS)})
#: Vowels, consonants that conditions name, others; outside ASCII, letters of two, three and four bytes, and a mark.
LETTERS = "aeiouybcdlmnrstvwxz1éжक猫𝒂\u0301"
TYPES = ("n", 1), ("n", 2), ("L", 0)


def check(words):
    for word in words:
        expected = word if len(word) <= 3 else NLTK.stem(word)
        assert [_engine.porter(word), plain.porter(word)] == [expected, expected], word


def drawn(rng):
    return "".join([*rng.choices(LETTERS, k=rng.randrange(7)), *rng.choices(ENDINGS, k=rng.randrange(4))])


def test_stems_are_nltk_s_in_every_script():
    """Words of 15 languages with every ending, the words that rules do not stem, and words drawn from letters."""
    written = {word for text in ALL_TEXTS for word in re.findall(r"\w+", text.lower())}
    check(word + ending for word in sorted(written) for ending in ("", *ENDINGS))
    check([*IRREGULAR, "sky", "ies", "ieds", "oed", "ing", "s", "", "dies", "éies", "éied", "ééed", "çaßed"])
    rng = random.Random(1)
    check(drawn(rng) for _ in range(20_000))


@settings(max_examples=2000)
@given(st.text(LETTERS, max_size=6), st.lists(st.sampled_from(ENDINGS), max_size=3))
def test_stems_of_letters_that_hit_every_rule_are_nltk_s(beginning, endings):
    check([beginning + "".join(endings)])


@given(st.text(st.characters(exclude_categories=[]).filter(lambda letter: letter == letter.lower()), max_size=9))
def test_any_text_has_one_stem_also_with_half_characters(text):
    check([text + ending for ending in ("", "ed", "ies", "ing") if (text + ending).lower() == text + ending])


def test_a_character_before_an_irregular_word_makes_it_another():
    for word in ("\0\0\0dying", "\0\0skies", "xdying"):
        assert _engine.porter(word) == plain.porter(word) != "die"


def test_long_words_are_stemmed():
    for stem in ("b" * 100_000, "y" * 9_999, "ab" * 9_999, "é" * 9_999):
        check(stem + ending for ending in ("", "ed", "ing", "ational", "ness", "y", "ies", "ion"))


def test_each_of_many_words_is_stemmed_alike_wherever_it_stands():
    """Of more words than are remembered, several chunks and words of more than sixteen bytes."""
    rng = random.Random(2)
    words = sorted({word for word in (drawn(rng) for _ in range(9_000)) if word.isalnum()})
    strings = [" ".join(rng.choices(words, k=rng.randrange(80))) for _ in range(600)]
    for reading in ("none", "rouge", "unicode"):
        given = strings, 300, None, reading, TYPES, 1.0, False, 1
        stems, _, _ = _engine.rouge_rows(*given, porter=True)
        assert stems.tolist() == plain.rouge_rows(*given, porter=True)[0].tolist()
        assert stems.tolist() != _engine.rouge_rows(*given)[0].tolist()
    stemmed = [" ".join(map(plain.porter, text.split())) for text in strings]
    given = 300, None, "none", TYPES, 1.0, False, 1
    assert _engine.rouge_rows(strings, *given, True)[0].tolist() == _engine.rouge_rows(stemmed, *given)[0].tolist()
