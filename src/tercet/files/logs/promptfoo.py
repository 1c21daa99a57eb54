"""promptfoo (eval -o): <any>.json, an object with a list of results; or <any>.jsonl, a line per result.

    {"config": {"description": "sums"}, "results": {"results": [{"testIdx": 0, "promptIdx": 0,
     "provider": {"id": "openai:gpt-4o"}, "prompt": {"label": "Q: {{sum}}"}, "vars": {"sum": "1 + 17"},
     "response": {"output": "18"}, "success": true, "score": 1, "namedScores": {"exact": 1}}]}}

Known by: results with a prompt, and a response that is an object, namedScores or an error. A row per test, a
system per provider and prompt; scores: score, success, the named ones, and those of assertions by their types.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, NamedTuple

from tercet.errors import InputError, shorten, warn
from tercet.files.columns.name_roles import role_of
from tercet.files.json_values import as_list, field_of
from tercet.files.rows import RaggedRows
from tercet.files.table import MOST_COLUMNS, Log, Roles, Table
from tercet.files.tables.json_tables import written

from .log_format import LogFormat
from .run_names import run_of
from .scores import is_number, numbers_of_scores
from .system_columns import system_column, system_of

#: What a table of results has, whatever else.
_COLUMNS = {"prompt", "provider", "vars", "response", "namedScores"}
#: Types of assertions of promptfoo 0.121 whose value is a text that the output is compared with.
_COMPARING = frozenset({"equals", "similar", "rouge-n", "bleu", "gleu", "meteor", "levenshtein", "factuality"})
#: The columns of outputs, each with its system behind it, and that of what they are compared with.
_OUTPUT = "response.output"
_VALUE = "assert.value"
#: What stands in front of the name of a variable, in that of its column.
_VARIABLES = "vars."
#: The numbers of a result's test and of its prompt.
_TEST_NUMBER = "testIdx"
_PROMPT_NUMBER = "promptIdx"
#: Characters of a prompt that is the name of a system.
_LONGEST_NAME = 40
#: A variable in the value of an assertion.
_VARIABLE = re.compile(r"\{\{\s*(\w+)\s*\}\}")


def log_in_table(table: Table) -> Log | None:
    """Return the log of results that are lines of JSON; None for other tables."""
    if not table.columns.keys() >= _COLUMNS:
        return None
    rows = zip(*table.columns.values(), strict=True)
    results = [dict(zip(table.columns, cells, strict=True)) for cells in rows]
    return _log_of_results(results, table.name, None)


def log_in_object(content: Mapping[str, Any], name: str) -> Log | None:
    """Return the log of the results in an object; None for other objects."""
    results = content.get("results")
    if isinstance(results, dict):
        results = results.get("results")
    if isinstance(results, list) and any(map(_is_result, results)):
        return _log_of_results(results, name, field_of(content.get("config"), "description"))
    return None


FORMAT = LogFormat(
    "promptfoo", in_table=log_in_table, in_object=log_in_object, in_words="results of promptfoo in JSON"
)


def _is_result(result: Any) -> bool:
    """Return whether an object is a result: others have a prompt and a response, too, but this as a text."""
    if not isinstance(result, dict) or "prompt" not in result or not result.keys() & {"provider", "response", "vars"}:
        return False
    return isinstance(result.get("response"), dict) or bool(result.keys() & {"namedScores", "error"})


def _log_of_results(results: Sequence[Any], name: str, description: Any) -> Log:
    """Return the tests of which every system has an output; a warning counts the others, after an error."""
    _check_results(results, name)
    tests = _TestRun.of(results, name)
    complete = tests.complete(name)
    table = _table_of_tests(complete, tests.systems, name)
    scores = {}
    n_unanswered = {}
    for system in tests.systems:
        scores[system] = [_scores_of_result(outputs[system]) for outputs in complete]
        n_unanswered[system] = sum(system not in outputs for outputs in tests.outputs)
    names_of_scores = _names_of_scores(scores, name)
    values = _values_of_scores(scores, names_of_scores, name)
    return Log(
        name,
        table.columns,
        table.lines,
        harness=FORMAT.harness,
        task=str(description or FORMAT.harness),
        run=run_of(name),
        key=("test", "repeat"),
        roles=_roles_of(table, tests.systems),
        scores=names_of_scores,
        numbers=numbers_of_scores(values, name),
        higher_is_better=dict.fromkeys(names_of_scores, True),
        n_unanswered=n_unanswered,
        n_left_out=len(tests.outputs) - len(complete),
        names_systems=True,
    )


def _check_results(results: Sequence[Any], name: str) -> None:
    """Raise an InputError for what is no result."""
    for number, result in enumerate(results, 1):
        if not isinstance(result, dict) or "prompt" not in result or not isinstance(result.get("vars") or {}, dict):
            expected = f"expected an object with prompt and vars as result {number:,}"
            raise InputError(f"{name}: {expected}, got {shorten(result)}.")


#: The results of a test, by system: those with an output.
_Outputs = dict[str, dict[str, Any]]


@dataclass
class _TestRun:
    """The results, test by test."""

    #: Of all tests that some system took, in the order of the tests.
    outputs: list[_Outputs]
    #: The systems as columns of outputs, in the order in which they first occur.
    systems: tuple[str, ...]
    #: Of each result without an output, whose it is and why, in words.
    failures: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, results: Sequence[dict[str, Any]], name: str) -> _TestRun:
        """Return the tests of results, which come as they are ready."""
        numbers = [result.get(_TEST_NUMBER) for result in results]
        numbers += [result.get(_PROMPT_NUMBER) for result in results]
        has_numbers = all(map(is_number, numbers))
        in_order = results
        if has_numbers:
            in_order = sorted(results, key=itemgetter(_TEST_NUMBER, _PROMPT_NUMBER))
        columns = [system_column(_OUTPUT, system) for system in _systems_of_results(in_order, name)]
        outputs_by_test: dict[Any, _Outputs] = {}
        repeats: Counter[Any] = Counter()
        failures = []
        for result, column in zip(in_order, columns, strict=True):
            variables = _variables(result)
            repeats[column, variables] += 1
            # Without numbers, the same test has the same variables.
            test: Any = (variables, repeats[column, variables])
            if has_numbers:
                test = result[_TEST_NUMBER]
            outputs = outputs_by_test.setdefault(test, {})
            if column in outputs:
                raise InputError(
                    f"{name}: test {test} of {system_of(column)} occurs twice; expected each test of a system once."
                )
            if field_of(result.get("response"), "output") is not None:
                outputs[column] = result
            else:
                why = result.get("error") or field_of(result.get("response"), "error") or "no output"
                failures.append(f"{system_of(column)}: {shorten(why)}")
        return cls(list(outputs_by_test.values()), tuple(dict.fromkeys(columns)), failures)

    def complete(self, name: str) -> list[_Outputs]:
        """Return the tests of which every system has an output; InputError where there are none."""
        complete = [outputs for outputs in self.outputs if len(outputs) == len(self.systems)]
        n_tests = len(self.outputs)
        if len(complete) == n_tests:
            return complete
        summary = f"{n_tests - len(complete):,} of {n_tests:,} tests have no output of some system"
        if self.failures:
            summary += f", the first of {self.failures[0]}"
        if not complete:
            raise InputError(f"{name}: {summary}; expected outputs.")
        warn(f"{name}: {summary}: left out for every system.")
        return complete


def _variables(result: Mapping[str, Any]) -> str:
    return json.dumps(result.get("vars") or {}, ensure_ascii=False, sort_keys=True)


def _table_of_tests(tests: Sequence[_Outputs], systems: Sequence[str], name: str) -> Table:
    """Return a row for each test: its variables, the outputs, and the texts that these are compared with."""
    rows = RaggedRows(name)
    repeats: Counter[str] = Counter()
    for number, outputs in enumerate(tests, 1):
        first = outputs[systems[0]]
        test = _variables(first)
        repeats[test] += 1
        row: dict[str, Any] = {"test": test, "repeat": str(repeats[test])}
        for key, value in (first.get("vars") or {}).items():
            row[f"{_VARIABLES}{key}"] = written(value)
        for system in systems:
            row[system] = written(outputs[system]["response"]["output"])
        row[_VALUE] = _expected_texts(first)
        rows.add(number, row)
    return rows.table("results of tests")


def _roles_of(table: Table, systems: tuple[str, ...]) -> Roles:
    """Return the roles of the columns: variables have those that their names say."""
    references = []
    sources = []
    others = []
    for column in table.columns:
        if not column.startswith(_VARIABLES):
            continue
        role = role_of(column.removeprefix(_VARIABLES))
        if role == "reference":
            references.append(column)
        elif role == "source":
            sources.append(column)
        else:
            others.append(column)
    source = None
    if sources:
        source = sources[0]
    elif len(others) == 1:
        # The only variable beside the references needs no name that says so.
        source = others[0]
    if not references and any(table.columns[_VALUE]):
        references = [_VALUE]
    return Roles(source, tuple(references), systems)


#: By system, the scores of each test by their names.
_ScoresOfSystems = Mapping[str, Sequence[Mapping[str, Any]]]


def _names_of_scores(scores: _ScoresOfSystems, name: str) -> tuple[str, ...]:
    """Return the names of the scores that some system has, in the order in which they first occur."""
    names: dict[str, None] = {}
    for of_tests in scores.values():
        for of_test in of_tests:
            names.update(dict.fromkeys(of_test))
    if len(names) > MOST_COLUMNS:
        raise InputError(f"{name}: more than {MOST_COLUMNS} different scores; expected at most that.")
    return tuple(names)


def _values_of_scores(scores: _ScoresOfSystems, names: Sequence[str], name: str) -> dict[str, dict[str, list[Any]]]:
    """Return the values of each score that all systems have, by system; a warning names those that some have."""
    values = {}
    for score in names:
        by_system = {}
        lacking = []
        for system, of_tests in scores.items():
            cells = [of_test.get(score) for of_test in of_tests]
            by_system[system] = cells
            if all(cell is None for cell in cells):
                lacking.append(system)
        if not lacking:
            values[score] = by_system
        elif len(lacking) < len(by_system):
            system = shorten(system_of(lacking[0]))
            warn(f"{name}: {system} has no score {shorten(score)}, and others have: left out.")
    return values


class _System(NamedTuple):
    """What tells the systems of results apart."""

    provider: str
    prompt: str
    number: str


def _systems_of_results(results: Sequence[dict[str, Any]], name: str) -> list[str]:
    """Return the name of each result's system: its provider, and as promptfoo has them the prompt of several."""
    keys = []
    for result in results:
        provider = _provider_name(result.get("provider"))
        prompt = _prompt_name(result["prompt"])
        keys.append(_System(provider, prompt, str(result.get(_PROMPT_NUMBER))))
    distinct = list(dict.fromkeys(keys))
    if len(distinct) > MOST_COLUMNS:
        raise InputError(f"{name}: more than {MOST_COLUMNS} different providers and prompts; expected at most that.")
    prompts = list(dict.fromkeys(key.prompt for key in distinct))
    names: dict[_System, str] = {}
    for key in distinct:
        system = key.provider or "provider"
        if len(prompts) > 1:
            # The label of a prompt may be its whole text.
            is_short = 0 < len(key.prompt) <= _LONGEST_NAME and key.prompt.isprintable()
            title = key.prompt
            if not is_short:
                title = f"prompt {prompts.index(key.prompt) + 1}"
            system = f"[{system}] {title}"
        n_alike = 0
        for earlier in names.values():
            if earlier == system or earlier.startswith(f"{system} #"):
                n_alike += 1
        if n_alike:
            system += f" #{n_alike + 1}"
        names[key] = system
    return [names[key] for key in keys]


