"""What other packages do where BLEU's default differs from them, and how their evaluate modules speak."""

from __future__ import annotations

from tercet.metric.dialect import Dialect

#: What other packages do where the default differs from it.
PRESETS = {
    "sacrebleu": {"smooth_method": "exp"},
    "evaluate": {"reference_length": "shortest"},
    "nltk": {"tokenizer": "none"},
}

#: How evaluate's sacrebleu is called, and answers. Its `force` silences a warning that is not given here.
DIALECTS = {
    "sacrebleu": Dialect(
        options={"compat": "sacrebleu", "scale": 100},
        arguments={"tokenize": "tokenizer", "use_effective_order": "effective_order"},
        without_effect=("force",),
        keys={
            "score": "bleu", "counts": "counts", "totals": "totals", "precisions": "precisions",
            "bp": "brevity_penalty", "sys_len": "translation_length", "ref_len": "reference_length",
        },
        left_out=("length_ratio",),
    ),
}  # fmt: skip
