"""Measure BERTScore and its peers in one process, alternating, on the same texts; every timed call is compared.

``python benchmarks/bertscore.py`` prints the table and writes its section of benchmarks/RESULTS.md; ``--small`` runs
every row once on few texts, for the tests; ``--only WORD`` keeps the rows that name it.
"""

from __future__ import annotations

import argparse
import gc
import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers

from bertscore_peers import (
    RARE,
    SYSTEMS,
    Encoder,
    Group,
    Texts,
    Values,
    Way,
    by_tercet,
    groups,
    load,
    make_texts,
    minilm,
    random_bert,
)
from results import machine, write_section
from tercet.networks import onednn

TITLE = "Results of the last `make bench-bertscore`"
PACKAGES = ("tercet", "numpy", "torch", "transformers", "tokenizers", "bert-score", "evaluate", "torchmetrics")

#: Pairs by the label of the encoder and the device.
PAIRS = {("MiniLM", "cpu"): 400, ("MiniLM", "cuda"): 4_000, ("bert-base", "cpu"): 100, ("bert-base", "cuda"): 2_000}


@dataclass(frozen=True)
class Found:
    """What was found of one way of tercet beside a peer, a value per round."""

    group: Group
    way: Way
    ratios: list[float] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    outsides: list[float] = field(default_factory=list)
    differences: list[Values] = field(default_factory=list)

    @property
    def seconds(self) -> float:
        """The time of tercet's call."""
        return statistics.median(self.times)

    @property
    def pairs_per_second(self) -> float:
        """Pairs of a prediction and a reference, of all systems."""
        return len(self.group.pairs.systems) * len(self.group.pairs.references) / self.seconds


def timed(function: Callable[[], Values], device: str) -> tuple[float, Values]:
    """Return the time of one call and what it returned; the garbage of earlier work is collected before."""
    gc.collect()
    finish(device)
    start = time.perf_counter()
    values = function()
    finish(device)
    return time.perf_counter() - start, values


def finish(device: str) -> None:
    """Wait for an accelerator."""
    if device != "cpu":
        torch.cuda.synchronize()


def mark(device: str) -> Any:
    """Return the time, on an accelerator that of its own queue."""
    if device == "cpu":
        return time.perf_counter()
    event = torch.cuda.Event(enable_timing=True)
    event.record()
    return event


def between(device: str, start: Any, stop: Any) -> float:
    """Return the seconds between two marks that are over."""
    return stop - start if device == "cpu" else start.elapsed_time(stop) / 1000


def timed_way(group: Group, way: Way) -> tuple[float, float, Values]:
    """Return the time of one call, the share of it in which the network does not run, and what it returned."""
    network = load(group.encoder, group.device, way).network.model
    starts: list[Any] = []
    stops: list[Any] = []
    hooks = [
        network.register_forward_pre_hook(lambda *_: starts.append(mark(group.device))),
        network.register_forward_hook(lambda *_: stops.append(mark(group.device))),
    ]
    whole, values = timed(lambda: by_tercet(group.encoder, group.device, way, group.pairs), group.device)
    for hook in hooks:
        hook.remove()
    inside = sum(between(group.device, start, stop) for start, stop in zip(starts, stops, strict=True))
    return whole, 1 - inside / whole, values


def measure(group: Group, rounds: int, budget: float) -> list[Found]:
    """Time the peer and each way in turn, until `rounds` or the budget of seconds is over; compare in every round.

    Raises
    ------
    AssertionError
        When scores differ by more than the check of a way allows.
    """
    group.theirs(group.texts.part(8))
    found = [Found(group, way) for way in group.ways]
    start = time.perf_counter()
    while len(found[0].ratios) < rounds and (len(found[0].ratios) < 2 or time.perf_counter() - start < budget):
        peer, theirs = timed(lambda: group.theirs(group.texts), group.device)
        for each in found:
            own, outside, ours = timed_way(group, each.way)
            each.way.check(theirs, ours)
            each.ratios.append(peer / own)
            each.times.append(own)
            each.outsides.append(outside)
            each.differences.append(np.abs(ours - theirs))
    return found


@contextmanager
def threads(device: str) -> Iterator[None]:
    """One thread on the CPU, for PyTorch and for the tokenizers; as many as they like beside an accelerator."""
    before = torch.get_num_threads()
    if device == "cpu":
        torch.set_num_threads(1)
    os.environ["TOKENIZERS_PARALLELISM"] = "false" if device == "cpu" else "true"
    yield
    torch.set_num_threads(before)


def works(encoders: list[Encoder], small: bool) -> Iterator[Group]:
    """Yield what is measured: device by device, encoder by encoder, in the threads of the device."""
    for device in ("cpu", "cuda") if torch.cuda.is_available() else ("cpu",):
        with threads(device):
            for encoder in encoders:
                pairs = 6 if small else PAIRS[encoder.label.split(",")[0], device]
                yield from groups(encoder, device, make_texts(pairs))


def line(found: Found) -> str:
    """Return what was found in a line for the terminal."""
    group, way = found.group, found.way
    asked = "nothing" if way.asked is None else f"{way.asked:g}"
    return (
        f"{group.encoder.label:18} {group.device:5} {group.work:30} {group.peer:21} {way.label:13}"
        f"{statistics.median(found.ratios):7.2f}  {1000 * found.seconds:8.1f} ms  ({asked} required)"
    )


