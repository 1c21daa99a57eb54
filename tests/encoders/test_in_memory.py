"""Models in memory, in place of a folder or a name of the Hub."""

from contextlib import contextmanager
from copy import deepcopy

import pytest
import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Dense, Normalize
from torch import distributed
from torch.nn import DataParallel
from torch.nn.parallel import DistributedDataParallel
from transformers import (
    AutoModel,
    AutoModelForCausalLM,
    AutoTokenizer,
    BertConfig,
    BertForSequenceClassification,
    BertModel,
    Trainer,
    TrainingArguments,
    pipeline,
)

import language_models
import small_encoders
import tercet
from small_trainer import random_states_kept
from tercet.networks.in_memory import InMemory
from tercet.signature import Signature
from texts import MINILM

PREDICTIONS, REFERENCES = ["hello there", "a cat sat on the mat", ""], ["hi there", "the cat sat", "what"]
BERTSCORE = {"metric": "bertscore_idf", "num_layers": 3}
COSINE = {"metric": "embedding_cosine"}


def score(model, metric="embedding_cosine", **options):
    return tercet.score(metric, PREDICTIONS, REFERENCES, model_type=model, segments=True, **options)


def entry(result, name):
    return Signature.parse(str(result.signature)).get(name)


@pytest.fixture(autouse=True)
def _random_states_kept():
    with random_states_kept():
        yield


@pytest.fixture
def network():
    return AutoModel.from_pretrained(MINILM)


@pytest.fixture
def sentence():
    return SentenceTransformer(str(MINILM), device="cpu")


@pytest.fixture(scope="module")
def gpt2():
    return language_models.small_model("gpt2")


@pytest.mark.parametrize("options", [BERTSCORE, COSINE])
def test_a_model_scores_as_its_folder_to_the_bit(network, options):
    result, of_folder = score(network, **options), score(MINILM, **options)
    assert result["segments"] == of_folder["segments"]
    assert entry(result, "model") == entry(of_folder, "model")


def test_a_sentence_transformer_scores_as_its_folder_with_the_same_signature(sentence):
    result, of_folder = score(sentence), score(MINILM)
    assert result == of_folder
    assert str(result.signature) == str(of_folder.signature)


def test_a_sentence_transformer_brings_its_prompt_dense_layers_and_dimensions(sentence, tmp_path):
    torch.manual_seed(1)
    dense = Dense(384, 32, activation_function=torch.nn.Tanh())
    model = SentenceTransformer(
        modules=[*sentence, dense, Normalize()],
        device="cpu",
        truncate_dim=16,
        prompts={"query": "query: "},
        default_prompt_name="query",
    )
    vectors = model.encode(["hello there", "hi there"], convert_to_tensor=True)
    result = score(model)
    assert result["segments"]["cosine"][0] == pytest.approx(model.similarity(*vectors).item(), abs=1e-6)
    assert entry(result, "dims") == "16"
    model.save(str(tmp_path))
    assert result == score(tmp_path)
    with torch.no_grad():
        dense.linear.weight.copy_(dense.linear.weight.roll(3, 0) * 2)
    assert score(model)["cosine"] != result["cosine"]


def test_a_model_in_training_is_scored_as_it_is_then_and_left_so(network):
    metric = tercet.Cosine(model_type=network.train())
    before = deepcopy(network.state_dict())
    first = metric(PREDICTIONS, REFERENCES)
    assert network.training
    assert all(parameter.requires_grad for parameter in network.parameters())
    assert all(torch.equal(tensor, before[name]) for name, tensor in network.state_dict().items())
    network.encoder.layer[0].output.dense.weight.data.mul_(1.5)
    second = metric(PREDICTIONS, REFERENCES)
    assert second["cosine"] != first["cosine"]
    assert entry(second, "model") != entry(first, "model")


@contextmanager
def process_group(folder):
    """A group of one process, over Gloo."""
    distributed.init_process_group("gloo", store=distributed.FileStore(f"{folder}/store", 1), rank=0, world_size=1)
    try:
        yield
    finally:
        distributed.destroy_process_group()


def compiled(model):
    """Wrap a model as ``torch.compile`` does; with its usual backend, that import warns."""
    return torch.compile(model, backend="eager")


class TestWrappers:
    """What a model is wrapped in for speed or for several devices: scored as the model itself, and not run."""

    @pytest.fixture(autouse=True)
    def _run_refused(self, monkeypatch):
        def refuse(*_, **__):
            raise AssertionError("the wrapper was run")

        for wrapper in (torch._dynamo.OptimizedModule, DataParallel, DistributedDataParallel):
            monkeypatch.setattr(wrapper, "forward", refuse)
        monkeypatch.setattr(torch._dynamo.OptimizedModule, "__call__", refuse)

    @pytest.fixture(params=["compiled", "parallel", "distributed", "distributed and compiled"])
    def wrap(self, request, tmp_path):
        if "distributed" not in request.param:
            yield {"compiled": compiled, "parallel": DataParallel}[request.param]
            return
        with process_group(tmp_path):
            outer = compiled if "compiled" in request.param else lambda model: model
            yield lambda model: outer(DistributedDataParallel(model))

    @pytest.mark.parametrize("options", [BERTSCORE, COSINE])
    def test_of_an_encoder(self, network, wrap, options):
        expected = score(network, **options)
        assert score(wrap(network), **options) == expected
        assert score(wrap(network), **options).signature == expected.signature

    def test_of_a_sentence_transformer_and_of_its_network(self, sentence, wrap):
        expected = score(sentence)
        assert score(wrap(sentence)) == expected
        sentence[0].model = wrap(sentence[0].model)
        assert score(sentence) == expected
        assert score(sentence).signature == expected.signature

    def test_of_a_language_model(self, gpt2, wrap):
        model = AutoModelForCausalLM.from_pretrained(gpt2)
        expected = tercet.score("perplexity_lm", PREDICTIONS[:2], model_id=model)
        assert tercet.score("perplexity_lm", PREDICTIONS[:2], model_id=wrap(model)) == expected


