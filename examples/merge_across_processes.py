"""A corpus in four parts, each scored by a process of its own: statistics travel as Arrow, and add up to the bit."""

from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pyarrow as pa

import tercet
from tercet.api import make_scorer
from tercet.base.scoring import summarize
from tercet.statistics.stats import SegmentStats

OPTIONS = {"scale": 100}
N_PARTS = 4


def statistics_of(predictions, references):
    """Return the rows of a part, as bytes that any process or machine can read."""
    table = make_scorer("bleu_multi", OPTIONS).stats(predictions, references).to_arrow()
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


def main():
    (test_set,) = tercet.read_test_sets([str(Path(__file__).resolve().parent / "data" / "en.tsv")])
    predictions, references = test_set.systems["tuned"], test_set.references
    bounds = [len(predictions) * part // N_PARTS for part in range(N_PARTS + 1)]
    parts = [slice(*bounds[part : part + 2]) for part in range(N_PARTS)]
    with ProcessPoolExecutor(2) as pool:
        packed = list(pool.map(statistics_of, [predictions[p] for p in parts], [references[p] for p in parts]))

    tables = [pa.ipc.open_stream(part).read_all() for part in packed]
    stats = SegmentStats.concatenate([SegmentStats.from_arrow(table) for table in tables])
    merged = summarize(make_scorer("bleu_multi", {**OPTIONS, "confidence_level": 0.95}), stats)
    whole = tercet.score("bleu_multi", predictions, references, confidence_level=0.95, **OPTIONS)
    print(f"{[len(table) for table in tables]} segments in {N_PARTS} parts of {[len(part) for part in packed]} bytes")
    print(f"merged: {merged['bleu']:.6f}, interval {[round(bound, 4) for bound in merged['intervals']['bleu']]}")
    print(f"whole:  {whole['bleu']:.6f}, interval {[round(bound, 4) for bound in whole['intervals']['bleu']]}")
    assert merged.to_dict(full=True) == whole.to_dict(full=True)
    print("equal to the bit, signature and all")


if __name__ == "__main__":
    main()
