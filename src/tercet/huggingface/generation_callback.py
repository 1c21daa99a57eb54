"""Scores of what a model writes while it is trained, each checkpoint compared with the first and the best so far."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from tercet.base.metric import Metric, batch_stats, is_higher_better, refuse_missing, summarize
from tercet.base.options import check_values
from tercet.checks import integer, known_keywords, number, refuse
from tercet.comparison.scores import significance
from tercet.corpus.items import as_list, read_items, read_texts
from tercet.errors import InputError, OptionError, needs, shorten
from tercet.statistics.progress import bars_within
from tercet.statistics.stats import SegmentStats
from tercet.tables import Column, Table, to_markdown

from .trainer import compute_metrics

needs("tercet.GenerationCallback", "perplexity", "torch", "transformers")
needs("tercet.GenerationCallback", "", "accelerate")

from tqdm import tqdm
from transformers import TrainerCallback

from .generation import generate, settings_of

if TYPE_CHECKING:
    from transformers import TrainerControl, TrainerState, TrainingArguments

#: Where the texts are kept, in the output folder of the Trainer.
FILE = "checkpoints.jsonl"
#: Below which p, adjusted for how often was looked, a checkpoint is better than another.
ALPHA = 0.05
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


@dataclass(frozen=True, slots=True)
class _Checkpoint:
    """What a model wrote after a step, and its rows for each metric."""

    step: int
    texts: list[str]
    stats: list[SegmentStats]

    def rows(self, place: int, n: int) -> SegmentStats:
        """Return the rows of the first texts for the metric in a place."""
        return self.stats[place].selected(np.arange(len(self.texts)) < n)


class GenerationCallback(TrainerCallback):  # type: ignore[misc]
    """Score what a model writes while it is trained, in a Trainer of transformers or TRL, and say what is noise.

    At every evaluation the model answers the same prompts, as it is: with its adapters, from its chat template. Each
    score is logged with its interval as ``eval_chrf``, ``eval_chrf_low`` and ``eval_chrf_high``; and from the second
    time on with the difference to the first checkpoint and to the best one so far, ``eval_chrf_diff_first`` and
    ``eval_chrf_diff_best``, and their p, ``eval_chrf_p_first`` and ``eval_chrf_p_best`` (paired permutation test).
    These p are adjusted for how often was looked: the k-th p is multiplied by k² pi² / 6, so that of all looks at a
    model that does not change 5 % at most find p < .05.

    The texts are kept in ``checkpoints.jsonl`` in the output folder, with a column for each checkpoint, which
    ``tercet compare`` reads as systems. The best checkpoint is the best on these prompts: its score is a little too
    good, and a final figure needs other prompts.

    Parameters
    ----------
    prompts : sequence of str or of lists of messages
        Texts, or conversations (``{"role": ..., "content": ...}``), to which the chat template is applied.
    references : sequence of str or of sequences of str, optional
        As :func:`tercet.score` takes them; not needed by metrics that take none.
    metrics : str, Metric or sequence of them
        Metrics of the suite, by name or as values.
    options : mapping, optional
        Their options, as :func:`tercet.compute_metrics` takes them.
    every : {"eval", "epoch"} or int
        When: at each evaluation of the Trainer, at the end of each epoch, or after so many steps.
    n : int, optional
        Most prompts: so many of them, drawn by `seed`; None takes all.
    generation_config : GenerationConfig or mapping, optional
        Of ``model.generate``. By default the most likely tokens, 256 at most.
    batch_size : int
        Prompts at a time; halved as often as memory runs out.
    time_budget : float, optional
        Seconds for the generation at a checkpoint. When they are over, the prompts that have no text yet are left out
        from then on, and checkpoints are compared on those that they share.
    early_stopping_patience : int, optional
        Stop training where so many checkpoints in turn were not significantly better than the best before them, by
        the primary score of the first metric.
    seed : int
        Of the choice of prompts, of sampling, and of the tests.

    Raises
    ------
    OptionError, InputError
        At once, not after the first epoch.

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
        settings = check_values("tercet.GenerationCallback", locals(), _CHECKS)
        self._every, self._patience = settings["every"], settings["early_stopping_patience"]
        self._batch_size, self._seconds, self._seed = (
            settings["batch_size"],
            settings["time_budget"],
            settings["seed"],
        )
        self._generation = settings_of(generation_config)
        # Names, options and their errors are those of compute_metrics.
        self._scores = compute_metrics(None, metrics, options=options, decode=lambda rows: [str(row) for row in rows])
        self._metrics = [
            metric if metric.asked.confidence_level else metric.with_options({"confidence_level": 0.95})
            for metric in self._scores.metrics
        ]
        self._prompts, self._references = _read_prompts(prompts, references, self._metrics)
        if settings["n"] is not None and settings["n"] < len(self._prompts):
            self._draw(settings["n"])
        self.reset()

    def _draw(self, n: int) -> None:
        """Keep some prompts, in any order: the first ones are then a sample too, if time is short."""
        places = np.random.default_rng(self._seed).permutation(len(self._prompts))[:n].tolist()
        self._prompts = [self._prompts[place] for place in places]
        if self._references is not None:
            self._references = [self._references[place] for place in places]

    def reset(self) -> None:
        """Forget all checkpoints: for another run with the same callback."""
        self._checkpoints: list[_Checkpoint] = []
        self._logged: dict[str, float] = {}
        self._tests: dict[tuple[int, int], dict[str, Any]] = {}
        self._warned: set[str] = set()
        self._prefix = "eval_"
        self._n, self._n_not_better = len(self._prompts), 0
        self._file: Path | None = None

    # What a Trainer calls.

    def on_train_begin(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        """Go on with the checkpoints of a run that is resumed; another run begins without any."""
        if state.global_step == 0 and self._checkpoints and self._checkpoints[-1].step > 0:
            self.reset()
        elif state.global_step > 0 and not self._checkpoints:
            path = Path(args.output_dir) / FILE
            earlier = {step: texts for step, texts in _read(path, self._prompts).items() if step <= state.global_step}
            self._checkpoints = [self._checkpoint(step, texts) for step, texts in earlier.items()]
            self._n = min([self._n, *(len(texts) for texts in earlier.values())])
            self._file = path if earlier else None

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

    def on_epoch_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **passed: Any
    ) -> None:
        """Score what the model writes now."""
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
        **_: Any,
    ) -> None:
        step, is_main = state.global_step, state.is_world_process_zero
        # A Trainer with several evaluation sets evaluates several times at a step.
        if not self._checkpoints or self._checkpoints[-1].step != step:
            if processing_class is None:
                raise OptionError(
                    "tercet.GenerationCallback needs a tokenizer: give the Trainer its processing_class."
                )
            with bars_within(is_main and not args.disable_tqdm):
                texts = generate(
                    model, processing_class, self._prompts[: self._n], self._generation,
                    batch_size=self._batch_size, seed=self._seed, seconds=self._seconds,
                )  # fmt: skip
            self._n = len(texts)
            checkpoint = self._checkpoint(step, texts)
            names = {f"eval_{name}" for *_, name in self._scores.score_names()}
            if names & (metrics or {}).keys():
                self._prefix = "eval_generated_"  # the Trainer's compute_metrics has scores of the same names
            self._logged, sentences = self._compared(checkpoint)
            self._checkpoints.append(checkpoint)
            entry = state.log_history[-1] if metrics is not None and state.log_history else {}
            if entry.get("step") == step:
                entry.update(self._logged)
            else:
                state.log_history.append({"epoch": state.epoch, "step": step, **self._logged})
            if is_main:
                self._write(Path(args.output_dir))
                self._log(args, step)
                if not args.disable_tqdm:
                    tqdm.write("\n".join(sentences))
        if metrics is not None:
            metrics.update(self._logged)
        if self._patience is not None and self._n_not_better >= self._patience:
            control.should_training_stop = True

    def _checkpoint(self, step: int, texts: list[str]) -> _Checkpoint:
        corpus = read_texts(texts) if self._references is None else read_items(texts, self._references[: len(texts)])
        corpus.searched = bool(self._checkpoints)
        return _Checkpoint(step, texts, [batch_stats(metric, corpus, self._warned) for metric in self._metrics])

    def _compared(self, checkpoint: _Checkpoint) -> tuple[dict[str, float], list[str]]:
        """Return what to log of a checkpoint, and a sentence for each metric."""
        results = {
            metric.name: summarize(metric, stats)
            for metric, stats in zip(self._metrics, checkpoint.stats, strict=True)
        }
        logged = self._scores.select(results, None)
        self._tests.clear()
        sentences = []
        for metric_name, score, name in self._scores.score_names():
            place = next(place for place, metric in enumerate(self._metrics) if metric.name == metric_name)
            metric, value = self._metrics[place], logged[name]
            low, high = results[metric_name].intervals[score]  # type: ignore[index]
            sentence = f"step {checkpoint.step}: {name} {value:.4g} ({low:.4g} to {high:.4g})"
            higher_is_better = is_higher_better(metric, score)
            for label, other in self._earlier(place, score, higher_is_better).items():
                test = self._test(place, other, checkpoint)
                difference = test["stats"][score]
                pvalue = min(1.0, test["pvalues"][score] * (math.pi * len(self._checkpoints)) ** 2 / 6)
                logged |= {f"{name}_diff_{label}": difference, f"{name}_p_{label}": pvalue}
                is_better = pvalue < ALPHA and (difference > 0) == higher_is_better
                if label == "best":
                    sentence += _against(other.step, difference, pvalue, higher_is_better)
                if (label, place, score) == ("best", 0, metric.primary):
                    self._n_not_better = 0 if is_better else self._n_not_better + 1
            if score == metric.primary:
                sentences.append(sentence)
        return {f"{self._prefix}{name}": value for name, value in logged.items()}, sentences

    def _earlier(self, place: int, score: str, higher_is_better: bool) -> dict[str, _Checkpoint]:
        """Return the checkpoints that the next one is compared with: the first and the best one."""
        if not self._checkpoints:
            return {}
        metric = self._metrics[place]
        values = [
            float(metric.finalize(metric.corpus_totals(checkpoint.rows(place, self._n)))[score])
            for checkpoint in self._checkpoints
        ]
        best = values.index(max(values) if higher_is_better else min(values))
        return {"first": self._checkpoints[0], "best": self._checkpoints[best]}

    def _test(self, place: int, earlier: _Checkpoint, checkpoint: _Checkpoint) -> dict[str, Any]:
        """Return the paired test of all scores of a metric, on the prompts that both answered."""
        key = place, earlier.step
        if key not in self._tests:
            stats = [earlier.rows(place, self._n), checkpoint.rows(place, self._n)]
            self._tests[key] = significance(
                self._metrics[place], stats, test="permutation", n_resamples=None, seed=self._seed
            )
        return self._tests[key]

    # Where texts and scores go.

    def _write(self, folder: Path) -> None:
        """Write the texts of all checkpoints, in one step: a run may end at any time."""
        path = folder / FILE
        folder.mkdir(parents=True, exist_ok=True)
        if self._file is None and path.exists():
            free = next(number for number in count(1) if not path.with_name(f"checkpoints-{number}.jsonl").exists())
            path.replace(path.with_name(f"checkpoints-{free}.jsonl"))
        self._file = path
        lines = [
            json.dumps(
                {
                    "source": _shown(self._prompts[place]),
                    **({} if self._references is None else {"references": self._references[place]}),
                    **{f"step {checkpoint.step}": checkpoint.texts[place] for checkpoint in self._checkpoints},
                },
                ensure_ascii=False,
            )
            for place in range(self._n)
        ]
        new = path.with_suffix(".new")
        new.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", errors="surrogatepass")
        new.replace(path)

    def _log(self, args: TrainingArguments, step: int) -> None:
        """Pass scores, and a table of some texts, to the loggers that the Trainer reports to."""
        names, texts = ["prompt", "reference", "text"], self._checkpoints[-1].texts[:_SHOWN_ROWS]
        references = self._references or [[""]] * len(texts)
        rows = [
            [_shown(self._prompts[place]), "\n".join(references[place]), text] for place, text in enumerate(texts)
        ]
        entries = {f"eval/{name.removeprefix('eval_')}": value for name, value in self._logged.items()}
        for name, logger in _LOGGERS.items():
            if name in args.report_to:
                logger(args, step, entries, names, rows)


