"""The files of a model: of a folder, of the Hub's cache, or of the Hub itself."""

from __future__ import annotations

import json
import logging
import os
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from os import fspath
from pathlib import Path
from typing import Any

from tercet.errors import OptionError, check_working_directory, needs, shorten

from .in_memory import InMemory, unknown_tokenizer

_LOG = logging.getLogger("tercet")

#: Models of the Hub whose download was logged: once for each, although their files come one by one.
_downloaded: set[str | HubModel] = set()

#: Where launchers of several processes (torchrun, Slurm, MPI) tell each of them its number.
_RANKS = ("RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK")

#: The file by which a folder is known as an adapter of PEFT: it names the model to which it belongs.
ADAPTER_CONFIG = "adapter_config.json"

#: Names of models in messages, by option.
_CALLED = {"model_type": "encoder", "model_id": "language model"}


@dataclass(frozen=True, slots=True)
class HubModel:
    """A model of the Hub, at one of its revisions."""

    name: str
    revision: str

    def __fspath__(self) -> str:
        return self.name

    def __str__(self) -> str:
        return self.name


#: A located model: the absolute path of a folder, a name of the Hub, or a network in memory.
Located = str | HubModel | InMemory


def locate(model: Located, option: str = "model_type") -> Any:
    """Return the absolute path of a folder, or what is no folder as it is; `option` names it."""
    if isinstance(model, InMemory):
        return model
    if isinstance(model, HubModel):
        return replace(model, name=locate(model.name, option))
    check_working_directory("transformers")
    path = os.path.expanduser(model)
    if os.path.isdir(path):  # False also for a text that cannot be the name of a folder
        files = ("config.json", ADAPTER_CONFIG)
        if not any(os.path.isfile(os.path.join(path, name)) for name in files):
            raise OptionError(f"The folder {path!r}, given as {option!r}, has no config.json.")
        return str(Path(path).resolve())
    if model.startswith((".", "/", "~")) or model.count("/") > 1 or "\\" in model:
        raise OptionError(f"There is no folder {shorten(model, 300)}, given as {option!r}.")
    return model


def network_of(value: Any, tokenizer: Any, revision: str | None) -> Located:
    """Return the value of an option that names a network or is one, with the tokenizer and revision beside it."""
    if revision is not None and (isinstance(value, InMemory) or os.path.isdir(os.path.expanduser(value))):
        raise OptionError(
            "The 'revision' option goes with a name of the Hub: a folder, or a model in memory, has one version. Got "
            f"{shorten(revision)} with {shorten(value, 300)}."
        )
    if isinstance(value, InMemory):
        return value.with_tokenizer(tokenizer)
    if tokenizer is not None:
        raise OptionError(
            "The 'processing_class' option goes with a model in memory: a folder or name of the Hub has its own."
        )
    return str(value) if revision is None else HubModel(str(value), revision)


def base_of(model: Located, option: str = "model_type") -> Located | None:
    """Return the located model to which an adapter of PEFT belongs; None for a model that is no adapter."""
    if isinstance(model, InMemory):
        return None
    path = _adapter_config(model, option)
    if path is None:
        return None
    try:
        config = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise OptionError(
            f"The file {ADAPTER_CONFIG} of the {_CALLED[option]} {shorten(str(model), 300)} cannot be read: {error}."
        ) from error
    name = config.get("base_model_name_or_path") if isinstance(config, Mapping) else None
    if not isinstance(name, str) or not name:
        raise OptionError(
            f"The {_CALLED[option]} {shorten(str(model), 300)}, given as {option!r}, is an adapter of PEFT whose "
            f"{ADAPTER_CONFIG} names no base model ('base_model_name_or_path'): merge it into its base "
            "(merge_and_unload of PEFT), and give the folder of the merged model."
        )
    needs(_called_adapter(model, name, option), "", "peft")
    revision = config.get("revision")
    try:
        base: str = locate(name, option)
    except OptionError as error:
        raise _no_base(model, name, option, error) from error
    if isinstance(revision, str) and not os.path.isdir(base):
        return HubModel(base, revision)
    return base


def _called_adapter(model: Located, base: str, option: str) -> str:
    return f"The {_CALLED[option]} {shorten(str(model), 300)}, an adapter of PEFT for the model {shorten(base, 300)},"


def _no_base(model: Located, base: str, option: str, error: OptionError) -> OptionError:
    """Return the error for an adapter whose base is not at hand."""
    return OptionError(f"{_called_adapter(model, base, option)} needs that model too. {error}")


def _adapter_config(model: str | HubModel, option: str) -> str | None:
    """Return the path of the file that makes a located model an adapter; None for a model that is none."""
    if not os.path.isdir(model):
        from huggingface_hub import try_to_load_from_cache
        from huggingface_hub.errors import HFValidationError

        revision = _revision_of(model)
        try:
            adapter_config = try_to_load_from_cache(fspath(model), ADAPTER_CONFIG, revision=revision)
            config = try_to_load_from_cache(fspath(model), "config.json", revision=revision)
        except HFValidationError:  # a name that no model can have: the error comes when it is loaded
            return None
        if isinstance(config, str) and not isinstance(adapter_config, str):
            return None  # a model that was used before: the Hub is not asked
    return optional_file(model, ADAPTER_CONFIG, option)


