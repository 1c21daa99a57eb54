"""bertscore_idf against bert-score 0.3.13, called on the same texts, with encoders of every architecture.

The encoders are small and drawn at random (encoders.py). They are named by folders beside each other, because
bert-score takes a "t5" anywhere in a path for the name of a T5. The texts are those of texts.py: Latin with accents,
Cyrillic, Greek, Hebrew and Arabic from right to left, Devanagari, Thai, Chinese, Japanese, Korean, emoji.
"""

from collections import defaultdict
from contextlib import nullcontext
from functools import partial
from itertools import permutations, product
from unittest import mock

import bert_score
import numpy as np
import pytest
import torch
from bert_score import BERTScorer
from huggingface_hub.errors import StrictDataclassFieldValidationError
from transformers import AutoTokenizer, LongT5EncoderModel

import tercet
from small_encoders import ARCHITECTURES, DEPTH, PADDING_SHOWS, build_all
from tercet import IdfTable, InputError, OptionError, score
from texts import all_pairs, awkward_corpus

explain = partial(tercet.explain, "bertscore")

EVERY = list(ARCHITECTURES)
CUT_BY_BERT_SCORE = [name for name in EVERY if name != "gpt2"]  # which it runs with all layers only
SPACE_BEFORE_TEXTS = ["roberta", "bart", "gpt2"]
MEASURES = ("precision", "recall", "f1")

#: bert-score's own, with pandas 3 and torch 2.13, where it reads a file of baselines.
reads_baselines = pytest.mark.filterwarnings("ignore:The given NumPy array is not writable:UserWarning")


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("encoders")
    build_all(folder)
    return folder


@pytest.fixture(autouse=True)
def _beside_the_encoders(folder, monkeypatch):
    monkeypatch.chdir(folder)


