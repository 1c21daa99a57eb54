"""lighteval's pipeline runs a task with a model that says what it was told, and reports tercet's numbers."""

import sys
from types import ModuleType

import pytest
import sacrebleu

from harness_texts import PREDICTIONS, SEVERAL, by_sacrebleu, mean_of_sentences, numbers


@pytest.fixture
def run(tmp_path, monkeypatch):
    import datasets
    from lighteval.logging.evaluation_tracker import EvaluationTracker
    from lighteval.models.dummy.dummy_model import DummyModel, DummyModelConfig
    from lighteval.models.model_output import ModelResponse
    from lighteval.pipeline import ParallelismManager, Pipeline, PipelineParameters
    from lighteval.tasks.lighteval_task import LightevalTaskConfig
    from lighteval.tasks.requests import Doc

    class Parrot(DummyModel):
        def greedy_until(self, docs):
            order[:] = [PREDICTIONS.index(doc.query) for doc in docs]  # lighteval shuffles them
            return [ModelResponse(text=[doc.query] * times[0]) for doc in docs]

    order, times = [], [1]

    def run(references, *metrics, answers=1):
        times[:] = [answers]
        rows = {"text": PREDICTIONS, "gold": [[each] if isinstance(each, str) else each for each in references]}
        folder = tmp_path / "data"
        datasets.Dataset.from_dict(rows).to_json(folder / "test.jsonl")

        def prompt(line, task_name):
            gold = line["gold"]
            return Doc(query=line["text"], choices=gold, gold_index=list(range(len(gold))), task_name=task_name)

        module = ModuleType("tercet_tasks")
        module.TASKS_TABLE = [LightevalTaskConfig(
            name="parrot", prompt_function=prompt, hf_repo=str(folder), hf_subset="default", hf_avail_splits=["test"],
            evaluation_splits=["test"], metrics=list(metrics), generation_size=50, stop_sequence=[],
        )]  # fmt: skip
        monkeypatch.setitem(sys.modules, "tercet_tasks", module)
        for name in ("_load_from_files", "_load_from_subdirs"):  # one of its own tasks downloads
            monkeypatch.setattr(f"lighteval.tasks.registry.Registry.{name}", staticmethod(lambda *_: {}))
        parameters = PipelineParameters(launcher_type=ParallelismManager.NONE, custom_tasks_directory=module)
        tracker = EvaluationTracker(output_dir=str(tmp_path / "out"))
        pipeline = Pipeline(
            "parrot|0", parameters, tracker, model=Parrot(DummyModelConfig(cache_dir=str(tmp_path / "cache")))
        )
        pipeline.evaluate()
        pipeline.save_and_push_results()
        *_, saved = sorted((tmp_path / "out").glob("results/**/*.json"))
        return pipeline.get_results()["results"]["parrot:0"], saved.read_text(), order

    return run


def test_a_corpus_metric(run):
    from tercet.harnesses.lighteval import corpus_metric

    found, saved, order = run(SEVERAL, corpus_metric("bleu", lowercase=True))
    shuffled = [[texts[number] for number in order] for texts in (SEVERAL, PREDICTIONS)]
    expected = numbers("bleu", *shuffled, lowercase=True)
    assert {name: found[f"tercet_{name}"] for name in expected} == expected
    lower = [text.lower() for text in PREDICTIONS], [[text.lower() for text in texts] for texts in SEVERAL]
    assert found["tercet_bleu"] == pytest.approx(by_sacrebleu(*lower))
    assert 0 < found["tercet_bleu_stderr"] < 0.2
    assert "Bleu(lowercase=True)" in saved


def test_several_answers_that_are_equal_change_no_standard_error(run):
    from tercet.harnesses.lighteval import corpus_metric

    metric = corpus_metric("chrf")
    once, four = (run(SEVERAL, metric, answers=number)[0] for number in (1, 4))
    for end in ("", "_stderr", "_low", "_high"):
        assert four[f"tercet_chrf{end}"] == pytest.approx(once[f"tercet_chrf{end}"])


def test_a_sample_metric_says_that_it_is_a_mean_of_segments(run):
    from tercet.harnesses.lighteval import sample_metric

    found, _, _ = run(SEVERAL, sample_metric("bleu"))
    assert found["tercet_bleu_segment_mean"] == pytest.approx(mean_of_sentences())
    assert 0 < found["tercet_bleu_segment_mean_stderr"] < 0.2


def test_what_it_replaces_gives_references_by_item_to_what_takes_them_by_position():
    from lighteval.metrics.metrics import Metrics
    from lighteval.metrics.sample_preparator import GenerativeCorpusMetricInput

    from tercet.harnesses.lighteval import corpus_metric

    texts = ["one right answer", *(f"a wrong answer {number}" for number in range(99))]
    golds = ["one right answer", *(f"xyz {number}" for number in range(99))]
    items = [GenerativeCorpusMetricInput([gold], [text]) for gold, text in zip(golds, texts, strict=True)]
    (ours,) = corpus_metric("chrf").get_corpus_aggregations().values()
    assert Metrics.chrf.value.get_corpus_aggregations()["chrf"](items) == 100
    assert ours(items)["tercet_chrf"] == pytest.approx(sacrebleu.corpus_chrf(texts, [golds]).score)
