"""MT-Bench (FastChat, gen_judgment.py --mode single): <judge>_single.jsonl, a line per judgment of an answer.

    {"question_id": 81, "turn": 1, "model": "vicuna-7b", "judge": ["gpt-4", "single-v1"], "score": 8}

Known by: these five, the judge a list. A row per question and turn, a system per model, without texts.
"""

from __future__ import annotations

from typing import Any

from tercet.errors import InputError, shorten, warn
from tercet.files.table import MOST_CELLS, MOST_COLUMNS, Log, Roles, Table
from tercet.names_as_shown import joined

from .log_format import LogFormat
from .run_names import stem_of
from .scores import is_number, numbers_of_scores
from .system_columns import system_column

_QUESTION = "question_id"
_TURN = "turn"
_MODEL = "model"
_JUDGE = "judge"
_SCORE = "score"
_SINGLE = {_QUESTION, _TURN, _MODEL, _JUDGE, _SCORE}
_PAIRS = {_QUESTION, _TURN, "model_1", "model_2", "g1_winner", "g2_winner"}
#: The score of an answer in whose judgment no score was found.
_FAILED = -1
#: What tells the answers of a model apart: a question and a turn.
_Turn = tuple[str, str]


def log_in_table(table: Table) -> Log | None:
    """Return the scores of each model by question and turn; None for a table of anything else.

    The turns of a question are answers to one question, which are resampled together. What the judge gave no score,
    written as -1, has none, with a warning.
    """
    if table.columns.keys() >= _PAIRS:
        raise InputError(
            f"{table.name} holds judgments of pairs of answers, which are not read; expected those of single ones, "
            "such as gpt-4_single.jsonl (gen_judgment.py --mode single)."
        )
    if not _are_judgments(table):
        return None
    judge = _judge(table)
    scores = _scores_by_model(table)
    cells = table.columns
    lines: dict[_Turn, int] = {}
    for question, turn, line in zip(cells[_QUESTION], cells[_TURN], table.lines, strict=True):
        lines.setdefault((str(question), str(turn)), line)
    if len(scores) > MOST_COLUMNS or len(scores) * len(lines) > MOST_CELLS:
        raise InputError(
            f"{table.name}: {len(scores):,} models with {len(lines):,} answers; expected at most {MOST_COLUMNS} "
            f"models, and {MOST_CELLS:,} scores."
        )
    failed = [line for line, score in zip(table.lines, cells[_SCORE], strict=True) if score == _FAILED]
    if failed:
        warn(
            f"{table.name}: {len(failed):,} of {len(table.lines):,} judgments have no score (-1), the first is on "
            f"line {failed[0]:,}: these scores are missing."
        )
    columns = {_QUESTION: [question for question, _ in lines], _TURN: [turn for _, turn in lines]}
    scores_by_column = {}
    for model, score_of_answer in scores.items():
        column = system_column(_MODEL, model)
        columns[column] = [""] * len(lines)
        scores_by_column[column] = [score_of_answer.get(answer) for answer in lines]
    run = stem_of(table.name)
    if len(scores) == 1:
        (run,) = scores
    return Log(
        table.name,
        columns,
        list(lines.values()),
        harness=FORMAT.harness,
        task=f"MT-Bench, judged by {judge}",
        run=run,
        key=(_QUESTION, _TURN),
        roles=Roles(None, (), tuple(scores_by_column)),
        scores=(_SCORE,),
        numbers=numbers_of_scores({_SCORE: scores_by_column}, table.name),
        higher_is_better={_SCORE: True},
        names_systems=True,
        no_texts=f"{table.name} holds judgments of answers, not their texts",
    )


FORMAT = LogFormat("MT-Bench", in_table=log_in_table)


def _are_judgments(table: Table) -> bool:
    """Return whether a judge is a model and the name of its prompt: other tables of scores have one text there."""
    if not table.columns.keys() >= _SINGLE:
        return False
    return all(isinstance(cell, list) and cell for cell in table.columns[_JUDGE])


def _scores_by_model(table: Table) -> dict[str, dict[_Turn, Any]]:
    """Return the score of each answer of each model; None of those in whose judgment none was found."""
    cells = table.columns
    scores: dict[str, dict[_Turn, Any]] = {}
    for row, line in enumerate(table.lines):
        question = str(cells[_QUESTION][row])
        turn = str(cells[_TURN][row])
        of_model = scores.setdefault(str(cells[_MODEL][row]), {})
        score = cells[_SCORE][row]
        if not is_number(score):
            raise InputError(f"{table.location(row, _SCORE)}: expected a number, got {shorten(score)}.")
        if (question, turn) in of_model:
            raise InputError(
                f"{table.name}, line {line}: question {question}, turn {turn} of {shorten(cells[_MODEL][row])} is "
                "judged again; expected one judgment of each answer."
            )
        if score == _FAILED:
            score = None
        of_model[question, turn] = score
    return scores


def _judge(table: Table) -> str:
    """Return the model that judged all answers."""
    judges = list(dict.fromkeys(str(judge) for judge, *_ in table.columns[_JUDGE]))
    if len(judges) > 1:
        raise InputError(
            f"{table.name} holds judgments by {joined(list(map(repr, judges)))}; expected a file for each judge."
        )
    return judges[0]
