"""The signature is a value: entries to look up, one line of text, the same again when the line is read."""

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
