"""Mistakes on the page of a Space: they are told, and the next click works."""

import pytest
from playwright.sync_api import expect

from page_checks import CASES, SMALL, refuses, scored, scored_alone, shows
from schedule import UNLIKE

pytest_plugins = ["pages"]
pytestmark = pytest.mark.costly


class TestMistakes:
    @pytest.mark.parametrize("metric", UNLIKE)
    def test_of_texts_are_told_and_forgotten(self, visit, metric):
        visitor = visit(metric)
        visitor.give("a cat", "a cat")
        visitor.compute()
        good = scored_alone(metric, "a cat", ["a cat"])
        shows(visitor, good)
        visitor.give("a cat", " \n\n ")
        visitor.compute()
        refuses(visitor, "There is no reference")
        visitor.give("a cat " * 2_000, "a cat")
        visitor.compute()
        refuses(visitor, "12,000 characters")
        visitor.give("a cat", "a cat")
        visitor.compute()
        shows(visitor, good)
        expect(visitor.find("#picture")).to_contain_text("cat")

    @pytest.mark.parametrize(
        ("metric", "mistakes"),
        [
            (
                "bleu_multi",
                [
                    ({"max_order": -1}, "'max_order' option of bleu_multi must be"),
                    ({"max_order": 2.5}, "a whole number from 1 to 20. Got 2.5"),
                    ({"max_order": ""}, "a whole number from 1 to 20. Got None"),
                    ({"smooth_value": "a lot"}, "must here be a number. Got 'a lot'"),
                    ({"weights": "0.5; 0.5"}, "option is written as numbers, 0.25"),
                    ({"weights": "1, 2, 3, 4, 5"}, "weights"),
                ],
            ),
            (
                "rouge_nlws",
                [
                    ({"beta": -3}, "'beta' option of rouge_nlws must be"),
                    ({"max_words": "many"}, "must here be a whole number. Got 'many'"),
                ],
            ),
            (
                "bertscore_idf",
                [
                    ({"num_layers": 99}, "99"),
                    ({"num_layers": "5; import os"}, "must here be a whole number"),
                    ({"model_type": "roberta-large (English)"}, "could not be loaded"),
                ],
            ),
        ],
    )
    def test_of_options_are_told_and_forgotten(self, visit, metric, mistakes):
        good = {"max_order": 4, "smooth_value": "", "weights": "", "beta": 1, "max_words": ""}
        good |= {"num_layers": 5, "model_type": SMALL}
        visitor = visit(metric)
        visitor.give("a cat sat", "the cat sat\na cat")
        expected = scored_alone(metric, "a cat sat", ["the cat sat", "a cat"])
        for bad, message in mistakes:
            visitor.compute()
            shows(visitor, expected)
            visitor.set(bad)
            visitor.compute()
            refuses(visitor, message)
            visitor.set({name: good[name] for name in bad})
        visitor.compute()
        shows(visitor, expected)

    def test_of_files_are_told_and_forgotten(self, visit, tmp_path):
        most = CASES["bleu_multi"]["DEMO_ITEMS"]
        bad = {
            "page.html": ("mt\tref\na\tb\n", "page.html: a file's format is taken from its extension"),
            "short.tsv": ("mt\tref\na\tb\nc\n", "short.tsv, line 3"),
            "broken.jsonl": ('{"mt": "a", "ref": "b"}\n{"mt": "c"\n', "broken.jsonl, line 2"),
            "empty.csv": ("", "empty.csv"),
            "long.tsv": ("mt\tref\n" + "a\tb\n" * (most + 1), f"{most + 1:,} rows; the page takes {most:,}"),
            "laughs.tmx": ('<!DOCTYPE t [<!ENTITY a "ha">]><tmx>&a;</tmx>', "laughs.tmx"),
        }
        good = tmp_path / "good.tsv"
        good.write_text("mt\tref\na cat\tthe cat\n")
        expected = scored("bleu_multi", ["a cat"], [["the cat"]], confidence_level=0.95, segments=True)
        visitor = visit("bleu_multi")
        visitor.open("File")
        visitor.compute_file()
        refuses(visitor, "Choose a file first", "file")
        visitor.upload(good)
        expect(visitor.find("#about-file")).to_have_text("1 rows.")
        visitor.compute_file()
        shows(visitor, expected, "file")
        for name, (text, message) in bad.items():
            path = tmp_path / name
            path.write_text(text)
            visitor.upload(path)
            expect(visitor.find("#about-file").get_by_role("alert")).to_contain_text(message)
            for result in ("#file-result .tercet", "#file-signature", "#items", "#download-json"):
                expect(visitor.find(result)).to_be_hidden()
        visitor.upload(good)
        expect(visitor.find("#system input")).to_have_value("mt")
        visitor.choose("#reference-columns", [])
        visitor.compute_file()
        refuses(visitor, "at least one of references", "file")
        visitor.choose("#reference-columns", ["ref"])
        visitor.compute_file()
        shows(visitor, expected, "file")
