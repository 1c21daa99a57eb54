"""What one side of a corpus alone has, such as HTML entities: found, counted, named once, and free of cost else."""

import unicodedata
import warnings
from functools import partial
from itertools import permutations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tercet
from growth import times_longer
from tercet.base.scoring import score_batch
from tercet.corpus import artefacts
from tercet.corpus.artefacts import KINDS, Artefacts, Items, Watch, artefacts_of, count
from tercet.corpus.corpus import Corpus, sampled
from tercet.corpus.reading import read_batch
from tercet.streaming.rows import CountedParts

#: Clean texts, and for each kind what makes an artefact of one.
CLEAN = [
    "Der Zug fährt um 7:05 Uhr ab.",
    "Żółw idzie wolno",
    "猫が窓辺で寝ている",
    "किताब मेज़ पर है",
    "the cat sat",
    "👩‍🚀 flies",
]
DIRT = {
    "a model's thinking": "<think>\nhm\n</think>\n{}",
    "special tokens": "{}<|im_end|>",
    "HTML entities": "&quot;{}&#39;",
    "Markdown code fences": "```\n{}\n```",
    "promptfoo's verdicts": "[FAIL] {}",
    "prefixes of an answer": "Sure, here is the translation: {}",
    "characters decoded wrongly (mojibake)": "{} â€™ Ã©",
    "accents apart from their letters (NFD)": "cafe\u0301 {}",
    "invisible characters": "\ufeff{}",
    "full-width letters or digits": "{} ２０２６",
    "lists written as text": "['{}', 'ein Satz']",
    "texts joined by |||": "{} ||| ein Satz",
    "marks of subwords": "{} Son@@ ne",
}