def _provider_name(provider: Any) -> str:
    """Return how promptfoo calls a provider: an object, or its name alone."""
    name = provider
    if isinstance(provider, dict):
        name = provider.get("label") or provider.get("id")
    return " ".join(str(name or "").split())


def _prompt_name(prompt: Any) -> str:
    """Return how promptfoo calls a prompt; "" for what is no object."""
    name = field_of(prompt, "label") or field_of(prompt, "display")
    return " ".join(str(name or "").split())


def _expected_texts(result: Mapping[str, Any]) -> list[str]:
    """Return the texts that a test's assertions compare the output with."""
    assertions = field_of(result.get("testCase"), "assert")
    if not isinstance(assertions, list):
        return []
    texts: list[Any] = []
    for assertion in assertions:
        if isinstance(assertion, dict) and assertion.get("type") in _COMPARING:
            texts += as_list(assertion.get("value"))
    variables = result.get("vars") or {}

    def value_of_variable(match: re.Match[str]) -> str:
        return written(variables.get(match[1], match[0]))

    rendered = []
    for text in texts:
        if isinstance(text, str) and not text.startswith("file://"):
            rendered.append(_VARIABLE.sub(value_of_variable, text))
    return list(dict.fromkeys(rendered))


def _scores_of_result(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return the scores of a result: of all assertions, by their metrics, and of those without one by their types."""
    grading = result.get("gradingResult")
    parts: list[dict[str, Any]] = []
    if isinstance(grading, dict):
        components = grading.get("componentResults")
        if isinstance(components, list):
            parts = [part for part in components if isinstance(part, dict)]
        # Without assertions, a test is passed with a score of 1.
        if not parts:
            return {}
    scores = {"score": result.get("score"), "success": result.get("success")}
    named = result.get("namedScores")
    if isinstance(named, dict):
        scores |= named
    types: Counter[str] = Counter()
    for part in parts:
        assertion = part.get("assertion")
        if isinstance(assertion, dict) and not assertion.get("metric"):
            kind = str(assertion.get("type"))
            types[kind] += 1
            name = kind
            if types[kind] > 1:
                name = f"{kind} {types[kind]}"
            scores.setdefault(name, part.get("score"))
    return scores
