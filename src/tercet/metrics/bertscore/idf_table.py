"""Document frequencies of subword ids: counted, merged, kept as files, and turned into the weight of each id."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tercet import numpy_later as np
from tercet.corpus.items import check_texts
from tercet.engine.ragged import Ragged
from tercet.errors import InputError, MergeError, OptionError, did_you_mean, needs, shorten
from tercet.files.writing import write_file
from tercet.networks.in_memory import InMemory
from tercet.networks.load import subwords_of
from tercet.networks.long_texts import truncate
from tercet.networks.subwords import DEFAULT_PREFIX_SPACES, PREFIX_SPACES, Subwords

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

_FORMAT = "tercet-idf-1"
_COLUMNS = ("id", "documents")

# More than any tokenizer or corpus has: beyond them a file would only cost time and memory.
_LARGEST_VOCABULARY = 1 << 24
_LARGEST_FILE = 1 << 28
_MOST_DOCUMENTS = 1 << 48


@dataclass(frozen=True, slots=True)
class Weights:
    """The weight of each subword id."""

    values: NDArray[np.float32]  # weight by id
    unseen: float  # weight of greater ids

    @property
    def digest(self) -> str:
        """Eight characters that stand for all of them."""
        checksum = sha256(repr(self.unseen).encode())
        checksum.update(self.values.astype("<f4").tobytes())
        return checksum.hexdigest()[:8]

    def of(self, ids: NDArray[np.int32]) -> NDArray[np.float32]:
        """Return the weight of each id."""
        is_seen = ids < len(self.values)
        weights: NDArray[np.float32] = np.where(
            is_seen, self.values[np.where(is_seen, ids, 0)], np.float32(self.unseen)
        )
        return weights


@dataclass(frozen=True, slots=True, eq=False)
class IdfTable:
    """Document frequencies of subword ids.

    Tables of parts add up to the table of the whole, to the bit.

    Attributes
    ----------
    n_documents : int
    counts : ndarray of int64, shape (v,)
        Number of documents that hold each id.
    fingerprint : str
        Of the tokenizer (see :attr:`Subwords.fingerprint`).
    max_length : int or None
        Texts were truncated to this many tokens before they were counted.

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
        prefix_space: bool | str | None = None,
        compat: str | None = None,
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
            Count only this many tokens from the start of a text; by default the encoder's limit.
        prefix_space : {"auto", "installed", True, False}, optional
            As in ``bertscore_idf``: "auto" where it is not given, "installed" with `compat`.
        compat : {None, "bert_score"}
            "bert_score" counts as bert-score does, for ``bertscore_idf`` with the same ``compat``: a table of the
            references gives bert-score's own weights.

        Returns
        -------
        IdfTable

        Raises
        ------
        InputError
            For a document that is not text; names it by its number.
        OptionError
            Where transformers is not installed.
        """
        if compat not in DEFAULT_PREFIX_SPACES:
            packages = [name for name in DEFAULT_PREFIX_SPACES if name]
            raise OptionError(f"compat knows no package {shorten(compat)}. {did_you_mean(str(compat), packages)}")
        if prefix_space is None:
            prefix_space = DEFAULT_PREFIX_SPACES[compat]
        if batch_size < 1:
            raise OptionError(f"batch_size must be an integer of at least 1, got {shorten(batch_size)}.")
        if prefix_space not in (True, False, *PREFIX_SPACES):
            raise OptionError(
                f"prefix_space must be True, False, 'auto' or 'installed', got {shorten(prefix_space)}."
            )
        if isinstance(model_type, Subwords):
            subwords = model_type
        else:
            needs("An IDF table", "bertscore", "transformers")  # without torch, because no network is loaded
            subwords = subwords_of(InMemory.of(model_type) or str(model_type), prefix_space)
        limit = subwords.length_limit(max_length)
        table = cls(0, np.zeros(subwords.vocabulary_size, np.int64), subwords.fingerprint, limit)
        if isinstance(texts, str):
            raise InputError("texts must be an iterable of texts, got one string.")
        remaining = iter(texts)
        number = 0
        while batch := list(islice(remaining, batch_size)):
            check_texts(batch, "texts", number)
            number += len(batch)
            rows = truncate(subwords.whole(batch), limit, subwords)
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
        for table in (self, other):
            counts[: len(table.counts)] += table.counts
        return IdfTable(self.n_documents + other.n_documents, counts, self.fingerprint, self.max_length)

    def __radd__(self, other: object) -> IdfTable:
        """Let ``sum(tables)`` begin with its 0."""
        return self if other == 0 else NotImplemented

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IdfTable) and self.digest == other.digest

    __hash__ = None  # type: ignore[assignment]

    @property
    def digest(self) -> str:
        """Eight characters that identify the counts, the tokenizer and the length."""
        counted_ids = np.flatnonzero(self.counts)
        head = json.dumps([self.n_documents, self.fingerprint, self.max_length])
        checksum = sha256(head.encode())
        checksum.update(counted_ids.astype("<i8").tobytes())
        checksum.update(self.counts[counted_ids].astype("<i8").tobytes())
        return checksum.hexdigest()[:8]

    def weights(self) -> Weights:
        """Return ``log((n + 1) / (count + 1))`` of each id, ``log(n + 1)`` for those that no document holds."""
        values = np.log((self.n_documents + 1) / (self.counts + 1)).astype(np.float32)
        return Weights(values, math.log(self.n_documents + 1))

    def check(self, subwords: Subwords) -> None:
        """Raise an OptionError when the table was made with another tokenizer, or holds no document."""
        if not self.n_documents:
            raise OptionError("The IDF table is empty: it counts no document.")
        if self.fingerprint != subwords.fingerprint:
            raise OptionError(
                "The IDF table was made with another tokenizer (or another 'prefix_space'): its fingerprint is "
                f"{self.fingerprint}, that of this encoder {subwords.fingerprint}."
            )

    def save(self, path: str | PathLike[str]) -> None:
        """Write the table into one file, in Arrow's format: some hundred kilobytes at most."""
        import pyarrow as pa

        counted_ids = np.flatnonzero(self.counts)
        meta = {
            "format": _FORMAT,
            "n_documents": self.n_documents,
            "vocabulary_size": len(self.counts),
            "fingerprint": self.fingerprint,
            "max_length": self.max_length,
            "digest": self.digest,
        }
        arrays = (pa.array(counted_ids, pa.int32()), pa.array(self.counts[counted_ids], pa.int64()))
        table = pa.table(dict(zip(_COLUMNS, arrays, strict=True)))
        table = table.replace_schema_metadata({"tercet": json.dumps(meta)})
        options = pa.ipc.IpcWriteOptions(compression="zstd")
        with (
            write_file(Path(path).expanduser()) as file,
            pa.ipc.new_file(file, table.schema, options=options) as writer,
        ):
            writer.write_table(table)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> IdfTable:
        """Read a table that :meth:`save` wrote.

        Raises
        ------
        InputError
            When there is no such file, or it is not an IDF table, or is inconsistent, such as a token that more
            documents hold than there are; names what.
        """
        import pyarrow as pa

        if not isinstance(path, (str, PathLike)):
            raise InputError(f"Expected the path of an IDF table, got {shorten(path)}.")
        file = Path(os.path.expanduser(path))
        shown_path = shorten(str(path), 300)
        try:
            size = file.stat().st_size if file.is_file() else None
        except OSError:  # a name that no file can have
            size = None
        if size is None:
            raise InputError(f"There is no IDF table at {shown_path}.")
        try:
            if size > _LARGEST_FILE:
                raise InputError(f"its size is {size:,} bytes")
            with pa.OSFile(str(file), "rb") as source:
                table = pa.ipc.open_file(source).read_all()
            # Before the table is read, because reading a malformed one may end the process.
            table.validate(full=True)
            return cls._of_table(table, json.loads(table.schema.metadata[b"tercet"]))
        except Exception as error:  # broken files raise errors of many kinds
            reason = f": {error}" if isinstance(error, InputError) else ""
            raise InputError(
                f"The file {shown_path} is not an IDF table of tercet, or is damaged{reason}."
            ) from error

    @classmethod
    def _of_table(cls, table: pa.Table, meta: dict[str, Any]) -> IdfTable:
        """Return the contents of a file; InputError names what is invalid."""
        if meta["format"] != _FORMAT:
            raise InputError(f"its format is {shorten(meta['format'])}, expected {_FORMAT!r}")
        for name, least, most in (("n_documents", 0, _MOST_DOCUMENTS), ("vocabulary_size", 1, _LARGEST_VOCABULARY)):
            if type(meta[name]) is not int or not least <= meta[name] <= most:
                raise InputError(f"{name} is {shorten(meta[name])}, expected an integer from {least} to {most:,}")
        n_documents = meta["n_documents"]
        size = meta["vocabulary_size"]
        fingerprint = meta["fingerprint"]
        length = meta["max_length"]
        if not isinstance(fingerprint, str) or not (length is None or (type(length) is int and length > 0)):
            raise InputError(f"its texts were cut at {shorten(length)} by the tokenizer {shorten(fingerprint)}")
        ids, documents = (table.column(name).to_numpy().astype(np.int64, casting="safe") for name in _COLUMNS)
        if len(ids) and not (ids[0] >= 0 and ids[-1] < size and (np.diff(ids) > 0).all()):
            raise InputError(f"its ids are not in ascending order between 0 and {size - 1:,}")
        if len(ids) and not (documents.min() > 0 and documents.max() <= n_documents):
            raise InputError(
                f"a token is counted in {documents.min():,} to {documents.max():,} documents, expected 1 to "
                f"{n_documents:,}"
            )
        counts = np.zeros(size, np.int64)
        counts[ids] = documents
        idf_table = cls(n_documents, counts, fingerprint, length)
        if idf_table.digest != meta["digest"]:
            raise InputError(f"its digest is {idf_table.digest}, expected {shorten(meta['digest'])}")
        return idf_table
