"""The drop-in for torchmetrics.text: its modules in a training, their arguments, and what they refuse."""

import importlib
import inspect
import os
import pickle
import subprocess
import sys
from copy import deepcopy

import pytest
import torch
import torchmetrics.text as theirs

import tercet
import tercet.compat.torchmetrics as ours
from compat.torchmetrics_modules import ITEMS, SMALL, equal, scores, scores_of_rank, values
from conftest import ROOT

# Of a batch with one reference.
pytestmark = pytest.mark.filterwarnings("ignore:.*all tokens of .* have weight 0:UserWarning")

#: What a training logs without more.
MODULES = {
    "bleu": lambda: ours.BLEUScore(n_gram=2),
    "sacrebleu": lambda: ours.SacreBLEUScore(n_gram=2),
    "chrf": lambda: ours.CHRFScore(),
    "ter": lambda: ours.TranslationEditRate(),
    "wer": lambda: ours.WordErrorRate(),
    "cer": lambda: ours.CharErrorRate(),
    "wip": lambda: ours.WordInfoPreserved(),
    "rouge": lambda: ours.ROUGEScore(rouge_keys=("rouge1", "rougeL")),
    "bert": lambda: ours.BERTScore(**SMALL),
    "bert_idf": lambda: ours.BERTScore(**SMALL, idf=True),
}
BATCHES = [(["the cat sat", "no"], [["the cat ran"], ["yes", "no"]]), (["a dog"], [["a dog, too"]])]
#: Of each pair the longer text has no word that the other has not: torchmetrics and jiwer have the same rates.
TRANSCRIPTS = [(["the cat sat down", "кот спит"], ["the hat sat down", "кот не спит"]), (["a dog"], ["a big dog"])]
BOTH = [[*first, *second] for first, second in zip(*BATCHES, strict=True)]


@pytest.mark.parametrize("name", MODULES)
def test_batches_add_up(name):
    module, whole = MODULES[name](), MODULES[name]()
    for batch in BATCHES:
        alone = MODULES[name]()
        alone.update(*batch)
        assert equal(module(*batch), alone.compute())  # forward gives the score of the batch
    whole.update(*BOTH)
    assert equal(module.compute(), whole.compute(), 1e-6 if "bert" in name else 0.0)
    module.update([], [])
    assert equal(module.compute(), whole.compute(), 1e-6 if "bert" in name else 0.0)
    module.reset()
    module.update(*BOTH)
    assert equal(module.compute(), whole.compute())


@pytest.mark.parametrize("name", MODULES)
def test_a_module_is_copied_pickled_merged_and_restored(name):
    module, other, fresh = (MODULES[name]() for _ in range(3))
    module.update(*BATCHES[0])
    expected = module.compute()
    for again in (module.clone(), deepcopy(module), pickle.loads(pickle.dumps(module))):
        assert equal(again.compute(), expected)
        again.update(*BATCHES[1])
        other.reset()
        other.update(*BATCHES[1])
        other.merge_state(module)
        assert values(other.compute()).keys() == values(again.compute()).keys()
    assert not module.state_dict()  # as torchmetrics' own
    module.persistent(True)
    fresh.load_state_dict(module.state_dict())
    fresh._update_count = 1  # torchmetrics warns of a module without updates
    assert equal(fresh.compute(), expected)
    assert hash(module) != hash(fresh)
    with pytest.raises(RuntimeError, match="Unexpected key"):  # of other options
        ours.BLEUScore(n_gram=1).load_state_dict(module.state_dict())


def test_states_do_not_grow_with_the_texts_nor_lose_digits():
    module = ours.ROUGEScore(rouge_keys="rouge1")
    (state,) = module.metric_state.values()
    shape = state.shape
    for batch in BATCHES * 3:
        module.update(*batch)
    module.set_dtype(torch.float16)
    (state,) = module.metric_state.values()
    assert state.shape == shape
    assert state.dtype == torch.int64


def test_two_ranks_have_the_scores_of_one(tmp_path):
    meeting, file = tmp_path / "meeting", tmp_path / "found"
    paths = os.pathsep.join([str(ROOT / "tests"), *sys.path])
    call = [sys.executable, "-m", "compat.torchmetrics_modules", str(meeting), str(file)]
    other = subprocess.Popen(call, env={**os.environ, "PYTHONPATH": paths}, stderr=subprocess.PIPE)
    own = scores_of_rank(0, meeting)
    _, said = other.communicate(timeout=120)
    assert other.returncode == 0, said.decode()
    expected = scores([ITEMS[:1], ITEMS[1:6], ITEMS[6:]], few=[ITEMS[:3]])
    for found in (own, torch.load(file, weights_only=True)):
        for name, score in expected.items():
            pairs = zip(found[name], score, strict=True) if isinstance(score, tuple) else [(found[name], score)]
            assert all(equal(*pair, 1e-6 if "bert" in name else 0.0) for pair in pairs), name


# -- arguments and errors


