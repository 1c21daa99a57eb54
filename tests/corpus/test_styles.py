"""Systems in lower case or in tokens beside texts as people write them, refusals, and JSON on both sides."""

import json
import time
import warnings

import pyarrow as pa
import pytest

import tercet
from suite import COMPARING, SUITE
from tercet.corpus import styles
from tercet.registry import metric_class

TEXTS = {
    "de": [
        "Der Hafen schläft, sagt Anna.",
        "Am Kai liegt ein Boot.",
        "Möwen schreien laut.",
        "Es regnet, wie immer.",
    ],
    "ru": ["Гавань спит, говорит Анна.", "У причала стоит лодка.", "Чайки кричат.", "Идёт дождь, как всегда."],
    "el": ["Το λιμάνι κοιμάται, λέει.", "Η βάρκα είναι εδώ.", "Οι γλάροι φωνάζουν.", "Βρέχει, όπως πάντα."],
    "hy": ["Նավը այստեղ է, ասում է.", "Ճայերը բարձր են գոռում.", "Անձրև է գալիս, ինչպես միշտ.", "Ծովը հանգիստ է."],
}
#: Of scripts without capital letters.
UNICASE = {
    "zh": ["港口很安静，安娜说。", "码头有一条船。", "海鸥在叫。", "像往常一样，下雨了。"],
    "ar": ["الميناء هادئ، تقول آنا.", "يوجد قارب هنا.", "النوارس تصرخ.", "تمطر كالعادة."],
}


def references(language):
    return [f"{text[:-1]} {number}{text[-1]}" for number in range(3) for text in {**TEXTS, **UNICASE}[language]]


def near(language):
    """Return texts that are much as the references: a number differs."""
    return [text.replace("2", "7") for text in references(language)]


def tokenized(text):
    for mark in ",.":
        text = text.replace(mark, f" {mark}")
    return text.replace("。", " 。").replace("，", " ， ")


