"""Any order, any cuts, any kind of part and any number of threads: the sums and the result are equal to the bit."""

import pickle
import tempfile
from functools import reduce
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import ZERO_BLEU
from tercet import Stream, arrow_statistics
from tercet.api import make_scorer
from tercet.base import pieces
from tercet.streaming.part_sums import ColumnJob, PartSums, Work
from texts import corpora

#: Options with which each metric's rows are the same on every machine and in every batch.
COUNTS = [
    ("bleu_multi", {}),
    ("bleu_multi", {"compat": "nltk", "smooth_method": "nltk3", "weights": {"flat": (0.5, 0.5)}}),
    ("bleu_multi", {"tokenizer": "unicode", "grid": True, "scale": 100, "missing_references": "zero"}),
    ("rouge_nlws", {"tokenizer": "unicode"}),
    ("rouge_nlws", {"tokenizer": "rouge", "output": "all", "multi_ref": "jackknife", "use_stemmer": True}),
    ("rouge_nlws", {"tokenizer": "unicode", "rouge_types": ["rougeW", "rougeSU4"], "missing_references": "skip"}),
    ("rouge_nlws", {"compat": "rouge155", "missing_references": "zero"}),
    ("chrf_multi", {"word_order": [0, 2], "missing_references": "zero"}),
    ("bleu_rouge_f", {}),
    ("jaccard_sets", {"variants": {"letters": {"tokenizer": "char"}}, "scale": 100}),
    ("ter", {"normalized": True, "asian_support": True, "missing_references": "zero"}),
]
RESAMPLES = {"confidence_level": 0.9, "n_resamples": 20}

pytestmark = [ZERO_BLEU, pytest.mark.filterwarnings("ignore::UserWarning")]


def stream_of(metric, parts, **options):
    stream = Stream(metric, **options)
    for predictions, references, ids in parts:
        stream.add(predictions, references, ids)
    return stream


def table_of(predictions, references, ids):
    columns = {"mt": pa.array(predictions, pa.string()), "refs": pa.array(references, pa.list_(pa.string()))}
    return pa.table(columns if ids is None else {**columns, "id": pa.array(ids, pa.int64())})


def in_batches(metric, parts, rng, **options):
    return stream_of(metric, parts, **options)


def in_a_tree_of_merges(metric, parts, rng, **options):
    streams = [stream_of(metric, [part], **options) for part in parts]
    while len(streams) > 1:
        one, other = (streams.pop(rng.randrange(len(streams))) for _ in range(2))
        one.merge(other)
        streams.append(one)
    return streams[0]


def in_files(metric, parts, rng, **options):
    found = Stream(metric, **options)
    with tempfile.TemporaryDirectory() as folder:
        for number, part in enumerate(parts):
            stream_of(metric, [part], **options).save(Path(folder, str(number)))
        found.merge(Stream.load(Path(folder, str(number))) for number in rng.sample(range(len(parts)), len(parts)))
    return found


def in_tables(metric, parts, rng, **options):
    id = None if parts[0][2] is None else "id"
    tables = [arrow_statistics(table_of(*part), metric, id=id, **options) for part in parts]
    rows = pa.concat_tables(tables)
    shuffled = rows.take(np.array(rng.sample(range(len(rows)), len(rows))))
    return Stream.from_arrow(shuffled, metric, **options)


def by_workers(metric, parts, rng, **options):
    """As Ray has it: each worker returns its sums; one of the parts comes twice, which only ids show in a table."""
    id = None if parts[0][2] is None else "id"
    work = Work((ColumnJob(make_scorer(metric, options), "mt", {}),), ("refs",), id, None, False)
    results = [pickle.dumps(work.sum_table(table_of(*part))) for part in parts if part[0]]
    found = reduce(PartSums.add, map(pickle.loads, [*results, *(results[:1] if id else [])]), PartSums())
    return Stream.from_arrow(found.sums[0].to_table(), metric, **options)


def by_threads(metric, parts, rng, **options):
    whole = [reduce(lambda one, other: one + other, column) for column in list(zip(*parts, strict=True))[:2]]
    ids = None if parts[0][2] is None else [id for part in parts for id in part[2]]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pieces, "PIECE", 2)
        return stream_of(metric, [(*whole, ids)], **options, n_jobs=rng.choice([1, 3]))


@pytest.mark.parametrize(("metric", "options"), COUNTS)
@given(
    corpus=corpora(max_items=7),
    by_ids=st.booleans(),
    way=st.sampled_from([in_batches, in_a_tree_of_merges, in_files, in_tables, by_workers, by_threads]),
    rng=st.randoms(use_true_random=False),
)
def test_any_order_and_any_cuts_of_any_kind(metric, options, corpus, by_ids, way, rng):
    options, n = {**options, **RESAMPLES}, len(corpus[0])
    predictions = [f"{text} {number}" for number, text in enumerate(corpus[0])]  # equal items merge only with ids
    references = [[text or "-" for text in each] for each in corpus[1]]  # an empty cell of a table is no reference
    items = list(zip(predictions, references, range(n), strict=True))
    whole = stream_of(metric, [(predictions, references, range(n) if by_ids else None)], **options)

    shuffled = rng.sample(items, n)
    cuts = [0, *sorted(rng.choices(range(n + 1), k=3)), n]
    parts = [
        tuple([item[column] for item in shuffled[low:high]] for column in range(3)) for low, high in pairwise(cuts)
    ]
    found = way(metric, [part if by_ids else (*part[:2], None) for part in parts], rng, **options)
    assert len(found) == n
    assert found.to_arrow().equals(whole.to_arrow())
    assert found.result().to_dict(full=True) == whole.result().to_dict(full=True)
