"""Scores of what a model writes while it is trained, each checkpoint compared with the first and the best so far."""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from tercet.base.metric import Metric
from tercet.base.options import check_values
from tercet.base.scoring import refuse_missing
from tercet.corpus.items import as_list, read_items
from tercet.errors import InputError, needs, shorten
from tercet.option_checks import integer, known_keywords, number, refuse
from tercet.statistics.progress import bars_within

from .checkpoint_comparison import CheckpointComparison, ComparedCheckpoint
from .checkpoint_file import FILE, WrittenColumn, prompt_text, read_checkpoints, set_aside, write_checkpoints
from .compute_metrics import compute_metrics
from .loggers import LOGGERS

needs("tercet.GenerationCallback", "perplexity", "torch", "transformers")
needs("tercet.GenerationCallback", "", "accelerate")

from accelerate.utils import broadcast_object_list
from tqdm import tqdm
from transformers import TrainerCallback

from .generation import check_can_generate, check_prompts, check_settings, generate, settings_of

if TYPE_CHECKING:
    from transformers import TrainerControl, TrainerState, TrainingArguments

#: The entry of a Trainer's log that says whether a checkpoint is better than the best one before it: a run that is
#: resumed reads it there.
_IS_BETTER = "eval_is_better"
#: Texts in the table that loggers show.
_SHOWN_ROWS = 20


def _moment(value: Any) -> Any:
    if value in ("eval", "epoch") or (isinstance(value, int) and not isinstance(value, bool) and value > 0):
        return value
    raise refuse("'eval', 'epoch', or a number of steps")


_CHECKS = {
    "every": _moment,
    "n": integer(1, none=True),
    "batch_size": integer(1),
    "time_budget": number("a number of seconds above 0", lambda seconds: seconds > 0, none=True),
    "early_stopping_patience": integer(1, none=True),
    "seed": integer(0),
}


