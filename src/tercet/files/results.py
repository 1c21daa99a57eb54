"""Results of deepeval, ragas, MLflow, promptfoo, OpenCompass and W&B, beside logs in JSON -> a row per sample."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from tercet.errors import InputError, first_line, shorten

from .logs import (
    DAMAGED,
    archived_parts,
    inspect_log,
    is_number,
    numbers_of_scores,
    parts_of,
    score_of,
    value_of,
)
from .read import unpacked
from .roles import clear_role, guess_roles, role_of
from .score_columns import BETWEEN_GRADES, begun_by, read_score
from .table import Log, RaggedRows, Roles, Table
from .text import LIMITS, Limits, read_whole


def read_results(stream: BinaryIO, name: str, limits: Limits = LIMITS) -> Log:
    """Read a log of inspect-ai, an archive of JSON (.eval) or an object (.json), or results in an object."""
    data = read_whole(stream, name, limits)
    try:
        if data.startswith(b"PK"):
            spec, samples = archived_parts(data, name, limits.unpacking(len(data)))
        else:
            limits.check_json([data], name)
            content = json.loads(data)
            results = _results(content, name)
            if results is not None:
                return results
            spec, samples = parts_of(content)
    except InputError:
        raise
    except DAMAGED as error:
        raise InputError(
            f"{name} is not a log of inspect-ai with samples (.eval, .json), nor JSON Lines, an object per line "
            f"(.jsonl): {first_line(error)}."
        ) from None
    return inspect_log(spec, samples, name)


# Results of deepeval (.json), of ragas (a table) and of MLflow (.json or a table) -> a table with a row per sample.

#: Names that these programs, or their documentation, give to the results of any run.
_ANY_RUN = re.compile(r"\.?(latest_test_run|latest_run_full|test_run_\d{8}_\d{6}|eval_results_table|results?)")
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
#: Metrics of these programs of which lower scores are better.
_LOWER = ("noise_sensitivity", "toxicity", "latency", "ari_grade_level", "flesch_kincaid_grade_level")


def results_log(table: Table) -> Log | None:
    """Return the results of ragas or MLflow that a table holds, judging by its columns; None for other tables."""
    log = None
    if any(column.endswith(_JUSTIFICATION) for column in table.columns) or _TRACE in table.columns:
        log = _mlflow_log(table)
    for columns in _OF_RAGAS:
        log = log or _ragas_log(table, *columns)
    return log


def _results(content: Any, name: str) -> Log | None:
    """Return the results of deepeval or MLflow in the object of a file; None for others."""
    if not isinstance(content, dict):
        return None
    run = content.get("testRunData", content)
    # As the program saves a run, and as what its function returns is saved.
    for cases in ("testCases", "test_results"):
        if isinstance(run, dict) and isinstance(run.get(cases), list):
            return _deepeval_log(run, run[cases], name)
    columns, rows = content.get("columns"), content.get("data")
    if not isinstance(columns, list) or not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        return None
    if not any(isinstance(column, str) and _OF_MLFLOW.fullmatch(column) for column in columns):
        return None
    repeated = [column for column, times in Counter(map(str, columns)).items() if times > 1]
    if repeated:
        raise InputError(f"{name}: the column {shorten(repeated[0])} appears twice; expected distinct names.")
    gathered = RaggedRows(name)
    for number, row in enumerate(rows, 1):
        if len(row) != len(columns):
            expected = f"{len(columns)} cells, as there are columns"
            raise InputError(f"{name}, row {number:,}: expected {expected}, found {len(row)}.")
        gathered.add(number, dict(zip(map(str, columns), row, strict=True)))
    return _mlflow_log(gathered.table("rows of results"))


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
        metadata = fields.get("metadata") or fields.get("additional_metadata")
        texts = {part: fields.get(part) for part in ("input", "expected_output", "actual_output")}
        further = metadata.items() if isinstance(metadata, dict) else ()
        rows.add(number, texts | {f"metadata.{key}": value for key, value in further})
        metrics.append(_metrics_of(fields.get("metrics_data")))
    table = rows.table("test cases")
    values: dict[str, list[Any]] = {}
    directions = {}
    for metric in dict.fromkeys(metric for of_case in metrics for metric in of_case):
        parts = [of_case.get(metric, {}) for of_case in metrics]
        scores = [part.get("score") for part in parts]
        if all(score is None for score in scores):
            # Another name, as a run with scores is not to be compared with it.
            values[f"{metric} success"] = [None if part.get("error") else part.get("success") for part in parts]
            continue
        values[metric] = scores
        # A test passes on the better side of its threshold.
        higher = {
            part["success"] == (part["score"] > part["threshold"])
            for part in parts
            if all(is_number(part.get(value)) for value in ("score", "threshold", "success"))
            and part["score"] != part["threshold"]
            and not part.get("error")
        }
        if len(higher) == 1:
            (directions[metric],) = higher
    test_file = Path(str(run.get("testFile") or "")).stem
    return _results_of(
        "deepeval",
        table,
        Roles("input", ("expected_output",), ("actual_output",)),
        values,
        task=str(run.get("datasetAlias") or test_file),
        run=str(run.get("identifier") or ""),
        higher_is_better=directions,
    )


def _metrics_of(metrics: Any) -> dict[str, dict[str, Any]]:
    """Return the results of a test case by metric; of several metrics of one name, the second has a number."""
    by_name: dict[str, dict[str, Any]] = {}
    for metric in metrics if isinstance(metrics, list) else ():
        if isinstance(metric, dict):
            name, times = str(metric.get("name")), 1
            while name in by_name:
                times += 1
                name = f"{metric.get('name')} {times}"
            by_name[name] = metric
    return by_name


def _ragas_log(table: Table, source: str, output: str, reference: str) -> Log | None:
    """Return a table of ragas with scores; None for one without, and for one with texts of other systems."""
    if not {source, output} <= table.columns.keys() or (source == "question" and "contexts" not in table.columns):
        return None
    values, fields = {}, {source, output, reference} | _FIELDS_OF_RAGAS
    for column, cells in table.columns.items():
        numbers = [_score_cell(cell) for cell in cells]
        if column in fields or role_of(column) == "source":
            continue
        if any(number is not None for number in numbers) and all(map(_is_number_or_none, numbers)):
            # "response.fluency" are grades, of which a table is read otherwise.
            if begun_by(column, [output], BETWEEN_GRADES):
                return None
            if not _INDEX.fullmatch(column):
                values[column] = numbers
        elif any(isinstance(cell, dict) for cell in cells) or (
            role_of(column) == "system" and any(isinstance(cell, str) and cell for cell in cells)
        ):
            return None
    references = tuple(column for column in (reference, f"{reference}s") if column in table.columns)
    return _results_of("ragas", table, Roles(source, references, (output,)), values) if values else None


def _mlflow_log(table: Table) -> Log | None:
    """Return the scores of an evaluation by MLflow, and the texts beside them; None where there are no scores."""
    matches = {column: match for column in table.columns if (match := _OF_MLFLOW.fullmatch(column))}
    expectations = [column for column in matches if column.startswith(_EXPECTATIONS)]
    columns = {column: match[1] for column, match in matches.items() if column not in expectations}
    if not columns:
        return None
    # Of two versions of a metric, each keeps its version.
    times = Counter(columns.values())
    values = {
        metric if times[metric] == 1 else f"{metric}{matches[column][2] or ''}": [
            _score_cell(cell) for cell in table.columns[column]
        ]
        for column, metric in columns.items()
    }
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
    no_rows = [None] * len(table.lines)
    outputs = table.columns.get(output, no_rows)
    columns = {**table.columns, output: ["" if cell is None else _written(cell) for cell in outputs]}
    references = tuple(
        column
        for column in roles.references
        if any(cell not in (None, "", []) for cell in table.columns.get(column, ()))
    )
    for column in references:
        columns[column] = [
            cell if cell is None or isinstance(cell, list) else _written(cell) for cell in columns[column]
        ]
    inputs = table.columns.get(roles.source or "", no_rows)
    key = _key_of(inputs, [columns[column] for column in references])
    stem = Path(unpacked(table.name)).stem
    return Log(
        table.name,
        columns | key,
        table.lines,
        harness=harness,
        task=task or harness,
        run=run or ("" if _ANY_RUN.fullmatch(stem) else stem),
        key=tuple(key),
        roles=Roles(roles.source if any(inputs) else None, references, roles.systems),
        scores=tuple(values),
        numbers=numbers_of_scores({metric: {output: cells} for metric, cells in values.items()}, table.name),
        higher_is_better={metric: False for metric in values if metric.startswith(_LOWER)}
        | dict(higher_is_better or {}),
        no_texts="" if any(columns[output]) else f"{table.name} has no texts in {output!r}",
    )


def _key_of(inputs: Sequence[Any], references: Sequence[Sequence[Any]]) -> dict[str, list[str]]:
    """Return columns that tell samples apart; without inputs, samples are told apart by their rows."""
    texts = ["" if cell is None else _written(cell) for cell in inputs]
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


def _written(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _score_cell(cell: Any) -> Any:
    """Return a number that a cell is, or is written in it; None where it is missing."""
    if isinstance(cell, str):
        with suppress(InputError):
            return score_of(read_score(cell, "a score"))
    return score_of(value_of(cell))


def _is_number_or_none(value: Any) -> bool:
    return value is None or is_number(value)
