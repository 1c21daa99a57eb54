"""The signature is a value: entries to look up, one line of text, the same again when the line is read."""

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import ZERO_BLEU
from tercet import OptionError, score
from tercet.signature import Signature, __version__

NAMES = st.text("ab|:,= é", max_size=6)
KEYS = st.text("abc", min_size=1, max_size=2)


@pytest.fixture
def signature():
    return Signature.of("m", {"tok": "13a", "eff": True, "k": 1.0, "weights": (0.5, 2.0), "stem": None})


def test_its_text_is_the_line_and_its_entries_are_in_that_order(signature):
    assert str(signature) == f"m|tok:13a|eff:yes|k:1|weights:0.5,2|version:tercet-{__version__}"
    assert list(signature.items())[:2] == [("tok", "13a"), ("eff", "yes")]
    assert (signature.metric, signature["k"], len(signature), "stem" in signature) == ("m", "1", 5, False)


def test_further_entries_stand_before_the_version_and_the_first_value_stays_as_it_was(signature):
    before = str(signature)
    more = signature.extended({"refs": "1-4", "scale": "100"})
    assert str(more) == before.replace("|version", "|refs:1-4|scale:100|version")
    assert str(signature) == before
    assert more != signature
    assert str(Signature.parse("m|tok:13a").extended({"refs": "1"})) == "m|tok:13a|refs:1"


def test_it_does_not_change(signature):
    with pytest.raises(TypeError):
        signature["tok"] = "intl"
    with pytest.raises(AttributeError):
        signature.metric = "other"


def test_equal_ones_are_one_key_and_travel(signature):
    for other in (Signature.parse(str(signature)), copy.deepcopy(signature), pickle.loads(pickle.dumps(signature))):
        assert other == signature
        assert len({other, signature}) == 1
    assert signature != str(signature)
    assert signature != Signature.parse(f"{signature}|tok:intl")


@given(NAMES, st.dictionaries(KEYS, NAMES))
def test_any_line_is_read_as_it_was_written(metric, parts):
    """Also with the signs of the line in the name of a folder, a tokenizer or a weighting."""
    signature = Signature.of(metric, parts)
    assert Signature.parse(str(signature)) == signature
    assert str(Signature.parse(str(signature))) == str(signature)


#: The packages whose numbers signatures claim, and options with which they do; None where they claim no package.
EQUALS = {
    "sacrebleu": [{}],
    "sacrebleu(bleu)": [{"weights": {"a": [1]}}],
    "evaluate-bleu": [{"compat": "evaluate"}, {"compat": "evaluate", "smooth": True}],
    "nltk": [{"compat": "nltk"}],
    None: [
        {"compat": "sacrebleu", "weights": [1]}, {"compat": "sacrebleu", "reference_length": "average"},
        {"compat": "sacrebleu", "tokenizer": "unicode"}, {"compat": "evaluate", "smooth_method": "nltk1"},
        {"compat": "nltk", "smooth_method": "nltk5", "weights": [0.5, 0.5]}, {"missing_references": "zero"},
        {"compat": "sacrebleu", "smooth": True}, {"smooth": True},
    ],
}  # fmt: skip
ROUGE_EQUALS = {
    "rouge_score": [{"rouge_types": ["rouge1"], "stemmer": "porter"}, {"rouge_types": ["rouge1"]}],
    "ROUGE-1.5.5": [{"compat": "rouge155"}],
    None: [
        {"compat": "rouge155", "tokenizer": "char"}, {"compat": "rouge155", "stopwords": ["q"]},
        {"rouge_types": ["rouge1"], "beta": 2}, {"rouge_types": ["rougeW"]},
    ],
}  # fmt: skip


@ZERO_BLEU
@pytest.mark.parametrize(("metric", "equals"), [("bleu_multi", EQUALS), ("rouge_nlws", ROUGE_EQUALS)])
def test_a_signature_claims_an_equal_only_where_the_options_are_its(metric, equals):
    for equal, options in ((equal, options) for equal, several in equals.items() for options in several):
        signature = score(metric, ["a b"], ["a b"], **options).signature
        fields = dict(field.split(":", 1) for field in signature.split("|")[1:])
        assert fields.get("equals") == equal, options


def signature_of_rouge(**options):
    return score("rouge_nlws", ["a b"], ["a b"], **options).signature


def test_other_options_have_another_signature():
    for one, other in (
        ({"stopwords": ["a"]}, {"stopwords": ["b"]}), ({"beta": 1.2345678}, {"beta": 1.2345679}),
        ({"compat": "rouge155", "max_bytes": 60}, {"max_bytes": 60, "tokenizer": "rouge"}), ({"scale": 100}, {}),
    ):  # fmt: skip
        assert signature_of_rouge(**one) != signature_of_rouge(**other)


@ZERO_BLEU
def test_options_that_mean_the_same_have_one_signature():
    assert signature_of_rouge(stemmer="ru") == signature_of_rouge(stemmer="russian")
    floor = {"smooth_method": "floor"}
    assert score("bleu_multi", ["a"], ["a"], **floor) == score("bleu_multi", ["a"], ["a"], smooth_value=0.1, **floor)


@ZERO_BLEU
def test_the_signature_says_how_segments_are_smoothed():
    assert "|seg:exp,eff|" in score("bleu_multi", ["a"], ["a"], segments=True).signature


def test_a_name_that_could_be_taken_for_an_entry_is_refused():
    with pytest.raises(OptionError, match="named ones"):
        score("bleu_multi", ["a"], ["a"], weights={"x|version:y": [1]})
