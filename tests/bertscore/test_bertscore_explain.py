"""The explanation of a BERTScore: what tokens contribute adds up to it, and every text can be pictured."""

import io
import json
import re
from functools import partial
from xml.etree import ElementTree

import bert_score
import numpy as np
import pytest
from bert_score.utils import get_idf_dict, get_tokenizer

import tercet
from tercet import InputError, OptionError
from texts import MINILM, PAIRS, all_pairs

explain = partial(tercet.explain, "bertscore")

ENCODER = {"model_type": MINILM, "num_layers": 4}
PREDICTIONS, REFERENCES = all_pairs()
CORPUS = [text for texts in REFERENCES for text in texts]
FIRST = [texts[0] for texts in REFERENCES]


def sums(alignment):
    sides = alignment.prediction_tokens, alignment.reference_tokens
    return [sum(token.contribution for token in tokens) for tokens in sides]


class TestTheTable:
    @pytest.mark.parametrize("language", PAIRS)
    def test_adds_up_to_the_score_with_idf(self, language):
        for prediction, references in PAIRS[language]:
            found = explain(prediction, references[0], corpus=CORPUS, **ENCODER)
            table = tercet.IdfTable.fit(CORPUS, MINILM)
            result = tercet.score("bertscore_idf", [prediction], [references[0]], idf=table, **ENCODER)
            expected = [result[name][0] for name in ("precision", "recall", "f1")]
            assert sums(found) == pytest.approx(expected[:2], abs=1e-5)
            assert [found.precision, found.recall, found.f1] == pytest.approx(expected, abs=1e-5)
            for tokens, total in ((found.prediction_tokens, found.precision), (found.reference_tokens, found.recall)):
                assert sum(token.loss for token in tokens) == pytest.approx(1 - total, abs=1e-5)
                assert sum(token.weight for token in tokens) == pytest.approx(1, abs=1e-5)
            json.dumps(found.to_dict(), allow_nan=False)

    def test_says_where_each_token_stands(self):
        found = explain(" The unbelievable cat ", "A cat.", **ENCODER)
        assert [token.text for token in found.prediction_tokens] == ["[CLS]", "The", "unbelievable", "cat", "[SEP]"]
        for token in found.prediction_tokens[1:-1]:
            assert found.prediction[slice(*token.span)] == token.text
            assert not token.special
        assert (found.prediction_tokens[0].special, found.prediction_tokens[0].span) == (True, None)
        cat = found.prediction_tokens[3]
        assert (cat.match_text, cat.match, cat.match_special) == ("cat", 2, False)
        assert cat.cosine == pytest.approx(found.similarity[3, 2])
        assert cat.cosine == found.similarity[3].max()

    def test_follows_the_text_that_is_cut_or_in_windows(self):
        text = "one two three four five six seven eight nine ten"
        with pytest.warns(UserWarning, match="1 text was longer than 6 tokens and truncated"):
            cut = explain(text, "ten nine", max_length=6, **ENCODER)
        assert [token.text for token in cut.prediction_tokens] == ["[CLS]", "one", "two", "three", "four", "[SEP]"]
        whole = explain(text, "ten nine", max_length=6, long_text="window", **ENCODER)
        assert [token.text for token in whole.prediction_tokens][1:-1] == text.split()
        options = {**ENCODER, "max_length": 6, "long_text": "window", "idf": False}
        score = tercet.score("bertscore_idf", [text], ["ten nine"], **options)
        assert sums(whole) == pytest.approx([score["precision"][0], score["recall"][0]], abs=1e-5)
        with pytest.raises(InputError, match="the encoder's limit of 6"):
            explain(text, "ten nine", max_length=6, long_text="error", **ENCODER)

    @pytest.mark.parametrize(("prediction", "reference"), [("", "a cat"), ("a cat", " "), ("", "")])
    def test_of_a_blank_text_adds_up_to_0(self, prediction, reference):
        found = explain(prediction, reference, **ENCODER)
        assert [found.precision, found.recall, found.f1, *sums(found)] == [0.0] * 5
        found.to_html()
        found.plot()

    def test_of_measures_that_are_not_numbers_has_an_f_of_0(self):
        options = {**ENCODER, "idf": {"cat": 0.0, "a": 0.0}, "zero_weight": "nan"}
        found = explain("a cat", "a cat", **options)
        score = tercet.score("bertscore_idf", ["a cat"], ["a cat"], **options)
        assert np.isnan([found.precision, found.recall, score["precision"][0], score["recall"][0]]).all()
        assert found.f1 == score["f1"][0] == 0.0
        found.to_svg()
        found.plot()

    @pytest.mark.parametrize(("prediction", "reference"), list(zip(PREDICTIONS[:4], FIRST[:4], strict=True)))
    @pytest.mark.parametrize("idf", [False, True])
    def test_of_the_configuration_bert_score_is_that_of_the_package(self, prediction, reference, idf):
        module = tercet.load("bertscore_idf", "bert_score")
        found = module.explain(prediction, reference, **ENCODER, **({"idf": True, "corpus": CORPUS} if idf else {}))
        weights = get_idf_dict(CORPUS, get_tokenizer(MINILM)) if idf else False
        theirs = bert_score.score([prediction], [reference], idf=weights, **ENCODER)
        assert [found.precision, found.recall, found.f1] == pytest.approx([float(x) for x in theirs], abs=1e-5)
        assert sums(found) == [found.precision, found.recall]

    def test_of_a_blank_text_has_the_f_that_bert_score_leaves(self):  # which itself fails at one by now
        options = {**ENCODER, "compat": "bert_score", "idf": dict.fromkeys(("[CLS]", "[SEP]", "a", "cat"), 1.0)}
        found = explain("", "a cat", **options)
        score = tercet.score("bertscore_idf", [""], ["a cat"], **options)
        assert [found.precision, found.recall, *sums(found)] == [0.0] * 4
        assert found.f1 == pytest.approx(score["f1"][0], abs=1e-5)
        assert found.f1 > 0

    def test_shows_the_reference_of_the_best_f(self):
        references = ["nothing alike here", "a cat", "the cats"]
        found = explain("a cat", references, **ENCODER)
        assert (found.reference, found.reference_index) == ("a cat", 1)
        assert found.f1 == max(explain("a cat", [each], **ENCODER).f1 for each in references)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"idf": True}, OptionError, "give corpus=references"),
        ({"corpus": "a text"}, OptionError, "corpus must be a list of texts"),
        ({"corpus": []}, OptionError, "corpus must be a list of texts"),
        ({"corpus": ["a"], "idf": False}, OptionError, "corpus must be a list of texts, in which idf=True"),
        ({"scale": 100}, OptionError, "does not take 'scale'"),
        ({"corpus": ["a", 7]}, InputError, "item 1 of corpus must be a string, got 7"),
        ({"references": "\ud800"}, InputError, "item 1 of the pair is not valid Unicode"),
        ({"all_layers": True, "num_layers": None}, OptionError, "does not take 'all_layers'"),
        ({"rescale_with_baseline": True}, OptionError, "does not take 'rescale_with_baseline'"),
    ],
)
def test_what_it_cannot_explain_is_refused(given, error, message):
    with pytest.raises(error, match=re.escape(message)):
        explain(**{"prediction": "a", "references": "b", **ENCODER, **given})


