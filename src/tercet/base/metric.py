"""The metric: a value with options that scores texts when called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tercet import numpy_later as np
from tercet.corpus.items import check_missing, read_items, read_texts
from tercet.result import Result
from tercet.statistics.stats import SegmentStats

from .class_help import PUBLIC, WithHelp
from .configured import AS_IN_SCORER
from .definition import MetricDefinition
from .scoring import batch_stats, score_batch, segment_lists
from .short_road import score_lists, segments_of_lists

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Metric(MetricDefinition, metaclass=WithHelp):
    """A metric with its options, which are attributes: a value that can be called.

    Its only state is its options, so threads can share it. What it must know of a corpus before scoring (`fit`) is
    passed along as a context.

    Examples
    --------
    >>> import tercet
    >>> bleu = tercet.Bleu(max_order=2, lowercase=True)
    >>> bleu(["The cat sat"], [["the cat ran"]])["bleu"]
    0.5773502691896257
    >>> bleu
    Bleu(lowercase=True, max_order=2)
    """

    # The short road is `score_lists` -> `new_plan` -> the engine, which counts, adds up and scores; the long one is
    # `score_batch` -> `segment_stats` (rows) -> `SegmentStats.total` (sums) -> `report` (scores). CONTRIBUTING.md has
    # each step: "How a text becomes a score".
    def __call__(
        self,
        predictions: Any,
        references: Any = None,
        *,
        cluster: Any = None,
        segments: bool = AS_IN_SCORER,
        confidence_level: float | None = AS_IN_SCORER,
        signature: bool = AS_IN_SCORER,
        n_resamples: int = AS_IN_SCORER,
        seed: int = AS_IN_SCORER,
        n_jobs: int = AS_IN_SCORER,
    ) -> Result:
        """Score predictions, against references where the metric needs them.

        What a call leaves out is as it was given to :func:`tercet.scorer`, or else at its default there.

        Parameters
        ----------
        predictions : sequence of str
            One text per item.
        references : sequence of str or of sequences of str, optional
            One reference per item, or a list of any number of them per item. Metrics such as ``perplexity_lm`` take
            none.
        cluster : sequence of str or int, optional
            A label per item, by which the intervals resample, as in :func:`tercet.score`.
        segments : bool
            Add the scores of every item to the result. False by default.
        confidence_level : float, optional
            Add bootstrap intervals of this level, such as 0.95: expanded percentiles (Hesterberg 2015). By
            default there are none.
        signature : bool
            Also include the signature as a key of the result. False by default.
        n_resamples, seed : int
            Of the bootstrap: the same seed gives the same interval. 1000 and 12345 by default.
        n_jobs : int
            Threads that work on pieces of the corpus; the result is the same. 1 by default.

        Returns
        -------
        Result

        Raises
        ------
        InputError
            For texts that cannot be scored; names the item.
        OptionError
            For a value that an argument does not take.
        """
        metric = self
        # each of them: a dict of what is given would take as long as counting the n-grams of a sentence
        if not (segments is confidence_level is signature is n_resamples is seed is n_jobs is AS_IN_SCORER):
            call = {"segments": segments, "confidence_level": confidence_level, "signature": signature}
            metric = self.with_call_options(call | {"n_resamples": n_resamples, "seed": seed, "n_jobs": n_jobs})
        if cluster is None:
            result = score_lists(metric, predictions, references)
            if result is not None:
                return result
        return score_batch(metric, self.corpus(predictions, references), cluster)

    def segments(self, predictions: Any, references: Any = None) -> dict[str, list[float | None]]:
        """Return the scores of each item, as the key ``segments`` of a result has them.

        Parameters and errors as in a call of the metric. None stands for an item left out.
        """
        lists = segments_of_lists(self, predictions, references)
        if lists is None:
            lists = segment_lists(self, self.stats(predictions, references))
        return lists

    def stats(self, predictions: Any, references: Any = None) -> SegmentStats:
        """Return the statistics of each item: rows that add up, and can be written as an Arrow table."""
        return batch_stats(self, self.corpus(predictions, references))

    def pairwise(self, hypotheses: Any, references: Any = None, *, n_jobs: int = AS_IN_SCORER) -> NDArray[np.float64]:
        """Return the primary score of each hypothesis against each reference: many against many.

        Each different text is tokenized once; it is embedded once as long as all embeddings fit in 1 GB. What depends
        on a corpus is taken from the references, each as often as it is given: the document frequencies of
        ``idf=True``, and ROUGE's choice of a tokenizer. Memory beyond the result, and the tokens or vectors of the
        texts: 64 MB a thread, or more where a single pair of long texts takes more; a network's is its own.

        Parameters
        ----------
        hypotheses : sequence of str
            h texts.
        references : sequence of str, optional
            r texts; by default the hypotheses, each against all of them.
        n_jobs : int
            Threads that work on blocks of pairs; the result is the same. Networks have threads of their own. By
            default as given to :func:`tercet.scorer`, or else 1.

        Returns
        -------
        ndarray of float64, shape (h, r)
            Each as :meth:`segments` scores that pair alone; with a network, but for the last digits of its floats.

        Raises
        ------
        InputError
            For input that is not text; names the item.
        OptionError
            For a metric without references, and a value that an argument does not take.

        Examples
        --------
        >>> import tercet
        >>> tercet.Chrf().pairwise(["a cat", "a dog"], ["a cat", "the dog"]).round(1).tolist()
        [[100.0, 4.5], [6.2, 31.2]]
        """
        # Imported where it is used: most programs never ask for it.
        from .pairwise import pair_scores

        return pair_scores(self.with_call_options({"n_jobs": n_jobs}), hypotheses, references)

    def explain(self, prediction: str, references: Any = None) -> Any:
        """Explain the score of one prediction: values to work with, ``to_dict()``, ``to_html()``.

        Parameters
        ----------
        prediction : str
        references : str or sequence of str, optional

        Raises
        ------
        InputError
            For input that is not text, and for a prediction without reference.
        """
        if self.takes_references:
            corpus = read_items([prediction], [references])
            check_missing(corpus.missing, "error", at_zero="")
        else:
            corpus = read_texts([prediction])
        return self.explained(self.as_scored(corpus).encoded())

    def __dir__(self) -> list[str]:
        return [*PUBLIC, "name", *self.options()]

    def _repr_html_(self) -> str:
        """Show in a notebook what the metric is, with its options, and how it is called."""
        texts = "predictions, references" if self.takes_references else "predictions"
        description = self.about.description if hasattr(self, "about") else ""
        from tercet.names_as_shown import metric_html

        return metric_html(self.title or self.name, repr(self), description, f"metric({texts})")
