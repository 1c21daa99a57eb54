"""What stands in the signature of bertscore_idf, and the hash of bert-score."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from .baselines import baseline_digest
from .bertscore_options import BertscoreOptions
from .encoder_names import best_layer
from .encoders import Encoder
from .idf import IdfTable
from .signature import digest, format_signature
from .subwords import puts_space

# What the release 0.3.13 of bert-score calls itself in its hash.
_OFFICIAL_VERSION = "0.3.12"


def bertscore_signature(
    o: BertscoreOptions,
    encoder: Encoder,
    layers: range,
    table: IdfTable | None,
    baseline: NDArray[np.float64] | None,
) -> str:
    """Return the signature.

    Parameters
    ----------
    o : BertscoreOptions
    encoder : Encoder
    layers : range
        The layers that are scored.
    table : IdfTable or None
        The document frequencies in use, if any.
    baseline : ndarray or None
        The baselines in use, if any.
    """
    parts = {
        "model": encoder.label,
        "layer": "all" if o.all_layers else layers.start,
        "idf": _idf_label(o, table),
        "zero": o.zero_weight,
        "multi": o.multi_ref,
        "long": o.long_text,
        "length": encoder.subwords.length_limit(o.max_length),
        "space": encoder.subwords.prefix_space,
        "dtype": None if o.dtype in (None, "float32") else o.dtype,
        "baseline": None if baseline is None else baseline_digest(baseline),
        "missing": None if o.missing_references == "error" else o.missing_references,
        "compat": o.compat,
        "equals": _equals(o, encoder),
    }
    return format_signature("bertscore_idf", parts)


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
    versions = f"version={_OFFICIAL_VERSION}(hug_trans={transformers.__version__})"
    return f"{model_type}_L{layer}_{idf}_{versions}{rescaled}{fast}"


def _idf_label(o: BertscoreOptions, table: IdfTable | None) -> str:
    if isinstance(o.idf, Mapping):
        return f"mapping,{digest(sorted(f'{key!r}={float(value)!r}' for key, value in o.idf.items()))}"
    if table is None:
        return "no"
    return f"{o.idf_documents if o.idf is True else 'table'},{table.digest}"


def _equals(o: BertscoreOptions, encoder: Encoder) -> str | None:
    """Return the implementation that gives the same numbers, but for texts without tokens or without weight."""
    known = isinstance(o.idf, bool) or (isinstance(o.idf, Mapping) and o.compat == "bert_score")
    like = (
        known
        and (o.multi_ref, o.idf_documents, o.long_text) == ("max", "references", "truncate")
        and o.dtype in (None, "float32")
        and (o.max_length, o.missing_references) == (None, "error")
    )
    if not like:
        return None
    today = puts_space(encoder.subwords.tokenizer, "installed", o.use_fast_tokenizer)
    return "bert-score" if encoder.subwords.prefix_space == today else "bert-score(transformers<5)"