AWKWARD = [
    "<script>alert(1)</script> & \"quotes\" 'single' $x_1^2$ %", "tab\tline\nbell\x07 null\x00 end",
    "القطة نائمة على السجادة", "我们今天去公园 🎉👍🏽", "नमस्ते दुनिया ไทย",
]  # fmt: skip


@pytest.mark.parametrize("text", AWKWARD)
class TestThePictures:
    def test_are_an_svg_document_and_well_formed_html(self, text):
        found = explain(text, AWKWARD[0], **ENCODER)
        svg = ElementTree.fromstring(found.to_svg())
        name = "{http://www.w3.org/2000/svg}"
        assert len(svg.findall(f"{name}text")) == len(found.prediction_tokens) + len(found.reference_tokens)
        assert len(svg.findall(f"{name}line")) == len(found.prediction_tokens) + len(found.reference_tokens)
        html = ElementTree.fromstring(found.to_html().replace("<br>", "<br/>"))
        tables = html.findall(".//details/table")
        assert len(tables) == 2
        rows = [len(table.findall("tr")) - 1 for table in tables]
        assert rows == [len(found.prediction_tokens), len(found.reference_tokens)]

    def test_have_bars_that_start_beside_their_tokens_and_lines_that_start_at_their_ends(self, text):
        found = explain(text, AWKWARD[0], **ENCODER)
        svg = ElementTree.fromstring(found.to_svg())
        tags = ("rect", "text", "line")
        bars, names, lines = (svg.findall(f"{{http://www.w3.org/2000/svg}}{tag}") for tag in tags)
        right = float(svg.get("width"))
        for bar, name, line in zip(bars, names, lines, strict=True):
            start, width, x = float(bar.get("x")), float(bar.get("width")), float(name.get("x"))
            edge, end = (start, start + width) if name.get("text-anchor") == "end" else (start + width, start)
            assert abs(edge - x) == pytest.approx(5, abs=0.02)
            assert 0 < x < right
            assert float(line.get("x1")) == pytest.approx(end, abs=0.02)

    def test_and_a_heat_map_of_every_script_without_a_warning(self, text, caplog):
        found = explain(text, AWKWARD[0], **ENCODER)
        figure, file = found.plot(), io.BytesIO()
        figure.savefig(file, dpi=40)
        assert file.getvalue().startswith(b"\x89PNG")
        matrix = figure.axes[0]
        assert len(matrix.get_yticklabels()) == len(found.prediction_tokens)
        assert len(matrix.patches) == len(found.prediction_tokens)
        assert not caplog.records


