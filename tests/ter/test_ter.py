"""Translation edit rates beside those of sacrebleu: corpora, sentences, options, references, languages, test sets."""

import gzip
import json
import warnings
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import TER

import tercet
from conftest import ANY_TEXTS
from texts import all_pairs, any_texts, awkward_corpus, corpora, texts

#: Entries of the signature that sacrebleu's has too.
KEYS = ("case", "tok", "norm", "punct", "asian")
NAMES = ("normalized", "no_punct", "asian_support", "case_sensitive")
FLAGS = [dict(zip(NAMES, values, strict=True)) for values in product((False, True), repeat=4)]

#: Words in another order, some other words, and marks, in scripts with and without spaces.
REORDERED = {
    "en": ("Last night, at ten, the old harbour crane fell.", "The old harbour crane fell last night at ten."),
    "de": ("Gestern hat der Bäcker das Brot nicht gebacken.", "Der Bäcker hat gestern kein Brot gebacken!"),
    "es": ("¿A qué hora mañana sale el tren?", "¿Mañana a qué hora sale el tren de Lugo?"),
    "pt": ("Amanhã de manhã não haverá água.", "Não haverá água amanhã de manhã, disse-se."),
    "fr": ("Aujourd'hui, l'eau n'est pas froide.", "L'eau n'est pas froide aujourd'hui."),
    "pl": ("Wczoraj w lesie znalazłem trzy grzyby.", "Trzy grzyby znalazłem wczoraj w lesie."),
    "ru": ("Вчера на реке лёд треснул громко.", "Лёд на реке громко треснул вчера."),
    "uk": ("Бабусин кіт увечері спить на печі.", "Увечері бабусин кіт спить на теплій печі."),
    "el": ("ΤΟ ΠΛΟΊΟ ΦΕΎΓΕΙ ΑΎΡΙΟ ΤΟ ΠΡΩΊ ΑΠΌ ΤΟΝ ΠΕΙΡΑΙΆΣ", "Αύριο το πρωί το πλοίο φεύγει από τον Πειραιάς"),
    "tr": ("İzmir'e bugün IŞIKLI gemi geldi.", "Bugün İzmir'e ışıklı bir gemi geldi."),
    "he": ("אתמול הגיעה הרכבת באיחור.", "הרכבת הגיעה אתמול באיחור רב."),
    "ar": ("وصل القطار أمس متأخرا.", "أمس وصل القطار متأخرا جدا."),
    "hi": ("कल रात पुल पर पानी था।", "पुल पर कल रात बहुत पानी था।"),
    "ko": ("어제 밤에 다리 위에 눈이 왔다.", "다리 위에 어제 밤에 눈이 많이 왔다."),
    "zh": ("昨天晚上下了大雪，桥关了。", "桥昨天晚上关了，因为下雪（很大）。"),
    "ja": ("昨日の夜、橋は雪で閉まった。", "橋は昨日の夜「雪」で閉まりました・。"),
    "th": ("เมื่อคืน หิมะ ตก บน สะพาน", "หิมะ ตก หนัก บน สะพาน เมื่อคืน"),
    "xml": ("&quot;A&amp;B&quot; costs 3.5-4,0 &lt; 7's x", '7\'s x &gt; "A&B" costs 3,5 - 4.0.'),
}


@pytest.mark.parametrize("text", ["the cat slept down", "sat the cat down", "the cat down"])
def test_a_word_that_is_changed_moved_or_missing_is_one_edit(text):
    found = tercet.score("ter", [text], ["the cat sat down"])
    assert (found["num_edits"], found["ref_length"]) == (1, 4)
    assert found["ter"] == 100 * 1 / 4


def theirs(predictions, references, **options):
    """Return the scores of sacrebleu: of each item, and edits and length of all."""
    metric = TER(**options)
    # its corpora have the same number of references everywhere
    of_items = [metric.sentence_score(text, texts) for text, texts in zip(predictions, references, strict=True)]
    edits, lengths = [each.num_edits for each in of_items], [each.ref_length for each in of_items]
    return [each.score for each in of_items], sum(edits), sum(lengths)


def check(predictions, references, **options):
    segments, edits, length = theirs(predictions, references, **options)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*split at white space", UserWarning)
        found = tercet.score("ter", predictions, references, segments=True, compat="sacrebleu", **options)
    assert found["num_edits"] == edits
    assert found["segments"]["ter"] == segments
    assert found["ref_length"] == pytest.approx(length, rel=1e-12)
    assert found["ter"] == found["score"]
    assert found["ter"] == pytest.approx(100 * edits / length if length else 100 * (edits > 0), rel=1e-12)


@pytest.mark.parametrize("options", FLAGS, ids=str)
class TestEqualsSacrebleu:
    def test_in_many_languages(self, options):
        check(*all_pairs(), **options)
        predictions, references = zip(*REORDERED.values(), strict=True)
        check(predictions, [[text] for text in references], **options)
        check(references, [[text] for text in predictions], **options)

    def test_of_awkward_texts_with_many_references(self, options):
        for seed in range(3):
            check(*awkward_corpus(seed), **options)

    @ANY_TEXTS
    @settings(max_examples=40)
    @given(corpus=corpora() | corpora(any_texts, max_items=3))
    def test_of_any_texts(self, options, corpus):
        check(*corpus, **options)

    def test_as_a_corpus(self, options):
        predictions, lists = awkward_corpus(7, references=1)
        references = [[texts[0] for texts in lists], predictions[::-1]]
        metric = TER(**options)
        expected = metric.corpus_score(predictions, references)
        found = tercet.score("ter", predictions, [*zip(*references, strict=True)], compat="sacrebleu", **options)
        assert (found["num_edits"], found["ref_length"]) == (expected.num_edits, expected.ref_length)
        assert found["ter"] == pytest.approx(expected.score, rel=1e-12)
        there = [part for part in str(metric.get_signature()).split("|") if part.split(":")[0] in KEYS]
        assert {*found.signature.split("|")} >= {*there}
        assert len(there) == len(KEYS)