class GenerationCallback(TrainerCallback):  # type: ignore[misc]
    """Score what a model writes while it is trained, in a Trainer of transformers or TRL, and say what is noise.

    At every evaluation the model answers the same prompts, as it is: with its adapters, from its chat template. Each
    score is logged with its interval as ``eval_chrf``, ``eval_chrf_low`` and ``eval_chrf_high``; and from the second
    time on with the difference to the first checkpoint and to the best one so far, ``eval_chrf_diff_first`` and
    ``eval_chrf_diff_best``, and their p, ``eval_chrf_p_first`` and ``eval_chrf_p_best`` (paired permutation test).
    These p are adjusted for how often was looked: the k-th p is multiplied by k² pi² / 6, so that of all looks at a
    model that does not change 5 % at most find p < .05. Later looks have more resamples, from 10,000 to 100,000;
    where none of them has as large a difference, p is bounded by Hoeffding's inequality too, so that however often
    was looked, a clear difference is found. Fewer than 7 texts cannot show any, at the 100th look fewer than 27: the
    sentence on a checkpoint then says so. Whether a checkpoint is better than the best one before it, by the first
    metric, is logged as ``eval_is_better``.

    The texts are kept in ``checkpoints.jsonl`` in the output folder, with a column for each checkpoint, which
    ``tercet compare`` reads as systems. The best checkpoint is the best on these prompts: its score is a little too
    good, and a final figure needs other prompts.

    Outside of training every evaluation looks again, as other weights may have been loaded: their column is
    ``step 60 (2)`` where the training ended after step 60. ``trainer.evaluate(metric_key_prefix="test")`` logs
    ``test_chrf``, and ``trainer.predict`` returns it. The names of evaluations of several sets begin with ``eval_``.

    Parameters
    ----------
    prompts : sequence of str or of lists of messages
        Texts, or conversations (``{"role": ..., "content": ...}``), to which the chat template is applied.
    references : sequence of str or of sequences of str, optional
        As :func:`tercet.score` takes them, chats too; not needed by metrics that take none.
    metrics : str, Metric or sequence of them
        Metrics of the suite, by name or as values.
    options : mapping, optional
        Their options, as :func:`tercet.compute_metrics` takes them.
    every : {"eval", "epoch"} or int
        When: at each evaluation of the Trainer, at the end of each epoch, or after so many steps.
    n : int, optional
        Most prompts: so many of them, drawn by `seed`; None takes all.
    generation_config : GenerationConfig or mapping, optional
        Of ``model.generate``, for one text per prompt. By default the most likely tokens, 256 at most.
    batch_size : int
        Prompts at a time; halved as often as memory runs out.
    time_budget : float, optional
        Seconds for the generation at a checkpoint. When they are over, the prompts that have no text yet are left out
        from then on, and checkpoints are compared on those that they share.
    early_stopping_patience : int, optional
        Stop training where so many checkpoints in turn were not significantly better than the best before them, by
        the primary score of the first metric. Checkpoints at which there are too few texts for any difference to be
        significant do not count.
    seed : int
        Of the choice of prompts, of sampling, and of the tests.

    Raises
    ------
    OptionError, InputError
        At once, not after the first epoch: for a Trainer without a tokenizer where it is made, and for settings that
        the model cannot write with where training begins.

    Examples
    --------
    >>> import tercet
    >>> prompts, references = ["Translate: Haus", "Translate: Katze"], ["house", "cat"]
    >>> callback = tercet.GenerationCallback(prompts, references, metrics=["chrf", "wer"], every=500)
    >>> # trainer = SFTTrainer(model, ..., callbacks=[callback])
    """

    @known_keywords
    def __init__(
        self,
        prompts: Any,
        references: Any = None,
        metrics: str | Metric | Sequence[str | Metric] = ("bleu_multi", "rouge_nlws"),
        *,
        options: Mapping[str, Any] | None = None,
        every: Literal["eval", "epoch"] | int = "eval",
        n: int | None = 200,
        generation_config: Any = None,
        batch_size: int = 8,
        time_budget: float | None = None,
        early_stopping_patience: int | None = None,
        seed: int = 12345,
    ) -> None:
        given_settings = {
            "every": every,
            "n": n,
            "batch_size": batch_size,
            "time_budget": time_budget,
            "early_stopping_patience": early_stopping_patience,
            "seed": seed,
        }
        settings = check_values("tercet.GenerationCallback", given_settings, _CHECKS)
        self._every = settings["every"]
        self._patience = settings["early_stopping_patience"]
        self._batch_size = settings["batch_size"]
        self._seconds = settings["time_budget"]
        self._seed = settings["seed"]
        self._generation = settings_of(generation_config)
        # Names, options and their errors are those of compute_metrics.
        self._scores = compute_metrics(None, metrics, options=options, decode=lambda rows: [str(row) for row in rows])
        self._metrics = []
        for metric in self._scores.metrics:
            if not metric.asked.confidence_level:
                metric = metric.with_options({"confidence_level": 0.95})
            self._metrics.append(metric)
        self._prompts, self._references = _read_prompts(prompts, references, self._metrics)
        if settings["n"] is not None and settings["n"] < len(self._prompts):
            self._draw(settings["n"])
        self._model: weakref.ref[Any] | None = None
        self._is_training = False
        self.reset()

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the model, to which a weak reference cannot be pickled."""
        return {**self.__dict__, "_model": None}

    def _draw(self, n: int) -> None:
        """Keep some prompts, in any order: the first ones are then a sample too, if time is short."""
        drawn = np.random.default_rng(self._seed).permutation(len(self._prompts))[:n].tolist()
        self._prompts = [self._prompts[item] for item in drawn]
        if self._references is not None:
            self._references = [self._references[item] for item in drawn]

    def reset(self) -> None:
        """Forget all checkpoints: for another run with the same callback."""
        self._comparison = CheckpointComparison(
            self._scores, self._metrics, self._references, n_texts=len(self._prompts), seed=self._seed
        )
        self._figures: dict[str, float] = {}
        # Prefixes of the evaluations that have these figures; none where the next one must look again.
        self._evaluations_with_figures: set[str] = set()
        self._file: Path | None = None

    # What a Trainer calls.

    def on_init_end(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        model: Any = None,
        processing_class: Any = None,
        **_: Any,
    ) -> None:
        """Refuse a Trainer whose model or tokenizer cannot write."""
        check_can_generate(model, processing_class)
        check_prompts(processing_class, self._prompts)

    def on_train_begin(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        model: Any = None,
        processing_class: Any = None,
        **_: Any,
    ) -> None:
        """Go on with the checkpoints of a run that is resumed; another run begins without any."""
        # A callback that was added to a Trainer has not seen how it was made.
        check_can_generate(model, processing_class)
        check_prompts(processing_class, self._prompts)
        check_settings(model, processing_class, self._prompts, self._generation)
        self._reset_for_another(model)
        self._is_training = True
        self._evaluations_with_figures.clear()
        step = state.global_step
        if step == 0 and any(checkpoint.step > 0 for checkpoint in self._comparison.checkpoints):
            self.reset()
        self._comparison.forget_after(step)
        if step > 0 and not self._comparison.checkpoints:
            path = Path(args.output_dir) / FILE
            for column in self._read(path, state):
                if column.step <= step:
                    self._comparison.restore(column.step, column.texts, column.number)
                    self._file = path

    def on_train_end(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        """Look again from here on: the best model may have been loaded, or any other."""
        self._is_training = False
        self._evaluations_with_figures.clear()

    def on_step_begin(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        """Look again: the weights are about to change."""
        self._evaluations_with_figures.clear()

    def on_evaluate(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        metrics: dict[str, float] | None = None,
        **passed: Any,
    ) -> None:
        """Score what the model writes now, and add it to what the evaluation found."""
        if self._every == "eval":
            self._look(args, state, control, metrics, **passed)

    def on_predict(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        metrics: dict[str, float],
        **passed: Any,
    ) -> None:
        """Score what the model writes now, and add it to what is returned; a Trainer logs no prediction."""
        if self._every == "eval":
            self._look(args, state, control, metrics, is_logged=False, **passed)

    def on_epoch_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **passed: Any
    ) -> None:
        """Score what the model writes now."""
        # After the last epoch the best model is loaded.
        self._evaluations_with_figures.clear()
        if self._every == "epoch":
            self._look(args, state, control, **passed)

    def on_step_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **passed: Any
    ) -> None:
        """Score what the model writes now."""
        if isinstance(self._every, int) and state.global_step % self._every == 0:
            self._look(args, state, control, **passed)

    # A look at a checkpoint.

    def _look(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        metrics: dict[str, float] | None = None,
        model: Any = None,
        processing_class: Any = None,
        is_logged: bool = True,
        **_: Any,
    ) -> None:
        evaluation = _prefix_of_evaluation(metrics)
        kind = "eval" if evaluation.startswith("eval_") else evaluation
        name_prefix = self._name_prefix(kind, metrics)
        self._reset_for_another(model)
        if not self._is_of_next_set(evaluation):
            compared = self._generate(args, state, model, processing_class)
            if is_logged:
                logged = self._named_figures(f"{kind}_{name_prefix}")
                if kind == "eval" and compared.is_better is not None:
                    logged[_IS_BETTER] = compared.is_better
                _keep_in_history(state, logged, is_of_evaluation=metrics is not None)
            if state.is_world_process_zero:
                entries = self._named_figures(f"{kind}/{name_prefix}") if is_logged else None
                self._record(args, state.global_step, entries, compared.sentences)
        if self._is_training:
            self._evaluations_with_figures.add(evaluation)
        if metrics is not None:
            metrics.update(self._named_figures(f"{kind}_{name_prefix}"))
        if self._patience is not None and _n_not_better(state) >= self._patience:
            control.should_training_stop = True

    def _is_of_next_set(self, evaluation: str) -> bool:
        """Return whether an evaluation is of a further set at the same step, which has figures by now."""
        # While it trains, a Trainer with several evaluation sets evaluates one after the other at a step.
        if not evaluation.startswith("eval_") or not self._evaluations_with_figures:
            return False
        return evaluation not in self._evaluations_with_figures

    def _name_prefix(self, kind: str, metrics: Mapping[str, float] | None) -> str:
        """Return what stands before the names of scores: something where the Trainer's own have these names."""
        for score in self._scores.logged_scores():
            if metrics is not None and f"{kind}_{score.name}" in metrics:
                return "generated_"
        return ""

    def _named_figures(self, prefix: str) -> dict[str, float]:
        """Return the figures of the last checkpoint, with something before their names."""
        return {f"{prefix}{name}": value for name, value in self._figures.items()}

    def _generate(
        self, args: TrainingArguments, state: TrainerState, model: Any, processing_class: Any
    ) -> ComparedCheckpoint:
        """Add what the model writes now to the checkpoints, and return how it compares with them."""
        check_can_generate(model, processing_class)
        with bars_within(state.is_world_process_zero and not args.disable_tqdm):
            texts = generate(
                model, processing_class, self._prompts[: self._comparison.n_texts], self._generation,
                batch_size=self._batch_size, seed=self._seed, seconds=self._seconds,
            )  # fmt: skip
        compared = self._comparison.add(state.global_step, texts)
        self._figures = compared.figures
        self._evaluations_with_figures.clear()
        return compared

    def _reset_for_another(self, model: Any) -> None:
        """Forget the checkpoints of another model, as of another Trainer with this callback."""
        is_another = self._model is not None and self._model() is not model
        if is_another:
            self.reset()
        self._model = None if model is None else weakref.ref(model)

    # Where texts and scores go.

    def _record(
        self, args: TrainingArguments, step: int, entries: Mapping[str, float] | None, sentences: Sequence[str]
    ) -> None:
        """Write the texts, pass entries to the loggers unless there are none, and show the sentences."""
        self._write(Path(args.output_dir) / FILE)
        if entries is not None:
            self._log(args, step, entries)
        if not args.disable_tqdm:
            tqdm.write("\n".join(sentences))

    def _read(self, path: Path, state: TrainerState) -> list[WrittenColumn]:
        """Return the checkpoints of an earlier run, which the first process tells the others."""
        # Another machine may have a folder of its own, without the file that the first process wrote.
        columns = read_checkpoints(path, self._prompts) if state.is_world_process_zero else []
        (columns_of_first,) = broadcast_object_list([columns])
        return columns_of_first  # type: ignore[no-any-return]

    def _write(self, path: Path) -> None:
        """Write the texts of all checkpoints; the file of an earlier run is kept."""
        path.parent.mkdir(parents=True, exist_ok=True)
        if self._file != path:
            set_aside(path)
        self._file = path
        prompts = self._prompts[: self._comparison.n_texts]
        write_checkpoints(path, self._comparison.checkpoints, prompts, self._references)

    def _log(self, args: TrainingArguments, step: int, entries: Mapping[str, float]) -> None:
        """Pass scores, and a table of some texts, to the loggers that the Trainer reports to."""
        rows = []
        for item, text in enumerate(self._comparison.checkpoints[-1].texts[:_SHOWN_ROWS]):
            reference = "" if self._references is None else "\n".join(self._references[item])
            rows.append([prompt_text(self._prompts[item]), reference, text])
        for name, logger in LOGGERS.items():
            if name in args.report_to:
                logger(args, step, entries, rows)


