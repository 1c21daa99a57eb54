"""What a worker makes of a part, and how such parts become one: no worker is needed to see it."""

import json
import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tercet
from tercet.api import make_scorer
from tercet.columns.reading import read_batch
from tercet.errors import InputError, MergeError
from tercet.scale.partials import Partials
from tercet.scale.parts import list_parts
from tercet.scale.work import Job, Work, check_folder, labels_of
from tercet.streams.learnt import learnt_of, plain_of
from tercet.streams.summary import result_of
from texts import all_pairs, awkward_corpus

OPTIONS = {"confidence_level": 0.9, "n_resamples": 50}
PREDICTIONS, REFERENCES = (each * 4 for each in all_pairs())
IDS = [f"item {number}" for number in range(len(PREDICTIONS))]


@pytest.fixture
def path(tmp_path):
    columns = {"id": IDS, "mt": PREDICTIONS, "other": PREDICTIONS[::-1], "refs": [list(each) for each in REFERENCES]}
    pq.write_table(pa.table(columns), tmp_path / "a.parquet", row_group_size=11)
    return str(tmp_path / "a.parquet")


def work_of(metrics, *, systems=("mt",), segments=None, skip_bad=False, id="id"):
    listed = [
        (system, metric, make_scorer(metric, {**OPTIONS, **options}))
        for system in systems
        for metric, options in metrics.items()
    ]
    jobs = (Job(each[2], each[0], own) for each, own in zip(listed, labels_of(listed), strict=True))
    return Work(tuple(jobs), ("refs",), id, segments, skip_bad)


@pytest.mark.parametrize("metric", ["bleu_multi", "rouge_nlws", "jaccard_sets", "bleu_rouge_f"])
def test_parts_in_any_order_are_the_stream_of_all_items(path, metric):
    options = {"tokenizer": "rouge"} if metric == "rouge_nlws" else {}
    work = work_of({metric: options})
    parts = list_parts([path], whole=False)
    random.Random(0).shuffle(parts)
    sums = Partials()
    for part in parts:
        sums.add(Partials.of_table(work.of_part(part).to_table()))
    stream = tercet.Stream(metric, **options, **OPTIONS)
    stream.add(PREDICTIONS, REFERENCES, IDS)
    found = result_of(work.jobs[0].scorer, sums.totals[0])
    assert found == stream.result()
    assert found.signature == stream.result().signature


def test_the_scores_of_items_are_written_with_their_ids(path, tmp_path):
    work = work_of({"bleu_multi": {}, "jaccard_sets": {}}, systems=("mt", "other"), segments=f"{tmp_path}/out")
    for part in [*list_parts([path], whole=False), list_parts([path], whole=False)[0]]:  # one part comes twice
        work.of_part(part)
    found = pq.read_table(tmp_path / "out")
    names = [f"{score} {system}" for system in ("mt", "other") for score in ("bleu", "jaccard", "jaccard_micro")]
    assert found.column_names == ["id", *names]
    assert found["id"].to_pylist() == IDS
    for metric in ("bleu", "jaccard"):
        segments = tercet.score(metric, PREDICTIONS, REFERENCES, segments=True).segments
        assert found[f"{metric} mt"].to_pylist() == segments[metric]
    assert not [each for each in (tmp_path / "out").iterdir() if each.suffix != ".parquet"]


def test_without_ids_the_scores_have_the_file_and_the_row(path, tmp_path):
    work = work_of({"bleu_multi": {}}, segments=f"{tmp_path}/out", id=None)
    for part in list_parts([path], whole=False):
        work.of_part(part)
    found = pq.read_table(tmp_path / "out")
    assert found.column_names == ["file", "row", "bleu"]
    assert found["row"].to_pylist() == list(range(len(IDS)))
    assert set(found["file"].to_pylist()) == {path}


def test_a_bad_file_is_left_out_as_a_whole_or_raises(path, tmp_path):
    with open(path, "r+b") as file:  # the third row group or so
        file.seek(1500)
        file.write(bytes(80))
    with pytest.raises(InputError, match=r"a\.parquet cannot be read"):
        list(map(work_of({"bleu_multi": {}}).of_part, list_parts([path], whole=False)))
    [part] = list_parts([path], whole=True)
    found = work_of({"bleu_multi": {}}, skip_bad=True, segments=f"{tmp_path}/out").of_part(part)
    assert not found.totals
    assert [message.startswith(f"{path} cannot be read") for message in found.bad] == [True]
    assert not (tmp_path / "out").exists()


