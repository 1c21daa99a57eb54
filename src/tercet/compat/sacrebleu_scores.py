"""What sacrebleu returns: scores and signatures, as they print, format and pickle there."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercet.engine.chosen import engine
from tercet.engine.plain_bleu import CLOSEST, FIRST_MATCH, LENGTH, REFERENCES
from tercet.metrics.bleu.options import SMOOTH_VALUES

#: The release of sacrebleu whose scores these are.
VERSION = "2.6.0"


class Score:
    """A score with its name, which prints as sacrebleu's does."""

    def __init__(self, name: str, score: float) -> None:
        self.name = name
        self.score = score
        self._mean = -1.0
        self._ci = -1.0
        self._verbose = ""

    def format(self, width: int = 2, score_only: bool = False, signature: str = "", is_json: bool = False) -> str:
        """Return the score as a line, or as JSON, with `width` decimals."""
        number = f"{self.score:.{width}f}"
        entries: dict[str, Any] = {"name": self.name, "score": float(number), "signature": signature}
        if self._mean > 0:
            mean = f"{self._mean:.{width}f}"
            ci = f"{self._ci:.{width}f}"
            interval = f"μ = {mean} ± {ci}"
            number += f" ({interval})"
            entries |= {"confidence_mean": float(mean), "confidence_var": float(ci), "confidence": interval}
        if score_only:
            return number
        if self._verbose:
            entries["verbose_score"] = self._verbose
        if is_json:
            entries |= dict(part.split(":", 1) for part in signature.split("|") if part)
            return json.dumps(entries, indent=1, ensure_ascii=False)
        name = f"{self.name}|{signature}" if signature else self.name
        return f"{name} = {number} {self._verbose}".rstrip()

    def keep_interval(self, resampled: NDArray[np.float64]) -> None:
        """Keep the mean of resampled scores, and half of what 95 % of them span."""
        ordered = np.sort(resampled)
        # A fortieth, 2.5 % of the scores, is outside at each end.
        outside = len(resampled) // 40
        self._mean = float(ordered.mean())
        self._ci = 0.5 * float(ordered[len(ordered) - outside - 1] - ordered[outside])

    def __repr__(self) -> str:
        return self.format()


class BleuOfCounts(NamedTuple):
    """The score and the precision of each order, in percent, and the brevity penalty."""

    score: float
    precisions: list[float]
    penalty: float


def bleu_of_counts(
    matches: Sequence[float],
    ngrams: Sequence[float],
    length: float,
    reference_length: float,
    *,
    method: str = "none",
    value: float | None = None,
    effective: bool = False,
) -> BleuOfCounts:
    """Return the BLEU of counts."""
    row = np.zeros(FIRST_MATCH + len(matches) + len(ngrams))
    row[REFERENCES] = 1
    row[LENGTH] = length
    row[CLOSEST] = reference_length
    row[FIRST_MATCH:] = [*matches, *ngrams]
    amount = SMOOTH_VALUES.get(method, 0.0) if value is None else value
    uniform = np.full((1, len(matches)), 1 / max(1, len(matches)))
    [[score, *precisions, penalty]] = engine.bleu_scores(
        row[np.newaxis], CLOSEST, method, amount, effective, uniform, 100.0
    ).tolist()
    return BleuOfCounts(score, precisions, penalty)


class BLEUScore(Score):
    """BLEU with the counts that it was made from."""

    def __init__(
        self,
        score: float,
        counts: Sequence[float],
        totals: Sequence[float],
        precisions: Sequence[float],
        bp: float,
        sys_len: int,
        ref_len: int,
    ) -> None:
        super().__init__("BLEU", score)
        self.bp = bp
        self.counts = counts
        self.totals = totals
        self.sys_len = sys_len
        self.ref_len = ref_len
        self.precisions = precisions
        self.prec_str = "/".join([f"{precision:.1f}" for precision in precisions])
        self.ratio = sys_len / ref_len if ref_len else 0
        self._verbose = (
            f"{self.prec_str} (BP = {bp:.3f} ratio = {self.ratio:.3f} hyp_len = {sys_len:d} ref_len = {ref_len:d})"
        )

    @property
    def scores(self) -> list[float]:
        """BLEU of the first order, of the first two, and so on: edited copies of sacrebleu 1 have it."""
        scores = []
        for order in range(1, len(self.precisions) + 1):
            bleu = bleu_of_counts(self.precisions[:order], [100.0] * order, self.sys_len, self.ref_len)
            scores.append(bleu.score)
        return scores


class CHRFScore(Score):
    """ChrF with the options that its name tells."""

    def __init__(self, score: float, char_order: int, word_order: int, beta: int) -> None:
        self.beta = beta
        self.char_order = char_order
        self.word_order = word_order
        super().__init__(f"chrF{beta}" + "+" * word_order, score)


class TERScore(Score):
    """TER with its edits, and the average length of the references."""

    def __init__(self, score: float, num_edits: float, ref_length: float) -> None:
        super().__init__("TER", score)
        self.num_edits = int(num_edits)
        self.ref_length = ref_length


class Signature:
    """What sacrebleu prints behind a score; ``str(signature)`` has the full names, ``format(short=True)`` letters."""

    def __init__(self, args: Mapping[str, Any], entries: Mapping[str, tuple[str, Any]] | None = None) -> None:
        if "num_refs" not in args:
            raise ValueError("Number of references unknown, please evaluate the metric first.")
        self._abbr = {
            "version": "v",
            "nrefs": "#",
            "test": "t",
            "lang": "l",
            "subset": "S",
            "origlang": "o",
            "bs": "bs",
            "ar": "ar",
            "seed": "rs",
        }
        n_references = args["num_refs"]
        if n_references == -1:
            n_references = "var"
        self.info: dict[str, Any] = {
            "version": VERSION,
            "nrefs": n_references,
            "bs": args.get("n_bootstrap"),
            "ar": None,
            "seed": args.get("seed"),
            "test": args.get("test_set"),
            "lang": args.get("langpair"),
            "origlang": args.get("origlang"),
            "subset": args.get("subset"),
        }
        if entries is not None:
            for name, (short, value) in entries.items():
                self._abbr[name] = short
                self.info[name] = value

    def format(self, short: bool = False) -> str:
        """Return the entries that are known, the version last."""
        names = [name for name in self.info if name != "version"]
        parts = []
        for name in [*names, "version"]:
            value = self.info[name]
            if value is None and name != "version":
                continue
            if isinstance(value, bool):
                value = "yes" if value else "no"
            label = self._abbr[name] if short else name
            parts.append(f"{label}:{value}")
        return "|".join(parts)

    def update(self, key: str, value: Any) -> None:
        """Add an entry, or change one."""
        self.info[key] = value

    def __repr__(self) -> str:
        return self.format()
