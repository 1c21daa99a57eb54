"""Logs of harnesses as the packages themselves write them, and, for those that few environments have, their shapes.

``python tests/harness_logs.py lighteval FOLDER`` writes those of one package: lm_eval, lighteval, inspect,
deepeval, ragas, mlflow or wandb.
"""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from itertools import product
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

GERMAN = ["Der Hund schläft.", "Die Katze trinkt Milch.", "Es regnet.", "猫が好き"]
ENGLISH = ["The dog is sleeping.", "The cat drinks milk.", "It is raining.", "I like [cats]"]
TARGETS = [[text, text.lower()] for text in ENGLISH]
RUNS = {
    "A": ["The dog is asleep.", "The cat drinks milk.", "It rains.", "I like cats"],
    "B": ["A dog sleeps.", "Cats drink.", "", "Cats? I like them"],
}


def lm_eval(folder, tasks):
    """Run tasks, each a dict of its configuration, with a model for each of RUNS; return the files by run."""
    from lm_eval.api.model import LM
    from lm_eval.api.task import ConfigurableTask
    from lm_eval.evaluator import simple_evaluate
    from lm_eval.loggers import EvaluationTracker
    from lm_eval.tasks import TaskManager

    class Canned(LM):
        def __init__(self, texts):
            super().__init__()
            self.texts = texts

        def generate_until(self, requests, **_):
            return [self.texts[GERMAN.index(each.doc["de"])] for each in requests]

        def loglikelihood(self, requests, **_):
            """Prefer the first of the choices where the text is that of a reference."""
            known = {de for de, en, text in zip(GERMAN, ENGLISH, self.texts, strict=True) if text == en}
            answers = [(each.doc["de"] in known, each.args[1].strip() == "a") for each in requests]
            return [(-1.0 if is_known == is_right else -2.0, is_known) for is_known, is_right in answers]

        def loglikelihood_rolling(self, requests, **_):
            return [-float(len(self.texts[GERMAN.index(each.doc["de"])])) for each in requests]

    data = folder / "data.jsonl"
    rows = [{"de": de, "en": both[0], "both": both} for de, both in zip(GERMAN, TARGETS, strict=True)]
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    dataset = {"data_files": {"test": str(data)}, "cache_dir": str(folder / "cache")}
    common = {
        "dataset_path": "json", "dataset_kwargs": dataset, "test_split": "test", "output_type": "generate_until",
        "doc_to_text": "German: {{de}}\nEnglish:", "doc_to_target": "{{en}}", "metric_list": [{"metric": "bypass"}],
    }  # fmt: skip
    made = [ConfigurableTask(config={**common, **task}) for task in tasks]
    found = {}
    for run, texts in RUNS.items():
        tracker = EvaluationTracker(output_path=str(folder / run))
        results = simple_evaluate(
            Canned(texts), tasks=made, log_samples=True, bootstrap_iters=0, evaluation_tracker=tracker,
            task_manager=TaskManager(include_defaults=False),  # those of the package take seconds to list
        )  # fmt: skip
        samples = results.pop("samples")
        tracker.general_config_tracker.model_name_sanitized = "some__model"
        tracker.save_results_aggregated(results=results, samples=samples)
        for task, own in samples.items():
            tracker.save_results_samples(task_name=task, samples=own)
        found[run] = sorted((folder / run).rglob("samples_*.jsonl"))
    return found


def written_by(package, folder):
    """Write the logs of a package in a process of its own, whose warnings are no errors."""
    subprocess.run([sys.executable, __file__, package, folder], check=True, capture_output=True)


