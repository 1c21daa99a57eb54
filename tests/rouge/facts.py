"""What tests of every metric know of rouge_nlws."""

EVERY_TYPE = ["rouge1", "rougeL", "rougeLsum", "rougeW", "rougeS4", "rougeSU4"]

KNOWN = {
    "name": "rouge_nlws",
    "cls": "Rouge",
    "primary": "rouge1",
    "extras": "languages,",
    "options": [
        {},
        {"output": "all", "multi_ref": "average", "rouge_types": ["rouge3", "rougeLsum", "rougeS"]},
        {"multi_ref": "jackknife", "use_stemmer": True, "beta": 2},
        {"compat": "rouge155", "rouge_types": ["rouge1", "rougeL", "rougeW2", "rougeSU4"]},
        {"tokenizer": "unicode", "stemmer": "ru", "sentence_split": "auto"},
    ],
    "statistics": [
        {"compat": "rouge_score", "output": "all"},
        {"compat": "rouge155", "rouge_types": EVERY_TYPE, "multi_ref": "average", "max_words": 9},
        {"compat": "rouge155", "rouge_types": EVERY_TYPE, "rounded": False},
        {"compat": "rouge", "output": "all"},
        {"compat": "rouge_chinese"},
    ],
    "chosen": {"rouge_types": ["rougeSU4"]},
}
