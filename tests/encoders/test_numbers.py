"""What a network computes: the same whatever PyTorch is set to, on any device, and an error where it is no number."""

from contextlib import contextmanager

import pytest
import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Dense
from torch.overrides import TorchFunctionMode
from transformers import AutoConfig, AutoModel, AutoModelForCausalLM, AutoTokenizer, RobertaTokenizer

import tercet
from language_models import small_model
from small_encoders import LIMIT, byte_pairs
from small_trainer import random_states_kept
from tercet.networks.load import encoder_of
from texts import MINILM

PREDICTIONS = ["a cat sat on the mat", "Der Fluss ist breit.", "река широкая", "河很宽。", "one", "النهر واسع"]
REFERENCES = ["the cat sat", "Die Donau ist breit", "широкая река", "这条河很宽", "two of them", "نهر واسع جدا"]

BERTSCORE = {"model_type": MINILM, "num_layers": 3}
COSINE = {"model_type": MINILM}
GPT2 = small_model("gpt2")
OUT_OF_MEMORY = torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB")


@pytest.fixture(autouse=True)
def _nothing_is_kept():
    with random_states_kept():
        tercet.free_models()
        yield
        tercet.free_models()


def all_scores():
    """Return what all metrics of networks give, with their signatures, and why."""
    results = [
        tercet.score("bertscore", PREDICTIONS, REFERENCES, **BERTSCORE),
        tercet.score("bertscore", PREDICTIONS, REFERENCES, model_type=MINILM, all_layers=True, idf=False),
        tercet.score("cosine", PREDICTIONS, REFERENCES, segments=True, **COSINE),
        tercet.score("perplexity", PREDICTIONS, model_id=GPT2),
    ]
    metric = tercet.Cosine(**COSINE)
    explained = tercet.explain("bertscore", "a cat sat", "the cat", **BERTSCORE)
    return [
        *[(dict(result), str(result.signature)) for result in results],
        metric.pairwise(PREDICTIONS, REFERENCES).tolist(),
        explained.similarity.tolist(),
        tercet.explain("cosine", "a cat sat", "the cat", **COSINE).to_dict(),
        tercet.explain("perplexity", "a cat sat", model_id=GPT2).to_dict(),
    ]


@contextmanager
def default_dtype(dtype):
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


@contextmanager
def low_precision():
    torch.set_float32_matmul_precision("medium")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision("highest")


CONTEXTS = {
    "autocast": lambda: torch.autocast("cpu", dtype=torch.bfloat16),
    "float64": lambda: default_dtype(torch.float64),
    "bfloat16": lambda: default_dtype(torch.bfloat16),
    "meta": lambda: torch.device("meta"),
    "medium": low_precision,
}


class TestTheSettingsOfPyTorch:
    @pytest.mark.parametrize("context", CONTEXTS)
    def test_change_no_score_and_no_signature(self, context):
        expected = all_scores()
        with CONTEXTS[context]():  # with networks that are loaded already
            assert all_scores() == expected
        tercet.free_models()
        with CONTEXTS[context]():  # which load them
            assert all_scores() == expected

    @pytest.mark.parametrize("context", CONTEXTS)
    def test_are_left_as_they_are(self, context):
        def settings():
            probe = torch.empty(0)
            precision = torch.get_float32_matmul_precision()
            return probe.dtype, probe.device.type, torch.is_autocast_enabled("cpu"), precision

        with CONTEXTS[context]():
            before = settings()
            tercet.score("cosine", PREDICTIONS, REFERENCES, **COSINE)
            assert settings() == before
            with pytest.raises(tercet.OptionError):
                tercet.score("cosine", ["a"], ["b"], model_type=MINILM, device="mps:7")
            assert settings() == before

    def test_that_put_other_products_in_the_place_of_single_precision_are_off(self):
        products = torch.backends.mkldnn.matmul
        seen = []
        encoder = encoder_of(MINILM, 3)
        hook = encoder.network.model.register_forward_pre_hook(lambda *_: seen.append(products.fp32_precision))
        with low_precision():
            tercet.score("bertscore", PREDICTIONS, REFERENCES, **BERTSCORE)
            assert products.fp32_precision != "ieee"
        hook.remove()
        assert set(seen) == {"ieee"}


