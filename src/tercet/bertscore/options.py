"""The options of bertscore_idf."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from os import PathLike, fspath
from typing import Any

from tercet.core.dialect import Dialect
from tercet.core.options import Options, flag, integer, one_of, option, refuse
from tercet.encoders.subwords import DEFAULT_PREFIX_SPACES, PREFIX_SPACES
from tercet.errors import OptionError

from .idf_table import IdfTable

DTYPES = ("float32", "bfloat16", "float16")


def _path(expected: str) -> Any:
    def check(value: Any) -> str | None:
        if value is None:
            return None
        if isinstance(value, (str, PathLike)):
            path = fspath(value)
            if isinstance(path, str) and path.strip():
                return path
        raise refuse(expected)

    return check


def _idf(value: Any) -> bool | str | IdfTable | Mapping[Any, Any]:
    if isinstance(value, (bool, IdfTable, Mapping)):
        return value
    if type(value).__name__ in ("bool_", "bool"):
        return bool(value)
    if isinstance(value, (str, PathLike)):
        return str(fspath(value))
    raise refuse("True, False, an IdfTable, the path of one, or a mapping of ids or tokens to weights")


def _prefix_space(value: Any) -> bool | str:
    if isinstance(value, str) and value in PREFIX_SPACES:
        return str(value)
    try:
        return flag(value)
    except Exception:
        raise refuse("True, False, 'auto' or 'installed'") from None


def _dtype(value: Any) -> str | None:
    name = str(value).removeprefix("torch.")
    if value is None or name in DTYPES:
        return None if value is None else name
    raise refuse("one of 'float32', 'bfloat16', 'float16' or None")


def _device(value: Any) -> str | None:
    if value is None:
        return None
    name = str(value)
    if isinstance(value, bool) or (not isinstance(value, str) and type(value).__name__ != "device") or not name:
        raise refuse("the name of a device, such as 'cpu' or 'cuda:0', or None")
    import torch

    try:
        torch.device(name)
    except RuntimeError:
        raise refuse("the name of a device, such as 'cpu' or 'cuda:0', or None") from None
    return name


@dataclass(frozen=True, slots=True, kw_only=True)
class BertscoreOptions(Options):
    """Options of bertscore_idf, as its card describes them."""

    lang: str | None = option(None, _path("the code of a language, such as 'en', or None"))
    model_type: str | None = option(None, _path("the name of an encoder on the Hub, the path of a folder, or None"))
    num_layers: int | None = option(None, integer(0, none=True))
    idf: bool | str | IdfTable | Mapping[Any, Any] = option(True, _idf)
    idf_documents: str = option("references", one_of("references", "items"))
    zero_weight: str = option("uniform", one_of("uniform", "nan"))
    all_layers: bool = option(False, flag)
    rescale_with_baseline: bool = option(False, flag)
    baseline_path: str | None = option(None, _path("the path of a file, or None"))
    batch_size: int = option(64, integer(1), local=True)
    device: str | None = option(None, _device, local=True)
    dtype: str | None = option(None, _dtype)
    max_length: int | None = option(None, integer(1, none=True))
    long_text: str = option("truncate", one_of("truncate", "window", "error"))
    prefix_space: bool | str = option("auto", _prefix_space)
    multi_ref: str = option("max", one_of("max", "best_f"))
    use_safetensors: bool = option(True, flag)
    use_fast_tokenizer: bool = option(False, flag)
    nthreads: int = option(4, integer(0), local=True)
    verbose: bool = option(False, flag, local=True)
    compat: str | None = option(None, one_of(None, "bert_score"))


#: What bert-score does where the default differs from it.
PRESETS = {"bert_score": {"idf": False, "zero_weight": "nan", "prefix_space": DEFAULT_PREFIX_SPACES["bert_score"]}}


#: What evaluate's bertscore returns.
DIALECTS = {
    "bert_score": Dialect(
        {"compat": "bert_score"},
        keys={name: name for name in ("precision", "recall", "f1", "hashcode")},
        left_out=("mean_",),
    )
}


def check_together(o: BertscoreOptions) -> None:
    """Raise an OptionError for options that exclude or need each other, or packages that are not there."""
    if o.lang is None and o.model_type is None:
        raise OptionError(
            "bertscore_idf needs 'lang', such as 'en', to choose the encoder that bert-score uses, or "
            "'model_type', the name of an encoder on the Hub or its folder."
        )
    if o.all_layers and o.multi_ref == "best_f":
        raise OptionError("'multi_ref'='best_f' takes one reference by one layer's F: it excludes all_layers=True.")
    if o.baseline_path is not None and not o.rescale_with_baseline:
        raise OptionError("'baseline_path' is the file that rescale_with_baseline=True uses: give both or none.")
    if o.compat is not None and o.n_jobs != 1:
        raise OptionError(
            "bert-score's numbers depend on its batches, and so on the order of all pairs: 'compat'='bert_score' "
            "takes n_jobs=1 only."
        )
    if o.idf_documents == "items" and o.idf is not True:
        raise OptionError("'idf_documents' says how idf=True counts the references; it needs idf=True.")
    for package in ("torch", "transformers"):
        if find_spec(package) is None:
            raise OptionError(
                f"bertscore_idf needs the package {package!r}, which is not installed: pip install torch "
                "transformers, or tercet[bertscore]."
            )
