"""A metric of a user's own goes wherever those of the suite go: as a value, and in commands by its class."""

import json
import shutil
import sys

import pytest

import tercet
from commands import command, process
from conftest import ROOT
from own_metric import WordErrors, Words
from samples import sample
from tercet.comparison.one_segment.explained_segment import explain_segment
from tercet.comparison.specs.metric_specs import parse_metric
from tercet.correlation.best_mean import best_mean
from tercet.report.correlation import trust_html
from tercet.test_sets.test_set import TestSet
from texts import PAIRS

DATA = ROOT / "examples" / "data"
GRADED = DATA / "graded.tsv"
pytestmark = pytest.mark.filterwarnings("ignore:.*(empty text|splits at spaces):UserWarning")
FEW = {"n_resamples": 20, "n_permutations": 100}
PREDICTIONS, REFERENCES = zip(
    *((text, references[0]) for pairs in PAIRS.values() for text, references in pairs), strict=True
)


def one_reference(language):
    test_set = sample(language)
    return TestSet(language, test_set.systems, [texts[:1] for texts in test_set.references], None)


def numbers(table):
    return [
        (row.system, *(pytest.approx(value, nan_ok=True) for value in (row.value, row.low, row.high)), row.pvalue,
         row.adjusted_pvalue, row.wins, row.ties, row.losses, row.best, row.as_good)
        for row in table.rows
    ]  # fmt: skip


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working directory with the file of the class, which this process has not imported."""
    shutil.copy(ROOT / "tests" / "own_metric.py", tmp_path / "my_metrics.py")
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "my_metrics", raising=False)
    yield tmp_path
    sys.modules.pop("my_metrics", None)


@pytest.mark.parametrize("language", ["en", "es", "ru", "zh"])
@pytest.mark.parametrize("test", ["permutation", "bootstrap"])
def test_compare_gives_its_intervals_and_tests(language, test):
    found = tercet.compare(one_reference(language), [WordErrors(), "wer"], test=test, n_resamples=300)
    errors, wer = found.tables[:2]
    assert (errors.metric, errors.name, errors.better) == ("word_errors", "errors", "lower")
    assert errors.signature.startswith("word_errors|case:mixed|refs:1|scale:100|")
    assert numbers(errors) == numbers(wer)
    assert errors.rows[1].pvalue < 0.05
    assert [row.metric for row in found.facts] == ["word_errors"] * 3 + ["wer"] * 3


def test_its_options_are_in_its_label_and_scale_its_own():
    systems = {"A": ["A cat", "Dogs"], "B": ["a cat", "dogs"]}
    metrics = [WordErrors(), WordErrors(lowercase=True), WordErrors(scale=100)]
    with pytest.warns(UserWarning, match="^word_errors is given twice") as caught:
        found = tercet.compare(systems, [*metrics, WordErrors()], references=["a cat", "Dogs"], test=None)
    assert len(caught) == 1
    assert [table.metric for table in found.tables] == [
        "word_errors",
        "word_errors:lowercase=true",
        "word_errors:scale=100",
    ]
    assert [table.rows[0].value for table in found.tables] == [pytest.approx(100 / 3), 0, pytest.approx(100 / 3)]


def test_correlate_gives_its_figures():
    found = tercet.correlate(GRADED, [WordErrors(), "wer"], dimension="form", **FEW)
    (table,) = found.tables
    labels = {column.score: column.label for column in found.metrics}
    errors, wer = table.figures[labels["errors"]], table.figures[labels["wer"]]
    assert labels["errors"] == "word_errors"
    assert errors.keys() == wer.keys() != set()
    for name, figure in errors.items():
        assert (figure.value, figure.n) == (pytest.approx(wer[name].value), wer[name].n), name
    assert "word_errors|case:mixed" in trust_html(found)


def test_a_saved_mean_has_metrics_of_the_suite_only():
    found = tercet.correlate(GRADED, [WordErrors(), "bleu", "chrf"], dimension="form", **FEW)
    assert {part.metric for part in best_mean(found).mean.parts} == {"bleu_multi", "chrf_multi"}
    with pytest.raises(tercet.InputError, match="at least two metrics"):
        best_mean(tercet.correlate(GRADED, [WordErrors(), "bleu"], dimension="form", **FEW))


def test_candidates_are_chosen_by_it():
    groups = [list(texts) for texts in zip(PREDICTIONS, REFERENCES, PREDICTIONS[1:], REFERENCES[1:], strict=False)]
    found, expected = tercet.mbr(groups, WordErrors()), tercet.mbr(groups, "wer")
    assert found.texts == expected.texts
    assert [choice.scores for choice in found] == [pytest.approx(choice.scores) for choice in expected]
    assert "word_errors|" in found.signature


def test_it_is_a_reward():
    texts, references = [*PREDICTIONS, "none"], [*REFERENCES, None]
    for penalties in ({}, {"length_penalty": True, "repetition_penalty": True}):
        own, wer = (tercet.reward(metric, **penalties) for metric in (WordErrors(), "wer"))
        expected = wer(completions=texts, references=references)
        assert own(completions=texts, references=references) == pytest.approx(expected)
    both = tercet.reward({WordErrors(): 0.5, "wer": 0.5})
    expected = tercet.reward("wer")(completions=PREDICTIONS, references=REFERENCES)
    assert both(completions=PREDICTIONS, references=REFERENCES) == pytest.approx(expected)
    assert both.__name__ == "errors+wer"


def test_a_page_shows_it_and_a_segment_is_explained_if_it_can_be():
    test_set = one_reference("ru")
    page = tercet.compare(test_set, [WordErrors(), "chrf"], n_resamples=50).to_html()
    assert "word_errors|case:mixed" in page
    with pytest.raises(tercet.OptionError, match=r"^word_errors has no explanation of its scores\.$"):
        explain_segment(test_set, WordErrors(), 2)
    assert "word_errors" in WordErrors()._repr_html_()

    class Explained(WordErrors):
        def explained(self, batch, context=None):
            return sorted(self.words(batch.columns()["predictions"][0]))

    explanations = explain_segment(test_set, Explained(), 2).explanations
    assert explanations["tuned"] == sorted(test_set.systems["tuned"][1].split())


def test_a_class_in_place_of_a_metric_is_named():
    for function in (tercet.scorer, tercet.reward):
        with pytest.raises(tercet.OptionError, match=r"Expected a metric, got its class: give WordErrors\(\)\."):
            function(WordErrors)
    with pytest.raises(tercet.OptionError, match=r"give tercet\.Bleu\(\)\."):
        tercet.scorer(tercet.Bleu)


def test_two_classes_of_one_name_are_refused():
    class Bleu(tercet.Bleu):
        pass

    with pytest.raises(tercet.OptionError, match="Two metrics of different classes are called bleu_multi"):
        tercet.compare({"A": ["a"]}, [Bleu(), "bleu"], references=["a"])


class TestCommands:
    def test_they_take_its_class_from_a_module_of_the_folder(self, folder):
        """Each in a process of its own, as users start it."""
        table = folder / "en.jsonl"
        test_set = one_reference("en")
        rows = zip(test_set.references, *test_set.systems.values(), strict=True)
        names = ("reference", *test_set.systems)
        lines = (json.dumps(dict(zip(names, (first[0], *texts), strict=True))) for first, *texts in rows)
        table.write_text("\n".join(lines), encoding="utf-8")
        expected = tercet.compare(test_set, [WordErrors(lowercase=True)], n_resamples=100).tables[0]
        words = ("-m", "my_metrics:WordErrors:lowercase=true", "-m", "wer:lowercase=true", "--n-resamples", 100)
        run = process("compare", table, *words, "-f", "json", "--fail-under", "errors=99",
                      "--max-missing", "100%", check=True, cwd=folder)  # fmt: skip
        errors, wer = json.loads(run.stdout)["test_sets"][0]["tables"][:2]
        assert errors["metric"] == "word_errors:lowercase=true"
        assert [row["value"] for row in errors["systems"]] == [row.value for row in expected.rows]
        assert [row["pvalue"] for row in errors["systems"]] == [row.pvalue for row in expected.rows]
        assert [row["low"] for row in errors["systems"]] == pytest.approx([row["low"] for row in wer["systems"]])
        process("score", table, *words[:2], "-o", "page.html", check=True, cwd=folder)
        assert "word_errors|case:lc" in (folder / "page.html").read_text(encoding="utf-8")

    def test_others_take_it_too(self, folder):
        run = command("correlate", GRADED, "-m", "my_metrics:WordErrors", "-d", "form", "-f", "tsv",
                      "--n-resamples", 20, "--n-permutations", 20, cwd=folder)  # fmt: skip
        assert "word_errors" in run.stdout
        (folder / "s.jsonl").write_text('{"c": ["кот спит", "кот спит тут", "猫 坐 了"]}\n', encoding="utf-8")
        assert command("mbr", "s.jsonl", "-m", "my_metrics:WordErrors", cwd=folder).stdout == "кот спит\n"
        run = command("explain", "my_metrics:WordErrors", DATA / "graded.tsv", code=2, cwd=folder)
        assert run.stderr.endswith("error: word_errors has no explanation of its scores.\n")
        run = command("explain", "my_metrics:WordErrors", GRADED, "-a", "sacrebleu", code=2, cwd=folder)
        assert "--against explains metrics of the suite, and 'my_metrics:WordErrors' is not one" in run.stderr
        assert "BLEU (max_order=2)" in command("score", DATA / "en.tsv", "-m", "tercet:Bleu:max_order=2").stdout

    @pytest.mark.parametrize(("metric", "message"), [
        ("my_metric:WordErrors", "There is no metric 'my_metric'. Known: "),
        ("my_metric:WordErrors", "There is no module of this name either."),
        ("blue:Exp", "There is no metric 'blue'. Did you mean 'bleu'? There is no module of this name either."),
        ("..x:Y", "There is no metric '..x'."),
        ("no.such.module:Y", "There is no module of this name either."),
        ("my_metrics:WordError", "my_metrics.py) has no class WordError."),
        ("my_metrics:edits", "my_metrics:edits is not a metric: expected a subclass of tercet.Metric."),
        ("my_metrics:Signature", "my_metrics:Signature is not a metric: expected a subclass of tercet.Metric."),
        ("my_metrics:Unfinished", "my_metrics:Unfinished is not a whole metric: its class lacks columns, finalize, "
         "score_names, segment_stats, signature, primary."),
        ("my_metrics:WordErrors:lower=true", "word_errors has no option 'lower'. Did you mean 'lowercase'?"),
        ("my_metrics:WordErrors:lowercase", "write my_metrics:WordErrors:option=value,option=value."),
        ("my_metrics:WordErrors:lowercase=3", "'lowercase' option of word_errors must be"),
        ("my_metrics:WordErrors:seed=3", "The option 'seed' cannot be given for one metric here: give --seed"),
        ("needs:Y", "The module needs cannot be imported: ModuleNotFoundError: No module named 'absent'"),
        ("broken:Y", "The module broken cannot be imported: SyntaxError: "),
        ("ends:Y", "The module ends cannot be imported: SystemExit: 3"),
        ("bleu:Exp", "In 'bleu:Exp', 'Exp' is not option=value"),
    ])  # fmt: skip
    def test_what_is_wrong_is_named(self, folder, metric, message):
        for name, text in {"needs": "import absent", "broken": "def", "ends": "raise SystemExit(3)"}.items():
            (folder / f"{name}.py").write_text(text)
        run = command("score", DATA / "en.tsv", "-m", metric, code=2, cwd=folder)
        assert message in run.stderr
        assert run.stderr.startswith("error: ")

    def test_no_file_of_the_folder_takes_the_place_of_a_package(self, folder):
        for name in ("json", "numpy"):
            (folder / f"{name}.py").write_text("raise SystemExit('run')")
        run = process("score", DATA / "en.tsv", "-m", "json:loads", cwd=folder)
        assert (run.returncode, run.stdout) == (2, "")
        assert "json:loads is not a metric" in run.stderr


def test_a_text_in_python_imports_nothing(folder, monkeypatch):
    monkeypatch.chdir(folder)
    for read in (parse_metric, lambda text: tercet.compare({"A": ["a"]}, text, references=["a"]), tercet.scorer):
        with pytest.raises(tercet.OptionError, match="There is no metric 'my_metrics"):
            read("my_metrics:WordErrors")
    assert "my_metrics" not in sys.modules


def test_it_may_take_no_references():
    texts = ["кошка сидит дома", "猫", "the cat sat down"]
    result = Words()(texts, segments=True)
    assert (result["words"], result.segments) == (8 / 3, {"words": [3.0, 1.0, 4.0]})
    assert Words()(texts, ["ignored"] * 3)["words"] == result["words"]
    assert tercet.score(Words(), texts)["words"] == result["words"]
    with pytest.raises(tercet.InputError, match="item 1"):
        Words()(["a", 2])


@pytest.mark.parametrize(
    "cut", [(slice(1), slice(None)), (slice(None), slice(3))], ids=["a row too few", "columns too few"]
)
def test_rows_that_are_not_one_for_each_item_are_refused(cut):
    class Short(Words):
        name = "short"

        def segment_stats(self, batch, context=None):
            stats = super().segment_stats(batch)
            stats.rows = stats.rows[cut]
            return stats

    with pytest.raises(tercet.OptionError, match=r"^short: segment_stats must return 2 rows of 5 numbers"):
        Short()(["кошка сидит", "猫"])