@pytest.mark.parametrize("name", ours.__all__)
def test_arguments_have_their_names_order_and_defaults(name):
    own, other = (
        [(each.name, each.default) for each in inspect.signature(getattr(module, name)).parameters.values()]
        for module in (ours, theirs.bert if name == "BERTScore" else theirs)
    )
    assert own == other


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("BLEUScore", {"weights": [1.0]}),
        ("SacreBLEUScore", {"weights": [1.0]}),
        ("SacreBLEUScore", {"tokenize": "13b"}),
        ("CHRFScore", {"n_char_order": 0}),
        ("CHRFScore", {"n_word_order": -1}),
        ("CHRFScore", {"beta": -1.0}),
        ("TranslationEditRate", {"normalize": 1}),
        ("ROUGEScore", {"rouge_keys": ("rouge1", "rouge0")}),
        ("ROUGEScore", {"accumulate": "worst"}),
        ("BLEUScore", {"unknown": 1}),
    ],
)
def test_both_refuse_an_option(name, options):
    for module in (ours, theirs):
        with pytest.raises(ValueError, match=r"."):
            getattr(module, name)(**options)


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "torchmetrics", None)
    monkeypatch.delitem(sys.modules, "tercet.compat.torchmetrics")
    with pytest.raises(tercet.OptionError, match=r'needs the package \'torchmetrics\'.*"tercet\[torchmetrics\]"'):
        importlib.import_module("tercet.compat.torchmetrics")


def test_what_bertscore_lacks_is_named():
    with pytest.raises(tercet.OptionError, match=r"takes no 'user_tokenizer'.*torchmetrics.text.BERTScore"):
        ours.BERTScore(user_tokenizer=print)


@pytest.mark.parametrize(
    ("predictions", "references", "said"),
    [
        (["a", "b"], [["a", "b"]], "one entry per item"),
        (["a", "b", "c"], [["a", "b", "c"], ["d", "e", "f"]], "transposed"),
        (["a", "b"], "ab", "references must be a list"),
        ([["a"]], [["a"]], "must be a string"),
        (["a", "b"], [["a"], []], "item 1 of references is empty"),
    ],
)
@pytest.mark.parametrize("name", ["bleu", "rouge", "bert"])
def test_wrong_shapes_are_refused_by_name(name, predictions, references, said):
    module = MODULES[name]()
    with pytest.raises(tercet.InputError, match=said):
        module.update(predictions, references)


@pytest.mark.parametrize("name", MODULES)
def test_one_text_may_come_alone(name):
    expected = MODULES[name]()(["the cat sat"], [["the cat ran", "a cat sat"]])
    for predictions in ("the cat sat", ["the cat sat"]):
        assert equal(MODULES[name]()(predictions, ["the cat ran", "a cat sat"]), expected)
    assert equal(MODULES[name]()("so it is", "so it is"), MODULES[name]()(["so it is"], [["so it is"]]))


def test_values_are_drawn():
    module = MODULES["chrf"]()
    module.update(*BOTH)
    figure, _ = module.plot()
    assert figure.axes


@pytest.mark.parametrize(("name", "states"), [
    ("BLEUScore", ["preds_len", "target_len", "numerator", "denominator"]),
    ("SacreBLEUScore", ["preds_len", "target_len", "numerator", "denominator"]),
    ("TranslationEditRate", ["total_num_edits", "total_tgt_len"]),
    ("WordErrorRate", ["errors", "total"]),
    ("CharErrorRate", ["errors", "total"]),
    ("MatchErrorRate", ["errors", "total"]),
    ("WordInfoLost", ["errors", "target_total", "preds_total"]),
    ("WordInfoPreserved", ["errors", "target_total", "preds_total"]),
])  # fmt: skip
def test_states_are_read_under_their_names(name, states):
    mine, original = getattr(ours, name)(), getattr(theirs, name)()
    batches = TRANSCRIPTS if "errors" in states else BATCHES
    for module in (mine, original):
        for batch in batches:
            module.update(*batch)
    for _ in range(2):
        assert all(torch.equal(getattr(mine, state), getattr(original, state)) for state in states)
        mine.reset()
        original.reset()


@pytest.mark.parametrize("name", [
    *("BLEUScore", "SacreBLEUScore", "CHRFScore", "TranslationEditRate", "ROUGEScore", "WordErrorRate"),
    *("CharErrorRate", "MatchErrorRate", "WordInfoLost", "WordInfoPreserved"),
])  # fmt: skip
@pytest.mark.filterwarnings("ignore:The ``compute`` method of metric", "ignore:Encountered `nan`")
def test_nothing_has_the_score_that_it_has_there(name):
    options = {"rouge_keys": ("rouge1", "rougeL")} if name == "ROUGEScore" else {}
    mine, original = (values(getattr(module, name)(**options).compute()) for module in (ours, theirs))
    assert list(mine) == list(original)
    assert all(torch.equal(mine[key].isnan(), original[key].isnan()) for key in mine)
    assert all(mine[key].nan_to_num() == original[key].nan_to_num() for key in mine)


