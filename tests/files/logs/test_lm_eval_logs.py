"""Samples that lm-evaluation-harness logs: two runs of a task are two systems; what holds no texts has its scores."""

import json
from math import isnan

import pytest

import harness_logs
import tercet
from commands import command
from harness_logs import GERMAN, RUNS, TARGETS
from tercet.errors import InputError

PROMPTS = [f"German: {text}\nEnglish:" for text in GERMAN]
BOTH = {"doc_to_target": "{{both}}"}
FIRST = {"filter": [{"function": "take_first"}], "name": "flexible-extract"}
STRICT = {
    "name": "strict-match",
    "filter": [{"function": "regex", "regex_pattern": "(The .*)"}, {"function": "take_first"}],
}
ALL = {"name": "all", "filter": [{"function": "take_first_k", "k": 2}]}
TASKS = [
    {"task": "toy"},
    {"task": "toy_lists", **BOTH, "filter_list": [STRICT, FIRST]},
    {"task": "choices", "output_type": "multiple_choice", "doc_to_target": 0, "doc_to_choice": ["a", "b"],
     "metric_list": [{"metric": "acc"}, {"metric": "acc_norm"}, {"metric": "f1"}, {"metric": "brier_score"}]},
    {"task": "pairs", "output_type": "multiple_choice", "doc_to_target": 0, "doc_to_choice": ["a", "b"],
     "metric_list": [{"metric": "mcc"}]},
    {"task": "rolling", "output_type": "loglikelihood_rolling", "metric_list": [{"metric": "word_perplexity"}]},
    {"task": "cloze", "output_type": "loglikelihood", "metric_list": [{"metric": "perplexity"}, {"metric": "acc"}]},
    {"task": "exact", "filter_list": [STRICT, FIRST],
     "metric_list": [{"metric": "exact_match", "aggregation": "mean", "higher_is_better": False}]},
    {"task": "several", "repeats": 2, "filter_list": [ALL]},
]  # fmt: skip


def read(paths, **options):
    (found,) = tercet.read_test_sets(paths, **options)
    return found


def refusal(*paths, **options):
    with pytest.raises(InputError) as caught:
        tercet.read_test_sets(paths, **options)
    return str(caught.value)


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Return a function from a task's name to the files of its runs, A and B."""
    pytest.importorskip("lm_eval")
    found = harness_logs.lm_eval(tmp_path_factory.mktemp("lm_eval"), TASKS)
    return lambda task: [
        next(path for path in paths if path.name.startswith(f"samples_{task}_20")) for paths in found.values()
    ]


@pytest.fixture
def changed(runs, tmp_path):
    """Return a function that writes the second run of the task toy with other samples."""

    def write(change, name="b"):
        path = tmp_path / name / "samples_toy_2026-01-02T03-04-05.678.jsonl"
        path.parent.mkdir()
        rows = [json.loads(line) for line in runs("toy")[1].read_text().splitlines()]
        path.write_text("".join(json.dumps(row) + "\n" for row in change(rows)))
        return path

    return write


def test_two_runs_are_two_systems_that_are_compared_in_a_report(runs, tmp_path):
    found = read(runs("toy"))
    assert (found.name, found.systems, found.source) == ("toy", RUNS, PROMPTS)
    assert found.references == [[first] for first, _ in TARGETS]
    run = command("compare", *runs("toy"), "-m", "chrf", "-q", "-o", tmp_path / "report.html")
    assert "predictions from filtered_resps; references from target; sources from arguments" in run.stderr
    assert "samples joined by doc_id" in run.stderr
    assert "toy" in (tmp_path / "report.html").read_text()


def test_one_run_is_scored_and_explained(runs):
    path = runs("toy")[0]
    assert "some__model" in command("score", path, "-m", "chrf").stdout
    assert "note: toy: log of" in command("explain", "chrf", path, "--against", "sacrebleu").stderr


def test_each_filter_is_a_system_and_a_list_in_a_text_is_references(runs):
    with pytest.warns(UserWarning, match=r"'\[invalid\]' in 2 of 4 samples, the first with doc_id 2: its filter"):
        found = read(runs("toy_lists")[0])
    assert found.references == TARGETS
    strict = RUNS["A"][:2] + ["[invalid]"] * 2
    assert found.systems == {"some__model strict-match": strict, "some__model flexible-extract": RUNS["A"]}
    with pytest.warns(UserWarning, match="invalid"):
        assert read(runs("toy_lists"), systems="filtered_resps flexible-extract").systems == RUNS


def test_fields_of_the_document_may_be_references(runs):
    found = read(runs("toy"), reference_columns="doc.both", source_column="doc.de")
    assert (found.references, found.source) == (TARGETS, GERMAN)
    assert "has no column 'doc.bath'. Did you mean 'doc.both'?" in refusal(*runs("toy"), reference_columns="doc.bath")