def load_config(model: Located, option: str = "model_type") -> Any:
    """Return the configuration of a located model; of an adapter that of its base."""
    if isinstance(model, InMemory):
        return model.config
    import transformers

    return load_base(model, transformers.AutoConfig.from_pretrained, option)


def load_tokenizer(model: Located, option: str = "model_type") -> Any:
    """Return the tokenizer of a located model; the fast one where there is one."""
    import transformers

    if isinstance(model, InMemory):
        if model.tokenizer is not None:
            return model.tokenizer_copy()
        if not model.source:
            raise unknown_tokenizer(model, option)
        model = locate(model.source, option)

    assert not isinstance(model, InMemory)
    load = load_pretrained
    if base_of(model, option) is not None and optional_file(model, "tokenizer_config.json", option) is None:
        load = load_base
    with quiet():
        return load(model, transformers.AutoTokenizer.from_pretrained, option)


def load_pretrained(
    model: Any, from_pretrained: Callable[..., Any], option: str = "model_type", **options: Any
) -> Any:
    """Load from a folder, or from the cache of the Hub, or, for what is not there, from the Hub itself."""
    name = fspath(model)
    if isinstance(model, HubModel):
        options["revision"] = model.revision
    try:
        if os.path.isdir(model):
            return from_pretrained(name, trust_remote_code=False, **options)
        # transformers has questions for the Hub where all files are in the cache, too
        with _patience(model, option):
            try:
                return from_pretrained(name, trust_remote_code=False, local_files_only=True, **options)
            except (OSError, ValueError):
                _check_hub(model, option)
                _tell_of_download(model, option)
                return from_pretrained(name, trust_remote_code=False, **options)
    except OptionError:
        raise
    except Exception as error:  # broken files raise errors of many kinds
        raise _not_found(model, str(error), option, "use_safetensors" in options) from error


def load_base(
    model: str | HubModel, from_pretrained: Callable[..., Any], option: str = "model_type", **options: Any
) -> Any:
    """Load a located model as :func:`load_pretrained` does; of an adapter of PEFT, its base."""
    base = base_of(model, option)
    if base is None:
        return load_pretrained(model, from_pretrained, option, **options)
    try:
        return load_pretrained(base, from_pretrained, option, **options)
    except OptionError as error:
        raise _no_base(model, str(base), option, error) from error


def tell_of_load(model: Located, device: Any, option: str = "model_type") -> None:
    """Log which process loads a located model, from where and for which device."""
    from huggingface_hub import constants

    is_here = isinstance(model, InMemory) or os.path.isdir(model)
    source = model if is_here else f"{constants.HF_HUB_CACHE} ({model})"
    _tell(logging.INFO, "process %d loads the %s from %s for %s", os.getpid(), _CALLED[option], source, device)


def _tell_of_download(model: str | HubModel, option: str) -> None:
    """Log, once for each model, that its files are downloaded."""
    from huggingface_hub import constants

    if model not in _downloaded:
        _downloaded.add(model)
        _tell(
            logging.WARNING,
            "process %d downloads the %s %s from %s to %s",
            os.getpid(),
            _CALLED[option],
            model,
            constants.ENDPOINT,
            constants.HF_HUB_CACHE,
        )


def _tell(level: int, *message: object) -> None:
    """Log a message; of the processes of a run only in the first, the others in detail (DEBUG)."""
    is_first = all(os.environ.get(name, "0") == "0" for name in _RANKS)
    _LOG.log(level if is_first else logging.DEBUG, *message)


def optional_file(model: str | HubModel, name: str, option: str = "model_type") -> str | None:
    """Return the path of a file that a located model may have; None where it lacks it.

    A model of the Hub is looked for in the cache and then on the Hub; where that cannot be asked, and the model
    itself is in the cache, the file counts as missing.
    """
    if os.path.isdir(model):
        path = os.path.join(model, name)
        return path if os.path.isfile(path) else None
    from huggingface_hub import constants, hf_hub_download, try_to_load_from_cache
    from huggingface_hub.errors import EntryNotFoundError, HFValidationError

    revision = _revision_of(model)
    try:
        cached_path = try_to_load_from_cache(fspath(model), name, revision=revision)
        if isinstance(cached_path, str):
            return cached_path
        # Neither a path nor None: the cache knows that the model has no such file.
        if cached_path is not None or constants.HF_HUB_OFFLINE:
            return None
        with _patience(model, option):
            _check_hub(model, option)
            return str(hf_hub_download(fspath(model), name, revision=revision))
    except EntryNotFoundError:
        return None
    except HFValidationError as error:  # a name that no model can have
        raise _not_found(model, str(error), option) from error
    except Exception as error:  # an error of the HTTP library
        if isinstance(try_to_load_from_cache(fspath(model), "config.json", revision=revision), str):
            return None
        if isinstance(error, OptionError):
            raise
        raise _not_found(model, str(error), option) from error


