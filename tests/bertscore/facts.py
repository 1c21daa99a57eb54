"""What tests of every metric know of bertscore_idf."""

from texts import MINILM

NEEDED = {"model_type": MINILM, "num_layers": 2}

KNOWN = {
    "name": "bertscore_idf",
    "cls": "BertScore",
    "primary": "mean_f1",
    "loads_model": True,
    "extras": "bertscore,",
    "needed": NEEDED,
    "begun": {"model_type": MINILM, "num_layers": 5},
    "tolerance": 2e-6,
    "options": [
        NEEDED,
        {**NEEDED, "idf": False, "multi_ref": "best_f"},
        {**NEEDED, "idf_documents": "items", "long_text": "window", "max_length": 12},
        {"model_type": MINILM, "all_layers": True, "idf": False},
    ],
    "chosen": {"idf": False},
}
