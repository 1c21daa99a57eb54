"""Logs of harnesses -> tables with a row per sample."""

# The samples that lm-evaluation-harness logs (``--log_samples``) -> a table with a row per document.

from __future__ import annotations

import ast
import io
import json
import math
import re
import struct
import warnings
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import Any

from tercet.corpus.messages import content_text
from tercet.errors import InputError, argument, shorten, warn

from .endings import wrong_end_of_any
from .json_values import as_list, field_of
from .numbers import LARGEST
from .table import Log, RaggedRows, Roles, Table
from .text import LIMITS, Limits, open_binary, read_whole

_PROMPT = "arguments"
_TARGET = "target"
_RESPONSE = "filtered_resps"
#: Keys of each line, by which such a log is known; forks of the harness, such as lmms-eval, may leave out the rest.
_KEYS = {"doc_id", _TARGET, _RESPONSE}
#: The prompt as lmms-eval writes it.
_ASKED = "input"
#: A text as Python writes it; one that does not end goes on to the end, so that no other is tried from within it.
_LITERAL = re.compile(r"""'[^'\\]*(?:\\.[^'\\]*)*'?|"[^"\\]*(?:\\.[^"\\]*)*"?""", re.DOTALL)
#: Most characters of the messages of a target, which Python's own parser reads: it takes 200 times as many bytes.
_LONGEST_CHAT = 1 << 20
#: Numbers of a sample that are no scores.
_NO_SCORES = ("doc_id", _TARGET, "success")
#: Scores whose value of a sample is its log-likelihood, or a list of it and of the words or bytes that share it.
_OF_LIKELIHOOD = ("perplexity", "word_perplexity", "byte_perplexity", "bits_per_byte")
_LIKELIHOOD = "loglikelihood"
#: Of lm-evaluation-harness samples_<task>_<date>.jsonl, of lmms-eval <date>_samples_<task>.jsonl.
_FILE_NAME = re.compile(
    r"(?:(\d{8}_\d{6})_)?(?:samples_)?(.+?)(?:_(\d{4}-\d\d?-\d\d?[T ][^/]*))?\.(?:jsonl|ndjson|json)(?:\.gz)?",
    re.IGNORECASE,
)


def is_samples(table: Table) -> bool:
    """Return whether the lines of a file of JSON objects are such samples."""
    return table.columns.keys() >= _KEYS


def samples_log(table: Table) -> Log:
    """Return the samples of a task by document; each filter of the harness has a column of predictions.

    The texts of ``doc`` are columns too (``doc.answer``), for those whose references are there.
    """
    has_requests = _PROMPT in table.columns
    documents = _Documents.of(table)
    by_doc = documents.table(table)
    columns = by_doc.columns
    systems = tuple(name for name in columns if name.startswith(_RESPONSE))
    columns[_TARGET] = _targets(columns[_TARGET], [by_doc.location_on(line, _TARGET) for line in by_doc.lines])
    for system in systems:
        _warn_of(by_doc, system, ("[invalid]",), "its filter found nothing there")
    if not documents.no_texts:
        _warn_of(by_doc, _TARGET, ("None", "nan"), "the harness writes this for a missing target")
    source = None
    if all(isinstance(cell, str) for cell in columns[_PROMPT]):
        source = _PROMPT
    path = Path(table.name)
    match = _FILE_NAME.fullmatch(path.name)
    task = path.name
    directions: Mapping[str, bool] = {}
    harness = "lm-evaluation-harness" if has_requests else "lmms-eval"
    names_task = False
    if match:
        task = match[2]
        # The moment of the run: lmms-eval writes it first.
        moment = match[1] or match[3]
        directions = _directions(path.parent, moment, task)
        names_task = bool(moment)
        if match[1]:
            harness = "lmms-eval"
    return Log(
        table.name,
        columns,
        by_doc.lines,
        unit=by_doc.unit,
        harness=harness,
        task=task,
        run="",
        key=("doc_id",),
        roles=Roles(source, (_TARGET,), systems),
        scores=documents.scores,
        numbers=numbers_of_scores(documents.values(), table.name),
        higher_is_better=directions,
        names_task=names_task,
        no_texts=documents.no_texts,
    )


