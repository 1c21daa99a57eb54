"""What harnesses leave: runs of a task become the systems of a test set, or are refused by name."""

import json
import zipfile
from importlib.util import find_spec

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import harness_logs as logs
import tercet
from harness_logs import ENGLISH, GERMAN, RUNS, TARGETS
from tercet.errors import InputError


def read(paths, **options):
    (found,) = tercet.read_test_sets(paths, **options)
    return found


def refusal(*paths, **options):
    with pytest.raises(InputError) as caught:
        tercet.read_test_sets(paths, **options)
    return str(caught.value)


class TestDetailsOfLighteval:
    def test_as_the_package_writes_them(self, tmp_path):
        if find_spec("lighteval") is None:
            pytest.skip("lighteval is not installed here: make test-harnesses")
        logs.written_by("lighteval", tmp_path)
        self.check(sorted(tmp_path.rglob("details_*.parquet")))

    def test_in_their_shape(self, tmp_path):
        path = "details/org/model-{}/2026-01-02T03-04-0{}/details_toy:de-en|0_2026-01-02T03-04-05.6.parquet"
        self.check([
            logs.lighteval_shape(tmp_path / path.format(run, number), own)
            for number, (run, own) in enumerate(RUNS.items())
        ])  # fmt: skip

    def check(self, paths):
        found = read(paths)
        assert found.systems == {"model-A": RUNS["A"], "model-B": RUNS["B"]}
        assert (found.name, found.references, found.source) == ("toy:de-en|0", TARGETS, GERMAN)
        assert "references from doc.choices" in found.fields

    def test_the_text_is_the_one_that_its_metrics_took(self, tmp_path):
        path = logs.lighteval_shape(tmp_path / "a.parquet", RUNS["A"], text_post_processed=["thought"])
        found = read(path)
        assert list(found.systems.values()) == [["thought"] * 4]
        assert "predictions from model_response.text_post_processed;" in found.fields

    def test_what_holds_no_text_or_several_is_refused(self, tmp_path):
        path = logs.lighteval_shape(tmp_path / "a.parquet", RUNS["A"], text=[], logprobs=[-1.0, -2.0])
        assert "row 1: the model's answer has no text, as log-likelihoods of choices have none" in refusal(path)

    def test_several_answers_to_a_sample_are_a_cluster(self, tmp_path):
        path = logs.lighteval_shape(tmp_path / "a.parquet", RUNS["A"], text=["a", "b"])
        found = read(path)
        assert list(found.systems.values()) == [["a", "b"] * 4]
        assert found.references == [target for target in TARGETS for _ in range(2)]
        assert found.clusters.to_dict() == {"by": "sample id", "number": 4, "sizes": [2, 2]}


