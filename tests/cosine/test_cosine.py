"""embedding_cosine beside sentence-transformers, called live, and what holds for it whatever the texts."""

import pickle
import random
from functools import cache
from typing import ClassVar

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from sentence_transformers import SentenceTransformer
from transformers import AutoModel, AutoTokenizer

import small_encoders
import tercet
from tercet import InputError, OptionError
from tercet.api import make_scorer
from tercet.comparison.compare import compare
from tercet.metrics.cosine import vectors
from tercet.networks.encoder import Encoder
from tercet.networks.long_texts import overlapping_windows
from tercet.test_sets.test_set import TestSet
from texts import ALL_TEXTS, MINILM, all_pairs, any_texts, awkward_corpus

PREDICTIONS, REFERENCES = all_pairs()
EVERY = (*small_encoders.ARCHITECTURES, *small_encoders.PADDING_SHOWS)


@cache
def peer(folder=MINILM):
    """Return sentence-transformers' own model of a folder."""
    return SentenceTransformer(str(folder), device="cpu")


def vectors_of(texts, folder=MINILM):
    return peer(folder).encode(list(texts), show_progress_bar=False).astype(np.float64)


def cosine(one, other):
    return float(one @ other / np.sqrt((one @ one) * (other @ other)))


def theirs(predictions, references, folder=MINILM):
    """Return the cosine of each prediction with each of its references, by sentence-transformers."""
    flat = [text for texts in references for text in texts]
    embedded = iter(vectors_of([*predictions, *flat], folder))
    own = [next(embedded) for _ in predictions]
    return [[cosine(one, next(embedded)) for _ in texts] for one, texts in zip(own, references, strict=True)]


def ours(predictions, references, **options):
    """Return the cosine of each item."""
    given = {"model_type": MINILM, **options}
    return tercet.score("embedding_cosine", predictions, references, segments=True, **given)["segments"]["cosine"]


@pytest.fixture(autouse=True)
def _nothing_kept():
    vectors._caches.clear()


@pytest.fixture(scope="module")
def encoders(tmp_path_factory):
    folder = tmp_path_factory.mktemp("encoders")
    for name in EVERY:
        small_encoders.build(name, folder)
    return folder


def test_a_text_is_like_itself_and_less_like_another():
    same, other = ours(["a cat", "a cat"], [["a cat"], ["a train"]])
    assert same == pytest.approx(1, abs=1e-6)
    assert other < 0.99


class TestBesideSentenceTransformers:
    def test_every_language_has_its_cosines(self):
        expected = theirs(PREDICTIONS, REFERENCES)
        assert ours(PREDICTIONS, REFERENCES) == pytest.approx([max(each) for each in expected], abs=1e-5)
        averages = [sum(each) / len(each) for each in expected]
        assert ours(PREDICTIONS, REFERENCES, multi_ref="average") == pytest.approx(averages, abs=1e-5)

    def test_awkward_texts_too_but_empty_ones(self):
        def full(text):
            return len(peer().tokenizer.encode(text.strip(), add_special_tokens=False)) > 0

        corpora = [awkward_corpus(seed) for seed in range(3)]
        items = [(text, list(filter(full, texts))) for each in corpora for text, texts in zip(*each, strict=True)]
        predictions, references = zip(*(item for item in items if full(item[0]) and item[1]), strict=True)
        expected = [max(each) for each in theirs(predictions, references)]
        assert ours(predictions, references) == pytest.approx(expected, abs=1e-5)

    @pytest.mark.filterwarnings("ignore:embedding_cosine. .* truncated:UserWarning")
    def test_long_texts_are_cut_where_the_folder_says(self):
        rng = random.Random(3)
        words = " ".join(text for text in PREDICTIONS).split()
        texts = [" ".join(rng.choices(words, k=size)) for size in (30, 200, 400, 900)]
        others = [" ".join(rng.choices(words, k=size)) for size in (500, 30, 300, 40)]
        expected = [each[0] for each in theirs(texts, [[text] for text in others])]
        assert ours(texts, others) == pytest.approx(expected, abs=1e-5)
        assert tercet.score("cosine", texts, others, model_type=MINILM).truncated_predictions == 3

    @pytest.mark.long
    @pytest.mark.parametrize("name", sorted({*EVERY} - {"bart"}))
    def test_folders_that_declare_nothing_are_pooled_by_the_mean(self, encoders, name):
        folder = encoders / name
        result = tercet.score("cosine", PREDICTIONS, REFERENCES, model_type=folder, segments=True)
        assert "|pooling:mean|" in result.signature
        assert "|equals:sentence-transformers|" in result.signature
        expected = [max(each) for each in one_by_one(folder)]
        assert result["segments"]["cosine"] == pytest.approx(expected, abs=1e-5)

    def test_of_an_encoder_decoder_it_is_the_encoder(self, encoders):
        result = tercet.score("cosine", PREDICTIONS, REFERENCES, model_type=encoders / "bart")
        assert "equals" not in result.signature