def _prefix_of_evaluation(metrics: Mapping[str, float] | None) -> str:
    """Return what a Trainer's names of an evaluation begin with: "eval", "test", or "eval_dev" of one of several."""
    if metrics is None:
        return "eval"
    beginnings = [name.removesuffix("_runtime") for name in metrics if name.endswith("_runtime")]
    return min(beginnings, key=len, default="eval")


def _keep_in_history(state: TrainerState, logged: Mapping[str, float], *, is_of_evaluation: bool) -> None:
    """Add figures to the entry of the evaluation in the log of a Trainer, or make an entry of their own."""
    log = state.log_history
    if is_of_evaluation and log and log[-1].get("step") == state.global_step:
        log[-1].update(logged)
    else:
        log.append({"epoch": state.epoch, "step": state.global_step, **logged})


def _n_not_better(state: TrainerState) -> int:
    """Return how many checkpoints in turn were not better, by the log: a resumed run has that of the first."""
    # After a step the last look counts.
    is_better_by_step: dict[int, bool] = {}
    for entry in state.log_history:
        if _IS_BETTER in entry:
            is_better_by_step[entry["step"]] = entry[_IS_BETTER]
    n_not_better = 0
    for is_better in is_better_by_step.values():
        n_not_better = 0 if is_better else n_not_better + 1
    return n_not_better


