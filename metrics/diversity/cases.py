"""Small cases with known scores: the tests run them, the demo offers them as examples.

The self-BLEU is the mean of sacrebleu's sentence BLEU against all other texts; the shares can be counted by hand.
"""

#: What the demo lets a visitor choose; values where the option's declaration does not list them.
DEMO_OPTIONS = {
    "tokenizer": {"choices": ["unicode", "char", "13a", "intl", "zh", "none"]},
    "lowercase": {},
    "max_order": {},
    "window": {},
    "smooth_method": {},
}
#: Most items of a file in the demo.
DEMO_ITEMS = 5_000

CASES = [
    {
        "description": "Two of three nearly the same",
        "predictions": ["the cat sat on the mat", "the cat sat on a mat", "my dog barked at the postman"],
        "options": {},
        "expected": {"distinct_1": 11 / 18, "distinct_2": 12 / 15, "rep_1": 1 / 18, "rep_2": 0.0},
        "tolerance": 1e-9,
    },
    {
        "description": "The same answer twice",
        "predictions": ["it rains in the north", "it rains in the north"],
        "options": {},
        "expected": {"self_bleu": 1.0, "distinct_1": 0.5, "distinct_4": 0.5, "mattr": 1.0},
        "tolerance": 1e-9,
    },
    {
        "description": "A text that repeats itself",
        "predictions": ["no no no no no no", "yes of course"],
        "options": {"window": 3},
        "expected": {"rep_1": 5 / 12, "mattr": 2 / 3, "distinct_1": 4 / 9},
        "tolerance": 1e-9,
    },
    {
        "description": "Chinese, by character",
        "predictions": ["今天天气很好", "今天天气非常好"],
        "options": {},
        "expected": {"distinct_1": 7 / 13, "rep_1": (1 / 6 + 1 / 7) / 2},
        "tolerance": 1e-9,
    },
]
