"""What a score comes back as: a dict that other code can loop over, with attributes for the rest."""

import copy
import json
import pickle
import re

import evaluate
import pytest

import tercet
from conftest import ANY_TEXTS
from tercet.names_as_shown import clean
from tercet.result import Result

RESULT = Result({"m": 0.5}, metric="m", signature="m|tok:13a", n_segments=4, empty_predictions=1, counts=[3, 2])

PREDICTIONS = ["the cat sat on the mat", "Кот Tom спит.", ""]
REFERENCES = [["a cat sat on the mat", "the cat lay there"], ["Кот Tom спит."], ["nothing"]]


class TestTheDict:
    def test_has_the_scores_alone_and_can_be_changed_as_any_dict(self):
        assert isinstance(RESULT, dict)
        own = RESULT.copy()
        own["gen_len"] = 7.5
        assert {**own} == {"m": 0.5, "gen_len": 7.5}
        assert RESULT == {"m": 0.5}

    def test_says_where_the_attributes_are(self):
        with pytest.raises(KeyError, match=r"'counts' is an attribute of this result, not a key: use result\.counts"):
            RESULT["counts"]
        with pytest.raises(KeyError, match=r"'bleu' is not a key of this result\. Known: m\."):
            RESULT["bleu"]
        assert RESULT.get("counts") is None
        assert "counts" not in RESULT
        with pytest.raises(AttributeError, match="totals"):
            RESULT.totals  # noqa: B018
        with pytest.raises(KeyError, match="'segments' was not requested: give segments=True"):
            RESULT["segments"]
        with pytest.raises(KeyError, match="'intervals' was not requested: give confidence_level="):
            RESULT["intervals"]


MADE_ANEW = {
    "from a dict": lambda result: type(result)({**result}),
    "from pairs": lambda result: type(result)([(key, value) for key, value in result.items()]),
    "from an iterator": lambda result: type(result)(zip(result, result.values(), strict=True)),
    "from named values": lambda result: type(result)(**result),
    "from keys": lambda result: type(result).fromkeys(result, 0.5),
}


@pytest.mark.parametrize("way", MADE_ANEW.values(), ids=MADE_ANEW)
def test_made_anew_by_others_it_is_shown_and_kept_as_a_dict_with_nothing_invented(way):
    """What Trainers, loggers and collators do to any dict: make one of its type with other values."""
    again = way(RESULT)
    assert again == again.to_dict(full=True) == {"m": 0.5}
    assert repr(pickle.loads(pickle.dumps(again))) == repr(again.copy()) == repr(again) == "Result({'m': 0.5})"
    assert (again.metric, again.signature, again.n_segments, again.segments) == ("", "", 0, None)
    shown = again._repr_html_()
    assert "0.5000" in shown
    assert "segment" not in shown
    with pytest.raises(KeyError, match=r"^'segments'$"):
        again["segments"]


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickled_by_any_protocol_it_has_its_attributes(protocol):
    result = tercet.score("bleu", ["the cat sat on the mat"], ["a cat sat on the mat"])
    again = pickle.loads(pickle.dumps(result, protocol))
    assert repr(again) == repr(result)
    assert (again.metric, again.signature) == (result.metric, result.signature)


def test_one_that_no_constructor_filled_is_a_dict():
    class Own(Result):
        def __init__(self, entries):
            dict.__init__(self, entries)

    own = Own({"m": 0.5})
    assert (own.metric, own.signature, repr(own)) == ("", "", "Result({'m': 0.5})")
    with pytest.raises(KeyError, match=r"^'n'$"):
        own["n"]
    result = RESULT.copy()
    del result.metric
    assert result.metric == ""


def test_joined_with_another_it_is_a_plain_dict():
    for joined in (RESULT | {"loss": 2.0}, {"loss": 2.0} | RESULT, {**RESULT, "loss": 2.0}):
        assert type(joined) is dict
        assert joined == {"m": 0.5, "loss": 2.0}


class TestItsAttributes:
    def test_are_in_its_repr(self):
        assert repr(RESULT) == (
            "Result({'m': 0.5}, signature='m|tok:13a', n_segments=4, empty_predictions=1, missing_references=0, "
            "counts=[3, 2])"
        )

    def test_are_in_the_full_dict_which_is_a_copy(self):
        full = RESULT.to_dict(full=True)
        expected = {"signature": "m|tok:13a", "n_segments": 4, "empty_predictions": 1, "missing_references": 0}
        assert full == {"m": 0.5, **expected, "counts": [3, 2]}
        full["counts"].append(1)
        assert RESULT.counts == [3, 2]
        assert type(RESULT.to_dict()) is dict

    @pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, Result.copy, lambda r: pickle.loads(pickle.dumps(r))])
    def test_are_kept_by_copies_and_pickles(self, way):
        again = way(RESULT)
        assert again == RESULT
        assert again is not RESULT
        assert (again.signature, again.counts, again.intervals) == ("m|tok:13a", [3, 2], None)


KEYS = {
    "bleu_multi": ["bleu", "precisions", "brevity_penalty", "length_ratio", "translation_length", "reference_length"],
    "rouge_nlws": ["rouge1", "rouge2", "rougeL", "rougeLsum", "rougeW", "rougeS4", "rougeSU4"],
}


