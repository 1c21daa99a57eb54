"""A plan: one call for lists of strings. It is what the engine's single steps are, in both engines."""

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.engine import _engine, plain
from tercet.engine.planned import Entry, TextRules
from tercet.result import Result
from texts import PAIRS

ENGINES = pytest.mark.parametrize("engine", [_engine, plain], ids=["compiled", "plain"])
READ = TextRules(most_items=50, marks=b"<&", fewest_odd_items=3, fewest_odd_references=3, watched=slice(4, 6))
THREE = (("n", 1), ("n", 2), ("L", 0))

#: What each function takes behind the texts.
PLANS = {
    "bleu_plan": [
        ("13a", 4, False, False, (5, "exp", 0.0, False, [[0.25] * 4], 100.0)),
        ("char", 2, True, True, (7, "floor", 0.5, True, [[0.5, 0.5], [1.0, 0.0]], 1.0)),
        ("zh", 3, False, False, (6, "add-k", 1.0, False, [[0.5, 0.25, 0.25]], 1.0)),
        ("none", 4, True, False, (5, "nltk0", 0.0, False, [[0.25] * 4], 1.0)),
        ("13a", 2, True, True, (5, "nltk7", 5.0, False, [[0.5, 0.5], [1.0, 0.0]], 100.0)),
    ],
    "rouge_plan": [
        ("rouge", THREE, 1.0, False, 1.0, [2, 5, 8]),
        (None, (*THREE, ("Lsum", 0), ("S", 2)), 1.5, True, 100.0, [*range(15)]),
        ("unicode", THREE, 1.0, False, 1.0, [8, 0]),
    ],
    "chrf_plan": [(6, [0], False, 2, False, 100.0), (3, [2, 0], True, 1.5, True, 1.0)],
    "error_plan": [("blanks", True, 1.0), ("char", False, 100.0)],
    "ter_plan": [(100.0,)],
    "gleu_plan": [("13a-unstripped", 1, 4, 1.0), ("unicode", 2, 3, 100.0)],
}
CASES = [pytest.param(name, options, id=f"{name}-{n}") for name in PLANS for n, options in enumerate(PLANS[name])]
EACH_PLAN = pytest.mark.parametrize(("name", "options"), CASES)

texts = st.text(st.sampled_from("ab A.,-&<'9\n\t é\u0130яあ中ไ\u0301"), max_size=12)
items = st.lists(st.tuples(texts, st.lists(texts, min_size=1, max_size=3)), min_size=1, max_size=6)


def lists(items):
    return [text for text, _ in items], [references for _, references in items]


def read(lowercase=False, count_letters=True):
    return READ._replace(lowercase=lowercase, count_letters=count_letters)


def fields(scored):
    names = ("predictions", "references", "ends", "fewest", "most", "ascii_without_marks", "needs_look", "letters")
    numbers = ("sums", "scores", "scores_of_items")
    return scored and [getattr(scored, name) for name in (*names, *numbers)]


@ENGINES
def test_a_plan_counts_and_scores_as_the_single_steps_do(engine):
    predictions, references = ["The cat sat.", "a dog"], ["The cat sat down.", "the dog"]
    options = ("13a", 4, False, False, (5, "exp", 0.0, False, [[0.25] * 4], 100.0))
    scored = engine.bleu_plan(READ, *options).score(predictions, references, True)
    rows = engine.bleu_rows(predictions + references, 2, None, "13a", 4)
    formula = (5, "exp", 0.0, False, np.full((1, 4), 0.25), 100.0)
    assert scored.sums == engine.sum_rows(rows).tolist()
    assert scored.scores == engine.bleu_scores(rows.sum(axis=0)[None], *formula).tolist()[0]
    assert scored.scores_of_items == engine.bleu_scores(rows, *formula).T.tolist()


@given(items=items)
def test_both_engines_return_the_same_of_the_type_w_with_one_reference_each(items):
    options = read()._replace(only_strings=True), None, (*THREE, ("W", 1.2)), 1.5, True, 100.0, [2, 9, 10, 11]
    predictions, references = lists(items)
    first_references = [first for first, *_ in references]
    expected = fields(plain.rouge_plan(*options).score(predictions, first_references, True))
    assert fields(_engine.rouge_plan(*options).score(predictions, first_references, True)) == expected


@ENGINES
def test_the_type_w_takes_one_reference_each_and_letters_that_choose_are_counted(engine):
    options = None, (("W", 1.2),), 1.0, False, 1.0, [2]
    plan = engine.rouge_plan(read()._replace(only_strings=True), *options)
    assert plan.score(["a b"], ["a c"]) is not None
    assert plan.score(["a b"], [["a c"]]) is plan.score(["a b"], [["a c", "a"]]) is None
    with pytest.raises(ValueError, match="letters that choose the reading must be counted"):
        engine.rouge_plan(READ, None, THREE, 1.0, False, 1.0, [2])
    with pytest.raises(ValueError, match="the type W takes texts with one reference each"):
        engine.rouge_plan(read(), *options)


@EACH_PLAN
@given(items=items, lowercase=st.booleans())
def test_both_engines_return_the_same(name, options, items, lowercase):
    of_texts = read(lowercase)
    for references in (lists(items)[1], [first for first, *_ in lists(items)[1]]):
        given = lists(items)[0], references, True
        expected = fields(getattr(plain, name)(of_texts, *options).score(*given))
        assert fields(getattr(_engine, name)(of_texts, *options).score(*given)) == expected


