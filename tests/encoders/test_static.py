"""Static embeddings, of sentence-transformers and of model2vec: scored as sentence-transformers does."""

import json
from copy import deepcopy

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Dense, Normalize, StaticEmbedding
from tokenizers import Tokenizer

import tercet
from small_trainer import random_states_kept
from texts import MINILM, all_pairs

PREDICTIONS, REFERENCES = all_pairs()
SINGLES = [texts[0] for texts in REFERENCES]


@pytest.fixture(autouse=True)
def _random_states_kept():
    with random_states_kept():
        torch.manual_seed(3)
        yield


@pytest.fixture(scope="module")
def tokenizer():
    """A tokenizer that sets special tokens around a text, and cuts it at 128 tokens."""
    return Tokenizer.from_file(f"{MINILM}/tokenizer.json")


@pytest.fixture
def model(tokenizer):
    embedding = StaticEmbedding(deepcopy(tokenizer), embedding_dim=16)
    return SentenceTransformer(modules=[embedding, Normalize()], device="cpu", prompts={"query": "a cat "})


@pytest.fixture
def folder(model, tmp_path):
    model.save(str(tmp_path / "static"))
    return tmp_path / "static"


def expected(model, **options):
    """Return the cosines of sentence-transformers."""
    sides = [model.encode(texts, show_progress_bar=False, **options) for texts in (PREDICTIONS, SINGLES)]
    return model.similarity_pairwise(*sides).tolist()


def score(model, **options):
    return tercet.score("cosine", PREDICTIONS, SINGLES, model_type=model, segments=True, **options)


def test_from_memory_and_from_a_folder_are_scored_as_by_their_package(model, folder):
    cosines = pytest.approx(expected(model), abs=1e-6)
    in_memory, of_folder = score(model), score(folder)
    assert in_memory["segments"]["cosine"] == cosines
    assert in_memory == of_folder
    assert "|equals:sentence-transformers|" in of_folder.signature
    assert str(in_memory.signature).replace("StaticEmbedding@", "static@") == of_folder.signature


def test_have_prompts_dense_layers_and_dimensions(model, tmp_path):
    dense = Dense(16, 12, activation_function=torch.nn.Tanh())
    model = SentenceTransformer(modules=[model[0], dense], device="cpu", prompts=model.prompts, truncate_dim=8)
    model.save(str(tmp_path))
    cosines = pytest.approx(expected(model, prompt_name="query"), abs=1e-6)
    for encoder in (model, tmp_path):
        assert score(encoder, prompt_name="query")["segments"]["cosine"] == cosines


@pytest.mark.filterwarnings("ignore:embedding_cosine. 1 text was longer than 128 tokens:UserWarning")
def test_long_texts_are_cut_where_the_tokenizer_cuts_them(model, folder):
    long = "a cat " * 100 + "and a dog"
    pair = model.encode([long, "a dog"])
    cosine = model.similarity(pair[:1], pair[1:]).item()
    for encoder in (model, folder):
        assert tercet.score("cosine", [long], ["a dog"], model_type=encoder)["cosine"] == pytest.approx(
            cosine, abs=1e-6
        )
    whole = tercet.score("cosine", [long], ["a dog"], model_type=folder, long_text="window")
    assert whole["cosine"] != pytest.approx(cosine, abs=1e-4)


@pytest.mark.parametrize("kind", ["plain", "mapping", "weights", "half"])
def test_of_model2vec_are_read_from_its_folder(kind, folder):
    """Its names of tensors: tokens may share a vector, and have a weight."""
    vectors = load_file(folder / "model.safetensors")["embedding.weight"]
    tensors = {"embeddings": vectors.half() if kind == "half" else vectors}
    if kind == "mapping":
        tensors = {"embeddings": vectors[:100].clone(), "mapping": torch.arange(len(vectors)) % 100}
    if kind == "weights":
        tensors["weights"] = torch.rand(len(vectors), dtype=torch.float64)
    save_file(tensors, folder / "model.safetensors")
    modules = json.loads((folder / "modules.json").read_text())
    modules[0] |= {"type": "sentence_transformers.models.StaticEmbedding", "path": "."}
    (folder / "modules.json").write_text(json.dumps(modules))
    tolerance = 1e-3 if kind == "half" else 1e-6
    cosines = expected(SentenceTransformer(str(folder), device="cpu"))
    assert score(folder)["segments"]["cosine"] == pytest.approx(cosines, abs=tolerance)


