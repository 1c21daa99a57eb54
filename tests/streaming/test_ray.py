"""Ray itself: workers, actors with a network, a cluster's address, and workers that are killed on the way."""

import json
import os
import socket
import subprocess
import sys
import threading
import time
from itertools import pairwise

import numpy as np
import psutil
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import commands
import tercet
from conftest import ROOT, ZERO_BLEU, needed
from tercet.errors import InputError, OptionError, TercetError
from tercet.streaming.ray import score, score_systems
from texts import MINILM, all_pairs

os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"  # a Ray of this machine only, at 127.0.0.1
ray = pytest.importorskip("ray")

pytestmark = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning", "ignore::ResourceWarning", "ignore::FutureWarning", "ignore:.*:pytest.PytestWarning"
)

OPTIONS = {"confidence_level": 0.95, "n_resamples": 100}
PREDICTIONS, REFERENCES = (each * 5 for each in all_pairs())
IDS = list(range(len(PREDICTIONS)))


@pytest.fixture(scope="session", autouse=True)
def cluster():
    """Ray on two cores, for all tests of Ray."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    settings = {"include_dashboard": False, "log_to_driver": False, "logging_level": "ERROR"}
    ray.init("local", num_cpus=2, object_store_memory=128 << 20, **settings)
    yield ray.get_runtime_context().gcs_address
    ray.shutdown()


@pytest.fixture
def files(tmp_path):
    """The texts in several formats, in parts of different sizes."""
    bounds = [0, 1, len(IDS) // 3, len(IDS) // 2, len(IDS)]
    for number, (start, stop) in enumerate(pairwise(bounds)):
        rows = [
            {"id": IDS[i], "mt": PREDICTIONS[i], "other": PREDICTIONS[-1 - i], "refs": REFERENCES[i]}
            for i in range(start, stop)
        ]
        if number % 2:
            lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
            (tmp_path / f"{number}.jsonl").write_text(lines, encoding="utf-8")
        else:
            pq.write_table(pa.Table.from_pylist(rows), tmp_path / f"{number}.parquet", row_group_size=9)
    return tmp_path


def streamed(metric, **options):
    """What one process says of the same items, in another order."""
    stream = tercet.Stream(metric, **options)
    order = np.random.default_rng(0).permutation(len(IDS)).tolist()
    for part in (order[:7], order[7:40], order[40:]):
        references = [REFERENCES[i] for i in part] if metric != "perplexity_lm" else None
        stream.add([PREDICTIONS[i] for i in part], references, [IDS[i] for i in part])
    return stream.result()


def by_ray(files, metric, **options):
    return score(files, metric, prediction="mt", id="id", progress=False, **options)


def test_files_give_what_one_process_gives_to_the_bit(files):
    found, alone = by_ray(files, "bleu", **OPTIONS), streamed("bleu_multi", **OPTIONS)
    assert found == alone
    assert (found.signature, found.bad_files, found.n_segments) == (alone.signature, [], len(IDS))


def test_a_dataset_of_ray_too(tmp_path):
    columns = {"id": IDS, "mt": PREDICTIONS, "refs": REFERENCES, "note": [1.5] * len(IDS)}
    dataset = ray.data.from_arrow(pa.table(columns)).repartition(3)
    found = score(dataset, "bleu", id="id", progress=False, **OPTIONS)
    assert found == streamed("bleu_multi", **OPTIONS)
    known_by_texts = score(dataset, "bleu", progress=False)
    assert (known_by_texts.n_segments, known_by_texts["bleu"]) == (len(IDS), found["bleu"])
    with pytest.raises(InputError, match="give id= to name the items"):
        score(dataset, "bleu", write_segments=tmp_path / "scores", progress=False)


def test_workers_add_up_many_results_and_a_block_that_comes_twice_counts_once():
    """More than 64 results are added up in a tree; a second copy of a block may meet sums of the first and others."""
    columns = {"id": IDS, "mt": PREDICTIONS, "refs": REFERENCES}
    dataset = ray.data.from_arrow([pa.table(columns)[at : at + 1] for at in range(len(IDS))])
    found = score(dataset.union(dataset), "bleu", id="id", progress=False, **OPTIONS)
    assert found == streamed("bleu_multi", **OPTIONS)


@pytest.mark.long
def test_what_must_see_the_whole_corpus_reads_it_twice(files):
    with pytest.warns(UserWarning, match="every letter of 75 of 165 references"):  # some parts lose nearly all
        found = by_ray(files, "rouge", rouge_types=["rouge1"], **OPTIONS)
    assert found == streamed("rouge_nlws", tokenizer="rouge", rouge_types=["rouge1"], **OPTIONS)


@pytest.mark.parametrize(
    ("metric", "options"),
    [
        pytest.param("bertscore_idf", {"idf": False}, marks=pytest.mark.long),
        pytest.param("bertscore_idf", {"idf": True}, marks=pytest.mark.long),
        pytest.param("embedding_cosine", {}, marks=pytest.mark.costly),
        pytest.param("perplexity_lm", {}, marks=pytest.mark.costly),
    ],
)
def test_actors_keep_the_network(files, metric, options):
    found = by_ray(files, metric, **needed(metric), **options)
    if options.get("idf"):
        options = {"idf": tercet.IdfTable.fit([text for each in REFERENCES for text in each], MINILM)}
    alone = streamed(metric, **needed(metric), **options)
    assert found.n_segments == len(IDS)
    scores = {name: value for name, value in alone.items() if isinstance(value, float)}
    assert {name: found[name] for name in scores} == pytest.approx(scores, rel=1e-5)


@pytest.mark.long
def test_the_scores_of_items_come_with_their_ids(files, tmp_path):
    folder = tmp_path / "scores"
    by_ray(files, "bleu", write_segments=folder)
    found = pq.read_table(folder).sort_by("id")
    assert found["id"].to_pylist() == IDS
    assert found["bleu"].to_pylist() == tercet.score("bleu", PREDICTIONS, REFERENCES, segments=True).segments["bleu"]


@pytest.mark.long
@ZERO_BLEU
def test_several_systems_and_metrics_in_one_pass(files):
    scorers = {name: tercet.scorer(name) for name in ("bleu_multi", "jaccard_sets")}
    found = score_systems(files, scorers, id="id", progress=False)
    assert [*found] == [(system, metric) for system in ("mt", "other") for metric in scorers]
    assert found["mt", "jaccard_sets"] == streamed("jaccard_sets")


@pytest.mark.long
def test_the_example_s_two_ways_are_equal(cluster):
    run = subprocess.run(
        [sys.executable, "examples/ray_score.py", "--pairs", "30000"], cwd=ROOT, capture_output=True, text=True,
        timeout=240, env={**os.environ, "RAY_ADDRESS": cluster},
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert run.stdout.rstrip().endswith("equal to the bit: True")


class TestFaults:
    def test_a_worker_that_is_killed_changes_nothing(self, tmp_path):
        n = 60_000
        predictions = [f"{PREDICTIONS[i % len(IDS)]} {i}" for i in range(n)]
        references = [f"{REFERENCES[i % len(IDS)][0]} {i}" for i in range(n)]
        pq.write_table(pa.table({"mt": predictions, "ref": references}), tmp_path / "a.parquet", row_group_size=3_000)
        killed, done = [], threading.Event()

        def kill():
            while not done.is_set() and len(killed) < 2:
                time.sleep(0.3)
                for process in psutil.process_iter(["name"]):
                    if str(process.info["name"]).startswith("ray::Map") and process.pid not in killed:
                        process.kill()
                        killed.append(process.pid)
                        break

        killer = threading.Thread(target=kill)
        killer.start()
        try:
            found = score(tmp_path, "bleu", progress=False, confidence_level=0.95)
        finally:
            done.set()
            killer.join()
        assert killed
        stream = tercet.Stream("bleu", confidence_level=0.95)
        stream.add(predictions[::-1], references[::-1])
        assert found == stream.result()

    def test_a_bad_file_is_named_or_left_out_and_counted(self, files):
        path = files / "9.parquet"
        path.write_bytes((files / "2.parquet").read_bytes()[:-40])
        with pytest.raises(InputError, match=r"9\.parquet cannot be read"):
            by_ray(files, "bleu")
        found = by_ray(files, "bleu", on_bad_file="skip", **OPTIONS)
        assert found == streamed("bleu_multi", **OPTIONS)
        assert [message.partition(" cannot")[0] for message in found.bad_files] == [str(path)]

    def test_a_bad_file_is_left_out_in_both_passes_also_where_it_is_the_first(self, files):
        (files / "0.parquet").write_bytes(b"PAR1")
        with pytest.warns(UserWarning, match="every letter of"):
            found = by_ray(files, "rouge", on_bad_file="skip", rouge_types=["rouge1"])
        assert (found.n_segments, len(found.bad_files)) == (len(IDS) - 1, 1)

    def test_an_error_of_a_worker_is_raised_as_it_was(self, files):
        rows = [{"id": 1, "mt": "a", "other": "b", "refs": ["c"]}, {"id": 2, "mt": "a", "other": "b", "refs": []}]
        pq.write_table(pa.Table.from_pylist(rows), files / "9.parquet")
        with pytest.raises(InputError, match=r"9\.parquet: item 1 of references is empty: every item needs") as error:
            score(files, "bleu", prediction="mt", progress=False)
        assert type(error.value) is InputError
        assert str(error.value).endswith("missing_references='zero' scores them 0.")

    def test_a_row_is_named_within_its_file_and_may_be_a_reason_to_skip_it(self, files):
        """It was named within its row group; and a file with a row that cannot be scored could not be skipped."""
        rows = [{"id": n, "mt": None if n == 25 else "a", "other": "b", "refs": ["c"]} for n in range(30)]
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        pq.write_table(pa.Table.from_pylist(rows), files / "8.parquet", row_group_size=10)
        for name in ("8.parquet", "9.jsonl"):
            if name == "9.jsonl":
                (files / "8.parquet").unlink()
                (files / name).write_text(lines)
            with pytest.raises(InputError, match=rf"{name}: row 25, id 25, column 'mt': the prediction is missing"):
                by_ray(files, "bleu")
            found = by_ray(files, "bleu", on_bad_file="skip", **OPTIONS)
            assert found == streamed("bleu_multi", **OPTIONS)
            assert [f"{name}: row 25, id 25" in message for message in found.bad_files] == [True]

    @pytest.mark.parametrize("of_files", [True, False])
    def test_a_tokenizer_that_raises_ends_in_a_clear_error(self, files, of_files):
        def raising(text):
            raise KeyError("no such word")

        data = files if of_files else ray.data.from_arrow(pa.table({"mt": ["a"] * 9, "refs": ["a"] * 9}))
        with pytest.raises(TercetError, match=r"scoring failed\. KeyError: 'no such word'$") as error:
            score(data, "bleu", prediction="mt", tokenizer=raising, progress=False)
        assert (f"{files}/" in str(error.value)) == of_files
        assert "Traceback" not in str(error.value)

    def test_a_tokenizer_that_ends_its_process_is_one_that_raises(self, files):
        # All files fail; the one that fails first is named.
        with pytest.raises(TercetError, match=r"/\d\.(parquet|jsonl): scoring failed\. SystemExit: 3$"):
            score(files, "bleu", prediction="mt", tokenizer=lambda text: sys.exit(3), progress=False)

    def test_what_must_have_all_texts_at_once_is_refused_as_by_a_stream(self, files):
        with pytest.raises(OptionError) as by_stream:
            tercet.Stream("diversity")
        with pytest.raises(OptionError) as by_ray:
            score(files, "diversity", prediction="mt", progress=False)
        assert str(by_ray.value) == str(by_stream.value)
        assert "must see the whole corpus before it scores a part" in str(by_ray.value)

    def test_refuses_before_any_work(self, files):
        cases = [
            ({}, InputError, "Cannot tell which column holds predictions: several match by name: mt, other"),
            ({"prediction": "mt2"}, InputError, "no column 'mt2'. Did you mean 'mt'"),
            ({"prediction": "mt", "on_bad_file": "ignore"}, OptionError, "on_bad_file must be 'error' or 'skip'"),
            ({"prediction": "mt", "segments": True}, OptionError, "segments=True"),
            ({"prediction": "mt", "max_ordr": 2}, OptionError, "max_order"),
            (
                {"prediction": "mt", "progres": 2},
                OptionError,
                "score has no option 'progres'. Did you mean 'progress'?",
            ),
        ]
        for given, kind, said in cases:
            with pytest.raises(kind, match=said):
                score(files, "bleu", progress=False, **given)


class TestCommand:
    def run(self, *arguments, **environment):
        return commands.process("score", "--engine", "ray", *arguments, env=environment)

    def test_on_a_cluster_by_its_address(self, files, cluster):
        path = files / "9.jsonl"
        path.write_text('{"id": ')
        done = self.run(
            *sorted(files.glob("*.*")), "--id-column", "id", "-m", "bleu", "--on-bad-file", "skip", "-f", "json",
            "--segments", files / "scores", RAY_ADDRESS=cluster,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        (found,) = json.loads(done.stdout)["test_sets"]
        assert (found["n_segments"], found["interval"]) == (len(IDS), "Poisson")
        assert ["9.jsonl" in message for message in found["bad_files"]] == [True]
        [table] = found["tables"]
        row = table["systems"][0]
        alone = streamed("bleu_multi", scale=100, confidence_level=0.95)
        assert (row["system"], row["value"], [row["low"], row["high"]]) == (
            "mt", alone["bleu"], alone.intervals["bleu"]
        )  # fmt: skip
        assert table["signature"] == alone.signature
        assert found["facts"][0]["translation_length"] == alone["translation_length"]
        assert "warning: 1 file could not be read and is left out: " in done.stderr
        assert pq.read_table(files / "scores").column_names == ["id", "bleu mt", "bleu other"]

    @pytest.mark.long
    def test_a_bad_file_and_a_bad_address_are_one_error_each(self, files):
        (files / "9.parquet").write_bytes((files / "2.parquet").read_bytes()[:-40])
        (files / "8.jsonl").write_text("{")
        done = self.run(files, "-s", "mt", RAY_ADDRESS="")
        assert done.returncode == 2
        assert done.stderr.count("error") == 1, done.stderr
        assert " cannot be read" in done.stderr or "8.jsonl" in done.stderr
        done = self.run(files, "-s", "mt", RAY_ADDRESS="nowhere")
        assert (done.returncode, done.stderr.count("Traceback")) == (2, 0)
        assert "error: RAY_ADDRESS is 'nowhere', where no Ray cluster answers. " in done.stderr

    def test_where_no_ray_answers(self, files):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))  # and does not listen
            done = self.run(files, "-s", "mt", RAY_ADDRESS=f"127.0.0.1:{taken.getsockname()[1]}")
        assert (done.returncode, "where no Ray cluster answers" in " ".join(done.stderr.split())) == (2, True)

    def test_does_not_write_over_what_it_reads(self, files):
        path = files / "1.jsonl"
        before = path.read_bytes()
        commands.command("score", "--engine", "ray", path, "-s", "mt", "--out", path, "-f", "json", code=2)
        assert path.read_bytes() == before

    def test_refuses_what_is_for_texts_in_memory(self, files):
        for given, message in (
            (["--references", "x.txt"], "--references does not work with --engine ray."),
            (["--format", "html"], "--format html does not work"),
            (["--interval", "BCa"], "--interval does not work"),
            (["--decimal", ","], "--decimal does not work with --engine ray."),
        ):
            done = commands.command("score", "--engine", "ray", files, *given, code=2)
            assert message in " ".join(done.stderr.split())
