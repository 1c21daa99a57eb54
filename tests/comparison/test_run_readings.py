"""Readings of runs that compare seeds with seeds are found, and said with the pattern that is probably meant."""

import ast
import re

import pytest

import tercet
from commands import command
from comparison.test_runs import NAMES, REFERENCES, SYSTEMS
from tercet.comparison.runs.of_systems import members
from tercet.comparison.runs.run_warnings import reading_warnings, runs_hint
from tercet.errors import OptionError, for_command_line

FOUR = ["base-1", "base-2", "tuned-1", "tuned-2"]


def crossed(form, systems=("base", "tuned"), numbers=(1, 2)):
    return [form.format(system, number) for system in systems for number in numbers]


def warnings_of(outputs, runs):
    return reading_warnings(outputs, runs, members(outputs, runs))


@pytest.mark.parametrize(
    ("outputs", "runs", "meant"),
    [
        (FOUR, r"(\w+)-\d", r"(\w+)-(\d)"),
        (FOUR, r"(tuned|base)-\d", r"(tuned|base)-(\d)"),
        (FOUR, r"(.*)-[12]", r"(.*)-([12])"),
        (FOUR, r"(\w+)-(?:1|2)", r"(\w+)-(1|2)"),
        (FOUR, r"(\w+)-.", r"(\w+)-(.)"),
        (FOUR, r"(.+)\d", r".+(\d)"),
        (FOUR, r"(?P<system>\w+)-\d", r"(?P<system>\w+)-(\d)"),
        # What no group can be put into has a usual pattern.
        (FOUR, r"(base|tuned)-(?:1|(?:2))", r"(.+)-(\d+)"),
        (crossed("{}_seed{}"), r"(\w+)_seed\d+", r"(\w+)_seed(\d+)"),
        (crossed("{}.run {}"), r"(\w+).run \d", r"(\w+).run (\d)"),
        (crossed("mt-{}-{}"), r"mt-(\w+)-\d", r"mt-(\w+)-(\d)"),
        (crossed("{1}-{0}"), r"\d-(\w+)", r"(\d)-\w+"),
        (crossed("seed{1}/{0}"), r"seed\d/(\w+)", r"seed(\d)/\w+"),
        # A greedy group takes the first digit of 10.
        (crossed("{}{}", numbers=(1, 2, 10)), r"(\w+)\d", r"(.+?)(\d+)"),
        (crossed("{}-{}", systems=("a", "b")), r"(\w)-\d", r"(\w)-(\d)"),
        (crossed("{}-{}", systems=("基線", "調整")), r"(\w+)-\d", r"(\w+)-(\d)"),
        (crossed("{}{}", systems=("базова", "нова"), numbers="１２"), r"([^\W\d]+)\d", r"([^\W\d]+)(\d)"),
        (crossed("{} {}", systems=("أساس", "מכוון")), r"(\w+) \d", r"(\w+) (\d)"),
        # One run of each system, one system, and a pattern that matches some outputs only.
        (["base-1", "tuned-1"], r"(\w+)-\d", r"(\w+)-(\d)"),
        (["tuned-1", "tuned-2"], r"(\w+)-\d", r"(\w+)-(\d)"),
        (FOUR, r"(tuned)-\d", r"(tuned)-(\d)"),
        ([*FOUR, "large"], r"(\w+)-\d", r"(\w+)-(\d)"),
    ],
)
def test_seeds_are_not_compared_with_seeds(outputs, runs, meant):
    with pytest.raises(OptionError, match="seeds would be compared with seeds") as error:
        members(outputs, runs)
    assert f"Is runs=r'{meant}' meant?" in str(error.value)
    # What is proposed is read without a word, and has the systems that the error tells.
    read = members(outputs, meant)
    matched = [system for system, runs_of in read.items() if system not in outputs]
    for system in matched:
        assert repr(system) in str(error.value).partition("meant?")[2]
    assert not any(system.strip("-_0123456789") == "" for system in read)


def test_the_error_tells_both_readings():
    with pytest.raises(OptionError) as error:
        members(FOUR, r"(\w+)-\d")
    assert str(error.value) == (
        r"runs=r'(\w+)-\d' reads the systems '1' and '2', with the runs 'base' and 'tuned': seeds would be compared "
        r"with seeds. The last group is the run, and here it holds what looks like the system. Is "
        r"runs=r'(\w+)-(\d)' meant? It reads the systems 'base' and 'tuned', with the runs '1' and '2'. Where "
        "numbers do name the systems, a mapping in Python says so."
    )
    with for_command_line(), pytest.raises(OptionError, match="Is --runs '") as error:
        members(FOUR, r"(\w+)-\d")
    assert r"Is --runs '(\w+)-(\d)' meant?" in str(error.value)


