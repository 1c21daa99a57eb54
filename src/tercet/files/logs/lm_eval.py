"""lm-evaluation-harness (--log_samples): samples_<task>_<date>.jsonl, a line per document and filter.

    {"doc_id": 0, "filter": "strict-match", "arguments": [["Q: ...", {"until": ["."]}]],
     "target": "18", "filtered_resps": ["18"], "metrics": ["exact_match"], "exact_match": 1.0}

Known by: doc_id, target and filtered_resps. A row per doc_id, a system per filter; scores: those in `metrics`, or
all numbers. The texts of `doc` are columns, too (``doc.answer``), for those whose references are there.
"""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

from tercet.errors import InputError, argument, shorten, warn
from tercet.files.damage import DAMAGED
from tercet.files.json_values import as_list, field_of
from tercet.files.limits import LIMITS, read_whole
from tercet.files.lines import open_binary
from tercet.files.rows import RaggedRows
from tercet.files.table import Log, Roles, Table

from .log_format import LogFormat
from .moments import COMPACT, DATE
from .scores import is_number, numbers_of_scores, score_of
from .system_columns import system_column

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
    rf"(?:(?P<moment_before>{COMPACT})_)?(?:samples_)?(?P<task>.+?)"
    rf"(?:_(?P<moment_behind>{DATE}[T ][^/]*))?\.(?:jsonl|ndjson|json)(?:\.gz)?",
    re.IGNORECASE,
)


def log_in_table(table: Table) -> Log | None:
    """Return the samples of a task by document; None for other tables."""
    if not is_samples(table):
        return None
    documents = _Documents.of(table)
    by_doc = _with_targets_as_they_were(documents.table(table))
    roles = _roles_of(by_doc)
    _warn_of_what_stands_for_nothing(by_doc, roles, has_texts=not documents.no_texts)
    path = Path(table.name)
    named = _file_name(path.name)
    harness = FORMAT.harness
    if named.begins_with_moment or _PROMPT not in table.columns:
        harness = "lmms-eval"
    return Log(
        table.name,
        by_doc.columns,
        by_doc.lines,
        unit=by_doc.unit,
        harness=harness,
        task=named.task,
        run="",
        key=("doc_id",),
        roles=roles,
        scores=documents.scores,
        numbers=numbers_of_scores(documents.values(), table.name),
        higher_is_better=_directions(path.parent, named.moment, named.task),
        names_task=bool(named.moment),
        no_texts=documents.no_texts,
    )


FORMAT = LogFormat(
    "lm-evaluation-harness",
    in_table=log_in_table,
    of_objects=True,
    # The first also as lmms-eval writes it, the second until version 0.4.2.
    file_names=rf"({COMPACT}_)?samples_.+\.jsonl?(\.gz)?|pretrained__.+\.jsonl(\.gz)?",
    in_words="samples_*.jsonl of lm-evaluation-harness (--log_samples)",
)


def is_samples(table: Table) -> bool:
    """Return whether the lines of a file of JSON objects are such samples."""
    return table.columns.keys() >= _KEYS


class _FileName(NamedTuple):
    """What the name of a file of samples says."""

    task: str
    #: Of the run; "" where the name has none.
    moment: str = ""
    #: As lmms-eval writes it.
    begins_with_moment: bool = False


def _file_name(name: str) -> _FileName:
    match = _FILE_NAME.fullmatch(name)
    if match is None:
        return _FileName(name)
    before = match["moment_before"]
    return _FileName(match["task"], before or match["moment_behind"] or "", begins_with_moment=bool(before))


class _Document(NamedTuple):
    """What is known of a document."""

    #: Of its first sample.
    line: int
    #: By column.
    cells: dict[str, Any]


@dataclass
class _Documents:
    """The samples of a task, document by document: each filter of the harness gives one."""

    #: The names of the scores of the samples.
    scores: tuple[str, ...]
    #: Why there are no texts, as in a log of log-likelihoods; "" for a log of texts.
    no_texts: str
    #: By the id of the document.
    rows: dict[str, _Document] = field(default_factory=dict)
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
                column = system_column(_RESPONSE, filter_name)
            documents._add(table, row, column)
        return documents

    def _add(self, table: Table, row: int, column: str) -> None:
        """Add a sample, whose response stands in a column."""
        sample = {name: cells[row] for name, cells in table.columns.items()}
        location = f"{table.name}, {table.unit} {table.lines[row]}"
        key = str(sample["doc_id"])
        if key not in self.rows:
            self.rows[key] = _Document(table.lines[row], _cells_of_document(sample, key, location))
        cells = self.rows[key].cells
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
        for document in self.rows.values():
            rows.add(document.line, document.cells)
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
        if scores and all(map(is_number, scores)):
            names.append(name)
    return tuple(names)


