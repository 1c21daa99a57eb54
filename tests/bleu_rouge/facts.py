"""What tests of every metric know of bleu_rouge_f."""

KNOWN = {
    "name": "bleu_rouge_f",
    "cls": "BleuRouge",
    "primary": "bleu_rouge_f",
    "extras": "languages,",
    "options": [
        {},
        {"multi_ref": "average", "brevity_penalty": True, "max_order": 3, "beta": 2, "stemmer": "en"},
    ],
    "chosen": {"max_order": 1},
}
