"""The drop-in for the package bert_score, beside the package itself, with a small encoder."""

import inspect
import pickle
import sys

import bert_score as theirs
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import tercet
import tercet.compat.bert_score as ours
from tercet.networks import layers
from texts import ALL_TEXTS, MINILM, PAIRS

SMALL = {"model_type": MINILM, "num_layers": 2}
CANDIDATES = [prediction for pairs in PAIRS.values() for prediction, _ in pairs]
REFERENCES = [targets for pairs in PAIRS.values() for _, targets in pairs]
FIRST = [targets[0] for targets in REFERENCES]

#: Float32 numbers below 1, from products of matrices of other shapes.
TOLERANCE = 1e-6

# Of theirs: its processes are forked from one with threads, and its baselines are read-only.
pytestmark = [
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:The given NumPy array is not writable:UserWarning"),
]


def same(found, expected):
    """Return whether the tensors of two calls are equal, and of one type and shape."""
    return len(found) == len(expected) and all(
        a.dtype == b.dtype == torch.float32
        and a.shape == b.shape
        and np.allclose(a, b, rtol=0, atol=TOLERANCE, equal_nan=True)
        for a, b in zip(found, expected, strict=True)
    )


def matrix_of(figure):
    """Return the similarities that a figure shows."""
    return next(axes.images[0].get_array() for axes in figure.axes if axes.images)


