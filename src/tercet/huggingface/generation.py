"""Texts that a model writes while it is trained: in batches, and with everything as it was before."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from accelerate.utils import gather_object
from transformers import GenerationConfig, StoppingCriteriaList

from tercet.errors import InputError, OptionError, TercetError, first_line, shorten
from tercet.networks.memory import halved
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
    side of padding and the states of random numbers are as before. Where memory runs out, batches are halved.

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
    texts = _written(tokenizer, prompts)
    rank, n_ranks = _rank_and_number()
    share = range(rank, len(texts), n_ranks)
    # Processes that share a model's weights generate together: each has as many prompts.
    most = -(-len(texts) // n_ranks)
    padded = [texts[index] for index in share] + texts[:1] * (most - len(share))
    with _as_before(model, tokenizer, seed + rank):
        answers = _answers(model, tokenizer, padded, settings, batch_size, seconds)
    shares = gather_object([answers])
    n = min(map(len, shares))
    return [shares[index % n_ranks][index // n_ranks] for index in range(min(n * n_ranks, len(texts)))]


def _written(tokenizer: Any, prompts: Sequence[Any]) -> list[tuple[str, bool]]:
    """Return the text of each prompt, and whether it has its special tokens already, as chat templates write them."""
    texts = []
    for item, prompt in enumerate(prompts):
        if isinstance(prompt, str):
            texts.append((prompt, False))
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
        texts.append((text, True))
    return texts


def check(model: Any, processor: Any, prompts: Sequence[Any]) -> None:
    """Raise an error for a model that does not generate, and for a tokenizer that cannot write the prompts."""
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
    _written(tokenizer, prompts)


def try_out(model: Any, processor: Any, prompts: Sequence[Any], settings: Mapping[str, Any]) -> None:
    """Let the model write one token, so that settings it cannot write with are refused before training."""
    tokenizer = getattr(processor, "tokenizer", processor)
    criteria = [*settings.get("stopping_criteria", ()), _stop]
    with _as_before(model, tokenizer, 0):
        try:
            _of_batch(
                model,
                tokenizer,
                _written(tokenizer, prompts[:1]),
                {**settings, "stopping_criteria": StoppingCriteriaList(criteria)},
            )
        except (TercetError, RuntimeError, MemoryError):
            raise
        except Exception as error:
            raise OptionError(
                f"tercet.GenerationCallback: the model cannot write with generation_config. {first_line(error)}"
            ) from error


def _stop(ids: Any, scores: Any, **_: Any) -> Any:
    return torch.ones(len(ids), dtype=torch.bool, device=ids.device)


def _rank_and_number() -> tuple[int, int]:
    """Return the rank of this process, and the number of processes."""
    distributed = torch.distributed
    if distributed.is_available() and distributed.is_initialized():
        return distributed.get_rank(), distributed.get_world_size()
    return 0, 1


@contextmanager
def _as_before(model: Any, tokenizer: Any, seed: int) -> Iterator[None]:
    """Seed and prepare a model for generation, and put back what the block changes."""
    modes = [(module, module.training) for module in model.modules()]
    side, token = tokenizer.padding_side, tokenizer.pad_token
    devices = {parameter.device for parameter in model.parameters() if parameter.device.type not in ("cpu", "meta")}
    kind = next(iter(devices)).type if devices else "cuda"
    try:
        with torch.random.fork_rng([device.index for device in devices], device_type=kind), torch.no_grad():
            torch.manual_seed(seed)
            model.eval()
            tokenizer.padding_side = "left"
            if token is None:
                tokenizer.pad_token = tokenizer.eos_token
            yield
    finally:
        for module, training in modes:
            module.training = training
        tokenizer.padding_side, tokenizer.pad_token = side, token


def _answers(
    model: Any,
    tokenizer: Any,
    texts: Sequence[tuple[str, bool]],
    settings: Mapping[str, Any],
    batch_size: int,
    seconds: float | None,
) -> list[str]:
    answers: list[str] = []
    end = None if seconds is None else time.monotonic() + seconds
    with bar_of("generating", "texts", len(texts)) as bar:
        while len(answers) < len(texts) and not (answers and end is not None and time.monotonic() >= end):
            batch = texts[len(answers) : len(answers) + batch_size]
            try:
                answers += _of_batch(model, tokenizer, batch, settings)
            except (RuntimeError, MemoryError) as error:
                batch_size = halved(batch_size, error)
                continue
            if bar is not None:
                bar.update(len(batch))
    return answers


def _of_batch(
    model: Any, tokenizer: Any, texts: Sequence[tuple[str, bool]], settings: Mapping[str, Any]
) -> list[str]:
    has_special_tokens = texts[0][1]
    inputs = tokenizer(
        [text for text, _ in texts], return_tensors="pt", padding=True, add_special_tokens=not has_special_tokens
    ).to(model.device)
    inputs.pop("token_type_ids", None)
    # With gradient checkpointing a Trainer switches the cache off, which would take the square of the time.
    settings = {"use_cache": True, "pad_token_id": tokenizer.pad_token_id, **settings}
    output = model.generate(**inputs, **settings)
    # An output is more than ids with return_dict_in_generate.
    ids = getattr(output, "sequences", output)
    if len(ids) != len(texts):
        raise OptionError(
            f"generation_config must ask for one text per prompt, got {len(ids) // len(texts)}: give "
            "num_return_sequences=1."
        )
    n_prompt = 0 if model.config.is_encoder_decoder else inputs["input_ids"].shape[1]
    texts_of_batch: list[str] = tokenizer.batch_decode(ids[:, n_prompt:], skip_special_tokens=True)
    return texts_of_batch


def settings_of(generation_config: Any) -> dict[str, Any]:
    """Return what ``model.generate`` is given: by default the most likely tokens, `MAX_NEW_TOKENS` at most."""
    if generation_config is None:
        return {"do_sample": False, "max_new_tokens": MAX_NEW_TOKENS}
    if isinstance(generation_config, Mapping):
        with _checked():
            GenerationConfig(**generation_config).validate()
        limit = {} if "max_length" in generation_config else {"max_new_tokens": MAX_NEW_TOKENS}
        return {**limit, **generation_config}
    if hasattr(generation_config, "to_diff_dict"):
        with _checked():
            generation_config.validate()
        return {"generation_config": generation_config}
    raise OptionError(
        "generation_config must be a GenerationConfig of transformers, a mapping of its settings, or None. Got "
        f"{shorten(generation_config)} instead."
    )


@contextmanager
def _checked() -> Iterator[None]:
    """Turn what transformers says of wrong settings into an OptionError."""
    try:
        yield
    except (TypeError, ValueError) as error:
        raise OptionError(f"generation_config cannot be used. {first_line(error)}") from error
