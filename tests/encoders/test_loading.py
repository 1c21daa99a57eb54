"""How a model is loaded: at a revision, in the precision of its files, with another implementation of attention."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from transformers import AutoModel, AutoModelForCausalLM

import small_encoders
import tercet
from hub import Hub
from language_models import small_model
from tercet.signature import Signature
from texts import MINILM

PREDICTIONS, REFERENCES = ["hello there", "a cat sat on the mat"], ["hi there", "the cat sat"]
#: Each metric with a network, and its option for one.
NETWORKS = {"bertscore_idf": "model_type", "embedding_cosine": "model_type", "perplexity_lm": "model_id"}


def score(metric, model, **options):
    """Score with a metric's network; perplexity takes no references."""
    texts = [PREDICTIONS] if metric == "perplexity_lm" else [PREDICTIONS, REFERENCES]
    layers = {"num_layers": 1, "idf": False} if metric == "bertscore_idf" else {}
    return tercet.score(metric, *texts, segments=True, **{NETWORKS[metric]: model}, **layers, **options)


def entries(result):
    return Signature.parse(str(result.signature))


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """For each metric a folder in single and one in half precision."""
    home = tmp_path_factory.mktemp("models")
    small_encoders.build("bert", home)
    single = dict.fromkeys(NETWORKS, home / "bert") | {"perplexity_lm": Path(small_model("gpt2"))}
    folders = {}
    for metric, folder in single.items():
        half = shutil.copytree(folder, home / f"half-{metric}")
        kind = AutoModelForCausalLM if metric == "perplexity_lm" else AutoModel
        kind.from_pretrained(folder, dtype=torch.bfloat16).save_pretrained(half)
        folders[metric] = folder, half
    return folders


@pytest.mark.parametrize("metric", NETWORKS)
@pytest.mark.filterwarnings("ignore:dtype=.* is slow on this processor")
class TestPrecision:
    def test_is_that_of_the_files(self, metric, folders):
        single, half = folders[metric]
        assert score(metric, single, dtype="auto") == score(metric, single)
        assert score(metric, single, dtype="auto").signature == score(metric, single).signature
        result, named = score(metric, half, dtype="auto"), score(metric, half, dtype="bfloat16")
        assert result == named
        assert result.signature == named.signature
        assert entries(result)["dtype"] == "bfloat16"
        assert "equals" not in entries(result)
        assert score(metric, half) != result

    def test_is_that_of_a_model_in_memory(self, metric, folders):
        _, half = folders[metric]
        kind = AutoModelForCausalLM if metric == "perplexity_lm" else AutoModel
        model = kind.from_pretrained(half, dtype=torch.bfloat16)
        assert score(metric, model, dtype="auto") == score(metric, half, dtype="auto")
        assert model.dtype == torch.bfloat16

    def test_has_a_known_name(self, metric, folders):
        with pytest.raises(tercet.OptionError, match="one of 'float32', 'bfloat16', 'float16', 'auto' or None"):
            score(metric, folders[metric][0], dtype="automatic")


@pytest.mark.parametrize("metric", NETWORKS)
class TestAttention:
    def test_changes_no_score_above_rounding_and_no_signature(self, metric, folders):
        model = folders[metric][0] if metric == "perplexity_lm" else MINILM
        results = [score(metric, model, attn_implementation=name) for name in (None, "eager", "sdpa")]
        for result in results[1:]:
            assert result.signature == results[0].signature
            for name, values in result["segments"].items():
                assert values == pytest.approx(results[0]["segments"][name], rel=1e-5), name

    def test_of_a_model_in_memory_is_left_as_it_is(self, metric, folders):
        kind = AutoModelForCausalLM if metric == "perplexity_lm" else AutoModel
        model = kind.from_pretrained(folders[metric][0], attn_implementation="sdpa")
        result = score(metric, model, attn_implementation="eager")
        assert result == score(metric, folders[metric][0], attn_implementation="eager")
        assert model.config._attn_implementation == "sdpa"

    def test_that_cannot_be_used_is_refused(self, metric, folders):
        with pytest.raises(tercet.OptionError, match="attn_implementation='flash_attention_2' cannot be used with "):
            score(metric, folders[metric][0], attn_implementation="flash_attention_2")
        with pytest.raises(tercet.OptionError, match="one of None, 'eager', 'sdpa', 'flash_attention_2'"):
            score(metric, folders[metric][0], attn_implementation="somebody/kernel")  # code of the Hub