# What a Trainer reports to: the run that its own callback has begun.

_Entries = Mapping[str, float]
_Rows = list[list[str]]


def _to_wandb(args: Any, step: int, entries: _Entries, names: list[str], rows: _Rows) -> None:
    import wandb

    if wandb.run is not None:
        table = wandb.Table(names, rows)
        wandb.log({**entries, "eval/generations": table, "train/global_step": step})


def _to_trackio(args: Any, step: int, entries: _Entries, names: list[str], rows: _Rows) -> None:
    import trackio

    table = trackio.Table(names, rows)
    trackio.log({**entries, "eval/generations": table, "train/global_step": step})


def _to_mlflow(args: Any, step: int, entries: _Entries, names: list[str], rows: _Rows) -> None:
    import mlflow

    if mlflow.active_run() is not None:
        mlflow.log_metrics({name.replace("eval/", "eval_", 1): value for name, value in entries.items()}, step=step)
        columns = {name: [row[place] for row in rows] for place, name in enumerate(names)}
        mlflow.log_table(columns, f"generations/step-{step}.json")


def _to_tensorboard(args: Any, step: int, entries: _Entries, names: list[str], rows: _Rows) -> None:
    from torch.utils.tensorboard import SummaryWriter

    # A run of its own: the folder of the Trainer's writer is known to its callback alone.
    with SummaryWriter(str(Path(args.output_dir) / "runs" / "generations")) as writer:
        for name, value in entries.items():
            writer.add_scalar(name, value, step)
        writer.add_text(
            "eval/generations", to_markdown([Table("", [Column(name, "name") for name in names], rows)]), step
        )


