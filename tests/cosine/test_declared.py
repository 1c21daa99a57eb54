"""What folders of sentence-transformers declare: written by that package, and scored as it does."""

import json
import shutil
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer import modules

import small_encoders
import tercet
from tercet import OptionError
from texts import MINILM, all_pairs

PREDICTIONS, REFERENCES = all_pairs()
SINGLES = [texts[0] for texts in REFERENCES]


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    folder = tmp_path_factory.mktemp("encoders")
    small_encoders.build("bert", folder)
    small_encoders.build("roberta", folder)
    return folder


@pytest.fixture(autouse=True)
def _dense_layers_are_drawn():
    with torch.random.fork_rng():
        torch.manual_seed(5)
        yield


def saved(folder, *behind, name="bert", settings=None, **more):
    """Write a folder of sentence-transformers, and return it."""
    target = folder / "saved"
    transformer = modules.Transformer(str(folder / name), **(settings or {}))
    SentenceTransformer(modules=[transformer, *behind], device="cpu", **more).save(str(target))
    return target


def change_first_module(folder, **changed):
    listed = json.loads((folder / "modules.json").read_text())
    listed[0] |= changed
    (folder / "modules.json").write_text(json.dumps(listed))


@pytest.fixture
def home(plain, tmp_path):
    return Path(shutil.copytree(plain, tmp_path / "home"))


def same(folder, **options):
    """Score, and check that sentence-transformers has the same cosines; return the signature."""
    result = tercet.score("cosine", PREDICTIONS, SINGLES, model_type=folder, segments=True, **options)
    model = SentenceTransformer(str(folder), device="cpu")
    embedded = model.encode([*PREDICTIONS, *SINGLES], show_progress_bar=False).astype(np.float64)
    one, other = np.split(embedded / np.linalg.norm(embedded, axis=1, keepdims=True), 2)
    assert result["segments"]["cosine"] == pytest.approx((one * other).sum(1).tolist(), abs=1e-5)
    assert "|equals:sentence-transformers|" in result.signature
    return result.signature


class TestPooling:
    @pytest.mark.parametrize("mode", ["mean", "cls", "max", "lasttoken", "weightedmean", "mean_sqrt_len_tokens"])
    def test_is_the_declared_one(self, home, mode):
        assert f"|pooling:{mode}|" in same(saved(home, modules.Pooling(32, mode)))

    @pytest.mark.parametrize(
        ("key", "mode"),
        [("cls_token", "cls"), ("max_tokens", "max"), ("mean_tokens", "mean"), ("lasttoken", "lasttoken")],
    )
    def test_is_read_in_the_words_of_older_folders(self, home, key, mode):
        folder = saved(home, modules.Pooling(32, "mean"))
        keys = ("cls_token", "max_tokens", "mean_tokens", "lasttoken")
        old = {"word_embedding_dimension": 32, **{f"pooling_mode_{each}": each == key for each in keys}}
        (folder / "1_Pooling" / "config.json").write_text(json.dumps(old))
        assert f"|pooling:{mode}|" in same(folder)

    def test_gives_way_to_the_one_that_is_asked_for(self, home):
        folder = saved(home, modules.Pooling(32, "cls"))
        asked, plain = (
            tercet.score("cosine", PREDICTIONS, SINGLES, model_type=each, pooling="mean", segments=True)
            for each in (folder, home / "bert")
        )
        assert asked["segments"] == plain["segments"]
        assert "equals" not in asked.signature

    def test_by_several_side_by_side_is_refused(self, home):
        folder = saved(home, modules.Pooling(32, ("mean", "cls")))
        with pytest.raises(OptionError, match="pools by mean and cls, which embedding_cosine does not support"):
            same(folder)


class TestWhatFollows:
    def test_is_a_division_by_the_length(self, home):
        assert "dense" not in same(saved(home, modules.Pooling(32, "mean"), modules.Normalize()))

    @pytest.mark.parametrize("activation", [torch.nn.Tanh(), torch.nn.Identity()])
    @pytest.mark.parametrize("bias", [True, False])
    def test_or_a_dense_layer(self, home, activation, bias):
        first, second = (
            modules.Dense(*sizes, bias=bias, activation_function=activation) for sizes in ((32, 48), (48, 16))
        )
        folder = saved(home, modules.Pooling(32, "mean"), first, modules.Normalize(), second)
        signature = same(folder)
        assert "|dense:" in signature
        why = tercet.explain("cosine", PREDICTIONS[0], SINGLES[0], model_type=folder)
        assert why.decomposes is False
        weights = load_file(folder / "2_Dense" / "model.safetensors")
        torch.save(weights, folder / "2_Dense" / "pytorch_model.bin")
        (folder / "2_Dense" / "model.safetensors").unlink()
        with pytest.raises(OptionError, match=r"dense layer '2_Dense' .* has no model\.safetensors.*use_safetensors"):
            same(folder)
        assert same(folder, use_safetensors=False) == signature

    def test_or_what_is_refused(self, home):
        with pytest.raises(OptionError, match=r"has a module 'LayerNorm', which embedding_cosine does not support"):
            same(saved(home, modules.Pooling(32, "mean"), modules.LayerNorm(32)))
        folder = saved(home, modules.Pooling(32, "mean"), modules.Dense(32, 8, activation_function=torch.nn.ReLU()))
        with pytest.raises(OptionError, match=r"has a dense layer of a kind that is not known here \(ReLU\)"):
            same(folder)


