"""Results of deepeval, ragas, MLflow, OpenCompass, COMET, W&B, and logs in JSON -> a row per sample."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from tercet.errors import InputError, first_line, shorten
from tercet.names_as_shown import joined

from .comet import comet_log
from .inspect_logs import archived_parts, inspect_log, number_of_grade, parts_of
from .json_tables import table_in, written
from .json_values import as_list, field_of
from .log_names import run_of
from .log_scores import DAMAGED, is_number, numbers_of_scores, score_of, without_nan
from .mt_bench import judgments_log
from .numbers import read_score
from .promptfoo import COLUMNS_OF_PROMPTFOO, is_of_promptfoo, promptfoo_log
from .promptfoo_tables import results_in
from .read import unpacked
from .roles import clear_role, guess_roles, role_of
from .score_columns import BETWEEN_GRADES, begun_by
from .table import Log, RaggedRows, Roles, Table, check_distinct
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
        raise _unreadable(error, content, name) from None
    return inspect_log(spec, samples, name)


def _unreadable(error: Exception, content: Any, name: str) -> InputError:
    """Return what is said of a file that is neither a log nor a table, with the JSON that it has; {} for none."""
    # Behind an object may be more: lines of JSON.
    if isinstance(error, json.JSONDecodeError) and error.msg != "Extra data" and ".json" in name.lower():
        location = f"{name}, line {error.lineno}"
        return InputError(f"{location}: not JSON ({error.msg}, column {error.colno}); expected {EXPECTED}.")
    reason = first_line(error)
    if not isinstance(content, dict):
        reason = f"found {shorten(content)}"
    elif content and "eval" not in content:
        reason = f"found an object of {joined(list(map(shorten, content)), _MOST_KEYS)}"
    nor = ""
    # An archive is no table.
    if ".eval" not in name.lower():
        nor = ', nor a table, such as an array of objects [{"prediction": "text", "reference": "text"}]'
    return InputError(f"{name} is not a log of inspect-ai with samples{nor}: {reason}.")


# Results of deepeval (.json), of ragas (a table) and of MLflow (.json or a table) -> a table with a row per sample.

#: A column of scores in MLflow's tables, of its first and its newer evaluation, in front of which is the metric.
_OF_MLFLOW = re.compile(r"(.+?)(/v\d+)?/(?:score|value)")
#: What only tables of MLflow have beside those.
_JUSTIFICATION = "/justification"
_TRACE = "trace_id"
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
        rows = zip(*table.columns.values(), strict=True)
        results = [dict(zip(table.columns, cells, strict=True)) for cells in rows]
    else:
        results = results_in(table)
    if results:
        return promptfoo_log(results, table.name, None)
    if _TRACE in table.columns or any(column.endswith(_JUSTIFICATION) for column in table.columns):
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
    for key in ("testCases", "test_results"):
        cases = field_of(run, key)
        if isinstance(cases, list):
            return _deepeval_log(run, cases, name)
    log = comet_log(content, name)
    if log is not None:
        return log
    results = content.get("results")
    if isinstance(results, dict):
        results = results.get("results")
    if isinstance(results, list) and any(map(is_of_promptfoo, results)):
        return promptfoo_log(results, name, field_of(content.get("config"), "description"))
    samples = content.values()
    are_numbered = all(key.isascii() and key.isdecimal() for key in content)
    if are_numbered and any(map(_is_prediction, samples)) and not any(map(_has_reference, samples)):
        return _opencompass_log(content, name)
    columns = content.get("columns")
    rows = content.get("data")
    if isinstance(columns, list) and isinstance(rows, list) and all(isinstance(row, list) for row in rows):
        return _table_of(columns, rows, name)
    return None


def _has_reference(row: Any) -> bool:
    """Return whether a row has references under another name than OpenCompass gives them."""
    if not isinstance(row, dict):
        return False
    return any(clear_role(name) == "reference" for name in row if name != _GOLD)


def _table_of(columns: list[Any], rows: list[list[Any]], name: str) -> Table:
    """Return the results of MLflow, or else the table, that an object holds by rows."""
    names = [str(column) for column in columns]
    check_distinct(names, name)
    gathered = RaggedRows(name, "row")
    for number, row in enumerate(rows, 1):
        if len(row) != len(names):
            expected = f"{len(names)} cells, as there are columns"
            raise InputError(f"{name}, row {number:,}: expected {expected}, found {len(row)}.")
        gathered.add(number, dict(zip(names, row, strict=True)))
    table = gathered.table("rows of results")
    log = _mlflow_log(table)
    if log is not None:
        return log
    texts = {}
    for column, cells in table.columns.items():
        if not any(map(_stands_for_file, cells)):
            # W&B writes NaN for a missing cell.
            texts[column] = list(map(without_nan, cells))
    return replace(table, columns=texts)


def _stands_for_file(value: Any) -> bool:
    """Return whether a cell of W&B stands for an image or the like."""
    return isinstance(value, dict) and "_type" in value


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
    for metric in dict.fromkeys(chain.from_iterable(metrics)):
        results = [of_case.get(metric, {}) for of_case in metrics]
        scores = [result.get("score") for result in results]
        if all(score is None for score in scores):
            # Another name, as a run with scores is not to be compared with it.
            values[f"{metric} success"] = [_verdict_of_case(result) for result in results]
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


def _verdict_of_case(result: Mapping[str, Any]) -> Any:
    """Return whether a test case passed, as the file says it; None where the metric failed."""
    if result.get("error"):
        return None
    return result.get("success")


def _is_higher_better(results: Sequence[Mapping[str, Any]]) -> bool | None:
    """Return whether higher scores of a metric are better: a test passes on the better side of its threshold.

    None where no test case tells, or where some say yes and others no.
    """
    answers: set[bool] = set()
    for result in results:
        has_numbers = all(is_number(result.get(key)) for key in ("score", "threshold", "success"))
        if not has_numbers or result.get("error") or result["score"] == result["threshold"]:
            continue
        is_above = result["score"] > result["threshold"]
        answers.add(result["success"] == is_above)
    if len(answers) != 1:
        return None
    return answers.pop()


def _metrics_of(metrics: Any) -> dict[str, dict[str, Any]]:
    """Return the results of a test case by metric; of several metrics of one name, the second has a number."""
    if not isinstance(metrics, list):
        return {}
    by_name: dict[str, dict[str, Any]] = {}
    for metric in metrics:
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
    if not {source, output} <= table.columns.keys():
        return None
    # Many tables of others have a "question" and an "answer".
    if source == "question" and "contexts" not in table.columns:
        return None
    values = {}
    fields = {source, output, reference} | _FIELDS_OF_RAGAS
    for column, cells in table.columns.items():
        role = role_of(column)
        if column in fields or role == "source":
            continue
        numbers = [_score_cell(cell) for cell in cells]
        if _are_numbers(numbers):
            # "response.fluency" are grades, of which a table is read otherwise.
            if begun_by(column, [output], BETWEEN_GRADES):
                return None
            if not _INDEX.fullmatch(column):
                values[column] = numbers
        elif _is_of_others(cells, role):
            return None
    if not values:
        return None
    references = tuple(column for column in (reference, f"{reference}s") if column in table.columns)
    return _results_of("ragas", table, Roles(source, references, (output,)), values)


def _is_of_others(cells: Sequence[Any], role: str) -> bool:
    """Return whether a column has objects, or texts of a system, which results of ragas have in no further column."""
    if any(isinstance(cell, dict) for cell in cells):
        return True
    return role == "system" and any(isinstance(cell, str) and cell for cell in cells)


def _are_numbers(values: Sequence[Any]) -> bool:
    """Return whether some values are there, and all of these are numbers."""
    present = [value for value in values if value is not None]
    return bool(present) and all(map(is_number, present))


def _mlflow_log(table: Table) -> Log | None:
    """Return the scores of an evaluation by MLflow, and the texts beside them; None where there are no scores."""
    expectations = []
    metrics: dict[str, re.Match[str]] = {}
    for column in table.columns:
        match = _OF_MLFLOW.fullmatch(column)
        if match and column.startswith(_EXPECTATIONS):
            expectations.append(column)
        elif match:
            metrics[column] = match
    if not metrics:
        return None
    times = Counter(match[1] for match in metrics.values())
    values = {}
    for column, match in metrics.items():
        name = match[1]
        if times[name] > 1:
            # Of two versions of a metric, each keeps its version.
            name += match[2] or ""
        values[name] = [_score_cell(cell) for cell in table.columns[column]]
    if _TRACE in table.columns:
        references = tuple(column for column in expectations if column.startswith("expected_response"))
        return _results_of("MLflow", table, Roles("request", references, ("response",)), values)
    texts = {column: cells for column, cells in table.columns.items() if "/" not in column}
    guess = guess_roles(Table(table.name, texts, table.lines))
    systems = [column for column in _OUTPUTS if column in texts]
    systems += [column for column in guess.systems if clear_role(column) == "system"]
    systems += [*guess.systems, "outputs"]
    references = tuple(column for column in texts if role_of(column) == "reference")
    source = guess.source
    if "inputs" in texts:
        source = "inputs"
    return _results_of("MLflow", table, Roles(source, references, (systems[0],)), values)


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
    columns[output] = list(map(_text_in, table.columns.get(output, missing)))
    references = []
    for column in roles.references:
        cells = table.columns.get(column, [])
        if any(cell not in (None, "", []) for cell in cells):
            references.append(column)
            columns[column] = list(map(_text_or_list, cells))
    source = roles.source
    inputs = table.columns.get(source or "", missing)
    if not any(inputs):
        source = None
    no_texts = ""
    if not any(columns[output]):
        no_texts = f"{table.name} has no texts in {output!r}"
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
        roles=Roles(source, tuple(references), roles.systems),
        scores=tuple(values),
        numbers=numbers_of_scores({metric: {output: cells} for metric, cells in values.items()}, table.name),
        higher_is_better=directions,
        no_texts=no_texts,
    )


def _text_or_list(cell: Any) -> Any:
    """Return references as they are written: a list, a text, or None."""
    if isinstance(cell, list | None):
        return cell
    return written(cell)


def _text_in(value: Any) -> str:
    """Return a text, or any other value as it is written in JSON; "" for None."""
    if value is None:
        return ""
    return written(value)


def _key_of(inputs: Sequence[Any], references: Sequence[Sequence[Any]]) -> dict[str, list[str]]:
    """Return columns that tell samples apart; without inputs, samples are told apart by their rows."""
    texts = [_text_in(cell) for cell in inputs]
    with_references = []
    for row, text in enumerate(texts):
        with_references.append(f"{text} {[column[row] for column in references]}")
    if len(set(with_references)) > len(set(texts)):
        # One input with several references, such as a prompt that all samples share.
        texts = with_references
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
    return score_of(number_of_grade(cell))


# The predictions of OpenCompass (predictions/<model>/<dataset>.json) -> a table with a row per sample.

_OPENCOMPASS = "OpenCompass"
_PROMPT = "origin_prompt"
_PREDICTION = "prediction"
_GOLD = "gold"
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
            _PROMPT: _text_of_prompt(prompt),
            _PREDICTION: "",
            _GOLD: [written(text) for text in as_list(sample.get(_GOLD)) if text is not None],
        }
        if not no_texts:
            cells[_PREDICTION] = _text_or_repeats(prediction)
        rows.add(int(index) + 1, cells)
    table = rows.table("predictions")
    return Log(
        name,
        table.columns,
        table.lines,
        harness=_OPENCOMPASS,
        task=Path(unpacked(name)).stem,
        run="",
        key=("index",),
        roles=Roles(_PROMPT, _gold_columns(table.columns), (_PREDICTION,)),
        no_texts=no_texts,
    )


def _gold_columns(columns: Mapping[str, Sequence[Any]]) -> tuple[str, ...]:
    """Return the column of references, if there are any."""
    if any(columns[_GOLD]):
        return (_GOLD,)
    return ()


def _text_or_repeats(prediction: Any) -> str | list[str]:
    """Return the text of a prediction, or those of several sequences; "" where there is none."""
    texts = [_text_in(text) for text in as_list(prediction)]
    if len(texts) == 1:
        return texts[0]
    return texts or ""


def joined_parts(logs: Sequence[Log]) -> list[Log]:
    """Return the logs, with one for all parts into which OpenCompass split a data set, <dataset>_0.json and so on."""
    parts: dict[tuple[Path, str], dict[int, Log]] = {}
    for log in logs:
        match = _PART.fullmatch(log.task)
        if match and log.harness == _OPENCOMPASS:
            parts.setdefault((Path(log.name).parent, match[1]), {})[int(match[2])] = log
    whole: dict[str, Log | None] = {}
    for (folder, task), numbered in parts.items():
        n_parts = len(numbered)
        if n_parts > 1 and sorted(numbered) == list(range(n_parts)):
            in_order = [numbered[number] for number in range(n_parts)]
            # It stands where the first part does, and the others are gone.
            whole |= dict.fromkeys(part.name for part in in_order)
            whole[in_order[0].name] = _whole(in_order, str(folder / f"{task}.json"), task)
    with_whole = [whole.get(log.name, log) for log in logs]
    return [log for log in with_whole if log is not None]


def _whole(parts: Sequence[Log], name: str, task: str) -> Log:
    """Return the predictions of all parts, with indices that go on from one to the next."""
    columns: dict[str, list[Any]] = {}
    for column in parts[0].columns:
        columns[column] = []
        for part in parts:
            columns[column] += part.columns[column]
    lines = list(range(1, len(columns["index"]) + 1))
    columns["index"] = [str(line - 1) for line in lines]
    roles = replace(parts[0].roles, references=_gold_columns(columns))
    no_texts = next((part.no_texts for part in parts if part.no_texts), "")
    return replace(parts[0], name=name, task=task, columns=columns, lines=lines, roles=roles, no_texts=no_texts)


def _are_turns(prompt: Any) -> bool:
    """Return whether a prompt has a list of messages for each turn of a conversation."""
    return isinstance(prompt, list) and any(isinstance(turn, list) for turn in prompt)


def _text_of_prompt(prompt: Any) -> str | None:
    """Return a prompt, or the text of its last message; None where that is no text."""
    text = prompt
    if isinstance(prompt, list) and prompt and isinstance(prompt[-1], dict):
        last = prompt[-1]
        text = last.get("prompt", last.get("content"))
    if not isinstance(text, str):
        return None
    return text