def caught(call):
    """Return what a call warns of."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        call()
    return [str(each.message) for each in found if issubclass(each.category, UserWarning)]


def of_texts(predictions, references):
    return caught(lambda: tercet.score("chrf", predictions, references))


def test_every_kind_has_a_text_here():
    assert list(DIRT) == [kind.name for kind in KINDS]


@pytest.mark.parametrize("name", DIRT)
@pytest.mark.parametrize("text", CLEAN)
def test_each_kind_is_found_on_either_side_and_in_any_script(name, text):
    dirty = DIRT[name].format(text)
    (of_predictions,) = of_texts([text, dirty], [text, text])
    assert f"the predictions have {name} in 1 of 2 items, the first in item 1 (" in of_predictions
    assert ", which no reference has: they are scored as text. " in of_predictions
    (of_references,) = of_texts([text, text], [[text], [text, dirty]])
    assert f"the references have {name} in 1 of 2 items, the first in item 1 (" in of_references
    assert ", which no prediction has: they are scored as text. " in of_references
    assert of_texts([text, dirty], [dirty, text]) == of_texts([text], [text]) == []


@pytest.mark.parametrize("text", [
    "a < b and b > c", "AT&T; R&D", "[think] of it", "we [PASS] on", "[pass] me",
    "Q: why? A: so.", "He said: here it is", "`x` is code", "SÃO PAULO", "Â",
    "10 € kostet’s", "नमस्ते क्\u200dष", "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "می\u200cخواهم", "价格：5元",
    "x\u0304 and q\u0307", "Über", "<b>bold</b>", "the answer is: 4", "résumé",
])  # fmt: skip
def test_what_people_write_is_none(text):
    assert of_texts([text], ["nothing of it"]) == []


@pytest.mark.parametrize(("text", "shown"), [
    ("</think> Ja", "</think>"), ("<Think>ну</Think> да", "<Think>"), ("<reasoning>嗯</reasoning>好", "<reasoning>"),
    ("[THINK]उम्[/THINK]हाँ", "[THINK]"),
    ("<|channel|>analysis<|message|>نعم", "<|channel|>"),
    ("Ja</s>", "</s>"), ("<｜end▁of▁sentence｜>", "<｜end▁of▁sentence｜>"),
    ("a&nbsp;b", "&nbsp;"),
    ("a&#x27;b", "&#x27;"), ("**Answer:** 4", "**Answer:"), ("Final answer : 4", "Final answer :"),
    ("Übersetzung: ja", "Übersetzung:"),
    ("译文：好", "译文："), ("Here's the summary you asked for:\nit", "Here's the summary you asked for:"),
    ("Ð¿Ñ€Ð¸", "Ð¿"),
    (unicodedata.normalize("NFD", "한국"), unicodedata.normalize("NFD", "한국")), ("か\u3099", "か\u3099"),
    ("wait￭ ing ￭.", "￭"), ("Жду￭ .", "￭"), ("▁Ich▁warte", "▁"), ("מח@@ כה", "@@"),
    ("▁▁a", "▁"), ("a▁ \u3000▁b", "▁"), ("a## ##b", "##b"), ("a ||| b|||c", "a ||| b|||c"),
    ("|||a \n|||\nb c", "|||a \n|||\nb"),
    ("\u200fשלום", "\u200f"), ("سلام\u200e", "\u200e"), ("\u202bنعم\u202c", "\u202b"), ("\u2067כן\u2069", "\u2067"),
    ("so\u00adft", "\u00ad"), ("a\u200db", "a\u200d"), ("ＮＨＫ", "ＮＨＫ"),
])  # fmt: skip
def test_other_forms_of_them(text, shown):
    (message,) = of_texts([text], ["x"])
    assert repr(shown) in message


def test_a_long_text_without_blanks_is_searched_in_linear_time():
    def search(size):
        return lambda: artefacts.kinds_in("字" * size + " 字 |||")

    assert times_longer(search, few=1000, many=20_000) < 100  # 20 times as long; its square is 400 times as much


def test_tokens_of_channels_are_not_warned_of_a_second_time():
    text = "<|channel|>analysis<|message|>Μα<|end|><|start|>assistant<|channel|>final<|message|>Ναι<|return|>"
    (message,) = of_texts([text], ["Ναι"])
    assert "the predictions have a model's thinking in 1 of 1 items" in message
    assert "normalize='think' does that" in message


def test_like_measure_is_no_warning_and_much_more_is():
    clean, dirty = ["x = 1"] * 10, ["```x = 1```"] * 10
    assert of_texts(dirty, dirty) == []
    assert of_texts(dirty[:4] + clean[:6], clean[:9] + dirty[:1]) == []
    (message,) = of_texts(dirty[:5] + clean[:5], clean[:9] + dirty[:1])
    assert "in 5 of 10 items, the first in item 0 ('```'), which the references have in 1 only" in message


def test_the_score_stays_and_metrics_of_one_text_do_not_ask():
    texts, dirty = ["a cat sat", "a dog"], ["a cat sat<|im_end|>", "a dog"]
    with pytest.warns(UserWarning, match="special tokens"):
        score = tercet.score("ter", dirty, texts)["ter"]
    assert score == pytest.approx(100 / 5)
    assert caught(lambda: tercet.score("diversity", dirty)) == []


def test_columns_of_arrow_are_searched_as_they_are():
    texts = [*CLEAN, *CLEAN]
    for name, form in DIRT.items():
        dirty = [form.format(text) if number > 7 else text for number, text in enumerate(texts)]
        in_lists = of_texts(dirty, texts)
        assert name in in_lists[0]
        assert of_texts(pa.array(dirty), pa.array(texts)) == in_lists
        assert of_texts(pa.array(texts), pa.array(dirty)) == of_texts(texts, dirty)


@pytest.mark.parametrize("as_column", [list, pa.array])
@pytest.mark.parametrize("text", ["the cat sat on the mat", "кошка сидит на окне"])
def test_of_a_large_corpus_a_sample_is_searched_and_then_all_are_counted(as_column, text):
    n = 12_345
    for name, form in DIRT.items():
        dirty = [form.format(text) if number % 50 == 7 else text for number in range(n)]
        corpus = Corpus(as_column(dirty), as_column([text] * n))
        (message,) = caught(partial(artefacts.warn_of_texts, corpus))
        assert f"{name} in 247 of 12,345 items, the first in item 7" in message


def test_two_metrics_of_one_corpus_warn_once():
    corpus = read_batch(["a<|im_end|>"], ["a"])
    scorers = [tercet.scorer("chrf"), tercet.scorer("ter")]
    assert len(caught(lambda: [score_batch(scorer, corpus) for scorer in scorers])) == 1


@pytest.mark.parametrize("in_parts", [False, True])
@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_what_is_warned_of_depends_not_on_the_order_of_metrics(order, in_parts):
    """What is in an object of JSON is seen once it is taken out; what was said of other forms is not said again."""
    metrics = [
        tercet.scorer("chrf"),
        tercet.scorer("ter", normalize="json:t"),
        tercet.scorer("wer", normalize="json:t"),
    ]
    batch = read_batch(['{"t": "caf\\u00c3\\u00a9 &amp;"}'] * 4, [f'{{"t": "caf\\u00e9 {n}"}}' for n in range(4)])

    def results():
        in_order = [metrics[number] for number in order]
        if not in_parts:
            return [score_batch(metric, batch) for metric in in_order]
        counted = [CountedParts(metric) for metric in in_order]
        for each in counted:
            each.add(each.count(batch))
        return [each.result() for each in counted]

    messages = sorted(caught(results))
    of_artefacts = [message for message in messages if "mojibake" in message or "HTML" in message]
    assert [message.partition(" in ")[0] for message in of_artefacts] == [
        "the predictions have HTML entities", "the predictions have characters decoded wrongly (mojibake)"
    ]  # fmt: skip


@pytest.mark.parametrize("names", [("chrf", "rouge_nlws"), ("rouge_nlws", "chrf")])
def test_a_metric_that_ignores_case_leaves_the_warning_to_those_that_do_not(names):
    batch = read_batch([f"der hafen {n} ruht" for n in range(9)], [f"Der Hafen {n} ruht" for n in range(9)])
    (message,) = caught(lambda: [score_batch(tercet.scorer(name), batch) for name in names])
    assert "no capital letter" in message


OUTPUTS = ["the cat sat on a mat", "it rains", "a dog ran off"] * 4
SYSTEMS = {"plain": [f"{text} {n}" for n, text in enumerate(OUTPUTS)]}
SYSTEMS["tuned"] = [f"<think>so</think>{text}" if n % 3 == 2 else text for n, text in enumerate(SYSTEMS["plain"])]
TARGETS = [f"{text} {n}" for n, text in enumerate(["the cat sat on the mat", "it rained", "the dog ran off"] * 4)]


def test_a_comparison_names_the_system_once_for_all_metrics():
    found = []
    said = caught(
        lambda: found.append(tercet.compare(SYSTEMS, ["chrf", "ter", "rouge"], references=TARGETS, test=None))
    )
    assert said == found[0].warnings == [
        "test set: the system 'tuned' has a model's thinking in 4 of 12 segments, the first in segment 3 "
        "('<think>'), which no reference has: they are scored as text. Cut what a model thinks before it answers. "
        "normalize='think' does that."
    ]  # fmt: skip


def test_a_comparison_says_which_systems_lack_what_references_have():
    escaped = [f"&quot;{text}&quot;" for text in TARGETS]
    systems = {"one": [f"{text} so" for text in TARGETS], "other": SYSTEMS["plain"]}
    (message,) = caught(lambda: tercet.compare(systems, "chrf", references=escaped, test=None))
    assert (
        "the references have HTML entities in 12 of 12 segments, the first in segment 1 ('&quot;'), which no system"
        in message
    )
    systems["escaped"] = [f"&quot;{text}&quot;" for text in SYSTEMS["plain"]]
    (message,) = caught(lambda: tercet.compare(systems, "chrf", references=escaped, test=None))
    assert "which the systems 'one' and 'other' have in none" in message


def test_many_systems_with_an_artefact_share_a_warning():
    systems = {f"run{n:02}": [f"{text} &amp; {n}" for text in SYSTEMS["plain"]] for n in range(11)}
    systems["run03"] = [*systems["run03"][:5], *SYSTEMS["plain"][5:]]
    (message,) = caught(lambda: tercet.compare(systems, "chrf", references=TARGETS, test=None))
    names = ", ".join(f"'run{n:02}'" for n in range(8))
    assert message.startswith(
        f"test set: the systems {names} and 3 more have HTML entities in 5 to 12 of 12 segments, the first in "
        "segment 1 ('&amp;'), which no reference has: they are scored as text."
    )
    three = {name: systems[name] for name in ["run00", "run01", "run03"]}
    assert len(caught(lambda: tercet.compare(three, "chrf", references=TARGETS, test=None))) == 3


def test_a_correlation_and_a_paired_test_too():
    grades = {name: [float(n) for n in range(12)] for name in SYSTEMS}
    said = caught(lambda: tercet.correlate(SYSTEMS, ["chrf", "ter"], references=TARGETS, grades=grades))
    (message,) = [each for each in said if "a model's thinking" in each]
    assert "the system 'tuned' has a model's thinking in 4 of 12 segments" in message
    assert len([each for each in said if "<think>" in each]) == 1


@given(st.data())
def test_artefacts_of_parts_add_up(data):
    pieces = st.sampled_from([*CLEAN, *(form.format("x") for form in DIRT.values())])
    texts = data.draw(st.lists(st.tuples(pieces, st.lists(pieces, min_size=1, max_size=2)), min_size=1, max_size=9))
    cut = data.draw(st.integers(0, len(texts)))

    def of(part, first):
        return count(KINDS, [text for text, _ in part], [targets for _, targets in part], first)

    whole = of(texts, 0)
    assert of(texts[:cut], 0) + of(texts[cut:], cut) == whole
    assert of(texts[:cut], 0) + of(texts[cut:], 0).numbered(cut) == whole
    assert Artefacts.of_plain(whole.plain()) == whole
    assert Items().plus(Items(1, 2, "x")) == Items(1, 2, "x").plus(Items()) == Items(1, 2, "x")


@given(st.lists(st.tuples(st.text(), st.text()), min_size=1, max_size=4))
def test_the_search_overlooks_nothing_in_any_text(pairs):
    pairs = [tuple(text.encode(errors="ignore").decode().replace("\0", "") for text in pair) for pair in pairs]
    for texts in (pairs, pairs * 400):  # short, and long
        predictions, references = map(list, zip(*texts, strict=True))
        expected = count(KINDS, predictions, [[text] for text in references])
        (found,) = artefacts_of(Corpus(predictions, references)) or [Artefacts(len(predictions))]
        assert found == expected


def test_of_decomposed_text_the_word_itself_is_shown_and_what_nfc_writes_otherwise_is_none():
    (message,) = of_texts(["the cafe\u0301"], ["the café"])
    assert "'cafe\u0301'" in message
    assert of_texts(["5 \u2126 a"], ["5 Ω a"]) == []  # the sign of ohm, for which NFC has a letter of the same length


@pytest.mark.parametrize(("references", "warned"), [(["the", "cat", "lay"], True), (["the", "dog", "lay"], False)])
def test_references_are_tokens_where_more_than_half_of_the_prediction_is_among_them(references, warned):
    message = artefacts.token_list_warning(Corpus(["the cat lay down"], references, np.array([0, 3])))
    assert (message is not None) is warned


def test_watches_of_the_same_texts_warn_once_between_them():
    corpus = read_batch([DIRT["HTML entities"].format(text) for text in CLEAN], CLEAN)
    lists = read_batch(["a cat sat"] * 3, [["a", "cat", "sat"]] * 3)
    warned = set()
    for watch, n_messages in ((Watch(warned), 1), (Watch(warned), 0), (Watch(), 1)):
        for texts in (corpus, lists):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                watch.see(texts)
                watch.see(texts)
            assert len(caught) == n_messages


@pytest.mark.parametrize(
    ("predictions", "references", "n_items", "side"),
    [
        (1, 0, 500, "predictions"), (1, 0, 501, None), (0, 1, 500, "references"), (0, 1, 501, None),
        (4, 1, 10, None), (5, 1, 10, "predictions"), (1, 4, 10, None), (1, 5, 10, "references"), (3, 3, 9, None),
        (0, 0, 0, None),
    ],
)  # fmt: skip
def test_a_side_has_it_alone_in_one_of_500_items_and_more_than_four_times_as_often(
    predictions, references, n_items, side
):
    sides = [{"HTML entities": Items(number, 0, "&amp;")} for number in (predictions, references)]
    found = Artefacts(n_items, *sides)
    assert found.alone("HTML entities") == side
    assert list(found.messages()) == (["HTML entities"] if side else [])


def test_items_of_parts_are_counted_and_the_first_is_shown():
    few, many = Items(2, 9, "früh"), Items(3, 4, "&nbsp;")
    assert few.plus(many) == many.plus(few) == Items(5, 4, "&nbsp;")
    assert few.plus(Items()) == Items().plus(few) == few
    assert Items().plus(Items()) == Items()
    found = Artefacts(20, {"HTML entities": few}, {"special tokens": many})
    assert found.numbered(100, 3).predictions == {"HTML entities": Items(2, 127, "früh")}
    assert found.numbered(100).references == {"special tokens": Items(3, 104, "&nbsp;")}
    assert found.names() == ["special tokens", "HTML entities"]
    assert Artefacts.of_plain(found.plain()) == found
    assert artefacts.span_in_words([1000, 2]) == "2 to 1,000"
    assert artefacts.span_in_words([1000, 1000]) == "1,000"


def test_messages_say_what_the_other_side_has():
    both = Artefacts(2000, {"HTML entities": Items(1500, 1200, "&amp;")}, {"HTML entities": Items(1, 3, "&lt;")})
    (message,) = both.messages("the system 'a' has", "segment").values()
    assert message.startswith(
        "the system 'a' has HTML entities in 1,500 of 2,000 segments, the first in segment 1,200 ('&amp;'), which "
        "the references have in 1 only: they are scored as text. "
    )
    assert message.endswith("normalize='html' does that.")
    (turned,) = Artefacts(2000, both.references, both.predictions).messages().values()
    assert "the references have HTML entities in 1,500 of 2,000 items" in turned
    assert "which the predictions have in 1 only" in turned


def test_systems_of_one_name_are_told_apart_by_their_numbers():
    corpus = Corpus(["кот", "a<|im_end|>", "猫", "b"], ["кот", "a"], None, ("predictions", "predictions"))
    (message,) = caught(lambda: artefacts.warn_of_texts(corpus))
    assert message.startswith("the predictions of system 1 have special tokens in 1 of 2 items, the first in item 1")
    turned = Corpus(["猫", "b", "кот", "a<|im_end|>"], ["кот", "a"], None, ("predictions", "predictions"), 70)
    (message,) = caught(lambda: artefacts.warn_of_texts(turned))
    assert message.startswith("the predictions of system 2 have special tokens in 1 of 2 items, the first in item 71")


@pytest.mark.parametrize(
    ("prediction", "references", "is_warned"),
    [
        ("die Katze schläft", ["die", "Katze", "schläft"], True),
        ("die Katze schläft", ["die", "Katze"], False),
        ("die Katze", ["die", "Katze", "schläft"], False),
        ("die Katze ruht", ["die", "Katze", "schläft"], True),
        ("der Kater schläft hier", ["hier", "der", "Katze"], False),
        ("die Katze schläft", ["die", "Katze schläft", "hier"], False),
        ("猫在睡", ["猫", "在", "睡"], True),
        ("猫在", ["猫", "在", "睡"], False),
    ],
)
def test_references_are_tokens_where_they_are_three_words_that_most_of_the_prediction_has(
    prediction, references, is_warned
):
    corpus = read_batch([prediction], [references])
    assert (artefacts.token_list_warning(corpus) is not None) is is_warned


@pytest.mark.parametrize(("as_column", "fewest", "n_sampled"), [(list, 2_000, 1_000), (pa.array, 1_000, 500)])
def test_every_text_is_searched_where_there_are_less_than_twice_as_many_as_in_a_sample(as_column, fewest, n_sampled):
    passed_over = sorted(set(range(fewest)) - set(sampled(fewest, n_sampled)))[:10]
    for n, is_found in [(fewest - 1, True), (fewest, False)]:
        dirty = ["a cat&quot;" if number in passed_over else "a cat" for number in range(n)]
        corpus = Corpus(as_column(dirty), as_column(["a cat"] * n))
        assert bool(caught(partial(artefacts.warn_of_texts, corpus))) is is_found


@pytest.mark.parametrize("as_column", [list, pa.array])
def test_the_first_text_and_the_last_are_searched_too(as_column):
    texts = ["a cat", "a dog", "a cow"]
    for item, dirty in enumerate([["a cat&quot;", *texts[1:]], [*texts[:2], "a cow&quot;"]]):
        for sides in ((dirty, texts), (texts, dirty)):
            (message,) = caught(partial(artefacts.warn_of_texts, Corpus(*map(as_column, sides))))
            assert f"HTML entities in 1 of 3 items, the first in item {2 * item}" in message


def test_of_systems_that_share_a_warning_the_first_artefact_of_all_is_shown():
    late = [*SYSTEMS["plain"][:3], *(f"{text} &lt;" for text in SYSTEMS["plain"][3:])]
    early = [*SYSTEMS["plain"][:1], *(f"{text} &amp;" for text in SYSTEMS["plain"][1:])]
    systems = {**{f"late{n}": late for n in range(4)}, "early": early}
    (message,) = caught(lambda: tercet.compare(systems, "chrf", references=TARGETS, test=None))
    assert "in 9 to 11 of 12 segments, the first in segment 2 ('&amp;')" in message


def test_an_artefact_is_shown_in_up_to_40_characters():
    (message,) = of_texts([f"['{'x' * 60}', 'y']"], ["x"])
    shown = message.partition("(")[2].partition(")")[0]
    assert len(shown) == 40
    assert shown.endswith("…")
