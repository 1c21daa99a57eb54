"""Explanations of translation edit rates: the numbers are those of the score, the words those of the texts."""

import json
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tercet
from tercet.explanation.edits import Step
from tercet.metrics.ter import Shift
from texts import any_texts, lines, texts

explain = partial(tercet.explain, "ter")


@given(st.one_of(texts, any_texts), st.lists(st.one_of(texts, any_texts), min_size=1, max_size=3), st.booleans())
def test_the_numbers_are_those_of_the_score(prediction, references, normalized):
    options = {"normalized": normalized, "compat": "sacrebleu"}  # which warns of no script
    found = explain(prediction, references, **options)
    scored = tercet.score("ter", [prediction], [references], **options)
    assert [found.score, found.num_edits, found.ref_length] == [scored[x] for x in ("ter", "num_edits", "ref_length")]
    assert found.num_edits == len(found.shifts) + sum(step.kind != "match" for step in found.steps)
    alone = [tercet.score("ter", [prediction], [text], **options)["num_edits"] for text in references]
    assert found.reference == alone.index(min(alone))


@given(lines, lines)
def test_steps_go_through_both_texts(prediction, reference):
    found = explain(prediction, reference)
    assert [step.reference for step in found.steps if step.reference is not None] == reference.split()
    words = {step.place: step.prediction for step in found.steps if step.place is not None}
    assert [words[place] for place in range(len(words))] == prediction.split()
    moved = prediction.split()
    for shift in found.shifts:
        block = moved[shift.start : shift.start + shift.length]
        assert shift.words == " ".join(block)
        moved[shift.start : shift.start + shift.length] = []
        moved[shift.to : shift.to] = block
    assert [step.prediction for step in found.steps if step.prediction is not None] == moved
    assert any(step.shifted for step in found.steps) == bool(found.shifts)


def test_a_shift_and_what_is_left():
    found = explain("On the mat a cat sat", ["nothing", "the cat sat on the mat"])
    assert (found.score, found.num_edits, found.ref_length, found.reference) == (pytest.approx(200 / 3.5), 2, 3.5, 1)
    assert found.shifts == [Shift("on the mat", 0, 3, 3)]
    assert found.steps[:2] == [Step("substitution", "a", "the", 3, False), Step("match", "cat", "cat", 4, False)]
    assert found.steps[-1] == Step("match", "mat", "mat", 2, True)
    assert json.loads(json.dumps(found.to_dict()))["steps"][0]["kind"] == "substitution"
    for part in ("edits: 2 (shifts: 1)", "reference 2", "after shifts", "<td>on the mat</td>", "match, shifted"):
        assert part in found.to_html()


def test_texts_without_words():
    steps = explain("a b", "").steps
    assert [(step.kind, step.prediction) for step in steps] == [("insertion", "a"), ("insertion", "b")]
    assert explain("", "").to_dict()["steps"] == []
    assert "no token" in explain("", "").to_html()
