"""Parts of corpora whose rows are kept, and handed over as files, come to the result of the whole corpus."""

import random
from itertools import chain, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tercet
from conftest import ANY_TEXTS, ZERO_BLEU, close, needed
from tercet import InputError
from tercet.api import make_scorer
from tercet.registry import METRICS
from tercet.streaming.rows import KeptRows, result_of_rows
from tercet.streaming.rows_file import RowsFile, write_rows
from texts import all_pairs, awkward_text

PREDICTIONS, REFERENCES = all_pairs()
EVERYTHING = {"segments": True, "confidence_level": 0.9, "n_resamples": 20, "signature": True}
OPTIONS = [
    ("bleu_multi", {}),
    ("bleu_multi", {"tokenizer": "intl", "weights": {"flat": (0.5, 0.5)}, "max_order": 3}),
    ("rouge_nlws", {}),
    ("rouge_nlws", {"tokenizer": "auto", "rouge_types": ["rouge1", "rougeLsum", "rougeW", "rougeSU4"]}),
    ("rouge_nlws", {"use_aggregator": False, "tokenizer": "unicode"}),
    ("bleu_rouge_f", {}),
    ("jaccard_sets", {"variants": {"words": {}, "letters": {"tokenizer": "char"}}}),
]

pytestmark = [ZERO_BLEU, pytest.mark.filterwarnings("ignore:.*(13a|rouge_score|left out|all tokens of):UserWarning")]


def handed_over(scorer, texts, path):
    """Count a part, write it, and read it as another process does."""
    write_rows(path, [KeptRows.counted(scorer, scorer.corpus(*texts).encoded())], {})
    (rows,) = RowsFile(path).rows(scorer)
    return rows


def cut(predictions, references, places):
    bounds = [0, *sorted(places), len(predictions)]
    return [(predictions[start:stop], references[start:stop]) for start, stop in pairwise(bounds)]


def outcome(make):
    try:
        return make().to_dict(full=True)
    except InputError as error:
        return str(error)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("parts") / "part"


@ANY_TEXTS
@pytest.mark.parametrize(("metric", "options"), OPTIONS)
@given(seed=st.integers(0, 10**6), places=st.lists(st.integers(0, 12), max_size=4))
def test_any_cut_gives_the_result_of_the_whole_to_the_bit(metric, options, path, seed, places):
    rng = random.Random(seed)
    predictions = [awkward_text(rng, 12) for _ in range(12)]
    references = [[awkward_text(rng, 12) for _ in range(rng.choice([0, 1, 1, 2]))] for _ in range(12)]
    given = {**options, **EVERYTHING, "missing_references": rng.choice(["skip", "zero"])}
    scorer = make_scorer(metric, given)
    parts = [handed_over(scorer, part, path) for part in cut(predictions, references, places)]
    expected = outcome(lambda: tercet.score(metric, predictions, references, **given))
    assert outcome(lambda: result_of_rows(scorer, parts)) == expected


@pytest.mark.parametrize("metric", [metric for metric in METRICS if metric not in dict(OPTIONS)])
def test_parts_of_the_other_metrics_come_to_their_result(metric, path):
    scorer = make_scorer(metric, needed(metric))
    parts = [handed_over(scorer, part, path) for part in cut(PREDICTIONS, REFERENCES, [0, 3, 9])]
    expected = tercet.score(metric, PREDICTIONS, REFERENCES, **needed(metric))
    assert close(metric, result_of_rows(scorer, parts), expected)


@pytest.mark.parametrize("options", [{"idf": True, "idf_documents": "items"}, {"idf": False}])
def test_of_bertscore_document_frequencies_are_those_of_the_whole(path, options):
    given = {**needed("bertscore_idf"), **options, "segments": True}
    scorer = make_scorer("bertscore_idf", given)
    parts = [handed_over(scorer, part, path) for part in cut(PREDICTIONS, REFERENCES, [4, 9])]
    assert [part.stats is None for part in parts] == [options["idf"]] * 3
    found, expected = result_of_rows(scorer, parts), tercet.score("bertscore_idf", PREDICTIONS, REFERENCES, **given)
    assert found.signature == expected.signature
    np.testing.assert_allclose(found["f1"], expected["f1"], atol=1e-6)


@pytest.mark.parametrize(
    ("parts", "least", "most"), [(["en", "en"], 0, 0), (["ru", "ru"], 0, 0), (["en", "ru"], 7, 99)]
)
def test_where_a_part_chose_another_tokenizer_than_the_others_the_whole_is_counted_anew(
    monkeypatch, recwarn, parts, least, most
):
    texts = {"en": (["the cat sat"] * 6, [["the cat lay"]] * 6), "ru": (["кот спит"], [["кот лежит"]])}
    scorer, again = make_scorer("rouge_nlws", {"tokenizer": "auto"}), []
    made = [KeptRows.counted(scorer, scorer.corpus(*texts[part]).encoded()) for part in parts]
    count = type(scorer).segment_stats

    def counting(self, batch, context):
        again.append(batch.n_items)
        return count(self, batch, context)

    with monkeypatch.context() as patch:
        patch.setattr(type(scorer), "segment_stats", counting)
        found = result_of_rows(scorer, made)
    whole = [list(chain(*lists)) for lists in zip(*map(texts.get, parts), strict=True)]
    assert found.to_dict(full=True) == tercet.score("rouge_nlws", *whole, tokenizer="auto").to_dict(full=True)
    assert least <= sum(again) <= most
    warned = [each for each in recwarn if "tokenizer='unicode' is used instead" in str(each.message)]
    assert bool(warned) == (parts == ["ru", "ru"])


class TestItemsThatCannotBeScored:
    def test_are_named_by_their_number_in_the_whole_and_must_be_there(self, path):
        scorer = make_scorer("bleu_multi", {})
        texts = [(["a", "b"], [["a"], ["b"]]), ([], []), (["c", "d", "e"], [["c"], [], []])]
        for parts in (
            [handed_over(scorer, each, path) for each in texts],
            [KeptRows.uncounted(scorer.corpus(*each).encoded()) for each in texts],
        ):
            with pytest.raises(InputError, match=r"^item 3 \(and 1 more\) of references is empty"):
                result_of_rows(scorer, parts)
        none = KeptRows.counted(scorer, scorer.corpus([], []).encoded())
        for rows in ([none], [none] * 3):
            with pytest.raises(InputError, match="The corpus is empty: predictions and references"):
                result_of_rows(scorer, rows)

    def test_are_counted_at_last_where_they_could_not_be_before(self):
        def refuse(text):
            raise InputError("no")

        good = make_scorer("bleu_multi", {"tokenizer": str.split})
        one, other = (good.corpus([text], ["a b c d"]).encoded() for text in ("a b c d", "a b c e"))
        parts = [KeptRows.counted(good, one), KeptRows.uncounted(other)]
        whole = tercet.score("bleu_multi", ["a b c d", "a b c e"], ["a b c d"] * 2, tokenizer=str.split)
        assert result_of_rows(good, parts) == whole
        with pytest.raises(InputError, match="no"):
            result_of_rows(make_scorer("bleu_multi", {"tokenizer": refuse}), parts)
