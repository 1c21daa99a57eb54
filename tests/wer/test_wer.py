"""Error rates are jiwer's, to the last digit: rates, counts, transforms, empty texts; and what it does not have."""

import random
import re

import jiwer
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tercet
from conftest import ANY_TEXTS
from growth import times_longer
from tercet import InputError, OptionError, Wer
from tercet.corpus.transcripts import transcript_change
from texts import all_pairs, any_texts, awkward_corpus, awkward_text, lines

RATES = ("wer", "mer", "wil", "wip")
COUNTS = ("hits", "substitutions", "deletions", "insertions")

WORDS, CHARACTERS = jiwer.ReduceToListOfListOfWords(), jiwer.ReduceToListOfListOfChars()
SPACES = [jiwer.RemoveMultipleSpaces(), jiwer.Strip()]
STANDARD = jiwer.transformations.wer_standardize.transforms[:-3]

#: Options, and jiwer's transforms of the same names.
TRANSFORMS = [
    ({}, []),
    ({"lowercase": True}, [jiwer.ToLowerCase()]),
    ({"no_punct": True}, [jiwer.RemovePunctuation()]),
    ({"lowercase": True, "no_punct": True}, [jiwer.ToLowerCase(), jiwer.RemovePunctuation()]),
    ({"standardize": True}, STANDARD),
    ({"standardize": True, "no_punct": True}, [*STANDARD, jiwer.RemovePunctuation()]),
]

PREDICTIONS, LISTS = all_pairs()
FIRST = [texts[0] for texts in LISTS]

#: What people say, and what recognizers write.
SAID = [
    "she won't",
    "SHE'D",
    "let's",
    "isn't it",
    "[laugh]",
    "<unk>",
    "a<b",
    "c]d",
    "«ну»",
    "—",
    "Café's",
    "¿qué?",
    "!",
    "\t",
]
transcripts = st.lists(st.sampled_from([*SAID, "kot", "猫", " ", "  "]), max_size=9).map(" ".join)


def test_a_rate_is_the_share_of_words_that_are_wrong():
    found = tercet.score("wer", ["the cat sat up"], ["the cat sat down"])
    assert {name: found[name] for name in COUNTS} == {
        "hits": 3,
        "substitutions": 1,
        "deletions": 0,
        "insertions": 0,
    }
    assert found["wer"] == 1 / 4


def theirs(predictions, references, transforms=(), standard=False):
    """Return jiwer's rates and counts of a corpus."""
    words, characters = (
        jiwer.Compose([*transforms, *spaces, last])
        for spaces, last in ((SPACES, WORDS), (SPACES if standard else SPACES[1:], CHARACTERS))
    )
    of_words = jiwer.process_words(references, predictions, words, words)
    of_characters = jiwer.process_words(references, predictions, characters, characters)
    rates = {name: getattr(of_words, name) for name in (*RATES, *COUNTS)}
    return {**rates, "cer": of_characters.wer, "character_mer": of_characters.mer}


def check(predictions, references, options, transforms):
    standard = "standardize" in options
    found = Wer(**options)(predictions, references, segments=True)
    segments = found.pop("segments")
    assert found == theirs(predictions, references, transforms, standard)
    alone = [theirs([one], [other], transforms, standard) for one, other in zip(predictions, references, strict=True)]
    assert list(segments) == ["wer", "cer", "mer", "wil"]
    assert segments == {name: [each[name] for each in alone] for name in segments}


