"""Encoders whose configuration has parts, or whose layers differ in width, against the states of transformers.

bert-score cannot run them. Each text goes through transformers alone; the formula of BERTScore is written out below.
"""

from typing import ClassVar

import numpy as np
import pytest
import torch
import transformers
from sentence_transformers import SentenceTransformer
from torch.nn.functional import normalize

import tercet
from small_encoders import DEPTH, IN_PARTS, build
from tercet import OptionError
from texts import all_pairs

PREDICTIONS, REFERENCES = all_pairs()
SINGLES = [texts[0] for texts in REFERENCES]
MEASURES = ("precision", "recall", "f1")
ONE_STATE = [name for name in IN_PARTS if name != "gemma3n_text"]  # for a token, in every layer


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("encoders")
    for name in IN_PARTS:
        build(name, folder)
    return folder


class Transformers:
    """An encoder as transformers alone runs it."""

    def __init__(self, folder):
        network = transformers.AutoModel.from_pretrained(folder).eval()
        self.network = network.encoder if network.config.is_encoder_decoder else network
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(folder)

    def run(self, text, **options):
        ids = self.tokenizer(text, return_tensors="pt").input_ids
        with torch.inference_mode():
            return self.network(input_ids=ids, **options)

    def states(self, text):
        return [each[0] for each in self.run(text, output_hidden_states=True).hidden_states]

    def last(self, text):
        return self.run(text).last_hidden_state[0]


def bertscore(one, other):
    """Return precision, recall and F of two texts' states; CLS and SEP count nothing but may be matched."""
    similarity = normalize(one, dim=1) @ normalize(other, dim=1).T
    precision, recall = similarity.amax(1)[1:-1].mean().item(), similarity.amax(0)[1:-1].mean().item()
    return precision, recall, 2 * precision * recall / (precision + recall)


def scored(folder, **options):
    return tercet.score("bertscore", PREDICTIONS, SINGLES, model_type=folder, idf=False, device="cpu", **options)


@pytest.mark.parametrize("name", IN_PARTS)
def test_the_last_layer_is_what_transformers_gives(folder, name):
    encoder = Transformers(folder / name)
    pairs = [map(encoder.last, texts) for texts in (PREDICTIONS, SINGLES)]
    expected = np.array([bertscore(*pair) for pair in zip(*pairs, strict=True)]).T
    found = scored(folder / name, num_layers=DEPTH)
    assert [found[measure] for measure in MEASURES] == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("name", ONE_STATE)
def test_all_layers_are_what_transformers_gives(folder, name):
    encoder = Transformers(folder / name)
    pairs = zip(map(encoder.states, PREDICTIONS), map(encoder.states, SINGLES), strict=True)
    expected = np.array([[bertscore(*layer) for layer in zip(*pair, strict=True)] for pair in pairs])
    found = scored(folder / name, all_layers=True)
    assert expected.shape == (len(PREDICTIONS), DEPTH + 1, 3)
    assert [found[measure] for measure in MEASURES] == pytest.approx(expected.T, abs=1e-5)


@pytest.mark.parametrize("name", ONE_STATE)
def test_a_layer_alone_is_followed_by_the_norm_and_projection_that_follow_the_last(folder, name):
    encoder = Transformers(folder / name)
    network = encoder.network
    of_texts = getattr(network, "language_model", getattr(network, "text_model", network))
    projection = getattr(of_texts, "embedding_projection", torch.nn.Identity())

    def state(text):
        with torch.inference_mode():
            return projection(of_texts.norm(encoder.states(text)[2]))

    expected = np.array([bertscore(state(a), state(b)) for a, b in zip(PREDICTIONS, SINGLES, strict=True)]).T
    found = scored(folder / name, num_layers=2)
    assert [found[measure] for measure in MEASURES] == pytest.approx(expected, abs=1e-5)


def test_several_states_for_a_token_are_refused(folder):
    """Gemma 3n has four in every layer but the last."""
    with pytest.raises(OptionError, match=r"Gemma3nTextModel .* states of shape \(4, 1, \d+, 32\)"):
        scored(folder / "gemma3n_text", all_layers=True)


@pytest.mark.parametrize("name", ["embedding_gemma2_text", "gemma3n_text"])
def test_the_cosine_is_that_of_sentence_transformers(folder, name):
    found = tercet.score("cosine", PREDICTIONS, SINGLES, model_type=folder / name, segments=True, device="cpu")
    model = SentenceTransformer(str(folder / name), device="cpu")
    expected = model.similarity_pairwise(*(model.encode(texts) for texts in (PREDICTIONS, SINGLES)))
    assert found["segments"]["cosine"] == pytest.approx(expected.tolist(), abs=1e-5)
    assert "|equals:sentence-transformers|" in found.signature


class TestANetworkThatIsNotForTexts:
    """Or gives fewer vectors than a text has tokens, as Funnel does."""

    SIZES: ClassVar = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48}
    KINDS: ClassVar = {
        "FunnelModel": {"vocab_size": 1005, "block_sizes": [1, 1], "d_model": 32, "n_head": 4, "d_head": 8},
        "ViTModel": SIZES,
        "Wav2Vec2Model": SIZES,
    }

    @pytest.mark.parametrize("kind", KINDS)
    @pytest.mark.parametrize("options", [{"all_layers": True}, {"num_layers": 1}])
    def test_is_refused_by_name(self, tmp_path, kind, options):
        build("bert", tmp_path)
        model = getattr(transformers, kind)
        with torch.random.fork_rng():
            network = model(model.config_class(**self.KINDS[kind]))
        network.save_pretrained(tmp_path / "bert")
        with pytest.raises(OptionError, match=kind.removesuffix("Model")):
            scored(tmp_path / "bert", **options)
