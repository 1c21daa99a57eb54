"""The evaluate modules of the suite, by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tercet.base.about import modules_folder
from tercet.base.metric import Metric
from tercet.errors import GatheringError, OptionError, check_working_directory, first_line, needs, shorten
from tercet.registry import SHORT_NAMES, no_metric

#: evaluate's modules, and the metric and configuration of the suite that replace each. For :func:`load` most of them
#: are short names of metrics (`SHORT_NAMES`), which come first: it takes "sacrebleu" and "cer" from here.
MODULES_OF_EVALUATE: Mapping[str, tuple[str, str | None]] = {
    "bleu": ("bleu_multi", "evaluate"),
    "sacrebleu": ("bleu_multi", "sacrebleu"),
    "chrf": ("chrf_multi", "sacrebleu"),
    "ter": ("ter", "sacrebleu"),
    "rouge": ("rouge_nlws", "rouge_score"),
    "google_bleu": ("google_bleu", None),
    "bertscore": ("bertscore_idf", "bert_score"),
    "perplexity": ("perplexity_lm", "evaluate"),
    "wer": ("wer", None),
    "cer": ("wer", None),
}


def load(metric: str, config_name: str | None = None, *, normalize: Any = None, **settings: Any) -> Any:
    """Return an evaluate module of the suite: of the installed package, or of the checkout.

    Parameters
    ----------
    metric : str
        A metric of the suite, or ``"paired_significance"``. Or one of evaluate that has another name here:
        ``"sacrebleu"`` is ``load("bleu_multi", "sacrebleu")``, and ``"cer"`` is ``load("wer")``, whose result has it.
    config_name : str, optional
        Another package whose evaluate module it replaces: ``load("bleu_multi", "sacrebleu")`` takes the arguments
        of evaluate's sacrebleu, and returns its keys. Any value of the metric's option ``compat``.
    normalize : str, callable or list, optional
        What every ``compute`` of the module does to the texts first, unless it is given another: see
        :class:`tercet.Bleu`. For ``evaluate.combine``, which gives its options to all modules alike.
    **settings
        Passed to ``evaluate.load``, such as ``num_process`` or ``experiment_id``.

    Returns
    -------
    evaluate.Metric

    Raises
    ------
    OptionError
        For an unknown metric, options in its name, and where evaluate is not installed.
    GatheringError
        If evaluate's folders cannot be written.
    InputError
        If there is no working directory, which evaluate needs for its import.

    Examples
    --------
    >>> module = load("chrf", normalize=["think", "html"])
    >>> module.compute(predictions=["<think>Or?</think>salt &amp; sand"], references=["salt & sand"])["chrf"]
    100.0
    """
    kind = metric if isinstance(metric, type) else type(metric)
    if issubclass(kind, Metric) and kind is not Metric:
        raise OptionError(
            f"Expected the name of a metric, got {shorten(metric)}: load({kind.name!r}) returns its evaluate module, "
            "whose compute takes the options."
        )
    needs("tercet.load", "evaluate", "evaluate", "datasets")
    check_working_directory("evaluate")
    # Not evaluate.load, which people replace by this function.
    from evaluate.loading import load as load_module

    folder = modules_folder()
    module_names = sorted(path.parent.name for path in folder.glob("*/*.py") if path.stem == path.parent.name)
    module, configuration = _module_of(metric, config_name, module_names)
    if normalize is not None:
        settings["normalize"] = normalize
    try:
        return load_module(str(folder / module), configuration, **settings)
    except OSError as error:
        # evaluate copies the files of a module before it imports them.
        raise GatheringError(
            f"evaluate cannot load the module {module}. {first_line(error)}. Choose another folder by "
            "HF_HOME in the environment."
        ) from error


def _module_of(metric: Any, config_name: str | None, module_names: Sequence[str]) -> tuple[str, str | None]:
    """Return the module of a name, and its configuration; OptionError for an unknown name."""
    if not isinstance(metric, str):
        raise no_metric(metric, [*module_names, *SHORT_NAMES])
    name = SHORT_NAMES.get(metric, metric)
    if name in module_names:
        return name, config_name
    if name in MODULES_OF_EVALUATE:
        module, configuration = MODULES_OF_EVALUATE[name]
        if configuration is not None and config_name not in (None, "default", configuration):
            raise OptionError(
                f"{metric!r} is the configuration {configuration!r} of {module}, and has no other: got "
                f"{shorten(config_name)}."
            )
        return module, configuration or config_name
    text, colon, _ = metric.partition(":")
    if colon and SHORT_NAMES.get(text, text) in module_names:
        raise OptionError(
            f"load takes the name of a metric alone, got {shorten(metric)}: load({text!r}) returns its evaluate "
            "module, whose compute takes the options."
        )
    raise no_metric(metric, [*module_names, *SHORT_NAMES])
