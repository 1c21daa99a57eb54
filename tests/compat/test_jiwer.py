"""The drop-in for jiwer against jiwer itself: rates, counts and alignments, of words and characters."""

import pickle
import random
from dataclasses import asdict

import jiwer
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tercet
from tercet.base import short_road
from tercet.compat import jiwer as ours

#: Words of several scripts, and blanks of several kinds between and around them.
TEXTS = st.lists(
    st.sampled_from(
        ["the", "The", "cat", "кошка", "кошки", "猫", "が", "naïve", "it's", "a,", "\u00a0", "\t", "  ", ""]
    ),
    max_size=12,
).map(" ".join)
LISTS = st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=6).map(
    lambda pairs: [[*side] for side in zip(*pairs, strict=True)]
)
TRANSFORMS = [
    jiwer.wer_default,
    jiwer.wer_standardize,
    jiwer.wer_contiguous,
    jiwer.Compose([jiwer.RemovePunctuation(), jiwer.Strip(), jiwer.ReduceToListOfListOfWords()]),
    lambda texts: [text.lower().split() for text in texts],
]

#: That 猫 is no word between blanks is warned of, and jiwer's number given.
NO_BLANKS = pytest.mark.filterwarnings("ignore:wer. tokenizer='blanks' splits at spaces")


def plain(output):
    return asdict(output)


@NO_BLANKS
@given(LISTS)
def test_rates_are_those_of_jiwer(sides):
    for name in ("wer", "mer", "wil", "wip", "cer"):
        assert getattr(ours, name)(*sides) == getattr(jiwer, name)(*sides), name


@NO_BLANKS
@pytest.mark.parametrize("transform", TRANSFORMS)
@given(sides=LISTS)
def test_transforms_do_what_they_do_in_jiwer(transform, sides):
    assert plain(ours.process_words(*sides, transform, transform)) == plain(
        jiwer.process_words(*sides, transform, transform)
    )
    assert ours.wer(*sides, transform, transform) == jiwer.wer(*sides, transform, transform)


@NO_BLANKS
@given(LISTS)
def test_words_and_characters(sides):
    assert plain(ours.process_words(*sides)) == plain(jiwer.process_words(*sides))
    assert plain(ours.process_characters(*sides)) == plain(jiwer.process_characters(*sides))


@pytest.mark.parametrize("sides", [([], []), ([], "кот"), (["a b"], []), ("", ""), ("", ["猫"])])
@pytest.mark.filterwarnings("ignore:wer. tokenizer='blanks' splits at spaces")
def test_an_empty_list_is_an_empty_text(sides):
    for name in ("wer", "mer", "wil", "wip", "cer"):
        assert getattr(ours, name)(*sides) == getattr(jiwer, name)(*sides), name
    for name in ("process_words", "process_characters"):
        assert plain(getattr(ours, name)(*sides)) == plain(getattr(jiwer, name)(*sides)), name


def test_transforms_that_leave_no_text():
    nothing = [lambda texts: []] * 2
    assert plain(ours.process_words("a", "b", *nothing)) == plain(jiwer.process_words("a", "b", *nothing))
    assert ours.cer("a", "b", *nothing) == jiwer.cer("a", "b", *nothing) == 0


def test_an_iterator_is_read_once():
    output = ours.process_words(iter(["a b"]), iter(["a c"]))
    assert plain(output) == plain(jiwer.process_words(["a b"], ["a c"]))


def test_words_of_a_long_pair_are_counted_without_their_characters(monkeypatch):
    """There are several times as many characters, which would take most of the time."""
    rng = random.Random(5)
    reference = [rng.choice(["кошка", "house", "naïve", "it's", "Straße"]) for _ in range(20_000)]
    hypothesis = [word for word in reference if rng.random() > 0.02]
    sides = " ".join(reference), " ".join(hypothesis)
    of_characters = []

    def batch_stats(metric, corpus):
        stats = metric.segment_stats(corpus)
        of_characters.append(stats.total()[8:].tolist())
        return stats

    def scored_by_plan(metric, *lists):
        scored = short_road.scored_by_plan(metric, *lists)
        of_characters.append(scored.sums[8:])
        return scored

    monkeypatch.setattr(ours, "batch_stats", batch_stats)
    monkeypatch.setattr(ours, "scored_by_plan", scored_by_plan)
    output, theirs = ours.process_words(*sides), jiwer.process_words(*sides)
    assert plain(output) == plain(theirs)
    assert ours.wer(*sides) == theirs.wer
    assert of_characters == [[0] * 4] * 2