def lighteval(folder):
    """Save the details of a run for each of the texts: of what it wrote, and of choices."""
    from dataclasses import asdict

    from lighteval.logging.evaluation_tracker import EvaluationTracker
    from lighteval.metrics.sample_preparator import LogprobCorpusMetricInput
    from lighteval.models.abstract_model import ModelConfig
    from lighteval.models.model_output import ModelResponse
    from lighteval.tasks.requests import Doc, SamplingMethod

    for run, own in RUNS.items():
        tracker = EvaluationTracker(output_dir=str(folder))
        tracker.general_config_logger.log_model_info(ModelConfig(model_name=f"org/model-{run}"))
        for number, (german, targets, text) in enumerate(zip(GERMAN, TARGETS, own, strict=True)):
            doc = Doc(
                query=german, choices=["wrong", *targets], gold_index=[1, 2], id=str(number),
                task_name="toy:de-en|0", sampling_methods=[SamplingMethod.GENERATIVE],
            )  # fmt: skip
            response = ModelResponse(input=german, text=[text], output_tokens=[[1]])
            tracker.details_logger.details["toy:de-en|0"].append(
                tracker.details_logger.Detail(doc, response, {"bleu": 0.5 + number})
            )
            doc = Doc(
                query=german, choices=["wrong", *targets], gold_index=1, id=str(number), task_name="toy:choice|0",
                sampling_methods=[SamplingMethod.LOGPROBS],
            )  # fmt: skip
            response = ModelResponse(input=german, logprobs=[-1.0, -2.0, -3.0], argmax_logits_eq_gold=[False] * 3)
            pair = LogprobCorpusMetricInput(golds=[1], preds=[0])
            tracker.details_logger.details["toy:choice|0"].append(
                tracker.details_logger.Detail(doc, response, {"acc": int(text in targets), "mcc": asdict(pair)})
            )
        tracker.save()


