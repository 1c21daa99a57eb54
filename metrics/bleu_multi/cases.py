"""Small cases with known scores: the tests run them, the demo offers them as examples.

``expected`` holds entries of the result, ``tolerance`` how near they must come.
"""

#: What the demo lets a visitor choose; values where the option's declaration does not list them.
DEMO_OPTIONS = {
    # those that need nothing but the extra `languages`
    "tokenizer": {"choices": ("13a", "intl", "zh", "ja", "jieba", "char", "unicode", "none")},
    "lowercase": {},
    "stemmer": {
        "choices": (
            None,
            "porter",
            *["ar", "da", "de", "en", "es", "fi", "fr", "hu", "it", "nl", "no", "pt", "ro", "ru", "sv"],
        )
    },
    "max_order": {},
    "weights": {},
    "smooth_method": {},
    "smooth_value": {},
    "effective_order": {},
    "reference_length": {},
    "compat": {},
}
#: Most items of a file in the demo.
DEMO_ITEMS = 20_000

_MAT = ["The cat is sitting on the mat"]
_METHOD_1 = {"smooth_method": "nltk1", "tokenizer": "none"}
_TWO_SCHEMES = {"weights": {"uniform": (0.25, 0.25, 0.25, 0.25), "custom": (0.4, 0.3, 0.2, 0.1)}, **_METHOD_1}

CASES = [
    {
        "description": "Two words replaced, two missing",
        "predictions": ["A NASA rover is fighting a massive storm on Mars ."],
        "references": [["The NASA Opportunity rover is battling a massive dust storm on Mars ."]],
        "options": {},
        "expected": {"bleu": 0.2722, "counts": [9, 5, 2, 1], "totals": [11, 10, 9, 8], "brevity_penalty": 0.8338},
        "tolerance": 5e-5,
    },
    {
        "description": "No 4 words in a row match: 0 without smoothing",
        "predictions": ["The Opportunity rover is combating a big sandstorm on Mars ."],
        "references": [["The NASA Opportunity rover is battling a massive dust storm on Mars ."]],
        "options": {"smooth_method": "none", "effective_order": False},
        "expected": {"bleu": 0.0, "counts": [8, 4, 2, 0], "totals": [11, 10, 9, 8], "brevity_penalty": 0.8338},
        "tolerance": 5e-5,
    },
    {
        "description": "A repeated word counts as often as in the reference",
        "predictions": ["the the the cat mat"],
        "references": [["the cat is on the mat"]],
        "options": {"weights": [1]},
        "expected": {"counts": [4, 1, 0, 0], "totals": [5, 4, 3, 2]},
        "tolerance": 0,
    },
    {
        "description": "Two weightings: nearly the reference",
        "predictions": ["The cat is on the mat"],
        "references": [_MAT],
        "options": _TWO_SCHEMES,
        "expected": {"bleu_uniform": 0.2876, "bleu_custom": 0.4905},
        "tolerance": 5e-5,
    },
    {
        "description": "Two weightings: two words replaced",
        "predictions": ["A cat lies on the mat"],
        "references": [_MAT],
        "options": _TWO_SCHEMES,
        "expected": {"bleu_uniform": 0.1838, "bleu_custom": 0.2949},
        "tolerance": 5e-5,
    },
    {
        "description": "Two weightings: another subject and verb",
        "predictions": ["The feline rests on the mat"],
        "references": [_MAT],
        "options": _TWO_SCHEMES,
        "expected": {"bleu_uniform": 0.1838, "bleu_custom": 0.2949},
        "tolerance": 5e-5,
    },
    {
        "description": "All words match, but one is missing",
        "predictions": ["the cat is on the mat"],
        "references": [["the cat is lying on the mat"]],
        "options": {"weights": [0.5, 0.5]},
        "expected": {"bleu": 0.7571, "counts": [6, 4, 2, 0], "brevity_penalty": 0.8465},
        "tolerance": 5e-5,
    },
    {
        "description": "Chinese, split into characters",
        "predictions": ["今天的天气非常好,我们去公园。"],
        "references": [["今天天气很好，我们去公园吧。"]],
        "options": {"tokenizer": "zh"},
        "expected": {"bleu": 0.3316},
        "tolerance": 5e-5,
    },
]
