"""Where texts are cut, what letters they have, and how ROUGE types are named."""

import re
import string
import time
import unicodedata
from functools import reduce
from operator import add

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import texts
from tercet.corpus.letters import LetterCounts, count_letters
from tercet.corpus.reading import read_batch
from tercet.corpus.sentences import split_sentences, truncate_bytes, truncate_words
from tercet.errors import OptionError
from tercet.metrics.rouge.options import DEFAULT_TYPES, RougeType, parse_types

MARKED = [
    "The tide is low.|Boats rest on the sand!|Will it turn?|Nobody knows…|We wait",
    "¿Dónde vive Ana?|Vive en Quito.|¡Qué bien!|“Sí”, dijo él.",
    "Снег выпал ночью.|Дети рады!|А коты?|Спят…|«Тише.»|Все молчат.",
    "今天下雨。|路很滑！|你去吗？|我不去。",
    "雨が降る。|寒いね！|行きますか？|「いいえ。」|はい。",
    "बारिश हुई।|सड़क गीली है।|क्या तुम जाओगे?|नहीं॥|अच्छा।",
    *("“It rains.”|She stays.", "(It rains.)|She stays.", "'Really?'|“Yes!”|“No.”", "What?!|No...|Well"),
    *("他说：“我来了。”|她走了。", "(雨。)|寒い。"),
    # no end of a sentence
    "Dr. Lee met Mrs. Ray and Prof. Oh at St. Ives.",
    "The U.S. Army, e.g. No. 7 (i.e. J. R. Hill) vs. Them.",
    "Он живёт на ул. Мира, т.е. у г. Орла.",
    "La Sra. Paz y el Sr. Gil",
    "It costs 3.5 km or 1,250.50 at 7.30.",
    "He said “Stop!” and left … at once.",
    "See example.org/?q=1 for Yahoo!News today.",
    *("One sentence.", "No mark", "", " "),
    # nothing behind the last one
    *("Es regnet!!", "雨。。。", "他说：“我来了。”", "नहीं॥॥", "Why?!”", "雨。 "),
    # lines already
    *("One. Two.\nThree. Four.", "雨。\n寒い。雪。", "A.\n\nIt rains. It snows."),
]
WIDE_MARKED = "今天下雨。|路很滑！|我不去？|雨が降る｡|「寒い。」|はい।|बारिश हुई।|नहीं॥|अच्छा"


def test_texts_are_cut_where_sentences_end():
    for between in (" ", "  ", "\t", "\u00a0"):
        for marked in MARKED:
            assert split_sentences(marked.replace("|", between)) == marked.replace("|", "\n")
    assert split_sentences(WIDE_MARKED.replace("|", "")) == WIDE_MARKED.replace("|", "\n")  # they need no blank
    assert split_sentences("It rains. It snows.\n") == "It rains.\nIt snows.\n"


# The definition: an end is looked for from every character, which takes the square of a run of marks.
CLOSERS, WIDE = "\"'”’»)\\]」』】）", "。！？｡।॥؟۔።"
AN_END = re.compile(
    rf"(?P<mark>[.!?…]+[{CLOSERS}]*)\s+(?=\S)|(?P<wide>[{WIDE}]+[{CLOSERS}]*)(?![{WIDE}{CLOSERS}])\s*(?=\S)"
)
AN_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:[^\W\d]|Dr|Fig|Mr|Mrs|Ms|Prof|St|No|Nr|Sr|Sra|vs|e\.g|i\.e|U\.S|т\.е|ул|г)\.$"
)


def defined(text):
    def ended(match):
        last_words = text[max(0, match.end("mark") - 12) : match.end("mark")]
        if match["mark"] and (text[match.end()].islower() or AN_ABBREVIATION.search(last_words)):
            return match[0]
        return match[0].rstrip() + "\n"

    return text if "\n" in text.strip() else AN_END.sub(ended, text)


@settings(max_examples=1000)
@given(st.text("aA.!…。」॥) \t\n", max_size=20) | st.text(f". A\u00a0{WIDE}{CLOSERS}", max_size=20) | texts.any_texts)
def test_the_ends_are_those_of_the_definition(text):
    assert split_sentences(text) == defined(text)


@pytest.mark.parametrize(("mark", "closer"), [(".", ")"), ("!?…", "”"), ("。", "」"), ("॥۔", "'")])
def test_time_is_linear(mark, closer):
    n = 80_000  # the definition takes a minute and more for runs of so many
    marks = (mark * n)[:n]
    shapes = [mark * n, marks + " " * n, marks + closer * n, marks + closer * n + " " * n, (mark + closer) * n]
    for text in [*shapes, "a" + " " * n + mark, (mark + " ") * n]:
        start = time.process_time()
        cut = split_sentences(text)
        assert time.process_time() - start < 5
        assert "".join(cut.split()) == "".join(text.split())