@dataclass
class _Documents:
    """The samples of a task, document by document: each filter of the harness gives one."""

    #: The names of the scores of the samples.
    scores: tuple[str, ...]
    #: Of what a log of likelihoods holds them, in words; "" for a log of texts.
    no_texts: str
    #: By document: the line of its first sample, and its cells.
    rows: dict[str, tuple[int, dict[str, Any]]] = field(default_factory=dict)
    #: By score and column of predictions: the value of each document.
    by_column: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)

    @classmethod
    def of(cls, table: Table) -> _Documents:
        """Return the documents of a table of samples; InputError for samples of several runs."""
        documents = cls(_score_names(table), _no_texts(table))
        # Old versions of the harness do not name the filter.
        filters = table.columns.get("filter", ["none"] * len(table.lines))
        has_filters = len(set(filters)) > 1
        for row, filter_name in enumerate(filters):
            column = _RESPONSE
            if has_filters:
                column = f"{_RESPONSE} {filter_name}"
            documents._add(table, row, column)
        return documents

    def _add(self, table: Table, row: int, column: str) -> None:
        """Add a sample, whose response stands in a column."""
        sample = {name: cells[row] for name, cells in table.columns.items()}
        location = f"{table.name}, {table.unit} {table.lines[row]}"
        key = str(sample["doc_id"])
        if key not in self.rows:
            self.rows[key] = (table.lines[row], _cells_of_document(sample, key, location))
        _, cells = self.rows[key]
        if column in cells:
            raise InputError(f"{location}: doc_id {key} occurs again in {column!r}; {_why_once(table)}.")
        cells[column] = ""
        if not self.no_texts:
            cells[column] = _response(sample[_RESPONSE], location)
        for score in self.scores:
            name = score
            value = sample.get(score)
            if self.no_texts and score in _OF_LIKELIHOOD:
                name = _LIKELIHOOD
                if isinstance(value, list) and value:
                    value = value[0]
            self.by_column.setdefault(name, {}).setdefault(column, {})[key] = value

    def table(self, samples: Table) -> Table:
        """Return the documents as rows."""
        rows = RaggedRows(samples.name, samples.unit)
        for line, cells in self.rows.values():
            rows.add(line, cells)
        return rows.table("a sample per line")

    def values(self) -> dict[str, dict[str, list[Any]]]:
        """Return by score and column of predictions the values of all documents; None where there is none."""
        values_of_scores: dict[str, dict[str, list[Any]]] = {}
        for name, columns in self.by_column.items():
            values_of_scores[name] = {}
            for column, values in columns.items():
                values_of_scores[name][column] = [values.get(key) for key in self.rows]
        return values_of_scores


def _cells_of_document(sample: Mapping[str, Any], key: str, location: str) -> dict[str, Any]:
    """Return what all samples of a document share: its prompt and target, and the texts that may be references."""
    prompt = sample.get(_ASKED)
    if _PROMPT in sample:
        prompt = _shared_prompt(_requests(sample[_PROMPT], location))
    cells = {"doc_id": key, _PROMPT: prompt, _TARGET: sample[_TARGET]}
    document = sample.get("doc")
    if isinstance(document, dict):
        for name, value in document.items():
            if all(isinstance(text, str) for text in as_list(value)):
                cells[f"doc.{name}"] = value
    return cells


def _why_once(table: Table) -> str:
    """Return why a document has one sample of each filter, and what else to do."""
    if "filter" in table.columns:
        return "expected the samples of one run"
    return (
        "the harness writes a line for each filter of the task, and old versions do not say which. Keep the lines of "
        "one filter, one for each doc_id; or log the samples again with a newer version, and choose a filter: "
        f"{argument('systems')}"
    )


