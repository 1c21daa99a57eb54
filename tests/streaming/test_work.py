"""What a worker makes of a part, and how such parts become one: no worker is needed to see it."""

import json
import pickle
from dataclasses import replace
from functools import reduce

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tercet
from conftest import FEW_ITEMS
from growth import times_longer
from tercet.api import make_scorer
from tercet.corpus.reading import read_batch
from tercet.errors import InputError, MergeError
from tercet.streaming.contexts import context_of, plain_context
from tercet.streaming.input_parts import list_parts
from tercet.streaming.part_sums import ColumnJob, PartSums, Work, check_folder, labels_of
from tercet.streaming.result import result_of
from texts import all_pairs, awkward_corpus

OPTIONS = {"confidence_level": 0.9, "n_resamples": 50}
PREDICTIONS, REFERENCES = (each * 4 for each in all_pairs())
IDS = [f"item {number}" for number in range(len(PREDICTIONS))]


@pytest.fixture
def path(tmp_path):
    columns = {"id": IDS, "mt": PREDICTIONS, "other": PREDICTIONS[::-1], "refs": [list(each) for each in REFERENCES]}
    pq.write_table(pa.table(columns), tmp_path / "a.parquet", row_group_size=11)
    return str(tmp_path / "a.parquet")


pytestmark = FEW_ITEMS


def work_of(metrics, *, systems=("mt",), segments=None, skip_bad=False, id="id"):
    scorers = [(metric, make_scorer(metric, {**OPTIONS, **options})) for metric, options in metrics.items()]
    listed = [(system, *each) for system in systems for each in scorers]
    jobs = (ColumnJob(each[2], each[0], own) for each, own in zip(listed, labels_of(listed), strict=True))
    return Work(tuple(jobs), ("refs",), id, segments, skip_bad)


def together(parts):
    """Return what parts come to on their way from Ray's workers."""
    return reduce(PartSums.add, [pickle.loads(pickle.dumps(part)) for part in parts], PartSums())


def test_the_scores_of_items_are_written_with_their_ids_or_the_file_and_the_row(path, tmp_path):
    work = work_of({"bleu_multi": {}, "jaccard_sets": {}}, systems=("mt", "other"), segments=f"{tmp_path}/out")
    for part in [*list_parts([path], n_tasks=1000), list_parts([path], n_tasks=1000)[0]]:  # one part comes twice
        work.sum_part(part)
    found = pq.read_table(tmp_path / "out")
    names = [f"{score} {system}" for system in ("mt", "other") for score in ("bleu", "jaccard", "jaccard_micro")]
    assert found.column_names == ["id", *names]
    assert found["id"].to_pylist() == IDS
    for metric in ("bleu", "jaccard"):
        segments = tercet.score(metric, PREDICTIONS, REFERENCES, segments=True).segments
        assert found[f"{metric} mt"].to_pylist() == segments[metric]
    assert not [each for each in (tmp_path / "out").iterdir() if each.suffix != ".parquet"]
    work = work_of({"bleu_multi": {}}, segments=f"{tmp_path}/rows", id=None)
    for part in list_parts([path], n_tasks=1000):
        work.sum_part(part)
    found = pq.read_table(tmp_path / "rows")
    assert found.column_names == ["file", "row", "bleu"]
    assert found["row"].to_pylist() == list(range(len(IDS)))
    assert set(found["file"].to_pylist()) == {path}


def test_two_attempts_at_a_part_do_not_write_the_same_file(path, tmp_path, monkeypatch):
    """Ray runs a task again whose worker it takes for lost."""
    work = work_of({"bleu_multi": {}}, segments=f"{tmp_path}/out")
    [part] = list_parts([path], n_tasks=1)
    write_table = pq.write_table

    def write_while_another_does(table, file):
        monkeypatch.undo()
        work.sum_part(part)
        write_table(table, file)

    monkeypatch.setattr(pq, "write_table", write_while_another_does)
    work.sum_part(part)
    assert [each.name for each in (tmp_path / "out").iterdir()] == ["part-000000.parquet"]
    assert pq.read_table(tmp_path / "out")["id"].to_pylist() == IDS


