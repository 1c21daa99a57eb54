"""Explanations of texts that equal each other: a network's rounding errors are no losses."""

import re

import numpy as np
import pytest

import tercet
from tercet.explanation.parts import Factor, Heading, Share, Table, graded_line, number_text
from tercet.explanation.pictures import Token, alignment_html
from tercet.explanation.terminal import drawn
from tercet.metrics.bleu.metric import Bleu

#: What a network gave for a text and itself.
ERRORS = (-1.7e-8, 2.3e-8, 0.0)


def tokens_with(losses):
    tokens = []
    start = 0
    for place, (word, loss) in enumerate(zip(("der", "Fluß", "水"), losses, strict=True)):
        cosine = 1 - 3 * loss
        tokens.append(
            Token(
                token=word,
                text=word,
                span=(start, start + len(word)),
                special=False,
                weight=1 / 3,
                cosine=cosine,
                match=place,
                match_text=word,
                match_special=False,
                contribution=cosine / 3,
                loss=loss,
            )
        )
        start += len(word) + 1
    return tokens


def page_of(losses):
    tokens = tokens_with(losses)
    return alignment_html("", "", tokens, tokens, np.eye(3, dtype=np.float32))


def reds(page):
    texts = page.partition("display:flex")[0]
    return [float(share) for share in re.findall(r"rgba\(220,50,47,([\d.]+)\)", texts)]


def test_equal_texts_are_not_red():
    assert set(reds(page_of(ERRORS))) == {0.0}
    assert max(reds(page_of((0.1, 0.0, 0.0)))) == 0.7
    assert {word.level for word in graded_line("prediction", [((0, 3), "der", ERRORS[1])]).words} == {0}


def test_no_number_is_minus_zero():
    assert "-0.0000" not in page_of(ERRORS)
    assert "-0.00" not in Table("", ("loss",), [(-1.7e-8,)]).html(100)
    assert number_text(-1.7e-8) == "0.0000"
    assert number_text(-0.5) == "-0.5000"


@pytest.mark.parametrize("scale", [1, 100])
def test_a_terminal_has_the_brevity_penalty_beside_a_score_that_is_equal_to_it(scale):
    explanation = Bleu(scale=scale).explain("the cat sat on it", ["the cat sat on it"])
    assert isinstance(explanation.title.numbers["brevity penalty"], Factor)
    first = next(iter(drawn(explanation, [scale], scale=scale, colour=False)))
    assert str(first) == "brevity penalty 1.0000"


def test_a_heading_shows_shares_as_scores_are_shown():
    assert Heading("BLEU", {"brevity penalty": Factor(1.0)}).text(100, "× ") == "BLEU: brevity penalty × 1.0000"


@pytest.mark.parametrize("metric", ["chrf", "ter", "wer", "diversity"])
def test_a_score_is_shown_in_percent_once(metric):
    texts = ["a dog and a cat"] if metric == "diversity" else ["a dog and a cat", "a dog and the cat"]
    percentages = {}
    for scale in (1, 100):
        explanation = tercet.explain(metric, *texts, scale=scale)
        percentages[scale] = [float(number) for number in re.findall(r"\d+\.\d+", text_of(explanation.to_html(100)))]
        assert Share not in {type(number) for number in numbers_in(explanation.to_dict())}
    assert max(percentages[1]) <= 100
    assert percentages[1] == pytest.approx(percentages[100], abs=0.005)


def text_of(html):
    return re.sub("<[^>]*>", " ", html)


def numbers_in(values):
    if isinstance(values, (dict, list)):
        for value in values.values() if isinstance(values, dict) else values:
            yield from numbers_in(value)
    elif isinstance(values, (int, float)):
        yield values