@pytest.fixture(autouse=True, scope="module")
def _on_one_thread():
    """So small matrices gain nothing from more, and lose a lot where other processes run."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def ours(predictions, references, name, **options):
    """Return precision, recall and F of the items, shape (3, items), with all layers (3, layers, items)."""
    options = {"num_layers": DEPTH, "device": "cpu", **options}
    result = score("bertscore_idf", predictions, references, model_type=name, **options)
    return np.array([result[measure] for measure in MEASURES])


def theirs(predictions, references, name, **options):
    """Return the same of bert-score."""
    options = {"num_layers": DEPTH, "device": "cpu", "nthreads": 0, **options}
    if options.get("all_layers"):  # it takes the maximum over layers, not references: it is given one of these
        texts, starts = as_pairs(predictions, references)
        return np.maximum.reduceat(stacked(bert_score.score(*texts, model_type=name, **options)), starts, axis=2)
    if name == "gpt2":
        assert options["num_layers"] == DEPTH
        return theirs(predictions, references, name, **options, all_layers=True)[:, -1]
    return stacked(bert_score.score(predictions, references, model_type=name, **options))


def stacked(measures):
    return np.array([measure.numpy() for measure in measures])


def near(expected):
    return pytest.approx(expected, rel=0, abs=1e-5, nan_ok=True)


def encoding(function):
    """Let bert-score encode the texts that it has stripped with another function of tokenizer and text."""
    return mock.patch("bert_score.utils.sent_encode", lambda tokenizer, text: function(tokenizer, text.strip()))


def with_a_space(tokenizer, text):
    """Encode as bert-score does with the slow tokenizers of transformers 4."""
    return tokenizer.encode(f" {text}", max_length=tokenizer.model_max_length, truncation=True)


def as_pairs(predictions, references):
    """Return predictions and references of equal number, and where the pairs of each item start."""
    pairs = [(text, each) for text, texts in zip(predictions, references, strict=True) for each in texts]
    starts = np.cumsum([0, *(len(texts) for texts in references)])[:-1]
    return tuple(map(list, zip(*pairs, strict=True))), starts


def ragged_corpus(shortest=1):
    """Return texts of all languages of so many characters at least, with 1 to 4 references.

    Where an item has too few, it gets the first ones of those behind it: some references are there several times.
    """
    items = [item for item in zip(*all_pairs(), strict=True) if len(item[0]) >= shortest]
    kept = [(text, [each for each in texts if len(each) >= shortest]) for text, texts in items]
    firsts = [texts[0] for _, texts in kept]
    references = [(texts + firsts[i + 1 :] + firsts)[: 1 + i % 4] for i, (_, texts) in enumerate(kept)]
    return [text for text, _ in kept], references


#: Of each kind of positions, tokenizers and layers one.
KINDS = {"bert", "t5", "xlnet", "gpt2"}


def each_of(cases):
    """Return a parameter for each architecture, or tuple that begins with one; most of them are long."""
    rows = [case if isinstance(case, tuple) else (case,) for case in cases]
    return [pytest.param(*row, marks=[pytest.mark.long] * (row[0] not in KINDS)) for row in rows]


@pytest.mark.parametrize("idf", [False, True])
@pytest.mark.parametrize(
    ("name", "num_layers"),
    each_of(case for case in product(CUT_BY_BERT_SCORE, (0, 2, DEPTH)) if case != ("deberta-v2", 0)),
)
def test_each_layer_equals_that_of_bert_score(name, num_layers, idf):
    corpus, options = ragged_corpus(), {"num_layers": num_layers, "idf": idf}
    assert ours(*corpus, name, **options, compat="bert_score") == near(theirs(*corpus, name, **options))


@pytest.mark.parametrize("idf", [False, True])
@pytest.mark.parametrize("name", each_of(EVERY))
def test_all_layers_equal_those_of_bert_score(name, idf):
    corpus, options = ragged_corpus(), {"all_layers": True, "idf": idf}
    expected = theirs(*corpus, name, **options)
    assert expected.shape == (3, DEPTH + 1, len(corpus[0]))
    assert ours(*corpus, name, **options, compat="bert_score") == near(expected)


@pytest.mark.parametrize("idf", [False, True])
@pytest.mark.parametrize("name", each_of(EVERY))
def test_the_default_options(name, idf):
    """They give what bert-score gives without padding, a pair to a batch, and with the space of transformers 4.

    No text is so short that it has two tokens only, where they differ on purpose.
    """
    corpus = ragged_corpus(shortest=5)
    with encoding(with_a_space) if name in SPACE_BEFORE_TEXTS else nullcontext():
        expected = theirs(*corpus, name, idf=idf, batch_size=1)
    assert ours(*corpus, name, idf=idf) == near(expected)


@pytest.mark.parametrize("idf", [False, True])
@pytest.mark.parametrize("name", each_of(EVERY))
def test_texts_that_are_too_long_are_cut(name, idf):
    predictions, references = ragged_corpus()
    predictions[3] = " ".join(predictions)
    references[4] = [" ".join(texts) for texts in references[4:8]]
    with pytest.warns(UserWarning, match="longer than 64 tokens"):
        given = ours(predictions, references, name, idf=idf, compat="bert_score")
    assert given == near(theirs(predictions, references, name, idf=idf))


@pytest.mark.filterwarnings("ignore:.*longer than 64 tokens:UserWarning")  # a few are
@pytest.mark.parametrize("name", each_of(EVERY))
def test_awkward_texts_score_as_with_bert_score(name):
    predictions, references = awkward_corpus(1, n_items=30, most=12, references=4)
    predictions = [text if text.strip() else "." for text in predictions]
    references = [[each if each.strip() else "x" for each in texts] for texts in references]
    expected = theirs(predictions, references, name, idf=True)
    assert ours(predictions, references, name, idf=True, compat="bert_score") == near(expected)


@pytest.mark.parametrize("idf", [False, True])
@pytest.mark.parametrize("num_layers", range(DEPTH + 1))
def test_layers_of_gpt2(num_layers, idf):
    """bert-score refuses to cut them; cut by hand, its network gives what ours does."""
    predictions, references = ragged_corpus()
    with pytest.raises(ValueError, match="Not supported"):
        bert_score.score(predictions, references, model_type="gpt2", num_layers=num_layers)
    scorer = BERTScorer("gpt2", num_layers, all_layers=True, idf=idf, device="cpu", nthreads=0)
    del scorer._model.h[num_layers:]
    scorer.all_layers = False
    if idf:
        scorer.compute_idf([each for texts in references for each in texts])
    expected = stacked(scorer.score(predictions, references))
    options = {"num_layers": num_layers, "idf": idf}
    assert ours(predictions, references, "gpt2", **options, compat="bert_score") == near(expected)


@pytest.mark.parametrize(
    ("name", "most"), [("bert", 1e-5), ("roberta", 1e-5), ("bart", 1e-5), ("gpt2", np.inf), ("t5", np.inf)]
)
def test_a_norm_behind_the_last_layer_applies_to_a_layer_alone_but_not_to_one_of_all(name, most):
    corpus = ragged_corpus()
    alone, one_of_all = ours(*corpus, name, num_layers=2), ours(*corpus, name, all_layers=True)[:, 2]
    difference = np.abs(alone - one_of_all).max()
    assert difference < most
    assert difference > 1e-2 or most < 1e-2


@pytest.mark.parametrize("idf", [False, True])
@pytest.mark.parametrize("name", PADDING_SHOWS)
def test_an_encoder_that_does_not_ignore_padding_gets_none(name, idf):
    """In bert-score a score depends on the batch; where each text is one, it is ours."""
    corpus = ragged_corpus()
    alone, padded = (theirs(*corpus, name, idf=idf, batch_size=size) for size in (1, 64))
    assert np.abs(alone - padded).max() > 1e-3
    for size in (1, 64):
        assert ours(*corpus, name, idf=idf, batch_size=size) == near(alone)


def settled_corpus():
    """Return texts of all languages that have no two as many words: their order is bert-score's own."""
    words = " ".join(each for texts in ragged_corpus()[1] for each in texts).split()
    texts = [" ".join(words[3 * count : 4 * count]) for count in range(1, 15)]
    return texts[::2], [[each] for each in texts[1::2]]