@pytest.mark.parametrize(
    ("outputs", "runs"),
    [
        (FOUR, r"(\w+)-(\d)"),
        (FOUR, r"\w+-(\d)"),
        (crossed("{}_seed{}"), r"(\w+)_(seed\d+)"),
        # Letters may be the runs of systems that are numbered, or be called by one.
        (crossed("{1}-{0}", systems=("a", "b")), r"\d-(\w)"),
        (crossed("model-{1}-{0}", systems=("a", "b")), r"model-\d-(\w)"),
        # A group for the system says that it is meant.
        (crossed("model-{1}-{0}", systems=("best", "last")), r"(model-\d)-(\w+)"),
        (["tuned-first", "tuned-second"], r"tuned-(\w+)"),
        (["llama-2-x", "llama-2-y", "gpt-4-x"], r"(.+)-(\w)"),
        # Other systems, numbered otherwise.
        (["gpt-3", "gpt-4", "tuned-1", "tuned-2"], r"tuned-(\d)"),
        (["base", "tuned-1", "tuned-2"], r"tuned-(\d)"),
        (FOUR, {"tuned": ["tuned-1", "tuned-2"], "base": ["base-1", "base-2"]}),
        (FOUR, {"1": ["tuned-1", "tuned-2"], "2": ["base-1", "base-2"]}),
        (["m1-a", "m1-b", "m2-a", "m2-b"], {"GPT": ["m1-a", "m1-b"], "Other": ["m2-a", "m2-b"]}),
        (["m1-up", "m1-low", "m2-up", "m2-low"], {"m1": ["m1-up", "m1-low"], "m2": ["m2-up", "m2-low"]}),
        (["x", "y", "z"], {"1": ["x", "y"]}),
    ],
)
def test_what_is_meant_is_read_without_a_word(outputs, runs):
    assert warnings_of(outputs, runs) == []


@pytest.mark.parametrize(
    ("outputs", "runs", "patterns"),
    [
        (
            crossed("model-{1}-{0}", systems=("best", "last")),
            r"model-\d-(\w+)",
            [r"model-(\d)-\w+", r"(model-\d)-(\w+)"],
        ),
        (crossed("{}-{}b", systems=("north", "south"), numbers=(7, 13)), r"(\w+)-\d+b", [r"(\w+)-(\d+)b"]),
        (crossed("{}-{}-de"), r"(\w+)-\d-de", [r"(\w+)-(\d)-de"]),
        (crossed("{1}-{0}"), r"(\d)-(\w+)", [r"(\d)-\w+"]),
    ],
)
def test_where_both_may_be_meant_a_warning_shows_both(outputs, runs, patterns):
    (warning,) = warnings_of(outputs, runs)
    assert warning.startswith(f"runs=r'{runs}' reads the systems ")
    assert "If these systems are seeds, seeds are compared with seeds. For the systems " in warning
    assert re.findall(r": runs=r'(.*?)'", warning) == patterns
    for pattern in patterns:
        assert warnings_of(outputs, pattern) == []


def test_outputs_that_do_not_match_and_are_numbered_alike_are_told():
    assert warnings_of(FOUR, r"tuned-(\d)") == [
        r"'base-1' and 'base-2' do not match runs=r'tuned-(\d)', and are compared as 2 systems with one run "
        r"each, though they are numbered as 'tuned-1' and 'tuned-2' are. runs=r'(.+)-(\d+)' makes them runs of one."
    ]


@pytest.mark.parametrize(
    "runs",
    [
        {"1": ["tuned-1", "base-1"]},
        {"1": ["tuned-1", "base-1"], "2": ["tuned-2", "base-2"]},
        {"A": ["tuned-1", "base-1"], "B": ["tuned-2", "base-2"]},
        {"seed 1": ["tuned-1", "base-1"], "seed 2": ["tuned-2", "base-2"]},
    ],
)
def test_a_mapping_the_wrong_way_round_is_told(runs):
    with pytest.warns(UserWarning, match="with the same number and other names") as record:
        comparison = tercet.compare({name: SYSTEMS[name] for name in FOUR}, "chrf", references=REFERENCES, runs=runs)
    (warning,) = (str(one.message) for one in record)
    assert warning in comparison.warnings
    assert warning.startswith("test set: 'base-1' and 'tuned-1' are the runs of ")
    # What is proposed can be copied.
    proposed = ast.literal_eval(warning.partition("runs=")[2].removesuffix("."))
    assert proposed == {"base": ["base-1", "base-2"], "tuned": ["tuned-1", "tuned-2"]}


