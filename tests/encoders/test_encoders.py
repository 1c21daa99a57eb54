"""Finding and loading an encoder: what is missing is named, and nothing but weights is taken from its files."""

import json
import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoTokenizer

import tercet
from conftest import needed
from tercet import InputError, OptionError
from tercet.networks import load as loading
from tercet.networks.layers import BEST_LAYERS, best_layer, model_of_language
from texts import MINILM


def scored(model_type, *, prediction="A cat sat", **options):
    given = {"num_layers": 2, "idf": False, **options}
    return tercet.score("bertscore_idf", [prediction], ["the dog sat"], model_type=model_type, **given)


def f1(model_type, **options):
    return scored(model_type, **options)["f1"]


@pytest.fixture
def folder(tmp_path):
    """A copy of the encoder, whose files a test may change."""
    return Path(shutil.copytree(MINILM, tmp_path / "encoder"))


def without(folder, part):
    """Take the weights with this part of a name out of a folder's file."""
    weights = load_file(folder / "model.safetensors")
    kept = {name: tensor for name, tensor in weights.items() if part not in name}
    assert len(kept) < len(weights)
    save_file(kept, folder / "model.safetensors", metadata={"format": "pt"})


class TestNames:
    def test_and_layers_are_those_of_bert_score(self):
        from bert_score.utils import lang2model, model2layers

        assert dict(BEST_LAYERS) == model2layers
        for language in ("en", "EN", "zh", "tr", "en-sci", "ru", "xx"):
            assert model_of_language(language) == lang2model[language.lower()]

    def test_have_the_layer_under_their_new_home_on_the_hub_too(self):
        assert best_layer("google-bert/bert-base-uncased") == best_layer("bert-base-uncased") == 9
        assert best_layer("somebody/bert-base-uncased") is None

    def test_are_needed(self):
        with pytest.raises(OptionError, match=r"needs 'lang', such as lang='en', .* or 'model_type'"):
            tercet.score("bertscore_idf", ["a"], ["a"])


class TestAnEncoderThatIsNotThere:
    def test_is_named_with_the_places_where_it_was_sought_and_what_to_give(self):
        with pytest.raises(OptionError) as refusal:
            f1("somebody/no-such-encoder")
        message = str(refusal.value)
        assert "'somebody/no-such-encoder' could not be loaded; looked in the cache '" in message
        assert "HF_HUB_OFFLINE is set" in message
        assert "'model_type' the path of a folder with config.json, model.safetensors" in message

    def test_is_asked_for_once_where_the_hub_cannot_be_reached(self, monkeypatch):
        monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
        monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", "http://127.0.0.1:9")
        waits = []  # before it is asked once more
        monkeypatch.setattr("time.sleep", waits.append)
        with pytest.raises(OptionError, match=r"looked in the cache .*: the Hub cannot be reached"):
            tercet.score("bertscore_idf", ["a"], ["a"], lang="en")
        assert waits == []

    @pytest.mark.parametrize("path", ["./nowhere", "/nowhere/at/all", "~/nowhere", "a/b/c"])
    def test_as_a_path_is_a_folder_that_is_missing(self, path):
        with pytest.raises(OptionError, match=r"There is no folder '.*', given as 'model_type'"):
            f1(path)

    def test_is_a_folder_without_a_configuration(self, tmp_path):
        with pytest.raises(OptionError, match=r"has no config\.json"):
            f1(tmp_path)

    def test_or_without_weights_says_how_to_take_other_files(self, folder):
        (folder / "model.safetensors").unlink()
        with pytest.raises(OptionError, match=r"looked in the folder .* Only safetensors files are read"):
            f1(folder)


def test_the_layer_is_asked_for_with_a_proposal_and_must_be_there():
    with pytest.raises(OptionError, match=r"give 'num_layers', from 0 to 6.* num_layers=4, is a usual choice"):
        f1(MINILM, num_layers=None)
    with pytest.raises(OptionError, match=r"'num_layers' option of bertscore_idf must be from 0 to 6 .* Got 7"):
        f1(MINILM, num_layers=7)