def said(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [str(each.message) for each in caught]


def of_score(texts, targets, metric="chrf", **options):
    return said(lambda: tercet.score(metric, texts, targets, **options))


def of_comparison(systems, targets, metric="chrf", **options):
    return said(lambda: tercet.compare(systems, metric, references=targets, test=None, **options))


@pytest.mark.parametrize("column", [list, pa.array])
@pytest.mark.parametrize("language", TEXTS)
def test_a_system_in_lower_case(language, column):
    texts, targets = [text.lower() for text in near(language)], references(language)
    (message,) = of_score(column(texts), column(targets))
    assert message.startswith(
        "the predictions have no capital letter, and the references write some of the same words "
    )
    assert f"with one, such as '{targets[0].split()[0]}': each counts as another word. " in message
    assert message.endswith("both sides in lower case, as normalize='lower' does.")
    assert of_score(texts, targets, normalize="lower") == []
    assert of_score(near(language), targets) == of_score(texts, [text.lower() for text in targets]) == []


@pytest.mark.parametrize("language", [*TEXTS, *UNICASE])
def test_a_system_in_tokens(language):
    targets, texts = references(language), [tokenized(text) for text in near(language)]
    (message,) = of_comparison({"raw": near(language), "tok": texts}, targets)
    assert message.startswith("test set: the system 'tok' has blanks before its punctuation (")
    assert message.endswith("as normalize='detokenize' does.")
    assert of_comparison({"tok": texts}, targets, tercet.Chrf(normalize="detokenize")) == []
    assert of_comparison({"tok": texts}, [tokenized(text) for text in targets]) == []


def test_tokens_are_told_beside_references_that_are_written_otherwise_alone():
    texts, targets = [tokenized(text) for text in near("de")], references("de")
    without_marks = [text.replace(",", "").replace(".", "") for text in targets]
    assert of_score(texts, without_marks) == []
    # One of twelve references in tokens is a slip, two are a style.
    for n_tokenized, n_messages in ((1, 1), (2, 0)):
        some = [tokenized(text) for text in targets[:n_tokenized]] + targets[n_tokenized:]
        assert len(of_score(texts, some)) == n_messages


def test_blanks_before_other_punctuation_are_how_french_is_written():
    targets = [f"Où est le port {number} ?" for number in range(8)]
    assert (
        of_score([text.replace("Où", "Là") for text in targets], [text.replace(" ?", ".") for text in targets]) == []
    )


REFUSALS = {
    "en": "I'm sorry, but I can't help with that.",
    "en, typographic": "I’m sorry, I can’t assist with this request.",
    "en, at once": "I cannot provide a translation of this text.",
    "de": "Es tut mir leid, aber dabei kann ich nicht helfen.",
    "fr": "Je suis désolé, mais je ne peux pas traduire cela.",
    "es": "Lo siento, pero no puedo ayudar con eso.",
    "pt": "Desculpe, mas não posso ajudar com isso.",
    "it": "Mi dispiace, ma non posso aiutarti.",
    "ru": "Извините, но я не могу помочь с этим.",
    "zh": "很抱歉，我无法回答这个问题。",
    "ja": "申し訳ありませんが、お手伝いできません。",
    "ko": "죄송합니다. 그 요청은 도와드릴 수 없습니다.",
    "ar": "عذرًا، لا يمكنني المساعدة في ذلك.",
    "hi": "क्षमा करें, मैं इसमें मदद नहीं कर सकता।",
    "hi, a letter and its dot": "मा\u092b\u093c करें, मैं इसमें मदद नहीं कर सकता।",
    "hi, one letter with a dot": "मा\u095e करें, मैं इसमें मदद नहीं कर सकता।",
}


@pytest.mark.parametrize("refusal", REFUSALS.values(), ids=REFUSALS)
def test_refusals_are_counted(refusal):
    targets = references("de") * 10
    texts = near("de") * 10
    texts[30] = texts[99] = texts[100] = refusal
    (message,) = of_comparison({"base": targets[::-1], "model": texts}, targets)[-1:]
    assert (
        "test set: the system 'model' has what looks like a refusal in 3 of 120 segments, the first in segment 31 ("
        in message
    )
    assert message.endswith("Say how many there are beside the score, or leave these out for every system.")
    targets[30] = targets[99] = "Nein, das geht nicht."
    assert len(of_score(texts, targets)) == 1
    assert of_score(texts, [*texts[:30], refusal, *texts[31:99], refusal, *texts[100:]]) == []


def test_each_system_has_its_own_count():
    targets = references("ru") * 2
    systems = {}
    for number in range(5):
        texts = near("ru") * 2
        texts[: number + 2] = [REFUSALS["ru"]] * (number + 2)
        systems[f"run{number}"] = texts
    messages = [message for message in of_comparison(systems, targets) if "refusal" in message]
    assert [f"'run{n}' has what looks like a refusal in {n + 2} of 24" in messages[n] for n in range(5)] == [True] * 5


@pytest.mark.parametrize("text", [
    "I'm sorry for the delay of your train.", "Sorry, I lost my key.", "I can't swim in the harbour.",
    "Leider kann man das Schiff nicht sehen.", "Je ne peux pas nager.", "As an artist she paints.",
    "抱歉让您久等了。",
])  # fmt: skip
def test_who_is_sorry_refuses_nothing(text):
    targets = references("de")
    assert of_score([text, text, *near("de")[2:]], targets) == []


def objects(texts, **more):
    return [json.dumps({"lang": "xx", "antwort": text, **more}, ensure_ascii=False) for text in texts]


@pytest.mark.parametrize("language", [*TEXTS, *UNICASE])
def test_json_on_both_sides(language):
    texts, targets = near(language), references(language)
    (message,) = of_score(objects(texts, n=1), objects(targets))
    assert message.startswith("the predictions have JSON objects for texts, as the references are (")
    assert message.endswith(
        "Score the value of a key, as normalize='json:antwort' does; all of them have 'antwort', 'lang'."
    )
    assert of_score(objects(texts), objects(targets), normalize="json:antwort") == []
    with_an_end_missing = [*objects(texts)[:-1], objects(texts)[-1][:-2]]
    assert len(of_score(with_an_end_missing, objects(targets))) == 1
    assert of_score(texts, objects(targets)) == of_score(objects(texts), targets) == []


def test_json_of_other_keys_or_lists_is_none():
    assert of_score([f'{{"a{n}": 1}}' for n in range(9)], [f'{{"b{n}": 1}}' for n in range(9)]) == []
    assert of_score([f"[{n}]" for n in range(9)], [f"[{n}, 1]" for n in range(9)]) == []


def test_many_systems_share_a_warning_and_few_texts_have_none():
    targets = references("de")
    systems = {f"run{n}": [text.lower() for text in near("de")[:-1]] + [f"so {n}."] for n in range(6)}
    (message,) = of_comparison(systems, targets)
    assert message.startswith(
        "test set: the systems 'run0', 'run1', 'run2', 'run3', 'run4' and 'run5' have no capital"
    )
    few = styles.FEWEST - 1
    assert of_score([text.lower() for text in near("de")[:few]], targets[:few]) == []


#: Of a network it is not known whether case changes a score.
@pytest.mark.parametrize("metric", [metric for metric in COMPARING if not SUITE[metric].loads_model])
def test_metrics_that_ignore_case_are_known(metric):
    cls = metric_class(metric)
    small, mixed = ["das boot legt hier an"], ["Das Boot LEGT Hier An"]
    for options in ({}, {"lowercase": True}, {"case_sensitive": True}, {"tokenizer": "none"}, {"tokenizer": "rouge"}):
        if not {*options} <= {*cls.options()}:
            continue
        try:
            scorer = cls(**options)
        except tercet.OptionError:
            continue
        is_same = scorer(small, mixed) == scorer(mixed, mixed)
        assert is_same is scorer.ignores_case, options


def test_no_warning_of_case_where_no_metric_heeds_it():
    texts, targets = [text.lower() for text in near("el")], references("el")
    assert of_score(texts, targets, "ter") == []
    assert of_comparison({"a": texts}, targets, ["ter", "chrf:lowercase=true"]) == []
    assert len(of_comparison({"a": texts}, targets, ["ter", "chrf"])) == 1


def test_long_texts_take_no_longer_than_they_are_long():
    n = 300_000
    long = ["!" * n, " ." * n, '{"a":' * n, "sorry " * n, "I'm sorry" + " " * n, "A" * n, "。" * n]
    begin = time.process_time()
    for text in long:
        of_score([text] * 6, ["x"] * 6, "jaccard")
    assert time.process_time() - begin < 20


def plain(text):
    return text.replace(",", "").replace(".", "")


@pytest.mark.parametrize(
    ("n_apart", "n_attached", "n_apart_in_references", "n_messages"),
    [(5, 10, 0, 1), (4, 10, 0, 0), (10, 5, 0, 1), (10, 4, 0, 0), (10, 9, 1, 1), (10, 8, 2, 0)],
)
@pytest.mark.parametrize("language", ["de", "ru"])
def test_tokens_are_a_style_of_half_of_the_texts_and_of_a_tenth_of_the_references(
    language, n_apart, n_attached, n_apart_in_references, n_messages
):
    texts, targets = near(language)[:10], references(language)[:10]
    texts = [tokenized(text) if number < n_apart else text for number, text in enumerate(texts)]
    n = n_apart_in_references
    targets = [*map(tokenized, targets[:n]), *targets[n : n + n_attached], *map(plain, targets[n + n_attached :])]
    assert len(of_score(texts, targets)) == n_messages


@pytest.mark.parametrize(("n_capital", "n_messages"), [(2, 1), (1, 0)])
def test_lower_case_is_told_where_a_fifth_of_the_references_write_words_otherwise(n_capital, n_messages):
    texts, targets = [text.lower() for text in near("el")[:10]], references("el")[:10]
    targets = [text if number < n_capital else text.lower() for number, text in enumerate(targets)]
    assert len(of_score(texts, targets)) == n_messages


@pytest.mark.parametrize(
    ("n", "n_refused", "n_in_references", "n_messages"),
    [(12, 1, 0, 0), (12, 2, 0, 1), (150, 2, 0, 0), (150, 3, 0, 1), (151, 3, 0, 0), (24, 4, 1, 0), (24, 5, 1, 1)],
)
def test_refusals_are_two_or_one_in_fifty_and_more_than_four_for_each_in_the_references(
    n, n_refused, n_in_references, n_messages
):
    texts, targets = (near("ru") * 13)[:n], (references("ru") * 13)[:n]
    texts[n - n_refused :] = [REFUSALS["ru"]] * n_refused
    targets[:n_in_references] = [REFUSALS["ko"]] * n_in_references
    assert len(of_score(texts, targets)) == n_messages


@pytest.mark.parametrize(("n_letters", "n_messages"), [(45, 1), (46, 0)])
def test_a_refusal_is_one_within_its_first_60_characters(n_letters, n_messages):
    refusal = f"Sorry, {'x' * n_letters} i can't do it"
    assert len(of_score([refusal] * 2 + near("de")[2:], references("de"))) == n_messages
    assert len(of_score([f'  "*{refusal[4:]}'] * 2 + near("de")[2:], references("de"))) == 0


@pytest.mark.parametrize(("n_objects", "n_messages"), [(9, 1), (8, 0)])
def test_a_tenth_of_the_objects_may_be_unfinished(n_objects, n_messages):
    texts = objects(near("hy")[:10])
    texts[n_objects:] = [text[:-1] for text in texts[n_objects:]]
    assert len(of_score(texts, objects(references("hy")[:10]))) == n_messages


def test_eight_keys_are_named_the_longest_values_first():
    more = {f"k{number}": number for number in range(8)}
    (message,) = of_score(objects(near("zh"), **more), objects(references("zh"), **more))
    assert message.endswith("all of them have 'antwort', 'lang', 'k0', 'k1', 'k2', 'k3', 'k4', 'k5'.")


@pytest.mark.parametrize(
    ("texts", "targets", "may_have"),
    [
        (near("de")[:4], references("de")[:4], False),
        ([text.lower() for text in near("de")[:4]], references("de")[:4], False),
        ([text.lower() for text in near("de")[:5]], references("de")[:5], True),
        (near("de"), references("de"), False),
        ([text.lower() for text in near("de")], [text.lower() for text in references("de")], False),
        ([text.lower() for text in near("de")], [text.lower() for text in references("de") * 2], True),
        ([tokenized(text) for text in near("zh")], references("zh"), True),
        ([*near("de")[1:], REFUSALS["fr"]], references("de"), True),
        (near("de"), [f' {{"a": "{text}"}}' for text in references("de")], True),
        (near("zh"), references("zh"), False),
    ],
)
def test_a_glance_shows_of_most_texts_that_they_have_no_style(texts, targets, may_have):
    assert styles.may_have_styles(texts, targets) is may_have


@pytest.mark.parametrize("mark", [".", ",", "。", "，", "、"])
@pytest.mark.parametrize("beside", ["", "猫", "é", "1.5, x、y，z。"])
def test_each_mark_behind_a_blank_is_seen_beside_marks_that_are_not(mark, beside):
    texts = [*["a cat"] * 7, f"{beside} a {mark}"]
    assert styles.may_have_styles(["A cat", *texts], ["a cat"] * 9)
    attached = [text.replace(f" {mark}", mark) for text in texts]
    assert not styles.may_have_styles(["A cat", *attached], ["a cat"] * 9)
