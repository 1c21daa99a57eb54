"""Arrow arrays that contradict themselves: to read them may end the process, and Python raises nothing.

They are well-formed when they are made, as pyarrow and others look at them then; `spoil` writes into their buffers.
"""

import numpy as np
import pandas as pd
import pyarrow as pa

import tercet
from tercet import InputError, Stream

TEXT, VIEW = pa.string(), pa.string_view()
TEXTS, FAR = ["a b", "c", "a long text of many words"], 10**9
_HELD = []


def buffer(values, spoiled, kind=np.int32):
    held = np.array(values, kind)
    _HELD.append((held, np.array(spoiled, kind)))
    return pa.py_buffer(held)


def spoil():
    for held, spoiled in _HELD:
        held[...] = spoiled
    _HELD.clear()


def numbers(values, spoiled, kind=np.int32):
    return pa.Array.from_buffers(pa.from_numpy_dtype(kind), len(values), [None, buffer(values, spoiled, kind)])


def texts(*offsets, kind=TEXT, width=np.int32, data=b"a bc d"):
    good = [0, 3, 4, len(data)]
    return pa.Array.from_buffers(kind, 3, [None, buffer(good, offsets or good, width), pa.py_buffer(data)])


def views(length, place, number=0, start=b"a lo", kind=VIEW):
    good = pa.array(TEXTS, kind)
    spoiled = np.frombuffer(good.buffers()[1], np.uint8).copy()
    spoiled[32:] = np.frombuffer(np.array([length, 0, number, place], np.int32), np.uint8)
    spoiled[36:40] = np.frombuffer(start, np.uint8)
    held = buffer(np.frombuffer(good.buffers()[1], np.uint8), spoiled, np.uint8)
    return pa.Array.from_buffers(kind, 3, [None, held, good.buffers()[2]])


def lists(*offsets, kind=pa.list_, width=np.int32, child=None):
    child = pa.array(TEXTS) if child is None else child
    held = buffer(range(4), offsets or range(4), width)
    return pa.Array.from_buffers(kind(child.type), 3, [None, held], children=[child])


def list_views(offsets, sizes):
    return pa.ListViewArray.from_arrays(numbers(range(3), offsets), numbers([1] * 3, sizes), pa.array(TEXTS))


def dictionary(*indices, words=None, kind=np.int32):
    held = numbers(range(3), indices or range(3), kind)
    return pa.DictionaryArray.from_arrays(held, pa.array(TEXTS) if words is None else words)


def runs(*ends, values=None):
    held = numbers([1, 2, 3], ends or [1, 2, 3])
    return pa.RunEndEncodedArray.from_arrays(held, pa.array(TEXTS) if values is None else values)


def union(codes, offsets=None):
    kinds, children = numbers([0] * 3, codes, np.int8), [pa.array(TEXTS), pa.array([1, 2, 3])]
    if offsets is None:
        return pa.UnionArray.from_sparse(kinds, children)
    return pa.UnionArray.from_dense(kinds, numbers(range(3), offsets), children)


class Wrapped(pa.ExtensionType):
    def __init__(self):
        super().__init__(pa.string(), "tercet.test")

    def __arrow_ext_serialize__(self):
        return b""