def lighteval_shape(path, texts, metric=None, **response):
    """Save details as lighteval 0.13.0 does: EvaluationTracker.save, DetailsLogger.Detail, Doc, ModelResponse."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [
        {
            "doc": {
                "query": german, "choices": ["wrong", *targets], "gold_index": [1, 2], "specific": {"lang": "de"},
                "id": str(number), "task_name": "toy:de-en|0", "sampling_methods": ["GENERATIVE"], "num_samples": 1,
            },
            "metric": metric or {"bleu": 0.5 + number},
            "model_response": {
                "input": german, "input_tokens": [1, 2], "text": [text], "output_tokens": [[3]],
                "text_post_processed": None, "logprobs": [], **response,
            },
        }
        for number, (german, targets, text) in enumerate(zip(GERMAN, TARGETS, texts, strict=True))
    ]  # fmt: skip
    pq.write_table(pa.Table.from_pylist(rows), path)
    return path


def inspect(folder, epochs=1):
    """Run a task with a model for each of the texts, and log it in either format."""
    from inspect_ai import Task
    from inspect_ai import eval as evaluate
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ChatMessageSystem, ChatMessageUser, ModelAPI, ModelOutput, ModelUsage, modelapi
    from inspect_ai.scorer import Score, exact, f1, mean, scorer
    from inspect_ai.solver import generate

    @modelapi(name="canned")
    def canned():
        class Canned(ModelAPI):
            async def generate(self, input, tools, tool_choice, config):
                found = ModelOutput.from_content(self.model_name, RUNS[self.model_name][GERMAN.index(input[-1].text)])
                found.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
                return found

        return Canned

    @scorer(metrics={"*": [mean()]})
    def shape():
        async def score(state, target):
            text = state.output.completion
            return Score(value={"words": len(text.split()), "capital": text[:1].isupper()})

        return score

    inputs = [
        GERMAN[0],
        *([ChatMessageSystem(content="Translate."), ChatMessageUser(content=each)] for each in GERMAN[1:]),
    ]
    samples = [Sample(id=number, input=each, target=TARGETS[number]) for number, each in enumerate(inputs)]
    for run, format in product(RUNS, ("eval", "json")):
        task = Task(name="de_en", dataset=samples, solver=generate(), scorer=[exact(), f1(), shape()], epochs=epochs)
        evaluate(task, model=f"canned/{run}", log_dir=str(folder), log_format=format, display="none")


def inspect_shape(path, texts, model="mockllm/model", epochs=1, **sample):
    """Save a log as inspect-ai 0.3.285 does (_recorders/eval.py, EvalSample), but not in Zstandard."""
    spec = {"eval": {"task": "de_en", "model": model}, "status": "success"}
    samples = [
        {
            "id": number, "epoch": epoch, "target": TARGETS[number],
            "input": [{"role": "system", "content": "Translate."}, {"role": "user", "content": GERMAN[number]}],
            "output": {"completion": text, "choices": [{"message": {"content": text}}]},
            "metadata": {"level": "easy"},
            **sample,
        }
        for epoch in range(1, epochs + 1)
        for number, text in enumerate(texts)
    ]  # fmt: skip
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".json":
        path.write_text(json.dumps({**spec, "samples": samples}))
        return path
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for each in reversed(samples):  # in the order in which they were ready
            archive.writestr(f"samples/{each['id']}_epoch_{each['epoch']}.json", json.dumps(each))
        archive.writestr("summaries.json", "[]")
        archive.writestr("header.json", json.dumps(spec))
    return path


def deepeval(folder):
    """Evaluate test cases of each of the texts: by a metric, by one that fails, by one of which lower is better."""
    os.environ |= {"DEEPEVAL_TELEMETRY_OPT_OUT": "1", "DEEPEVAL_DISABLE_DOTENV": "1"}
    os.chdir(folder)
    from deepeval import evaluate
    from deepeval.evaluate.configs import AsyncConfig, CacheConfig, DisplayConfig, ErrorConfig
    from deepeval.metrics import BaseMetric
    from deepeval.test_case import LLMTestCase

    class Exact(BaseMetric):
        name, threshold, async_mode = "Exact", 0.5, False

        def measure(self, case, *_, **__):
            self.score = float(case.actual_output == case.expected_output)
            self.success = self.score >= self.threshold
            return self.score

        async def a_measure(self, case, *_, **__):
            return self.measure(case)

        def is_successful(self):
            return self.success

        @property
        def __name__(self):
            return self.name

    class Failing(Exact):
        name = "Failing"

        def measure(self, case, *_, **__):
            if case.input == GERMAN[0]:
                raise ValueError("no judge")
            return super().measure(case)

    class Length(Exact):
        name, threshold = "Length", 18

        def measure(self, case, *_, **__):
            self.score = len(case.actual_output)
            self.success = self.score <= self.threshold
            return self.score

    for run, texts in RUNS.items():
        triples = zip(GERMAN, texts, ENGLISH, strict=True)
        cases = [LLMTestCase(input=de, actual_output=text, expected_output=en) for de, text, en in triples]
        evaluate(
            cases, [Exact(), Failing(), Length()], async_config=AsyncConfig(run_async=False),
            error_config=ErrorConfig(ignore_errors=True), cache_config=CacheConfig(write_cache=False),
            display_config=DisplayConfig(show_indicator=False, print_results=False, results_folder=run),
        )  # fmt: skip


def deepeval_shape(path, texts, metrics=None, **run):
    """Save a run as deepeval 4.3.1 does (TestRun, LLMApiTestCase); `metrics` are those of each test case."""
    path.parent.mkdir(parents=True, exist_ok=True)
    cases = [
        {
            "name": f"test_case_{number}", "input": german, "actualOutput": text, "expectedOutput": english,
            "flaky": False, "success": False, "runDuration": 0.1, "order": number, "metadata": {"level": "easy"},
            "metricsData": (metrics or [[
                {"name": "Exact", "threshold": 0.5, "success": text == english, "score": float(text == english)},
            ]] * 4)[number],
        }
        for number, (german, english, text) in enumerate(zip(GERMAN, ENGLISH, texts, strict=True))
    ]  # fmt: skip
    cases = [{name: value for name, value in case.items() if value is not None} for case in cases]
    path.write_text(json.dumps({"testCases": cases, "conversationalTestCases": [], "testPassed": 0, **run}))
    return path


def ragas(folder):
    """Evaluate a data set with each of the texts, and save its results as pandas does."""
    os.environ |= {"RAGAS_DO_NOT_TRACK": "true", "OPENAI_API_KEY": "none"}
    from ragas import EvaluationDataset, evaluate
    from ragas.metrics import ExactMatch, NonLLMStringSimilarity

    for run, texts in RUNS.items():
        rows = [
            {"user_input": de, "retrieved_contexts": [de, 'a "b"'], "response": text, "reference": en}
            for de, text, en in zip(GERMAN, texts, ENGLISH, strict=True)
        ]
        metrics = [ExactMatch(), NonLLMStringSimilarity()]
        frame = evaluate(EvaluationDataset.from_list(rows), metrics=metrics, show_progress=False).to_pandas()
        frame.to_csv(folder / f"{run}.csv")
        frame.to_csv(folder / f"{run}.tsv", sep="\t", index=False)
        frame.to_json(folder / f"{run}.jsonl", orient="records", lines=True)
        frame.to_parquet(folder / f"{run}.parquet")


def ragas_shape(path, texts, **scores):
    """Save results as pandas does those of ragas 0.4.3, a JSON object per line; `scores` has columns of numbers."""
    path.parent.mkdir(parents=True, exist_ok=True)
    scores = scores or {"exact_match": [float(text == en) for text, en in zip(texts, ENGLISH, strict=True)]}
    rows = [
        {"user_input": de, "retrieved_contexts": [de, 'a "b"'], "response": text, "reference": en}
        | {name: column[number] for name, column in scores.items()}
        for number, (de, text, en) in enumerate(zip(GERMAN, texts, ENGLISH, strict=True))
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def mlflow(folder):
    """Evaluate each of the texts by both of MLflow's functions, the table of the second as pandas saves it."""
    os.environ |= {"MLFLOW_DISABLE_TELEMETRY": "true", "MLFLOW_ALLOW_FILE_STORE": "true"}
    os.environ["MLFLOW_TRACKING_URI"] = (folder / "mlruns").absolute().as_uri()
    import mlflow as package
    import pandas as pd
    from mlflow.genai.scorers import scorer
    from mlflow.metrics import MetricValue, make_metric

    def values(predictions, targets):
        equal = [float(text == en) for text, en in zip(predictions, targets, strict=True)]
        return MetricValue(equal, ["why"] * len(equal))

    @scorer
    def exact(outputs, expectations):
        return outputs == expectations["expected_response"]

    for run, texts in RUNS.items():
        data = pd.DataFrame({"inputs": GERMAN, "outputs": texts, "ground_truth": ENGLISH})
        with package.start_run() as active:
            package.models.evaluate(
                data=data, predictions="outputs", targets="ground_truth", evaluators="default",
                extra_metrics=[make_metric(eval_fn=values, greater_is_better=True, name="exact", version="v1")],
            )  # fmt: skip
        (written,) = (folder / "mlruns").rglob(f"{active.info.run_id}/artifacts/eval_results_table.json")
        (folder / run).mkdir()
        shutil.copy(written, folder / run)
        rows = [
            {"inputs": {"de": de}, "outputs": text, "expectations": {"expected_response": en}}
            for de, text, en in zip(GERMAN, texts, ENGLISH, strict=True)
        ]
        frame = package.genai.evaluate(data=rows, scorers=[exact]).result_df
        frame.to_json(folder / f"{run}.jsonl", orient="records", lines=True)
        frame.to_csv(folder / f"{run}.csv", index=False)


