"""What tests of every metric know of perplexity_lm."""

from language_models import SMOLLM2, TINY

NEEDED = {"model_id": TINY, "empty_text": "skip"}

KNOWN = {
    "name": "perplexity_lm",
    "cls": "Perplexity",
    "primary": "perplexity",
    "is_share": False,
    "has_scale": False,
    "takes_references": False,
    "loads_model": True,
    "extras": "perplexity,",
    "needed": NEEDED,
    "begun": {"model_id": SMOLLM2},
    "relative": 1e-4,
    "options": [NEEDED, {**NEEDED, "add_start_token": False, "max_length": 16, "stride": 5}],
    "chosen": {"max_length": 9},
}
