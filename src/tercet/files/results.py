"""Results of deepeval, ragas, MLflow, OpenCompass, COMET, W&B, and logs in JSON -> a row per sample."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from tercet.errors import InputError, first_line, shorten
from tercet.markup import joined

from .comet import comet_log
from .harness_logs import (
    DAMAGED,
    archived_parts,
    inspect_log,
    is_number,
    numbers_of_scores,
    parts_of,
    score_of,
    value_of,
)
from .json_tables import table_in, written
from .log_names import run_of
from .mt_bench import judgments_log
from .numbers import read_score
from .promptfoo import COLUMNS_OF_PROMPTFOO, is_of_promptfoo, promptfoo_log
from .promptfoo_tables import results_in
from .read import unpacked
from .roles import clear_role, guess_roles, role_of
from .score_columns import BETWEEN_GRADES, begun_by
from .table import Log, RaggedRows, Roles, Table
from .text import LIMITS, Limits

#: Keys of an object that a message names.
_MOST_KEYS = 5
#: In messages, what a file of JSON may be.
EXPECTED = "a table, a log of inspect-ai or results of a harness"


def read_results(data: bytearray, name: str, limits: Limits = LIMITS) -> Table:
    """Read a log of inspect-ai, an archive of JSON (.eval) or an object (.json), or results, or a table in JSON."""
    content: Any = {}
    try:
        if data.startswith(b"PK"):
            spec, samples = archived_parts(data, name, limits.unpacking(len(data)))
        else:
            limits.check_json([data], name)
            content = json.loads(data)
            table = _results_in_object(content, name)
            if table is None and not (isinstance(content, dict) and "eval" in content):
                table = table_in(data, name)
            if table is not None:
                return table
            spec, samples = parts_of(content)
    except InputError:
        raise
    except DAMAGED as error:
        # Behind an object may be more: lines of JSON.
        if isinstance(error, json.JSONDecodeError) and error.msg != "Extra data" and ".json" in name.lower():
            location = f"{name}, line {error.lineno}"
            raise InputError(
                f"{location}: not JSON ({error.msg}, column {error.colno}); expected {EXPECTED}."
            ) from None
        reason = first_line(error)
        if not isinstance(content, dict):
            reason = f"found {shorten(content)}"
        elif content and "eval" not in content:
            reason = f"found an object of {joined([*map(shorten, content)], _MOST_KEYS)}"
        nor = ""
        # An archive is no table.
        if ".eval" not in name.lower():
            nor = ', nor a table, such as an array of objects [{"prediction": "text", "reference": "text"}]'
        raise InputError(f"{name} is not a log of inspect-ai with samples{nor}: {reason}.") from None
    return inspect_log(spec, samples, name)


# Results of deepeval (.json), of ragas (a table) and of MLflow (.json or a table) -> a table with a row per sample.

#: A column of scores in MLflow's tables, of its first and its newer evaluation, in front of which is the metric.
_OF_MLFLOW = re.compile(r"(.+?)(/v\d+)?/(?:score|value)")
#: What only tables of MLflow have beside those.
_JUSTIFICATION, _TRACE = "/justification", "trace_id"
#: Columns that MLflow gives a name, in the order in which they are looked for.
_OUTPUTS = ("response", "outputs", "output", "predictions", "prediction")
#: In its newer tables, expectations have columns as scores do.
_EXPECTATIONS = ("expected_", "guidelines")
#: The input, the output and the reference in ragas, and in its versions before 0.2; and its other columns.
_OF_RAGAS = (("user_input", "response", "reference"), ("question", "answer", "ground_truth"))
_FIELDS_OF_RAGAS = frozenset({
    "retrieved_contexts", "reference_contexts", "retrieved_context_ids", "reference_context_ids", "multi_responses",
    "rubrics", "rubric", "reference_tool_calls", "persona_name", "query_style", "query_length", "synthesizer_name",
    "contexts", "ground_truths",
})  # fmt: skip
#: Columns that count rows, also as pandas and tercet call those without a name.
_INDEX = re.compile(r"column \d+|unnamed: \d+|__index_level_0__|index|row|(.+[_ ])?ids?", re.IGNORECASE)
#: Metrics of these programs of which lower scores are better, though their names do not say it of any score.
_LOWER = ("noise_sensitivity", "ari_grade_level", "flesch_kincaid_grade_level")


def results_log(table: Table) -> Log | None:
    """Return the results of ragas, MLflow, promptfoo or MT-Bench in a table, by its columns; None for others."""
    log = judgments_log(table)
    if table.columns.keys() >= COLUMNS_OF_PROMPTFOO:
        results = [
            dict(zip(table.columns, cells, strict=True)) for cells in zip(*table.columns.values(), strict=True)
        ]
        return promptfoo_log(results, table.name, None)
    results = results_in(table)
    if results:
        return promptfoo_log(results, table.name, None)
    if any(column.endswith(_JUSTIFICATION) for column in table.columns) or _TRACE in table.columns:
        log = _mlflow_log(table)
    for columns in _OF_RAGAS:
        log = log or _ragas_log(table, *columns)
    return log


def _results_in_object(content: Any, name: str) -> Table | None:
    """Return the results in the object of a file, or the table of W&B; None for others."""
    if not isinstance(content, dict):
        return None
    run = content.get("testRunData", content)
    # As the program saves a run, and as what its function returns is saved.
    for cases in ("testCases", "test_results"):
        if isinstance(run, dict) and isinstance(run.get(cases), list):
            return _deepeval_log(run, run[cases], name)
    log = comet_log(content, name)
    if log is not None:
        return log
    evaluation = content.get("results")
    results = evaluation.get("results") if isinstance(evaluation, dict) else evaluation
    if isinstance(results, list) and any(map(is_of_promptfoo, results)):
        config = content.get("config")
        description = config.get("description") if isinstance(config, dict) else None
        return promptfoo_log(results, name, description)
    by_number = all(key.isascii() and key.isdecimal() for key in content)
    if by_number and any(map(_is_prediction, content.values())) and not any(map(_has_reference, content.values())):
        return _opencompass_log(content, name)
    columns = content.get("columns")
    rows = content.get("data")
    if isinstance(columns, list) and isinstance(rows, list) and all(isinstance(row, list) for row in rows):
        return _table_of(columns, rows, name)
    return None


def _has_reference(row: Any) -> bool:
    """Return whether a row has references under another name than OpenCompass gives them."""
    return isinstance(row, dict) and any(clear_role(name) == "reference" and name != "gold" for name in row)


def _table_of(columns: list[Any], rows: list[list[Any]], name: str) -> Table:
    """Return the results of MLflow, or else the table, that an object holds by rows."""
    repeated = [column for column, times in Counter(map(str, columns)).items() if times > 1]
    if repeated:
        raise InputError(f"{name}: the column {shorten(repeated[0])} appears twice; expected distinct names.")
    gathered = RaggedRows(name, "row")
    for number, row in enumerate(rows, 1):
        if len(row) != len(columns):
            expected = f"{len(columns)} cells, as there are columns"
            raise InputError(f"{name}, row {number:,}: expected {expected}, found {len(row)}.")
        gathered.add(number, dict(zip(map(str, columns), row, strict=True)))
    table = gathered.table("rows of results")
    log = _mlflow_log(table)
    if log is not None:
        return log
    texts = {column: cells for column, cells in table.columns.items() if not any(map(_stands_for_file, cells))}
    return replace(table, columns={column: [*map(_wandb_cell, cells)] for column, cells in texts.items()})


def _stands_for_file(value: Any) -> bool:
    """Return whether a cell of W&B stands for an image or the like."""
    return isinstance(value, dict) and "_type" in value


def _wandb_cell(value: Any) -> Any:
    """Return what a cell of W&B holds; None where it is missing."""
    return None if isinstance(value, float) and math.isnan(value) else value


def _deepeval_log(run: dict[str, Any], cases: list[Any], name: str) -> Log:
    """Return the test cases of a run of deepeval; of a metric without any score, which ones passed."""
    if not cases and (run.get("conversationalTestCases") or ()):
        raise InputError(f"{name} has test cases that are conversations; expected some with an input and an output.")
    rows = RaggedRows(name)
    metrics: list[dict[str, dict[str, Any]]] = []
    for number, case in enumerate(cases, 1):
        if not isinstance(case, dict):
            raise InputError(f"{name}: expected an object as test case {number:,}, got {shorten(case)}.")
        fields = {re.sub("(?=[A-Z])", "_", key).lower(): value for key, value in case.items()}
        rows.add(number, _cells_of_case(fields))
        metrics.append(_metrics_of(fields.get("metrics_data")))
    table = rows.table("test cases")
    values: dict[str, list[Any]] = {}
    higher_is_better = {}
    for metric in dict.fromkeys(metric for of_case in metrics for metric in of_case):
        results = [of_case.get(metric, {}) for of_case in metrics]
        scores = [result.get("score") for result in results]
        if all(score is None for score in scores):
            # Another name, as a run with scores is not to be compared with it.
            values[f"{metric} success"] = [_passed(result) for result in results]
            continue
        values[metric] = scores
        is_better = _is_higher_better(results)
        if is_better is not None:
            higher_is_better[metric] = is_better
    test_file = Path(str(run.get("testFile") or "")).stem
    return _results_of(
        "deepeval",
        table,
        Roles("input", ("expected_output",), ("actual_output",)),
        values,
        task=str(run.get("datasetAlias") or test_file),
        run=str(run.get("identifier") or ""),
        higher_is_better=higher_is_better,
    )


def _cells_of_case(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the texts of a test case of deepeval, and its metadata."""
    cells = {text: fields.get(text) for text in ("input", "expected_output", "actual_output")}
    metadata = fields.get("metadata") or fields.get("additional_metadata")
    if isinstance(metadata, dict):
        for key, value in metadata.items():
            cells[f"metadata.{key}"] = value
    return cells


