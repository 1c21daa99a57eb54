"""The signature of bertscore_idf, and the hash of bert-score."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from tercet.encoders.encoder import Encoder
from tercet.encoders.names import best_layer
from tercet.encoders.subwords import published_with_space, puts_space
from tercet.signature import Signature

from .baselines import baseline_digest
from .idf_table import IdfTable
from .options import BertscoreOptions
from .weights import Weights

#: The version in the hash of bert-score 0.3.13.
OFFICIAL_VERSION = "0.3.12"


def bertscore_signature(
    o: BertscoreOptions,
    encoder: Encoder,
    layers: range,
    table: IdfTable | None,
    weights: Weights,
    baseline: NDArray[np.float64] | None,
) -> Signature:
    """Return the signature."""
    parts = {
        "model": encoder.label,
        "layer": "all" if o.all_layers else layers.start,
        "idf": _idf_label(o, table, weights),
        "zero": o.zero_weight,
        "multi": o.multi_ref,
        "long": o.long_text,
        "length": encoder.subwords.length_limit(o.max_length),
        "space": encoder.subwords.prefix_space,
        "dtype": None if o.dtype in (None, "float32") else o.dtype,
        "baseline": None if baseline is None else baseline_digest(baseline),
        "missing": None if o.missing_references == "error" else o.missing_references,
        "compat": o.compat,
        "batch": o.batch_size if o.compat is not None else None,
        "equals": _equals(o, encoder),
    }
    return Signature.of("bertscore_idf", parts)


def official_hash(o: BertscoreOptions, model_type: str, layers: range) -> str:
    """Return the hash that bert-score 0.3.13 prints for these options."""
    import transformers

    rescaled = ""
    if o.rescale_with_baseline:
        rescaled = "-rescaled" if o.baseline_path is None else "-custom-rescaled"
    layer = layers.start
    if o.all_layers:  # which it prints although it uses them all
        layer = o.num_layers if o.num_layers is not None else best_layer(model_type) or layers.stop - 1
    idf = "no-idf" if o.idf is False else "idf"
    fast = "_fast-tokenizer" if o.use_fast_tokenizer else ""
    versions = f"version={OFFICIAL_VERSION}(hug_trans={transformers.__version__})"
    return f"{model_type}_L{layer}_{idf}_{versions}{rescaled}{fast}"


def _idf_label(o: BertscoreOptions, table: IdfTable | None, weights: Weights) -> str:
    if isinstance(o.idf, Mapping):
        return f"mapping,{weights.digest}"
    if table is None:
        return "no"
    return f"{o.idf_documents if o.idf is True else 'table'},{table.digest}"


def _equals(o: BertscoreOptions, encoder: Encoder) -> str | None:
    """Return the implementation that gives the same numbers.

    By default that is bert-score with ``batch_size=1``, for its padding makes 0 of negative best matches; but for
    texts that it takes for empty (two tokens), and for NaN where all weights are 0.
    """
    official = o.compat is not None
    like = (
        (isinstance(o.idf, bool) or (isinstance(o.idf, Mapping) and official))
        and (o.multi_ref, o.idf_documents, o.missing_references) == ("max", "references", "error")
        and o.long_text in ("truncate", "error")
        and o.dtype in (None, "float32")
        and encoder.subwords.length_limit(o.max_length) == encoder.subwords.limit
    )
    space, tokenizer = encoder.subwords.prefix_space, encoder.subwords.tokenizer
    settings = [] if official else ["batch_size=1"]
    if space != puts_space(tokenizer, "installed", o.use_fast_tokenizer):
        like = like and space == published_with_space(tokenizer)
        settings.append("transformers<5")
    if not like:
        return None
    return f"bert-score({','.join(settings)})" if settings else "bert-score"