class TestTheNetwork:
    @pytest.mark.filterwarnings("ignore:embedding_cosine. .* truncated:UserWarning")
    def test_takes_texts_as_long_as_declared(self, home):
        folder = saved(home, modules.Pooling(32, "mean"), settings={"max_seq_length": 9})
        assert "|length:9|" in same(folder)

    def test_takes_texts_in_lower_case_where_declared(self, home):
        folder = saved(home, modules.Pooling(32, "mean"), name="roberta")
        settings = folder / "sentence_bert_config.json"  # as older releases wrote it
        settings.write_text(json.dumps({**json.loads(settings.read_text()), "do_lower_case": True}))
        assert "|case:lc|" in same(folder)
        found = tercet.score("cosine", ["THE CAT"], ["the cat"], model_type=folder)
        assert found["cosine"] == 1.0
        assert tercet.score("cosine", ["THE CAT"], ["the cat"], model_type=home / "roberta")["cosine"] < 1.0

    def test_may_stand_in_a_folder_of_its_own(self, home):
        folder = saved(home, modules.Pooling(32, "cls"))
        inside = folder / "0_Transformer"
        inside.mkdir()
        for path in list(folder.iterdir()):
            if path.is_file() and path.name not in ("modules.json", "config_sentence_transformers.json"):
                path.rename(inside / path.name)
        change_first_module(folder, path="0_Transformer")
        assert "|pooling:cls|" in same(folder)

    def test_is_not_always_one_of_transformers(self, home):
        folder = saved(home, modules.Pooling(32, "cls"))
        change_first_module(folder, type="sentence_transformers.models.WordEmbeddings")
        with pytest.raises(OptionError, match="begins with a module 'WordEmbeddings' in place of a network"):
            same(folder)

    @pytest.mark.parametrize("text", ["{", "[1]", '{"a": 1}', "\xff"])
    def test_has_files_that_can_be_read(self, home, text):
        folder = saved(home, modules.Pooling(32, "cls"))
        (folder / "modules.json").write_text(text, encoding="latin-1")
        with pytest.raises(OptionError, match=r"modules\.json"):
            same(folder)


class TestThePrompt:
    MORE: ClassVar = {"prompts": {"query": "the cat: "}, "default_prompt_name": "query"}

    def test_stands_before_every_text(self, home):
        folder = saved(home, modules.Pooling(32, "mean"), **self.MORE)
        assert "|prompt:" in same(folder)
        why = tercet.explain("cosine", "a dog", ["the dog"], model_type=folder)
        assert (why.prediction, why.reference) == ("the cat: a dog", "the cat: the dog")
        found = tercet.score("cosine", ["", "a"], ["a", "a"], model_type=folder, segments=True)
        assert found["segments"]["cosine"] == [0.0, 1.0]

    def test_of_no_default_is_not_used(self, home):
        folder = saved(home, modules.Pooling(32, "mean"), prompts={"query": "the cat: "})
        assert "prompt" not in same(folder)

    def test_left_out_of_the_pooling_is_refused(self, home):
        folder = saved(home, modules.Pooling(32, "mean", include_prompt=False), **self.MORE)
        with pytest.raises(OptionError, match="leaves the tokens of its default prompt out of the pooling"):
            same(folder)


def test_a_name_of_the_hub_declares_what_its_files_in_the_cache_do(tmp_path, monkeypatch):
    """As huggingface_hub lays them out: a reference, and a snapshot of the files."""
    name = "somebody/small-encoder"
    cache = tmp_path / "models--somebody--small-encoder"
    shutil.copytree(MINILM, cache / "snapshots" / "abc")
    (cache / "refs").mkdir()
    (cache / "refs" / "main").write_text("abc")
    pooling = cache / "snapshots" / "abc" / "1_Pooling" / "config.json"
    pooling.write_text(json.dumps({"word_embedding_dimension": 384, "pooling_mode": "cls"}))
    for place in ("huggingface_hub.constants.HF_HUB_CACHE", "huggingface_hub.file_download.constants.HF_HUB_CACHE"):
        monkeypatch.setattr(place, str(tmp_path))
    result = tercet.score("cosine", ["a cat"], ["a dog"], model_type=name)
    expected = tercet.score("cosine", ["a cat"], ["a dog"], model_type=MINILM, pooling="cls")
    assert "|pooling:cls|" in result.signature
    assert result["cosine"] == pytest.approx(expected["cosine"], abs=1e-6)
