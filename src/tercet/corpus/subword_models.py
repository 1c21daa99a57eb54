"""Subwords by SentencePiece: the models of sacrebleu's spBLEU by their names, and any other by its path.

Nothing is downloaded: a model is a file of this machine, or in its cache of the Hub.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from tercet.errors import OptionError, first_line, needs, shorten

from .tokenizer_packages import optional_package

#: The models that sacrebleu knows, with the names of their files in its folder.
SACREBLEU_MODELS = {
    "flores101": "sacrebleu_tokenizer_spm.model",
    "flores200": "flores200sacrebleuspm",
    "spBLEU-1K": "spbleu-1k_tokenizer_spm.model",
}
_ON_THE_HUB = r"hf://(?P<repo>[^/@]+/[^/@]+)(@(?P<revision>refs/(pr/\d+|convert/\w+)|[^/]+))?/(?P<file>.+)"
#: Of a model's digest in a signature.
_DIGITS = 12
#: Most bytes of a file: the largest models of large vocabularies have some ten million.
_MOST_BYTES = 256 << 20


class _SubwordModel(NamedTuple):
    """A model that was read."""

    #: Takes calls of several threads at once.
    processor: Any
    #: The first digits of the SHA-256 of its file.
    digest: str

    def split(self, texts: Sequence[str]) -> list[str]:
        """Return each text with blanks between its pieces, as sacrebleu does; its BLEU strips the right end first."""
        stripped = [text.rstrip() for text in texts]
        return [" ".join(pieces) for pieces in self.processor.encode(stripped, out_type=str, num_threads=1)]


def is_model_path(tokenizer: object) -> bool:
    """Return whether a tokenizer is written as the path of a file."""
    return isinstance(tokenizer, str) and (tokenizer.endswith(".model") or "/" in tokenizer or os.sep in tokenizer)


def is_subword_model(tokenizer: object) -> bool:
    """Return whether a tokenizer is a model's name or path."""
    return is_model_path(tokenizer) or (isinstance(tokenizer, str) and tokenizer in SACREBLEU_MODELS)


def subword_model(tokenizer: str) -> _SubwordModel:
    """Return a model, which is read once as long as its file does not change."""
    path = _locate(tokenizer)
    try:
        file = os.stat(path)
        return _read_model(path, tokenizer, file.st_mtime_ns, file.st_size)
    except OSError as error:
        raise OptionError(f"The tokenizer {shorten(tokenizer, 300)} cannot be read: {first_line(error)}") from error


@lru_cache(maxsize=16)
def _read_model(path: str, tokenizer: str, changed: int, size: int) -> _SubwordModel:
    """Return the model of a file; its size and time of change show when it must be read again."""
    sentencepiece = optional_package("sentencepiece", tokenizer)
    if size > _MOST_BYTES:
        raise _no_model(path, tokenizer, f"it has {size:,} bytes")
    with open(path, "rb") as file:
        content = file.read()
    if not content:
        raise _no_model(path, tokenizer, "it is empty")
    processor = sentencepiece.SentencePieceProcessor()
    try:
        processor.LoadFromSerializedProto(content)
    except RuntimeError as error:
        raise _no_model(path, tokenizer, first_line(error)) from error
    from hashlib import sha256

    return _SubwordModel(processor, sha256(content).hexdigest()[:_DIGITS])


def _no_model(path: str, tokenizer: str, reason: str) -> OptionError:
    again = ""
    if tokenizer in SACREBLEU_MODELS:
        again = f" Delete it, and let sacrebleu fetch it again: {_fetch_command(tokenizer)}"
    return OptionError(
        f"The file {shorten(path, 300)}, given as 'tokenizer', is not a SentencePiece model, or is damaged: "
        f"{reason.rstrip('.')}.{again}"
    )


def _locate(tokenizer: str) -> str:
    """Return the path of a model's file, if there is one."""
    if tokenizer in SACREBLEU_MODELS:
        # As sacrebleu finds its folder.
        home = os.environ.get("SACREBLEU", os.path.join(os.path.expanduser("~"), ".sacrebleu"))
        path = os.path.join(home, "models", SACREBLEU_MODELS[tokenizer])
        missing = (
            f"The tokenizer {tokenizer!r} needs the file {shorten(path, 300)}, which is where sacrebleu keeps its "
            f"model. sacrebleu fetches it: {_fetch_command(tokenizer)} (the environment variable SACREBLEU names a "
            "folder other than ~/.sacrebleu; a copy elsewhere can be given by its path)."
        )
    elif tokenizer.startswith("hf://"):
        return _of_the_hub(tokenizer)
    else:
        path = os.path.abspath(os.path.expanduser(tokenizer))
        missing = f"There is no file {shorten(path, 300)}, given as 'tokenizer'."
    # False also for what cannot be the name of a file.
    if not os.path.isfile(path):
        raise OptionError(missing)
    return path


def _fetch_command(name: str) -> str:
    """Return the command by which sacrebleu fetches a model."""
    return f"""python -c 'import sacrebleu; sacrebleu.BLEU(tokenize="{name}")'"""


def _of_the_hub(address: str) -> str:
    """Return the path of a file in the cache of the Hub."""
    needs(f"The tokenizer {shorten(address, 300)}", "languages", "huggingface_hub")
    from huggingface_hub import constants, try_to_load_from_cache

    parts = re.fullmatch(_ON_THE_HUB, address)
    if parts is None:
        raise OptionError(
            "A tokenizer of the Hub is written as 'hf://owner/name/file' or 'hf://owner/name@revision/file'. Got "
            f"{shorten(address, 300)} instead."
        )
    repo = parts["repo"]
    revision = parts["revision"]
    name = parts["file"]
    try:
        path = try_to_load_from_cache(repo, name, revision=revision)
    except ValueError as error:
        # A name that no repository or file can have, such as "../my.model".
        raise OptionError(f"There is no {shorten(address, 300)} in the Hub: {first_line(error)}") from error
    if not isinstance(path, str) or not os.path.isfile(path):
        version = f" --revision {revision}" if revision else ""
        raise OptionError(
            f"The tokenizer {shorten(address, 300)} is not in the Hub's cache, {constants.HF_HUB_CACHE!r}, and "
            f"nothing is downloaded here. This fetches it: hf download {repo} {name}{version}"
        )
    return path
