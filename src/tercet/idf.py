"""Inverse document frequencies of subword ids: counted, merged, kept as files, and turned into weights."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from .columns import check_texts
from .encoders import subwords_of
from .errors import InputError, MergeError, OptionError, shorten
from .subwords import Subwords
from .tokens import Ragged

_FORMAT = "tercet-idf-1"


@dataclass(frozen=True, slots=True)
class Weights:
    """What each subword id counts.

    Attributes
    ----------
    values : ndarray of float32, shape (v,)
        Weight by id.
    unseen : float
        Weight of greater ids.
    """

    values: NDArray[np.float32]
    unseen: float

    def of(self, ids: NDArray[np.int32]) -> NDArray[np.float32]:
        """Return the weight of each id."""
        known = ids < len(self.values)
        weights: NDArray[np.float32] = np.where(known, self.values[np.where(known, ids, 0)], np.float32(self.unseen))
        return weights


@dataclass(frozen=True, slots=True, eq=False)
class IdfTable:
    """In how many documents of a corpus each subword id stands.

    Tables of parts add up to the table of the whole, to the bit.

    Attributes
    ----------
    n_documents : int
    counts : ndarray of int64, shape (v,)
        Number of documents that hold each id.
    fingerprint : str
        Of the tokenizer (see :attr:`Subwords.fingerprint`).
    max_length : int or None
        Texts were cut to so many tokens before they were counted.

    Examples
    --------
    >>> table = IdfTable(3, np.array([3, 1, 0]), "f0", None)
    >>> [round(float(value), 3) for value in table.weights().values]  # log(4/4), log(4/2), log(4/1)
    [0.0, 0.693, 1.386]
    >>> (table + table).n_documents
    6
    """

    n_documents: int
    counts: NDArray[np.int64]
    fingerprint: str
    max_length: int | None

    @classmethod
    def fit(
        cls,
        texts: Iterable[str],
        model_type: str | Subwords,
        *,
        max_length: int | None = None,
        prefix_space: bool | str = "auto",
        batch_size: int = 1000,
    ) -> IdfTable:
        """Count the documents of a corpus that hold each token.

        Parameters
        ----------
        texts : iterable of str
            One document each; read once, `batch_size` at a time.
        model_type : str
            Folder or name of the encoder whose tokenizer is used; its weights are not needed.
        max_length : int, optional
            Count the first so many tokens of a text only; by default as many as the encoder takes.
        prefix_space : {"auto", "installed", True, False}
            As in ``bertscore_idf``.

        Returns
        -------
        IdfTable

        Raises
        ------
        InputError
            For a document that is not text; names it by its number.
        """
        subwords = model_type if isinstance(model_type, Subwords) else subwords_of(model_type, prefix_space)
        limit = subwords.length_limit(max_length)
        table = cls(0, np.zeros(subwords.vocabulary_size, np.int64), subwords.fingerprint, limit)
        if isinstance(texts, str):
            raise InputError("texts must be an iterable of texts, got one string.")
        remaining, number = iter(texts), 0
        while batch := list(islice(remaining, batch_size)):
            check_texts(batch, "texts", number)
            number += len(batch)
            rows = subwords.truncate(subwords.whole(batch), limit)
            table = table + cls.count(rows, np.arange(len(batch)), subwords, limit)
        return table

    @classmethod
    def count(
        cls, rows: Ragged, documents: NDArray[np.int64], subwords: Subwords, max_length: int | None
    ) -> IdfTable:
        """Count ids by document: row i of ids belongs to ``documents[i]`` (0, 1, ...).

        Time and memory: those of sorting the ids.
        """
        size = max(subwords.vocabulary_size, int(rows.values.max(initial=-1)) + 1)
        pairs = np.repeat(documents, rows.lengths) * size + rows.values
        counts = np.bincount(np.unique(pairs) % size, minlength=size)
        n_documents = len(np.unique(documents))
        return cls(n_documents, counts.astype(np.int64), subwords.fingerprint, max_length)

    def __add__(self, other: IdfTable) -> IdfTable:
        """Return the table of both corpora.

        Raises
        ------
        MergeError
            When their texts were split or cut differently.
        """
        if not isinstance(other, IdfTable):
            return NotImplemented
        if (self.fingerprint, self.max_length) != (other.fingerprint, other.max_length):
            raise MergeError(
                "IDF tables of different tokenizers or lengths do not add up: "
                f"{self.fingerprint} cut at {self.max_length}, {other.fingerprint} cut at {other.max_length}."
            )
        size = max(len(self.counts), len(other.counts))
        counts = np.zeros(size, np.int64)
        for each in (self, other):
            counts[: len(each.counts)] += each.counts
        return IdfTable(self.n_documents + other.n_documents, counts, self.fingerprint, self.max_length)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IdfTable) and self.digest == other.digest

    __hash__ = None  # type: ignore[assignment]

    @property
    def digest(self) -> str:
        """Eight characters that stand for the counts, the tokenizer and the length."""
        filled = np.flatnonzero(self.counts)
        head = json.dumps([self.n_documents, self.fingerprint, self.max_length])
        total = sha256(head.encode())
        total.update(filled.astype("<i8").tobytes())
        total.update(self.counts[filled].astype("<i8").tobytes())
        return total.hexdigest()[:8]

    def weights(self) -> Weights:
        """Return ``log((n + 1) / (count + 1))`` of each id, ``log(n + 1)`` for those that no document holds."""
        values = np.log((self.n_documents + 1) / (self.counts + 1)).astype(np.float32)
        return Weights(values, math.log(self.n_documents + 1))

    def check(self, subwords: Subwords) -> None:
        """Raise an OptionError when the table was made with another tokenizer."""
        if self.fingerprint != subwords.fingerprint:
            raise OptionError(
                "The IDF table was made with another tokenizer (or another 'prefix_space'): its fingerprint is "
                f"{self.fingerprint}, that of this encoder {subwords.fingerprint}."
            )

    def save(self, path: str | Path) -> None:
        """Write the table into one file, in Arrow's format: some hundred kilobytes at most."""
        filled = np.flatnonzero(self.counts)
        meta = {
            "format": _FORMAT,
            "n_documents": self.n_documents,
            "vocabulary_size": len(self.counts),
            "fingerprint": self.fingerprint,
            "max_length": self.max_length,
        }
        table = pa.table({"id": pa.array(filled, pa.int32()), "documents": pa.array(self.counts[filled], pa.int64())})
        table = table.replace_schema_metadata({"tercet": json.dumps(meta)})
        options = pa.ipc.IpcWriteOptions(compression="zstd")
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema, options=options) as writer:
            writer.write_table(table)

    @classmethod
    def load(cls, path: str | Path) -> IdfTable:
        """Read a table that :meth:`save` wrote.

        Raises
        ------
        InputError
            When there is no such file, or it is no IDF table.
        """
        try:
            with pa.OSFile(str(path), "rb") as source:
                table = pa.ipc.open_file(source).read_all()
            meta = json.loads((table.schema.metadata or {})[b"tercet"])
            if meta["format"] != _FORMAT:
                raise KeyError(meta["format"])
            counts = np.zeros(meta["vocabulary_size"], np.int64)
            counts[table.column("id").to_numpy()] = table.column("documents").to_numpy()
            return cls(meta["n_documents"], counts, meta["fingerprint"], meta["max_length"])
        except FileNotFoundError:
            raise InputError(f"There is no IDF table at {str(path)!r}.") from None
        except (pa.ArrowInvalid, OSError, KeyError, ValueError, IndexError) as error:
            raise InputError(f"The file {str(path)!r} is not an IDF table of tercet.") from error