@pytest.mark.parametrize("name", [
    *("BLEUScore", "SacreBLEUScore", "CHRFScore", "TranslationEditRate", "ROUGEScore", "WordErrorRate"),
    *("CharErrorRate", "MatchErrorRate", "WordInfoLost", "WordInfoPreserved", "BERTScore"),
])  # fmt: skip
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of torch.jit, and of what torchmetrics keeps for it
def test_a_module_is_scripted(name):
    """As one of a model that is: torch then compiles what is not named as unused, properties too."""
    options = {"ROUGEScore": {"rouge_keys": ("rouge1", "rougeL")}, "BERTScore": SMALL}.get(name, {})

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.metric = getattr(ours, name)(**options)

        def forward(self, numbers: torch.Tensor) -> torch.Tensor:
            return 2 * numbers

    model = Model()
    numbers = torch.ones(2)
    assert torch.equal(torch.jit.script(model)(numbers), model(numbers))
    torch.jit.script(model.metric)


@pytest.mark.parametrize(("name", "options", "attributes"), [
    ("SacreBLEUScore", {"tokenize": "char", "lowercase": True}, ["n_gram", "smooth", "weights"]),
    ("SacreBLEUScore", {"smooth": True, "n_gram": 2}, ["n_gram", "smooth", "weights"]),
    ("TranslationEditRate", {"normalize": True, "asian_support": True}, ["return_sentence_level_score"]),
    ("CHRFScore", {"n_word_order": 0}, ["n_char_order", "n_word_order", "n_order", "beta", "whitespace"]),
    ("ROUGEScore", {"rouge_keys": ("rouge2", "rougeL")}, ["rouge_keys", "rouge_keys_values", "stemmer"]),
])  # fmt: skip
def test_a_derived_module_reads_what_it_reads_there(name, options, attributes):
    def read_by(module):
        class Derived(getattr(module, name)):
            def read(self):
                return [getattr(self, attribute) for attribute in attributes], getattr(self, "tokenizer", None)

        return Derived(**options).read()

    (mine, tokenizer), (original, their_tokenizer) = read_by(ours), read_by(theirs)
    assert mine == original
    if their_tokenizer is not None:
        for text in ("The cat, sat!", "Кот — спит...", "猫が寝た。", ""):
            assert tokenizer(text) == their_tokenizer(text)


def test_the_stemmer_is_there_where_words_are_stemmed():
    mine, original = (module.ROUGEScore(use_stemmer=True, rouge_keys="rouge1").stemmer for module in (ours, theirs))
    assert type(mine) is type(original)
    assert mine.stem("cities") == original.stem("cities") == "citi"


def test_a_tokenizer_that_would_be_ignored_cannot_be_set():
    module = ours.SacreBLEUScore()
    with pytest.raises(AttributeError, match="tokenizer"):
        module.tokenizer = str.split


@pytest.mark.parametrize(("predictions", "references"), [([], []), ([], [[]]), ([[]], [[[]]])])
@pytest.mark.filterwarnings("ignore:The ``compute`` method of metric")
def test_lists_without_a_text_are_no_items(predictions, references):
    for name in ("BLEUScore", "SacreBLEUScore"):
        scores_of_nothing = [getattr(module, name)()(predictions, references) for module in (ours, theirs)]
        assert torch.equal(*scores_of_nothing), name


def test_a_module_can_be_derived():
    class Doubled(ours.SacreBLEUScore):
        def __init__(self):
            super().__init__(n_gram=2)
            self.add_state("seen", torch.tensor(0), dist_reduce_fx="sum")

        def update(self, preds, target):
            super().update(preds, target)
            self.seen += len(preds)

        def compute(self):
            return 2 * super().compute()

    module, plain = Doubled(), MODULES["sacrebleu"]()
    for batch in BATCHES:
        module.update(*batch)
    assert module.compute() == 2 * plain(*BOTH)
    assert module.seen == 3


@pytest.mark.parametrize("options", [{"num_threads": 2}, {"max_length": 64}])
def test_options_of_bertscore_without_effect_are_named(options):
    (name,) = options
    with pytest.warns(UserWarning, match=f"BERTScore: {name} has no effect"):
        ours.BERTScore(**SMALL, **options)


def test_truth_values_are_taken_as_there():
    found, expected = (
        [
            module.BLEUScore(n_gram=1, smooth=1)(["a b"], [["a c"]]),
            module.SacreBLEUScore(n_gram=1, lowercase=1)(["A"], [["a"]]),
            module.CHRFScore(lowercase=1, whitespace=0)(["A b"], [["a b"]]),
        ]
        for module in (ours, theirs)
    )
    assert [score.item() for score in found] == pytest.approx([score.item() for score in expected])
    with pytest.raises(tercet.OptionError, match="'smooth' option of SacreBLEUScore must be True or False"):
        ours.SacreBLEUScore(smooth="yes")
    with pytest.raises(tercet.OptionError, match="'lowercase' option of CHRFScore must be True or False"):
        ours.CHRFScore(lowercase="no")
