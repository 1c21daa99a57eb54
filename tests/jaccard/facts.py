"""What tests of every metric know of jaccard_sets."""

KNOWN = {
    "name": "jaccard_sets",
    "cls": "Jaccard",
    "primary": "jaccard",
    "extras": "languages,",
    "options": [
        {},
        {"multi_ref": "average", "stemmer": "en", "variants": {"bag": {"multiset": True, "ngram": 2}}},
    ],
    "chosen": {"lemmatizer": "fr"},
}