def _no_texts(table: Table) -> str:
    """Return why a log has no texts, as it holds log-likelihoods; "" for one of texts, InputError for one of both."""
    contents = [_likelihoods_in_words(table, row) for row in range(len(table.lines))]
    if not any(contents):
        return ""
    content = next(filter(None, contents))
    line = table.lines[contents.index(content)]
    reason = f"{table.name}, {table.unit} {line}: this log holds {content}, not texts that a model wrote"
    if not all(contents):
        line = table.lines[contents.index("")]
        raise InputError(f"{reason}, but {table.unit} {line} holds a text; expected the samples of one task.")
    return reason


def _likelihoods_in_words(table: Table, row: int) -> str:
    """Return what a sample has instead of a text, the log-likelihoods of one or of choices; "" where it has one."""
    if _PROMPT in table.columns:
        requests = _requests(table.columns[_PROMPT][row], f"{table.name}, {table.unit} {table.lines[row]}")
        *_, last_argument = requests[0]
        # A request for a text ends with its settings.
        is_text = isinstance(last_argument, dict)
    else:
        requests = _log_likelihoods(table.columns[_RESPONSE][row])
        is_text = not requests
    if is_text:
        return ""
    if len(requests) == 1:
        return "log-likelihoods of a text"
    return f"log-likelihoods of {len(requests)} choices"


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
    first_prompt, *others = [prompt for prompt, *_ in requests]
    if not isinstance(first_prompt, str) or any(prompt != first_prompt for prompt in others):
        return None
    return first_prompt


def _log_likelihoods(responses: Any) -> list[Any]:
    """Return responses that are log-likelihoods, each with whether a model would write the text; else none."""
    if not isinstance(responses, list):
        return []
    for pair in responses:
        is_pair = isinstance(pair, list) and len(pair) == 2
        if not is_pair or str(pair[1]) not in ("True", "False"):
            return []
    return responses


def _directions(folder: Path, moment: str, task: str) -> Mapping[str, bool]:
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


def _with_targets_as_they_were(table: Table) -> Table:
    """Return the documents with targets as they were before ``str`` wrote each, where all were lists."""
    cells = table.columns[_TARGET]
    targets: list[Any] = [_list_in_cell(cell, table.location(row, _TARGET)) for row, cell in enumerate(cells)]
    if not any(targets) or None in targets:
        targets = []
        for cell in cells:
            if isinstance(cell, int | float):
                targets.append(str(cell))
            else:
                targets.append(cell)
    return replace(table, columns={**table.columns, _TARGET: targets})


def _roles_of(documents: Table) -> Roles:
    """Return the roles of the columns; prompts are sources where all are texts, as chats are not."""
    source = None
    if all(isinstance(cell, str) for cell in documents.columns[_PROMPT]):
        source = _PROMPT
    systems = tuple(name for name in documents.columns if name.startswith(_RESPONSE))
    return Roles(source, (_TARGET,), systems)


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


def _warn_of_what_stands_for_nothing(documents: Table, roles: Roles, *, has_texts: bool) -> None:
    """Warn of responses and targets that the harness writes where it has none."""
    for system in roles.systems:
        _warn_of(documents, system, ("[invalid]",), "its filter found nothing there")
    if has_texts:
        _warn_of(documents, _TARGET, ("None", "nan"), "the harness writes this for a missing target")


def _warn_of(table: Table, column: str, markers: Sequence[str], reason: str) -> None:
    rows = [row for row, cell in enumerate(table.columns[column]) if cell in markers]
    if rows:
        cell = table.columns[column][rows[0]]
        first_id = table.columns["doc_id"][rows[0]]
        warn(
            f"{table.name}, {column!r}: {cell!r} in {len(rows):,} of {len(table.lines):,} samples, the first with "
            f"doc_id {first_id}: {reason}. It is read as a text."
        )