def _score_names(table: Table) -> tuple[str, ...]:
    """Return the names of the scores of the samples: those that the harness lists, or else all numbers."""
    lists = [metrics for metrics in table.columns.get("metrics", []) if isinstance(metrics, list)]
    if lists:
        return tuple(dict.fromkeys(map(str, chain.from_iterable(lists))))
    names = []
    for name, cells in table.columns.items():
        if name in _NO_SCORES:
            continue
        scores = [score_of(cell) for cell in cells if cell is not None]
        if all(map(is_number, scores)):
            names.append(name)
    return tuple(names)


def _no_texts(table: Table) -> str:
    """Return of what a log of likelihoods holds them, which have no texts; "" for a log of texts."""
    contents = []
    for row, line in enumerate(table.lines):
        if _PROMPT in table.columns:
            requests = _requests(table.columns[_PROMPT][row], f"{table.name}, {table.unit} {line}")
            # A request for a text ends with its settings.
            is_likelihood = not isinstance(requests[0][-1], dict)
        else:
            requests = _log_likelihoods(table.columns[_RESPONSE][row])
            is_likelihood = bool(requests)
        if not is_likelihood:
            contents.append("")
        elif len(requests) == 1:
            contents.append("log-likelihoods of a text")
        else:
            contents.append(f"log-likelihoods of {len(requests)} choices")
    if not any(contents):
        return ""
    content = next(filter(None, contents))
    line = table.lines[contents.index(content)]
    reason = f"{table.name}, {table.unit} {line}: this log holds {content}, not texts that a model wrote"
    if not all(contents):
        line = table.lines[contents.index("")]
        raise InputError(f"{reason}, but {table.unit} {line} holds a text; expected the samples of one task.")
    return reason


def _requests(arguments: Any, location: str) -> list[list[Any]]:
    """Return the arguments of each request of a sample."""

    def in_order(value: Any) -> Any:
        if isinstance(value, dict):
            # It has the arguments by their names, in this order.
            return list(value.values())
        return value

    lists = [in_order(request) for request in in_order(arguments) or ()]
    if not lists or not all(isinstance(request, list) and request for request in lists):
        raise InputError(f"{location}: expected the requests of a sample in 'arguments', got {shorten(arguments)}.")
    return lists


def _shared_prompt(requests: list[list[Any]]) -> str | None:
    """Return the prompt that all requests have, None for a chat."""
    prompt = requests[0][0]
    if not isinstance(prompt, str) or any(request[0] != prompt for request in requests):
        return None
    return prompt


def _log_likelihoods(responses: Any) -> list[Any]:
    """Return responses that are log-likelihoods, each with whether a model would write the text; else none."""
    if not isinstance(responses, list):
        return []
    for pair in responses:
        is_pair = isinstance(pair, list) and len(pair) == 2
        if not is_pair or str(pair[1]) not in ("True", "False"):
            return []
    return responses


def _directions(folder: Path, moment: str | None, task: str) -> Mapping[str, bool]:
    """Return whether higher values of each score are better, as the results beside the samples of a run say."""
    if not moment:
        return {}
    for path in (folder / f"results_{moment}.json", folder / f"{moment}_results.json"):
        directions = field_of(field_of(results_beside(path), "higher_is_better"), task)
        if isinstance(directions, dict):
            return {name: is_higher for name, is_higher in directions.items() if isinstance(is_higher, bool)}
    return {}


def results_beside(path: Path) -> Any:
    """Return what is in the results of a run, a file of JSON beside its samples; None where it cannot be read."""
    if not path.is_file():
        return None
    try:
        with open_binary(str(path)) as stream:
            data = read_whole(stream, str(path), LIMITS, "results")
        LIMITS.check_json([data], str(path))
        return json.loads(data)
    except (InputError, *DAMAGED):
        return None


