"""Small cases with known scores: the tests run them, the demo offers them as examples.

``expected`` holds entries of the result, ``tolerance`` how near they must come.
"""

#: What the demo lets a visitor choose; values where the option's declaration does not list them.
DEMO_OPTIONS = {
    "max_order": {},
    "beta": {},
    "brevity_penalty": {},
    "multi_ref": {},
    "tokenizer": {},
    "lowercase": {},
    "stemmer": {"choices": (None, "porter", "de", "en", "es", "fr", "it", "nl", "pt", "ru", "sv")},
    "lemmatizer": {"choices": (None, "de", "en", "es", "fr", "it", "nl", "pl", "pt", "ru", "sv", "uk")},
}
#: Most items of a file in the demo.
DEMO_ITEMS = 20_000

_CAT = {"predictions": ["the cat is on the mat"], "references": ["the cat is lying on the mat"]}

CASES = [
    {
        "description": "All words match, but one of seven is missing",
        **_CAT,
        "options": {},
        "expected": {
            "bleu_rouge_f_1": 12 / 13,
            "bleu_rouge_f_2": 8 / 11,
            "bleu_rouge_precisions": [1.0, 0.8],
            "bleu_rouge_recalls": [6 / 7, 4 / 6],
            "bleu_rouge_precision": 0.8944271910,
            "bleu_rouge_recall": 0.7619047619,
            "bleu_rouge_f": 0.8228644443,
        },
        "tolerance": 1e-10,
    },
    {
        "description": "With BLEU's brevity penalty",
        **_CAT,
        "options": {"brevity_penalty": True},
        "expected": {"bleu_rouge_precision": 0.7571162714, "bleu_rouge_f": 0.7595029692},
        "tolerance": 1e-10,
    },
    {
        "description": "Two references",
        "predictions": ["A cat sits quietly on the mat"],
        "references": [["The cat sits on the mat", "A cat lies on a mat"]],
        "options": {},
        "expected": {"bleu_rouge_precisions": [6 / 7, 4 / 6], "bleu_rouge_recalls": [5 / 6, 3 / 5]},
        "tolerance": 1e-12,
    },
    {
        "description": "Repeated words are clipped",
        "predictions": ["the the the cat mat"],
        "references": ["the cat is on the mat"],
        "options": {"max_order": 1},
        "expected": {"bleu_rouge_precisions": [4 / 5], "bleu_rouge_recalls": [4 / 6], "bleu_rouge_f": 8 / 11},
        "tolerance": 1e-12,
    },
    {
        "description": "Russian, by lemma",
        "predictions": ["Кошки спали на тёплых окнах."],
        "references": ["На тёплом окне спала кошка."],
        "options": {"lemmatizer": "ru"},
        "expected": {"bleu_rouge_f_1": 1.0, "bleu_rouge_precisions": [1.0, 2 / 4]},
        "tolerance": 1e-12,
    },
]