def _revision_of(model: str | HubModel) -> str | None:
    return model.revision if isinstance(model, HubModel) else None


def _check_hub(model: str | HubModel, option: str) -> None:
    """Raise an OptionError when the Hub cannot be asked or has no such model: transformers tries for a minute."""
    from huggingface_hub import HfApi, constants
    from huggingface_hub.errors import (
        HfHubHTTPError,
        HFValidationError,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    if constants.HF_HUB_OFFLINE:
        raise _not_found(model, "the Hub was not asked, because HF_HUB_OFFLINE is set", option)
    try:
        HfApi().model_info(fspath(model), revision=_revision_of(model), timeout=10)
    except (RepositoryNotFoundError, RevisionNotFoundError, HFValidationError) as error:
        raise _not_found(model, str(error), option) from error
    except HfHubHTTPError:  # the Hub answers: the files that transformers asks for may be there
        return
    except Exception as error:  # an error of the HTTP library, which is another one in each release
        raise _not_found(model, f"the Hub cannot be reached ({error})", option) from error


#: How often a file is asked for while the Hub answers that it cannot, and for how many seconds at most.
_TRIES = 3
_PATIENCE = 6


class _BadAnswers:
    """Counts how often the Hub answers that it has a problem of its own, and ends the third try with an error.

    huggingface_hub tries six times with growing pauses, and transformers asks for several files again after that.
    """

    def __init__(self) -> None:
        self._first: dict[str, float] = {}  # when an address was first answered so
        self._count: dict[str, int] = {}
        self.reason = ""  # why the Hub is asked no more; empty before

    def __call__(self, response: Any, *_: Any, **__: Any) -> None:
        """Look at an answer, as the HTTP library gets it."""
        if response.status_code < 500:
            return
        address = str(response.url)
        now = time.monotonic()
        first = self._first.setdefault(address, now)
        self._count[address] = self._count.get(address, 0) + 1
        if not self.reason and (self._count[address] >= _TRIES or now - first > _PATIENCE):
            self.reason = (
                f"the Hub answered {self._count[address]} times with the error {response.status_code}, which is its "
                "own: try again later"
            )
        if self.reason:
            from huggingface_hub.utils import hf_raise_for_status

            getattr(response, "read", bool)()  # httpx leaves the body for later, and the error quotes it
            hf_raise_for_status(response)


@contextmanager
def _patience(model: str | HubModel, option: str) -> Iterator[None]:
    """Let the Hub be asked for a model, but not for minutes where it answers with errors of its own."""
    from huggingface_hub.utils import get_session

    answers = _BadAnswers()
    session = get_session()
    # of requests, which releases before 1.0 use, or of httpx
    hooks = session.hooks if hasattr(session, "hooks") else session.event_hooks
    hooks["response"].append(answers)
    try:
        yield
    except OptionError:
        raise
    except Exception as error:
        if not answers.reason:
            raise
        raise _not_found(model, answers.reason, option) from error
    finally:
        hooks["response"].remove(answers)


def _not_found(model: str | HubModel, reason: str, option: str, safetensors_only: bool = False) -> OptionError:
    from huggingface_hub import constants

    looked = f"in the cache {constants.HF_HUB_CACHE!r} and at {constants.ENDPOINT}"
    if os.path.isdir(model):
        looked = f"in the folder {model!r}"
    reason = " ".join(reason.split())[:400].rstrip(".")
    weights = ""
    if safetensors_only:
        weights = " Only safetensors files are read"
        if option == "model_type":
            weights += "; use_safetensors=False also reads other files: use it only for a source that you trust"
        weights += "."
    version = f" at the revision {model.revision!r}" if isinstance(model, HubModel) else ""
    return OptionError(
        f"The {_CALLED[option]} {shorten(str(model), 300)} could not be loaded{version}; looked {looked}: "
        f"{reason}. Give as {option!r} the path of a folder with config.json, model.safetensors and the files of the "
        f"tokenizer, or a name of the Hub.{weights}"
    )


@contextmanager
def quiet() -> Iterator[None]:
    """Keep transformers from reporting on heads that are not used, and on its progress; downloads show theirs."""
    from huggingface_hub.utils import are_progress_bars_disabled, disable_progress_bars, enable_progress_bars
    from transformers.utils import logging as transformers_logging

    verbosity = transformers_logging.get_verbosity()
    shows_progress = transformers_logging.is_progress_bar_enabled()
    set_hub_progress = disable_progress_bars if are_progress_bars_disabled() else enable_progress_bars
    transformers_logging.set_verbosity_error()
    with warnings.catch_warnings():
        # The Hub warns of a change that HF_HUB_DISABLE_PROGRESS_BARS forbids.
        warnings.simplefilter("ignore")
        # This switches off the bars of the Hub too, so its own setting is restored at once.
        transformers_logging.disable_progress_bar()
        set_hub_progress()
    try:
        yield
    finally:
        transformers_logging.set_verbosity(verbosity)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if shows_progress:
                transformers_logging.enable_progress_bar()
            set_hub_progress()
