"""Small cases with known scores: the tests run them, the demo offers them as examples.

``expected`` holds entries of the result, ``tolerance`` how near they must come.
"""

#: What the demo lets a visitor choose; values where the option's declaration does not list them.
DEMO_OPTIONS = {
    "tokenizer": {},
    "lowercase": {},
    "ngram": {},
    "multiset": {},
    "stemmer": {"choices": (None, "porter", "de", "en", "es", "fr", "it", "nl", "pt", "ru", "sv")},
    "lemmatizer": {"choices": (None, "de", "en", "es", "fr", "it", "nl", "pl", "pt", "ru", "sv", "uk")},
    "variants": {
        "choices": {
            "–": None,
            "words and lemmas, English": {"lemma": {"lemmatizer": "en"}},
            "words and lemmas, Russian": {"lemma": {"lemmatizer": "ru"}},
            "words and stems, English": {"stem": {"stemmer": "en"}},
            "words and pairs of words": {"pairs": {"ngram": 2}},
        }
    },
    "multi_ref": {},
}
#: Most items of a file in the demo.
DEMO_ITEMS = 20_000

_MAT = ["the cat is lying on the mat"]

CASES = [
    {
        "description": "Five of six different words",
        "predictions": ["the cat is on the mat"],
        "references": [_MAT],
        "options": {},
        "expected": {"jaccard": 5 / 6, "jaccard_micro": 5 / 6},
        "tolerance": 1e-12,
    },
    {
        "description": "Repeated words count: six of seven",
        "predictions": ["the cat is on the mat"],
        "references": [_MAT],
        "options": {"multiset": True},
        "expected": {"jaccard": 6 / 7},
        "tolerance": 1e-12,
    },
    {
        "description": "Words and lemmas in one call",
        "predictions": ["The mice were running."],
        "references": ["A mouse was running"],
        "options": {"variants": {"lemma": {"lemmatizer": "en"}}},
        "expected": {"jaccard": 1 / 7, "jaccard_lemma": 3 / 5},
        "tolerance": 1e-12,
    },
    {
        "description": "Russian: forms differ, lemmas do not",
        "predictions": ["Кошки спали на тёплых окнах."],
        "references": ["На тёплом окне спала кошка."],
        "options": {"variants": {"lemma": {"lemmatizer": "ru"}}},
        "expected": {"jaccard": 1 / 9, "jaccard_lemma": 1.0},
        "tolerance": 1e-12,
    },
    {
        "description": "Pairs of words",
        "predictions": ["the cat is on the mat"],
        "references": [_MAT],
        "options": {"ngram": 2},
        "expected": {"jaccard": 4 / 7},
        "tolerance": 1e-12,
    },
    {
        "description": "Chinese, by character",
        "predictions": ["今天的天气非常好,我们去公园。"],
        "references": ["今天天气很好，我们去公园吧。"],
        "options": {},
        "expected": {"jaccard": 9 / 14},
        "tolerance": 1e-12,
    },
    {
        "description": "Two references: the nearest counts",
        "predictions": ["Good Morning", "nothing in common"],
        "references": [["Good Morning Transformers", "Morning Transformers"], ["another text", "some other text"]],
        "options": {},
        "expected": {"jaccard": 1 / 3, "jaccard_micro": 2 / 8},
        "tolerance": 1e-12,
    },
]
