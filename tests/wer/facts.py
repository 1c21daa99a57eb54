"""What tests of every metric know of wer."""

KNOWN = {
    "name": "wer",
    "cls": "Wer",
    "primary": "wer",
    "extras": "languages,",
    "is_share": False,
    "nothing": 1.0,
    "unanswered": 2.0,  # insertions alone are counted, as in jiwer
    "any_order": False,  # of references that need equally many edits, the length of the first counts
    "options": [{}, {"standardize": True, "no_punct": True, "tokenizer": "unicode"}],
    "chosen": {"lowercase": True},
}
