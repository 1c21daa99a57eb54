"""The fastest packages for ROUGE, BLEU, chrF and WER that we know of, beside tercet; what is not installed here is left out."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import sacrebleu
from rouge_score.rouge_scorer import RougeScorer

import tercet
from work import Work

TYPES = ["rouge1", "rouge2", "rougeL"]

#: Their modules, by the names of their packages.
OPTIONAL = {
    "rouge-score-rs": "rouge_score_rs",
    "rouge-rust": "fast_rouge",
    "rapidrouge": "rapidrouge",
    "fastchrf": "fastchrf",
    "sacrebleu-mojo": "sacrebleu_mojo",
    "universal-edit-distance": "universal_edit_distance",
    "werx": "werx",
    "fastwer": "fastwer",
    "werpy": "werpy",
    "jiwer": "jiwer",
}
MISSING = [package for package, module in OPTIONAL.items() if importlib.util.find_spec(module) is None]

#: Words of a call and of a text beyond which a peer is not run: repeated calls would take minutes.
MOST = {
    "rouge_score": (400_000, 10_000),
    "rapidrouge": (400_000, 10_000),
    "sacrebleu": (400_000, 100_000),
    "fastchrf": (400_000, 10_000),
    "sacrebleu-mojo": (4_000_000, 100_000),
    "jiwer": (400_000, 10_000),
}

Call = Callable[[], Any]


def _rouge_score(texts: Sequence[str], references: Sequence[str]) -> Call:
    return _by_pairs(RougeScorer(TYPES), texts, references)


def _rapidrouge(texts: Sequence[str], references: Sequence[str]) -> Call:
    import rapidrouge

    return _by_pairs(rapidrouge.RougeScorer(TYPES), texts, references)


def _by_pairs(scorer: Any, texts: Sequence[str], references: Sequence[str]) -> Call:
    def call() -> list[list[float]]:
        found = [scorer.score(reference, text) for reference, text in zip(references, texts, strict=True)]
        return [[each[name].fmeasure for each in found] for name in TYPES]

    return call


def _rouge_score_rs(texts: Sequence[str], references: Sequence[str]) -> Call:
    import rouge_score_rs

    scorer = rouge_score_rs.RougeScorer(TYPES)

    def call() -> list[list[float]]:
        found = scorer.score_batch(references, texts)
        return [[each[name].fmeasure for each in found] for name in TYPES]

    return call


def _rouge_rust(texts: Sequence[str], references: Sequence[str]) -> Call:
    import fast_rouge

    def call() -> list[list[float]]:
        found = fast_rouge.score_batch_flat(references, texts)
        return [getattr(found, f"{name}_fmeasure") for name in TYPES]

    return call


def rouge_calls(work: Work) -> dict[str, Call]:
    """Return what gives the F of every pair and type: tercet's first."""
    scorer, given = tercet.scorer("rouge", rouge_types=TYPES), (work.predictions, work.first_references)
    makers = {
        "rouge_score": _rouge_score,
        "rouge-score-rs": _rouge_score_rs,
        "rouge-rust": _rouge_rust,
        "rapidrouge": _rapidrouge,
    }
    peers = {
        name: make(*given) for name, make in makers.items() if name not in MISSING and not _takes_minutes(name, work)
    }
    return {"tercet": lambda: list(scorer.segments(*given).values()), **peers}


def bleu_calls(work: Work) -> dict[str, Call]:
    """Return what gives the BLEU of the corpus, with exp smoothing: tercet's first."""
    scorer = tercet.scorer("bleu", scale=100)
    plain, texts, references = sacrebleu.BLEU(), work.predictions, work.first_references
    calls = {"tercet": lambda: scorer(texts, references)["bleu"]}
    if not _takes_minutes("sacrebleu", work):
        calls["sacrebleu"] = lambda: plain.corpus_score(texts, [references]).score
    return calls


def chrf_calls(work: Work) -> dict[str, Call]:
    """Return what gives the chrF of the corpus: tercet's first."""
    scorer = tercet.scorer("chrf")
    plain, texts, references = sacrebleu.CHRF(), work.predictions, work.first_references
    calls = {"tercet": lambda: scorer(texts, references)["chrf"]}
    if not _takes_minutes("sacrebleu", work):
        calls["sacrebleu"] = lambda: plain.corpus_score(texts, [references]).score
    if "sacrebleu-mojo" not in MISSING and not _takes_minutes("sacrebleu-mojo", work):
        import sacrebleu_mojo

        calls["sacrebleu-mojo"] = lambda: sacrebleu_mojo.corpus_chrf(texts, [references]).score
    return calls


def chrf_pair_calls(work: Work) -> dict[str, Call]:
    """Return what gives the chrF of each pair: tercet's first."""
    scorer, texts, references = tercet.scorer("chrf"), work.predictions, work.first_references
    calls = {"tercet": lambda: scorer.segments(texts, references)["chrf"]}
    if "fastchrf" not in MISSING and not _takes_minutes("fastchrf", work):
        import fastchrf

        alone = [[text] for text in texts], [[text] for text in references]
        calls["fastchrf"] = lambda: [scores[0][0] for scores in fastchrf.pairwise_chrf(*alone)]
    return calls


def wer_calls(work: Work) -> dict[str, Call]:
    """Return what gives the WER of the corpus: tercet's first, which counts characters besides."""
    scorer, texts, references = tercet.scorer("wer"), work.predictions, work.first_references
    wer = scorer(texts, references)["wer"]

    def fastwer(module: Any) -> float:
        found = module.score(texts, references)  # in percent, rounded to four places
        return wer if abs(found - 100 * wer) < 1e-4 else found

    calls = {
        "universal-edit-distance": lambda module: module.word_error_rate(texts, references),
        "werx": lambda module: module.wer(references, texts),
        "fastwer": fastwer,
        "werpy": lambda module: module.wer(references, texts),
        "jiwer": lambda module: module.wer(references, texts),
    }
    peers = {
        name: partial(call, importlib.import_module(OPTIONAL[name]))
        for name, call in calls.items()
        if name not in MISSING and not _takes_minutes(name, work)
    }
    return {"tercet": lambda: scorer(texts, references)["wer"], **peers}


def _takes_minutes(peer: str, work: Work) -> bool:
    most, longest = MOST.get(peer, (float("inf"), float("inf")))
    return work.tokens / 2 > most or work.tokens / 2 / len(work.predictions) > longest