_LOGGERS: dict[str, Callable[..., None]] = {
    "wandb": _to_wandb,
    "trackio": _to_trackio,
    "mlflow": _to_mlflow,
    "tensorboard": _to_tensorboard,
}


# Prompts and texts as they are read and shown.


def _read_prompts(
    prompts: Any, references: Any, metrics: Sequence[Metric]
) -> tuple[list[Any], list[list[str]] | None]:
    """Return prompts, and a list of references for each; None where no metric takes any."""
    read = as_list(prompts, "prompts", "one text, or one list of messages, per item", 2)
    if not read:
        raise InputError("prompts must have at least one item, got none.")
    for place, prompt in enumerate(read):
        is_conversation = (
            isinstance(prompt, Sequence) and prompt and all(isinstance(part, Mapping) for part in prompt)
        )
        if not isinstance(prompt, str) and not is_conversation:
            raise InputError(f"item {place} of prompts must be a text or a list of messages, got {shorten(prompt)}.")
        if isinstance(prompt, str) != isinstance(read[0], str):
            raise InputError(f"item {place} of prompts is {shorten(prompt)}: give either texts or conversations.")
    needed_by = [metric for metric in metrics if metric.takes_references]
    if not needed_by:
        return read, None
    if references is None:
        raise InputError(f"{needed_by[0].name} needs references: one text, or a list of texts, for each prompt.")
    corpus = read_items([""] * len(read), references, "prompts").checked()
    for metric in needed_by:
        refuse_missing(metric, corpus.missing)
    return read, corpus.reference_lists()


