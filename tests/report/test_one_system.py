"""Of one system, or one metric, nothing is called the best: no star, no bold, no diamond, and no legend of them."""

import re

import pytest

import tercet
from tercet.comparison.shown.tables import in_format
from tercet.comparison.shown.terminal import to_text
from tercet.correlation.tables import in_format as in_format_of_correlation
from tercet.report.comparison import to_html
from tercet.report.correlation import trust_html

REFERENCES = ["the cat sat on the mat", "кот сидел на коврике", "猫坐在垫子上了", "two dogs bark", "it rains in May"]
SYSTEMS = {
    "one": ["a cat sat on the mat", "кот сидит на коврике", "猫坐垫子上", "dogs bark", "it rained in May"],
    "other": ["the mat", "кот", "猫", "two dogs sleep", "it snows"],
}


def compared(*names):
    systems = {name: SYSTEMS[name] for name in names}
    return tercet.compare(systems, ["chrf", "ter"], references=REFERENCES, n_resamples=None)


#: How a comparison is shown, and what marks the best there.
FORMS = {
    "text": (lambda comparison: to_text([comparison], 200), r"\*"),
    "markdown": (lambda comparison: in_format([comparison], "markdown"), r"\*\*|Bold"),
    "latex": (lambda comparison: in_format([comparison], "latex"), r"textbf|Bold"),
    "notebook": (lambda comparison: comparison._repr_html_(), r"\d\*|\*: the best"),
    "page": (
        lambda comparison: to_html([comparison]),
        r"<b>\d+\.|Best in bold|best of each group in bold|Diamond: best|class=\"best\"",
    ),
}


@pytest.mark.parametrize("show", FORMS.values(), ids=FORMS)
def test_one_system_is_not_called_the_best(show):
    shown, mark = show
    assert re.search(mark, shown(compared("one", "other")))
    assert not re.search(mark, shown(compared("one")))


def test_the_rows_of_one_system_say_so_to_programs():
    (row,) = compared("one").tables[0].rows
    assert (row.best, row.as_good) == (False, None)
    assert compared("one", "other").tables[0].rows[0].best


def test_one_metric_does_not_agree_best():
    def correlated(metrics):
        grades = {"one": [5, 4, 5, 3, 4], "other": [1, 2, 1, 3, 1]}
        return tercet.correlate(SYSTEMS, metrics, references=REFERENCES, grades=grades)

    several, one = correlated(["chrf", "ter"]), correlated("chrf")
    bold_number = r"\*\*-?\d"
    assert re.search(bold_number, in_format_of_correlation(several, "markdown"))
    assert not re.search(bold_number, in_format_of_correlation(one, "markdown"))
    assert "Diamond: the best" in trust_html(several)
    assert "Diamond: the best" not in trust_html(one)
