"""tercet.compat in place of rouge_score: the same calls on the same texts, the original's beside ours."""

import pickle

import pytest
import rouge_score.rouge_scorer as original
import rouge_score.tokenizers as original_tokenizers
from hypothesis import given
from hypothesis import strategies as st

from tercet.compat import rouge_scorer, scoring, tokenizers
from texts import ALL_TEXTS, any_texts, awkward_text, texts

TYPES = ["rouge1", "rouge2", "rouge5", "rougeL", "rougeLsum"]
TARGET, PREDICTION = "The cats were sitting on 2 mats.\nThey slept.", "A cat sat on 2 mats\nand they are sleeping"

LOST = "rouge_score's tokenizer keeps a-z and 0-9 only and drops most letters of this target"
pytestmark = pytest.mark.filterwarnings(f"ignore:{LOST}:UserWarning")

awkward = st.randoms(use_true_random=False).map(lambda rng: awkward_text(rng, 30))
any_text = st.one_of(texts, any_texts, awkward, st.sampled_from(ALL_TEXTS))


class Characters:
    """A tokenizer as users write them: any object with this method."""

    def tokenize(self, text):
        return list(text)


class Fields:
    """A tokenizer whose tokens are no words: numbers, empty strings, strings with blanks."""

    def tokenize(self, text):
        return ["", *(len(field) if len(field) > 2 else field + " " for field in text.split(","))]


class LowerBound(rouge_scorer.RougeScorer):
    """What users make of it."""

    def score(self, target, prediction):
        return {name: each._replace(fmeasure=each.recall) for name, each in super().score(target, prediction).items()}


# --- the calls as people write them


def test_one_type_with_stems():
    found = rouge_scorer.RougeScorer(["rougeL"], use_stemmer=True).score(TARGET, PREDICTION)["rougeL"].fmeasure
    assert found == original.RougeScorer(["rougeL"], use_stemmer=True).score(TARGET, PREDICTION)["rougeL"].fmeasure


def test_three_types_with_stems():
    names = ["rouge1", "rouge2", "rougeL"]
    found = rouge_scorer.RougeScorer(names, use_stemmer=True).score(TARGET, PREDICTION)
    assert found == original.RougeScorer(names, use_stemmer=True).score(TARGET, PREDICTION)
    assert list(found) == names


@pytest.mark.parametrize("tokenizer", [Characters(), Fields()])
def test_a_tokenizer_of_the_user(tokenizer):
    ours, theirs = (each.RougeScorer(TYPES, tokenizer=tokenizer) for each in (rouge_scorer, original))
    assert ours.score("猫が座る, x,\ny", "猫が寝る, x") == theirs.score("猫が座る, x,\ny", "猫が寝る, x")


def test_several_targets_by_name_and_by_position():
    targets = ["the cat ran", PREDICTION, TARGET, PREDICTION[::-1]]
    ours, theirs = (each.RougeScorer(TYPES, use_stemmer=True) for each in (rouge_scorer, original))
    expected = theirs.score_multi(targets, PREDICTION)
    assert ours.score_multi(targets=targets, prediction=PREDICTION) == expected
    assert ours.score_multi(targets, PREDICTION) == expected


# --- the same numbers, names and printed forms


@given(any_text, any_text, st.booleans())
def test_scores_of_any_text(target, prediction, stem):
    ours, theirs = (each.RougeScorer(TYPES, use_stemmer=stem) for each in (rouge_scorer, original))
    assert ours.score(target, prediction) == theirs.score(target, prediction)


@given(st.lists(any_text, min_size=1, max_size=4), any_text)
def test_the_best_of_any_targets(targets, prediction):
    ours, theirs = (each.RougeScorer(TYPES) for each in (rouge_scorer, original))
    assert ours.score_multi(targets, prediction) == theirs.score_multi(targets, prediction)