def one_by_one(folder):
    """Return the cosines by sentence-transformers, a text at a time: some of these encoders see padding."""
    model = peer(folder)
    embedded = {text: model.encode([text], show_progress_bar=False)[0].astype(np.float64) for text in ALL_TEXTS}
    pairs = zip(PREDICTIONS, REFERENCES, strict=True)
    return [[cosine(embedded[one], embedded[text]) for text in texts] for one, texts in pairs]


class TestAPlainOracle:
    """Pooling in a few lines of PyTorch, a text at a time, without padding."""

    POOLINGS: ClassVar = {
        "mean": lambda states: states.mean(0),
        "cls": lambda states: states[0],
        "lasttoken": lambda states: states[-1],
        "max": lambda states: states.max(0).values,
        "mean_sqrt_len_tokens": lambda states: states.sum(0) / len(states) ** 0.5,
        "weightedmean": lambda states: (states * torch.arange(1, len(states) + 1)[:, None]).sum(0),
    }  # fmt: skip

    @pytest.mark.parametrize("name", ["bert", "roberta", "gpt2", "deberta-v2", "xlm-roberta", "bart", "t5", "fnet"])
    @pytest.mark.parametrize("pooling", POOLINGS)
    def test_has_the_same_cosines(self, encoders, name, pooling):
        folder = encoders / name
        tokenizer, network = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder).eval()
        network = network.encoder if name in ("bart", "t5") else network

        def vector(text):
            ids = tokenizer(text.strip(), return_tensors="pt")["input_ids"]
            with torch.inference_mode():
                return self.POOLINGS[pooling](network(ids).last_hidden_state[0].double()).numpy()

        pairs = zip(PREDICTIONS, REFERENCES, strict=True)
        expected = [max(cosine(vector(one), vector(other)) for other in texts) for one, texts in pairs]
        found = ours(PREDICTIONS, REFERENCES, model_type=folder, pooling=pooling)
        assert found == pytest.approx(expected, abs=1e-5)


class TestBatches:
    def test_of_any_size_give_the_same_scores(self):
        expected = ours(PREDICTIONS, REFERENCES)
        for size in (3, 1000):
            vectors._caches.clear()
            assert ours(PREDICTIONS, REFERENCES, batch_size=size) == pytest.approx(expected, abs=1e-6)

    def test_meet_every_text_once(self, monkeypatch):
        seen = watched(monkeypatch)
        ours(["a cat", "a dog", "a cat"] * 5, [["a cat", "the dog"], ["a dog"], ["a bird", "a dog"]] * 5)
        assert sorted(seen) == sorted({"a cat", "a dog", "the dog", "a bird"})
        ours(["a fox"] * 15, [["a cat", "the dog"], ["a dog"], ["a bird", "a dog"]] * 5)
        assert seen[4:] == ["a fox"]

    def test_references_are_embedded_once_for_all_systems(self, monkeypatch):
        seen = watched(monkeypatch)
        systems = {"one": ["a cat", "a dog"], "two": ["a fox", "a hen"], "three": ["a cat", "a hen"]}
        compare(TestSet("t", systems, [["cats"], ["dogs"]], None), [tercet.Cosine(model_type=MINILM)])
        assert sorted(seen) == ["a cat", "a dog", "a fox", "a hen", "cats", "dogs"]

    def test_what_is_kept_has_an_end(self, monkeypatch):
        monkeypatch.setattr(vectors, "KEPT_BYTES", 10 * 4 * 384)
        whole = ours(PREDICTIONS, REFERENCES)
        (kept,) = vectors._caches.values()
        assert len(kept.vectors) == 10
        assert kept.n_bytes == 10 * 4 * 384
        assert ours(PREDICTIONS, REFERENCES) == pytest.approx(whole, abs=1e-6)


def watched(monkeypatch):
    """Return where the texts go that the network embeds."""
    seen, states = [], Encoder.states

    def watch(encoder, windows, batch_size):
        seen.extend(encoder.subwords.tokenizer.batch_decode(windows.ids.lists(), skip_special_tokens=True))
        return states(encoder, windows, batch_size)

    monkeypatch.setattr(Encoder, "states", watch)
    return seen