def numbers_of_scores(
    values: Mapping[str, Mapping[str, Sequence[Any]]], name: str
) -> dict[str, dict[str, list[float]]]:
    """Return the scores that are a number of each sample, NaN where one has none; a warning names a mixed one.

    Others are what a harness computes a score of all samples from, such as pairs of labels for F1.
    """
    numbers: dict[str, dict[str, list[float]]] = {}
    for score, cells_by_system in values.items():
        by_system: dict[str, list[float]] = {}
        n_numbers = 0
        non_numbers = []
        for system, cells in cells_by_system.items():
            by_system[system] = []
            for value in map(score_of, cells):
                number = math.nan
                if is_number(value):
                    number = float(value)
                    n_numbers += 1
                elif value is not None:
                    non_numbers.append(value)
                by_system[system].append(number)
        if n_numbers and not non_numbers:
            numbers[score] = by_system
        elif n_numbers:
            warn(
                f"{name}: the score {shorten(score)} is {shorten(non_numbers[0])} in a sample; expected a number: "
                "the score is left out."
            )
    return numbers


def score_of(value: Any) -> Any:
    """Return a value, or the score in an object of it and what it is of, as lmms-eval writes some; None for NaN."""
    if isinstance(value, dict):
        return without_nan(value.get("score", value))
    return without_nan(value)


def without_nan(value: Any) -> Any:
    """Return a value; None for NaN."""
    if isinstance(value, float) and math.isnan(value):
        return None
    return value


def is_number(value: Any) -> bool:
    """Return whether a value is a number of which a variance can be made."""
    return isinstance(value, int | float) and abs(value) <= LARGEST


def _response(cell: Any, location: str) -> str | list[str]:
    """Return the response to a document, or those to all repeats of its request."""
    text = cell
    while isinstance(text, list) and len(text) == 1:
        text = text[0]
    if isinstance(text, str):
        return text
    if isinstance(text, list) and text and all(isinstance(item, str) for item in text):
        return text
    description = shorten(text)
    if text == []:
        description = "no response"
    raise InputError(
        f"{location}: found {description} in {_RESPONSE!r}; expected a text, or a list of texts of the repeats."
    )


def _targets(cells: list[Any], locations: Sequence[str]) -> list[Any]:
    """Return targets as they were before the harness wrote each as ``str`` does, where all were lists."""
    lists = [_list_in_cell(cell, location) for cell, location in zip(cells, locations, strict=True)]
    if any(lists) and None not in lists:
        return lists
    texts = []
    for cell in cells:
        is_number_of_json = isinstance(cell, int | float)
        texts.append(str(cell) if is_number_of_json else cell)
    return texts


def _list_in_cell(cell: Any, location: str) -> list[Any] | None:
    """Return the list of texts, or of a chat's messages, that a text writes exactly as Python does."""
    if isinstance(cell, list):
        return cell
    if not isinstance(cell, str) or not cell.startswith(("['", '["', "[{", "[]")):
        return None
    is_chat = cell.startswith("[{")
    if is_chat and len(cell) > _LONGEST_CHAT:
        raise InputError(
            f"{location}: found messages of {len(cell):,} characters; expected at most {_LONGEST_CHAT:,}, which is "
            "the limit."
        )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            items = ast.literal_eval(cell) if is_chat else _texts_of(cell)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    # Written otherwise, it is a text that only looks like a list.
    if str(items) != cell or not all(isinstance(item, str | dict) for item in items):
        return None
    return items


def _texts_of(cell: str) -> list[str]:
    """Return the texts that Python writes within a text, some at a time: a syntax tree takes 200 times its bytes."""
    texts: list[str] = []
    literals = (match[0] for match in _LITERAL.finditer(cell))
    while batch := list(islice(literals, 1000)):
        texts += ast.literal_eval(f"[{','.join(batch)}]")
    return texts


def _warn_of(table: Table, column: str, markers: Sequence[str], reason: str) -> None:
    rows = [row for row, cell in enumerate(table.columns[column]) if cell in markers]
    if rows:
        cell = table.columns[column][rows[0]]
        first_id = table.columns["doc_id"][rows[0]]
        warn(
            f"{table.name}, {column!r}: {cell!r} in {len(rows):,} of {len(table.lines):,} samples, the first with "
            f"doc_id {first_id}: {reason}. It is read as a text."
        )


# The details that lighteval saves (``details_<task>_<date>.parquet``) -> a table with a row per sample.