class TestTheFiles:
    def test_are_safetensors_unless_asked_otherwise(self, folder):
        expected = f1(MINILM)
        torch.save(load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
        (folder / "model.safetensors").unlink()
        with pytest.raises(OptionError, match="use_safetensors=False"):
            f1(folder)
        assert f1(folder, use_safetensors=False) == pytest.approx(expected, abs=1e-6)

    def test_must_fill_the_layers_that_are_used(self, folder):
        without(folder, "layer.4.")
        assert f1(folder) == pytest.approx(f1(MINILM), abs=1e-6)
        with pytest.raises(InputError, match=r"lack weights of 16 tensors, such as 'encoder\.layer\.4"):
            f1(folder, num_layers=5)

    def test_may_lack_a_pooler(self, folder):
        without(folder, "pooler")
        assert f1(folder) == pytest.approx(f1(MINILM), abs=1e-6)

    def test_never_run_code(self, folder, tmp_path):
        marker = tmp_path / "ran"
        (folder / "own.py").write_text(f"import pathlib; pathlib.Path({str(marker)!r}).touch()\n")
        config = json.loads((folder / "config.json").read_text())
        config["auto_map"] = {"AutoModel": "own.Own", "AutoConfig": "own.OwnConfig", "AutoTokenizer": ["own.T", None]}
        config["model_type"] = "one-of-its-own"
        (folder / "config.json").write_text(json.dumps(config))
        with pytest.raises(OptionError, match="could not be loaded"):
            f1(folder)
        assert not marker.exists()

    def test_without_those_of_the_tokenizer_are_refused(self, folder):
        """transformers makes a vocabulary of the special tokens alone of such a folder, and every text unknown."""
        for name in ("vocab.txt", "tokenizer.json"):
            (folder / name).unlink()
        with pytest.raises(
            OptionError, match=r"has 5 tokens, but the encoder has embeddings for 30522: files of the tokenizer"
        ):
            f1(folder)

    def test_whose_tokenizer_knows_more_than_the_network_are_refused(self, folder):
        tokenizer = AutoTokenizer.from_pretrained(folder)
        tokenizer.add_tokens(["zzyzx"])
        tokenizer.save_pretrained(folder)
        f1(folder)  # no text has the new token
        with pytest.raises(InputError, match=r"token 'zzyzx' \(id 30522\), but the network has only 30522 emb"):
            scored(folder, prediction="zzyzx")

    def test_that_are_damaged_are_named(self, folder):
        weights = (folder / "model.safetensors").read_bytes()
        for name, content in (("model.safetensors", weights[: len(weights) // 2]), ("config.json", b"[]")):
            (folder / name).write_bytes(content)
            with pytest.raises(OptionError, match=r"could not be loaded; looked in the folder"):
                f1(folder)

    @pytest.mark.parametrize("time", [1, 1 << 32], ids=["older", "newer"])
    def test_that_are_replaced_are_read_again(self, folder, tmp_path, time):
        first = scored(folder)
        weights = load_file(folder / "model.safetensors")
        weights["embeddings.word_embeddings.weight"][1000:20000] *= -1
        save_file(weights, tmp_path / "other.safetensors", metadata={"format": "pt"})
        os.utime(tmp_path / "other.safetensors", (time, time))
        shutil.move(tmp_path / "other.safetensors", folder / "model.safetensors")
        second = scored(folder)
        assert first["f1"] != second["f1"]
        assert first.signature != second.signature

    @pytest.mark.parametrize(
        ("name", "change"),
        [
            ("config.json", {"num_attention_heads": 6}),
            ("config.json", {"hidden_act": "relu"}),
            ("tokenizer_config.json", {"do_lower_case": False}),
        ],
    )
    def test_that_make_another_encoder_are_in_the_signature(self, folder, name, change):
        def signature(model_type):
            return scored(model_type).signature.split("@")[1]

        assert signature(folder) == signature(MINILM)
        (folder / name).write_text(json.dumps({**json.loads((folder / name).read_text()), **change}))
        assert signature(folder) != signature(MINILM)

    def test_are_loaded_once_by_all_threads(self, monkeypatch):
        loads = []
        load = loading.load_network
        monkeypatch.setattr(loading, "load_network", lambda *given: loads.append(1) or load(*given))
        loading._encoder.cache_clear()
        loading._subwords.cache_clear()
        with ThreadPoolExecutor(6) as pool:
            list(pool.map(f1, [MINILM] * 6))
        assert len(loads) == 1


def test_the_truncation_that_a_tokenizer_file_carries_is_not_inherited():
    """MiniLM's tokenizer.json cuts and pads to 128."""
    assert json.loads((Path(MINILM) / "tokenizer.json").read_text())["truncation"]["max_length"] == 128
    text, options = "cat " * 300, {**needed("bertscore_idf"), "idf": False, "max_length": 400}
    result = tercet.score("bertscore_idf", [text], [text + "dog"], **options)
    assert result.truncated_predictions == 0
    assert result["precision"] != result["recall"]
