"""What tests of every metric know of ter."""

KNOWN = {
    "name": "ter",
    "cls": "Ter",
    "primary": "ter",
    "is_share": False,
    "nothing": 100.0,
    "options": [{}, {"normalized": True, "no_punct": True, "asian_support": True, "case_sensitive": True}],
    "chosen": {"normalized": True},
}
