"""Adapters of PEFT, in memory: scored as the model that they are merged into."""

import pytest
import torch
from peft import LoraConfig, PromptTuningConfig, get_peft_model
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import BertConfig, BertModel, GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

import tercet

TEXTS = ["the cat sat on the mat", "a dog ran"]
REFERENCES = ["the cat sat", "the dog ran on"]


@pytest.fixture
def tokenizer():
    words = dict.fromkeys(["[UNK]", "[BOS]", "[PAD]", *" ".join(TEXTS).split(), *"0123456789abcdefghij"])
    backend = Tokenizer(models.WordLevel({word: number for number, word in enumerate(words)}, "[UNK]"))
    backend.pre_tokenizer = pre_tokenizers.Whitespace()
    special = {"unk_token": "[UNK]", "bos_token": "[BOS]", "pad_token": "[PAD]"}
    return PreTrainedTokenizerFast(tokenizer_object=backend, **special)


def adapted(model, **options):
    """Return a model with adapters that change its output."""
    with torch.random.fork_rng():
        torch.manual_seed(5)
        model = get_peft_model(model, LoraConfig(r=2, init_lora_weights=False, **options))
    return model.eval()


@pytest.fixture
def encoder(tokenizer):
    size = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 16}
    with torch.random.fork_rng():
        torch.manual_seed(3)
        return BertModel(BertConfig(vocab_size=len(tokenizer), **size))


@pytest.fixture
def language_model(tokenizer):
    size = {"n_embd": 16, "n_layer": 1, "n_head": 2, "bos_token_id": 1, "eos_token_id": 1}
    with torch.random.fork_rng():
        torch.manual_seed(3)
        return GPT2LMHeadModel(GPT2Config(vocab_size=len(tokenizer), **size))


def test_an_adapted_encoder_scores_as_the_merged_one(encoder, tokenizer):
    options = {"num_layers": 1, "idf": False, "processing_class": tokenizer, "segments": True}
    plain = tercet.score("bertscore", TEXTS, REFERENCES, model_type=encoder, **options)
    model = adapted(encoder, target_modules=["query", "value"])
    result = tercet.score("bertscore", TEXTS, REFERENCES, model_type=model, **options)
    merged = tercet.score("bertscore", TEXTS, REFERENCES, model_type=model.merge_and_unload(), **options)
    assert result["segments"]["f1"] == pytest.approx(merged["segments"]["f1"], abs=1e-5)
    assert result["segments"]["f1"] != pytest.approx(plain["segments"]["f1"], abs=1e-4)


def test_an_adapted_language_model_scores_as_the_merged_one(language_model, tokenizer):
    options = {"processing_class": tokenizer}
    plain = tercet.score("perplexity", TEXTS, model_id=language_model, **options)
    model = adapted(language_model, target_modules=["c_attn"], fan_in_fan_out=True)
    result = tercet.score("perplexity", TEXTS, model_id=model, **options)
    with model.disable_adapter():
        without = tercet.score("perplexity", TEXTS, model_id=model, **options)
    assert without["perplexities"] == pytest.approx(plain["perplexities"], rel=1e-5)
    assert without.signature != result.signature
    merged = tercet.score("perplexity", TEXTS, model_id=model.merge_and_unload(), **options)
    assert result["perplexities"] == pytest.approx(merged["perplexities"], rel=1e-5)
    assert result["perplexities"] != pytest.approx(plain["perplexities"], rel=1e-4)


def test_a_learned_prompt_is_refused(language_model, tokenizer):
    config = PromptTuningConfig(task_type="CAUSAL_LM", num_virtual_tokens=2)
    with torch.random.fork_rng():
        model = get_peft_model(language_model, config)
    with pytest.raises(tercet.OptionError, match="learned a prompt, which is no layer of its model"):
        tercet.score("perplexity", TEXTS, model_id=model, processing_class=tokenizer)