MALFORMED = {
    "a last offset behind the data": lambda: texts(0, 3, 6, FAR),
    "an offset behind the data": lambda: texts(0, FAR, 6, 6),
    "a negative offset": lambda: texts(0, -5, 3, 6),
    "a first offset below 0": lambda: texts(-FAR, 1, 3, 6),
    "offsets that fall": lambda: texts(0, 6, 3, 6),
    "a large offset": lambda: texts(0, 3, 6, 10**15, kind=pa.large_string(), width=np.int64),
    "a large negative offset": lambda: texts(0, -(2**62), 6, 6, kind=pa.large_string(), width=np.int64),
    "a large offset between": lambda: texts(0, 2**62, 6, 6, kind=pa.large_string(), width=np.int64),
    "binary": lambda: texts(0, 3, 6, FAR, kind=pa.binary()),
    "large binary": lambda: texts(0, 3, 6, 10**15, kind=pa.large_binary(), width=np.int64),
    "a slice": lambda: texts(0, 3, 6, FAR)[1:],
    "a chunk": lambda: pa.chunked_array([pa.array(["a"]), texts(0, 3, 6, FAR)]),
    "no UTF-8": lambda: texts(data=b"a b\xffcd"),
    "no UTF-8 in lists": lambda: lists(child=texts(data=b"a b\xffcd")),
    "a view at a negative place": lambda: views(25, -8),
    "a view just before its buffer": lambda: views(24, -1, start=b"\0a l"),
    "a view behind its buffer": lambda: views(25, FAR),
    "a view that ends behind its buffer": lambda: views(26, 0),
    "a long view": lambda: views(FAR, 0),
    "a view of negative length": lambda: views(-5, 0),
    "a view whose end overflows": lambda: views(2**31 - 1, 2**31 - 1),
    "a view of no buffer": lambda: views(25, 0, number=7),
    "a view of a negative buffer": lambda: views(25, 0, number=-1),
    "a view that begins otherwise": lambda: views(25, 0, start=b"zzzz"),
    "a binary view": lambda: views(25, FAR, kind=pa.binary_view()),
    "lists to behind their child": lambda: lists(0, 1, 2, FAR),
    "a list behind its child": lambda: lists(0, FAR, 2, 3),
    "a list at a negative place": lambda: lists(0, -7, 2, 3),
    "lists that fall": lambda: lists(0, 3, 1, 3),
    "lists that begin behind their child": lambda: lists(FAR, FAR, FAR, FAR),
    "large lists": lambda: lists(0, 1, 2, 2**60, kind=pa.large_list, width=np.int64),
    "lists of texts": lambda: lists(child=texts(0, 3, 6, FAR)),
    "lists of views": lambda: lists(child=views(25, -8)),
    "lists of a dictionary": lambda: lists(child=dictionary(0, 1, 10**8)),
    "lists of lists": lambda: lists(child=lists(0, 1, 2, FAR)),
    "lists of one size": lambda: pa.FixedSizeListArray.from_arrays(texts(0, 3, 6, FAR), 1),
    "a list view behind its child": lambda: list_views([0, FAR, 1], [1, 1, 1]),
    "a long list view": lambda: list_views([0, 1, 2], [1, 1, FAR]),
    "a list view at a negative place": lambda: list_views([0, -9, 2], [1, 1, 1]),
    "an index behind the dictionary": lambda: dictionary(0, 1, 10**8),
    "a negative index": lambda: dictionary(0, -9, 1),
    "a small index": lambda: dictionary(0, 1, 100, kind=np.int8),
    "a dictionary of texts": lambda: dictionary(words=texts(0, 3, 6, FAR)),
    "a dictionary of views": lambda: dictionary(words=views(25, -8)),
    "a run that ends below 0": lambda: runs(1, 2, -5),
    "runs that end early": lambda: runs(1, 1, 2),
    "runs of texts": lambda: runs(values=texts(0, 3, 6, FAR)),
    "an unknown kind in a union": lambda: union([0, 1, 9]),
    "a negative kind in a union": lambda: union([0, -3, 1]),
    "a union behind its child": lambda: union([0] * 3, [0, 1, FAR]),
    "a union at a negative place": lambda: union([0] * 3, [0, 1, -9]),
    "a field": lambda: pa.StructArray.from_arrays([texts(0, 3, 6, FAR)], ["a"]),
    "a map": lambda: pa.MapArray.from_arrays(pa.array(range(4), pa.int32()), pa.array(TEXTS), texts(0, 3, 6, FAR)),
    "an extension": lambda: pa.ExtensionArray.from_storage(Wrapped(), texts(0, 3, 6, FAR)),
}  # fmt: skip


def frame_of(column):
    return pd.DataFrame({"only": pd.arrays.ArrowExtensionArray(column)})


#: Ways by which a column comes in: what holds it, what is called with that, and what the error must name.
WAYS = {
    "predictions": (None, lambda c: tercet.score("bleu", c, ["a"] * len(c)), "predictions cannot be read"),
    "references": (None, lambda c: tercet.score("bleu", ["a"] * len(c), c), "references cannot be read"),
    "both": (None, lambda c: Stream("chrf").add(pa.array(["a"] * len(c)), c), "references cannot be read"),
    "references of an item": (None, lambda c: tercet.score("bleu", ["a"], [c]), "item 0 of references cannot be"),
    "shown": (None, lambda c: tercet.score("bleu", ["a"], [[c]]), "item 0 of the references of item 0 must be a str"),
    "ids": (None, lambda c: Stream("chrf").add(["a"] * len(c), ["a"] * len(c), ids=c), "ids cannot be read"),
    "pandas": (frame_of, lambda c: tercet.score("bleu", c, ["a"] * len(c)), "predictions cannot be read"),
    "table": (
        lambda column: pa.table({"mt": ["a"] * len(column), "ref": ["a"] * len(column), "other": column}),
        lambda table: tercet.arrow_statistics(table, "bleu", references=["ref", "other"]),
        "the column 'other' ",
    ),
    "ids of a table": (
        lambda column: pa.table({"mt": ["a"] * len(column), "ref": ["a"] * len(column), "id": column}),
        lambda table: tercet.arrow_statistics(table, "bleu", id="id"),
        "the column 'id' cannot be read",
    ),
}


def check_all():
    """Raise for the first malformed array that is not refused as it should be, whichever way it comes."""
    for name, make in MALFORMED.items():
        for way, (hold, call, expected) in WAYS.items():
            made = make()
            held = made if hold is None else hold(made)
            spoil()
            found = "scored"
            try:
                call(held)
            except InputError as error:
                found = str(error)
            named = found.startswith(expected) or "is not valid UTF-8" in found or way == "table"
            assert named and found != "scored", f"{name}, as {way}: {found}"  # noqa: PT018
