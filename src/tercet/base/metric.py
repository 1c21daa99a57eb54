"""The metric: a value with options that scores texts when called."""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Mapping
from inspect import cleandoc
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from tercet.corpus.corpus import Corpus
from tercet.corpus.items import check_missing, read_items
from tercet.corpus.reading import read_predictions
from tercet.errors import OptionError
from tercet.explanation.explanation import Matched
from tercet.markup import metric_html
from tercet.result import Result
from tercet.statistics.stats import SegmentStats

from .docs import parameters
from .options import Call
from .scorer import Scorer, segment_lists
from .scoring import batch_stats, pair_scores, score_batch

#: The numbers of a call that asks for nothing special.
_USUAL = (Call.n_resamples, Call.seed, Call.n_jobs)


MetricT = TypeVar("MetricT", bound="Metric")

#: What a user does with a metric; all else is for the code of the package.
PUBLIC = ("__call__", "explain", "pairwise", "segments", "stats")


# The class of metrics' classes: help and completion show the options and what a user calls, not how it is made.
class _Helpful(ABCMeta):
    def __dir__(cls) -> list[str]:
        return [*PUBLIC]

    @property
    def __doc__(cls: type[Metric]) -> str:  # type: ignore[override,misc]  # a property, as `help` asks no other descriptor
        """Return the docstring with the options and the keys of the result; made when it is read."""
        summary, *examples = cleandoc(vars(cls)["__doc__"] or "").split("\n\nExamples\n")
        about = vars(cls).get("about")
        more = [about.description, f"The result has {about.returns}"] if about else []
        sections = [parameters(cls), *(f"Examples\n{each}" for each in examples)]
        return "\n\n".join(part.strip() for part in (summary, *more, *sections))


class About(NamedTuple):
    """The documentation of a metric besides its options; all but `compares` as in evaluate's modules."""

    compares: str
    description: str
    citation: str
    urls: tuple[str, ...]
    returns: str
    example: str
    inputs: str = (
        "predictions (`list` of `str`): one text per item.\n"
        "references (`list` of `str` or of `list` of `str`): one reference per item, or a list of any number of "
        "them.\n"
    )


