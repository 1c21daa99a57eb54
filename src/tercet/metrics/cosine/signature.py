"""The signature of embedding_cosine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tercet.encoders.encoder import Encoder
from tercet.signature import Signature, digest

from .declared import Declared
from .pooling import Pooling

if TYPE_CHECKING:
    from .metric import Cosine

# Encoder-decoders of which sentence-transformers, too, runs the encoder alone.
_ENCODER_ALONE = {"t5", "mt5"}


def cosine_signature(
    o: Cosine, encoder: Encoder, declared: Declared, pooling: Pooling, limit: int | None
) -> Signature:
    """Return the signature; digests stand for dense layers and for a prompt."""
    parts = {
        "model": encoder.label,
        "pooling": pooling.name,
        "dense": pooling.digest,
        "dims": pooling.dimensions,
        "case": "lc" if declared.lowercase else None,
        "prompt": digest([declared.prompt]) if declared.prompt else None,
        "multi": o.multi_ref,
        "long": o.long_text,
        "length": limit,
        "dtype": None if o.dtype in (None, "float32") else o.dtype,
        "missing": None if o.missing_references == "error" else o.missing_references,
        "equals": "sentence-transformers" if _equals(o, encoder, declared, pooling, limit) else None,
    }
    return Signature.of("embedding_cosine", parts)


def _equals(o: Cosine, encoder: Encoder, declared: Declared, pooling: Pooling, limit: int | None) -> bool:
    """Return whether sentence-transformers has the same cosines for this encoder as it is (but for empty texts)."""
    config, own = encoder.network.config, encoder.subwords.limit
    usual = own if declared.max_length is None else min(declared.max_length, own or declared.max_length)
    return (
        pooling.name == (declared.pooling or _undeclared_pooling(config))
        and (o.truncate_dim is None or pooling.dimensions == declared.truncate_dim)
        and declared.similarity == "cosine"
        and limit == usual
        and o.long_text != "window"
        and o.dtype in (None, "float32")
        and (not getattr(config, "is_encoder_decoder", False) or config.model_type in _ENCODER_ALONE)
    )


def _undeclared_pooling(config: Any) -> str:
    """Return the pooling of sentence-transformers for a folder that declares none."""
    of_decoder = str((config.architectures or [""])[0]).endswith("ForCausalLM") and getattr(config, "is_causal", True)
    return "lasttoken" if of_decoder else "mean"
