"""What tests of every metric know of diversity."""

KNOWN = {
    "name": "diversity",
    "cls": "Diversity",
    "primary": "self_bleu",
    "is_share": False,
    "takes_references": False,
    "extras": "languages,",
    "options": [{}, {"tokenizer": "char", "max_order": 2, "smooth_method": "nltk1", "pairwise_chrf": True}],
    "chosen": {"max_order": 2},
}