def test_may_stand_in_a_folder_of_their_own(model, folder):
    inside = folder / "0_StaticEmbedding"
    inside.mkdir()
    for name in ("model.safetensors", "tokenizer.json"):
        (folder / name).rename(inside / name)
    modules = json.loads((folder / "modules.json").read_text())
    modules[0]["path"] = inside.name
    (folder / "modules.json").write_text(json.dumps(modules))
    assert score(folder) == score(model)


def test_in_training_are_scored_as_they_are_then(model):
    metric = tercet.Cosine(model_type=model)
    first = metric(["a cat"], ["a dog"])
    assert tercet.Cosine(model_type=model) == metric
    with torch.no_grad():
        model[0].embedding.weight.copy_(model[0].embedding.weight.roll(1, 0))
    second = metric(["a cat"], ["a dog"])
    assert second["cosine"] != first["cosine"]
    assert second.signature != first.signature
    assert model[0].embedding.weight.requires_grad


def test_changed_files_are_read_again(folder):
    first = tercet.score("cosine", ["a cat"], ["a dog"], model_type=folder)
    tensors = load_file(folder / "model.safetensors")
    save_file(
        {name: tensor.roll(1, 0).contiguous() for name, tensor in tensors.items()}, folder / "model.safetensors"
    )
    assert tercet.score("cosine", ["a cat"], ["a dog"], model_type=folder)["cosine"] != first["cosine"]


def test_are_explained_by_their_tokens(model):
    why = tercet.explain("cosine", "a cat sat", "the cat sits", model_type=model)
    assert sum(token.contribution for token in why.prediction_tokens) == pytest.approx(why.cosine)
    assert [token.text for token in why.prediction_tokens] == ["a", "cat", "sat"]


def test_match_as_words_alone_in_bertscore(model):
    result = tercet.score("bertscore", ["a cat"], ["cat a"], model_type=model, num_layers=0, idf=False)
    assert result["mean_f1"] == pytest.approx(1)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("model.safetensors", None, r"has static embeddings, but no model\.safetensors"),
        ("tokenizer.json", None, r"has static embeddings, but no tokenizer\.json"),
        ("model.safetensors", b"{", r"model\.safetensors does not hold static embeddings"),
        ("tokenizer.json", b"{}", r"tokenizer\.json is not a tokenizer"),
    ],
)
def test_without_a_file_or_with_a_broken_one_are_refused(folder, name, content, message):
    (folder / name).unlink()
    if content is not None:
        (folder / name).write_bytes(content)
    with pytest.raises(tercet.TercetError, match=message):
        score(folder)


def test_of_other_tensors_are_refused(folder):
    for tensors in ({"words": torch.zeros(2, 2)}, {"embeddings": torch.zeros(4)}):
        save_file(tensors, folder / "model.safetensors")
        with pytest.raises(tercet.InputError, match=r"model\.safetensors does not hold static embeddings"):
            score(folder)


def test_have_no_attention_and_predict_no_tokens(model):
    with pytest.raises(tercet.OptionError, match="'sdpa' cannot be used with StaticNetwork"):
        score(model, attn_implementation="sdpa")
    with pytest.raises(tercet.OptionError, match="not a causal language model: it has no layer that predicts tokens"):
        tercet.score("perplexity_lm", ["a"], model_id=model)


def test_in_half_precision_are_converted_or_left(model):
    model[0].embedding.to(torch.bfloat16)
    assert "|dtype:" not in score(model).signature
    result = score(model, dtype="auto")
    assert "|dtype:bfloat16|" in result.signature
    assert np.allclose(result["segments"]["cosine"], score(model)["segments"]["cosine"], atol=0.01)
