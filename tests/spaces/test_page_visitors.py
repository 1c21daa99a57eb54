"""Several visitors of a page at a time."""

import threading

import pytest
from playwright.sync_api import expect

from page_checks import PAGES, refuses, same, scored, scored_alone, shows
from schedule import UNLIKE

pytest_plugins = ["pages"]
pytestmark = pytest.mark.costly


class TestSeveralVisitors:
    @pytest.mark.parametrize("metric", UNLIKE)
    def test_get_their_own_results(self, visit, metric):
        first, second = visit(metric, alone=True), visit(metric, alone=True)
        first.give("a cat sat here", "a cat sat here today")
        second.give("an old dog lay there", "the old dog lay there\na dog")
        for _ in range(3):
            first.compute()
            second.compute()
            second.compute()
        shows(first, scored_alone(metric, "a cat sat here", ["a cat sat here today"]))
        shows(second, scored_alone(metric, "an old dog lay there", ["the old dog lay there", "a dog"]))

    @pytest.mark.parametrize("metric", UNLIKE)
    def test_get_their_own_answers_as_programs(self, program, metric):
        texts = [("a " * number + "cat", [["a cat"] * (number % 3 + 1)]) for number in range(6)]
        found = {}

        def call(number, client):
            prediction, references = texts[number]
            found[number] = client.predict([prediction], references, api_name="/compute")

        threads = [threading.Thread(target=call, args=[number, program(metric)]) for number in range(len(texts))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for number, (prediction, references) in enumerate(texts):
            expected = scored(metric, [prediction], references)
            assert found[number]["signature"] == expected["signature"]
            assert found[number][PAGES[metric].score] == same(metric, expected[PAGES[metric].score])

    def test_do_not_see_each_other_s_files(self, visit, tmp_path):
        path = tmp_path / "own.tsv"
        path.write_text("mt\tref\na secret cat\ta cat\n")
        owner = visit("bleu_multi", alone=True)
        owner.upload(path)
        expect(owner.find("#about-file")).to_have_text("1 rows.")
        other = visit("bleu_multi", alone=True)
        other.open("File")
        other.compute_file()
        refuses(other, "Choose a file first", "file")
        assert "own.tsv" not in other.page.content()
        owner.compute_file()
        expected = scored("bleu_multi", ["a secret cat"], [["a cat"]], confidence_level=0.95, segments=True)
        shows(owner, expected, "file")
        assert "secret" not in other.page.content()
