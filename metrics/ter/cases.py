"""Small cases with known scores: the tests run them, the demo offers them as examples.

``expected`` holds entries of the result, ``tolerance`` how near they must come. The scores are sacrebleu's.
"""

#: What the demo lets a visitor choose; values where the option's declaration does not list them.
DEMO_OPTIONS = {"normalized": {}, "no_punct": {}, "asian_support": {}, "case_sensitive": {}, "scale": {}}
#: Most items of a file in the demo.
DEMO_ITEMS = 20_000

CASES = [
    {
        "description": "Three words move: one shift",
        "predictions": ["on the mat the cat sat"],
        "references": [["the cat sat on the mat"]],
        "options": {},
        "expected": {"ter": 100 / 6, "num_edits": 1, "ref_length": 6.0},
        "tolerance": 1e-9,
    },
    {
        "description": "A shift and three edits",
        "predictions": ["yesterday a new bridge opened"],
        "references": [["the new bridge over the river opened yesterday"]],
        "options": {},
        "expected": {"ter": 100 * 5 / 8, "num_edits": 5, "ref_length": 8.0},
        "tolerance": 1e-9,
    },
    {
        "description": "Two references: the nearest counts",
        "predictions": ["the ferry leaves at seven"],
        "references": [["the ferry departs at seven o'clock", "the ferry leaves at 7"]],
        "options": {},
        "expected": {"ter": 100 / 5.5, "num_edits": 1, "ref_length": 5.5},
        "tolerance": 1e-9,
    },
    {
        "description": "Punctuation marks as words",
        "predictions": ["It costs $1,250 (about half)."],
        "references": [["It costs $1,250, about half."]],
        "options": {"normalized": True},
        "expected": {"ter": 100 * 2 / 8, "num_edits": 2},
        "tolerance": 1e-9,
    },
    {
        "description": "Chinese, by character",
        "predictions": ["今天的天气非常好,我们去公园。"],
        "references": [["今天天气很好，我们去公园吧。"]],
        "options": {"normalized": True, "asian_support": True},
        "expected": {"ter": 100 * 5 / 14, "num_edits": 5},
        "tolerance": 1e-9,
    },
    {
        "description": "More edits than words",
        "predictions": ["No, I do not think so at all."],
        "references": [["Never."]],
        "options": {},
        "expected": {"ter": 800.0, "num_edits": 8},
        "tolerance": 1e-9,
    },
]
