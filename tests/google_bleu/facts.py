"""What tests of every metric know of google_bleu."""

KNOWN = {
    "name": "google_bleu",
    "cls": "GoogleBleu",
    "primary": "google_bleu",
    "extras": "languages,",
    "any_order": False,  # of references that match equally well, the length of the first counts, as in NLTK
    "options": [{}, {"tokenizer": "unicode", "lowercase": True, "min_len": 2, "max_len": 3}],
    "chosen": {"max_len": 2},
}