def _passed(result: Mapping[str, Any]) -> Any:
    """Return whether a test case passed, as the file says it; None where the metric failed."""
    if result.get("error"):
        return None
    return result.get("success")


def _is_higher_better(results: Sequence[Mapping[str, Any]]) -> bool | None:
    """Return whether higher scores of a metric are better: a test passes on the better side of its threshold.

    None where no test case tells, or where some say yes and others no.
    """
    answers = set()
    for result in results:
        has_numbers = all(is_number(result.get(key)) for key in ("score", "threshold", "success"))
        if not has_numbers or result.get("error") or result["score"] == result["threshold"]:
            continue
        is_above = result["score"] > result["threshold"]
        answers.add(result["success"] == is_above)
    return answers.pop() if len(answers) == 1 else None


def _metrics_of(metrics: Any) -> dict[str, dict[str, Any]]:
    """Return the results of a test case by metric; of several metrics of one name, the second has a number."""
    by_name: dict[str, dict[str, Any]] = {}
    for metric in metrics if isinstance(metrics, list) else ():
        if isinstance(metric, dict):
            name = str(metric.get("name"))
            times = 1
            while name in by_name:
                times += 1
                name = f"{metric.get('name')} {times}"
            by_name[name] = metric
    return by_name


def _ragas_log(table: Table, source: str, output: str, reference: str) -> Log | None:
    """Return a table of ragas with scores; None for one without, and for one with texts of other systems."""
    if not {source, output} <= table.columns.keys() or (source == "question" and "contexts" not in table.columns):
        return None
    values = {}
    fields = {source, output, reference} | _FIELDS_OF_RAGAS
    for column, cells in table.columns.items():
        role = role_of(column)
        if column in fields or role == "source":
            continue
        numbers = [_score_cell(cell) for cell in cells]
        present = [number for number in numbers if number is not None]
        if present and all(map(is_number, present)):
            # "response.fluency" are grades, of which a table is read otherwise.
            if begun_by(column, [output], BETWEEN_GRADES):
                return None
            if not _INDEX.fullmatch(column):
                values[column] = numbers
            continue
        has_objects = any(isinstance(cell, dict) for cell in cells)
        has_texts = any(isinstance(cell, str) and cell for cell in cells)
        if has_objects or (role == "system" and has_texts):
            return None
    if not values:
        return None
    references = tuple(column for column in (reference, f"{reference}s") if column in table.columns)
    return _results_of("ragas", table, Roles(source, references, (output,)), values)


