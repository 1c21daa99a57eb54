"""What tests of every metric know of embedding_cosine."""

from texts import MINILM

NEEDED = {"model_type": MINILM}

KNOWN = {
    "name": "embedding_cosine",
    "cls": "Cosine",
    "primary": "cosine",
    "least": -1.0,
    "loads_model": True,
    "extras": "bertscore,",
    "needed": NEEDED,
    "begun": NEEDED,
    "tolerance": 2e-6,
    "options": [
        NEEDED,
        {**NEEDED, "pooling": "cls", "multi_ref": "average"},
        {**NEEDED, "long_text": "window", "max_length": 12},
    ],
    "chosen": {"pooling": "cls"},
}