def table(rows: list[Found]) -> str:
    """Return what was found as a table in Markdown."""
    lines = [
        "| work | encoder | pairs | peer | tercet by | required | ratio: median (min to max) | tercet | pairs/s | outside the encoder | difference: greatest, mean |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for each in rows:
        group, way = each.group, each.way
        ratio = (
            f"**{statistics.median(each.ratios):.2f}** "
            f"({min(each.ratios):.2f} to {max(each.ratios):.2f}, {len(each.ratios)} rounds)"
        )
        cells = [
            group.work, f"{group.encoder.label}, {group.device}", f"{len(group.pairs.references):,}", group.peer,
            way.label, "" if way.asked is None else f"{way.asked:g}", ratio, f"{1000 * each.seconds:,.0f} ms",
            f"{each.pairs_per_second:,.0f}", f"{statistics.median(each.outsides):.1%}",
            f"{np.max(each.differences):.1g}, {np.mean(each.differences):.1g}",
        ]  # fmt: skip
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def mixed_up(rows: list[Found]) -> str:
    """Return how far torchmetrics is from what is asked of it: from the scores of the pairs as they are given."""
    for each in rows:
        if each.group.peer == "torchmetrics":
            group = each.group
            load(group.encoder, group.device, each.way)
            asked = by_tercet(group.encoder, group.device, each.way, group.texts)
            difference = asked - group.theirs(group.texts)
            return (
                "torchmetrics 1.9 pairs predictions with other references (it sorts both by length and applies the "
                "sorting again in place of undoing it, with any batch size) and matches no token with [CLS] or [SEP]. "
                "Its row compares the pairs that it does score. Of the pairs that it is given, its scores are wrong by "
                f"up to {np.abs(difference).max():.2f}, and {abs(difference.mean()):.2f} too small in the mean."
            )
    return ""


def tokens_per_text(encoder: Encoder, texts: Texts) -> float:
    """Return the mean number of subword tokens, special ones included."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(encoder.folder)
    return float(np.mean([len(ids) for ids in tokenizer([*texts.predictions, *texts.references])["input_ids"]]))


def report(rows: list[Found]) -> str:
    """Return the section of RESULTS.md."""
    first = rows[0].group
    probe = "faster than MKL here, and used" if onednn.is_faster() else "not faster than MKL here, and not used"
    devices = "the CPU only: no GPU was at hand"
    if torch.cuda.is_available():
        devices = f"the CPU and {torch.cuda.get_device_name()}"
    parts = [
        f"{machine(PACKAGES)}. The metric: bertscore_idf. Devices: {devices}. oneDNN is {probe} (the probe at load).",
        f"Texts (generated, seeded): 25 words with a standard deviation of half of that, as in news; all but every {RARE}th of the vocabulary's words in BERT's vocabulary, "
        f"{tokens_per_text(first.encoder, first.texts):.0f} tokens with [CLS] and [SEP]; predictions keep about two "
        "thirds of the reference's words. MiniLM is all-MiniLM-L6-v2 (6 x 384, layer 5); bert-base has random "
        "weights (12 x 768, layer 9).",
        "On the CPU one thread for PyTorch and the tokenizers, on both sides; on a GPU the default. From Python "
        "strings to the lists of scores, networks loaded before and warm; a ratio is of calls in alternation, and the "
        "scores of every timed call are compared: 1e-5 in single precision (the last column shows the difference). "
        f"tercet's encoder is reloaded before each call and keeps nothing, but in the rows of {SYSTEMS} systems, "
        "where the first call embeds the references and the others reuse them. With IDF both sides count the document frequencies in "
        "the call. evaluate's bertscore runs a class that does with bert-score what that module does (the module is on the Hub); "
        "there tercet runs through evaluate, too. "
        "Outside the encoder: the share of tercet's time in which the network's forward does not run.",
        table(rows),
        mixed_up(rows),
    ]
    return "\n\n".join(part for part in parts if part)


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Give a folder for a model. bert_score takes any with "t5" in its path for a T5: its name is not left to chance."""
    folder = Path(tempfile.gettempdir(), f"bench-{os.getpid()}")
    folder.mkdir(exist_ok=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--small", action="store_true", help="every row once, on few texts")
    parser.add_argument("--only", default="", help="keep the rows whose encoder, device, work or peer hold this word")
    given = parser.parse_args()
    transformers.utils.logging.disable_progress_bar()
    found: list[Found] = []
    with temporary_folder() as folder:
        encoders = [minilm(), random_bert(folder, hidden=96 if given.small else 768)]
        for group in works(encoders, given.small):
            name = f"{group.encoder.label} {group.device} {group.work} {group.peer}"
            if given.only.lower() in name.lower():
                found += measure(group, rounds=1 if given.small else 3, budget=40)
                print(*map(line, found[-len(group.ways) :]), sep="\n", flush=True)
        if given.small or given.only:
            return
        text = report(found)
    print(text)
    write_section(TITLE, text)


if __name__ == "__main__":
    main()
