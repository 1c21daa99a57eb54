"""Tokenizers give the tokens of the packages they are named after; equal tokens, and only they, have equal ids."""

import random
import unicodedata
from dataclasses import dataclass
from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
import tercet
import texts
from conftest import ZERO_BLEU
from oracles import line_lists, read, sacrebleu_tokens, token_lists, tokens_of
from tercet.corpus.mecab import split_ja
from tercet.errors import InputError, OptionError

SACREBLEU = ("13a", "intl", "zh", "char", "none")
REFERENCES = {name: lambda text, name=name: sacrebleu_tokens(name, text) for name in SACREBLEU} | {
    "13a-unstripped": lambda text: sacrebleu_tokens("13a", text, strip=False),
    "rouge": oracles.rouge_score_tokens,
    "unicode": oracles.unicode_tokens,
}
KINDS = {name: name for name in REFERENCES} | {"function": str.split}
every_reference = pytest.mark.parametrize("name", REFERENCES)
every_kind = pytest.mark.parametrize("tokenizer", KINDS.values(), ids=KINDS)
tricky_texts = st.text("ab01.,-'&;<>\n \u3000\x85\x1cİK中。é", max_size=30)


def awkward_texts(n):
    return [texts.awkward_text(random.Random(seed), 40) for seed in range(n)]


def lines_of(documents, tokenizer):
    return line_lists(*read(documents, tokenizer, lines=True))


def assert_as_reference(name, documents):
    for text, tokens in zip(documents, tokens_of(documents, name), strict=True):
        assert tokens == REFERENCES[name](text), text


@every_reference
def test_as_the_reference_on_many_languages_and_awkward_texts(name):
    assert_as_reference(name, texts.ALL_TEXTS + awkward_texts(1000))


@every_reference
@given(documents=st.lists(texts.any_texts | tricky_texts, max_size=8))
def test_as_the_reference_on_any_text(name, documents):
    assert_as_reference(name, documents)


@every_reference
def test_as_the_reference_for_each_character(name):
    for block in range(0, 0x11000, 0x100):
        characters = [char for char in map(chr, range(block, block + 0x100)) if unicodedata.category(char) != "Cs"]
        assert_as_reference(name, [f"a{char}b1{char}.5" for char in characters])


@given(text=texts.any_texts | tricky_texts)
def test_13a_is_the_rules_of_mteval(text):
    for each in (text, text.rstrip()):
        assert tokens_of([each], "13a-unstripped") == [oracles.mteval_13a(each)]


@pytest.mark.parametrize("name", SACREBLEU)
def test_lowercase_comes_first(name):
    lowered = [sacrebleu_tokens(name, text.lower()) for text in texts.ALL_TEXTS]
    assert tokens_of(texts.ALL_TEXTS, name, lowercase=True) == lowered


def test_prepare_comes_before_lowercase():
    assert tokens_of(["A b"], "none", prepare=lambda text: text.replace("A", "X"), lowercase=True) == [["x", "b"]]


UNREADABLE = ["", "x", "x ", "\ufdd00", "\ud800", "é", "", "x"]


@pytest.mark.parametrize(
    ("tokenizer", "expected"),
    [
        (lambda text: [text, "two words"], ["A b\nc", "two words"]),
        (lambda text: (word for word in text.split()), ["A", "b", "c"]),
        (lambda text: text.replace("b", " - "), ["A", "-", "c"]),
        (
            lambda text: ["", "x", "x ", "\ufdd00", "\ud800", "é", "", "x"],
            ["", "x", "x ", "\ufdd00", "\ud800", "é", "", "x"],
        ),
    ],
    ids=["list with blanks inside tokens", "generator", "string", "what no reading returns"],
)
def test_a_function_may_return_any_iterable_of_tokens_or_a_string(tokenizer, expected):
    assert tokens_of(["A b\nc"], tokenizer) == [expected]


class Splitter:
    def __call__(self, text):
        return ["a", None]


def numbers(text):
    return [1, 2]