def _read_prompts(
    prompts: Any, references: Any, metrics: Sequence[Metric]
) -> tuple[list[Any], list[list[str]] | None]:
    """Return prompts, and a list of references for each; None where no metric takes any."""
    prompt_list = as_list(prompts, "prompts", "one text, or one list of messages, per item", 2)
    if not prompt_list:
        raise InputError("prompts must have at least one item, got none.")
    are_texts = isinstance(prompt_list[0], str)
    for item, prompt in enumerate(prompt_list):
        is_text = isinstance(prompt, str)
        if not is_text and not _is_conversation(prompt):
            raise InputError(f"item {item} of prompts must be a text or a list of messages, got {shorten(prompt)}.")
        if is_text != are_texts:
            raise InputError(f"item {item} of prompts is {shorten(prompt)}: give either texts or conversations.")
    needed_by = [metric for metric in metrics if metric.takes_references]
    if not needed_by:
        return prompt_list, None
    if references is None:
        raise InputError(f"{needed_by[0].name} needs references: one text, or a list of texts, for each prompt.")
    corpus = read_items([""] * len(prompt_list), references, "prompts").checked()
    for metric in needed_by:
        refuse_missing(metric, corpus.missing)
    return prompt_list, corpus.reference_lists()


def _is_conversation(prompt: Any) -> bool:
    if not isinstance(prompt, Sequence) or not prompt:
        return False
    return all(isinstance(message, Mapping) for message in prompt)
