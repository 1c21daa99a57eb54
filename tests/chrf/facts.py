"""What tests of every metric know of chrf_multi."""

KNOWN = {
    "name": "chrf_multi",
    "cls": "Chrf",
    "primary": "chrf",
    "options": [
        {"scale": 1},
        {"word_order": [2, 0], "beta": 1, "lowercase": True, "scale": 1},
        {"char_order": 2, "word_order": 3, "scale": 1},
    ],
    "chosen": {"char_order": 2},
}
