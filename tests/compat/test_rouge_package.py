"""tercet.compat in place of the package rouge: the same calls on the same texts, the original's beside ours."""

import pickle

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import rouge as original
from tercet.compat import rouge as ours
from texts import ALL_TEXTS, any_texts, awkward_text

HYPS = ["the cat sat. the cat ran. a dog", "one two  three", "Кошка спит. Кот", "猫 が 座る."]
REFS = ["a cat sat. the dog ran the cat.", "one three two.", "Кот спит. Кошка", "猫 座る が"]

lines = st.lists(st.sampled_from(["the", "cat", "sat", ".", "a", "dog"]), min_size=1, max_size=12).map(" ".join)
awkward = st.randoms(use_true_random=False).map(lambda rng: awkward_text(rng, 12))
any_text = st.one_of(lines, any_texts, awkward, st.sampled_from(ALL_TEXTS))
pairs = st.lists(st.tuples(any_text, any_text), min_size=1, max_size=4)


def outcome(made, *arguments, **options):
    """Return the scores; an error by its first sentence."""
    try:
        return made.get_scores(*arguments, **options)
    except ValueError as error:
        return str(error).partition(" (item")[0]


# --- the call as people write it


def test_an_average_is_that_of_the_original():
    found = ours.Rouge().get_scores(HYPS, REFS, avg=True)["rouge-l"]["f"]
    assert found == original.Rouge().get_scores(HYPS, REFS, avg=True)["rouge-l"]["f"]


# --- the same numbers and forms


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"metrics": ["ROUGE-L", "rouge-5", "rouge-3"], "stats": ["P"]},
        {"exclusive": False},
        {"raw_results": True, "exclusive": False, "stats": ["nothing"]},
        {"raw_results": True, "return_lengths": True},
        {"return_lengths": True},
    ],
)
@given(pairs)
def test_scores_of_any_text(options, corpus):
    hyps, refs = map(list, zip(*corpus, strict=True))
    made, theirs = (each.Rouge(**options) for each in (ours, original))
    if options.get("metrics", ["rouge-n"])[0] == "ROUGE-L":  # which calls both texts collections there
        assume(all(text.strip(".") for text in (*hyps, *refs)))
    found, expected = outcome(made, hyps, refs), outcome(theirs, hyps, refs)
    assert found == expected
    if isinstance(found, list):
        assert [list(each) for each in found] == [list(each) for each in expected]
        if not made.raw_results:  # the original fails
            assert made.get_scores(hyps, refs, avg=True) == theirs.get_scores(hyps, refs, avg=True)


def test_two_texts_are_a_list_of_one_pair():
    found, expected = (each.Rouge().get_scores(HYPS[0], REFS[0]) for each in (ours, original))
    assert repr(found) == repr(expected)


def test_averages_of_counts():
    made = ours.Rouge(["rouge-1"], raw_results=True)
    found = made.get_scores(["a b", "c d e"], ["a", "c d"], avg=True)
    assert found == {"rouge-1": {"hyp": 2.5, "ref": 1.5, "overlap": 1.5}}


def test_empty_texts_are_left_out():
    corpus = ["", "a b", "c"], ["a", "a c", ""]
    found, expected = (each.Rouge().get_scores(*corpus, ignore_empty=True) for each in (ours, original))
    assert found == expected
    assert len(found) == 1
    with pytest.raises(ValueError, match=r"^Hypothesis is empty. \(item 1\)$"):
        ours.Rouge().get_scores(["", "."], ["a", "a"], ignore_empty=True)


def test_texts_of_a_thousand_words():
    """The original recurses once for each word."""
    text = " ".join(f"w{number % 700}" for number in range(3000))
    assert ours.Rouge(["rouge-l"]).get_scores(text, text)[0]["rouge-l"]["f"] == pytest.approx(1)
    with pytest.raises(RecursionError):
        original.Rouge(["rouge-l"]).get_scores(text[:6000], text[:6000])


def test_files_score_as_in_the_original(tmp_path):
    for name, texts in (("hyps", HYPS), ("refs", REFS)):
        (tmp_path / name).write_text("\n".join([*texts, ""]), encoding="utf-8")
    paths = str(tmp_path / "hyps"), str(tmp_path / "refs")
    for options in ({}, {"avg": True}):
        found, expected = (each.FilesRouge(["rouge-1"]).get_scores(*paths, **options) for each in (ours, original))
        assert found == expected


def test_the_last_line_of_a_file_keeps_its_last_letter(tmp_path):
    (tmp_path / "one").write_text("a cat", encoding="utf-8")
    (tmp_path / "other").write_text("a cat\n", encoding="utf-8")
    (found,) = ours.FilesRouge().get_scores(tmp_path / "one", tmp_path / "other")
    assert found["rouge-1"]["r"] == 1.0


def test_it_is_pickled():
    made = ours.Rouge(["rouge-2"], ["f"], exclusive=False)
    assert pickle.loads(pickle.dumps(made)).get_scores(HYPS, REFS) == made.get_scores(HYPS, REFS)


# --- what is refused


@pytest.mark.parametrize(
    ("hyps", "refs", "message"),
    [
        ("", "a", r"^Hypothesis is empty. \(item 0\)$"),
        (["a", "a", "..."], ["a", "a", "a"], r"^Hypothesis is empty. \(item 2\)$"),
        (["a", "a"], ["a", ""], r"^Reference is empty. \(item 1\)$"),
        (["a", None], ["a", "b"], "^item 1 of hyps must be a string, got None.$"),
        (["a", "b"], ["a", ["b"]], r"^item 1 of refs must be a string, got \['b'\].$"),
    ],
)
def test_texts_without_a_sentence_are_refused(hyps, refs, message):
    with pytest.raises(ValueError, match=message):
        ours.Rouge().get_scores(hyps, refs)


@pytest.mark.parametrize("corpus", [("a", ["a"]), (["a"], "a"), (["a", "b"], ["a"])])
def test_unequal_numbers_of_hypotheses_and_references_are_refused(corpus):
    with pytest.raises(AssertionError, match="Expected two texts, or one reference for each hypothesis"):
        ours.Rouge().get_scores(*corpus)


def test_an_average_of_nothing():
    assert ours.Rouge().get_scores([""], ["a"], ignore_empty=True) == []
    with pytest.raises(ValueError, match="There is no pair of texts to average"):
        ours.Rouge().get_scores([], [], avg=True)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"metrics": ["rouge1"]}, "^Unknown metric 'rouge1'. Did you mean 'rouge-1'"),
        ({"metrics": ["rouge-6"]}, "^Unknown metric 'rouge-6'"),
        ({"stats": ["f1"]}, "^Unknown stat 'f1'. Did you mean 'f'"),
    ],
)
def test_unknown_names_are_refused_with_the_nearest(given, message):
    for each in (ours, original):
        with pytest.raises(ValueError, match=message if each is ours else message.partition(".")[0]):
            each.Rouge(**given)


@pytest.mark.parametrize("options", [{}, {"return_lengths": True}, {"raw_results": True}])
def test_no_metric_gives_no_score(options):
    mine, theirs = ours.Rouge(metrics=[], **options), original.Rouge(metrics=[], **options)
    for texts in (("a b", "b"), (["a b", "c"], ["b", "c"])):
        for avg in (False, True):
            assert mine.get_scores(*texts, avg=avg) == theirs.get_scores(*texts, avg=avg)