class TestLongTexts:
    TEXT = "The ferry to the island leaves at noon from the old pier, and the cat of the captain sleeps on the deck."
    OTHER = "A cat sleeps on the ferry."

    def test_are_cut_with_a_warning_and_counted(self):
        with pytest.warns(UserWarning, match=r"1 text was longer than 10 tokens and truncated: long_text='window'"):
            result = tercet.score("cosine", [self.TEXT], [self.OTHER], model_type=MINILM, max_length=10)
        assert (result.truncated_predictions, result.truncated_references) == (1, 0)

    def test_in_windows_weigh_by_their_tokens(self):
        limit, encoder = 12, make_scorer("cosine", {"model_type": MINILM}).encoder()
        rows = encoder.subwords.whole([self.TEXT])
        windows = overlapping_windows(rows, limit, encoder.subwords.head, encoder.subwords.tail)
        assert len(windows.first) > 3
        with torch.inference_mode():
            outputs = [encoder.network.model(torch.tensor([ids]), return_dict=True) for ids in windows.ids.lists()]
        states = [output.last_hidden_state[0].double().numpy() for output in outputs]
        parts = list(zip(states, windows.first.tolist(), windows.last.tolist(), strict=True))
        weights = [last - first for _, first, last in parts]
        assert sum(weights) == rows.lengths[0]
        (other,) = vectors_of([self.OTHER])
        means = np.average([state[first:last].mean(0) for state, first, last in parts], axis=0, weights=weights)
        options = {"max_length": limit, "long_text": "window"}
        assert ours([self.TEXT], [self.OTHER], **options) == pytest.approx([cosine(means, other)], abs=1e-5)
        heads = np.average([state[0] for state, *_ in parts], axis=0, weights=weights)
        (head,) = vectors_of_cls([self.OTHER])
        found = ours([self.TEXT], [self.OTHER], pooling="cls", **options)
        assert found == pytest.approx([cosine(heads, head)], abs=1e-5)

    def test_that_fit_have_the_same_scores_in_windows(self):
        assert ours(PREDICTIONS, REFERENCES, long_text="window") == ours(PREDICTIONS, REFERENCES)

    def test_are_refused_by_name_on_request(self):
        with pytest.raises(
            InputError, match=r"item 1 of references has \d+ tokens, more than the encoder's limit of 10"
        ):
            ours(["a", "b"], ["a", self.TEXT], max_length=10, long_text="error")

    def test_are_measured_by_what_the_folder_declares(self):
        for asked, length in ((None, 256), (100, 100), (512, 512)):
            signature = tercet.score("cosine", ["a"], ["a"], model_type=MINILM, max_length=asked).signature
            assert f"|length:{length}|" in signature
            assert ("equals:" in signature) == (asked is None)
        with pytest.raises(OptionError, match="'max_length' option must be from 3 to 512"):
            ours(["a"], ["a"], max_length=513)


def vectors_of_cls(texts):
    tokenizer, network = AutoTokenizer.from_pretrained(MINILM), AutoModel.from_pretrained(MINILM).eval()
    with torch.inference_mode():
        outputs = [network(**tokenizer(text, return_tensors="pt")) for text in texts]
    return [output.last_hidden_state[0, 0].double().numpy() for output in outputs]


def test_the_nearest_reference_counts_and_is_named():
    references = [["A dog barks.", "The cat sleeps.", "The cat sleeps."]]
    result = tercet.score("cosine", ["A cat is asleep."], references, model_type=MINILM)
    assert result.best_references == [1]
    assert result["cosine"] == pytest.approx(max(*theirs(["A cat is asleep."], references)[0]), abs=1e-5)


@pytest.mark.parametrize("name", ["bert", "gpt2", "t5"])
def test_empty_texts_have_cosine_0_with_every_text(encoders, name):
    texts = ["", "a cat", " \n", "a cat"], [["a cat"], [""], [""], ["", "a cat"]]
    assert ours(*texts, model_type=encoders / name) == [0.0, 0.0, 0.0, 1.0]


@settings(max_examples=30)
@given(one=any_texts, other=any_texts)
def test_a_cosine_has_no_direction_and_is_1_with_itself(one, other):
    there, back = ours([one, other], [other, one])
    assert there == back
    assert -1 <= there <= 1
    assert ours([one], [one])[0] in (0.0, 1.0)


def test_pickles_of_earlier_versions_name_the_class_where_it_was():
    assert pickle.loads(b"ctercet.metrics.cosine\nCosine\n.") is tercet.Cosine


def test_an_encoder_is_needed():
    with pytest.raises(OptionError, match=r"embedding_cosine needs 'model_type', the name of an encoder"):
        tercet.score("embedding_cosine", ["a"], ["a"])


@pytest.mark.filterwarnings("ignore:dtype=.* is slow on this processor:UserWarning")
def test_half_precision_is_near_and_says_so():
    result = tercet.score("cosine", PREDICTIONS, REFERENCES, model_type=MINILM, dtype="bfloat16")
    assert "|dtype:bfloat16|" in result.signature
    assert "equals" not in result.signature
    assert result["cosine"] == pytest.approx(np.mean(ours(PREDICTIONS, REFERENCES)), abs=0.005)
