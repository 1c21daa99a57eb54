"""What a user sees who asks: `help`, and the Tab key in a real kernel, as Jupyter and IPython have it."""

import inspect
import pydoc
import subprocess
import sys

import pytest

import tercet
from suite import SUITE
from tercet.base import about
from tercet.base.about import About
from tercet.base.annotations import in_words
from tercet.base.configured import Call
from tercet.base.docs import option_docs
from tercet.comparison.inputs.settings import CompareSettings, PlanSettings
from tercet.correlation.settings import CorrelateSettings
from tercet.registry import CLASS_NAMES, metric_class

CALL = set(Call.options())


def helped(what):
    """Return what `help` shows."""
    return pydoc.plain(pydoc.render_doc(what))


@pytest.mark.parametrize("function", [tercet.score, tercet.scorer])
def test_help_for_a_function_is_short_and_its_signature_has_the_options_of_a_call(function):
    assert len(helped(function).splitlines()) < 60
    shown = inspect.signature(function).parameters
    declared = {name: each.default for name, each in Call.options().items()}
    assert {name: shown[name].default for name in shown if name in declared} == declared
    assert "options" in shown


@pytest.mark.parametrize(
    ("function", "settings"),
    [(tercet.compare, CompareSettings), (tercet.correlate, CorrelateSettings), (tercet.plan, PlanSettings)],
)
def test_a_signature_and_its_docstring_have_the_settings_as_they_are_declared(function, settings):
    shown, parameters = " ".join(inspect.getdoc(function).split()), inspect.signature(function).parameters
    for name, declared in settings.options().items():
        assert parameters[name].default == declared.default
        assert f" {name} : {in_words(declared.python_type)} {declared.doc}" in shown


@pytest.mark.parametrize("metric", SUITE)
class TestHelpForAMetric:
    def test_has_each_option_with_type_default_and_sentences(self, metric):
        shown = " ".join(helped(metric_class(metric)).replace(" | ", " ").split())
        for each in option_docs(metric_class(metric)):
            if each.name not in CALL:
                assert f"{each.name} : {each.takes}, default {each.default} {each.doc}" in shown

    def test_has_the_keys_of_a_result_and_an_example_of_the_class(self, metric):
        shown = helped(metric_class(metric))
        assert " |  The result has " in shown
        assert " |  Examples\n |  --------\n |  >>> import tercet\n" in shown
        assert f" tercet.{metric_class(metric).__name__}(" in shown

    def test_shows_what_a_user_calls_and_nothing_that_computes_it(self, metric):
        shown = helped(metric_class(metric))
        for public in ("__call__(self, predictions", "explain(self", "pairwise(self", "segments(self", "stats(self"):
            assert shown.count(f"\n |  {public}") == 1
        for internal in ("finalize", "segment_stats", "__init_subclass__", "_abc_impl", "Data descriptors"):
            assert internal not in shown


class TestAbout:
    @pytest.mark.parametrize("metric", SUITE)
    def test_has_all_that_evaluate_shows_of_a_module(self, metric):
        texts = metric_class(metric).about
        assert texts.compares == texts.compares.strip() != ""
        assert all(text.endswith("\n") and text.strip() for text in (texts.description, texts.returns, texts.inputs))
        assert texts.citation.startswith("@")
        assert texts.example.startswith(">>> import tercet\n")
        assert texts.urls
        assert all(url.startswith("https://") for url in texts.urls)

    def test_is_that_of_the_class_or_of_its_base(self):
        class Shorter(tercet.Bleu):
            name = "shorter_bleu"

        class Stated(tercet.Bleu):
            about = About("nothing", "Compares nothing.", "", (), "nothing", "")

        assert Shorter.about == Shorter().about == tercet.Bleu.about
        assert Stated.about.compares == "nothing"
        assert "Compares nothing." in Stated.__doc__

    def test_is_read_from_the_folder_when_it_is_asked_for(self):
        code = (
            "import sys, tercet; opened = []\n"
            "sys.addaudithook(lambda event, args: opened.append(str(args[0])) if event == 'open' else None)\n"
            "tercet.score('bleu', ['a cat'], ['a cat']); tercet.Bleu.about if len(sys.argv) > 1 else None\n"
            "print(*sorted(path[-9:] for path in opened if path.endswith('.md')))"
        )
        shown = [
            subprocess.run([sys.executable, "-c", code, *asked], capture_output=True, text=True, check=True).stdout
            for asked in ([], ["about"])
        ]
        assert shown == ["\n", "/about.md README.md\n"]

    def test_names_the_package_whose_folder_is_missing(self, monkeypatch, tmp_path):
        monkeypatch.setattr(about, "__file__", str(tmp_path / "src" / "tercet" / "base" / "about.py"))
        with pytest.raises(tercet.OptionError, match=r"not next to the package .*src/tercet/huggingface\.$"):
            about.modules_folder()


@pytest.fixture(scope="module", params=["jedi", "no jedi"])
def tab(request):
    """What the Tab key offers at the end of some code, in a kernel with jedi and in one without."""
    use = f"--IPCompleter.use_jedi={request.param == 'jedi'}"
    from jupyter_client.manager import start_new_kernel

    manager, client = start_new_kernel(kernel_name="python3", extra_arguments=[use])
    client.execute_interactive("import tercet; bleu = tercet.Bleu(); texts = ['a cat']", timeout=60)

    def offered(code):
        reply = client.complete(code, reply=True, timeout=60)["content"]
        assert reply["status"] == "ok"
        return {each.lstrip(".") for each in reply["matches"] if not each.startswith("%")}

    yield offered
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def named(offered):
    return {each.removesuffix("=") for each in offered if each.endswith("=")}


class TestTab:
    def test_offers_the_classes(self, tab):
        assert tab("tercet.") == set(tercet.__all__) - {"__version__"}
        assert tab("tercet.Ber") == {"BertScore"}
        assert set(CLASS_NAMES) <= tab("tercet.")

    @pytest.mark.parametrize("name", CLASS_NAMES)
    def test_offers_the_options_of_a_class(self, tab, name):
        options = set(getattr(tercet, name).options())
        assert named(tab(f"tercet.{name}(")) == options
        assert named(tab(f"metric = tercet.{name}(scale=100, ")) >= options - {"scale"}

    def test_offers_the_options_of_a_call(self, tab):
        assert named(tab("bleu(texts, texts, ")) >= CALL
        assert named(tab('tercet.score("bleu", texts, texts, ')) >= CALL
        assert named(tab('tercet.score("bleu", texts, texts, conf')) == {"confidence_level"}
        assert named(tab('tercet.scorer("bleu", ')) >= CALL

    def test_offers_of_a_value_its_options_and_what_it_does_and_nothing_else(self, tab):
        does = {"explain", "pairwise", "segments", "stats"}
        assert tab("bleu.") == {"name", *tercet.Bleu.options()} | does
        assert tab("tercet.Bleu.") - {"mro", "register"} == does  # without what each class has