def _shown(prompt: Any) -> str:
    """Return a prompt as a text: of a conversation, the messages."""
    if isinstance(prompt, str):
        return prompt
    return "\n".join(f"{message.get('role', '')}: {message.get('content', '')}" for message in prompt)


def _against(step: int, difference: float, pvalue: float, higher_is_better: bool) -> str:
    """Return the end of a sentence on a checkpoint, compared with the best before it."""
    better = "better" if (difference > 0) == higher_is_better else "worse"
    sure = f"p = {pvalue:.2g}" if pvalue < ALPHA else f"p = {pvalue:.2g}, not more than chance"
    return f", {abs(difference):.3g} {better} than step {step}, the best before it ({sure})"


def _read(path: Path, prompts: Sequence[Any]) -> dict[int, list[str]]:
    """Return the texts of each step in the file of a run that is resumed; none where its prompts are others."""
    if not path.is_file():
        return {}
    # Not by splitlines: texts may hold other line ends, such as U+2028.
    lines = path.read_bytes().decode("utf-8", "replace").split("\n")
    try:
        rows = [json.loads(line) for line in lines if line]
    except ValueError:
        return {}
    if not rows or not all(isinstance(row, dict) for row in rows):
        return {}
    if [row.get("source") for row in rows] != [_shown(prompt) for prompt in prompts[: len(rows)]]:
        return {}
    steps = [name for name in rows[0] if name.startswith("step ")]
    return {int(name.removeprefix("step ")): [row[name] for row in rows] for name in steps}
