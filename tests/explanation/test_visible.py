"""Names that others gave, shown in terminals and tables, where they could do harm."""

import pytest

from tercet.names_as_shown import one_cell, visible


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("my\x1b[2Jsystem\n", r"my\x1b[2Jsystem\n"),  # clears a terminal
        ("ab\u202ecd", r"ab\u202ecd"),  # turns the direction of what follows
        ("half \udc80", r"half \udc80"),
        ("می\u200cخواهم", "می\u200cخواهم"),  # shapes letters
    ],
)
def test_a_character_that_acts_is_shown_as_an_escape_and_a_cell_is_one_line(name, shown):
    assert visible(name) == shown
    assert one_cell("a\tsystem\n \x07") == r"a system \x07"