def test_one_text_a_side_and_names_of_arguments():
    texts = {"reference": "猫が 寝た", "hypothesis": "犬が 寝た よ"}
    assert ours.cer(**texts) == jiwer.cer(**texts)
    with pytest.warns(UserWarning, match="written without spaces"):
        assert ours.wer(**texts) == jiwer.wer(**texts) == 1.0
    custom = {"reference_transform": jiwer.cer_contiguous, "hypothesis_transform": jiwer.cer_contiguous}
    assert ours.cer(["ab", "c"], ["abc"], **custom) == jiwer.cer(["ab", "c"], ["abc"], **custom) == 0.25


def test_what_shows_alignments_is_jiwers():
    sides = ["a cat sat", "привет мир"], ["the cat sat down", "привет"]
    for process in ("process_words", "process_characters"):
        output, theirs = getattr(ours, process)(*sides), getattr(jiwer, process)(*sides)
        for show in ("visualize_alignment", "visualize_error_counts", "collect_error_counts"):
            assert getattr(ours, show)(output) == getattr(jiwer, show)(theirs)
    assert ours.visualize_alignment(output, show_measures=False, line_width=20) == jiwer.visualize_alignment(
        theirs, show_measures=False, line_width=20
    )
    assert ours.RemovePunctuation is jiwer.RemovePunctuation
    assert ours.transforms is jiwer.transforms


def test_measures_in_a_dict_as_before_version_4():
    measures = ours.compute_measures("a cat sat", "the cat sat down")
    assert (measures["wer"], measures["hits"], measures["substitutions"], measures["insertions"]) == (2 / 3, 2, 1, 1)
    assert [chunk.type for chunk in measures["ops"][0]] == ["substitute", "equal", "insert"]


def test_outputs_are_values():
    output = ours.process_words("a b", "a c")
    assert "alignments" not in vars(output)  # texts are aligned when somebody asks
    with pytest.raises(AttributeError, match="'WordOutput' object has no attribute 'cer'"):
        output.cer  # noqa: B018
    assert pickle.loads(pickle.dumps(output)) == output == ours.process_words("a b", "a c")
    assert "AlignmentChunk(type='substitute'" in repr(output)
    with pytest.raises(ValueError, match="ref_start_idx=2 is larger than ref_end_idx=1"):
        ours.AlignmentChunk("equal", 2, 1, 0, 0)
    with pytest.raises(ValueError, match="type must be one of"):
        ours.AlignmentChunk("same", 0, 1, 0, 1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ours.wer(["a", "b"], ["a"]), "got 2 references and 1 hypothesis\\."),
        (lambda: ours.wer(["a", 3], ["a", "b"]), "item 1 of reference must be a string"),
        (lambda: ours.process_words(["a"], ["b"], str, str), "reference_transform must return a list with the words"),
        (lambda: ours.process_words([["a", "b"]], ["a b"]), "item 0 of reference must be a string"),
        (lambda: ours.process_characters(["a", None], ["a", "b"]), "item 1 of reference must be a string, got None"),
        (lambda: ours.process_characters("猫", [["犬"]]), "item 0 of hypothesis must be a string, got .* \\(list\\)"),
        (lambda: ours.process_characters(5, "a"), "reference must be a list with one text per item, got 5"),
        (lambda: ours.process_characters(["кот"], {"кит"}), "hypothesis must be a list with one text per item"),
        (lambda: ours.process_characters(b"a", b"a"), "reference must be a list with one text per item, got b'a'"),
        (lambda: ours.process_words("a", ["a", 2.5], jiwer.wer_default), "item 1 of hypothesis must be a string"),
        (lambda: ours.wer(["a", "b"], ["c"], jiwer.wer_default, jiwer.wer_default), "got 2 references and 1 hyp"),
    ],
)
def test_what_is_refused_is_a_value_error_that_names_it(call, message):
    with pytest.raises(ValueError, match=message) as caught:
        call()
    assert isinstance(caught.value, tercet.InputError)


class TestEvaluate:
    """``evaluate.load("wer")`` and ``("cer")``: the sums over all pairs, as a number."""

    SIDES = (
        ["this is the prediction", "there is an other sample", ""],
        ["this is the reference", "there is another one", "да"],
    )

    @pytest.mark.parametrize("name", ["wer", "cer"])
    def test_is_a_number(self, name):
        from tercet.compat import evaluate

        predictions, references = self.SIDES
        expected = getattr(jiwer, name)(references, predictions)
        module = evaluate.load(name)
        for concatenate in ({}, {"concatenate_texts": True}, {"concatenate_texts": False}):
            score = module.compute(predictions=predictions, references=references, **concatenate)
            assert isinstance(score, float)
            assert score == expected
        module.add_batch(predictions=predictions[:2], references=references[:2])
        module.add(prediction=predictions[2], reference=references[2])
        assert module.compute() == expected
