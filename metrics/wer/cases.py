"""Small cases with known scores: the tests run them, the demo offers them as examples.

``expected`` holds entries of the result, ``tolerance`` how near they must come. The scores are jiwer's.
"""

#: What the demo lets a visitor choose; values where the option's declaration does not list them.
DEMO_OPTIONS = {
    "tokenizer": {"choices": ("blanks", "unicode", "char", "zh", "ja", "jieba")},
    "lowercase": {},
    "no_punct": {},
    "standardize": {},
    "scale": {},
}
#: Most items of a file in the demo.
DEMO_ITEMS = 20_000

CASES = [
    {
        "description": "Two errors in six words",
        "predictions": ["the cat sad on mat"],
        "references": [["the cat sat on the mat"]],
        "options": {},
        "expected": {"wer": 2 / 6, "cer": 5 / 22, "mer": 2 / 6, "wil": 1 - 4 / 6 * 4 / 5, "hits": 4, "deletions": 1},
        "tolerance": 1e-12,
    },
    {
        "description": "More errors than words",
        "predictions": ["no I do not think so"],
        "references": [["never"]],
        "options": {},
        "expected": {"wer": 6.0, "mer": 1.0, "substitutions": 1, "insertions": 5},
        "tolerance": 1e-12,
    },
    {
        "description": "Standardized, as jiwer does",
        "predictions": ["She will not come [noise] today"],
        "references": [["she won't come today <unk>"]],
        "options": {"standardize": True},
        "expected": {"wer": 0.0, "cer": 0.0, "hits": 5},
        "tolerance": 1e-12,
    },
    {
        "description": "Case and marks do not count",
        "predictions": ["Well, it's «fine»."],
        "references": [["well it's fine", "quite another thing"]],
        "options": {"lowercase": True, "no_punct": True},
        "expected": {"wer": 0.0, "hits": 3},
        "tolerance": 1e-12,
    },
    {
        "description": "Thai: see the rate of characters",
        "predictions": ["แมวนอนบนเสื่อ"],
        "references": [["แมวนั่งบนเสื่อ"]],
        "options": {"tokenizer": "unicode"},
        "expected": {"cer": 3 / 14},
        "tolerance": 1e-12,
    },
]
