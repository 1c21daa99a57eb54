"""Tables that promptfoo exports: its verdicts, scores and reasons are taken out of the texts, in all its versions."""

import csv
import json

import openpyxl
import pytest

import tercet
from commands import command
from harness_logs import ENGLISH, GERMAN, RUNS

#: Two providers with one prompt, as newer versions call their columns.
HEADS = {"A": "[openai:gpt-4o] Translate: {{question}}", "B": "[anthropic:claude] Translate: {{question}}"}
SYSTEMS = {"openai:gpt-4o": RUNS["A"], "anthropic:claude": RUNS["B"]}
PASSED = {run: [text == english for text, english in zip(RUNS[run], ENGLISH, strict=True)] for run in RUNS}


def reason_of(run, row):
    if PASSED[run][row]:
        return "All assertions passed"
    return f'Expected output "{RUNS[run][row]}" to equal "{ENGLISH[row]}"'


def verdict_first(run, row):
    """As the page exports it."""
    if PASSED[run][row]:
        return [f"[PASS] {RUNS[run][row]}"]
    return [f"[FAIL] {reason_of(run, row)}\n---\n{RUNS[run][row]}"]


def with_score(run, row):
    """As ``promptfoo eval -o out.csv`` wrote it, and into Google Sheets: score, text and reason in paragraphs."""
    verdict = "Pass" if PASSED[run][row] else "Fail"
    text = RUNS[run][row] if PASSED[run][row] else f"{reason_of(run, row)}\n---\n{RUNS[run][row]}"
    score = f"({PASSED[run][row]:.2f}, clarity: 0.{row}5, length: 1.00)"
    return [f"[{verdict.upper()}] {score}\n\n{text}\n\n{verdict} Reason: {reason_of(run, row)}"]


def with_reason_behind(run, row):
    """As the page exported it later: columns of the reason and of a comment behind each output."""
    return [f"[{'PASS' if PASSED[run][row] else 'FAIL'}] {RUNS[run][row]}", reason_of(run, row), ""]


def apart(run, row):
    """As its newest versions export it: all apart, under names that are repeated."""
    status = "PASS" if PASSED[run][row] else "FAIL"
    scores = json.dumps({"clarity": row / 10 + 0.05, "length": 1})
    return [RUNS[run][row], status, f"{PASSED[run][row]:.2f}", scores, reason_of(run, row), ""]


BEHIND = {
    verdict_first: [],
    with_score: [],
    with_reason_behind: ["Grader Reason", "Comment"],
    apart: ["Status", "Score", "Named Scores", "Grader Reason", "Comment"],
}


def rows_in(form, heads=HEADS, tests=GERMAN):
    header = ["question", "reference"]
    for head in heads.values():
        header += [head, *BEHIND[form]]
    rows = [header]
    for row, german in enumerate(tests):
        cells = [german, ENGLISH[row]]
        for run in heads:
            cells += form(run, row)
        rows.append(cells)
    return rows


def written(path, rows):
    if path.suffix == ".xlsx":
        workbook = openpyxl.Workbook()
        for row in rows:
            workbook.active.append(row)
        workbook.save(path)
        return path
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows(rows)
    return path


def read(path):
    (found,) = tercet.read_test_sets(path)
    return found


@pytest.mark.parametrize("form", BEHIND, ids=lambda form: form.__name__)
@pytest.mark.parametrize("ending", [".csv", ".xlsx"])
def test_texts_are_scored_without_what_promptfoo_says_of_them(tmp_path, form, ending):
    found = read(written(tmp_path / f"output{ending}", rows_in(form)))
    assert found.systems == SYSTEMS
    assert (found.references, found.source) == ([[english] for english in ENGLISH], GERMAN)
    assert found.scores["success"]["openai:gpt-4o"].tolist() == PASSED["A"]
    assert "success" in found.higher_is_better


@pytest.mark.parametrize("form", [with_score, apart])
def test_scores_of_tests_and_of_metrics(tmp_path, form):
    scores = read(written(tmp_path / "output.csv", rows_in(form))).scores
    assert list(scores) == ["score", "success", "clarity", "length"]
    assert scores["score"]["anthropic:claude"].tolist() == PASSED["B"]
    assert scores["clarity"]["openai:gpt-4o"].tolist() == pytest.approx([0.05, 0.15, 0.25, 0.35])


