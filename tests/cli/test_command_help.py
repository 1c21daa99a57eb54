"""The help of commands: examples first, what most need, and the rest under ``--help-all``."""

import re
import shlex

import pytest

from commands import command
from tercet.cli.help import EXAMPLES, RARE, RARE_IN

NARROW = {"COLUMNS": "80"}
#: Two screens of 40 lines.
TWO_SCREENS = 80


def helped(name, option="--help"):
    return command(name, option, env=NARROW).stdout


def options_in(text):
    """Return the options that have a line of their own."""
    return set(re.findall(r"^  (?:-\w, )?(--[\w-]+)", text.partition("\nAlso, under ")[0], flags=re.MULTILINE))


@pytest.mark.parametrize("name", EXAMPLES)
class TestHelp:
    def test_fits_two_screens(self, name):
        lines = helped(name).splitlines()
        assert len(lines) <= TWO_SCREENS
        assert max(map(len, lines)) <= 80

    def test_begins_with_examples(self, name):
        shown = helped(name)
        assert shown.index("\nExamples:\n") < shown.index("\nArguments:\n") < shown.index("\nOptions:\n")
        for wanted, line in EXAMPLES[name]:
            assert f"\n  {wanted}\n    {line}\n" in shown

    def test_names_the_options_that_help_all_shows(self, name):
        brief = helped(name)
        left_out = brief.partition(f"\nAlso, under tercet {name} --help-all:\n")[2].partition("\n\n")[0]
        names = set(left_out.replace("\n", " ").replace(",", " ").split())
        assert names == options_in(helped(name, "--help-all")) - options_in(brief)
        assert names <= RARE | RARE_IN.get(name, frozenset())

    def test_has_options_that_exist_in_its_examples(self, name):
        known = options_in(helped(name, "--help-all")) | {"-r", "-m", "-o", "-n"}
        for _, line in EXAMPLES[name]:
            tercet, used, *words = shlex.split(line.replace("|||", ""))
            assert (tercet, used) == ("tercet", name)
            assert {word for word in words if word.startswith("-")} <= known

    def test_is_an_example_where_nothing_was_given(self, name):
        shown = command(name, code=2, env=NARROW)
        assert shown.stdout == ""
        assert shown.stderr.startswith(f"Usage: tercet {name} ")
        assert EXAMPLES[name][0][1] in shown.stderr
        assert shown.stderr.endswith(f"\ntercet {name} --help shows its options.\n")


def test_what_is_said_of_an_option_after_its_first_sentence_stands_under_help_all():
    first = "File of references; repeatable."
    for option, says_all in (("--help", False), ("--help-all", True)):
        shown = " ".join(helped("compare", option).split())
        assert first in shown
        assert ("an empty line is an empty reference, as in sacrebleu" in shown) == says_all


def test_ray_is_only_spoken_of_where_it_scores():
    for name in EXAMPLES:
        shown = helped(name, "--help-all")
        assert bool(re.search(r"\bray\b", shown, flags=re.IGNORECASE)) == (name == "score"), name


def test_an_option_is_rare_only_if_some_command_has_it():
    all_options = set().union(*(options_in(helped(name, "--help-all")) for name in EXAMPLES))
    assert all_options >= RARE
    for name, options in RARE_IN.items():
        assert options <= options_in(helped(name, "--help-all"))


def test_segment_is_rare_in_compare_and_not_in_explain():
    assert "--segment" not in options_in(helped("compare"))
    assert "--segment" in options_in(helped("explain"))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("plan a.txt --difference 1 --out made.html", "by the extension of --out (.json or .txt), else text."),
        ("mbr a.txt -n 1 --out made.html", "by the extension of --out (.jsonl, .txt or the like), else text."),
        ("score a.txt --segments made.html", ".csv, .jsonl, .xlsx or TSV (.tsv, .txt) by its extension."),
        ("compare a.txt --segments made.html", ".csv, .jsonl, .xlsx or TSV (.tsv, .txt) by its extension."),
    ],
)
def test_help_names_the_extensions_that_are_taken_and_others_are_refused(line, said, tmp_path):
    name, *arguments = line.split()
    assert said in " ".join(helped(name, "--help-all").split())
    assert "'made.html': " in command(name, *arguments, code=2, cwd=tmp_path).stderr
