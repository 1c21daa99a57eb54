"""A metric or an evaluate module as the last line of a notebook's cell: a few lines, not all of its documentation."""

import re

import pytest
from IPython.core.formatters import DisplayFormatter

import tercet
from suite import SUITE
from tercet.registry import SHORT_NAMES


def shown(value):
    """Return what a notebook shows of a value: HTML, and the plain text."""
    formats, _ = DisplayFormatter().format(value)
    return formats["text/html"], formats["text/plain"]


@pytest.mark.parametrize("short", ["bleu", "ter", "wer", "diversity", "rouge", "chrf"])
def test_a_module_is_shown_in_a_few_lines(short):
    html, plain = shown(tercet.load(short))
    assert plain.startswith(f"<evaluate module tercet.load('{SHORT_NAMES[short]}'): .compute(predictions=[...]")
    assert len(plain) < 150
    text = re.sub(r"<[^>]*>", " ", html)
    assert f"tercet.load(&#x27;{SHORT_NAMES[short]}&#x27;)" in text
    assert ("references=[...]" in text) == (short != "diversity")
    assert len(text) < 600


def test_a_configuration_is_named():
    assert repr(tercet.load("bleu", "sacrebleu")).startswith(
        "<evaluate module tercet.load('bleu_multi', 'sacrebleu'):"
    )


@pytest.mark.parametrize("known", [known for known in SUITE.values() if known.cls in ("Bleu", "Ter", "Rouge")])
def test_a_metric_is_shown_with_its_options_and_escaped(known):
    html, _ = shown(getattr(tercet, known.cls)())
    assert f"<code>{known.cls}()</code>" in html
    assert "metric(predictions, references)" in html
    assert "tokenizer=&#x27;zh&#x27;" in shown(tercet.Bleu(tokenizer="zh"))[0]
