"""Small cases with known scores: the tests run them, the demo offers them as examples.

``expected`` holds entries of the result, ``tolerance`` how near they must come.
"""

#: What the demo lets a visitor choose; values where the option's declaration does not list them.
DEMO_OPTIONS = {
    "rouge_types": {
        "choices": (
            *("rouge1", "rouge2", "rouge3", "rouge4", "rougeL", "rougeLsum", "rougeW", "rougeW1.5"),
            *("rougeS", "rougeS4", "rougeSU", "rougeSU4"),
        )
    },
    "tokenizer": {},
    "use_stemmer": {},
    "multi_ref": {},
    "beta": {},
    "output": {},
    "sentence_split": {},
    "max_words": {},
    "compat": {"choices": (None, "rouge_score")},
}
#: Most items of a file in the demo.
DEMO_ITEMS = 20_000

_FOX = "The quick brown fox jumps over the lazy dog"

CASES = [
    {
        "description": "Two references: the best F counts",
        "predictions": [
            "Transformers Transformers are fast plus efficient",
            "Good Morning",
            "I am waiting for new Transformers",
        ],
        "references": [
            [
                "HuggingFace Transformers are fast efficient plus awesome",
                "Transformers are awesome because they are fast to execute",
            ],
            ["Good Morning Transformers", "Morning Transformers"],
            [
                "People are eagerly waiting for new Transformer models",
                "People are very excited about new Transformers",
            ],
        ],
        "options": {},
        "expected": {"rouge1": 0.66593, "rouge2": 0.45455, "rougeL": 0.61465, "rougeLsum": 0.61465},
        "tolerance": 5e-6,
    },
    {
        "description": "Words (ROUGE-1), and pairs of words (ROUGE-2)",
        "predictions": ["The fast brown fox leaps over the tired dog"],
        "references": [_FOX],
        "options": {"rouge_types": ["rouge1", "rouge2"], "output": "all"},
        "expected": {"rouge1": 0.667, "rouge1_precision": 0.667, "rouge1_recall": 0.667, "rouge2": 0.25},
        "tolerance": 5e-4,
    },
    {
        "description": "Words in the same order, with gaps (ROUGE-L)",
        "predictions": ["The brown fox jumped over the lazy dog"],
        "references": [_FOX],
        "options": {"rouge_types": ["rougeL"], "output": "all"},
        "expected": {"rougeL_precision": 0.875, "rougeL_recall": 0.778, "rougeL": 0.824},
        "tolerance": 5e-4,
    },
    {
        "description": "Words in a row count more (ROUGE-W)",
        "predictions": ["The brown fox quickly jumped over the lazy dog"],
        "references": [_FOX],
        "options": {"rouge_types": ["rougeW"], "output": "all"},
        "expected": {"rougeW_precision": 0.666, "rougeW_recall": 0.429, "rougeW": 0.522},
        "tolerance": 5e-4,
    },
    {
        "description": "With Porter's stemmer",
        "predictions": ["The cat lies quietly on the mat."],
        "references": ["The cat is sleeping peacefully on the mat."],
        "options": {"rouge_types": ["rouge1", "rouge2", "rougeL"], "use_stemmer": True, "output": "all"},
        "expected": {
            "rouge1_precision": 0.714,
            "rouge1_recall": 0.625,
            "rouge1": 0.667,
            "rouge2_precision": 0.500,
            "rouge2_recall": 0.429,
            "rouge2": 0.462,
            "rougeL_precision": 0.714,
            "rougeL_recall": 0.625,
            "rougeL": 0.667,
        },
        "tolerance": 5e-4,
    },
    {
        "description": "Recall, which many call ROUGE",
        "predictions": ["the cat is on the mat"],
        "references": ["the cat is lying on the mat"],
        "options": {"rouge_types": ["rouge1", "rouge2", "rougeL"], "output": "all"},
        "expected": {
            "rouge1_recall": 0.857,
            "rouge1": 0.923,
            "rouge2_recall": 0.667,
            "rouge2": 0.727,
            "rougeL_recall": 0.857,
            "rougeL": 0.923,
        },
        "tolerance": 5e-4,
    },
    {
        "description": "Russian, by words of letters",
        "predictions": ["Кошка спит на тёплом окне."],
        "references": ["На тёплом окне спит кошка."],
        "options": {"tokenizer": "unicode", "rouge_types": ["rouge1", "rougeL"]},
        "expected": {"rouge1": 1.0, "rougeL": 0.6},
        "tolerance": 1e-12,
    },
]