@pytest.mark.filterwarnings("ignore:.*longer than 64 tokens:UserWarning")  # some are
@pytest.mark.parametrize("options", [{}, {"idf": True}, {"all_layers": True}, {"num_layers": 2, "batch_size": 4}])
@pytest.mark.parametrize("name", each_of(PADDING_SHOWS))
def test_an_encoder_that_does_not_ignore_padding_gets_that_of_bert_score(name, options):
    corpora = [settled_corpus()]
    if "batch_size" not in options:  # the texts of the first are one batch
        predictions, references = ragged_corpus()
        corpora.append((predictions[:12], references[:12]))
    for corpus in corpora:
        expected = theirs(*corpus, name, **options)
        assert ours(*corpus, name, **options, compat="bert_score") == near(expected)
        assert np.abs(expected - theirs(*corpus, name, **options | {"batch_size": 1})).max() > 1e-3


def test_batches_that_bert_score_makes_otherwise_in_another_process_are_warned_of():
    predictions, references = ragged_corpus()
    with pytest.warns(UserWarning, match="padding changes what ConvBertModel gives .* change from run to run"):
        ours(predictions, references, "convbert", compat="bert_score", batch_size=8)


@pytest.mark.filterwarnings("ignore:.*longer than 64 tokens:UserWarning")
@pytest.mark.parametrize("options", [{}, {"idf": True, "num_layers": 2}, {"all_layers": True}])
def test_a_umt5_is_read_as_a_t5(options):
    """bert-score goes by the name; the relative positions of every layer but the first are then left out."""
    corpus = ragged_corpus()
    expected = theirs(*corpus, "umt5", **options)
    assert ours(*corpus, "umt5", **options, compat="bert_score") == near(expected)
    assert np.abs(expected - ours(*corpus, "umt5", **options)).max() > 1e-2
    result = score("bertscore_idf", *corpus, model_type="umt5", num_layers=1, device="cpu")
    assert "|equals:" not in result.signature