def test_a_function_that_returns_no_strings_is_named():
    unnamed = (lambda text: b"ab", lambda text: None)
    for tokenizer, name in (
        (numbers, "numbers"),
        (Splitter(), "Splitter"),
        *((each, "<lambda>") for each in unnamed),
    ):
        with pytest.raises(InputError, match=f"{name} must return a list of strings, got .* for 'a b'"):
            tokens_of(["a b"], tokenizer)


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("ja", "私は毎朝コーヒーを飲みます。", "私 は 毎朝 コーヒー を 飲み ます 。"),
        ("ja", " 雨 です\n", "雨 です"),
        ("jieba", "我来到北京清华大学。", "我 来到 北京 清华大学 。"),
        ("jieba", " 天气 好\n", "天气 好"),
        ("unicode", "हिन्दी में नमस्ते।", "हिन्दी में नमस्ते"),
        ("unicode", "สวัสดีน้ำ", "ส วั ส ดี น้ ำ"),
        ("unicode", "天气好，35.5元", "天 气 好 35 5 元"),
        ("unicode", "雨がABC降る", "雨 が ABC 降 る"),
        ("unicode", "コーヒーABC", "コ ー ヒ ー ABC"),  # the long mark is of no script of its own
        ("unicode", "caf\u00e9 cafe\u0301 o\u0323\u0302 \u1100\u1161", "caf\u00e9 caf\u00e9 \u1ed9 \uac00"),
        ("unicode", "か\u3099ハ\u309aか\u309a", "が パ か\u309a"),
        ("unicode", "Кошка, №12 — ёж!", "Кошка 12 ёж"),
        ("unicode", "l’été it's x_y", "l été it s x y"),
        ("unicode", "क्\u200dष كِتَاب 고양이가", "क्\u200dष كِتَاب 고양이가"),
    ],
)
def test_a_text_is_split_into_these_words(name, text, expected):
    assert tokens_of([text], name) == [expected.split()]


plain_lines = st.lists(st.sampled_from(["the", "cat", ".", "1.5", "x-y", "é", "中。", "\u3000", ""]), max_size=5)
texts_of_lines = st.lists(plain_lines.map(" ".join), max_size=5).map("\n".join)


@every_kind
@given(documents=st.lists(texts_of_lines, max_size=4))
def test_lines_without_tokens_are_none(tokenizer, documents):
    line_by_line = [[line for line in tokens_of(text.split("\n"), tokenizer) if line] for text in documents]
    assert lines_of(documents, tokenizer) == line_by_line


@every_kind
def test_lines_hold_all_tokens(tokenizer):
    tokens, _ = read(awkward_texts(200), tokenizer, lines=True)
    assert tokens.lines.values[-1] == len(tokens.tokens.values) == tokens.tokens.offsets[-1]
    assert (np.diff(tokens.lines.values) > 0).all()
    assert (tokens.lines.values[tokens.lines.offsets] == tokens.tokens.offsets).all()


def test_functions_get_the_whole_text_unless_lines_are_asked_for():
    assert tokens_of(["a b\nc"], lambda text: [text]) == [["a b\nc"]]
    assert lines_of(["a b\n\nc"], lambda text: [text] if text else []) == [[["a b"], ["c"]]]


@pytest.mark.parametrize("metric", ["bleu", "rouge", "google_bleu", "jaccard", "bleu_rouge", "wer"])
def test_a_function_gets_each_text_once_predictions_first(metric):
    predictions, references, calls = ["a b c d e", "a b c d e"], ["a b c d", "a b c d f"], []
    tercet.score(metric, predictions, references, tokenizer=lambda text: calls.append(text) or text.split())
    assert calls == predictions + references


@every_kind
def test_ids_count_up_in_the_order_of_first_occurrence(tokenizer):
    tokens, words = read(texts.ALL_TEXTS + awkward_texts(200), tokenizer)
    assert words == list(dict.fromkeys(chain.from_iterable(token_lists(tokens, words))))
    assert tokens.n_types == len(words)


#: The last three have the same 64-bit hash (found by inverting it).
ALIKE = ["a", "\0a", "\0\0a", "abcdefg", "abcdefgh", "abcdefg\0", "abcdefgh\0"]
ALIKE += ["collideswith-one", "cataajfqkz5dXhC+", "cataakmtL64WgWCz"]