def _mlflow_log(table: Table) -> Log | None:
    """Return the scores of an evaluation by MLflow, and the texts beside them; None where there are no scores."""
    matches = {column: match for column in table.columns if (match := _OF_MLFLOW.fullmatch(column))}
    expectations = [column for column in matches if column.startswith(_EXPECTATIONS)]
    columns = {column: match[1] for column, match in matches.items() if column not in expectations}
    if not columns:
        return None
    times = Counter(columns.values())
    values = {}
    for column, metric in columns.items():
        name = metric
        if times[metric] > 1:
            # Of two versions of a metric, each keeps its version.
            name += matches[column][2] or ""
        values[name] = [_score_cell(cell) for cell in table.columns[column]]
    if _TRACE in table.columns:
        references = tuple(column for column in expectations if column.startswith("expected_response"))
        return _results_of("MLflow", table, Roles("request", references, ("response",)), values)
    texts = {column: cells for column, cells in table.columns.items() if "/" not in column}
    guess = guess_roles(Table(table.name, texts, table.lines))
    systems = [column for column in _OUTPUTS if column in texts]
    systems += [*filter(lambda column: clear_role(column) == "system", guess.systems), *guess.systems]
    references = tuple(column for column in texts if role_of(column) == "reference")
    source = next((column for column in ("inputs", guess.source) if column in texts), None)
    return _results_of("MLflow", table, Roles(source, references, tuple(systems[:1] or ["outputs"])), values)


