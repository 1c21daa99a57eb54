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
