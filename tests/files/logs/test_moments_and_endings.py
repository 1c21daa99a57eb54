"""Times in names of files are instants, and columns say how answers ended: what is one, and what is none."""

from datetime import datetime, timedelta, timezone

import pytest

from tercet.files.logs.endings import doubtful_errors, wrong_end, wrong_ends, wrong_ends_of_choices
from tercet.files.logs.moments import NEVER, instant, is_moment, last_moment, without_moments


def utc(*numbers, hours=0, minutes=0):
    return datetime(*numbers, tzinfo=timezone.utc) - timedelta(hours=hours, minutes=minutes)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("2026-01-09T10-20-30", utc(2026, 1, 9, 10, 20, 30)),
        ("2026-1-9T1-2-3", utc(2026, 1, 9, 1, 2, 3)),
        ("2026-01-09 10:20:30Z", utc(2026, 1, 9, 10, 20, 30)),
        ("2026-01-09T10-20-30.5", utc(2026, 1, 9, 10, 20, 30, 500_000)),
        ("2026-01-09T10-20-30,000123", utc(2026, 1, 9, 10, 20, 30, 123)),
        ("2026-01-09T10-20-30.123456789", utc(2026, 1, 9, 10, 20, 30, 123_456)),
        ("2026-01-09T10-20-30+02-30", utc(2026, 1, 9, 10, 20, 30, hours=2, minutes=30)),
        ("2026-01-09T10-20-30-0130", utc(2026, 1, 9, 10, 20, 30, hours=-1, minutes=-30)),
        ("2026-01-09T10-20-30.25+00:45", utc(2026, 1, 9, 10, 20, 30, 250_000, minutes=45)),
        ("20260109_102030", utc(2026, 1, 9, 10, 20, 30)),
        ("2026-13-09T10-20-30", NEVER),
        ("20260230_102030", NEVER),
        ("2026-01-09T10-60-30", NEVER),
    ],
)
def test_a_moment_is_an_instant_of_utc_unless_it_says_how_far_it_is_ahead(written, expected):
    assert is_moment(written)
    assert instant(written) == expected


@pytest.mark.parametrize(
    "name",
    ["", "run", "2026-01-09", "2026-01-09T10-20", "1202601090_102030", "20260109_1020301", "x2026-01-09T1-2-3"],
)
def test_what_is_no_moment_comes_before_all(name):
    assert not is_moment(name)
    assert instant(name) == NEVER < utc(1, 1, 2)


def test_the_last_moment_of_a_path_counts():
    path = "evals/2026-01-09T10-20-30/модель_2026-01-10T00-00-00.5_猫.json"
    assert last_moment(path) == "2026-01-10T00-00-00.5"
    assert without_moments(path) == "evals//модель__猫.json"
    assert last_moment("модель/猫.json") == ""


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        *((reason, "cut off") for reason in ("length", "MAX_TOKENS", "max_output_tokens", "model_length")),
        ("model_context_window_exceeded", "cut off"),
        ("content_filter", "stopped by a filter"),
        *((reason, "stopped by a filter") for reason in ("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT")),
        *((reason, "stopped by a filter") for reason in ("SPII", "guardrail_intervened", "content_filtered")),
        ("refusal", "refused"),
        ("stop", ""),
        (None, ""),
        (7, ""),
    ],
)
def test_an_answer_ends_badly_for_these_reasons(reason, said):
    assert wrong_end(reason) == said
    assert wrong_ends("finish_reason", ["stop", reason, None, ""]) == ({1: said} if said else {})
    choices = [{"finish_reason": "stop"}, {"finish_reason": reason}, {"finish_reason": "length"}]
    assert wrong_ends_of_choices(choices, "finish_reason") == ["", said, "cut off"]
    assert wrong_ends_of_choices(None, "finish_reason") == []


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["ok", "Error", "done", " timeout "], {1: "failed", 3: "failed"}),
        (["ok", "incomplete", None, "nan", ""], {1: "cut off"}),
        (["expired", "cancelled", "succeeded"], {0: "failed", 1: "failed"}),
        (["ok", "error", "passed"], {}),
        (["ok", 500], {}),
        ([None, ""], {}),
    ],
)
def test_a_column_of_states_says_it_where_all_of_them_are_known(cells, expected):
    assert wrong_ends("status", cells) == expected


@pytest.mark.parametrize("column", ["error", "error.message"])
@pytest.mark.parametrize(
    ("cells", "rows"),
    [
        ([None, "перегрузка", "", "n/a"], [1]),
        ([{"code": 500}, None, None], [0]),
        ([{"message": "занято"}, {"message": "занято", "code": 500}, None], [0, 1]),
        ([{"message": "", "code": 0}, {"message": None}], []),
        ([None, "перегрузка", "занято", "", None], [1, 2]),
        ([None, "0.7", "", "", ""], []),
        ([None, 0.7, "", "", ""], []),
        ([None, 0, "", "", "zu spät"], [4]),
    ],
)
def test_a_column_of_errors_says_it_by_messages(column, cells, rows):
    assert wrong_ends(column, cells) == dict.fromkeys(rows, "failed")
    assert doubtful_errors(column, cells) == []


@pytest.mark.parametrize(
    ("cells", "rows"),
    [
        ([None, "перегрузка", "занято", ""], [1, 2]),
        (["zu spät"] * 3 + [None, ""], [0, 1, 2]),
        ([{"code": 500}, {"code": 500}, None], [0, 1]),
    ],
)
def test_errors_in_half_of_the_rows_are_in_doubt_unless_they_are_messages_of_objects(cells, rows):
    assert wrong_ends("error", cells) == {}
    assert doubtful_errors("error", cells) == rows
    assert wrong_ends("error.message", cells) == dict.fromkeys(rows, "failed")
    assert doubtful_errors("error.message", cells) == []