#: Columns that are read, and what is read of them; the rest are tokens, their scores and options.
_METRIC = "metric"
PARTS = ("doc", "model_response", _METRIC)
FIELDS = (
    "doc.id",
    "doc.task_name",
    "doc.query",
    "doc.choices",
    "doc.gold_index",
    "model_response.text",
    "model_response.text_post_processed",
    _METRIC,
)


def is_details(schema: Any) -> bool:
    """Return whether a file's columns are those of such details."""
    return set(PARTS) <= set(schema.names)


def details_log(table: Table) -> Log:
    """Return the samples of a task: the text that its metrics took, and the choices that are right as references."""
    docs, responses, metrics = (table.column(name) for name in PARTS)
    no_texts = ""
    if not any(map(_answers_in_response, responses)):
        no_texts = f"{table.name}: the model's answers have no texts, as log-likelihoods of choices have none"
    final = "model_response.text"
    # Where a text was processed, its metrics took that.
    if any(response.get("text_post_processed") is not None for response in responses):
        final = "model_response.text_post_processed"
    texts = []
    golds = []
    for number, (doc, response) in enumerate(zip(docs, responses, strict=True), 1):
        location = f"{table.name}, row {number}"
        answer = ""
        if not no_texts:
            answer = _model_answer(_answers_in_response(response), location)
        texts.append(answer)
        golds.append(_right_choices(doc, location))
    columns = {
        "id": [str(doc.get("id")) for doc in docs],
        "doc.query": [doc.get("query") for doc in docs],
        "doc.choices": golds,
        final: texts,
    }
    roles = Roles("doc.query", ("doc.choices",), (final,))
    # Parquet has the scores of all samples in each.
    scores_of_samples = [cell for cell in metrics if isinstance(cell, dict)]
    scores = tuple(dict.fromkeys(chain.from_iterable(scores_of_samples)))
    values = {}
    for name in scores:
        values[name] = {final: [field_of(cell, name) for cell in metrics]}
    return Log(
        table.name,
        columns,
        table.lines,
        harness="lighteval",
        task=str(docs[0].get("task_name")),
        run="",
        key=("id",),
        roles=roles,
        scores=scores,
        numbers=numbers_of_scores(values, table.name),
        no_texts=no_texts,
    )


def _answers_in_response(response: dict[str, Any]) -> Any:
    processed = response.get("text_post_processed")
    if processed is None:
        return response.get("text")
    return processed


def _right_choices(doc: Mapping[str, Any], location: str) -> list[Any]:
    """Return the choices that ``gold_index``, an index or a list of them, says are right."""
    choices = doc.get("choices") or []
    gold = doc.get("gold_index")
    right = []
    for index in as_list(gold):
        if not isinstance(index, int) or not -len(choices) <= index < len(choices):
            raise InputError(
                f"{location}: gold_index is {shorten(gold)}, of {len(choices)} choices; expected places of right "
                "ones."
            )
        right.append(choices[index])
    return right


def _model_answer(answer: Any, location: str) -> Any:
    """Return the model's answer, or its answers where it was asked several times."""
    if not answer:
        raise InputError(
            f"{location}: the model's answer has no text, as log-likelihoods of choices have none; expected the "
            "details of a generative task."
        )
    if len(answer) == 1:
        return answer[0]
    return list(answer)


# A log of inspect-ai (.eval, .json) -> a table with a row per sample and epoch.

# The compression that the package writes, which zipfile reads since Python 3.14.
_ZSTD = 93
_COMPLETION = "output.completion"
#: Values that stand for numbers: correct, partially so, incorrect, no answer; and yes and no.
_GRADES = {"C": 1, "P": 0.5, "I": 0, "N": 0}
_ANSWERS = {"yes": 1, "true": 1, "no": 0, "false": 0}
_SAMPLE = re.compile(r"samples/.+_epoch_\d+(/sample)?\.json")
# Only the second is there where the run has not ended.
_HEADERS = ("header.json", "_journal/start.json")

#: What damaged archives, compressed bytes and JSON raise; of RuntimeErrors, nesting too deep is one.
DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
)

