"""Small cases with known scores: the tests run them, the demo offers them as examples.

``expected`` holds entries of the result, ``tolerance`` how near they must come.
"""

#: What the demo lets a visitor choose; values where the option's declaration does not list them.
DEMO_OPTIONS = {
    "word_order": {"choices": {"0 (chrF)": 0, "1 (chrF+)": 1, "2 (chrF++)": 2, "0 and 2 (both)": [0, 2]}},
    "char_order": {},
    "beta": {},
    "lowercase": {},
    "whitespace": {},
    "eps_smoothing": {},
}
#: Most items of a file in the demo.
DEMO_ITEMS = 20_000

_MAT = [["The cat sat on the mat."]]

CASES = [
    {
        "description": "Characters alone (chrF), and with words (chrF++)",
        "predictions": ["The cat is sitting on the mat."],
        "references": _MAT,
        "options": {"word_order": [0, 2]},
        "expected": {"chrf": 60.1339, "chrf_w2": 63.6597},
        "tolerance": 5e-5,
    },
    {
        "description": "Russian: only endings differ",
        "predictions": ["Кошки спали на тёплых окнах."],
        "references": [["На тёплом окне спала кошка."]],
        "options": {},
        "expected": {"chrf": 29.3174},
        "tolerance": 5e-5,
    },
    {
        "description": "Russian in lower case",
        "predictions": ["Кошки спали на тёплых окнах."],
        "references": [["На тёплом окне спала кошка."]],
        "options": {"lowercase": True},
        "expected": {"chrf": 37.2620},
        "tolerance": 5e-5,
    },
    {
        "description": "Chinese needs no tokenizer",
        "predictions": ["今天的天气非常好，我们去公园。"],
        "references": [["今天天气很好，我们去公园吧。"]],
        "options": {},
        "expected": {"chrf": 45.4946},
        "tolerance": 5e-5,
    },
    {
        "description": "Two references: the greater F counts",
        "predictions": ["Good morning, all!"],
        "references": [["Good day to everyone!", "Good Morning, everybody!"]],
        "options": {"beta": 1},
        "expected": {"chrf": 36.6556},
        "tolerance": 5e-5,
    },
    {
        "description": "White space does not count",
        "predictions": ["a b"],
        "references": [["ab"]],
        "options": {},
        "expected": {"chrf": 100.0},
        "tolerance": 1e-9,
    },
    {
        "description": "A short text, smoothed",
        "predictions": ["It is"],
        "references": [["It was"]],
        "options": {"eps_smoothing": True},
        "expected": {"chrf": 14.8026},
        "tolerance": 5e-5,
    },
]