def test_a_longt5_for_which_bert_score_draws_weights_is_warned_of():
    corpus = ragged_corpus()
    with torch.random.fork_rng(devices=[]):
        drawn, drawn_again = (theirs(*corpus, "longt5") for _ in range(2))
    assert np.abs(drawn - drawn_again).max() > 1e-2
    with mock.patch("transformers.T5EncoderModel", LongT5EncoderModel):
        expected = theirs(*corpus, "longt5")
    with pytest.warns(UserWarning, match="loads a LongT5 as a T5, and draws the weights .* at random"):
        assert ours(*corpus, "longt5", compat="bert_score") == near(expected)
    assert "|equals:" not in score("bertscore_idf", *corpus, model_type="longt5", num_layers=1).signature


@pytest.mark.parametrize(
    ("name", "layers", "error", "message"),
    [("deberta-v2", 0, UnboundLocalError, "num_layers"), ("bert", DEPTH + 1, AssertionError, f"from 0 to {DEPTH}")],
)
def test_layers_that_there_are_not(name, layers, error, message):
    for ask, refusal, shown in ((theirs, error, None), (ours, OptionError, message)):
        with pytest.raises(refusal, match=shown):
            ask(["a cat"], [["the cat"]], name, num_layers=layers)


def test_a_bert_in_a_path_with_t5():
    corpus = ragged_corpus()
    with pytest.raises(StrictDataclassFieldValidationError):  # no configuration of a T5
        theirs(*corpus, "best5/bert")
    assert ours(*corpus, "best5/bert", idf=True, compat="bert_score") == near(theirs(*corpus, "bert", idf=True))


@pytest.mark.parametrize("num_layers", [0, 2, DEPTH])
def test_a_t5_in_a_path_without_t5(num_layers):
    corpus, options = ragged_corpus(), {"num_layers": num_layers, "idf": True}
    with pytest.raises(ValueError, match="Not supported"):
        theirs(*corpus, "five", **options)
    assert ours(*corpus, "five", **options, compat="bert_score") == near(theirs(*corpus, "t5", **options))


def test_a_tokenizer_without_a_limit_has_that_of_the_network():
    predictions, references = ragged_corpus()
    predictions[3] = " ".join(predictions)
    with pytest.raises(OverflowError, match="int too big to convert"):
        theirs(predictions, references, "roberta-without-limit")
    with pytest.warns(UserWarning, match="longer than 64 tokens"):
        given = ours(predictions, references, "roberta-without-limit", compat="bert_score")
    assert given == near(theirs(predictions, references, "roberta"))


@pytest.mark.parametrize("name", SPACE_BEFORE_TEXTS)
def test_the_space_before_texts(name):
    corpus = ragged_corpus()
    without = theirs(*corpus, name, idf=True)
    with encoding(with_a_space):
        published = theirs(*corpus, name, idf=True)
    assert np.abs(published - without).max() > 0.01
    for space, expected in [("auto", published), (True, published), ("installed", without), (False, without)]:
        assert ours(*corpus, name, idf=True, compat="bert_score", prefix_space=space) == near(expected), space


BASELINED = [(lang, {"rescale_with_baseline": True}) for lang in ("en", "zh", "en-sci", "fr")]


@reads_baselines
@pytest.mark.parametrize(("lang", "more"), [*BASELINED, *product(("en", "zh", "tr", "en-sci", "fr", "xx"), [{}])])
def test_a_language_names_an_encoder_and_a_baseline_of_the_package(lang, more):
    """The folders beside are called as the encoders of the Hub that bert-score takes for languages."""
    corpus, options = ragged_corpus(), {"lang": lang, "num_layers": 3, "device": "cpu", **more}
    expected, code = bert_score.score(*corpus, **options, nthreads=0, return_hash=True)
    given = score("bertscore_idf", *corpus, **options, compat="bert_score")
    assert [given[measure] for measure in MEASURES] == near(stacked(expected))
    assert given["hashcode"] == code


def test_a_name_that_bert_score_knows_needs_no_layer():
    corpus, name = ragged_corpus(), "google/bert_uncased_L-4_H-128_A-2"
    assert ours(*corpus, name, num_layers=None, compat="bert_score") == near(theirs(*corpus, "bert", num_layers=3))
    assert theirs(*corpus, name, num_layers=None) == near(theirs(*corpus, "bert", num_layers=3))