def test_several_tasks_are_several_test_sets(runs):
    with pytest.warns(UserWarning, match="invalid"):
        found = tercet.read_test_sets([*runs("toy"), *runs("toy_lists")])
    assert [each.name for each in found] == ["toy", "toy_lists"]


def plain(scores):
    return {name: {system: values.tolist() for system, values in rows.items()} for name, rows in scores.items()}


def test_multiple_choice_has_scores_and_no_texts(runs):
    found = read(runs("choices"))
    right = {"A": [0, 1, 0, 0], "B": [0, 0, 0, 0]}
    assert plain(found.scores) == {"acc": right, "acc_norm": right}
    assert (found.systems, found.references, found.source) == ({run: [""] * 4 for run in RUNS}, [[]] * 4, PROMPTS)
    assert "A, B: no texts; scores: acc, acc_norm; sources from arguments; samples joined by doc_id." in found.fields
    for metrics in ("chrf", ["bleu", "rouge"]):
        with pytest.raises(InputError, match="line 1: this log holds log-likelihoods of 2 choices, not texts"):
            tercet.compare(found, metrics)
    assert "and none of its scores is a number of each sample" in refusal(*runs("pairs"))


def test_beside_other_tasks_one_with_nothing_to_compare_is_left_out(runs):
    with pytest.warns(UserWarning, match=r"none of its scores is a number of each sample: it is left out\.$"):
        (found,) = tercet.read_test_sets([*runs("pairs"), *runs("choices")])
    assert found.name == "choices"


def test_without_metrics_the_scores_of_the_logs_are_compared(runs, tmp_path):
    comparison = tercet.compare(read(runs("choices")))
    assert [(table.name, [row.value for row in table.rows]) for table in comparison.tables] == [
        ("acc", [25, 0]), ("acc_norm", [25, 0])
    ]  # fmt: skip
    (table,) = tercet.compare(read(runs("rolling"))).tables
    assert table.rows[1].best  # the text of B is likelier
    paths = [*runs("choices"), *runs("rolling")]
    run = command("compare", *paths, "--segments", tmp_path / "segments.tsv")
    assert "All scores of choices" in run.stdout
    assert "rolling: loglikelihood" in run.stdout
    assert "right as a whole" not in run.stderr
    header = (tmp_path / "segments.tsv").read_text().splitlines()[0]
    assert "acc acc\tacc_norm acc_norm\tloglikelihood loglikelihood" in header
    for form in ("json", "markdown", "html"):
        command("compare", *paths, "-f", form, "-o", tmp_path / "out")
    run = command("compare", *paths, "--scores", "acc")
    assert "warning: rolling is left out: it has no scores 'acc'." in run.stderr
    assert "acc" in run.stdout
    run = command("compare", *paths, "--scores", "wer", code=2)
    assert "has no scores 'wer'. Known: " in run.stderr
    run = command("compare", *paths, *runs("toy"), "-m", "chrf")
    assert "choices is left out" in run.stderr


def test_log_likelihoods_are_scores(runs):
    found = read(runs("rolling"))
    assert plain(found.scores) == {"loglikelihood": {run: [-len(text) for text in RUNS[run]] for run in RUNS}}
    assert "log-likelihoods of a text, not texts" in found.no_texts
    assert found.lower_is_better == ()
    found = read(runs("cloze"))
    assert plain(found.scores) == {
        "loglikelihood": {"A": [-1, -2, -1, -1], "B": [-1] * 4}, "acc": {"A": [0, 1, 0, 0], "B": [0] * 4}
    }  # fmt: skip


def test_each_filter_has_its_scores_in_the_direction_of_the_results(runs):
    with pytest.warns(UserWarning, match="invalid"):
        found = read(runs("exact"))
    assert plain(found.scores) == {
        "exact_match": {
            "A strict-match": [0, 1, 0, 0], "A flexible-extract": [0, 1, 0, 0],
            "B strict-match": [0] * 4, "B flexible-extract": [0] * 4,
        }
    }  # fmt: skip
    assert found.lower_is_better == ("exact_match",)
    for scores in (None, "exact_match"):
        (table,) = tercet.compare(found, scores=scores).tables
        assert [row.best for row in table.rows] == [False, False, True, True]
    (table,) = tercet.compare(found, scores="exact_match:better=higher").tables
    assert [row.best for row in table.rows] == [True, True, False, False]
    with pytest.warns(UserWarning, match="invalid"):
        found = read(runs("exact"), systems="filtered_resps flexible-extract")
    assert plain(found.scores) == {"exact_match": {"A": [0, 1, 0, 0], "B": [0] * 4}}