@pytest.mark.parametrize("metric", KEYS)
class TestOfAMetric:
    @ANY_TEXTS
    def test_has_the_keys_of_evaluates_module_and_further_ones_for_what_was_asked_for(self, metric):
        plain = tercet.score(metric, PREDICTIONS, REFERENCES)
        assert list(plain) == KEYS[metric]
        assert (plain.n_segments, plain.empty_predictions, plain.missing_references) == (3, 1, 0)
        assert (plain.segments, plain.intervals) == (None, None)
        asked = {"segments": True, "confidence_level": 0.9, "n_resamples": 20, "signature": True}
        result = tercet.score(metric, PREDICTIONS, REFERENCES, **asked)
        assert list(result) == [*KEYS[metric], "segments", "intervals", "signature"]
        assert result["segments"] is result.segments
        assert result["intervals"] is result.intervals
        assert result["signature"] == result.signature

    @ANY_TEXTS
    def test_goes_into_json_and_evaluates_own_file(self, metric, tmp_path):
        result = tercet.score(metric, PREDICTIONS, REFERENCES, signature=True)
        assert type(result.signature) is type(result["signature"]) is str
        assert json.loads(json.dumps(result)) == result
        evaluate.save(tmp_path, **result)
        (file,) = tmp_path.glob("*.json")
        assert result.items() <= json.loads(file.read_text()).items()

    @ANY_TEXTS
    def test_is_the_same_after_adding_and_combined(self, metric):
        expected = tercet.score(metric, PREDICTIONS, REFERENCES)
        module = tercet.load(metric)
        module.add_batch(predictions=PREDICTIONS, references=REFERENCES)
        assert module.compute().to_dict(full=True) == expected.to_dict(full=True)
        together = evaluate.combine([tercet.load(each) for each in KEYS])
        found = together.compute(predictions=PREDICTIONS, references=REFERENCES)
        assert expected.items() <= found.items()
        assert set(found) == {key for keys in KEYS.values() for key in keys}


def test_bleu_keeps_its_table_in_attributes():
    result = tercet.score("bleu_multi", ["the the cat"], [["the cat sat"]], max_order=2, weights={"low": (0.9, 0.1)})
    assert (result.counts, result.totals, result.interpretation) == ([2, 1], [3, 2], None)
    assert list(result) == ["bleu", "bleu_low", *KEYS["bleu_multi"][1:]]
    assert "grid" in tercet.score("bleu_multi", ["a b"], ["a b"], max_order=2, grid=True)


class TestInANotebook:
    def test_a_table_of_numbers_stands_above_the_signature(self):
        shown = Result(
            {"m": 0.25, "counts": [1, 2], "items": [0.5] * 9, "length": 1234, "hash": "x", "sure": [True][:0]},
            metric="m", signature="m|tok:13a", n_segments=9,
        )._repr_html_()  # fmt: skip
        assert re.findall("<bdi>(.*?)</bdi></th><td[^>]*>(.*?)</td>", shown) == [
            *(("m", "0.2500"), ("counts", "1, 2"), ("items", "9 values"), ("length", "1,234")),
        ]
        assert shown.index("</table>") < shown.index("9 segments") < shown.index("m|tok:13a")
        assert "interval" not in shown

    def test_with_intervals_only_where_they_were_asked_for(self):
        result = tercet.score("bleu_multi", ["a b c d e"] * 5, ["a b c d f"] * 5, confidence_level=0.9)
        shown = result._repr_html_()
        low, high = result.intervals["bleu"]
        assert f'{result["bleu"]:.4f}</td><td style="text-align:right">{low:.4f} to {high:.4f}</td>' in shown
        assert "interval</th>" in shown
        assert "5 segments<" in shown

    @pytest.mark.parametrize("hostile", ["<script>a</script>", '" onload="x', "</small></table>&lt;", "\x00\x1b"])
    def test_texts_are_text(self, hostile):
        shown = Result({hostile: 0.5}, metric=hostile, signature=f"m|tok:{hostile}", n_segments=1)._repr_html_()
        assert shown.count(clean(hostile)) == 3
        tags = {"div", "table", "thead", "tbody", "tr", "th", "td", "bdi", "p", "small"}
        assert set(re.findall(r"</?(\w+)", shown)) <= tags
        assert not re.search("[\x00-\x08\x1b]", shown)


class TestAttributesMadeWhenRead:
    def test_what_a_user_has_set_before_stays(self):
        result = tercet.score("chrf", ["кот"], ["кот"])
        result.n_segments = 7
        assert (result.n_segments, result.missing_references, result.copy().n_segments) == (7, 0, 7)

    def test_an_error_in_them_is_no_missing_attribute(self):
        class Wrong(tercet.Chrf):
            def details(self, totals, stats, entries):
                return {"rows": len(stats.rows)}  # there are none: the class does not keep them

        result = Wrong()(["кот"], ["кот"])
        with pytest.raises(RuntimeError, match="the attributes of the result cannot be made: 'NoneType'"):
            hasattr(result, "n_segments")

        class Right(Wrong):
            keeps_rows = True

        assert Right()(["кот", "пёс"], ["кот", "пёс"]).rows == 2

    def test_a_dict_without_metric_takes_any_name(self):
        assert Result(_details=3, details=4) == {"_details": 3, "details": 4}
