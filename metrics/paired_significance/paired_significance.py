"""Whether two systems differ by more than chance, as an evaluate comparison."""

import datasets
import evaluate

from tercet.comparison.paired_significance import check_options, read_two, significance_of_parts
from tercet.corpus.corpus import join_batches
from tercet.errors import InputError, OptionError, shorten
from tercet.huggingface.gathering import Gathering, Job
from tercet.huggingface.suite_module import shared_options

_CITATION = """\
@inproceedings{koehn-2004-statistical,
    title = "Statistical Significance Tests for Machine Translation Evaluation",
    author = "Koehn, Philipp",
    booktitle = "Proceedings of the 2004 Conference on Empirical Methods in Natural Language Processing",
    year = "2004",
    url = "https://aclanthology.org/W04-3250",
    pages = "388--395",
}
@inproceedings{riezler-maxwell-2005-pitfalls,
    title = "On Some Pitfalls in Automatic Evaluation and Significance Testing for {MT}",
    author = "Riezler, Stefan and Maxwell, John T.",
    booktitle = "Proceedings of the {ACL} Workshop on Intrinsic and Extrinsic Evaluation Measures for Machine
        Translation and/or Summarization",
    year = "2005",
    url = "https://aclanthology.org/W05-0908",
    pages = "57--64",
}
"""

_DESCRIPTION = """\
Two systems on the same texts, scored by a metric of the suite: is the difference of their scores more than chance?
Answered by a paired permutation test (approximate randomization) or a paired bootstrap, with sacrebleu's p-values.
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions1 (`list` of `str`): the texts of the first system, one per item.
    predictions2 (`list` of `str`): those of the second system, for the same items.
    references (`list` of `str` or of `list` of `str`): one reference per item, or a list of any number of them.
    metric (`str`): any metric of the suite; bleu_multi by default.
    test (`str`): permutation (default) or bootstrap.
    n_resamples (`int`): 10,000 permutations or 1,000 bootstrap samples by default.
    seed (`int`): the same seed gives the same p. Defaults to 12345.
    **options: those of the metric.
Returns:
    stat, p (`float`): difference of the metric's primary score, second minus first, and its two-sided p-value,
    scores1, scores2, stats, pvalues (`dict`): scores, differences and p-values by the name of the score,
    test, n_resamples, seed, n_segments, signature.
Examples:

    >>> import tercet
    >>> significance = tercet.load("paired_significance")
    >>> one, other = ["a cat sat", "no", "it rains"], ["the cat sat", "yes", "it rains now"]
    >>> result = significance.compute(
    ...     predictions1=one, predictions2=other, references=other, metric="rouge_nlws", rouge_types=["rouge1"]
    ... )
    >>> round(result["stat"], 3), round(result["p"], 2)
    (0.511, 0.25)
"""

_INPUTS = ("predictions1", "predictions2", "references")


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class PairedSignificance(Gathering, evaluate.Comparison):
    """Paired tests as an evaluate comparison."""

    def __init__(self, config_name=None, *args, **kwargs):
        if config_name not in (None, "default"):
            raise OptionError(
                f"paired_significance has no configuration {shorten(config_name)}: give the metric's options to "
                "compute, such as compat='sacrebleu'."
            )
        super().__init__(config_name, *args, **kwargs)

    def _info(self):
        text = datasets.Value("string")
        both = dict.fromkeys(_INPUTS[:2], text)
        return evaluate.ComparisonInfo(
            module_type="comparison",
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=[
                datasets.Features({**both, "references": datasets.Sequence(text)}),
                datasets.Features({**both, "references": text}),
            ],
            reference_urls=["https://aclanthology.org/W04-3250", "https://aclanthology.org/W05-0908"],
        )

    def compute(self, *, predictions1=None, predictions2=None, references=None, **options):
        """Test the systems added so far, or those given here.

        Args:
            predictions1, predictions2 (`list` of `str`, *optional*):
                One text per item of each system.
            references (`list` of `str` or of `list` of `str`, *optional*):
                One reference per item, or a list of any number of them per item.
            **options (optional):
                metric, test, n_resamples, seed, and the metric's options.

        Return:
            `dict`, or `None` if this is not the main process (`process_id != 0`).
        """
        usual = {"metric": "bleu_multi", "test": "permutation", "n_resamples": None, "seed": 12345}
        chosen = {name: options.get(name, value) for name, value in usual.items()}
        rest = {name: value for name, value in options.items() if name not in usual}
        scorer = check_options(**chosen, options=rest)
        given = (predictions1, predictions2, references)
        both = self._read(*given) if any(each is not None for each in given) else self._read([], [], [])
        shared = shared_options(scorer) | {name: str(value) for name, value in chosen.items()}

        def batches(added):
            joined = join_batches(added)
            return [joined.system(system) for system in range(2)]

        def result(systems):
            settings = {name: value for name, value in chosen.items() if name != "metric"}
            return significance_of_parts(scorer, systems, **settings)

        return self._gather(both, shared, Job(scorer, batches, result))

    def add_batch(self, *, predictions1=None, predictions2=None, references=None, **inputs):
        """Add texts of both systems and references; they are checked first, and a refused batch adds nothing.

        Args:
            predictions1, predictions2 (`list` of `str`):
                One text per item of each system.
            references (`list` of `str` or of `list` of `str`):
                One reference per item, or a list of any number of them per item.
        """
        if inputs:
            raise InputError(f"The inputs are {', '.join(_INPUTS)}; got also {', '.join(sorted(inputs))}.")
        self._keep(self._read(predictions1, predictions2, references))

    def add(self, *, predictions1=None, predictions2=None, references=None, **inputs):
        """Add a text of each system and its reference or references.

        Args:
            predictions1, predictions2 (`str`):
                A text of each system.
            references (`str` or `list` of `str`):
                Its reference, or a list of any number of them.
        """
        self.add_batch(predictions1=[predictions1], predictions2=[predictions2], references=[references], **inputs)

    def _read(self, predictions1, predictions2, references):
        return read_two(predictions1, predictions2, references)
