"""What tests of every metric know of bleu_multi."""

KNOWN = {
    "name": "bleu_multi",
    "cls": "Bleu",
    "primary": "bleu",
    "extras": "languages,",
    "options": [
        {},
        {"tokenizer": "intl", "smooth_method": "none", "effective_order": True, "lowercase": True, "max_order": 3},
        {"weights": {"low": (0.7, 0.3), "high": (0, 0, 0.5, 0.5)}, "reference_length": "average"},
        {"smooth_method": "nltk7"},
        {"compat": "evaluate", "smooth": True},
        {"compat": "nltk"},
    ],
    "statistics": [
        *({"smooth_method": method} for method in ("none", "floor", "add-k", "nltk1", "nltk5", "nltk6")),
        *({"compat": compat} for compat in ("sacrebleu", "evaluate")),
        *({"compat": "nltk", "smooth_method": f"nltk{number}"} for number in range(1, 5)),
        {"smooth": True, "effective_order": True},
    ],
    "chosen": {"max_order": 2},
}