def test_a_column_of_numbers_is_a_bad_file(tmp_path):
    pq.write_table(pa.table({"id": [1], "mt": [7], "refs": ["a"]}), tmp_path / "b.parquet")
    [part] = list_parts([str(tmp_path / "b.parquet")], whole=True)
    work = work_of({"rouge_nlws": {}}, skip_bad=True)
    assert "The column 'mt' is of the type int64; expected text." in work.of_part(part).bad[0]
    assert work.learn_of_part(part) == {}


def test_texts_that_cannot_be_scored_are_named_with_their_file(tmp_path):
    pq.write_table(pa.table({"id": [1, 2], "mt": ["a", "b"], "refs": [["a"], []]}), tmp_path / "b.parquet")
    [part] = list_parts([str(tmp_path / "b.parquet")], whole=True)
    with pytest.raises(InputError, match=r"b\.parquet: item 1 of references is empty"):
        work_of({"bleu_multi": {}}, skip_bad=True).of_part(part)


class TestPartials:
    def test_a_part_that_comes_twice_counts_once(self, path):
        one, other, *_ = map(work_of({"bleu_multi": {}}).of_part, list_parts([path], whole=False))
        once, twice = Partials.joined([one, other]), Partials.joined([one, other, one])
        assert once.totals[0].sums == twice.totals[0].sums
        assert Partials.of_table(pa.concat_tables([each.to_table() for each in (one, other, one)])) == twice

    def test_parts_that_overlap_are_refused(self, path):
        one, other, *_ = map(work_of({"bleu_multi": {}}).of_part, list_parts([path], whole=False))
        with pytest.raises(MergeError, match=r"counted the part .*a\.parquet#0 twice"):
            Partials.joined([one, Partials.joined([other, one])])

    def test_there_and_back_as_bytes(self, path):
        found = Partials.joined(map(work_of({"bleu_multi": {}}).of_part, list_parts([path], whole=False)))
        found.add(Partials(origins={"b.tsv"}, bad=["b.tsv cannot be read."]))
        assert Partials.of_bytes(found.to_bytes()) == found
        assert Partials.of_bytes(b"") == Partials()


def test_tables_of_rows_with_equal_ids_but_other_texts_both_count():
    tables = [pa.table({"id": [0, 1], "mt": ["a b", text], "refs": [["a b"], ["x y"]]}) for text in ("x", "x y", "x")]
    work = work_of({"jaccard_sets": {}})
    both = Partials.of_table(pa.concat_tables([work.of_table(each).to_table() for each in tables]))
    assert result_of(work.jobs[0].scorer, both.totals[0]).n_segments == 4  # the third is the first again


def test_tables_of_rows_without_ids_all_count():
    table = pa.table({"mt": ["a b", "x"], "refs": [["a b"], ["x y"]]})
    work = work_of({"jaccard_sets": {}}, id=None)
    three = Partials.of_table(pa.concat_tables([work.of_table(table).to_table()] * 3))
    assert result_of(work.jobs[0].scorer, three.totals[0]).n_segments == 6


def test_threads_leave_the_scores_of_items_beside_their_ids(tmp_path):
    texts = ["many words that are the same " * 40] * 9000 + ["x"] * 9000
    references = ["many words that are the same " * 40] * 9000 + ["x y z"] * 9000
    work = work_of(
        {"jaccard_sets": {"n_jobs": 4, "confidence_level": None, "n_resamples": 1000}}, segments=f"{tmp_path}/out"
    )
    work.of_table(pa.table({"id": range(18_000), "mt": texts, "refs": references}))
    found = pq.read_table(tmp_path / "out")
    assert found["jaccard"].to_pylist() == [1.0] * 9000 + [1 / 3] * 9000


class TestFolder:
    def test_of_an_earlier_run_or_of_the_inputs_is_refused(self, path, tmp_path):
        check_folder(f"{tmp_path}/new", [path])
        for folder in (f"{tmp_path}/new", str(tmp_path)):
            pq.write_table(pa.table({"a": [1]}), f"{tmp_path}/new/part-000000.parquet")
            with pytest.raises(InputError, match=r"of an earlier run|which is scored"):
                check_folder(folder, [path])

    def test_that_cannot_be_made_is_refused(self, path):
        with pytest.raises(InputError, match="cannot be made"):
            check_folder(path, [])


@pytest.mark.parametrize("seed", range(3))
def test_what_a_scorer_learnt_travels_as_text(seed):
    scorer = make_scorer("rouge_nlws", {"tokenizer": "auto"})
    learnt = scorer.fit(read_batch(*awkward_corpus(seed)))
    assert learnt_of(json.loads(json.dumps(plain_of(learnt))), scorer) == learnt