def test_samples_without_a_score_and_values_that_are_none(runs, changed):
    def of(name, *values):
        path = changed(lambda rows: [{**row, **value} for row, value in zip(rows, values, strict=True)], name)
        return read(path)

    scored = {"metrics": ["em"], "em": 1}
    found = of("a", scored, {}, {**scored, "em": None}, {**scored, "em": True})
    (values,) = found.scores["em"].values()
    assert [None if isnan(value) else value for value in values] == [1, None, None, 1]
    for number, value in enumerate(("one", [1, 0], 10**400, float("inf"))):
        with pytest.warns(
            UserWarning, match=r"the score 'em' is .* in a sample; expected a number: the score is left"
        ):
            assert not of(f"b{number}", scored, {**scored, "em": value}, scored, scored).scores
    nested = [{**scored, "em": {"question_id": number, "score": number / 2}} for number in range(4)]
    assert plain(of("c", *nested).scores) == {"em": {"c": [0, 0.5, 1, 1.5]}}
    with pytest.warns(UserWarning, match="toy: 'some__model' has no score 'em', and others have: left out"):
        found = read([runs("toy")[0], changed(lambda rows: [{**row, **scored} for row in rows], "d")])
    assert not found.scores


def test_samples_that_one_run_lacks_are_left_out(runs, changed):
    path = changed(lambda rows: [{**row, "target": "-"} for row in rows])
    with pytest.raises(InputError, match="with the doc_id '0' has the references"):
        read([runs("toy")[0], path])
    shorter = changed(lambda rows: [rows[3], rows[1]], "c")
    with pytest.warns(UserWarning, match="lacks 2 of the 4 samples .* with the doc_id '0': left out for every"):
        found = read([runs("toy")[0], shorter])
    assert found.systems == {"some__model": RUNS["A"][1::2], "c": RUNS["B"][1::2]}
    far = changed(lambda rows: [{**row, "doc_id": row["doc_id"] + 90} for row in rows], "d")
    assert "have no sample in common; expected runs of the same samples." in refusal(runs("toy")[0], far)


def test_targets_of_other_kinds(changed):
    def of(*targets):
        return changed(
            lambda rows: [{**row, "target": t} for row, t in zip(rows, targets, strict=False)], str(targets)[:9]
        )

    assert read(of(42, 4.5, True)).references == [["42"], ["4.5"], ["True"]]
    assert read(of(["a", "b"], ["c"], [])).references == [["a", "b"], ["c"], []]
    assert read(of("['a']", "b")).references == [["['a']"], ["b"]]
    assert read(of("[]", "['a' ]")).references == [["[]"], ["['a' ]"]]
    with pytest.warns(UserWarning, match="'nan' in 1 of 2 samples.*the harness writes this for a missing target"):
        read(of("nan", "b"))
    chat = str([{"role": "assistant", "content": "a"}])
    assert "expected a text or a list of texts, got {'role': 'assistant'" in refusal(of(chat, chat))


def test_a_sample_twice_and_lines_that_are_no_log(changed, tmp_path):
    assert "line 5: doc_id 0 occurs again in 'filtered_resps'" in refusal(changed(lambda rows: [*rows, rows[0]]))
    path = tmp_path / "table.jsonl"
    path.write_text(json.dumps({"doc_id": 1, "target": "a", "resps": "b", "mt": "c"}))
    assert list(read(path).systems) == ["resps", "mt"]


def test_runs_of_one_folder_are_named_by_their_dates(runs, tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    for path, hour in zip(runs("toy"), ("03", "04"), strict=True):
        (folder / f"samples_toy_2026-01-02T{hour}-00-00.5.jsonl").write_text(path.read_text())
    found = read(sorted(folder.iterdir()))
    assert list(found.systems) == ["model 2026-01-02T03-00-00.5", "model 2026-01-02T04-00-00.5"]


def test_repeats_are_rows_that_are_resampled_together(runs):
    once, several = read(runs("toy")), read(runs("several"))
    assert several.systems == {
        name: [text for text in texts for _ in range(2)] for name, texts in once.systems.items()
    }
    assert several.clusters.to_dict() == {"by": "sample id", "number": 4, "sizes": [2, 2]}
    assert once.clusters is None
    one, two = (tercet.compare(test_set, "chrf").tables[0].rows for test_set in (once, several))
    assert [(row.low, row.high, row.pvalue, row.wins) for row in one] == [
        (row.low, row.high, row.pvalue, row.wins) for row in two
    ]
    code = command("compare", *runs("several"), "-m", "chrf")
    assert "Resampled by 4 clusters of 2 (sample id)." in code.stdout
    assert "4 samples with 8 answers are resampled by sample" in code.stderr


def test_one_run_with_fewer_repeats_is_compared_on_those_of_both(runs):
    with pytest.warns(UserWarning, match="lacks 4 of the 8 samples of these runs, the first with the doc_id '0' and"):
        found = read([runs("several")[0], changed_task(runs("toy")[1])])
    assert found.n_segments == 4


def changed_task(path):
    """Return a copy of a run's samples as of the task with repeats."""
    copy = path.parent / path.name.replace("samples_toy_", "samples_several_")
    copy.write_bytes(path.read_bytes())
    return copy
