"""The evaluate modules of the suite, by name."""

from __future__ import annotations

from typing import Any

from tercet.base.about import modules_folder
from tercet.base.metric import Metric
from tercet.errors import GatheringError, OptionError, check_working_directory, first_line, needs, shorten
from tercet.registry import SHORT_NAMES, no_metric


def load(metric: str, config_name: str | None = None, **settings: Any) -> Any:
    """Return an evaluate module of the suite: of the installed package, or of the checkout.

    Parameters
    ----------
    metric : str
        A metric of the suite, or ``"paired_significance"``.
    config_name : str, optional
        Another package whose evaluate module it replaces: ``load("bleu_multi", "sacrebleu")`` takes the arguments
        of evaluate's sacrebleu, and returns its keys. Any value of the metric's option ``compat``.
    **settings
        Passed to ``evaluate.load``, such as ``num_process`` or ``experiment_id``.

    Returns
    -------
    evaluate.Metric

    Raises
    ------
    OptionError
        For an unknown metric, and where evaluate is not installed.
    GatheringError
        If evaluate's folders cannot be written.
    InputError
        If there is no working directory, which evaluate needs for its import.
    """
    kind = metric if isinstance(metric, type) else type(metric)
    if issubclass(kind, Metric) and kind is not Metric:
        raise OptionError(
            f"Expected the name of a metric, got {shorten(metric)}: load({kind.name!r}) returns its evaluate module, "
            "whose compute takes the options."
        )
    needs("tercet.load", "evaluate", "evaluate", "datasets")
    check_working_directory("evaluate")
    # Not evaluate.load, in whose place people put this function.
    from evaluate.loading import load as load_module

    folder = modules_folder()
    module_names = sorted(path.parent.name for path in folder.glob("*/*.py") if path.stem == path.parent.name)
    metric = SHORT_NAMES.get(metric, metric) if isinstance(metric, str) else metric
    if not isinstance(metric, str) or metric not in module_names:
        raise no_metric(metric, [*module_names, *SHORT_NAMES])
    try:
        return load_module(str(folder / metric), config_name, **settings)
    except OSError as error:
        # evaluate copies the files of a module before it imports them.
        raise GatheringError(
            f"evaluate cannot load the module {metric}. {first_line(error)}. Choose another folder by "
            "HF_HOME in the environment."
        ) from error