def weights_of_ids(name, without=()):
    """Return a weight for each id of a tokenizer but some; CLS and SEP have one too."""
    ids = set(AutoTokenizer.from_pretrained(name).get_vocab().values()) - set(without)
    return {number: (1 + 7 * number % 11) / 3 for number in sorted(ids)}


@pytest.mark.parametrize("name", each_of(EVERY))
def test_a_mapping_of_ids(name):
    corpus, mapping = ragged_corpus(shortest=5), weights_of_ids(name)
    for asked, size in (({"compat": "bert_score"}, 64), ({"prefix_space": "installed"}, 1)):
        expected = theirs(*corpus, name, idf=mapping, batch_size=size)
        assert ours(*corpus, name, idf=mapping, **asked) == near(expected)


def test_a_mapping_of_tokens_or_with_a_default():
    corpus, tokenizer = ragged_corpus(), AutoTokenizer.from_pretrained("xlm-roberta")
    by_id = weights_of_ids("xlm-roberta")
    by_token = {tokenizer.convert_ids_to_tokens(number): weight for number, weight in by_id.items()}
    assert ours(*corpus, "xlm-roberta", idf=by_token) == near(theirs(*corpus, "xlm-roberta", idf=by_id))
    mapping = defaultdict(lambda: 0.7, {number: 0.1 * number for number in range(4, 300)})
    expected = theirs(*corpus, "bert", idf=mapping.copy())  # which bert-score fills
    assert ours(*corpus, "bert", idf=mapping, compat="bert_score") == near(expected)


def test_a_mapping_that_lacks_ids():
    """bert-score fails; by default they get the greatest weight, but CLS and SEP none."""
    corpus, tokenizer = ragged_corpus(), AutoTokenizer.from_pretrained("bert")
    lacking = tokenizer.encode(corpus[0][0])
    mapping = weights_of_ids("bert", without=lacking)
    with pytest.raises(KeyError):
        theirs(*corpus, "bert", idf=mapping)
    with pytest.raises(InputError, match="no weight for the token"):
        ours(*corpus, "bert", idf=mapping, compat="bert_score")
    filled = dict.fromkeys(lacking, max(mapping.values())) | mapping
    filled |= {tokenizer.cls_token_id: 0, tokenizer.sep_token_id: 0}
    assert ours(*corpus, "bert", idf=mapping) == near(theirs(*corpus, "bert", idf=filled, batch_size=1))


@pytest.mark.parametrize("name", CUT_BY_BERT_SCORE)
def test_a_table_counted_as_bert_score_counts(name):
    """It has bert-score's own weights, and is one for ``compat="bert_score"`` without a further option."""
    predictions, references = ragged_corpus()
    texts = [text for each in references for text in each]
    tokenizer = bert_score.utils.get_tokenizer(name)
    expected = bert_score.utils.get_idf_dict(texts, tokenizer, nthreads=0)
    table = IdfTable.fit(texts, name, compat="bert_score")
    assert {key: table.weights().values[key] for key in expected} == pytest.approx(dict(expected), abs=1e-6)
    assert set(np.flatnonzero(table.counts)) == set(expected)
    given = ours(predictions, references, name, idf=table, compat="bert_score")
    assert given == near(theirs(predictions, references, name, idf=True))
    if name in SPACE_BEFORE_TEXTS:  # which is lost where transformers 5 is installed
        assert table != IdfTable.fit(texts, name)
        with pytest.raises(OptionError, match="another 'prefix_space'"):
            ours(predictions, references, name, idf=IdfTable.fit(texts, name), compat="bert_score")


@pytest.mark.parametrize("n_items", [1, 3])
@pytest.mark.parametrize("name", each_of(EVERY))
def test_equal_references_weigh_nothing(name, n_items):
    """Then bert-score's recall is no number, nor the precision of a prediction that equals them, and F is 0."""
    corpus = ["a cat on the mat", "the mat", "the ferry"][:n_items], [["the mat"]] * n_items
    expected = theirs(*corpus, name, idf=True)
    assert np.isnan(expected[1]).all()
    assert np.isfinite(expected[0, 0])
    assert ours(*corpus, name, idf=True, compat="bert_score") == near(expected)