def _results_of(
    harness: str,
    table: Table,
    roles: Roles,
    values: Mapping[str, list[Any]],
    *,
    task: str = "",
    run: str = "",
    higher_is_better: Mapping[str, bool] | None = None,
) -> Log:
    """Return the results of a run, which is called as its file where they do not name it.

    Samples have no ids: they are the same where their inputs are, and the references of these.
    """
    (output,) = roles.systems
    missing = [None] * len(table.lines)
    columns = dict(table.columns)
    columns[output] = ["" if cell is None else written(cell) for cell in table.columns.get(output, missing)]
    references = []
    for column in roles.references:
        cells = table.columns.get(column, [])
        if any(cell not in (None, "", []) for cell in cells):
            references.append(column)
            columns[column] = [cell if isinstance(cell, list | None) else written(cell) for cell in cells]
    inputs = table.columns.get(roles.source or "", missing)
    key = _key_of(inputs, [columns[column] for column in references])
    directions = {metric: False for metric in values if metric.startswith(_LOWER)}
    directions |= higher_is_better or {}
    return Log(
        table.name,
        columns | key,
        table.lines,
        harness=harness,
        task=task or harness,
        run=run or run_of(table.name),
        key=tuple(key),
        roles=Roles(roles.source if any(inputs) else None, tuple(references), roles.systems),
        scores=tuple(values),
        numbers=numbers_of_scores({metric: {output: cells} for metric, cells in values.items()}, table.name),
        higher_is_better=directions,
        no_texts="" if any(columns[output]) else f"{table.name} has no texts in {output!r}",
    )


def _key_of(inputs: Sequence[Any], references: Sequence[Sequence[Any]]) -> dict[str, list[str]]:
    """Return columns that tell samples apart; without inputs, samples are told apart by their rows."""
    texts = ["" if cell is None else written(cell) for cell in inputs]
    golds = [str([column[row] for column in references]) for row in range(len(texts))]
    if len(set(zip(texts, golds, strict=True))) > len(set(texts)):
        # One input with several references, such as a prompt that all samples share.
        texts = [f"{text} {gold}" for text, gold in zip(texts, golds, strict=True)]
    if not any(inputs) or (len(set(texts)) == 1 and len(texts) > 1):
        return {"row": [str(number) for number in range(1, len(texts) + 1)]}
    repeats: Counter[str] = Counter()
    numbers = []
    for text in texts:
        repeats[text] += 1
        numbers.append(str(repeats[text]))
    return {"input text": texts, "repeat": numbers}


def _score_cell(cell: Any) -> Any:
    """Return a number that a cell is, or is written in it; None where it is missing."""
    if isinstance(cell, str):
        with suppress(InputError):
            return score_of(read_score(cell, "a score"))
    return score_of(value_of(cell))


# The predictions of OpenCompass (predictions/<model>/<dataset>.json) -> a table with a row per sample.

_OPENCOMPASS, _PROMPT, _PREDICTION, _GOLD = "OpenCompass", "origin_prompt", "prediction", "gold"
#: The name of a file with a part of a data set, in ASCII digits.
_PART = re.compile(r"(.+)_(0|[1-9][0-9]{0,5})")