def mlflow_shape(path, texts, **columns):
    """Save a table as MLflow 3.17.2 does (JsonEvaluationArtifact); `columns` are further ones, or others."""
    path.parent.mkdir(parents=True, exist_ok=True)
    table = {"inputs": GERMAN, "outputs": texts, "ground_truth": ENGLISH}
    table["exact/v1/score"] = [float(text == english) for text, english in zip(texts, ENGLISH, strict=True)]
    table = {name: column for name, column in {**table, **columns}.items() if column is not None}
    rows = [list(row) for row in zip(*table.values(), strict=True)]
    path.write_text(json.dumps({"columns": list(table), "data": rows}))
    return path


def promptfoo_shape(path, texts=RUNS, **parts):
    """Save an evaluation as promptfoo 0.121.20 does; `texts` are by provider, `parts` those of each result."""
    results = []
    for index, (provider, outputs) in enumerate(texts.items()):
        for number, (german, english, text) in enumerate(zip(GERMAN, ENGLISH, outputs, strict=True)):
            variables = {"de": german, "reference": english}
            score = float(text == english)
            equals = {"type": "equals", "value": "{{reference}}", "metric": "exact"}
            contains = {"type": "icontains", "value": "dog"}
            results.append({
                "cost": 0, "id": f"{provider}-{number}", "latencyMs": 3, "namedScores": {"exact": score},
                "gradingResult": {"pass": bool(score), "score": score, "reason": "", "componentResults": [
                    {"pass": bool(score), "score": score, "reason": "", "assertion": equals},
                    {"pass": True, "score": 1, "reason": "", "assertion": contains},
                ]},
                "prompt": {"raw": f"Translate: {german}", "label": "Translate: {{de}}", "config": {}},
                "promptId": "a1", "promptIdx": index, "provider": {"id": f"echo:{provider}", "label": provider},
                "response": {"output": text, "tokenUsage": {"total": 3}}, "score": (score + 1) / 2,
                "success": bool(score), "testCase": {"vars": variables, "assert": [equals, contains], "options": {}},
                "testIdx": number, "vars": variables, "failureReason": int(not score), **parts,
            })  # fmt: skip
    evaluation = {"version": 3, "timestamp": "2026-11-27T09:23:04.307Z", "prompts": [], "results": results[::-1]}
    content = {"evalId": "eval-a", "results": evaluation, "config": {"description": "de-en"}, "shareableUrl": None}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=2))
    return path