class TestLogsOfInspect:
    def test_as_the_package_writes_them(self, tmp_path):
        if find_spec("inspect_ai") is None:
            pytest.skip("inspect_ai is not installed here: make test-harnesses")
        logs.written_by("inspect", tmp_path)
        for format in ("eval", "json"):
            self.check(sorted(tmp_path.glob(f"*.{format}")))

    @pytest.mark.parametrize("format", ["eval", "json"])
    def test_in_their_shape(self, tmp_path, format):
        self.check([
            logs.inspect_shape(tmp_path / f"logs/{run}.{format}", own, f"canned/{run}") for run, own in RUNS.items()
        ])  # fmt: skip

    def check(self, paths):
        found = read(paths)
        assert found.systems == {"canned/A": RUNS["A"], "canned/B": RUNS["B"]}
        assert (found.name, found.references, found.source) == ("de_en", TARGETS, GERMAN)

    def test_epochs_are_segments_and_samples_with_errors_are_left_out(self, tmp_path):
        found = read(logs.inspect_shape(tmp_path / "a.eval", RUNS["A"], epochs=2))
        assert found.systems == {"mockllm/model": RUNS["A"] * 2}
        assert found.clusters.to_dict() == {"by": "sample id", "number": 4, "sizes": [2, 2]}
        assert "4 samples with 8 answers are resampled by sample" in found.fields
        with pytest.warns(UserWarning, match="'epoch' puts answers to the same sample into different clusters"):
            read(tmp_path / "a.eval", cluster="epoch")
        path = logs.inspect_shape(tmp_path / "b.json", RUNS["A"])
        log = json.loads(path.read_text())
        log["samples"][1] |= {"error": {"message": "time out"}, "output": {"choices": [], "completion": ""}}
        path.write_text(json.dumps(log))
        with pytest.warns(UserWarning, match="1 of 4 samples ended with an error, the first has the id 1: left out"):
            assert read(path).n_segments == 3

    def test_zstandard(self, tmp_path):
        """As inspect-ai 0.3.285 compresses, here by hand: zipfile does so since Python 3.14."""
        plain = logs.inspect_shape(tmp_path / "a.eval", RUNS["A"])
        path = tmp_path / "b.eval"
        with zipfile.ZipFile(plain) as source, zipfile.ZipFile(path, "w") as archive:
            for each in source.infolist():
                archive.writestr(each.filename, pa.compress(source.read(each), codec="zstd", asbytes=True))
                archive.getinfo(each.filename).compress_type = 93
                archive.getinfo(each.filename).file_size = each.file_size
        assert read(path).systems == read(plain).systems

    def test_what_is_no_log_is_refused(self, tmp_path):
        for name, content in {
            "a.eval": b"PK\x03\x04", "b.eval": b"eval", "c.json": b'{"eval": 1}', "d.json": b"[" * 10**5,
            "e.json": b'{"eval": {}, "samples": [{"output": 3}]}', "f.json": b'{"eval": {}, "samples": [1]}',
        }.items():  # fmt: skip
            (tmp_path / name).write_bytes(content)
            assert f"{name} is not a log of inspect-ai with samples" in refusal(tmp_path / name)
        empty = tmp_path / "g.json"
        empty.write_text('{"eval": {}, "samples": []}')
        assert "g.json is empty; expected samples without an error" in refusal(empty)


def test_logs_beside_tables_and_texts(tmp_path):
    log = logs.inspect_shape(tmp_path / "a.eval", RUNS["A"])
    (tmp_path / "news.tsv").write_text("mt\tref\na\tb\n")
    (tmp_path / "a.txt").write_text("a\n")
    assert [each.name for each in tercet.read_test_sets([log, tmp_path / "news.tsv"])] == ["news", "de_en"]
    assert "a.txt' is a separate file" in refusal(log, tmp_path / "a.txt")


class TestPredictionsOfTheScriptsOfTransformers:
    """``generated_predictions.txt`` of run_summarization and run_translation: lines, in a folder for each run."""

    @pytest.fixture
    def paths(self, tmp_path):
        for run, own in RUNS.items():
            (tmp_path / run).mkdir()
            (tmp_path / run / "generated_predictions.txt").write_text("\n".join(own))
        return sorted(tmp_path.glob("*/*.txt"))

    def test_their_folders_are_in_the_names(self, paths, tmp_path):
        (tmp_path / "ref.txt").write_text("\n".join(ENGLISH))
        found = read(paths, references=tmp_path / "ref.txt")
        assert found.systems == {f"{run}/generated_predictions": own for run, own in RUNS.items()}

    def test_references_are_in_the_data_set_too(self, paths, tmp_path):
        rows = [{"document": de, "summary": en} for de, en in zip(GERMAN, ENGLISH, strict=True)]
        (tmp_path / "news.jsonl").write_text("\n".join(map(json.dumps, rows)))
        found = read(paths, references=tmp_path / "news.jsonl")
        assert (found.name, found.references) == ("news", [[text] for text in ENGLISH])
        pairs = pa.table({"translation": [{"de": de, "en": en} for de, en in zip(GERMAN, ENGLISH, strict=True)]})
        pq.write_table(pairs, tmp_path / "wmt.parquet")
        assert read(paths, references=tmp_path / "wmt.parquet", reference_columns="en").references == found.references
        assert "no column was recognized as references" in refusal(*paths, references=tmp_path / "wmt.parquet")
        (tmp_path / "news.jsonl").write_text(json.dumps(rows[0]))
        assert "has 4 lines and " in refusal(*paths, references=tmp_path / "news.jsonl")
