"""Texts that a model writes while it is trained: in batches, and with everything as it was before."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch
from accelerate.utils import gather_object
from transformers import GenerationConfig, StoppingCriteriaList
from transformers.integrations import is_deepspeed_zero3_enabled

from tercet.errors import InputError, OptionError, TercetError, first_line, shorten
from tercet.networks.out_of_memory import halved
from tercet.statistics.progress import bar_of

#: Tokens of a text, where neither the user nor the model says how many.
MAX_NEW_TOKENS = 256


def generate(
    model: Any,
    processor: Any,
    prompts: Sequence[Any],
    settings: Mapping[str, Any],
    *,
    batch_size: int,
    seed: int,
    seconds: float | None = None,
) -> list[str]:
    """Return what a model writes for each prompt; of many processes each writes its share, and all return all.

    Prompts are texts, or conversations, to which the tokenizer's chat template is applied. The model's modes, the
    side of padding and the states of random numbers are as before. Where memory runs out, batches are halved; not
    where processes share a model's weights, as the others wait for one that has failed.

    Parameters
    ----------
    model : PreTrainedModel
        Or one with adapters.
    processor : tokenizer or processor of transformers
    prompts : sequence of str or of lists of messages
    settings : mapping
        Of ``model.generate``.
    batch_size, seed : int
    seconds : float, optional
        No batch begins after so many: then only the first prompts have texts.

    Raises
    ------
    InputError
        For conversations, where the tokenizer has no chat template.
    """
    tokenizer = getattr(processor, "tokenizer", processor)
    texts = _prompt_texts(tokenizer, prompts)
    rank, n_ranks = _rank_and_number()
    share = texts[rank::n_ranks]
    # Processes that share a model's weights generate together: each has as many prompts.
    most = -(-len(texts) // n_ranks)
    share += texts[:1] * (most - len(share))
    with _ready_to_generate(model, tokenizer, seed + rank):
        answers = _answers(
            model, tokenizer, share, settings, batch_size=batch_size, seconds=seconds, n_processes=n_ranks
        )
    answers_by_rank = gather_object([answers])
    # Where time was short, only the first prompts have an answer of each process.
    n_rounds = min(map(len, answers_by_rank))
    ordered_answers: list[str] = []
    for index in range(n_rounds):
        ordered_answers += [answers[index] for answers in answers_by_rank]
    return ordered_answers[: len(texts)]


class _Prompt(NamedTuple):
    """A prompt as a text."""

    text: str
    has_special_tokens: bool  # as those that chat templates write


def _prompt_texts(tokenizer: Any, prompts: Sequence[Any]) -> list[_Prompt]:
    """Return the prompts as texts; InputError where the tokenizer cannot write a conversation."""
    texts = []
    for item, prompt in enumerate(prompts):
        if isinstance(prompt, str):
            texts.append(_Prompt(prompt, has_special_tokens=False))
            continue
        if getattr(tokenizer, "chat_template", None) is None:
            raise InputError(
                f"item {item} of prompts is a conversation, {shorten(prompt)}; the tokenizer has no chat template."
            )
        try:
            text = tokenizer.apply_chat_template(prompt, tokenize=False, add_generation_prompt=True)
        except Exception as error:
            raise InputError(
                f"item {item} of prompts, {shorten(prompt)}, does not fit the tokenizer's chat template. "
                f"{first_line(error)}"
            ) from error
        texts.append(_Prompt(text, has_special_tokens=True))
    return texts


def check_can_generate(model: Any, processor: Any) -> None:
    """Raise an error for a model that does not generate, and for what is no tokenizer or cannot pad."""
    if not hasattr(model, "generate"):
        raise OptionError(
            f"tercet.GenerationCallback needs a model that generates texts, got a {type(model).__name__}."
        )
    if processor is None:
        raise OptionError("tercet.GenerationCallback needs a tokenizer: give the Trainer its processing_class.")
    tokenizer = getattr(processor, "tokenizer", processor)
    if not callable(tokenizer) or not hasattr(tokenizer, "batch_decode"):
        raise OptionError(
            "tercet.GenerationCallback needs a tokenizer as the processing_class of the Trainer, got "
            f"{shorten(processor)} ({type(processor).__name__})."
        )
    if tokenizer.pad_token is None and tokenizer.eos_token is None:
        raise OptionError(
            "tercet.GenerationCallback: the tokenizer has neither pad_token nor eos_token, by which prompts are "
            "padded to one length. Set tokenizer.pad_token."
        )


def check_prompts(processor: Any, prompts: Sequence[Any]) -> None:
    """Raise an error for prompts that the tokenizer cannot write, before the first of them is asked."""
    _prompt_texts(getattr(processor, "tokenizer", processor), prompts)


def check_settings(model: Any, processor: Any, prompts: Sequence[Any], settings: Mapping[str, Any]) -> None:
    """Let the model write one token, so that settings it cannot write with are refused before training."""
    tokenizer = getattr(processor, "tokenizer", processor)
    criteria = StoppingCriteriaList([*settings.get("stopping_criteria", ()), _stop_at_once])
    prompt = _prompt_texts(tokenizer, prompts[:1])
    with _ready_to_generate(model, tokenizer, 0):
        try:
            _answer_batch(model, tokenizer, prompt, {**settings, "stopping_criteria": criteria})
        except (TercetError, RuntimeError, MemoryError):
            raise
        except Exception as error:
            raise OptionError(
                f"tercet.GenerationCallback: the model cannot write with generation_config. {first_line(error)}"
            ) from error


def _stop_at_once(ids: Any, scores: Any, **_: Any) -> Any:
    return torch.ones(len(ids), dtype=torch.bool, device=ids.device)


def _rank_and_number() -> tuple[int, int]:
    """Return the rank of this process, and the number of processes."""
    distributed = torch.distributed
    if distributed.is_available() and distributed.is_initialized():
        return distributed.get_rank(), distributed.get_world_size()
    return 0, 1


@contextmanager
def _ready_to_generate(model: Any, tokenizer: Any, seed: int) -> Iterator[None]:
    """Seed and prepare a model for generation, and put back what the block changes."""
    modes = [(module, module.training) for module in model.modules()]
    padding_side = tokenizer.padding_side
    pad_token = tokenizer.pad_token
    kind = "cuda"
    devices = set()
    for parameter in model.parameters():
        if parameter.device.type not in ("cpu", "meta"):
            kind = parameter.device.type
            devices.add(parameter.device.index)
    try:
        with torch.random.fork_rng(list(devices), device_type=kind), torch.no_grad():
            torch.manual_seed(seed)
            model.eval()
            tokenizer.padding_side = "left"
            if pad_token is None:
                tokenizer.pad_token = tokenizer.eos_token
            yield
    finally:
        for module, is_training in modes:
            module.training = is_training
        tokenizer.padding_side = padding_side
        tokenizer.pad_token = pad_token


def _answers(
    model: Any,
    tokenizer: Any,
    prompts: Sequence[_Prompt],
    settings: Mapping[str, Any],
    *,
    batch_size: int,
    seconds: float | None,
    n_processes: int,
) -> list[str]:
    """Return the answers to the first prompts, in as many batches in each process, whose own clock and memory differ.

    Where processes share a model's weights, each waits in a batch for all others.
    """
    answers: list[str] = []
    waits_for_others = n_processes > 1 and _is_shared(model)
    end = math.inf if seconds is None else time.monotonic() + seconds
    n_at_a_time = batch_size
    with bar_of("generating", "texts", len(prompts)) as bar:
        while len(answers) < len(prompts):
            is_late = bool(answers) and time.monotonic() >= end
            if _in_any_process(is_late):
                break
            batch = prompts[len(answers) : len(answers) + n_at_a_time]
            batch_answers: list[str] = []
            failure: Exception | None = None
            try:
                batch_answers = _answer_batch(model, tokenizer, batch, settings)
            except (RuntimeError, MemoryError) as error:
                if waits_for_others:
                    raise
                failure = error
            failures = _failures_in_processes(failure)
            if failures:
                n_at_a_time = _half_if_it_helps(n_at_a_time, failures)
                continue
            answers += batch_answers
            bar.update(len(batch))
    return answers


def _in_any_process(is_so: bool) -> bool:
    """Return whether something is so in any process; all must ask."""
    return any(gather_object([is_so]))


def _failures_in_processes(failure: Exception | None) -> list[Exception]:
    """Return the errors of all processes, of others by what they say; all must ask."""
    said = None if failure is None else f"{type(failure).__name__}: {failure}"
    failures: list[Exception] = []
    for process, text in enumerate(gather_object([said])):
        if text is not None:
            failures.append(RuntimeError(f"in process {process}: {text}"))
    # The process's own error has its traceback, and is raised before those of others.
    return failures if failure is None else [failure, *failures]


def _half_if_it_helps(size: int, failures: Sequence[Exception]) -> int:
    """Return half of a batch's size; raise an error in each process where it is no help in one of them."""
    for failure in failures:
        half = halved(size, failure)
    return half