def test_the_score_is_that_of_the_same_results_in_json(tmp_path):
    results = [
        {
            "testIdx": row, "promptIdx": index, "prompt": {"label": "Translate"}, "provider": {"id": provider},
            "vars": {"question": german, "reference": ENGLISH[row]}, "response": {"output": texts[row]},
            "success": True, "score": 1,
        }
        for row, german in enumerate(GERMAN)
        for index, (provider, texts) in enumerate(SYSTEMS.items())
    ]  # fmt: skip
    (tmp_path / "output.json").write_text(json.dumps({"results": {"results": results}}), encoding="utf-8")
    expected = read(tmp_path / "output.json")
    assert read(written(tmp_path / "output.csv", rows_in(verdict_first))) == expected
    run = command("score", "output.csv", "-m", "chrf", cwd=tmp_path)
    assert run.stdout == command("score", "output.json", "-m", "chrf", cwd=tmp_path).stdout
    assert "note: promptfoo: log of promptfoo: openai:gpt-4o, anthropic:claude: predictions from" in run.stderr


def test_several_prompts_of_one_provider(tmp_path):
    heads = {"A": "[openai:gpt-4o] Translate", "B": "[openai:gpt-4o] Translate politely"}
    found = read(written(tmp_path / "output.csv", rows_in(apart, heads)))
    assert list(found.systems) == ["[openai:gpt-4o] Translate", "[openai:gpt-4o] Translate politely"]


def test_outputs_before_the_variables_whose_columns_have_the_names_of_prompts(tmp_path):
    """As the first versions wrote it."""
    rows = [["Short: {{text}}", "Long: {{text}}", "text", "reference"]]
    for row, german in enumerate(GERMAN):
        rows.append([f"[PASS] (1.00) {RUNS['A'][row]}", f"[PASS] (1.00) {RUNS['B'][row]}", german, ENGLISH[row]])
    found = read(written(tmp_path / "output.csv", rows))
    assert found.systems == {"'Short: {{text}}'": RUNS["A"], "'Long: {{text}}'": RUNS["B"]}
    assert found.source == GERMAN


def test_tests_with_an_error_are_left_out(tmp_path):
    for form, cell in ((verdict_first, ["[ERROR] 429\n---\n"]), (apart, ["", "ERROR", "0.00", "", "429", ""])):
        rows = rows_in(form)
        rows[2][-len(cell) :] = cell
        with pytest.warns(UserWarning, match="1 of 4 tests have no output of some system, the first of anthropic"):
            found = read(written(tmp_path / "output.csv", rows))
        assert found.systems["openai:gpt-4o"] == [RUNS["A"][row] for row in (0, 2, 3)]


def test_without_assertions_nothing_passed(tmp_path):
    rows = rows_in(with_score)
    for row in rows[1:]:
        row[2:] = [f"[PASS] (1.00)\n\n{text}\n\nPass Reason: No assertions" for text in ("eins", "zwei")]
    assert read(written(tmp_path / "output.csv", rows)).scores == {}


@pytest.mark.parametrize(
    ("cell", "text"),
    [("[FAIL] the cat", "the cat"), ("[FAIL] why\n---\nthe cat\n---\nsleeps", "the cat\n---\nsleeps")],
)
def test_where_it_is_unclear_what_the_text_is(tmp_path, cell, text):
    rows = rows_in(verdict_first, {"A": HEADS["A"]})
    for row in rows[1:]:
        row[2] = "[PASS] the dog"
    rows[3][2] = rows[4][2] = cell
    place = r"output\.csv, line 4, column '\[openai:gpt-4o\].*: this output failed, and not one line '---'"
    with pytest.warns(UserWarning, match=f"{place}.*, nor in 1 more:"):
        (texts,) = read(written(tmp_path / "output.csv", rows)).systems.values()
    assert texts == ["the dog", "the dog", text, text]


@pytest.mark.parametrize("cell", ["[PASS] (1.00" + ", a: 1.00" * 3000 + "x", "[PASS] a" + "\n" * 50000 + "b"])
def test_long_cells_are_read_at_once(tmp_path, cell):
    rows = rows_in(verdict_first, {"A": HEADS["A"]}, GERMAN[:1])
    rows[1][2] = cell
    assert list(read(written(tmp_path / "output.csv", rows)).systems.values()) == [[cell.removeprefix("[PASS] ")]]


def test_a_table_with_a_verdict_in_some_cells_is_another(tmp_path):
    rows = [["mt", "ref", "Score", "Grader Reason"]]
    rows += [[f"[PASS] {text}" if row else text, text, "1", "a"] for row, text in enumerate(ENGLISH)]
    assert list(read(written(tmp_path / "a.csv", rows)).systems) == ["mt"]