def test_attention_of_a_network_that_knows_one_way_is_refused(tmp_path):
    small_encoders.build("deberta-v2", tmp_path)
    score("embedding_cosine", tmp_path / "deberta-v2", attn_implementation="eager")
    with pytest.raises(tercet.OptionError, match="'sdpa' cannot be used with DebertaV2Model: its code computes"):
        score("embedding_cosine", tmp_path / "deberta-v2", attn_implementation="sdpa")


SCRIPT = """
import json, sys
import tercet
from tercet.signature import Signature
calls = json.loads(sys.argv[1])
for metric, options in calls:
    try:
        result = tercet.score(metric, ["the cat"], *([] if metric == "perplexity_lm" else [["a dog"]]), **options)
        print(json.dumps([result[tercet.scorer(metric, **options).primary], str(result.signature)]))
    except tercet.OptionError as error:
        print(json.dumps([None, str(error)]))
"""


class TestRevision:
    @pytest.mark.parametrize("metric", NETWORKS)
    def test_goes_with_a_name_of_the_hub(self, metric, folders):
        folder = folders[metric][0]
        kind = AutoModelForCausalLM if metric == "perplexity_lm" else AutoModel
        for model in (folder, kind.from_pretrained(folder)):
            with pytest.raises(tercet.OptionError, match=r"'revision' option goes with a name of .* Got 'v1'"):
                score(metric, model, revision="v1")
        for wrong in ("", "a b", "a|b", 3, ["main"]):
            with pytest.raises(tercet.OptionError, match="a branch, tag or commit of the Hub"):
                score(metric, "me/model", revision=wrong)

    def test_is_loaded_from_the_hub_and_then_from_the_cache(self, folders, tmp_path):
        """Two commits of a repository with other weights, other modules and another tokenizer."""
        with Hub(tmp_path / "hub") as hub:
            old, new = folders["embedding_cosine"][0], shutil.copytree(MINILM, tmp_path / "new")
            pooling = json.loads((new / "1_Pooling" / "config.json").read_text())
            cls = {**pooling, "pooling_mode_mean_tokens": False, "pooling_mode_cls_token": True}
            (new / "1_Pooling" / "config.json").write_text(json.dumps(cls))
            repo = hub.add_model("me/encoder", old)
            first = repo.last.sha
            repo.commit("other", hub.add_model("me/other", new).last.files)
            language = hub.add_model("me/language", folders["perplexity_lm"][0])
            language_sha = language.last.sha
            language.commit("broken", {})
            calls = [
                ["embedding_cosine", {"model_type": "me/encoder", "revision": first}],
                ["embedding_cosine", {"model_type": "me/encoder"}],
                ["embedding_cosine", {"model_type": "me/encoder", "revision": "v9"}],
                ["bertscore_idf", {"model_type": "me/encoder", "revision": first, "num_layers": 1, "idf": False}],
                ["perplexity_lm", {"model_id": "me/language", "revision": language_sha}],
            ]
            outputs = [self.run(hub, tmp_path, calls, offline) for offline in (False, True)]
        expected = [
            score_of("embedding_cosine", {"model_type": old}),
            score_of("embedding_cosine", {"model_type": new}),
            score_of("bertscore_idf", {"model_type": old, "num_layers": 1, "idf": False}),
            score_of("perplexity_lm", {"model_id": folders["perplexity_lm"][0]}),
        ]
        for output, reason in zip(outputs, ("Invalid rev id: v9", "HF_HUB_OFFLINE is set"), strict=True):
            *scored, (value, message) = [*output[:2], *output[3:], output[2]]
            assert [value for value, _ in scored] == pytest.approx(expected, rel=1e-6)
            revisions = [Signature.parse(signature).get("revision") for _, signature in scored]
            assert revisions == [first, None, first, language_sha]
            assert value is None
            assert "The encoder 'me/encoder' could not be loaded at the revision 'v9'" in message
            assert reason in message

    @staticmethod
    def run(hub, folder, calls, offline):
        """Return what a process gives that knows the Hub, or only what it cached."""
        environment = {**hub.environment(folder / "home"), "HF_HUB_OFFLINE": str(int(offline))}
        command = [sys.executable, "-c", SCRIPT, json.dumps(calls)]
        run = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, timeout=300, check=True)
        return [json.loads(line) for line in run.stdout.splitlines()]


def score_of(metric, options):
    texts = [["the cat"]] if metric == "perplexity_lm" else [["the cat"], ["a dog"]]
    return tercet.score(metric, *texts, **options)[tercet.scorer(metric, **options).primary]