@ENGINES
@EACH_PLAN
@pytest.mark.parametrize(
    ("predictions", "references"),
    [
        ([], []),
        (["a"], ["a", "b"]),
        (["a", "b"], ["a"]),
        (["a"], [[]]),
        (["a", "b"], [["a"], []]),
        (["a", None], ["a", "b"]),
        (["a", 1], ["a", "b"]),
        (["a"], [None]),
        (["a"], [["a", None]]),
        (["a", "b"], ["a", ["b"]]),
        ([np.str_("a")], ["a"]),
        (["a\ud800"], ["a"]),
        (["a"], ["\udfff"]),
        (["a"] * 51, ["a"] * 51),
    ],
)
def test_what_needs_another_reader_is_left_to_it(engine, name, options, predictions, references):
    before = list(predictions), list(references)
    assert getattr(engine, name)(read(), *options).score(predictions, references) is None
    assert (predictions, references) == before


def test_a_plan_of_nltk_s_methods_has_the_columns_that_they_read():
    with pytest.raises(ValueError, match="read the columns of `divisors`"):
        _engine.bleu_plan(READ, "none", 4, False, False, (5, "nltk0", 0.0, False, [[0.25] * 4], 1.0))


@ENGINES
def test_what_is_odd_about_texts_is_shown_and_not_judged(engine):
    plan = engine.gleu_plan(read(), "13a", 1, 4, 1.0)
    assert plan.score(["a b"], ["a c"]).ascii_without_marks
    assert not plan.score(["a b"], ["a c"]).needs_look
    assert plan.score(["a b"], [["a c"] * 3]).needs_look
    assert plan.score(["a b"] * 3, ["a c"] * 3).needs_look
    assert plan.score(["b"], ["a"]).needs_look  # no match: the first column that is watched
    assert not plan.score(["a <b>"], ["a c"]).ascii_without_marks
    assert not plan.score(["a b"], ["a ç"]).ascii_without_marks
    assert plan.score(["zz"], ["abc é", "中文"][:1]).letters == (3, 1, 0, 0)
    assert plan.score(["a"], ["中文"]).letters == (0, 2, 2, 1)
    several = plan.score(["a", "b"], [["a", "c"], ["b"]])
    assert (several.ends, several.fewest, several.most) == ([0, 2, 3], 1, 2)
    assert plan.score(["a", "b"], [["a"], ("b",)]).ends is None


@ENGINES
def test_keys_are_entered_as_they_are_described(engine):
    scored = engine.gleu_plan(read(), "13a", 1, 2, 100.0).score(["a b"], ["a c"])
    wanted = [
        Entry("gleu", "score", 0),
        Entry("all", "scores", 0, 1),
        Entry("items", "sum", 0),
        Entry("matches", "count", 4),
        Entry("share", "ratio", 4, 5),
        Entry("by nothing", "ratio", 4, 2),
        Entry("order", "given", 2),
    ]
    entries = Result()
    scored.enter(entries, wanted)
    share = 1 / 3
    values = [100 * share, [100 * share], 1.0, 1, share, 0.0, 2]
    assert list(entries.items()) == [(entry.name, value) for entry, value in zip(wanted, values, strict=True)]
    assert [type(value) for value in entries.values()] == [type(value) for value in values]
    for entry in (Entry("beyond", "score", 1), Entry("beyond", "sum", 6), Entry("beyond", "ratio", 0, 6)):
        with pytest.raises(IndexError):
            scored.enter({}, [entry])


@ENGINES
def test_the_letters_choose_the_reading_of_rouge(engine):
    plan = engine.rouge_plan(read(), None, THREE, 1.0, False, 1.0, [2, 5, 8])
    of_words = engine.rouge_plan(read(lowercase=True), "unicode", THREE, 1.0, False, 1.0, [2, 5, 8])
    russian = ["мы идём Домой"], ["Мы идём в школу"]
    assert plan.score(*russian).scores == of_words.score(*russian).scores
    assert plan.score(["Идём home now"], ["идём home now"]).scores[2] == 1.0


@ENGINES
def test_lists_that_change_meanwhile_are_not_read_again(engine):
    predictions, references = ["a b"], ["a c"]
    scored = engine.ter_plan(READ, 100.0).score(predictions, references)
    predictions[0], references[0] = "x", "y"
    assert (scored.predictions, scored.references) == (["a b"], ["a c"])


@EACH_PLAN
def test_threads_share_a_plan(name, options):
    plan = getattr(_engine, name)(read(), *options)
    pairs = []
    for language in PAIRS.values():
        text, references = language[0]
        pairs.append(([text] * 9, references[:1] * 9))
    expected = [fields(plan.score(*pair)) for pair in pairs]
    found = {}

    def score(number):
        for _ in range(30):
            found[number] = fields(plan.score(*pairs[number]))
            assert found[number] == expected[number]

    threads = [threading.Thread(target=score, args=[number]) for number in range(len(pairs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[number] for number in range(len(pairs))] == expected


@ENGINES
@pytest.mark.parametrize("name", ["error_plan", "bleu_plan"])
def test_a_reading_that_there_is_not_is_refused_when_the_plan_is_used_or_made(engine, name):
    options = ("nothing", *PLANS[name][0][1:])
    with pytest.raises(KeyError):
        getattr(engine, name)(read(), *options).score(["a"], ["b"])
