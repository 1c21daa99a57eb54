"""The comparison module: paired tests through evaluate, for every metric of the suite."""

from functools import partial

import evaluate
import numpy as np
import pandas as pd
import pytest
import sacrebleu
from sacrebleu.significance import PairedTest

import tercet
from conftest import ANY_TEXTS, ROOT, close, needed
from suite import SUITE
from tercet import InputError, OptionError
from tercet.comparison.paired_significance import paired_significance
from texts import LATIN, all_pairs

SECOND, REFERENCES = all_pairs(LATIN)
FIRST = [text[::2] + references[0] for text, references in zip(SECOND, REFERENCES, strict=True)]
BOTH = {"predictions1": FIRST, "predictions2": SECOND, "references": REFERENCES}


@pytest.fixture
def module():
    return evaluate.load(str(ROOT / "metrics" / "paired_significance"), module_type="comparison")


@ANY_TEXTS
@pytest.mark.parametrize("metric", SUITE)
def test_scores_are_those_of_the_metric_and_p_of_its_rows(module, metric):
    result = module.compute(**BOTH, metric=metric, n_resamples=200, **needed(metric))
    assert close(metric, result, paired_significance(metric, *BOTH.values(), n_resamples=200, **needed(metric)))
    for name in result["stats"]:
        assert close(
            metric, result["scores2"][name], tercet.score(metric, SECOND, REFERENCES, **needed(metric))[name]
        )
        assert 1 / 201 <= result["pvalues"][name] <= 1
    assert (result["test"], result["n_resamples"], result["n_segments"]) == ("permutation", 200, len(FIRST))


@pytest.mark.parametrize(("test", "kind"), [("permutation", "ar"), ("bootstrap", "bs")])
@pytest.mark.parametrize(
    ("metric", "options", "theirs"),
    [
        ("bleu_multi", {"compat": "sacrebleu", "scale": 100}, sacrebleu.BLEU),
        ("chrf_multi", {"word_order": 2}, partial(sacrebleu.CHRF, word_order=2)),
    ],
    ids=["bleu", "chrf"],
)
def test_p_is_sacrebleu_s(module, monkeypatch, test, kind, metric, options, theirs):
    monkeypatch.setenv("SACREBLEU_SEED", "12345")
    first, second = (texts * 4 for texts in (FIRST, SECOND))
    references = [texts[0] for texts in REFERENCES] * 4
    scorer = theirs(references=[references])
    _, found = PairedTest([("a", first), ("b", second)], {"it": scorer}, None, kind, n_samples=500)()
    baseline, system = next(scores for name, scores in found.items() if name != "System")
    ours = module.compute(
        predictions1=first, predictions2=second, references=references, metric=metric, test=test, n_resamples=500,
        **options,
    )  # fmt: skip
    assert ours["p"] == pytest.approx(float(system.p_value), abs=1e-12)
    assert ours["stat"] == pytest.approx(float(system.score - baseline.score), abs=1e-9)


def test_added_one_by_one_or_in_batches_it_is_the_same_with_single_references_too(module):
    for references in (REFERENCES, [texts[:1] for texts in REFERENCES], [texts[0] for texts in REFERENCES]):
        whole = module.compute(**{**BOTH, "references": references}, n_resamples=50)
        for first, second, own in zip(FIRST, SECOND, references, strict=True):
            module.add(predictions1=first, predictions2=second, references=own)
        assert module.compute(n_resamples=50) == whole
        for part in (slice(0, 3), slice(3, None)):  # of which the second has lists
            own = [[text] if isinstance(text, str) and part.start else text for text in references[part]]
            module.add_batch(predictions1=FIRST[part], predictions2=SECOND[part], references=own)
        assert module.compute(n_resamples=50) == whole


def test_items_without_reference_can_be_left_out_but_not_all(module):
    references = [[], *REFERENCES[1:]]
    module.add_batch(**{**BOTH, "references": references})
    with pytest.raises(InputError, match="not valid Unicode"):
        module.add_batch(predictions1=["\ud800"], predictions2=["b"], references=["c"])
    with pytest.raises(InputError, match="item 0 of references is empty"):
        module.compute(n_resamples=50)
    left_out = module.compute(n_resamples=50, missing_references="skip")
    rest = paired_significance("bleu_multi", FIRST[1:], SECOND[1:], REFERENCES[1:], n_resamples=50)
    assert (left_out["p"], left_out["stats"], left_out["n_segments"]) == (rest["p"], rest["stats"], len(FIRST) - 1)
    with pytest.raises(InputError, match="left all of them out"):
        paired_significance("bleu_multi", ["a"], ["b"], [[]], missing_references="skip")
    with pytest.raises(InputError, match="The corpus is empty"):
        module.compute(predictions1=[], predictions2=[], references=[])


def raising(error):
    def interrupted(text):
        raise error

    return interrupted


@pytest.mark.parametrize(("given", "error", "message"), [
    ({"test": "t"}, OptionError, "'test' option of paired_significance must be one of 'permutation', 'bootstrap'"),
    ({"n_resamples": 0}, OptionError, "an integer from 1 to 1,000,000 or None. Got 0"),
    ({"seed": -1}, OptionError, "'seed' option of .* an integer of at least 0. Got -1"),
    ({"metric": "bleu_mutli"}, OptionError, "There is no metric 'bleu_mutli'. Did you mean 'bleu_multi'"),
    ({"tokeniser": "13a"}, OptionError, "Did you mean 'tokenizer'"),
    ({"test": ["bootstrap"]}, OptionError, "'test' option of paired_significance must be one of"),
    ({"confidence_level": 0.9}, OptionError, "A paired test has no 'confidence_level'"),
    ({"confidence_level": np.array([0.9, 0.95])}, OptionError, "A paired test has no 'confidence_level'"),
    ({"segments": pd.NA}, OptionError, "A paired test has no 'segments'"),
    ({"test": 10**5000}, OptionError, "'permutation', 'bootstrap'. Got <int of about 5,001 digits>"),
    *(({"tokenizer": raising(error)}, error, None) for error in (KeyboardInterrupt, MemoryError, SystemExit)),
    ({"predictions1": FIRST[1:]}, InputError, "one entry per item"),
    ({"predictions2": [*SECOND[1:], None]}, InputError, "item 7 of predictions2 must be a string, got None"),
])  # fmt: skip
def test_what_cannot_be_compared_is_refused_and_loses_nothing(module, given, error, message):
    module.add_batch(**BOTH)
    with pytest.raises(error, match=message):
        module.compute(**{**({} if not given.keys() & BOTH.keys() else BOTH), **given})
    expected = paired_significance("bleu_multi", FIRST, SECOND, REFERENCES, n_resamples=50)
    assert module.compute(n_resamples=50) == expected


def test_iterators_are_read_once(module):
    expected = paired_significance("bleu_multi", FIRST, SECOND, REFERENCES, n_resamples=50)
    assert paired_significance("bleu_multi", *map(iter, BOTH.values()), n_resamples=50) == expected
    assert module.compute(**{name: iter(texts) for name, texts in BOTH.items()}, n_resamples=50) == expected
    module.add_batch(**{name: iter(texts) for name, texts in BOTH.items()})
    assert module.compute(n_resamples=50) == expected