def test_the_command_refuses_and_warns(tmp_path):
    path = tmp_path / "set.tsv"
    lines = ["\t".join([*NAMES, "ref"]), *map("\t".join, zip(*SYSTEMS.values(), REFERENCES, strict=True))]
    path.write_text("\n".join(lines) + "\n")
    arguments = ("compare", path, "-m", "chrf", "--runs", r"(\w+)-\d")
    # Also before a gate looks at anything.
    for more in ((), ("--fail-if-worse", "chrf")):
        error = " ".join(command(*arguments, *more, code=2).stderr.split())
        assert r"Is --runs '(\w+)-(\d)' meant?" in error
    made = command("compare", path, "-m", "chrf", "--runs", r"tuned-(\d)")
    assert r"--runs '(.+)-(\d+)' makes them runs of one" in " ".join(made.stderr.split())


class TestHintWithoutRuns:
    @pytest.mark.parametrize(
        ("outputs", "pattern", "systems"),
        [
            (FOUR, r"(.+)-(\d+)", "'base' and 'tuned'"),
            (crossed("{}-{}", systems=("base", "nuevo"), numbers=(1, 2, 10)), r"(.+)-(\d+)", "'base' and 'nuevo'"),
            ([*FOUR, "large"], r"(.+)-(\d+)", "'base' and 'tuned'"),
            (crossed("{}_seed{}"), r"(.+)[-_./ ]seed[-_]?(\d+)", "'base' and 'tuned'"),
            (crossed("{}_{}", systems=("базова", "нова")), r"(.+)_(\d+)", "'базова' and 'нова'"),
            (crossed("{}{}", systems=("基線", "調整")), r"(.+?)(\d+)", "'基線' and '調整'"),
        ],
    )
    def test_the_same_numbers_behind_several_names_look_like_runs(self, outputs, pattern, systems):
        hint = runs_hint(outputs)
        assert f"look like runs of {systems}, such as seeds" in hint
        assert f"runs=r'{pattern}'" in hint
        # What is proposed is read without a word.
        assert warnings_of(outputs, pattern) == []

    @pytest.mark.parametrize(
        "outputs",
        [
            ["base", "tuned"],
            # Steps of one system, and one number.
            ["tuned-1", "tuned-2", "tuned-3"],
            ["base-1", "tuned-1"],
            # Not the same numbers: versions, or sizes.
            ["gpt-3", "gpt-4", "llama-2", "llama-3"],
            ["base-1", "base-2", "tuned-1"],
            # Numbers alone have no system.
            ["1-1", "1-2", "2-1", "2-2"],
            ["seed1-1", "seed1-2", "seed2-1", "seed2-2"],
        ],
    )
    def test_other_names_do_not(self, outputs):
        assert runs_hint(outputs) == ""

    def test_it_is_among_the_warnings_where_systems_are_tested_without_runs(self):
        hint = runs_hint(NAMES)
        tested = tercet.compare(SYSTEMS, "chrf", references=REFERENCES, n_resamples=50)
        assert hint in tested.warnings
        for form in (tested.to_markdown(), tested.to_html(), str(tested)):
            assert "look like runs of" in form
        for options in ({"runs": r"(.+)-(\d+)"}, {"test": None}):
            assert hint not in tercet.compare(SYSTEMS, "chrf", references=REFERENCES, **options).warnings

    def test_the_command_notes_it_once_and_a_pattern_ends_it(self, tmp_path):
        for name in ("news", "chat"):
            rows = [["reference", *FOUR], *[["one two", "one", "two", "one two", "one two"]] * 6]
            text = "".join("\t".join(row) + "\n" for row in rows)
            (tmp_path / f"{name}.tsv").write_text(text, encoding="utf-8")
        arguments = ("compare", tmp_path / "news.tsv", tmp_path / "chat.tsv", "-m", "chrf")
        said = command(*arguments).stderr
        assert said.count("look like runs of 'base' and 'tuned'") == 1
        assert r"--runs '(.+)-(\d+)' compares the systems by the mean of their runs." in said
        assert "look like runs" not in command(*arguments, "--runs", r"(.+)-(\d+)").stderr
        assert "look like runs" not in command("score", *arguments[1:]).stderr
