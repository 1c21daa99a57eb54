"""Diversity of many sets: each is scored as it is alone, at every door that takes lists of texts."""

import evaluate
import pytest

import tercet
from tercet import InputError
from tercet.huggingface.suite_module import SuiteModule

SETS = [
    ["the cat sat on the mat", "the cat ran on the mat", "a dog barked at the cat", "the the the the the"],
    ["кошка спит на окне", "кошка сидит на окне", "кошка спит"],
    ["今天 天气 很 好", "今天 的 天气 非常 好", "我们 去 公园"],
    ["แมว นอน บน เสื่อ", "แมว นั่ง บน เสื่อ", "", "👍🏽 🎉 👍🏽 🎉 👍🏽"],
]
PLAIN = {"tokenizer": "none", "lowercase": False}


def diversity(texts, **options):
    return tercet.score("diversity", texts, **{**PLAIN, **options})


def mean(values):
    return sum(values) / len(values)


def test_each_set_is_scored_as_it_is_alone_and_the_score_is_their_mean():
    found = diversity(SETS, segments=True, pairwise_chrf=True)
    alone = [diversity(texts, pairwise_chrf=True) for texts in SETS]
    for name, scores in found["segments"].items():
        assert scores == pytest.approx([each[name] for each in alone], rel=1e-14), name
        assert found[name] == pytest.approx(mean(scores), rel=1e-14)
    assert found["compression_ratio"] == pytest.approx(mean([each["compression_ratio"] for each in alone]))
    assert (found.n_segments, "|of:sets|" in found.signature) == (4, True)
    assert "|of:texts|" in alone[0].signature


def test_a_set_without_a_measure_does_not_count_in_its_mean():
    """A text alone has no self-BLEU, and three words have no n-gram of four."""
    found = diversity([["a b c d", "a b c d"], ["x y z"]])
    assert (found["self_bleu"], found["distinct_4"], found["distinct_1"]) == (1.0, 0.5, 0.75)


def test_intervals_draw_sets():
    found = diversity(SETS * 2, confidence_level=0.9, segments=True)
    low, high = found["intervals"]["distinct_1"]
    assert min(found["segments"]["distinct_1"]) <= low < found["distinct_1"] < high
    assert "compression_ratio" not in found["intervals"]


def test_pieces_and_threads_do_not_matter(monkeypatch):
    many = [[f"{text} {number}" for text in texts] for number in range(9) for texts in SETS]
    flat = [text for texts in many for text in texts]
    whole = [diversity(each, segments=True) for each in (many, flat)]
    monkeypatch.setattr("tercet.base.pieces.PIECE", 7)
    assert [diversity(each, segments=True, n_jobs=3) for each in (many, flat)] == whole


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([["a"], "b"], "item 1 of predictions is no list, but an earlier one is: give either texts, which"),
        ([["a"], []], "item 1 of predictions is an empty list: expected at least one text"),
        ([["a"], ["b", 3]], r"item 1 of item 1 of predictions must be a string, got 3 \(int\)"),
        ([["a", "\ud800"]], "item 1 of item 0 of predictions is not valid Unicode"),
        (["a", ["b"]], "item 1 of predictions must be a string"),
        ("a", "predictions must be a list with one text, or one list of texts, per item"),
        ([], "The corpus is empty"),
    ],
)
def test_what_is_no_set_is_refused(given, message):
    with pytest.raises(InputError, match=message):
        tercet.score("diversity", given)


def test_a_module_takes_texts_and_lists_of_texts_and_never_both():
    made = {"of": tercet.Diversity, "__doc__": "A module."}
    module = type("Module", (SuiteModule, evaluate.Metric), made)()
    assert [list(each) for each in module.features] == [["predictions"], ["predictions"]]
    assert module.compute(predictions=SETS, segments=True, **PLAIN) == diversity(SETS, segments=True)
    for text in SETS[0]:
        module.add(prediction=text)
    assert module.compute(**PLAIN) == diversity(SETS[0])
    module.add_batch(predictions=SETS[0])
    module.add_batch(predictions=SETS[1:])
    with pytest.raises(InputError, match="item 4 of predictions is of another kind than those before: give either"):
        module.compute()
