"""Adapters of PEFT that were saved alone: loaded with their base, they score as the model in memory does."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tercet
from hub import Hub
from language_models import small_model
from texts import MINILM

peft = pytest.importorskip("peft")

pytestmark = [
    pytest.mark.needs("peft"),
    pytest.mark.filterwarnings("ignore:.*is_gradient_checkpointing:FutureWarning"),  # PEFT's, as it makes adapters
]

TEXTS = ["The ferry leaves at seven.", "Мост закрыт до утра.", "河水涨得很快。", "הספר על השולחן"]
REFERENCES = ["The ferry sails at seven.", "Мост открыт с утра.", "河水退得很慢。", "הספר מתחת לשולחן"]


def adapted(model, **options):
    """Return a model with an adapter that changes its output."""
    import torch

    with torch.random.fork_rng():
        torch.manual_seed(5)
        adapter = peft.LoraConfig(r=4, lora_alpha=32, init_lora_weights=False, **options)
        return peft.get_peft_model(model, adapter).eval()


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    """An encoder under a name that no Hub has."""
    return shutil.copytree(MINILM, tmp_path_factory.mktemp("base") / "encoder")


def loaded(kind, folder):
    """Return a model of a class of transformers; what its files lack is drawn."""
    import torch
    import transformers

    with torch.random.fork_rng():
        return getattr(transformers, kind).from_pretrained(folder)


def with_head(base):
    return loaded("AutoModelForMaskedLM", base)


def without_head(base):
    return loaded("AutoModel", base)


@pytest.fixture(params=[with_head, without_head], ids=lambda load: load.__name__)
def trained(request, base):
    return adapted(request.param(base), target_modules=["query", "value"])


def f1(model, **options):
    given = {"num_layers": 6, "idf": False, "device": "cpu", "segments": True, **options}
    return tercet.score("bertscore", TEXTS, REFERENCES, model_type=model, **given)["segments"]["f1"]


def signature(model):
    options = {"num_layers": 6, "idf": False, "device": "cpu"}
    return str(tercet.score("bertscore", TEXTS, REFERENCES, model_type=str(model), **options).signature)


def test_an_encoder_scores_as_the_adapted_one_in_memory(trained, base, tmp_path):
    from transformers import AutoTokenizer

    trained.save_pretrained(tmp_path)
    assert not (tmp_path / "config.json").exists()
    found = f1(str(tmp_path))
    expected = f1(trained, processing_class=AutoTokenizer.from_pretrained(base))
    assert found == pytest.approx(expected, abs=1e-6)
    assert found != pytest.approx(f1(str(base)), abs=1e-3)
    # the adapter is a part of the signature, and a folder that changes is read again
    before = signature(tmp_path)
    other = adapted(without_head(base), target_modules=["key"])
    other.save_pretrained(tmp_path)
    assert f1(str(tmp_path)) != pytest.approx(found, abs=1e-3)
    assert signature(tmp_path) != before


@pytest.mark.parametrize("has_head", [True, False])
def test_a_language_model_scores_as_the_adapted_one_in_memory(has_head, tmp_path):
    from transformers import AutoTokenizer

    folder = small_model("gpt2")
    settings = {"target_modules": ["c_attn"], "fan_in_fan_out": True}
    kind = "AutoModelForCausalLM" if has_head else "AutoModel"
    adapted(loaded(kind, folder), **settings).save_pretrained(tmp_path)
    # the same layers, in the same order: the same adapter is drawn
    in_memory = adapted(loaded("AutoModelForCausalLM", folder), **settings)
    options = {"device": "cpu"}
    found = tercet.score("perplexity", TEXTS, model_id=str(tmp_path), **options)["perplexities"]
    tokenizer = AutoTokenizer.from_pretrained(folder)
    expected = tercet.score("perplexity", TEXTS, model_id=in_memory, processing_class=tokenizer, **options)
    assert found == pytest.approx(expected["perplexities"], rel=1e-5)
    plain = tercet.score("perplexity", TEXTS, model_id=folder, **options)
    assert found != pytest.approx(plain["perplexities"], rel=1e-3)


def test_a_folder_of_sentence_transformers_has_the_cosines_of_that_package(base, tmp_path):
    import torch
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(base), device="cpu")
    with torch.random.fork_rng():
        torch.manual_seed(5)
        model.add_adapter(peft.LoraConfig(r=4, lora_alpha=32, init_lora_weights=False, target_modules=["query"]))
    model.save(str(tmp_path))
    assert (tmp_path / "modules.json").exists()
    assert not (tmp_path / "config.json").exists()
    result = tercet.score("cosine", TEXTS, REFERENCES, model_type=str(tmp_path), device="cpu", segments=True)
    vectors = model.encode(TEXTS), model.encode(REFERENCES)
    expected = torch.nn.functional.cosine_similarity(*map(torch.from_numpy, vectors))
    assert result["segments"]["cosine"] == pytest.approx(expected.tolist(), abs=1e-5)
    plain = tercet.score("cosine", TEXTS, REFERENCES, model_type=str(base), device="cpu", segments=True)
    assert result["segments"]["cosine"] != pytest.approx(plain["segments"]["cosine"], abs=1e-3)


@pytest.fixture
def folder(base, tmp_path):
    adapted(without_head(base), target_modules=["query"]).save_pretrained(tmp_path / "adapter")
    return tmp_path / "adapter"


def change(folder, **settings):
    path = folder / "adapter_config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **settings}))


def refused(model, metric="bertscore", option="model_type"):
    references = [] if metric == "perplexity" else [REFERENCES]
    layer = {"num_layers": 6} if metric == "bertscore" else {}
    with pytest.raises(tercet.OptionError) as caught:
        tercet.score(metric, TEXTS, *references, **{option: str(model), "device": "cpu", **layer})
    return str(caught.value)


@pytest.mark.parametrize(("metric", "option", "called"), [
    ("bertscore", "model_type", "encoder"),
    ("cosine", "model_type", "encoder"),
    ("perplexity", "model_id", "language model"),
])  # fmt: skip
class TestSaysWhatIsMissing:
    @pytest.mark.parametrize("name", ["me/nowhere", "./nowhere", "/no/such/folder"])
    def test_the_base(self, metric, option, called, name, folder):
        change(folder, base_model_name_or_path=name)
        message = refused(folder, metric, option)
        whose = f"The {called} {str(folder)!r}, an adapter of PEFT for the model {name!r}, needs that model too. "
        assert message.startswith(whose)
        assert f"{name!r}" in message.removeprefix(whose)

    def test_its_name(self, metric, option, called, folder):
        change(folder, base_model_name_or_path=None)
        message = refused(folder, metric, option)
        assert f"The {called} {str(folder)!r}, given as {option!r}, is an adapter of PEFT whose " in message
        assert "names no base model" in message

    def test_the_package(self, metric, option, called, folder, base, monkeypatch):
        find_spec = tercet.errors.find_spec
        monkeypatch.setattr(tercet.errors, "find_spec", lambda name: None if name == "peft" else find_spec(name))
        monkeypatch.delitem(sys.modules, "peft")
        whose = f"The {called} {str(folder)!r}, an adapter of PEFT for the model {str(base)!r}, "
        how = "needs the package 'peft', which is not installed: pip install peft"
        assert refused(folder, metric, option) == whose + how


class TestRefuses:
    def test_an_adapter_of_another_model(self, folder):
        language = small_model("gpt2")
        change(folder, base_model_name_or_path=language)
        message = refused(folder, "perplexity", "model_id")
        assert "does not fit into its base, a GPT2LMHeadModel" in message
        assert "merge_and_unload" in message

    def test_weights_that_lack_a_layer_which_peft_would_draw_at_random(self, folder):
        from safetensors.torch import load_file, save_file

        path = folder / "adapter_model.safetensors"
        weights = load_file(path)
        weights.pop("base_model.model.encoder.layer.3.attention.self.query.lora_B.weight")
        save_file(weights, path)
        lacking = "its files lack the weights 'encoder.layer.3.attention.self.query.lora_B.weight'"
        assert lacking in refused(folder)

    def test_weights_that_have_no_place(self, folder):
        change(folder, target_modules=["query"], layers_to_transform=[0, 1, 2])
        assert "there is no place for its weights 'encoder.layer.3" in refused(folder)

    def test_pickled_weights_and_a_config_that_is_none(self, folder):
        path = folder / "adapter_model.safetensors"
        path.rename(folder / "adapter_model.bin")
        assert "has no adapter_model.safetensors" in refused(folder)
        (folder / "adapter_config.json").write_text("{")
        assert "The file adapter_config.json of the encoder" in refused(folder)

    def test_a_learned_prompt(self, tmp_path):
        import torch

        model = loaded("AutoModelForCausalLM", small_model("gpt2"))
        config = peft.PromptTuningConfig(task_type="CAUSAL_LM", num_virtual_tokens=2)
        with torch.random.fork_rng():
            peft.get_peft_model(model, config).save_pretrained(tmp_path)
        message = refused(tmp_path, "perplexity", "model_id")
        assert "is a learned prompt (PROMPT_TUNING), which is no layer of its model" in message


SCRIPT = """
import sys
import tercet
options = {"num_layers": 6, "idf": False, "device": "cpu"}
print(tercet.score("bertscore", [sys.argv[1]], [sys.argv[2]], model_type="me/adapter", **options)["f1"][0])
"""


def test_an_adapter_and_its_base_come_from_the_hub_and_then_from_the_cache(folder, base, tmp_path):
    expected = f1(str(folder))[0]
    with Hub(tmp_path / "hub") as hub:
        change(folder, base_model_name_or_path="me/base")
        hub.add_model("me/adapter", folder)
        hub.add_model("me/base", Path(base))
        environment = hub.environment(tmp_path / "home")
        command = [sys.executable, "-c", SCRIPT, TEXTS[0], REFERENCES[0]]
        for offline in ("0", "1"):
            names = {**environment, "HF_HUB_OFFLINE": offline}
            run = subprocess.run(command, env=names, capture_output=True, text=True, timeout=600, check=False)
            assert run.returncode == 0, run.stderr
            assert float(run.stdout) == pytest.approx(expected, abs=1e-6)
