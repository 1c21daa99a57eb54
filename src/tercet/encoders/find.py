"""The files of a model: of a folder, of the Hub's cache, or of the Hub itself."""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tercet.errors import OptionError, check_working_directory, shorten

_LOG = logging.getLogger("tercet")

#: Models of the Hub whose download was told of: their files come one by one.
_downloaded: set[str] = set()

#: Where launchers of several processes (torchrun, Slurm, MPI) tell each of them its number.
_RANKS = ("RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK")

#: Names of models in messages, by option.
_CALLED = {"model_type": "encoder", "model_id": "language model"}


def locate(model: str, option: str = "model_type") -> str:
    """Return the absolute path of a folder, or the name of a model of the Hub as it is; `option` names it."""
    check_working_directory("transformers")
    path = os.path.expanduser(model)
    if os.path.isdir(path):  # False also for what cannot be the name of a folder
        if not os.path.isfile(os.path.join(path, "config.json")):
            raise OptionError(f"The folder {path!r}, given as {option!r}, has no config.json.")
        return str(Path(path).resolve())
    if model.startswith((".", "/", "~")) or model.count("/") > 1 or "\\" in model:
        raise OptionError(f"There is no folder {shorten(model, 300)}, given as {option!r}.")
    return model


def load_config(model: str, option: str = "model_type") -> Any:
    """Return the configuration of a located model."""
    import transformers

    return found(model, transformers.AutoConfig.from_pretrained, option)


def load_tokenizer(model: str, option: str = "model_type") -> Any:
    """Return the tokenizer of a located model; the fast one where there is one."""
    import transformers

    with quiet():
        return found(model, transformers.AutoTokenizer.from_pretrained, option)


def found(model: str, from_pretrained: Callable[..., Any], option: str = "model_type", **given: Any) -> Any:
    """Load from a folder, or from the cache of the Hub, or, for what is not there, from the Hub itself."""
    try:
        if not os.path.isdir(model):
            try:
                return from_pretrained(model, trust_remote_code=False, local_files_only=True, **given)
            except (OSError, ValueError):
                _check_hub(model, option)
                _tell_of_download(model, option)
        return from_pretrained(model, trust_remote_code=False, **given)
    except OptionError:
        raise
    except Exception as error:  # broken files raise errors of many kinds
        raise _not_found(model, str(error), option, "use_safetensors" in given) from error


def tell_of_load(model: str, device: Any, option: str = "model_type") -> None:
    """Log which process loads a located model, from where and for which device."""
    from huggingface_hub import constants

    place = model if os.path.isdir(model) else f"{constants.HF_HUB_CACHE} ({model})"
    _tell(logging.INFO, "process %d loads the %s from %s for %s", os.getpid(), _CALLED[option], place, device)


def _tell_of_download(model: str, option: str) -> None:
    """Log, once for each model, that its files are downloaded."""
    from huggingface_hub import constants

    if model not in _downloaded:
        _downloaded.add(model)
        _tell(
            logging.WARNING, "process %d downloads the %s %s from %s to %s", os.getpid(), _CALLED[option], model,
            constants.ENDPOINT, constants.HF_HUB_CACHE,
        )  # fmt: skip


def _tell(level: int, *message: object) -> None:
    """Log a message; of the processes of a run only in the first, the others in detail (DEBUG)."""
    first = all(os.environ.get(name, "0") == "0" for name in _RANKS)
    _LOG.log(level if first else logging.DEBUG, *message)


def optional_file(model: str, name: str) -> str | None:
    """Return the path of a file that a located model may have; None where it lacks it.

    A model of the Hub is looked for in the cache and then on the Hub; where that cannot be asked, and the model
    itself is in the cache, the file counts as missing.
    """
    if os.path.isdir(model):
        path = os.path.join(model, name)
        return path if os.path.isfile(path) else None
    from huggingface_hub import constants, hf_hub_download, try_to_load_from_cache
    from huggingface_hub.errors import EntryNotFoundError, HFValidationError

    try:
        known = try_to_load_from_cache(model, name)
        if isinstance(known, str):
            return known
        if known is not None or constants.HF_HUB_OFFLINE:  # known not to be there, or not to be asked for
            return None
        _check_hub(model, "model_type")
        return str(hf_hub_download(model, name))
    except EntryNotFoundError:
        return None
    except HFValidationError as error:  # a name that no model can have
        raise _not_found(model, str(error), "model_type") from error
    except Exception as error:  # of the HTTP library
        if isinstance(try_to_load_from_cache(model, "config.json"), str):
            return None
        raise error if isinstance(error, OptionError) else _not_found(model, str(error), "model_type") from error


def _check_hub(model: str, option: str) -> None:
    """Raise an OptionError when the Hub cannot be asked or has no such model: transformers tries for a minute."""
    from huggingface_hub import HfApi, constants
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, RepositoryNotFoundError

    if constants.HF_HUB_OFFLINE:
        raise _not_found(model, "the Hub was not asked, because HF_HUB_OFFLINE is set", option)
    try:
        HfApi().model_info(model, timeout=10)
    except (RepositoryNotFoundError, HFValidationError) as error:
        raise _not_found(model, str(error), option) from error
    except HfHubHTTPError:  # it answers: what transformers asks for may be there
        return
    except Exception as error:  # of the HTTP library, which is another one in each release
        raise _not_found(model, f"the Hub cannot be reached ({error})", option) from error


def _not_found(model: str, reason: str, option: str, safetensors_only: bool = False) -> OptionError:
    from huggingface_hub import constants

    looked = f"in the cache {constants.HF_HUB_CACHE!r} and at {constants.ENDPOINT}"
    if os.path.isdir(model):
        looked = f"in the folder {model!r}"
    reason = " ".join(reason.split())[:400].rstrip(".")
    weights = " Only safetensors files are read."
    if option == "model_type":
        weights = (
            f"{weights[:-1]}; use_safetensors=False also reads other files: use it only for a source that you trust."
        )
    return OptionError(
        f"The {_CALLED[option]} {shorten(model, 300)} could not be loaded; looked {looked}: {reason}. Give as "
        f"{option!r} the path of a folder with config.json, model.safetensors and the files of the tokenizer, or a "
        f"name of the Hub.{weights if safetensors_only else ''}"
    )


@contextmanager
def quiet() -> Iterator[None]:
    """Keep transformers from reporting on heads that are not used, and on its progress; downloads show theirs."""
    from huggingface_hub.utils import are_progress_bars_disabled, disable_progress_bars, enable_progress_bars
    from transformers.utils import logging as reports

    level, bar, hidden = reports.get_verbosity(), reports.is_progress_bar_enabled(), are_progress_bars_disabled()
    of_hub = disable_progress_bars if hidden else enable_progress_bars
    reports.set_verbosity_error()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # where HF_HUB_DISABLE_PROGRESS_BARS has settled it
        reports.disable_progress_bar()  # and the Hub's with them
        of_hub()
    try:
        yield
    finally:
        reports.set_verbosity(level)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if bar:
                reports.enable_progress_bar()
            of_hub()
