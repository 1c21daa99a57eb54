"""Small cases with known scores: the tests run them, the demo offers them as examples.

``expected`` holds entries of the result, ``tolerance`` how near they must come. The scores are NLTK's.
"""

#: What the demo lets a visitor choose; values where the option's declaration does not list them.
DEMO_OPTIONS = {
    "tokenizer": {"choices": ("13a", "intl", "zh", "ja", "jieba", "char", "unicode", "none")},
    "lowercase": {},
    "min_len": {},
    "max_len": {},
    "scale": {},
}
#: Most items of a file in the demo.
DEMO_ITEMS = 20_000

CASES = [
    {
        "description": "6 of 18 n-grams match",
        "predictions": ["the cat sat down"],
        "references": [["the cat sat on the mat"]],
        "options": {},
        "expected": {"google_bleu": 6 / 18},
        "tolerance": 1e-12,
    },
    {
        "description": "A repeated word is clipped",
        "predictions": ["the the the the the the the"],
        "references": [["the cat is on the mat"]],
        "options": {},
        "expected": {"google_bleu": 2 / 22},
        "tolerance": 1e-12,
    },
    {
        "description": "The best reference counts",
        "predictions": ["the ferry leaves at seven"],
        "references": [["the boat departs at seven o'clock", "the ferry leaves at 7"]],
        "options": {},
        "expected": {"google_bleu": 10 / 14},
        "tolerance": 1e-12,
    },
    {
        "description": "Items of a corpus",
        "predictions": ["He read the book", "because he was interested in world history"],
        "references": [["he read the book"], ["because he was interested in world history"]],
        "options": {},
        "expected": {"google_bleu": (6 + 22) / (10 + 22)},
        "tolerance": 1e-12,
    },
    {
        "description": "Chinese, by character",
        "predictions": ["今天的天气非常好。"],
        "references": [["今天天气很好。"]],
        "options": {"tokenizer": "zh"},
        "expected": {"google_bleu": 9 / 30},
        "tolerance": 1e-12,
    },
]