CUT_TO_WORDS = [
    ("one two\nthree four", 3, "one two\nthree"), ("one two\nthree", 2, "one two"),
    (" one  two three", 2, "one two"), ("one\n\ntwo three", 2, "one\n\ntwo"),
    ("one  two\n", 5, "one  two\n"), ("один два три", 2, "один два"), ("", 3, ""),
]  # fmt: skip
CUT_TO_BYTES = [
    ("one two\nthree", 9, "one two\nth"), ("one\ntwo", 3, "one"), ("one\n\ntwo", 4, "one\n\nt"),
    ("short\n", 50, "short\n"), ("eñe", 2, "e"), ("eñe", 3, "eñ"), ("天气", 5, "天"), ("a🎉b", 4, "a"), ("", 3, ""),
]  # fmt: skip


def test_texts_are_cut_to_words_and_to_bytes():
    assert [truncate_words(text, limit) for text, limit, _ in CUT_TO_WORDS] == [kept for *_, kept in CUT_TO_WORDS]
    assert [truncate_bytes(text, limit) for text, limit, _ in CUT_TO_BYTES] == [kept for *_, kept in CUT_TO_BYTES]


@given(texts.any_texts | texts.texts, st.integers(1, 30))
def test_what_is_kept_begins_the_text(text, limit):
    by_bytes = truncate_bytes(text, limit)
    assert text.startswith(by_bytes)
    assert len(by_bytes.replace("\n", "").encode()) <= limit
    words = truncate_words(text, limit).split()
    assert words == text.split()[:limit]


UNSPACED = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR", "IDEOGRAPHIC")


def is_other(character):
    return ord(character) > 127 and unicodedata.category(character)[0] in "LM"


def plain_counts(documents):
    other = [each for each in "".join(documents) if is_other(each)]
    ascii_ = [sum(each in string.ascii_letters for each in text) for text in documents]
    lost = sum(any(map(is_other, text)) and not plain for text, plain in zip(documents, ascii_, strict=True))
    without_blanks = sum(unicodedata.name(each, "").startswith(UNSPACED) for each in other)
    return LetterCounts(sum(ascii_), len(other), without_blanks, lost, len(documents))


def counted(documents):
    return count_letters(read_batch(["Привет 北京 abc" for _ in documents], documents))


@given(st.lists(st.lists(texts.any_texts, max_size=3), max_size=4))
def test_letters_of_parts_add_up(parts):
    whole = [text for part in parts for text in part]
    assert counted(whole) == plain_counts(whole) == reduce(add, map(counted, parts), LetterCounts(0, 0, 0, 0, 0))


def test_letters_of_the_references_of_each_language():
    for language in texts.PAIRS:
        predictions, references = texts.all_pairs([language])
        counts = count_letters(read_batch(predictions, references))
        assert counts == plain_counts([text for each in references for text in each])
        assert counts.mostly_dropped == (language not in (*texts.LATIN, "tr", "emoji"))
        assert counts.mostly_without_blanks == (language in ("zh", "ja", "th"))
    for ascii_, other, dropped in ((0, 0, False), (5, 5, False), (5, 6, True), (0, 1, True)):  # more than half
        assert LetterCounts(ascii_, other, 0, 0, 1).mostly_dropped is dropped
    for without_blanks, mostly in ((40, False), (50, False), (51, True)):  # of 100 letters
        assert LetterCounts(20, 80, without_blanks, 0, 1).mostly_without_blanks is mostly


TYPES = {
    "rouge1": {"kind": "n", "order": 1}, "rouge9": {"kind": "n", "order": 9},
    "rougeL": {"kind": "L"}, "rougeLsum": {"kind": "Lsum"}, "rougeW": {"kind": "W", "weight": 1.2},
    "rougeW1": {"kind": "W", "weight": 1.0}, "rougeW1.75": {"kind": "W", "weight": 1.75},
    "rougeS": {"kind": "S", "gap": -1}, "rougeS0": {"kind": "S", "gap": 0},
    "rougeSU": {"kind": "SU", "gap": -1}, "rougeSU12": {"kind": "SU", "gap": 12},
}  # fmt: skip


def test_types_are_read_in_their_order():
    assert parse_types(tuple(TYPES)) == tuple(RougeType(name, **parts) for name, parts in TYPES.items())
    assert parse_types("rougeS4") == parse_types(["rougeS4"]) == parse_types({"rougeS4": 1})
    assert parse_types(None) == parse_types(DEFAULT_TYPES)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        *(
            ([name], f"has no type {name!r}.*The forms are rouge1 to rouge9")
            for name in ("rouge0", "rouge10", "rouge", "ROUGE1", "rougeW0.9", "rougeW-1", "rougeS-1", "", 1)
        ),
        ("rougel", r"Did you mean 'rougeL'\?"),
        (["rougeLSum"], r"Did you mean 'rougeLsum'\?"),
        (7, "must be a list of at least one name, got 7"),
    ],
)
def test_what_is_no_type_is_refused(names, message):
    with pytest.raises(OptionError, match=message):
        parse_types(names)


def test_many_sentences_are_found_in_linear_time():
    assert split_sentences("It rains today. " * 30_000).count("\n") == 29_999