@pytest.mark.parametrize("name", ["bert", "t5", "xlnet", "gpt2"])
def test_one_reference_without_weight_makes_the_greatest_recall_no_number(name):
    tokenizer = AutoTokenizer.from_pretrained(name)
    mapping = weights_of_ids(name) | dict.fromkeys(tokenizer.encode("the mat"), 0)
    corpus = ["a cat on a mat"] * 2, [["a ferry", "the mat"], ["a ferry", "a dog"]]
    expected = theirs(*corpus, name, idf=mapping)
    assert np.isnan(expected[1]).tolist() == [True, False]
    assert ours(*corpus, name, idf=mapping, compat="bert_score") == near(expected)


def test_by_default_tokens_without_weight_count_the_same():
    corpus = ["a cat on the mat", "the ferry"], [["the mat"], ["the mat"]]
    with pytest.warns(UserWarning, match="all tokens of 2 texts have weight 0.*equal weights"):
        given = ours(*corpus, "bert", idf=True)
    expected, plain = (theirs(*corpus, "bert", idf=idf, batch_size=1) for idf in (True, False))
    assert given[:2] == near(np.array([expected[0], plain[1]]))


@pytest.mark.parametrize("idf", [False, True])
@pytest.mark.parametrize("name", each_of(EVERY))
def test_blank_texts_score_0(name, idf):
    """bert-score fails with transformers 5; with 4 it takes their special tokens, of which T5 has but one."""
    predictions = ["", " \n\t", "a cat", "a cat on"]
    references = [["a cat"], ["a dog", ""], ["\u3000", "\x1c"], ["", "a cat"]]
    with pytest.raises(AttributeError, match="build_inputs_with_special_tokens"):
        theirs(predictions, references, name, idf=idf)
    given = ours(predictions, references, name, idf=idf, prefix_space="installed")
    assert (given[:, :3] == 0).all()
    if not idf:
        assert given[:, 3:] == near(theirs(["a cat on"], [["a cat"]], name))
    if name == "gpt2":  # no tokens at all: bert-score divides 0 by 0
        return
    with encoding(lambda tokenizer, text: tokenizer.encode(text)):
        expected = theirs(predictions, references, name, idf=idf)
    assert ours(predictions, references, name, idf=idf, compat="bert_score") == near(expected)


@pytest.mark.parametrize("idf", [False, True])
@pytest.mark.parametrize(("name", "text"), [("t5", "yes"), ("gpt2", "yes no")])
def test_two_tokens_are_an_empty_text_to_bert_score(name, text, idf):
    """It sets precision and recall to 0 then, but keeps their F. By default they are a text like any other."""
    assert len(AutoTokenizer.from_pretrained(name).encode(text)) == 2
    corpus = [text, "the cat", text, "no"], [["the yes"], [text], [text], ["the no", text]]
    expected = theirs(*corpus, name, idf=idf)
    assert (expected[:2, :3] == 0).all()
    assert (expected[2, :3] > 0.1).all()
    assert ours(*corpus, name, idf=idf, compat="bert_score") == near(expected)
    default = ours(*corpus, name, idf=idf, prefix_space="installed")
    assert default[:, 2] == near(np.ones(3))
    assert default[2] == near(theirs(*corpus, name, idf=idf, batch_size=1)[2])


@pytest.mark.parametrize(("name", "text"), [("bert", "\u200b"), ("electra", "\x00"), ("mpnet", "\ufeff\x00")])
def test_characters_that_a_tokenizer_drops_are_an_empty_text(name, text):
    corpus = [text, "the cat", "the cat"], [["the cat"], [text], [text, "a cat"]]
    expected = theirs(*corpus, name)
    assert (expected[:, :2] == 0).all()
    for compat in (None, "bert_score"):
        assert ours(*corpus, name, idf=False, compat=compat) == near(expected)