class WithoutFloat64(TorchFunctionMode):
    """Refuse float64, as a Mac's device does, but for tensors that were moved to the CPU."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        if function is torch.Tensor.cpu:
            result.is_moved = True
        elif isinstance(result, torch.Tensor) and result.dtype == torch.float64:
            if not getattr(args[0], "is_moved", False):
                raise TypeError(
                    "Cannot convert a MPS Tensor to float64 dtype as the MPS framework doesn't support it"
                )
            result.is_moved = True
        return result


def test_a_device_without_float64_is_enough():
    expected = all_scores()
    tercet.free_models()
    with WithoutFloat64():
        assert all_scores() == expected


class TestStatesThatAreNoNumbers:
    @pytest.fixture
    def network(self):
        return AutoModel.from_pretrained(MINILM)

    @pytest.mark.filterwarnings("ignore:dtype='float16' is slow:UserWarning")
    @pytest.mark.parametrize(("metric", "options"), [("bertscore", {"num_layers": 3}), ("cosine", {})])
    def test_of_an_encoder_that_overflows_in_half_precision(self, network, metric, options):
        with torch.no_grad():
            network.embeddings.LayerNorm.weight.mul_(1e6)
        tercet.score(metric, PREDICTIONS, REFERENCES, model_type=network, **options)
        message = r"gives NaN or infinities for the text '.+', from layer 0 on, in float16\. .* leave 'dtype' out"
        with pytest.raises(tercet.InputError, match=message):
            tercet.score(metric, PREDICTIONS, REFERENCES, model_type=network, dtype="float16", **options)

    @pytest.mark.parametrize(
        ("metric", "options"),
        [
            ("bertscore", {"num_layers": 4}),
            ("bertscore", {"all_layers": True}),
            ("cosine", {}),
            ("cosine", {"pooling": "max"}),
        ],
    )
    @pytest.mark.parametrize("value", [float("nan"), float("inf")])
    def test_of_an_encoder_with_broken_weights(self, network, metric, options, value):
        network.encoder.layer[2].output.dense.weight.data[3, 5] = value
        message = r"for the text '.+', from layer 3 on, in float32\. Its weights are broken, or diverged"
        with pytest.raises(tercet.InputError, match=message):
            tercet.score(metric, PREDICTIONS, REFERENCES, model_type=network, **options)

    def test_of_a_token_name_its_text(self, network):
        number = AutoTokenizer.from_pretrained(MINILM).convert_tokens_to_ids("river")
        network.embeddings.word_embeddings.weight.data[number] = float("nan")
        texts = ["a cat", "the wide river", "a dog"]
        for metric, options in (("bertscore", {"num_layers": 2}), ("cosine", {})):
            with pytest.raises(tercet.InputError, match="for the text 'the wide river', from layer 0 on"):
                tercet.score(metric, texts, ["a", "b", "c"], model_type=network, **options)
            tercet.score(metric, texts[::2], ["a", "c"], model_type=network, **options)

    def test_of_a_dense_layer(self):
        sentence = SentenceTransformer(str(MINILM), device="cpu")
        dense = Dense(384, 8, activation_function=torch.nn.Identity())
        dense.linear.weight.data[1, 1] = float("nan")
        model = SentenceTransformer(modules=[*sentence, dense], device="cpu")
        with pytest.raises(tercet.InputError, match=r"The dense layer after the encoder .* NaN or infinities"):
            tercet.score("cosine", ["a cat"], ["a dog"], model_type=model)

    def test_of_a_language_model_that_diverged(self):
        network = AutoModelForCausalLM.from_pretrained(GPT2)
        network.transformer.h[0].mlp.c_fc.weight.data[0, 0] = float("nan")
        with pytest.raises(
            tercet.InputError, match=r"language model .* NaN or infinities, from layer 1 on, in float32"
        ):
            tercet.score("perplexity", ["a cat"], model_id=network)

    def test_of_a_language_model_for_one_token(self):
        network = AutoModelForCausalLM.from_pretrained(small_model("llama"))
        number = AutoTokenizer.from_pretrained(small_model("llama"))("été ici")["input_ids"][0]
        network.model.embed_tokens.weight.data[number] = float("inf")
        tercet.score("perplexity", ["a cat", "a dog"], model_id=network)
        with pytest.raises(tercet.InputError, match="NaN or infinities for the text 'été ici', from layer 0 on"):
            tercet.score("perplexity", ["a cat", "été ici", "a dog"], model_id=network)


class TestMemoryThatRunsOut:
    @pytest.fixture
    def narrow(self):
        """Let a network take so many texts at a time, and count its batches."""
        hooks = []
        sizes = []

        def make(network, most, error=OUT_OF_MEMORY):
            def check(module, args, kwargs):
                ids = args[0] if args else kwargs["input_ids"]
                sizes.append(len(ids))
                if len(ids) > most:
                    raise error

            hooks.append(network.register_forward_pre_hook(check, with_kwargs=True))
            return sizes

        yield make
        for hook in hooks:
            hook.remove()

    @pytest.mark.parametrize(("metric", "options"), [("bertscore", BERTSCORE), ("cosine", COSINE)])
    def test_halves_the_batches_of_an_encoder(self, metric, options, narrow):
        expected = tercet.score(metric, PREDICTIONS * 2, REFERENCES * 2, **options)
        tercet.free_models()
        sizes = narrow(tercet.scorer(metric, **options).encoder().network.model, 2)
        found = tercet.score(metric, PREDICTIONS * 2, REFERENCES * 2, **options)
        for name in {"cosine", "f1"} & set(expected):
            assert found[name] == pytest.approx(expected[name], abs=1e-6)
        assert max(sizes) > 2
        assert sum(size > 2 for size in sizes) <= 8  # the size that fits is kept for the batches that follow

    def test_halves_the_batches_of_a_language_model(self, narrow):
        expected = tercet.score("perplexity", PREDICTIONS, model_id=GPT2)
        sizes = narrow(tercet.Perplexity(model_id=GPT2).model().body, 2)
        found = tercet.score("perplexity", PREDICTIONS, model_id=GPT2)
        assert found["perplexities"] == pytest.approx(expected["perplexities"], rel=1e-5)
        assert max(sizes) > 2

    def test_for_a_single_text_is_the_error_that_it_is(self, narrow):
        narrow(tercet.Perplexity(model_id=GPT2).model().body, 0)
        with pytest.raises(torch.OutOfMemoryError, match="CUDA out of memory"):
            tercet.score("perplexity", PREDICTIONS, model_id=GPT2)

    def test_is_no_other_error(self, narrow):
        sizes = narrow(tercet.Perplexity(model_id=GPT2).model().body, 0, RuntimeError("shapes do not match"))
        with pytest.raises(RuntimeError, match="shapes do not match"):
            tercet.score("perplexity", PREDICTIONS, model_id=GPT2)
        assert len(sizes) == 1


@pytest.mark.parametrize("kind", ["roberta", "camembert", "xlm-roberta"])
def test_a_decoder_whose_positions_start_behind_padding_reads_long_texts(kind):
    """It has LIMIT + 2 positions, and places for LIMIT tokens."""
    specials = "<s> <pad> </s> <unk> <mask>"
    tokenizer = RobertaTokenizer(**byte_pairs(specials))
    config = AutoConfig.for_model(
        kind, vocab_size=len(tokenizer), hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
        intermediate_size=48, max_position_embeddings=LIMIT + 2, is_decoder=True, pad_token_id=1, bos_token_id=0,
        eos_token_id=2,
    )  # fmt: skip
    network = AutoModelForCausalLM.from_config(config).eval()
    text = " ".join(PREDICTIONS) * 2
    ids = torch.tensor([[0, *tokenizer(text, add_special_tokens=False)["input_ids"]]])
    assert ids.shape[1] > LIMIT + 2
    given = {"model_id": network, "processing_class": tokenizer}
    with pytest.warns(UserWarning, match=f"longer than {LIMIT} tokens and truncated"):
        cut = tercet.score("perplexity", [text], long_text="truncate", **given)
    with torch.no_grad():
        nll = torch.nn.functional.cross_entropy(network(ids[:, : LIMIT - 1 + 1]).logits[0, :-1], ids[0, 1:LIMIT])
    assert cut["perplexity"] == pytest.approx(nll.exp().item(), rel=1e-5)
    whole = tercet.score("perplexity", [text], **given)
    assert whole.scored_tokens == ids.shape[1] - 1
    assert f"|length:{LIMIT}|" in whole.signature


class TestAModelInMemory:
    @pytest.mark.filterwarnings(
        "ignore:.*quantiz.*:DeprecationWarning", "ignore:torch.quantize_per_tensor:UserWarning"
    )
    def test_that_pytorch_quantized_is_scored_as_it_is(self):
        from torch.ao.quantization import quantize_dynamic

        plain = AutoModel.from_pretrained(MINILM).eval()
        quantized = quantize_dynamic(plain, {torch.nn.Linear}, dtype=torch.qint8)
        quantized.name_or_path = str(MINILM)
        result = tercet.score("cosine", PREDICTIONS, REFERENCES, model_type=quantized, segments=True, batch_size=1)
        tokenizer = AutoTokenizer.from_pretrained(MINILM)

        def vector(text):
            with torch.no_grad():
                return quantized(**tokenizer(text, return_tensors="pt")).last_hidden_state[0].mean(0)

        pairs = zip(PREDICTIONS, REFERENCES, strict=True)
        expected = [torch.cosine_similarity(vector(first), vector(second), dim=0).item() for first, second in pairs]
        assert result["segments"]["cosine"] == pytest.approx(expected, abs=0.02)  # int8 rounds by what is in a batch
        assert "|dtype:qint8|" in result.signature
        plain.encoder.layer[1].output.dense.weight.data.mul_(-1)
        changed = quantize_dynamic(plain, {torch.nn.Linear}, dtype=torch.qint8)
        changed.name_or_path = str(MINILM)
        other = tercet.score("cosine", PREDICTIONS, REFERENCES, model_type=changed)
        assert str(other.signature).split("@")[1] != str(result.signature).split("@")[1]

    def test_whose_weights_are_elsewhere_is_refused(self):
        from accelerate import cpu_offload

        offloaded = AutoModel.from_pretrained(MINILM)
        cpu_offload(offloaded, execution_device=torch.device("cpu"))
        with torch.device("meta"):
            empty = AutoModelForCausalLM.from_config(AutoConfig.from_pretrained(GPT2))
        empty.name_or_path = GPT2
        for metric, options in (
            ("bertscore", {"model_type": offloaded, "num_layers": 2}),
            ("cosine", {"model_type": offloaded}),
            ("perplexity", {"model_id": empty}),
        ):
            with pytest.raises(tercet.OptionError, match=r"weights that are not in memory, such as '.*offloaded"):
                tercet.score(metric, ["a"], ["b"], **options)

    def test_in_half_precision_is_copied_in_single_precision_with_a_word(self):
        half = AutoModel.from_pretrained(MINILM, dtype=torch.bfloat16)
        with pytest.warns(
            UserWarning, match=r"BertModel in memory is in bfloat16; .* in float32, which takes 0\.1 GB"
        ):
            tercet.score("cosine", ["a"], ["b"], model_type=half)
        tercet.score("cosine", ["a"], ["b"], model_type=half)  # said once
        language_model = AutoModelForCausalLM.from_pretrained(GPT2, dtype=torch.float16)
        tercet.score("perplexity", ["a cat"], model_id=language_model, dtype="float32")  # as asked for
        with pytest.warns(UserWarning, match="GPT2LMHeadModel in memory is in float16"):
            tercet.score("perplexity", ["a cat"], model_id=language_model)


def test_the_last_of_several_calls_puts_the_settings_back():
    """Default precision and products are of all threads."""
    from tercet.networks.torch_settings import own_settings

    with default_dtype(torch.float64):
        first, second = own_settings(), own_settings()
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        assert torch.get_default_dtype() == torch.float32
        second.__exit__(None, None, None)
        assert torch.get_default_dtype() == torch.float64
