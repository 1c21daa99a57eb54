"""Static embeddings: each token has one vector, whatever stands around it (StaticEmbedding, model2vec)."""

from __future__ import annotations

from typing import Any

import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from transformers import PretrainedConfig, PreTrainedTokenizerFast
from transformers.modeling_outputs import BaseModelOutput


class StaticNetwork(torch.nn.Module):  # type: ignore[misc]
    """A network without layers, in the form that transformers gives its own."""

    def __init__(self, vectors: torch.Tensor, name_or_path: str = "") -> None:
        super().__init__()
        self.embedding = torch.nn.Embedding.from_pretrained(vectors)
        size, width = vectors.shape
        self.config = PretrainedConfig(vocab_size=size, hidden_size=width, num_hidden_layers=0)
        self.name_or_path = name_or_path

    @property
    def dtype(self) -> torch.dtype:
        """The precision of the vectors."""
        return self.embedding.weight.dtype

    def forward(self, input_ids: torch.Tensor, **_: Any) -> BaseModelOutput:
        """Return the vectors of tokens."""
        vectors = self.embedding(input_ids)
        return BaseModelOutput(last_hidden_state=vectors, hidden_states=(vectors,))


def static_tokenizer(tokenizer: Tokenizer) -> PreTrainedTokenizerFast:
    """Return a tokenizer as transformers has them, which puts no special tokens around a text and cuts as it did."""
    backend = Tokenizer.from_str(tokenizer.to_str())
    cut = {}
    if backend.truncation is not None:
        cut = {
            "model_max_length": backend.truncation["max_length"],
            "truncation_side": backend.truncation["direction"],
        }
    backend.post_processor = None
    return PreTrainedTokenizerFast(tokenizer_object=backend, **cut)


def read_vectors(path: str) -> torch.Tensor:
    """Return the vectors that a file of sentence-transformers or of model2vec holds; of broken ones many errors."""
    tensors = load_file(path)
    vectors = tensors.get("embedding.weight")
    if vectors is None:
        vectors = _vectors_of_model2vec(tensors)
    if vectors.ndim != 2:
        raise ValueError(f"vectors have the shape {tuple(vectors.shape)}")
    return vectors


def _vectors_of_model2vec(tensors: dict[str, torch.Tensor]) -> torch.Tensor:
    """Return the vector of each token from model2vec's tensors: tokens may share one, and have weights."""
    vectors = tensors["embeddings"]
    if not vectors.is_floating_point():
        vectors = vectors.float()
    if "mapping" in tensors:
        vectors = vectors[tensors["mapping"].long()]
    if "weights" in tensors:
        precise = vectors.to(torch.promote_types(vectors.dtype, torch.float32))
        vectors = (precise * tensors["weights"][:, None]).to(vectors.dtype)
    return vectors