#: What a log says of its run, and its samples.
Parts = tuple[dict[str, Any], list[dict[str, Any]]]
#: What a log says of a run that did not come to its end.
_UNENDED = ("started", "cancelled", "error")


def archived_parts(data: bytearray, name: str, limits: Limits) -> Parts:
    """Return the parts of a log that is an archive."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        # Of a sample that was run again, the last entry remains.
        entries = {entry.filename: entry for entry in archive.infolist()}
        headers = [entries[path] for path in _HEADERS if path in entries]
        if not headers:
            raise ValueError(f"it has no {_HEADERS[0]}")
        samples = [entry for path, entry in entries.items() if _SAMPLE.fullmatch(path)]
        to_read = [headers[0], *samples]
        limits.check(sum(entry.file_size for entry in to_read), 0, name)
        parts = [_bytes(archive, data, entry) for entry in to_read]
        limits.check_json(parts, name)
        run, *sample_objects = map(json.loads, parts)
        # As the package has it, where nothing is said.
        return parts_of({"status": "started", **run, "samples": sample_objects})


def parts_of(log: Any) -> Parts:
    """Return what the log says of the run, and its samples."""
    spec = field_of(log, "eval")
    samples = field_of(log, "samples")
    if not isinstance(spec, dict) or not isinstance(samples, list) or not all(map(_is_sample, samples)):
        raise ValueError("expected an object with 'eval' and 'samples'")
    # What the run was to be, and what became of it, stand beside each other.
    return {**spec, "status": log.get("status")}, samples


def _n_lacking(spec: Mapping[str, Any], n_samples: int) -> int:
    """Return how many samples a run that broke off had before it; 0 where the log does not say it."""
    if spec.get("status") not in _UNENDED:
        return 0
    dataset = spec.get("dataset")
    config = spec.get("config") or {}
    if not isinstance(dataset, dict) or not isinstance(config, dict):
        return 0
    n_promised = dataset.get("samples")
    ids = dataset.get("sample_ids")
    if isinstance(ids, list):
        # Those that were chosen, of all in the data set.
        n_promised = len(ids)
    elif config.get("limit") is not None or config.get("sample_id") is not None:
        return 0
    epochs = config.get("epochs") or 1
    if not isinstance(n_promised, int) or not isinstance(epochs, int):
        return 0
    return max(0, n_promised * epochs - n_samples)


def _is_sample(sample: Any) -> bool:
    if not isinstance(sample, dict):
        return False
    return all(isinstance(sample.get(part) or {}, dict) for part in ("output", "metadata"))


def _bytes(archive: zipfile.ZipFile, data: bytearray, entry: zipfile.ZipInfo) -> Any:
    if entry.compress_type != _ZSTD:
        return archive.read(entry)
    # The header before an entry's bytes has 30 of its own, and then a name and an extra field of these lengths.
    start = entry.header_offset + 30 + sum(struct.unpack_from("<HH", data, entry.header_offset + 26))
    packed = data[start : start + entry.compress_size]
    import pyarrow as pa

    try:
        return pa.decompress(packed, entry.file_size, codec="zstd", asbytes=True)
    except pa.ArrowException as error:
        raise zipfile.BadZipFile(str(error)) from None


def inspect_log(spec: dict[str, Any], samples: list[dict[str, Any]], name: str) -> Log:
    """Return the samples in the order in which the package has them; those that ended with an error are left out."""
    failed = []
    finished = []
    for sample in samples:
        if sample.get("error"):
            failed.append(sample)
        else:
            finished.append(sample)
    if failed:
        warn(
            f"{name}: {len(failed):,} of {len(samples):,} samples ended with an error, the first has the id "
            f"{shorten(failed[0].get('id'))}: left out."
        )
    n_lacking = _n_lacking(spec, len(samples))
    if n_lacking:
        warn(
            f"{name}: the run broke off (status {shorten(spec['status'])}): {n_lacking:,} of "
            f"{n_lacking + len(samples):,} samples are not in the log."
        )
    finished.sort(key=_epoch_and_id)
    rows = RaggedRows(name)
    values = []
    wrong_ends: dict[tuple[str, ...], str] = {}
    for number, sample in enumerate(finished, 1):
        sample_id, epoch = _key_of(sample)
        cells = {
            "id": sample_id,
            "epoch": epoch,
            "input": _text_of_last_message(sample.get("input")),
            "target": sample.get("target"),
            _COMPLETION: _completion(sample.get("output") or {}),
        }
        for key, value in (sample.get("metadata") or {}).items():
            cells[f"metadata.{key}"] = value
        rows.add(number, cells)
        values.append(_score_values(sample.get("scores")))
        problem = _wrong_end(sample)
        if problem:
            wrong_ends[sample_id, epoch] = problem
    table = rows.table("samples without an error")
    scores = tuple(dict.fromkeys(chain.from_iterable(values)))
    by_system = {}
    for score in scores:
        by_system[score] = {_COMPLETION: [by_score.get(score) for by_score in values]}
    return Log(
        name,
        table.columns,
        table.lines,
        harness="inspect-ai",
        task=str(spec.get("task")),
        run=str(spec.get("model") or ""),
        key=("id", "epoch"),
        roles=Roles("input", ("target",), (_COMPLETION,)),
        scores=scores,
        numbers=numbers_of_scores(by_system, name),
        failed=frozenset(map(_key_of, failed)),
        n_unanswered={_COMPLETION: len(failed) + n_lacking},
        n_left_out=n_lacking,
        wrong_ends=wrong_ends,
    )


def _completion(output: Mapping[str, Any]) -> Any:
    """Return the answer, which logs up to inspect-ai 0.3.95 have in the first of the choices alone."""
    choices = output.get("choices")
    if output.get("completion") is not None or not isinstance(choices, list) or not choices:
        return output.get("completion")
    message = field_of(choices[0], "message")
    return content_text(field_of(message, "content"), f"{_COMPLETION} of a sample")


def _key_of(sample: Mapping[str, Any]) -> tuple[str, str]:
    """Return what tells a sample from others, as its row does."""
    return str(sample.get("id")), str(sample.get("epoch"))


def _wrong_end(sample: Mapping[str, Any]) -> str:
    """Return what is wrong with the end of an answer, such as a limit of time or tokens; "" where nothing is."""
    if sample.get("limit"):
        return "cut off"
    return wrong_end_of_any((sample.get("output") or {}).get("choices"), "stop_reason")


def _score_values(scores: Any) -> dict[str, Any]:
    """Return the values of a sample's scores; of one with several, each by the name of the scorer and its own."""
    if not isinstance(scores, dict):
        return {}
    values: dict[str, Any] = {}
    for scorer, score in scores.items():
        value = score
        if isinstance(score, dict):
            value = score.get("value")
        if isinstance(value, dict):
            for name, part in value.items():
                values[f"{scorer}.{name}"] = value_of(part)
        else:
            values[scorer] = value_of(value)
    return values


def value_of(value: Any) -> Any:
    """Return the number that inspect-ai takes a text for, by default; other values as they are."""
    if not isinstance(value, str):
        return value
    if value in _GRADES:
        return _GRADES[value]
    try:
        return float(value)
    except ValueError:
        return _ANSWERS.get(value.lower(), value)


def _epoch_and_id(sample: dict[str, Any]) -> tuple[str, str]:
    sample_id, epoch = _key_of(sample)
    # Zeros before a number, so that 10 comes after 9; ids may also be names.
    if isinstance(sample.get("id"), int):
        sample_id = sample_id.zfill(20)
    return epoch.zfill(20), sample_id


def _text_of_last_message(content: Any) -> str | None:
    """Return the input, or the text of the last message of a chat."""
    text = content
    while isinstance(text, list) and text and isinstance(text[-1], dict):
        # A message has its text in "content", and a part of one in "text".
        last = text[-1]
        text = last.get("content", last.get("text"))
    if not isinstance(text, str):
        return None
    return text
