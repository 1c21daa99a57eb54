"""lm-evaluation-harness runs a task with a model that says what it was told, and reports tercet's numbers."""

import json

import pytest

import tercet
from harness_texts import ONE, PREDICTIONS, SEVERAL, by_sacrebleu, numbers


@pytest.fixture
def run(tmp_path, monkeypatch):
    from lm_eval import simple_evaluate
    from lm_eval.api.task import ConfigurableTask
    from lm_eval.models.dummy import DummyLM
    from lm_eval.tasks import TaskManager

    class Parrot(DummyLM):
        def generate_until(self, requests, disable_tqdm=False):
            return [request.args[0] for request in requests]

    monkeypatch.setattr("lm_eval.evaluator.add_env_info", lambda _: None)  # it runs pip, for seconds

    def run(references, bootstrap_iters=100, **more):
        file = tmp_path / f"{len(list(tmp_path.iterdir()))}.jsonl"
        rows = [{"text": text, "gold": gold} for text, gold in zip(PREDICTIONS, references, strict=True)]
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
        config = {
            "task": "parrot", "dataset_path": "json", "test_split": "test", "output_type": "generate_until",
            "dataset_kwargs": {"data_files": {"test": str(file)}, "cache_dir": str(tmp_path / "cache")},
            "doc_to_text": "{{text}}", "doc_to_target": "{{gold}}", "generation_kwargs": {"until": ["\n"]}, **more,
        }  # fmt: skip
        with_none = {"tasks": [ConfigurableTask(config=config)], "task_manager": TaskManager(include_defaults=False)}
        found = simple_evaluate(model=Parrot(), bootstrap_iters=bootstrap_iters, **with_none)
        return found, found["results"]["parrot"]

    return run


def reported(results, expected):
    """Return the numbers of a task by the names of the suite."""
    return {name: results[f"tercet_{name},none"] for name in expected}


def test_a_registered_metric_gives_the_corpus_score_its_error_and_interval(run):
    from tercet.harnesses.lm_eval import register

    register("bleu")
    found, results = run(ONE, metric_list=[{"metric": "tercet_bleu"}, {"metric": "bleu", "aggregation": "bleu"}])
    assert reported(results, numbers(references=ONE)) == numbers(references=ONE)
    assert results["tercet_bleu,none"] == pytest.approx(by_sacrebleu(references=ONE))
    assert results["tercet_bleu,none"] == pytest.approx(results["bleu,none"] / 100)  # lm-eval's own
    assert 0 < results["tercet_bleu_stderr,none"] < 0.2  # where its table looks for one
    assert found["higher_is_better"]["parrot"]["tercet_bleu"] is True
    assert isinstance(found["samples"]["parrot"][0]["tercet_bleu"], tuple)


def test_its_table_shows_the_error(run):
    from lm_eval.utils import make_table

    from tercet.harnesses.lm_eval import register

    register("ter")
    found, results = run(ONE, metric_list=[{"metric": "tercet_ter"}])
    line = next(line for line in make_table(found).splitlines() if "|tercet_ter " in line)
    assert f"{results['tercet_ter,none']:.4f}" in line
    assert f"±|{results['tercet_ter_stderr,none']:.4f}" in line.replace(" ", "")
    assert "↓" in line


def test_a_function_of_a_yaml_file_with_options_and_many_scores(run):
    from tercet.harnesses.lm_eval import register

    options = {"rouge_types": ["rouge1", "rougeL"], "tokenizer": "unicode"}
    metric = {"metric": register("rouge", **options), "higher_is_better": True}
    found, results = run(ONE, metric_list=[metric])
    expected = numbers("rouge", ONE, **options)
    assert reported(results, expected) == expected
    assert "Rouge(rouge_types=('rouge1', 'rougeL'), tokenizer='unicode')" in str(
        found["configs"]["parrot"]["metric_list"]
    )


def test_several_references_by_process_results(run):
    from tercet.harnesses.lm_eval import register

    chrf = register("chrf")

    def process_results(doc, results):
        return chrf(references=[doc["gold"]], predictions=results)

    listed = [{"metric": f"tercet_chrf{end}"} for end in ("", "_stderr", "_low", "_high")]
    _, results = run(SEVERAL, process_results=process_results, metric_list=listed)
    assert reported(results, numbers("chrf")) == numbers("chrf")


@pytest.mark.parametrize("bootstrap_iters", [0, 100])
def test_process_results_with_one_score_listed_gives_all(run, bootstrap_iters):
    """lm-eval takes the mean of what is not listed: it has no aggregation for that."""
    from tercet.harnesses.lm_eval import register

    chrf = register("chrf")
    _, results = run(
        SEVERAL,
        process_results=lambda doc, results: chrf(references=[doc["gold"]], predictions=results),
        metric_list=[{"metric": "tercet_chrf"}],
        bootstrap_iters=bootstrap_iters,
    )
    assert reported(results, numbers("chrf")) == numbers("chrf")
    assert results["tercet_chrf_stderr,none"] == tercet_error("chrf")


def tercet_error(metric):
    stats = tercet.scorer(metric).stats(PREDICTIONS, SEVERAL)
    return tercet.statistics.intervals.bootstrap(tercet.scorer(metric), stats)[metric].standard_error


def test_repeats_of_the_same_answers_change_no_number(run):
    """A document is one unit, however often it is asked: neither its score nor its standard error changes."""
    from tercet.harnesses.lm_eval import register

    register("chrf")
    listed = [{"metric": f"tercet_chrf{end}"} for end in ("", "_stderr", "_low", "_high")]
    every = {"name": "none", "filter": [{"function": "take_first_k", "k": 3}]}
    _, results = run(ONE, repeats=3, filter_list=[every], metric_list=listed)
    assert reported(results, numbers("chrf", ONE)) == pytest.approx(numbers("chrf", ONE))


def test_several_references_one_by_one_are_refused(run):
    from tercet.harnesses.lm_eval import register

    register("bleu")
    with pytest.raises(tercet.InputError, match=r"one by one.*process_results"):
        run(SEVERAL, doc_to_target=lambda doc: doc["gold"], metric_list=[{"metric": "tercet_bleu"}])


def test_once_more_is_no_error_and_other_options_are_one():
    from tercet.harnesses.lm_eval import register

    assert register("jaccard") == register("jaccard")
    with pytest.raises(ValueError, match="already registered"):
        register("jaccard", lowercase=False)