def _is_shared(model: Any) -> bool:
    """Return whether processes share the model's weights: each has a part, and asks the others for the rest."""
    if is_deepspeed_zero3_enabled():
        return True
    for module in model.modules():
        # FSDP, of both versions, gives modules a class of its own.
        if any(base.__module__.startswith("torch.distributed.") for base in type(module).__mro__):
            return True
    return False


def _answer_batch(model: Any, tokenizer: Any, prompts: Sequence[_Prompt], settings: Mapping[str, Any]) -> list[str]:
    texts = [prompt.text for prompt in prompts]
    # Prompts are all texts, or all conversations.
    add_special_tokens = not prompts[0].has_special_tokens
    inputs = tokenizer(texts, return_tensors="pt", padding=True, add_special_tokens=add_special_tokens)
    inputs = inputs.to(model.device)
    inputs.pop("token_type_ids", None)
    # With gradient checkpointing a Trainer switches the cache off, which would take the square of the time.
    all_settings = {"use_cache": True, "pad_token_id": tokenizer.pad_token_id, **settings}
    output = model.generate(**inputs, **all_settings)
    # An output is more than ids with return_dict_in_generate.
    ids = getattr(output, "sequences", output)
    if len(ids) != len(texts):
        raise OptionError(
            f"generation_config must ask for one text per prompt, got {len(ids) // len(texts)}: give "
            "num_return_sequences=1."
        )
    if not model.config.is_encoder_decoder:
        n_prompt = inputs["input_ids"].shape[1]
        ids = ids[:, n_prompt:]
    answers: list[str] = tokenizer.batch_decode(ids, skip_special_tokens=True)
    return answers


def settings_of(generation_config: Any) -> dict[str, Any]:
    """Return what ``model.generate`` is given: by default the most likely tokens, `MAX_NEW_TOKENS` at most."""
    if generation_config is None:
        return {"do_sample": False, "max_new_tokens": MAX_NEW_TOKENS}
    if isinstance(generation_config, Mapping):
        with _option_errors():
            GenerationConfig(**generation_config).validate()
        if "max_length" in generation_config:
            return dict(generation_config)
        return {"max_new_tokens": MAX_NEW_TOKENS, **generation_config}
    if hasattr(generation_config, "to_diff_dict"):
        with _option_errors():
            generation_config.validate()
        return {"generation_config": generation_config}
    raise OptionError(
        "generation_config must be a GenerationConfig of transformers, a mapping of its settings, or None. Got "
        f"{shorten(generation_config)} instead."
    )


@contextmanager
def _option_errors() -> Iterator[None]:
    """Turn what transformers says of wrong settings into an OptionError."""
    try:
        yield
    except (TypeError, ValueError) as error:
        raise OptionError(f"generation_config cannot be used. {first_line(error)}") from error