def test_a_model_that_is_compiled_in_place_is_scored_without_compiling(network, monkeypatch):
    expected = score(network)
    network.compile(backend="eager")
    monkeypatch.setattr(network, "_compiled_call_impl", lambda *_, **__: pytest.fail("it was compiled"))
    assert score(network) == expected


@pytest.mark.parametrize("name", ["bert", "t5", "gpt2"])
def test_heads_and_decoders_are_left_out(name, tmp_path):
    small_encoders.build(name, tmp_path)
    folder = tmp_path / name
    whole = {"bert": BertForSequenceClassification, "t5": AutoModel, "gpt2": AutoModelForCausalLM}[name]
    model = whole.from_pretrained(folder)
    assert score(model, **BERTSCORE)["segments"] == score(folder, **BERTSCORE)["segments"]


def test_a_trainer_and_a_pipeline_bring_their_tokenizer(network, tmp_path):
    network.name_or_path = ""
    tokenizer = AutoTokenizer.from_pretrained(MINILM)
    trainer = Trainer(
        network, TrainingArguments(str(tmp_path), report_to=[], use_cpu=True), processing_class=tokenizer
    )
    piped = pipeline("feature-extraction", model=network, tokenizer=tokenizer, device="cpu")
    expected = score(MINILM, max_length=256)["segments"]
    for holder in (trainer, piped):
        assert score(holder, max_length=256)["segments"] == expected
    assert score(network, processing_class=tokenizer, max_length=256)["segments"] == expected


def test_a_model_of_no_folder_needs_its_tokenizer():
    size = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8}
    model = BertModel(BertConfig(**size))
    with pytest.raises(tercet.OptionError, match="The BertModel given as 'model_type' does not say from where"):
        score(model)
    assert entry(score(model, processing_class=AutoTokenizer.from_pretrained(MINILM)), "model").startswith(
        "BertModel@"
    )


def test_a_tokenizer_goes_with_a_model_in_memory():
    with pytest.raises(tercet.OptionError, match="goes with a model in memory"):
        score(MINILM, processing_class=AutoTokenizer.from_pretrained(MINILM))
    with pytest.raises(tercet.OptionError, match="a tokenizer of transformers, or None"):
        score(MINILM, processing_class="13a")


@pytest.mark.parametrize("value", [3, torch.nn.Linear(2, 2), torch.zeros(2), object(), []])
def test_what_is_no_model_is_refused(value):
    for metric, option in (
        ("bertscore_idf", "model_type"),
        ("embedding_cosine", "model_type"),
        ("perplexity_lm", "model_id"),
    ):
        with pytest.raises(tercet.OptionError, match="a model in memory"):
            tercet.score(metric, ["a"], ["a"], **{option: value})


def test_document_frequencies_are_those_of_the_model(network):
    table = tercet.IdfTable.fit(REFERENCES, network)
    assert table.digest == tercet.IdfTable.fit(REFERENCES, MINILM).digest


class TestPerplexity:
    def test_a_model_scores_as_its_folder_to_the_bit(self, gpt2):
        model = AutoModelForCausalLM.from_pretrained(gpt2).train()
        result = tercet.score("perplexity_lm", PREDICTIONS[:2], model_id=model)
        of_folder = tercet.score("perplexity_lm", PREDICTIONS[:2], model_id=gpt2)
        assert result == of_folder
        assert str(result.signature) == str(of_folder.signature)
        assert model.training
        metric = tercet.Perplexity(model_id=model)
        with torch.no_grad():
            model.transformer.ln_f.weight.mul_(2)
        assert metric(PREDICTIONS[:2])["perplexity"] != result["perplexity"]

    def test_an_encoder_is_refused(self, network):
        with pytest.raises(tercet.OptionError, match="The BertModel given as 'model_id' is not a causal"):
            tercet.score("perplexity_lm", ["a"], model_id=network)

    def test_a_quantized_model_stays_as_it_is(self, gpt2):
        model = AutoModelForCausalLM.from_pretrained(gpt2, dtype=torch.bfloat16)
        model.is_quantized = True  # as the quantizers of transformers leave it
        loaded = tercet.Perplexity(model_id=model).model()
        assert loaded.network.dtype == torch.bfloat16


def test_short_names_of_precisions_and_auto_are_understood():
    assert tercet.Cosine(model_type=MINILM, dtype="bf16") == tercet.Cosine(model_type=MINILM, dtype="bfloat16")
    assert tercet.Cosine(model_type=MINILM, device="auto") == tercet.Cosine(model_type=MINILM)


def test_values_are_equal_if_the_models_are_the_same(network):
    assert tercet.Cosine(model_type=network) == tercet.Cosine(model_type=network)
    assert tercet.Cosine(model_type=network) != tercet.Cosine(model_type=deepcopy(network))
    assert len(repr(tercet.Cosine(model_type=network))) < 300


def test_weights_may_be_parts_of_one_buffer(network):
    expected = score(network)
    bias = network.embeddings.LayerNorm.bias
    bias.data = torch.cat([torch.zeros(1), bias.data])[1:]
    assert score(network) == expected


def test_weights_that_change_places_give_another_state(network):
    before = InMemory.of(network).state()
    weight = network.encoder.layer[0].output.dense.weight
    weight.data = weight.data.flip(0)
    assert InMemory.of(network).state() != before