class TestEqualsJiwer:
    @pytest.mark.parametrize(("options", "transforms"), TRANSFORMS)
    @pytest.mark.filterwarnings("ignore:wer. tokenizer='blanks':UserWarning")
    def test_in_many_scripts_with_its_transforms(self, options, transforms):
        check(PREDICTIONS, FIRST, options, transforms)
        for seed in (1, 2):
            predictions, lists = awkward_corpus(seed)
            check(predictions, [texts[0] for texts in lists], options, transforms)

    @ANY_TEXTS
    @pytest.mark.filterwarnings("ignore:wer. tokenizer='blanks':UserWarning")
    @given(st.lists(st.tuples(transcripts, transcripts), min_size=1, max_size=4), st.sampled_from(TRANSFORMS))
    def test_on_what_people_say(self, pairs, asked):
        check(*map(list, zip(*pairs, strict=True)), *asked)

    @ANY_TEXTS
    @given(any_texts, any_texts)
    @pytest.mark.filterwarnings("ignore:wer. tokenizer='blanks':UserWarning")
    def test_on_any_texts(self, prediction, reference):
        check([prediction], [reference], {}, [])

    def test_on_long_texts(self):
        """Which of the alignments of the fewest errors is taken decides MER and WIL: see the tests of the engine."""
        rng = random.Random(5)
        reference = rng.choices(["the", "cat", "sat", "on", "a", "mat", "and", "so", "did", "we"], k=2500)
        prediction = [word for word in reference if rng.random() < 0.9]
        for place in range(0, len(prediction), 7):
            prediction[place] = rng.choice(reference)
        check([" ".join(prediction)], [" ".join(reference)], {}, [])

    @ANY_TEXTS
    def test_white_space_of_all_kinds(self):
        """jiwer makes a blank of a run alone: a tab between two words joins them."""
        rng = random.Random(6)
        texts = [
            "a\tb c",
            "a b  c",
            " a\u00a0 b\n",
            "a\n\nb",
            "\x1fa",
            "",
            " ",
            *(awkward_text(rng, 20) for _ in range(40)),
        ]
        pairs = [(one, other) for one in texts for other in texts[:7]]
        check(*map(list, zip(*pairs, strict=True)), {}, [])


class TestEmptyTexts:
    @pytest.mark.parametrize("pairs", [[("", "")], [("a b", "")], [("", "a b")], [("a", ""), ("b", "b c")]])
    def test_are_as_in_jiwer(self, pairs):
        """Without a word in the references, WER and CER are the number of insertions."""
        check(*map(list, zip(*pairs, strict=True)), {}, [])

    def test_an_item_without_reference_is_as_with_an_empty_one(self):
        metric = Wer(missing_references="zero")
        assert metric(["a b", "c"], [[], ["c"]]) == metric(["a b", "c"], ["", "c"])
        assert Wer(missing_references="skip")(["a b", "c"], [[], ["c"]])["wer"] == 0.0
        with pytest.raises(InputError, match="item 0"):
            Wer()(["a b", "c"], [[], ["c"]])


class TestEqualsEvaluate:
    """Its modules are on the Hub: they add up jiwer's counts of each item."""

    @pytest.mark.filterwarnings("ignore:wer. tokenizer='blanks':UserWarning")
    def test_with_the_same_call(self):
        found = tercet.load("wer").compute(predictions=PREDICTIONS, references=FIRST)
        for name, process in (("wer", jiwer.process_words), ("cer", jiwer.process_characters)):
            counts = [process(reference, text) for text, reference in zip(PREDICTIONS, FIRST, strict=True)]
            errors = sum(each.substitutions + each.deletions + each.insertions for each in counts)
            assert found[name] == errors / sum(each.substitutions + each.deletions + each.hits for each in counts)


@given(lines, st.lists(lines, min_size=1, max_size=4))
def test_of_several_references_the_one_of_the_fewest_errors_counts_the_first_on_ties(prediction, references):
    alone = [theirs([prediction], [each]) for each in references]
    nearest = min(alone, key=lambda each: sum(each[name] for name in COUNTS[1:]))
    found = Wer()([prediction], [references])
    assert {name: found[name] for name in (*RATES, *COUNTS)} == {name: nearest[name] for name in (*RATES, *COUNTS)}
    why = Wer().explain(prediction, references)
    assert alone.index(nearest) == why.reference
    assert (why.score, why.n_references) == (found["wer"], len(references))
    kinds = [step.kind for step in why.steps]
    assert [kinds.count(kind) for kind in ("match", "substitution", "deletion", "insertion")] == [
        found[name] for name in COUNTS
    ]
    assert [step.prediction for step in why.steps if step.prediction is not None] == prediction.split()
    assert [step.reference for step in why.steps if step.reference is not None] == references[why.reference].split()