@pytest.fixture
def as_english(tmp_path, monkeypatch):
    """Let both packages find the small encoder, where it is called for by lang="en", at its second layer."""
    (tmp_path / "roberta-large").symlink_to(MINILM, target_is_directory=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(theirs.utils.model2layers, "roberta-large", 2)
    monkeypatch.setitem(layers.BEST_LAYERS, "roberta-large", 2)


texts = st.sampled_from(ALL_TEXTS)
items_of = st.lists(st.tuples(texts, st.lists(texts, min_size=1, max_size=3)), min_size=1)


@given(items_of, st.fixed_dictionaries({}, optional={"idf": st.booleans(), "batch_size": st.integers(1, 4)}))
def test_scores_and_hashes_are_theirs(items, options):
    candidates, references = map(list, zip(*items, strict=True))
    call = {**SMALL, "return_hash": True, "nthreads": 0, **options}
    expected, code = theirs.score(candidates, references, **call)
    found, own = ours.score(candidates, references, **call)
    assert same(found, expected)
    assert own == code


@pytest.mark.parametrize(
    "options", [{"all_layers": True}, {"use_fast_tokenizer": True}, {"device": "cpu", "verbose": True}]
)
def test_other_options_are_theirs(options):
    assert same(
        ours.score(CANDIDATES, FIRST, **SMALL, **options), theirs.score(CANDIDATES, FIRST, **SMALL, **options)
    )


def test_a_dict_of_weights_is_taken():
    weights = dict.fromkeys(range(30_522), 1.0) | {101: 0.0, 102: 0.5}
    call = {**SMALL, "idf": weights}
    assert same(ours.score(CANDIDATES, FIRST, **call), theirs.score(CANDIDATES, FIRST, **call))


def test_references_in_all_layers_are_compared_one_by_one():
    # theirs takes the maximum over some layers instead of the references
    found = ours.score(["a cat sat"], [["the cat sat", "dogs ran"]], **SMALL, all_layers=True)
    each = [ours.score(["a cat sat"], [text], **SMALL, all_layers=True) for text in ("the cat sat", "dogs ran")]
    assert same(found, [torch.maximum(one, other) for one, other in zip(*each, strict=True)])


def test_a_scorer_is_theirs():
    of_call = {"batch_size": 2, "return_hash": True}
    for options in ({}, {"idf": True, "idf_sents": FIRST}, {"batch_size": 3}):
        own, other = ours.BERTScorer(**SMALL, **options), theirs.BERTScorer(**SMALL, nthreads=4, **options)
        assert repr(own) == str(own) == repr(other)
        (found, code), (expected, others) = (each.score(CANDIDATES, REFERENCES, **of_call) for each in (own, other))
        assert same(found, expected)
        assert code == others == own.hash
        for name in ("lang", "idf", "model_type", "num_layers", "rescale_with_baseline", "use_fast_tokenizer"):
            assert getattr(own, name) == getattr(other, name)
            with pytest.raises(AttributeError):
                setattr(own, name, None)


def test_weights_are_computed_anew_with_a_warning():
    own, other = (module.BERTScorer(**SMALL, idf=True, idf_sents=FIRST) for module in (ours, theirs))
    for scorer in (own, other):
        with pytest.warns(UserWarning, match="Overwriting the previous importance weights"):
            scorer.compute_idf(CANDIDATES)
    assert same(own.score(CANDIDATES, FIRST), other.score(CANDIDATES, FIRST))


def test_a_scorer_pickles():
    scorer = ours.BERTScorer(**SMALL, idf=True, idf_sents=FIRST)
    again = pickle.loads(pickle.dumps(scorer))
    assert same(again.score(CANDIDATES, FIRST), scorer.score(CANDIDATES, FIRST))


def test_arguments_have_their_names_order_and_defaults():
    for name in ("score", "plot_example", "BERTScorer", "BERTScorer.score", "BERTScorer.compute_idf"):
        own, other = (
            [(each.name, each.default) for each in inspect.signature(found).parameters.values()]
            for module in (ours, theirs)
            for found in [getattr(module, name) if "." not in name else getattr(module.BERTScorer, name[11:])]
        )
        assert own == other
    assert ours.lang2model["en-sci"] == theirs.lang2model["en-sci"]
    assert ours.lang2model["xx"] == theirs.lang2model["xx"]
    assert ours.model2layers == theirs.model2layers


@pytest.mark.parametrize(
    "call",
    [
        lambda module: module.score(["a"], ["a", "b"], **SMALL),
        lambda module: module.score(["a"], ["a"]),
        lambda module: module.score(["a"], ["a"], **SMALL, rescale_with_baseline=True),
        lambda module: module.BERTScorer(),
        lambda module: module.BERTScorer(**SMALL, rescale_with_baseline=True),
        lambda module: module.BERTScorer(**SMALL, idf=True).score(["a"], ["a"]),
        lambda module: module.plot_example(["a"], "a", **SMALL),
    ],
)
def test_assertions_are_theirs(call):
    raised = []
    for module in (theirs, ours):
        with pytest.raises(AssertionError) as caught:
            call(module)
        raised.append(str(caught.value).partition("\n")[0].partition("assert ")[0])
    assert raised[0] == raised[1]


@pytest.mark.parametrize(
    ("candidates", "references", "said"),
    [
        ("a cat", "a dog", "predictions must be a list"),
        (["a cat"], "a", "references must be a list"),
        (["a", "b"], [["a", "b"]], "transposed"),
        (["a", "b"], ["a"], "must have one entry per item"),
        (["a"], [[]], "needs at least one reference"),
    ],
)
def test_wrong_shapes_are_refused_by_name(candidates, references, said):
    with pytest.raises(tercet.InputError, match=said):
        ours.BERTScorer(**SMALL).score(candidates, references)


def test_an_absent_baseline_is_an_error():
    with pytest.raises(tercet.OptionError, match="no baseline"):
        ours.score(["a"], ["a"], **SMALL, lang="en", rescale_with_baseline=True)


def test_baselines_are_found_where_the_drop_in_has_the_name(as_english, monkeypatch):
    monkeypatch.setitem(sys.modules, "bert_score", ours)
    _, _, f = ours.score(["a cat"], ["a cat"], lang="en", rescale_with_baseline=True)
    assert f.item() == pytest.approx(1.0)


def test_an_example_is_drawn(tmp_path, as_english, capsys):
    figure = ours.plot_example("a cat sat", "the cat sat", **SMALL, fname=str(tmp_path / "pair.png"))
    assert capsys.readouterr().out == f"Saved figure to file:  {tmp_path / 'pair.png'}\n"
    assert (tmp_path / "pair.png").stat().st_size > 10_000
    rescaled = ours.BERTScorer(lang="en", rescale_with_baseline=True, idf=True).plot_example("a cat", "the cat")
    plain = ours.plot_example("a cat", "the cat", lang="en")
    unrelated = ours.BERTScorer(lang="en", rescale_with_baseline=True).baseline_vals[2].item()
    expected = (matrix_of(plain) - unrelated) / (1 - unrelated)
    assert np.allclose(matrix_of(rescaled), expected, atol=1e-6)
    assert figure.axes


def test_an_example_of_a_scorer_with_all_layers_is_rescaled_by_the_baseline_of_its_own_layer(tmp_path, as_english):
    baseline = tmp_path / "baseline.tsv"
    rows = [f"{layer},0.{layer},0.{layer},0.{layer}" for layer in range(7)]
    baseline.write_text("\n".join(["LAYER,P,R,F", *rows]))
    options = {"lang": "en", "rescale_with_baseline": True, "baseline_path": str(baseline)}
    expected, found = (
        matrix_of(ours.BERTScorer(**options, all_layers=all_layers).plot_example("a cat", "the cat"))
        for all_layers in (False, True)
    )
    assert np.allclose(found, expected, atol=1e-6)


def test_pattern_22_the_mean_of_f1_of_a_language(as_english):
    bertscore = tercet.load("bertscore_idf", "bert_score")
    results = bertscore.compute(predictions=CANDIDATES, references=REFERENCES, lang="en")
    del results["hashcode"]
    _, _, expected = theirs.score(CANDIDATES, REFERENCES, lang="en")
    assert np.mean(results["f1"]) == pytest.approx(expected.mean().item(), abs=TOLERANCE)


def test_pattern_23_a_scorer_of_a_language_with_baseline(as_english):
    own, other = (module.BERTScorer(lang="en", rescale_with_baseline=True) for module in (ours, theirs))
    found, expected = (scorer.score(CANDIDATES, REFERENCES) for scorer in (own, other))
    stretched = 20 * TOLERANCE
    for measure, wanted in zip(found, expected, strict=True):
        assert measure.mean().item() == pytest.approx(wanted.mean().item(), abs=stretched)
    assert own.hash == other.hash
    assert torch.allclose(own.baseline_vals, other.baseline_vals)