def test_a_bad_file_is_left_out_as_a_whole_or_raises(path, tmp_path):
    with open(path, "r+b") as file:  # the third row group or so
        file.seek(1500)
        file.write(bytes(80))
    with pytest.raises(InputError, match=r"a\.parquet cannot be read"):
        list(map(work_of({"bleu_multi": {}}).sum_part, list_parts([path], n_tasks=1000)))
    [part] = list_parts([path], n_tasks=1)
    found = work_of({"bleu_multi": {}}, skip_bad=True, segments=f"{tmp_path}/out").sum_part(part)
    assert not found.sums
    assert [message.startswith(f"{path} cannot be read") for message in found.bad] == [True]
    assert together([found, found]) == found
    assert not (tmp_path / "out").exists()
    pq.write_table(pa.table({"id": [1], "mt": [7], "refs": ["a"]}), path)
    [part] = list_parts([path], n_tasks=1)
    work = work_of({"rouge_nlws": {}}, skip_bad=True)
    assert "The column 'mt' is of the type int64; expected text." in work.sum_part(part).bad.pop()
    assert work.fit_part(part) == {}


def test_tables_that_come_twice_count_once_if_ids_show_it():
    """With equal ids but other texts, both count."""
    for id, n_segments in [("id", 4), (None, 6)]:
        tables = [
            pa.table({"id": [0, 1], "mt": ["a b", text], "refs": [["a b"], ["x y"]]}) for text in ("x", "x y", "x")
        ]
        work = work_of({"jaccard_sets": {}}, id=id)
        sums = together(map(work.sum_table, tables)).sums[0]
        assert result_of(work.jobs[0].metric, sums).n_segments == n_segments


def test_a_part_that_comes_again_counts_once_and_with_others_is_refused():
    work = work_of({"jaccard_sets": {}})
    one, other = (work.sum_table(pa.table({"id": [n], "mt": ["a b"], "refs": ["a"]})) for n in range(2))
    both = together([one, other])
    assert together([both, one, other, both]) == both
    with pytest.raises(MergeError, match=r"^The part block \w+ was counted twice, once together with others"):
        together([one, both])


def test_parts_add_up_in_time_in_proportion_to_their_number():
    """The names of all parts before were once copied for each."""
    part = work_of({"ter": {}}).sum_table(pa.table({"id": [1], "mt": ["a b"], "refs": ["a"]}))

    def adding(n):
        parts = [replace(part, parts={f"{number}.parquet"}) for number in range(n)]

        def add():
            assert len(reduce(PartSums.add, parts, PartSums()).parts) == n

        return add

    assert times_longer(adding, few=500, many=10_000) < 100  # 20 times as many; their square is 400 times as much


def test_threads_leave_the_scores_of_items_beside_their_ids(tmp_path):
    words = "many words that are the same " * 40
    texts, references = [words] * 9000 + ["x"] * 9000, [words] * 9000 + ["x y z"] * 9000
    own = {"n_jobs": 4, "confidence_level": None, "n_resamples": 1000}
    work = work_of({"jaccard_sets": own}, segments=f"{tmp_path}/out")
    work.sum_table(pa.table({"id": range(18_000), "mt": texts, "refs": references}))
    found = pq.read_table(tmp_path / "out")
    assert found["jaccard"].to_pylist() == [1.0] * 9000 + [1 / 3] * 9000


def test_a_folder_of_an_earlier_run_or_of_the_inputs_or_that_cannot_be_made_is_refused(path, tmp_path):
    check_folder(f"{tmp_path}/new", [path])
    for folder in (f"{tmp_path}/new", str(tmp_path)):
        pq.write_table(pa.table({"a": [1]}), f"{tmp_path}/new/part-000000.parquet")
        with pytest.raises(InputError, match=r"of an earlier run|which is to be scored"):
            check_folder(folder, [path])
    with pytest.raises(InputError, match="cannot be made"):
        check_folder(path, [])


def test_the_context_of_a_scorer_travels_as_text():
    for seed in range(3):
        scorer = make_scorer("rouge_nlws", {"tokenizer": "auto"})
        context = scorer.fit(read_batch(*awkward_corpus(seed)))
        assert context_of(json.loads(json.dumps(plain_context(context))), scorer) == context