def test_an_explanation_shows_the_words_as_they_are_compared():
    why = Wer(standardize=True).explain("I CAN'T [cough] see", ["I can not hear", "you"])
    assert [(step.kind, step.prediction, step.reference) for step in why.steps] == [
        ("match", "i", "i"), ("match", "can", "can"), ("match", "not", "not"), ("substitution", "see", "hear"),
    ]  # fmt: skip
    assert "matches: 3, substitutions: 1, deletions: 0, insertions: 0" in why.to_html()
    assert "Word error rate: 0.2500" in why.to_html()


def test_words_of_languages_without_blanks_have_a_tokenizer():
    given = ["今天的天气很好"], ["今天天气好"]
    with pytest.warns(UserWarning, match="tokenizer='blanks' splits at spaces, but"):
        assert Wer()(*given)["wer"] == 1.0
    assert Wer(tokenizer="zh")(*given)["wer"] == Wer(tokenizer=list)(*given)["wer"] == 2 / 5


def test_an_interval_and_a_comparison_in_percent_where_lower_is_better():
    result = Wer()(["a b c", "a x", "d"] * 9, ["a b c", "a b", "d e"] * 9, confidence_level=0.9)
    low, high = result["intervals"]["wer"]
    assert low < result["wer"] == 18 / 63 < high
    (wer, *_) = tercet.compare({"good": ["a b"], "bad": ["a"]}, [Wer()], references=["a b"], test=None).tables
    assert [(row.system, row.value, row.best) for row in wer.rows] == [("good", 0.0, True), ("bad", 50.0, False)]


@pytest.mark.parametrize("name", ["cer", "mer", "wil", "wip"])
def test_the_other_rates_are_found_in_its_result(name):
    with pytest.raises(OptionError, match="It is in the result of wer"):
        tercet.score(name, ["a"], ["b"])


def test_many_against_many_are_the_rates_of_the_pairs():
    texts = ["a b c", "a", "", "b c d"]
    expected = [[jiwer.wer(other, one) for other in texts] for one in texts]
    assert np.array_equal(Wer().pairwise(texts), expected)


@pytest.mark.parametrize("opening", ["<", "[", "> <"])
def test_brackets_that_never_close_are_read_in_linear_time(opening):
    change = transcript_change(lowercase=False, no_punct=False, standardize=True)

    def reading(size):
        return lambda: change(opening * size)

    assert times_longer(reading, few=1000, many=20_000) < 100  # 20 times as many; their square is 400 times as much
    assert change("] a <b> [c] <d") == "] a <d"


def at_blanks(text):
    return [word for word in re.sub(r"\s\s+", " ", text).strip().split(" ") if word]


@ANY_TEXTS
@pytest.mark.filterwarnings("ignore:wer. tokenizer='blanks':UserWarning")
@given(
    items=st.lists(st.tuples(transcripts, st.lists(transcripts, max_size=3)), max_size=70),
    flags=st.fixed_dictionaries({name: st.booleans() for name in ("lowercase", "no_punct", "standardize")}),
    split=st.sampled_from([("blanks", at_blanks), ("char", lambda text: list("".join(text.split())))]),
    missing=st.sampled_from(["skip", "zero"]),
    as_columns=st.booleans(),
)
def test_texts_that_the_engine_splits_have_the_rows_of_those_that_python_does(
    items, flags, split, missing, as_columns
):
    texts, references = [text for text, _ in items], [each for _, each in items]
    if as_columns:
        texts, references = pa.array(texts, pa.string()), pa.array(references, pa.list_(pa.string()))
    metrics = [Wer(tokenizer=each, missing_references=missing, **flags) for each in split]
    rows = [metric.segment_stats(metric.corpus(texts, references)).rows.tolist() for metric in metrics]
    assert rows[0] == rows[1]


def test_a_subclass_that_reports_other_facts_has_the_counts():
    """`facts` are what a page shows of a metric; the keys are jiwer's."""

    class Own(tercet.Wer):
        facts = ()

    assert Own()(["a b"], ["a c"]) == tercet.Wer()(["a b"], ["a c"])
