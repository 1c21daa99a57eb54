"""What harnesses leave: runs of a task become the systems of a test set, or are refused by name."""

import json
import zipfile
from dataclasses import replace
from importlib.util import find_spec
from math import isnan

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import harness_logs as logs
import tercet
from harness_logs import ENGLISH, GERMAN, RUNS, TARGETS
from tercet.errors import InputError
from tercet.files.read import read_table


def read(paths, **options):
    (found,) = tercet.read_test_sets(paths, **options)
    return found


def refusal(*paths, **options):
    with pytest.raises(InputError) as caught:
        tercet.read_test_sets(paths, **options)
    return str(caught.value)


def plain(scores):
    return {name: {system: values.tolist() for system, values in rows.items()} for name, rows in scores.items()}


class TestDetailsOfLighteval:
    def test_as_the_package_writes_them(self, tmp_path):
        if find_spec("lighteval") is None:
            pytest.skip("lighteval is not installed here: make test-harnesses")
        logs.written_by("lighteval", tmp_path)
        self.check(sorted(tmp_path.rglob("details_toy:de-en*.parquet")))
        found = read(sorted(tmp_path.rglob("details_toy:choice*.parquet")))
        assert plain(found.scores) == {"acc": {"model-A": [0, 1, 0, 0], "model-B": [0, 0, 0, 0]}}
        assert (found.systems, found.references) == (dict.fromkeys(found.systems, [""] * 4), [[]] * 4)

    def test_of_choices_in_their_shape(self, tmp_path):
        pair = {"golds": [1], "preds": [0]}
        path = logs.lighteval_shape(
            tmp_path / "a.parquet", RUNS["A"], {"acc": 1, "ppl": 2.5, "mcc": pair}, text=[], logprobs=[-1.0, -2.0]
        )
        found = read(path)
        assert plain(found.scores) == {"acc": {tmp_path.name: [1] * 4}, "ppl": {tmp_path.name: [2.5] * 4}}
        assert found.lower_is_better == ("ppl",)
        assert found.no_texts == (
            f"{path}: the model's answers have no texts, as log-likelihoods of choices have none; compare its "
            "scores: scores='acc'"
        )
        only_pairs = logs.lighteval_shape(tmp_path / "b.parquet", RUNS["A"], {"mcc": pair}, text=[])
        assert refusal(only_pairs).endswith("have none, and none of its scores is a number of each sample.")

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
        assert "references from doc.choices; scores: bleu; sources from doc.query;" in found.fields
        assert plain(found.scores) == {"bleu": {"model-A": [0.5, 1.5, 2.5, 3.5], "model-B": [0.5, 1.5, 2.5, 3.5]}}

    def test_the_text_is_the_one_that_its_metrics_took(self, tmp_path):
        path = logs.lighteval_shape(tmp_path / "a.parquet", RUNS["A"], text_post_processed=["thought"])
        found = read(path)
        assert list(found.systems.values()) == [["thought"] * 4]
        assert "predictions from model_response.text_post_processed;" in found.fields

    def test_what_holds_no_text_or_several_is_refused(self, tmp_path):
        path = logs.lighteval_shape(tmp_path / "a.parquet", RUNS["A"], text=[], logprobs=[-1.0, -2.0])
        with pytest.raises(InputError, match=r"has no texts for bleu_multi: .* log-likelihoods of choices have none"):
            tercet.compare(read(path), "bleu")
        table = pq.read_table(logs.lighteval_shape(tmp_path / "b.parquet", RUNS["B"]))
        pq.write_table(pa.concat_tables([table, pq.read_table(path)], promote_options="permissive"), path)
        assert "row 5: the model's answer has no text, as log-likelihoods of choices have none" in refusal(path)

    @pytest.mark.parametrize("column", ["doc", "model_response"])
    def test_a_sample_without_its_text_or_answer_is_named(self, tmp_path, column):
        path = logs.lighteval_shape(tmp_path / "a.parquet", RUNS["A"])
        rows = pq.read_table(path).to_pylist()
        rows[1][column] = None
        pq.write_table(pa.Table.from_pylist(rows), path)
        assert f"row 2, column '{column}': expected an object, got nothing." in refusal(path)

    def test_other_tables_may_have_columns_of_these_names(self, tmp_path):
        columns = {"doc": ["Кот.", "猫。"], "model_response": ["A cat.", "Cat."], "metric": ["chrF", "chrF"]}
        pq.write_table(pa.table(columns), tmp_path / "a.parquet")
        assert read_table(tmp_path / "a.parquet").columns == columns

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
            found = read(sorted(tmp_path.glob(f"*.{format}")))
            assert list(found.scores) == ["exact", "f1", "shape.words", "shape.capital"]
            assert plain(found.scores)["exact"] == {"canned/A": [0, 1, 0, 1], "canned/B": [0, 0, 0, 0]}
            assert plain(found.scores)["shape.capital"] == {"canned/A": [1, 1, 1, 1], "canned/B": [1, 1, 0, 1]}

    def test_repeats_as_the_package_writes_them_have_scores_each(self, tmp_path):
        if find_spec("inspect_ai") is None:
            pytest.skip("inspect_ai is not installed here: make test-harnesses")
        logs.written_by("inspect_twice", tmp_path)
        found = read(sorted(tmp_path.glob("*.eval")))
        assert plain(found.scores)["exact"] == {"canned/A": [0, 1, 0, 1] * 2, "canned/B": [0, 0, 0, 0] * 2}
        assert found.clusters.to_dict() == {"by": "sample id", "number": 4, "sizes": [2, 2]}

    @pytest.mark.parametrize("format", ["eval", "json"])
    def test_in_their_shape(self, tmp_path, format):
        self.check([
            logs.inspect_shape(tmp_path / f"logs/{run}.{format}", own, f"canned/{run}") for run, own in RUNS.items()
        ])  # fmt: skip

    def check(self, paths):
        found = read(paths)
        assert found.systems == {"canned/A": RUNS["A"], "canned/B": RUNS["B"]}
        assert (found.name, found.references, found.source) == ("de_en", TARGETS, GERMAN)

    @pytest.mark.parametrize("in_parts", [False, True])
    def test_older_logs_have_the_answer_in_the_first_choice_alone(self, tmp_path, in_parts):
        """Up to 0.3.95, which did not write what it makes of the choices."""
        path = logs.inspect_shape(tmp_path / "a.json", RUNS["A"])
        log = json.loads(path.read_text())
        for sample in log["samples"]:
            text = sample["output"].pop("completion")
            content = [{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": text}] if in_parts else text
            sample["output"]["choices"] = [{"message": {"content": content}, "stop_reason": "stop"}]
        path.write_text(json.dumps(log))
        assert read(path).systems == {"mockllm/model": RUNS["A"]}

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

    def test_lists_of_texts_in_epochs_are_repeats_of_each(self, tmp_path):
        path = logs.inspect_shape(tmp_path / "a.json", RUNS["A"], epochs=2)
        log = json.loads(path.read_text())
        for sample in log["samples"]:
            sample["metadata"] = {"drafts": [f"{sample['id']} {sample['epoch']}", "x"]}
        path.write_text(json.dumps(log))
        found = read(path, systems="metadata.drafts")
        (texts,) = found.systems.values()
        assert sorted(set(texts)) == ["0 1", "0 2", "1 1", "1 2", "2 1", "2 2", "3 1", "3 2", "x"]
        assert found.clusters.to_dict() == {"by": "sample id", "number": 4, "sizes": [4, 4]}

    def test_values_of_scores_are_the_numbers_that_the_package_takes_them_for(self, tmp_path):
        values = {
            "choice": ["C", "I", "P", "N"], "text": ["yes", "False", "0.25", "nan"], "number": [True, 2, 0.5, None],
            "words": ["good", "bad", "good", "good"], "wer": [0.5, 0, 1e100, {}], "list": [[1], [0], [1], [1]],
        }  # fmt: skip
        path = logs.inspect_shape(tmp_path / "a.json", RUNS["A"])
        log = json.loads(path.read_text())
        for number, sample in enumerate(log["samples"]):
            sample["scores"] = {name: {"value": column[number]} for name, column in values.items()}
        path.write_text(json.dumps(log))
        found = read(path)
        assert list(found.scores) == ["choice", "text", "number", "wer"]
        rows = {name: rows["mockllm/model"] for name, rows in plain(found.scores).items()}
        assert rows["choice"] == [1, 0, 0.5, 0]
        assert (rows["text"][:3], rows["number"][:3], rows["wer"][:3]) == ([1, 0, 0.25], [1, 2, 0.5], [0.5, 0, 1e100])
        assert all(isnan(rows[name][3]) for name in ("text", "number", "wer"))
        assert found.lower_is_better == ("wer",)
        del log["samples"][2]["scores"]
        log["samples"][3]["scores"]["choice"]["value"] = "D"
        path.write_text(json.dumps(log))
        with pytest.warns(UserWarning, match="the score 'choice' is 'D' in a sample; expected a number: "):
            found = read(path)
        assert isnan(found.scores["number"]["mockllm/model"][2])
        for scores, expected in (
            ([1], {}),
            ("C", {}),
            (None, {}),
            ({"exact": None}, {}),
            ({"exact": 1}, {"exact": 1}),
        ):
            path.write_text(json.dumps({**log, "samples": [{**log["samples"][0], "scores": scores}]}))
            expected = {"exact": {"mockllm/model": [1]}} if scores == {"exact": 1} else {}
            assert plain(read(path).scores) == expected

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


def written_by(package, folder):
    if find_spec(package) is None:
        pytest.skip(f"{package} is not installed here: make test-harnesses")
    logs.written_by(package, folder)


EXACT = {"A": [0, 1, 0, 0], "B": [0, 0, 0, 0]}


class TestResultsOfDeepeval:
    def test_as_the_package_writes_them(self, tmp_path):
        written_by("deepeval", tmp_path)
        found = read(sorted(tmp_path.rglob("[A-Z]/test_run_*.json")))
        self.check(found)
        assert read([tmp_path / "A", tmp_path / "B"]) == found
        scores = plain(found.scores)
        assert scores["Length"] == {run: [*map(len, texts)] for run, texts in RUNS.items()}
        assert (list(scores), found.lower_is_better) == (["Exact", "Failing", "Length"], ("Length",))
        assert isnan(scores["Failing"]["A"][0])
        assert {run: row[1:] for run, row in scores["Failing"].items()} == {"A": [1, 0, 0], "B": [0, 0, 0]}
        (latest,) = tmp_path.glob(".deepeval/.latest*.json")
        assert list(read(latest).systems.values()) == [RUNS["B"]]

    def test_in_their_shape(self, tmp_path):
        paths = [logs.deepeval_shape(tmp_path / f"{run}/test_run_20260102_030405.json", RUNS[run]) for run in RUNS]
        self.check(read(paths))
        assert read([tmp_path / "A", tmp_path / "B"]) == read(paths)
        for run, path in zip(RUNS, paths, strict=True):
            (tmp_path / f"{run}.json").write_text(json.dumps({"testRunData": json.loads(path.read_text())}))
        found = read([tmp_path / "A.json", tmp_path / "B.json"])
        self.check(found)
        assert "predictions from actual_output; references from expected_output; scores: Exact;" in found.fields

    def check(self, found):
        assert (found.name, found.systems, found.source) == ("deepeval", RUNS, GERMAN)
        assert found.references == [[text] for text in ENGLISH]
        assert plain(found.scores)["Exact"] == {"A": [0, 1, 0, 0], "B": [0, 0, 0, 0]}
        assert found.clusters is None

    def test_the_side_of_the_threshold_on_which_tests_of_any_run_pass_says_what_is_better(self, tmp_path):
        parts = {"a": {"score": 0.5, "success": True}, "b": {"score": 0.25, "success": True}}
        paths = [
            logs.deepeval_shape(
                tmp_path / f"{run}.json", RUNS["A"], [[{"name": "Bias", "threshold": 0.5, **part}]] * 4
            )
            for run, part in parts.items()
        ]
        assert read(paths).lower_is_better == ("Bias",)
        assert read(paths[:1]).lower_is_better == ()

    def test_one_input_with_several_references_is_no_repeat(self, tmp_path):
        path = logs.deepeval_shape(tmp_path / "a.json", RUNS["A"])
        run = json.loads(path.read_text())
        path.write_text(json.dumps({"testCases": [{**case, "input": "Translate."} for case in run["testCases"]]}))
        found = read(path)
        assert (found.source, found.clusters) == (["Translate."] * 4, None)

    def test_what_its_function_returns_is_read_too(self, tmp_path):
        metric = {"name": "Exact", "threshold": 0.5, "success": True, "score": 0.75}
        case = {"name": "a", "input": "a", "actual_output": "b", "expected_output": "c", "metrics_data": [metric]}
        (tmp_path / "base.json").write_text(json.dumps({"test_results": [case], "confident_link": None}))
        found = read(tmp_path / "base.json")
        assert (found.systems, found.references, plain(found.scores)) == (
            {"base": ["b"]}, [["c"]], {"Exact": {"base": [0.75]}},
        )  # fmt: skip

    @pytest.mark.parametrize("key", ["test_results", "testCases"])
    def test_a_list_of_others_that_is_called_so_is_a_table(self, tmp_path, key):
        rows = [{"prediction": "a ship", "reference": "a boat", "input": "ein Schiff"}]
        (tmp_path / "a.json").write_text(json.dumps({key: rows}))
        assert read(tmp_path / "a.json").systems == {"prediction": ["a ship"]}

    def test_where_there_is_no_score_a_test_passes_or_fails(self, tmp_path):
        metrics = [
            [{"name": "J", "success": True}, {"name": "J", "success": False, "score": 1, "threshold": 1}],
            [{"name": "J", "success": False}, {"name": "J", "success": True, "score": 0.5, "threshold": 1}],
            [{"name": "J", "success": False, "error": "no judge"}],
            [],
        ]
        path = logs.deepeval_shape(
            tmp_path / "a.json", RUNS["A"], metrics, identifier="base", testFile="tests/test_qa.py"
        )
        found = read(path)
        assert (found.name, list(found.systems), found.lower_is_better) == ("test_qa", ["base"], ("J 2",))
        assert found.scores["J success"]["base"][:2].tolist() == [1, 0]
        assert np.isnan(found.scores["J success"]["base"][2:]).all()
        assert np.isnan(found.scores["J 2"]["base"][2:]).all()

    def test_what_cannot_be_read_is_named(self, tmp_path):
        path = logs.deepeval_shape(tmp_path / "a.json", RUNS["A"], testCases=[1])
        assert "a.json: expected an object as test case 1, got 1" in refusal(path)
        logs.deepeval_shape(path, RUNS["A"], testCases=[], conversationalTestCases=[{"turns": []}])
        assert "a.json has test cases that are conversations; expected some with an input" in refusal(path)
        logs.deepeval_shape(path, RUNS["A"], testCases=[])
        assert "a.json is empty; expected test cases." in refusal(path)
        logs.deepeval_shape(path, RUNS["A"], [[]] * 4)
        assert read(path).scores == {}
        logs.deepeval_shape(path, [None] * 4)
        with pytest.raises(
            InputError, match=r"has no texts for chrf_multi: .*a.json has no texts in 'actual_output'"
        ):
            tercet.compare(read(path), "chrf")
        logs.deepeval_shape(path, [None] * 4, [[]] * 4)
        assert "has no texts in 'actual_output', and none of its scores is a number of each sample." in refusal(path)


class TestResultsOfRagas:
    @pytest.mark.parametrize("format", ["csv", "tsv", "jsonl", "parquet"])
    def test_as_the_package_writes_them(self, tmp_path_factory, format):
        folder = tmp_path_factory.getbasetemp() / "ragas"
        if not folder.exists():
            written_by("ragas", folder)
        found = read([folder / f"{run}.{format}" for run in RUNS])
        self.check(found)
        assert list(found.scores) == ["exact_match", "non_llm_string_similarity"]

    def test_in_their_shape(self, tmp_path):
        paths = [logs.ragas_shape(tmp_path / f"{run}.jsonl", RUNS[run]) for run in RUNS]
        self.check(read(paths))
        comparison = tercet.compare(read(paths))
        assert [table.name for table in comparison.tables] == ["exact_match"]
        frame = "user_input,retrieved_contexts,response,reference,exact_match\n"
        for run, texts in RUNS.items():
            cells = zip(GERMAN, texts, ENGLISH, EXACT[run], strict=True)
            rows = [f"{n},{de},\"['a', 'b']\",{text},{en},{x}\n" for n, (de, text, en, x) in enumerate(cells)]
            (tmp_path / f"{run}.csv").write_text(f",{frame}{''.join(rows)}")
        self.check(read([tmp_path / "A.csv", tmp_path / "B.csv"]))

    def check(self, found):
        assert (found.name, found.systems, found.source) == ("ragas", RUNS, GERMAN)
        assert found.references == [[text] for text in ENGLISH]
        assert plain(found.scores)["exact_match"] == EXACT
        assert "ragas: logs of ragas: A, B: predictions from response; references from reference;" in found.fields

    def test_missing_scores_and_those_of_which_lower_are_better(self, tmp_path):
        path = logs.ragas_shape(
            tmp_path / "a.jsonl",
            RUNS["A"],
            **{"noise_sensitivity(mode=relevant)": [0.5, None, 0.25, 1], "id": [4] * 4},
        )
        found = read(path)
        assert list(found.scores) == list(found.lower_is_better) == ["noise_sensitivity(mode=relevant)"]
        assert isnan(found.scores["noise_sensitivity(mode=relevant)"]["a"][1])

    def test_lists_of_texts_are_repeats_of_an_input_that_was_asked_twice(self, tmp_path):
        rows = [{"user_input": "q", "response": text, "multi_responses": [text, "x"], "f": 1} for text in "ab"]
        (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
        found = read(tmp_path / "a.jsonl", systems="multi_responses", need_references=False)
        assert list(found.systems.values()) == [["a", "x", "b", "x"]]

    def test_letters_and_words_are_no_scores(self, tmp_path):
        rows = "q,r,P,yes,True,1\np,r,N,no,False,0.5\n"
        (tmp_path / "a.csv").write_text(f"user_input,response,polarity,answered,exact,faithfulness\n{rows}")
        scores = {"exact": {"a": [1, 0]}, "faithfulness": {"a": [1, 0.5]}}
        assert plain(read(tmp_path / "a.csv").scores) == scores

    def test_decimal_commas(self, tmp_path):
        (tmp_path / "a.csv").write_text("user_input;response;faithfulness\nq;r;0,75\np;r;\nx;r;1\n")
        scores = read(tmp_path / "a.csv").scores["faithfulness"]["a"]
        assert (scores[0], isnan(scores[1]), scores[2]) == (0.75, True, 1)

    def test_scores_too_large_for_a_variance_are_left_out(self, tmp_path):
        path = logs.ragas_shape(tmp_path / "a.jsonl", RUNS["A"], f=[0.5, 1, 0, 1], x=[1e200, 1, 2, 3])
        assert list(read(path).scores) == ["f"]

    def test_other_inputs_or_references_are_no_runs_of_the_same(self, tmp_path):
        header = "user_input,response,reference,f\n"
        for name, row in {"a": "q,r,x,1", "b": "q,r,y,1", "c": "p,r,x,1"}.items():
            (tmp_path / f"{name}.csv").write_text(header + row)
        assert "the sample with the input text 'q' and the repeat '1' has the references ['y']" in refusal(
            tmp_path / "a.csv", tmp_path / "b.csv"
        )
        assert "have no sample in common" in refusal(tmp_path / "a.csv", tmp_path / "c.csv")

    @pytest.mark.parametrize("order", ["ab", "ba"])
    def test_an_input_with_two_references_is_told_apart_by_them_in_a_run_that_has_only_one_of_these(
        self, tmp_path, order
    ):
        rows = {"a": [("q", "x"), ("q", "y"), ("p", "z")], "b": [("p", "z"), ("q", "y")]}
        for name, samples in rows.items():
            lines = [f"{question},{name} {reference},{reference},1\n" for question, reference in samples]
            (tmp_path / f"{name}.csv").write_text(f"user_input,response,reference,f\n{''.join(lines)}")
        with pytest.warns(UserWarning, match="1 of the 3 samples of these runs"):
            found = read([tmp_path / f"{name}.csv" for name in order])
        assert sorted(found.references) == [["y"], ["z"]]
        for name in order:
            assert found.systems[name] == [f"{name} {reference}" for [reference] in found.references]

    def test_columns_of_versions_before_0_2(self, tmp_path):
        """As its documentation has them: question, answer, contexts, ground_truth."""
        rows = [{"question": "a?", "answer": "b", "contexts": ["c"], "ground_truth": "d", "faithfulness": 0.5}]
        (tmp_path / "old.jsonl").write_text("\n".join(map(json.dumps, rows)))
        found = read(tmp_path / "old.jsonl")
        assert (found.systems, found.references, found.source) == ({"old": ["b"]}, [["d"]], ["a?"])
        assert plain(found.scores) == {"faithfulness": {"old": [0.5]}}

    @pytest.mark.parametrize(
        ("columns", "systems"),
        [
            ({}, ["response"]),
            ({"COMET": 0.5, "other": "a text"}, ["response", "other"]),
            ({"response.fluency": 0.5}, ["response"]),
            ({"COMET": 0.5, "human": {"response": {"fluency": 1}}}, ["response"]),
        ],
    )
    def test_other_tables_stay_test_sets(self, tmp_path, columns, systems):
        row = {"user_input": "a", "retrieved_contexts": ["b"], "response": "c", "reference": "d", **columns}
        (tmp_path / "a.jsonl").write_text(json.dumps(row))
        found = read(tmp_path / "a.jsonl")
        assert (found.name, list(found.systems), found.source) == ("a", systems, ["a"])


class TestResultsOfMlflow:
    @pytest.mark.needs("mlflow")
    def test_as_the_package_writes_them(self, tmp_path):
        written_by("mlflow", tmp_path)
        found = read([tmp_path / "A", tmp_path / "B"])
        self.check(found)
        tables = sorted(tmp_path.glob("mlruns/**/eval_results_table.json"))
        assert sorted(read(tables).systems.values()) == sorted(RUNS.values())
        for format in ("jsonl", "csv"):
            found = read([tmp_path / f"{run}.{format}" for run in RUNS])
            by_reference = {
                run: dict(zip(map(tuple, found.references), texts, strict=True))
                for run, texts in found.systems.items()
            }
            keys = [(text,) for text in ENGLISH]
            assert by_reference == {run: dict(zip(keys, texts, strict=True)) for run, texts in RUNS.items()}
            assert {run: sum(row) for run, row in plain(found.scores)["exact"].items()} == {"A": 1, "B": 0}
            assert (
                "predictions from response; references from expected_response/value; scores: exact;" in found.fields
            )

    def test_in_their_shape(self, tmp_path):
        paths = [logs.mlflow_shape(tmp_path / f"{run}/eval_results_table.json", RUNS[run]) for run in RUNS]
        self.check(read(paths))
        assert read([tmp_path / "A", tmp_path / "B"]) == read(paths)

    def check(self, found):
        assert (found.name, found.systems, found.source) == ("MLflow", RUNS, GERMAN)
        assert found.references == [[text] for text in ENGLISH]
        assert plain(found.scores) == {"exact": EXACT}

    def test_scores_of_its_own_metrics(self, tmp_path):
        path = logs.mlflow_shape(
            tmp_path / "base.json", RUNS["A"], **{
                "toxicity/v1/score": [0.5, None, 0.25, 0], "judge/v1/score": ["yes", "no", "yes", None],
                "judge/v2/score": [1, 2, 3, 4], "judge/v1/justification": ["a", "b", "c", "d"],
                "note/v1/score": ["a", "b", "c", "d"], "context": ["a b c", "d", "e", "f"],
            }
        )  # fmt: skip
        found = read(path)
        assert list(found.scores) == ["exact", "toxicity", "judge/v1", "judge/v2"]
        assert found.lower_is_better == ("toxicity",)
        assert list(found.systems) == ["base"]
        assert found.scores["judge/v1"]["base"][:3].tolist() == [1, 0, 1]

    def test_a_score_and_a_value_of_one_metric_are_two_scores(self, tmp_path):
        path = logs.mlflow_shape(
            tmp_path / "base.json", RUNS["A"], **{
                "длина/score": [1, 2, 3, 4], "длина/value": [5, 6, 7, 8], "длина/v2/score": [0, 0, 0, 1],
            }
        )  # fmt: skip
        scores = read(path).scores
        assert plain({name: scores[name] for name in list(scores)[1:]}) == {
            "длина/score": {"base": [1, 2, 3, 4]},
            "длина/value": {"base": [5, 6, 7, 8]},
            "длина/v2": {"base": [0, 0, 0, 1]},
        }

    def test_without_inputs_samples_are_told_apart_by_their_rows(self, tmp_path):
        for run in RUNS:
            logs.mlflow_shape(tmp_path / f"{run}.json", RUNS[run], inputs=None, ground_truth=None)
        found = read([tmp_path / "A.json", tmp_path / "B.json"])
        assert (found.systems, found.references, found.source) == (RUNS, [[]] * 4, None)
        assert "predictions from outputs; scores: exact; samples joined by row" in found.fields

    def test_an_input_again_is_a_repeat_where_its_references_are_the_same(self, tmp_path):
        path = logs.mlflow_shape(tmp_path / "a.json", RUNS["A"], inputs=["a", "a", "b", "b"])
        assert read(path).clusters is None
        logs.mlflow_shape(path, RUNS["A"], inputs=["a", "a", "b", "b"], ground_truth=["c", "c", "d", "d"])
        assert read(path).clusters.to_dict() == {"by": "sample id", "number": 2, "sizes": [2, 2]}
        logs.mlflow_shape(path, RUNS["A"], inputs=["?"] * 4, ground_truth=["c"] * 4)
        assert read(path).clusters is None

    def test_numbers_and_objects_are_read_as_they_are_written(self, tmp_path):
        path = logs.mlflow_shape(
            tmp_path / "a.json", [1, None, {"b": "ä"}, "c"], ground_truth=[1, ["d", "e"], None, "f"]
        )
        found = read(path)
        assert found.source == GERMAN
        assert found.systems == {"a": ["1", "", '{"b": "ä"}', "c"]}
        assert found.references == [["1"], ["d", "e"], [], ["f"]]

    def test_classes_are_texts(self, tmp_path):
        path = logs.mlflow_shape(tmp_path / "a.json", [0, 0, 0, 0], ground_truth=[0, 0, 0, 0])
        found = read(path)
        assert (found.systems, found.references) == ({"a": ["0"] * 4}, [["0"]] * 4)

    def test_other_objects_are_refused_as_before(self, tmp_path):
        for content in ({"columns": [1], "data": 3}, {"columns": 1}, {}):
            (tmp_path / "a.json").write_text(json.dumps(content))
            assert "a.json is not a log of inspect-ai with samples, nor a table" in refusal(tmp_path / "a.json")
        (tmp_path / "a.json").write_text(json.dumps({"columns": ["a/score"] * 2, "data": [[1, 2]]}))
        assert "a.json: the column 'a/score' appears twice; expected distinct names." in refusal(tmp_path / "a.json")
        (tmp_path / "a.json").write_text(json.dumps({"columns": ["a/score", "b"], "data": [[1]]}))
        assert "a.json, row 1: expected 2 cells, as there are columns, found 1" in refusal(tmp_path / "a.json")


class TestResultsOfPromptfoo:
    def test_each_provider_is_a_system(self, tmp_path):
        found = read(logs.promptfoo_shape(tmp_path / "output.json"))
        self.check(found)
        assert found.fields == (
            "de-en: log of promptfoo: A, B: predictions from response.output; references from vars.reference; "
            "scores: score, success, exact, icontains; sources from vars.de."
        )
        assert found.lower_is_better == ()

    def test_as_lines(self, tmp_path):
        content = json.loads(logs.promptfoo_shape(tmp_path / "output.json").read_text())
        (tmp_path / "output.jsonl").write_text("\n".join(map(json.dumps, content["results"]["results"])))
        found = read(tmp_path / "output.jsonl")
        assert found.name == "promptfoo"
        self.check(replace(found, name="de-en"))

    def check(self, found):
        assert (found.name, found.systems, found.source) == ("de-en", RUNS, GERMAN)
        assert found.references == [[text] for text in ENGLISH]
        scores = plain(found.scores)
        assert (scores["exact"], scores["success"]) == (EXACT, EXACT)
        assert scores["score"] == {run: [(value + 1) / 2 for value in row] for run, row in EXACT.items()}
        assert scores["icontains"] == {run: [1] * 4 for run in RUNS}

    def test_several_files_are_runs(self, tmp_path):
        paths = [logs.promptfoo_shape(tmp_path / f"{name}.json", {"A": RUNS["A"]}) for name in ("main", "pr")]
        assert list(read(paths).systems) == ["main", "pr"]
        paths = [logs.promptfoo_shape(tmp_path / f"{name}.json") for name in ("main", "pr")]
        assert list(read(paths).systems) == ["main A", "main B", "pr A", "pr B"]
        assert list(read(logs.promptfoo_shape(tmp_path / "main.json", {"A": RUNS["A"]})).systems) == ["A"]

    def test_the_older_shape(self, tmp_path):
        """Of its versions 1 and 2: without places, a provider may be its name, and a prompt has no label."""
        path = logs.promptfoo_shape(tmp_path / "output.json")
        content = json.loads(path.read_text())
        results = content["results"]["results"][::-1]
        for result in results:
            for part in ("testIdx", "promptIdx", "promptId", "testCase", "failureReason", "id"):
                del result[part]
            result["provider"] = result["provider"]["label"]
            result["prompt"] = {"raw": result["prompt"]["raw"], "display": result["prompt"]["label"]}
        path.write_text(json.dumps({"version": 1, "results": {"results": results, "stats": {}, "table": {}}}))
        found = read(path)
        assert found.name == "promptfoo"
        self.check(replace(found, name="de-en"))
        path.write_text(json.dumps({"results": results}))
        assert read(path) == found

    def test_several_prompts_are_systems_too(self, tmp_path):
        path = logs.promptfoo_shape(tmp_path / "output.json", {"a": RUNS["A"], "b": RUNS["B"], "c": RUNS["A"]})
        content = json.loads(path.read_text())
        labels = ["short", "A long prompt, which has no label of its own but its text: {{de}}\n"]
        for result in content["results"]["results"]:
            index = result["promptIdx"]
            result["provider"] = {"id": "gpt", "label": ""}
            result["prompt"]["label"] = labels[index == 1]
        path.write_text(json.dumps(content))
        found = read(path)
        assert found.systems == {"[gpt] short": RUNS["A"], "[gpt] prompt 2": RUNS["B"], "[gpt] short #2": RUNS["A"]}

    def test_references_are_what_assertions_compare_with_where_no_variable_is_called_so(self, tmp_path):
        path = logs.promptfoo_shape(tmp_path / "output.json")
        content = json.loads(path.read_text())
        for result in content["results"]["results"]:
            result["vars"] = {"text": result["vars"]["de"], "wanted": result["vars"]["reference"]}
            result["testCase"]["assert"] = [
                {"type": "equals", "value": "{{ wanted }}"}, {"type": "similar", "value": ["{{wanted}}", "x"]},
                {"type": "llm-rubric", "value": "is polite"}, {"type": "equals", "value": "file://a.txt"},
                {"type": "equals", "value": {"a": 1}}, "odd",
            ]  # fmt: skip
        path.write_text(json.dumps(content))
        found = read(path)
        assert (found.references, found.source) == ([[text, "x"] for text in ENGLISH], GERMAN)
        assert "references from assert.value" in found.fields
        assert read(path, reference_columns="vars.wanted").references == [[text] for text in ENGLISH]

    def test_a_test_without_assertions_has_no_scores(self, tmp_path):
        grading = {"pass": True, "score": 1, "reason": "No assertions"}
        path = logs.promptfoo_shape(tmp_path / "a.json", gradingResult=grading, namedScores={}, score=1, success=True)
        assert read(path).scores == {}

    def test_repeats_are_resampled_together(self, tmp_path):
        path = logs.promptfoo_shape(tmp_path / "output.json", {"A": RUNS["A"]})
        content = json.loads(path.read_text())
        again = [{**result, "testIdx": result["testIdx"] + 4} for result in content["results"]["results"]]
        content["results"]["results"] += again
        path.write_text(json.dumps(content))
        found = read(path)
        assert found.systems == {"A": RUNS["A"] * 2}
        assert found.clusters.to_dict() == {"by": "sample id", "number": 4, "sizes": [2, 2]}

    def test_outputs_that_are_objects_are_read_as_they_are_written(self, tmp_path):
        path = logs.promptfoo_shape(tmp_path / "a.json", response={"output": {"ответ": 1}})
        assert read(path).systems["A"] == ['{"ответ": 1}'] * 4

    def test_variables_of_one_system_alone_are_no_other_test(self, tmp_path):
        path = logs.promptfoo_shape(tmp_path / "output.json")
        content = json.loads(path.read_text())
        for number, result in enumerate(content["results"]["results"]):
            result["vars"] = dict(reversed(result["vars"].items())) | {"sessionId": str(number)}
        path.write_text(json.dumps(content))
        assert read(path).systems == RUNS

    @pytest.mark.parametrize(("names", "source"), [(("question", "context"), True), (("topic", "tone"), False)])
    def test_of_several_variables_the_one_that_is_called_so_is_the_source(self, tmp_path, names, source):
        path = logs.promptfoo_shape(tmp_path / "output.json")
        content = json.loads(path.read_text())
        for result in content["results"]["results"]:
            result["vars"] = {**dict.fromkeys(names, result["vars"]["de"]), "reference": result["vars"]["reference"]}
        path.write_text(json.dumps(content))
        assert read(path).source == (GERMAN if source else None)

    def test_more_systems_or_scores_than_columns_are_refused(self, tmp_path):
        path = logs.promptfoo_shape(tmp_path / "a.json")
        (result, *_) = json.loads(path.read_text())["results"]["results"]
        path.write_text(json.dumps({"results": [{**result, "promptIdx": number} for number in range(501)]}))
        assert "a.json: more than 500 different providers and prompts" in refusal(path)
        path.write_text(json.dumps({"results": [{**result, "namedScores": dict.fromkeys(map(str, range(499)), 1)}]}))
        assert "a.json: more than 500 different scores" in refusal(path)

    def test_tests_without_an_output_of_every_system_are_left_out_and_counted(self, tmp_path):
        path = logs.promptfoo_shape(tmp_path / "output.json")
        content = json.loads(path.read_text())
        last = content["results"]["results"][0]
        last |= {"response": {"error": "quota"}, "error": "quota", "failureReason": 2, "gradingResult": None}
        path.write_text(json.dumps(content))
        expected = r"output.json: 1 of 4 tests have no output of some system, the first of B: 'quota': left out for "
        with pytest.warns(UserWarning, match=expected):
            found = read(path)
        assert found.systems == {run: texts[:3] for run, texts in RUNS.items()}
        del content["results"]["results"][0]
        path.write_text(json.dumps(content))
        with pytest.warns(
            UserWarning, match=r"1 of 4 tests have no output of some system: left out for every system\."
        ):
            assert read(path) == found
        logs.promptfoo_shape(path, response=None)
        assert "4 of 4 tests have no output of some system, the first of A: 'no output'; expected outputs" in refusal(
            path
        )

    def test_a_test_that_a_system_took_twice_is_refused(self, tmp_path):
        path = logs.promptfoo_shape(tmp_path / "a.json")
        content = json.loads(path.read_text())
        content["results"]["results"].append(content["results"]["results"][0])
        path.write_text(json.dumps(content))
        assert "a.json: test 3 of B occurs twice; expected each test of a system once." in refusal(path)

    def test_prompts_with_responses_that_are_texts_are_a_table(self, tmp_path):
        rows = [{"prompt": "ein Schiff", "response": "a ship", "reference": "a boat"}]
        (tmp_path / "a.json").write_text(json.dumps({"results": rows}))
        assert read(tmp_path / "a.json").systems == {"response": ["a ship"]}

    def test_a_score_that_one_system_lacks_is_left_out(self, tmp_path):
        path = logs.promptfoo_shape(tmp_path / "output.json")
        content = json.loads(path.read_text())
        for result in content["results"]["results"][:4]:
            result["namedScores"] = {"exact": None}
        path.write_text(json.dumps(content))
        with pytest.warns(UserWarning, match="output.json: 'B' has no score 'exact', and others have: left out."):
            assert list(read(path).scores) == ["score", "success", "icontains"]

    def test_what_cannot_be_read_is_named(self, tmp_path):
        path = logs.promptfoo_shape(tmp_path / "a.json")
        content = json.loads(path.read_text())
        for bad in (1, {"vars": {}}, {"prompt": "a", "vars": [1]}):
            content["results"]["results"][2] = bad
            path.write_text(json.dumps(content))
            assert "a.json: expected an object with prompt and vars as result 3, got " in refusal(path)

    def test_a_key_that_is_there_twice_is_refused_as_in_tables(self, tmp_path):
        path = logs.promptfoo_shape(tmp_path / "a.json")
        text = path.read_text()
        path.write_text(text.replace('"output": ', '"output": "lost", "output": ', 1))
        assert "a.json: the key 'output' appears twice; expected distinct keys." in refusal(path)
        # Half a character may stand in what no score reads.
        path.write_text(text.replace('"output": ', '"raw": "\\ud83d", "output": ', 1))
        assert read(path).n_segments == 4

    @pytest.mark.parametrize("missing", [["prompt"], ["provider", "response", "vars"]])
    def test_results_without_a_prompt_or_what_it_led_to_are_of_no_program(self, tmp_path, missing):
        path = logs.promptfoo_shape(tmp_path / "a.json")
        content = json.loads(path.read_text())
        for result in content["results"]["results"]:
            for key in missing:
                del result[key]
        path.write_text(json.dumps(content))
        assert "a.json is not a log of inspect-ai with samples, nor a table" in refusal(path)
        content["results"]["results"] = ["prompt", 1, None]
        path.write_text(json.dumps(content))
        assert "a.json is not a log of inspect-ai with samples, nor a table" in refusal(path)


class TestPredictionsOfOpenCompass:
    def test_in_their_shape(self, tmp_path):
        paths = [logs.opencompass_shape(tmp_path / f"predictions/{run}/flores.json", RUNS[run]) for run in RUNS]
        found = read(paths)
        assert (found.name, found.systems, found.source) == (
            "flores",
            RUNS,
            [f"Translate: {text}" for text in GERMAN],
        )
        assert found.references == [[text] for text in ENGLISH]
        assert found.fields == (
            "flores: logs of OpenCompass: A, B: predictions from prediction; references from gold; sources from "
            "origin_prompt; samples joined by index."
        )

    def test_their_order_several_sequences_and_golds(self, tmp_path):
        path = tmp_path / "A/x.json"
        golds = [["a", "b"], 3, None, {"ключ": "ответ"}]
        logs.opencompass_shape(path, [["a", "b"], ["c", "d"], [None, 1], []], golds)
        samples = json.loads(path.read_text())
        path.write_text(
            json.dumps({key: samples[key] for key in sorted(samples, reverse=True)} | {"10": samples["0"]})
        )
        found = read(path)
        assert found.systems == {"A": ["a", "b", "c", "d", "", "1", "", "a", "b"]}
        references = [["a", "b"], ["3"], [], ['{"ключ": "ответ"}']]
        assert found.references == [references[number] for number in (0, 0, 1, 1, 2, 2, 3, 0, 0)]
        assert found.clusters.to_dict()["number"] == 5

    def test_parts_of_a_data_set_are_one_task(self, tmp_path):
        paths = []
        for run, texts in RUNS.items():
            paths += [logs.opencompass_shape(tmp_path / f"{run}/flores_{n}.json", texts) for n in (1, 0, 2)]
        paths.append(logs.opencompass_shape(tmp_path / "A/other_1.json", RUNS["A"]))
        flores, other = tercet.read_test_sets(paths)
        assert (flores.name, flores.systems) == ("flores", {run: texts * 3 for run, texts in RUNS.items()})
        assert (flores.references, flores.clusters) == ([[text] for text in ENGLISH] * 3, None)
        assert (other.name, other.systems) == ("other_1", {"A": RUNS["A"]})
        first, third = tercet.read_test_sets([paths[1], paths[2]])
        assert (first.name, third.name) == ("flores_0", "flores_2")

    def test_without_golds_there_are_no_references(self, tmp_path):
        found = read(logs.opencompass_shape(tmp_path / "A/x.json", RUNS["A"], [None] * 4))
        assert (found.systems, found.references) == ({"A": RUNS["A"]}, [[]] * 4)

    @pytest.mark.parametrize("parts", [{"label: A": {"PPL": 1.5}}, {"choices": ["A", "B"], "prediction": [0.5, 0.5]}])
    def test_choices_by_likelihood_are_no_texts(self, tmp_path, parts):
        path = logs.opencompass_shape(tmp_path / "A/x.json", RUNS["A"], **parts)
        assert (
            "x.json, sample '0': the prediction is a choice by likelihood, not a text that a model wrote, and none "
            "of its scores is a number of each sample."
        ) in refusal(path)

    def test_what_cannot_be_read_is_named(self, tmp_path):
        path = logs.opencompass_shape(tmp_path / "x.json", [["a", "b"]] * 4, origin_prompt=[[], []])
        assert "x.json, sample '0': the predictions are turns of a conversation; expected an answer." in refusal(path)
        path.write_text(json.dumps({"0": {"prediction": "a"}, "1": 3}))
        assert "x.json, sample '1': expected an object with a prediction, got 3." in refusal(path)
        for content in ({"0": 1}, {"a": {"prediction": "b"}}):
            path.write_text(json.dumps(content))
            assert "x.json is not a log of inspect-ai" in refusal(path)


class TestTablesOfWandb:
    @pytest.mark.needs("wandb")
    def test_as_the_package_writes_them(self, tmp_path):
        written_by("wandb", tmp_path)
        self.check(sorted(tmp_path.rglob("*.table.json")))

    def test_in_their_shape(self, tmp_path):
        self.check([logs.wandb_shape(tmp_path / f"{run}.table.json", run, texts) for run, texts in RUNS.items()])

    def check(self, paths):
        found = read(paths, scores="exact")
        assert (found.systems, found.source) == (RUNS, GERMAN)
        assert found.references == [[text] for text in ENGLISH]
        assert plain(found.scores) == {"exact": EXACT}
        assert "system: 'A'; references: 'reference'; sources: 'input'; scores: 'exact'." in found.fields

    def test_columns_have_roles_as_in_other_tables(self, tmp_path):
        columns = ["source", "mt", "ref", "tuned", "COMET", 5]
        chat = [{"role": "assistant", "content": "b"}]
        rows = [["a", "b", "c", chat, 0.5, None], ["猫", "cat", float("nan"), chat, None, {"_type": "image-file"}]]
        content = {"columns": columns, "data": rows, "ncols": 6, "nrows": 2, "column_types": {"wb_type": "typedDict"}}
        (tmp_path / "a.json").write_text(json.dumps(content))
        found = read(tmp_path / "a.json")
        assert found.systems == {"mt": ["b", "cat"], "tuned": ["b", "b"]}
        assert (found.references, found.source) == ([["c"], []], ["a", "猫"])

    def test_what_cannot_be_read_is_named(self, tmp_path):
        path = tmp_path / "a.json"
        for content, expected in {
            '{"columns": ["a"], "data": [["b"]]}': "no column was recognized as references",
            '{"columns": ["a"], "data": []}': "a.json is empty; expected rows of results.",
            '{"columns": ["a", "a"], "data": [[1, 2]]}': "the column 'a' appears twice; expected distinct names.",
            '{"columns": ["a", "b"], "data": [[1, 2], [1]]}': "row 2: expected 2 cells, as there are columns",
            '{"columns": ["a"], "data": [["b"]': "a.json, line 1: not JSON (Expecting ',' delimiter, column 34)",
            '{"columns": ["ref", "mt"], "data": [["b", 3]]}': "('mt' has values that are not text)",
        }.items():
            path.write_text(content)
            assert expected in refusal(path)


def test_logs_beside_tables_and_texts(tmp_path):
    log = logs.inspect_shape(tmp_path / "a.eval", RUNS["A"])
    (tmp_path / "news.tsv").write_text("mt\tref\na\tb\n")
    (tmp_path / "a.txt").write_text("a\n")
    assert [each.name for each in tercet.read_test_sets([log, tmp_path / "news.tsv"])] == ["news", "de_en"]
    assert "a.txt' is a text file, whose lines have no ids" in refusal(log, tmp_path / "a.txt")


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


def test_a_data_set_of_opencompass_in_parts_has_the_indices_of_one_file(tmp_path):
    in_parts = [logs.opencompass_shape(tmp_path / f"A/flores_{n}.json", RUNS["A"]) for n in (0, 1)]
    part = logs.opencompass_shape(tmp_path / "B/flores.json", RUNS["B"])
    samples = [*json.loads(part.read_text()).values()] * 2
    part.write_text(json.dumps({str(index): sample for index, sample in enumerate(samples)}))
    found = read([*in_parts, part])
    assert found.systems == {run: texts * 2 for run, texts in RUNS.items()}
    assert found.references == [[text] for text in ENGLISH] * 2