def plain_weights(subwords: Subwords) -> Weights:
    """Return the weights without IDF: 1 for every token, 0 for CLS and SEP."""
    values = np.ones(subwords.vocabulary_size, np.float32)
    values[[each for each in subwords.zero_weight_ids if each < len(values)]] = 0
    return Weights(values, 1.0)


def mapped_weights(mapping: Mapping[Any, Any], subwords: Subwords, strict: bool = False) -> Weights:
    """Return the weights that a mapping names, by ids (int) or by tokens (str).

    Ids that it does not name get its ``default_factory()``, or else its greatest weight; CLS and SEP get 0.

    Parameters
    ----------
    mapping : mapping of int or str to float
        Keys of one kind: ``"2003"`` is a token, ``2003`` an id.
    subwords : Subwords
    strict : bool
        Whether the mapping is used as bert-score does: NaN for what it does not name (an error when it is met),
        also for CLS and SEP.

    Raises
    ------
    OptionError
        On keys of both kinds, a token that the tokenizer does not have, or a weight that is negative or not finite.
    """
    kinds = {type(key) if isinstance(key, str) else int for key in mapping}
    if len(kinds) != 1:
        raise OptionError(
            "The 'idf' mapping of bertscore_idf must have ids (int) or tokens (str) as keys, of one kind. "
            f"Got {shorten(list(mapping))} instead."
        )
    vocabulary: dict[Any, int] = subwords.tokenizer.get_vocab() if kinds == {str} else {}
    size = subwords.vocabulary_size
    ids, weights = [], []
    for key, value in mapping.items():
        number = vocabulary.get(key) if kinds == {str} else key
        if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or not 0 <= number < 1 << 31:
            raise OptionError(f"The key {key!r} of the 'idf' mapping is neither an id nor a token of this tokenizer.")
        try:
            weight = float(value)
        except (TypeError, ValueError):
            weight = math.nan
        if not 0 <= weight < math.inf:
            raise OptionError(f"The weight of {key!r} in the 'idf' mapping must be a number from 0, got {value!r}.")
        ids.append(int(number))
        weights.append(weight)
    factory = getattr(mapping, "default_factory", None)
    unseen = float(factory()) if factory is not None else math.nan if strict else max(weights)
    values = np.full(max(size, max(ids) + 1), unseen, np.float32)
    if not strict:
        values[[each for each in subwords.zero_weight_ids if each < len(values)]] = 0
    values[ids] = weights
    return Weights(values, unseen)