@given(st.randoms(use_true_random=False), st.integers(0, 3), st.booleans(), st.permutations(TYPES))
def test_texts_of_several_lines_and_several_targets(rng, more, stem, names):
    words = ["the", "Cat", "sat", "on", "Mats", "é", "3.5", "and"][: rng.randrange(1, 9)]

    def text():
        n = rng.randrange(1, 7)
        return "\n".join(" ".join(rng.choices(words, k=rng.randrange(71 // n))) for _ in range(n))

    prediction, targets = text(), [text() for _ in range(more + 1)]
    names = names[: rng.randrange(1, 6)]
    ours, theirs = (each.RougeScorer(names, use_stemmer=stem) for each in (rouge_scorer, original))
    assert ours.score(targets[0], prediction) == theirs.score(targets[0], prediction)
    found = ours.score_multi(targets, prediction)
    assert found == theirs.score_multi(targets, prediction)
    assert list(found) == names
    assert {type(score) for score in found.values()} == {scoring.Score}


@given(any_text, any_text)
def test_any_tokenizer_gives_the_scores_of_the_original(target, prediction):
    for tokenizer in (Characters(), Fields()):
        ours, theirs = (each.RougeScorer(TYPES, tokenizer=tokenizer) for each in (rouge_scorer, original))
        assert ours.score(target, prediction) == theirs.score(target, prediction)


@given(any_text, st.booleans())
def test_the_default_tokenizer(text, stem):
    ours, theirs = (each.DefaultTokenizer(stem) for each in (tokenizers, original_tokenizers))
    assert ours.tokenize(text) == theirs.tokenize(text)


def test_sentences_of_nltk(monkeypatch):
    monkeypatch.setattr("nltk.sent_tokenize", lambda text: text.split(". "))
    ours, theirs = (each.RougeScorer(TYPES, split_summaries=True) for each in (rouge_scorer, original))
    for pair in [("a b. c\nd. e", "c d. a b"), ("", "a. b"), (" ", "a. b")]:
        assert ours.score(*pair) == theirs.score(*pair)


def test_a_lone_surrogate_separates_words():
    ours, theirs = (each.RougeScorer(TYPES) for each in (rouge_scorer, original))
    assert ours.score("a\ud800b", "a b") == theirs.score("a\ud800b", "a b")


def test_a_type_given_twice_and_no_type():
    for names in ([], ["rougeLsum", "rouge1", "rouge1", "rougeLsum"]):
        ours, theirs = (each.RougeScorer(names).score("a b", "b") for each in (rouge_scorer, original))
        assert repr(ours) == repr(theirs)


@pytest.mark.parametrize("kind", [rouge_scorer.RougeScorer, LowerBound])
def test_a_scorer_is_pickled(kind):
    scorer = kind(TYPES, use_stemmer=True, tokenizer=Characters())
    copy = pickle.loads(pickle.dumps(scorer))
    assert copy.score_multi([TARGET, "x"], PREDICTION) == scorer.score_multi([TARGET, "x"], PREDICTION)


def test_several_targets_go_through_the_score_of_a_subclass():
    best = LowerBound(["rouge1"]).score_multi(["a b c d", "a c"], "a b")["rouge1"]
    assert best == scoring.Score(precision=1.0, recall=0.5, fmeasure=0.5)


def test_a_base_class_asks_for_its_method():
    for base in (scoring.BaseScorer, tokenizers.Tokenizer):
        with pytest.raises(TypeError, match="abstract"):
            base()
    assert issubclass(rouge_scorer.RougeScorer, scoring.BaseScorer)


# --- what is refused, and what is warned of


@pytest.mark.parametrize("name", ["rougen", "rouge0", "rouge10", "rougeW", "rouge1\n"])
def test_an_unknown_type(name):
    scorer = rouge_scorer.RougeScorer(["rouge1", name])
    with pytest.raises(
        ValueError, match=f"^Invalid rouge type: {name}. Known: rouge1 to rouge9, rougeL, rougeLsum.$"
    ):
        scorer.score("a", "b")


@pytest.mark.parametrize(("targets", "shown"), [([], r"\[\]"), ("the cat", "'the cat'")])
def test_targets_are_a_list_of_texts(targets, shown):
    with pytest.raises(ValueError, match=f"^targets must be a list of at least one text, got {shown}.$"):
        rouge_scorer.RougeScorer(["rouge1"]).score_multi(targets, "the cat")


def test_texts_that_are_too_long():
    texts = ["a b " * 70_000 + "\na", "b\n" + "a b " * 66_000]
    with pytest.raises(ValueError, match=r"^item 0 is too long for ROUGE-W and ROUGE-L by lines"):
        rouge_scorer.RougeScorer(["rougeLsum"]).score(*texts)


@pytest.mark.filterwarnings("error")
def test_errors_and_warnings_of_several_targets_come_in_their_order():
    scorer = rouge_scorer.RougeScorer(["rouge1", "rougeX"])
    with pytest.raises(ValueError, match=r"^Invalid rouge type"):
        scorer.score_multi(["a", 3], "a")
    with pytest.raises(ValueError, match=r"^target must be a string, got 3"):
        scorer.score_multi([3, "a"], "a")
    with pytest.warns(UserWarning, match=LOST) as warned:
        rouge_scorer.RougeScorer(["rouge1"]).score_multi(["แมว", "a", "แม"], "a")
    assert len(warned) == 2


def test_texts_are_strings():
    scorer = rouge_scorer.RougeScorer(["rouge1"])
    message = r"^target must be a string, got \['a', 'b'\]; score_multi takes a list of them.$"
    with pytest.raises(ValueError, match=message):
        scorer.score(["a", "b"], "a")
    with pytest.raises(ValueError, match=r"^prediction must be a string, got None.$"):
        scorer.score("a", None)


@pytest.mark.filterwarnings("error")
def test_a_script_that_the_tokenizer_drops_is_warned_of():
    scorer = rouge_scorer.RougeScorer(["rouge1"])
    for target in ("แมวนอนบนเสื่อ", "今天35度"):
        with pytest.warns(UserWarning, match=LOST) as warned:
            scorer.score(target, target)
        assert warned[0].filename == __file__
    scorer.score("L'été dernier", "été")
    rouge_scorer.RougeScorer(["rouge1"], tokenizer=Characters()).score("แมว", "แมว")