def test_the_names_on_a_long_heat_map_do_not_overlap():
    text = "cats and dogs sleep on warm mats " * 60
    figure = explain(text, text, **ENCODER).plot()
    width, height = figure.get_size_inches()
    assert max(width, height) < 50
    assert 100 < len(figure.axes[0].get_xticklabels()) <= width / 0.11


def test_a_heat_map_in_html_shows_numbers_and_best_matches_and_a_large_one_says_how_to_draw_it():
    found = explain("the cat sat", "a cat sat down", **ENCODER)
    html = ElementTree.fromstring(found.to_html().replace("<br>", "<br/>"))
    head, *rows = html.findall(".//table[@class='heat']/tr")
    assert [each.text for each in head.findall("th")] == [token.text for token in found.reference_tokens]
    assert [row.find("th").text for row in rows] == [token.text for token in found.prediction_tokens]
    cells = [row.findall("td") for row in rows]
    numbers = [[float(cell.text) for cell in row] for row in cells]
    assert np.array(numbers) == pytest.approx(found.similarity, abs=0.0051)
    framed = ["box-shadow" in cell.get("style") for row in cells for cell in row]
    assert np.flatnonzero(framed).tolist() == [
        place * len(found.reference_tokens) + token.match for place, token in enumerate(found.prediction_tokens)
    ]
    bold = np.array([["font-weight" in cell.get("style") for cell in row] for row in cells])
    assert bold.argmax(axis=0).tolist() == [token.match for token in found.reference_tokens]
    text = "cats and dogs sleep on warm mats " * 20
    large = explain(text, text, **ENCODER)
    size = f"{len(large.prediction_tokens):,} by {len(large.reference_tokens):,} tokens"
    assert f"A heat map of {size} is too large to show here: plot() draws it." in large.to_html()


def test_a_heat_map_shows_what_the_matrix_holds():
    found = explain("the cat sat", "a cat sat down", **ENCODER)
    image = found.plot().axes[0].images[0].get_array()
    assert (np.asarray(image) == found.similarity).all()