class Metric(Scorer, metaclass=_Helpful):
    """A metric with its options, which are attributes: a value that can be called.

    Examples
    --------
    >>> import tercet
    >>> bleu = tercet.Bleu(max_order=2, lowercase=True)
    >>> bleu(["The cat sat"], [["the cat ran"]])["bleu"]
    0.5773502691896257
    >>> bleu
    Bleu(lowercase=True, max_order=2)
    """

    about: ClassVar[About]
    #: The extras of the package that its options may need.
    extras: ClassVar[tuple[str, ...]] = ()
    short: ClassVar[str]
    #: evaluate's modules that it replaces, each with the configuration that does.
    replaces: ClassVar[tuple[tuple[str, str | None], ...]] = ()
    #: What else evaluate's own module calls the predictions.
    predictions_also_called: ClassVar[tuple[str, ...]] = ()
    _written: ClassVar[Mapping[str, Any] | None] = None

    def __dir__(self) -> list[str]:
        return [*PUBLIC, "name", *self.options()]

    def __call__(
        self,
        predictions: Any,
        references: Any = None,
        *,
        cluster: Any = None,
        segments: bool = False,
        confidence_level: float | None = None,
        signature: bool = False,
        n_resamples: int = 1000,
        seed: int = 12345,
        n_jobs: int = 1,
    ) -> Result:
        """Score predictions, against references where the metric needs them.

        What a call leaves at its default is as it was given to :func:`tercet.scorer`.

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
            Add the scores of every item to the result.
        confidence_level : float, optional
            Add percentile bootstrap intervals of this level, such as 0.95.
        signature : bool
            Also include the signature as a key of the result.
        n_resamples, seed : int
            Of the bootstrap: the same seed gives the same interval.
        n_jobs : int
            Threads that work on pieces of the corpus; the result is the same.

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
        if segments or confidence_level is not None or signature or (n_resamples, seed, n_jobs) != _USUAL:
            call = {"segments": segments, "confidence_level": confidence_level, "signature": signature}
            metric = self._calling(call | {"n_resamples": n_resamples, "seed": seed, "n_jobs": n_jobs})
        return score_batch(metric, self.corpus(predictions, references), cluster)

    def _calling(self, call: dict[str, Any]) -> Metric:
        """Return the metric for a call; options that the call leaves at the default are those of the metric."""
        given = {name: value for name, value in call.items() if value != Call.options()[name].default}
        return self.asking(Call.made({**self.asked.given, **given}, called=self.name))

    def segments(self, predictions: Any, references: Any = None) -> dict[str, list[float | None]]:
        """Return the scores of each item, as the key ``segments`` of a result has them.

        Parameters and errors as in a call of the metric. None stands for an item left out.
        """
        return segment_lists(self, self.stats(predictions, references))

    def stats(self, predictions: Any, references: Any = None) -> SegmentStats:
        """Return the statistics of each item: rows that add up, and can be written as an Arrow table."""
        return batch_stats(self, self.corpus(predictions, references))

    def pairwise(self, hypotheses: Any, references: Any = None, *, n_jobs: int = 1) -> NDArray[np.float64]:
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
            Threads that work on blocks of pairs; the result is the same. Networks have threads of their own.

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
        metric = self if n_jobs == Call.n_jobs else self._calling({"n_jobs": n_jobs})
        return pair_scores(metric, hypotheses, references)

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
        if not self.takes_references:
            return self.explained(read_predictions([prediction]))
        items = read_items([prediction], [references])
        check_missing(items.missing, "error", at_zero="")
        return self.explained(items.batch())

    def _repr_html_(self) -> str:
        """Show in a notebook what the metric is, with its options, and how it is called."""
        texts = "predictions, references" if self.takes_references else "predictions"
        description = self.about.description if hasattr(self, "about") else ""
        return metric_html(self.title or self.name, repr(self), description, f"metric({texts})")

    @classmethod
    def known_as(cls, name: str) -> str | None:
        """Return a hint for a user who takes this name, such as a package's, for a metric, or None."""
        return f"Its scores are those of {cls.name} with compat={name!r}." if name in cls.presets else None

    @classmethod
    def better(cls) -> str:
        """Return which scores are better: higher, lower, or, if it depends on the score, either."""
        if cls.is_higher_better is not Scorer.is_higher_better:
            return "either"
        return "higher" if cls.higher_is_better else "lower"

    @classmethod
    def options_to_explain(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options to explain one prediction, given those of a call."""
        return dict(given)

    def with_options(self: MetricT, given: Mapping[str, Any], *, idle: bool = False) -> MetricT:
        """Return a metric with these options besides its own."""
        return type(self).from_options({**self.given, **self.asked.given, **given}, idle=idle)

    @property
    def written(self) -> dict[str, Any]:
        """The options as a user wrote them, those that equal a default too; of a value, those that were `given`."""
        return {**self.given, **self.asked.given} if self._written is None else dict(self._written)

    def written_as(self: MetricT, options: Mapping[str, Any]) -> MetricT:
        """Return the metric with these options as `written`."""
        metric = self.asking(self.asked)
        metric.__dict__.update(_written=options)
        return metric

    def with_defaults(self: MetricT, **defaults: Any) -> MetricT:
        """Return the metric with these options where the user wrote none; `written` is the same."""
        written = self.written
        missing = {name: value for name, value in defaults.items() if name not in written}
        return self.with_options(missing).written_as(written)

    def explained(self, batch: Corpus, context: Any = None) -> Any:
        """Explain a batch of one item, with the context of a corpus, or None; OptionError where there is none."""
        raise OptionError(f"{self.name} has no explanation of its scores.")

    def matched(self, score: str, tokenizer: str | None) -> Matched | None:
        """Return how a report finds the matched tokens of the prediction, or None."""
        return None