@pytest.mark.parametrize("extra", [0, 20_000], ids=["small table", "table that grows between"])
def test_words_of_like_hash_differ(extra):
    tokens, words = read([" ".join(ALIKE), " ".join(map(str, range(extra))), " ".join(ALIKE[::-1])], "none")
    assert words[: len(ALIKE)] == ALIKE
    assert tokens.n_types == len(ALIKE) + extra
    assert tokens.tokens.values[-len(ALIKE) :].tolist() == list(range(len(ALIKE)))[::-1]


def random_words(n):
    """Return different words of 1 to 30 bytes."""
    rng, words = random.Random(9), {"": None}
    while len(words) <= n:
        letters = "".join(rng.choices("abcdefghijklmnopqrstuvwxyz0123456789.,-éжλ中।ก🎉𝔸", k=30)).encode()
        words[letters[: rng.randrange(1, 31)].decode(errors="ignore")] = None
    return list(words)[1:]


@pytest.mark.parametrize("first", [1, 8000, 30_000, 59_999], ids="{} words in the first document".format)
def test_many_words_have_ids_in_their_order(first):
    words = random_words(60_000)
    tokens, found = read([" ".join(words[:first]), "", " ".join(words[first:]), " ".join(words[::-1])], "none")
    assert found == words
    assert tokens.tokens.values.tolist() == [*range(60_000), *range(59_999, -1, -1)]
    assert tokens.tokens.offsets.tolist() == [0, first, first, 60_000, 120_000]


@every_kind
def test_texts_without_tokens_are_empty(tokenizer):
    for documents in ([], [""], ["", " ", "\n\n", "\u3000"]):
        tokens, words = read(documents, tokenizer, lines=True)
        assert (token_lists(tokens, words), words, tokens.n_types) == ([[] for _ in documents], [], 0)
        assert line_lists(tokens, words) == [[] for _ in documents]


def test_a_function_that_returns_a_mapping_or_a_set_is_refused():
    for answer in ({"input_ids": [1], "attention_mask": [1]}, {"a", "b"}):
        with pytest.raises(InputError, match="must return a list of strings"):
            tercet.score("bleu_multi", ["hello"], ["utterly different"], tokenizer=lambda text, answer=answer: answer)


def test_a_function_sees_the_same_lines_whatever_is_asked():
    found = [
        tercet.score("rouge_nlws", ["exam-\nple x"], ["example x"], tokenizer=str.split, rouge_types=types)["rouge1"]
        for types in (["rouge1"], ["rouge1", "rougeW"])
    ]
    assert found[0] == found[1]


@dataclass
class _AtBlanks:
    """A tokenizer without a hash, as dataclasses have none."""

    lowercase: bool = False

    def __call__(self, text):
        return text.split()


@ZERO_BLEU
@pytest.mark.parametrize("metric", ["bleu", "google_bleu", "bleu_rouge", "rouge", "wer", "jaccard", "diversity"])
def test_a_tokenizer_need_have_no_hash(metric):
    texts = [["a b c", "d e"]] if metric == "diversity" else [["a b c", "d e"], ["a b d", "d e"]]
    assert tercet.score(metric, *texts, tokenizer=_AtBlanks()) == tercet.score(metric, *texts, tokenizer=str.split)


@ZERO_BLEU
@pytest.mark.parametrize("metric", ["bleu_multi", "rouge_nlws"])
def test_none_is_the_default(metric):
    assert tercet.score(metric, ["a b"], ["a c"], tokenizer=None) == tercet.score(metric, ["a b"], ["a c"])


@pytest.mark.parametrize("metric", ["wer", "jaccard", "bleu_rouge", "diversity"])
def test_none_is_no_tokenizer_where_no_package_calls_its_default_so(metric):
    with pytest.raises(OptionError, match=r"'tokenizer' option of .* must be .*Got None"):
        tercet.scorer(metric, tokenizer=None)


def test_japanese_with_nul_and_of_any_length_is_split():
    assert split_ja("東京\x00都に行く")[0] == "東京"
    assert "行く" in split_ja("東京\x00都に行く")
    assert sum(map(len, split_ja("東京都に行く" * 200_000))) == 1_200_000