@pytest.mark.parametrize("idf", [False, True])
@pytest.mark.parametrize("batch_size", [5, 64])
@pytest.mark.parametrize(("name", "num_layers"), [("mpnet", DEPTH), ("xlnet", 2), ("deberta", 2)])
def test_negative_best_matches(name, num_layers, batch_size, idf):
    """The padding of bert-score's batches makes 0 of them; by default they are what they are."""
    words = ["yes", "no", "cat", "idea", "over", "there", "stands", "as", "good", "an", "the", "wholly", "天", "кот"]
    pairs = [*permutations(words, 2), ("The ferry leaves from pier no. 4.", "The ferry leaves at 7.30 a.m.")]
    corpus = [text for text, _ in pairs], [[reference] for _, reference in pairs]
    options = {"num_layers": num_layers, "idf": idf}
    padded, alone = (theirs(*corpus, name, **options, batch_size=size) for size in (batch_size, 1))
    assert np.abs(padded - alone).max() > 0.01
    assert ours(*corpus, name, **options, compat="bert_score", batch_size=batch_size) == near(padded)
    assert ours(*corpus, name, **options, batch_size=batch_size) == near(alone)


@pytest.mark.parametrize("name", ["bert", "t5", "xlnet"])
def test_which_reference_won(name):
    corpus = ragged_corpus()
    texts, starts = as_pairs(*corpus)
    pairs = np.split(theirs(*texts, name), starts[1:], axis=1)
    result = score("bertscore_idf", *corpus, model_type=name, num_layers=DEPTH, device="cpu", compat="bert_score")
    winners = [result.best_references[measure] for measure in MEASURES]
    assert winners == np.array([item.argmax(axis=1) for item in pairs]).T.tolist()
    assert len(set(winners[0])) > 2


@pytest.fixture
def baselines(tmp_path):
    path = tmp_path / "baselines.tsv"
    lines = [f"{layer},0.{layer}12,0.{layer}34,0.{layer}23" for layer in range(DEPTH + 1)]
    path.write_text("\n".join(["LAYER,P,R,F", *lines, ""]))
    return str(path)


@reads_baselines
@pytest.mark.parametrize("options", [{"num_layers": 0}, {"num_layers": 3}, {"all_layers": True}])
@pytest.mark.parametrize("name", ["bert", "t5"])
def test_baselines_of_a_file(name, options, baselines):
    corpus = ragged_corpus()
    options = {**options, "idf": True, "lang": "en", "rescale_with_baseline": True, "baseline_path": baselines}
    assert ours(*corpus, name, **options, compat="bert_score") == near(theirs(*corpus, name, **options))


@reads_baselines
@pytest.mark.parametrize(
    "options",
    [
        {}, {"idf": True}, {"idf": defaultdict(lambda: 1.0, {5: 2.0})}, {"num_layers": 0},
        {"num_layers": 2, "all_layers": True}, {"use_fast_tokenizer": True},
        {"rescale_with_baseline": True, "lang": "en", "idf": True, "use_fast_tokenizer": True},
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:.*equal weights:UserWarning")  # with idf=True and one reference
def test_the_hash_is_that_of_bert_score(options, baselines):
    options = {"model_type": "bert", "num_layers": 3, "device": "cpu", **options}
    if "rescale_with_baseline" in options:
        options["baseline_path"] = baselines
    corpus = ["a cat"], ["the cat"]
    _, expected = bert_score.score(*corpus, **options, nthreads=0, return_hash=True)
    assert score("bertscore_idf", *corpus, **options, compat="bert_score")["hashcode"] == expected


@pytest.mark.parametrize(("prediction", "reference"), [("", "a cat on the mat"), ("a cat", " "), ("", "")])
def test_a_blank_text_without_any_token_can_be_explained(prediction, reference):
    """GPT-2 has no special tokens."""
    found = explain(prediction, reference, model_type="gpt2", num_layers=2)
    assert [found.precision, found.recall, found.f1] == [0.0, 0.0, 0.0]
    assert "".join(token.text for token in found.reference_tokens) == reference.replace(" ", "")
    assert {token.match for token in (*found.prediction_tokens, *found.reference_tokens)} <= {None}
    found.plot()
    found.to_html()