@pytest.mark.parametrize(
    ("predictions", "references", "score", "edits"),
    [
        ([""], [[""]], 0.0, 0),
        (["a b"], [[""]], 100.0, 2),
        ([""], [["a b c"]], 100.0, 3),
        (["", "a"], [["", "a b"], ["\n"]], 100.0, 1),
        (["a b", ""], [["", "a b c d"], ["x"]], 100.0, 3),
    ],
)
def test_texts_without_words(predictions, references, score, edits):
    check(predictions, references)
    found = tercet.score("ter", predictions, references)
    assert (found["ter"], found["num_edits"]) == (score, edits)


@given(corpus=corpora(st.one_of(texts, any_texts)), scale=st.sampled_from([1, 100]))
def test_the_score_of_one_item_is_that_of_its_segment(corpus, scale):
    """The one is worked out in floats, the other in arrays."""
    for prediction, references in zip(*corpus, strict=True):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".*split at white space", UserWarning)
            found = tercet.score("ter", [prediction], [references], segments=True, scale=scale)
        assert [found["ter"]] == found["segments"]["ter"]
        assert type(found["ter"]) is type(found["ref_length"]) is float


class Escaped(str):
    """A text that escapes what is put into it, as that of markupsafe does."""

    __slots__ = ()

    def lower(self):
        return Escaped(str.lower(self))

    def rstrip(self, *arguments):
        return Escaped(str.rstrip(self, *arguments))

    def replace(self, old, new, *arguments):
        return Escaped(str.replace(self, old, new.replace("&", "&amp;"), *arguments))


@ANY_TEXTS
def test_a_text_of_another_type_is_its_letters():
    found = tercet.score("ter", [Escaped("Q&amp;A")], ["q & a"], normalized=True)
    assert found["num_edits"] == 0


class TestOptions:
    def test_a_script_without_spaces_is_said(self):
        for options in ({}, {"normalized": True}):
            with pytest.warns(UserWarning, match="scripts written without"):
                tercet.score("ter", ["今天天气很好"], ["今天的天气很好"], **options)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            tercet.score("ter", ["今天天气很好"], ["今天的天气很好"], normalized=True, asian_support=True)

    def test_evaluate_s_arguments_and_keys(self):
        module = tercet.load("ter", "sacrebleu")
        given = {"predictions": ["The mat, I said. 好。"], "references": [["the mat i said 好"]]}
        found = module.compute(**given, ignore_punct=True, support_zh_ja_chars=True, case_sensitive=True)
        theirs = TER(no_punct=True, asian_support=True, case_sensitive=True)
        expected = theirs.corpus_score(given["predictions"], given["references"])
        assert found == {name: getattr(expected, name) for name in ("score", "num_edits", "ref_length")}


@pytest.mark.parametrize(
    ("policy", "edits", "length", "segments"),
    [("zero", 3, 2.0, [50.0, 100.0, 0.0]), ("skip", 1, 2.0, [50.0, None, None])],
)
def test_an_item_without_reference(policy, edits, length, segments):
    corpus = ["a b", "c d", ""], [["a x"], [], None]
    found = tercet.score("ter", *corpus, missing_references=policy, segments=True)
    assert (found["num_edits"], found["ref_length"], found["segments"]["ter"]) == (edits, length, segments)
    assert "equals" not in found.signature


def test_the_lowest_rate_is_the_best():
    references = [["a b c d"]] * 40
    systems = {"near": ["a b c x"] * 40, "far": ["d b y x"] * 40}
    (table,) = tercet.compare(systems, ["ter"], references=references, n_resamples=100).tables
    near, far = table.rows
    assert (table.higher_is_better, near.best, far.best) == (False, True, False)
    assert far.pvalue < 0.05
    assert (far.wins, far.losses) == (0, 40)


@pytest.mark.long
@pytest.mark.parametrize("options", [{}, {"normalized": True, "no_punct": True}], ids=str)
def test_two_systems_of_wmt17(sets, options):
    with gzip.open(sets / "wmt17_ende_16sys.jsonl.gz", "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file][:600]
    references = [row["refs"] for row in rows]
    for system in sorted(rows[0]["hyps"])[:2]:
        check([row["hyps"][system] for row in rows], references, **options)


@pytest.mark.long
@pytest.mark.parametrize(
    "name", ["ntrex_zh_a", "ntrex_pt_a", "sfres_d2t", "e2e_devel_baseline", "google_rouge_multi"]
)
def test_other_test_sets(sets, name):
    rows = [json.loads(line) for line in (sets / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()[:80]]
    for system in rows[0]["hyps"]:
        corpus = [row["hyps"][system] for row in rows], [row["refs"] for row in rows]
        check(*corpus)
        check(*corpus, normalized=True, asian_support=True)
