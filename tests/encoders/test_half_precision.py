"""Half precision on a processor without instructions for it: slower than single precision, and so warned of."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from language_models import small_model
from texts import MINILM

pytestmark = pytest.mark.needs("torch")

CALLS = {
    "bertscore": {"model_type": MINILM, "num_layers": 1, "idf": False},
    "cosine": {"model_type": MINILM},
    "perplexity": {"model_id": small_model("llama")},
}
SCRIPT = """
import sys, warnings
import tercet
name, options = sys.argv[1], eval(sys.argv[2])
texts = [["Der Fluss ist breit."], ["河很宽。"]][: 1 if name == "perplexity" else 2]
for _ in range(2):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        tercet.score(name, *texts, **options, device="cpu")
    print(*(f"{each.filename}: {each.message}" for each in caught))
"""


def warned(name, **options):
    """Return what two calls of a new process warn of, in which oneDNN has instructions of 2013 only, if so asked."""
    oldest = {"ONEDNN_MAX_CPU_ISA": "AVX2"} if options.pop("old") else {}
    command = [sys.executable, "-c", SCRIPT, name, repr({**CALLS[name], **options})]
    done = subprocess.run(
        command, env={**os.environ, **oldest}, capture_output=True, text=True, timeout=300, check=True
    )
    return done.stdout.split("\n")[:2]


@pytest.mark.parametrize("name", CALLS)
def test_is_warned_of_once_at_the_line_of_the_call(name):
    first, second = warned(name, dtype="bfloat16", old=True)
    assert first.startswith("<string>: dtype='bfloat16' is slow on this processor: a product of matrices takes ")
    assert "times as long as in float32. Leave 'dtype' out, or use an accelerator." in first
    assert second == ""


def test_is_not_warned_of_where_the_processor_has_the_instructions():
    flags = set(Path("/proc/cpuinfo").read_text().split()) if os.path.exists("/proc/cpuinfo") else set()
    assert warned("bertscore", old=True) == ["", ""]
    slow = not flags & {"avx512_bf16", "amx_bf16", "bf16"}
    assert any(warned("bertscore", dtype="bfloat16", old=False)) == slow