def _is_prediction(sample: Any) -> bool:
    return isinstance(sample, dict) and _PREDICTION in sample


def _opencompass_log(samples: Mapping[str, Any], name: str) -> Log:
    """Return the predictions of the model that the folder names; several sequences for a sample are its repeats."""
    rows = RaggedRows(name)
    no_texts = ""
    for index in sorted(samples, key=int):
        sample = samples[index]
        location = f"{name}, sample {shorten(index)}"
        if not _is_prediction(sample):
            raise InputError(f"{location}: expected an object with a prediction, got {shorten(sample)}.")
        prediction = sample[_PREDICTION]
        prompt = sample.get(_PROMPT)
        if "choices" in sample or any(part.startswith("label: ") for part in sample):
            if not no_texts:
                no_texts = f"{location}: the prediction is a choice by likelihood, not a text that a model wrote"
        elif isinstance(prediction, list) and (prompt is None or _are_turns(prompt)):
            raise InputError(f"{location}: the predictions are turns of a conversation; expected an answer.")
        cells = {
            "index": index,
            _PROMPT: _text_of_last_message(prompt),
            _PREDICTION: "" if no_texts else _text_or_repeats(prediction),
            _GOLD: [written(text) for text in _as_list(sample.get(_GOLD)) if text is not None],
        }
        rows.add(int(index) + 1, cells)
    table = rows.table("predictions")
    references = (_GOLD,) if any(table.columns[_GOLD]) else ()
    return Log(
        name,
        table.columns,
        table.lines,
        harness=_OPENCOMPASS,
        task=Path(unpacked(name)).stem,
        run="",
        key=("index",),
        roles=Roles(_PROMPT, references, (_PREDICTION,)),
        no_texts=no_texts,
    )


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _text_or_repeats(prediction: Any) -> str | list[str]:
    """Return the text of a prediction, or those of several sequences; "" where there is none."""
    texts = ["" if text is None else written(text) for text in _as_list(prediction)]
    if len(texts) > 1:
        return texts
    return texts[0] if texts else ""


def joined_parts(logs: Sequence[Log]) -> list[Log]:
    """Return the logs, with one for all parts into which OpenCompass split a data set, <dataset>_0.json and so on."""
    parts: dict[tuple[Path, str], dict[int, Log]] = {}
    for log in logs:
        match = _PART.fullmatch(log.task) if log.harness == _OPENCOMPASS else None
        if match:
            parts.setdefault((Path(log.name).parent, match[1]), {})[int(match[2])] = log
    whole: dict[str, Log | None] = {}
    for (folder, task), numbered in parts.items():
        if len(numbered) > 1 and sorted(numbered) == list(range(len(numbered))):
            in_order = [numbered[number] for number in sorted(numbered)]
            whole |= dict.fromkeys(part.name for part in in_order)
            whole[in_order[0].name] = _whole(in_order, str(folder / f"{task}.json"), task)
    with_whole = [whole.get(log.name, log) for log in logs]
    return [log for log in with_whole if log is not None]


def _whole(parts: Sequence[Log], name: str, task: str) -> Log:
    """Return the predictions of all parts, with indices that go on from one to the next."""
    columns = {column: [cell for part in parts for cell in part.columns[column]] for column in parts[0].columns}
    lines = [*range(1, sum(len(part.lines) for part in parts) + 1)]
    columns["index"] = [str(line - 1) for line in lines]
    roles = replace(parts[0].roles, references=(_GOLD,) if any(columns[_GOLD]) else ())
    no_texts = next((part.no_texts for part in parts if part.no_texts), "")
    return replace(parts[0], name=name, task=task, columns=columns, lines=lines, roles=roles, no_texts=no_texts)


def _are_turns(prompt: Any) -> bool:
    """Return whether a prompt has a list of messages for each turn of a conversation."""
    return isinstance(prompt, list) and any(isinstance(turn, list) for turn in prompt)


def _text_of_last_message(prompt: Any) -> str | None:
    """Return a prompt, or the text of the last message."""
    if isinstance(prompt, list) and prompt and isinstance(prompt[-1], dict):
        prompt = prompt[-1].get("prompt", prompt[-1].get("content"))
    return prompt if isinstance(prompt, str) else None