def opencompass_shape(path, texts, golds=ENGLISH, **parts):
    """Save predictions as OpenCompass 0.5.4 does (GenInferencer, GenInferencerOutputHandler.save_results)."""
    prompts = [[{"role": "HUMAN", "prompt": f"Translate: {german}"}] for german in GERMAN]
    samples = {
        str(number): {"origin_prompt": prompt, "prediction": text, "gold": gold, **parts}
        for number, (prompt, text, gold) in enumerate(zip(prompts, texts, golds, strict=True))
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(samples, indent=4, ensure_ascii=False))
    return path


def wandb(folder):
    """Log a table of each of the texts, in a run that is offline."""
    import wandb as package

    os.environ |= {"WANDB_SILENT": "true", "WANDB_ERROR_REPORTING": "false"}
    for run, texts in RUNS.items():
        with package.init(mode="offline", project="test", dir=folder) as active:
            exact = [float(text == english) for text, english in zip(texts, ENGLISH, strict=True)]
            rows = [list(row) for row in zip(GERMAN, texts, ENGLISH, exact, strict=True)]
            active.log({run: package.Table(columns=["input", run, "reference", "exact"], data=rows)})


def wandb_shape(path, run, texts):
    """Save a table as W&B 0.31.0 does (Table.to_json)."""
    exact = [float(text == english) for text, english in zip(texts, ENGLISH, strict=True)]
    rows = [list(row) for row in zip(GERMAN, texts, ENGLISH, exact, strict=True)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"columns": ["input", run, "reference", "exact"], "data": rows}))
    return path


if __name__ == "__main__":
    write = {
        "lm_eval": lambda folder: lm_eval(folder, [{"task": "toy"}]), "lighteval": lighteval, "inspect": inspect,
        "inspect_twice": lambda folder: inspect(folder, epochs=2), "deepeval": deepeval, "ragas": ragas,
        "mlflow": mlflow, "wandb": wandb,
    }  # fmt: skip
    target = Path(sys.argv[2])
    target.mkdir(parents=True, exist_ok=True)
    write[sys.argv[1]](target)
