"""Programs that call the function of a Space: results, and what is refused."""

import pytest
from gradio_client.exceptions import AppError

from page_checks import PAGES, PREDICTIONS, REFERENCES, same, scored
from schedule import UNLIKE
from texts import MINILM

pytest_plugins = ["pages"]
pytestmark = pytest.mark.costly


class TestPrograms:
    def test_get_what_the_package_returns(self, program, metric):
        chosen = PAGES[metric].chosen
        found = program(metric).predict(PREDICTIONS, REFERENCES, chosen, api_name="/compute")
        expected = scored(metric, PREDICTIONS, REFERENCES, **chosen)
        assert found.keys() == expected.keys()
        assert found["signature"] == expected["signature"]
        name = next(iter(expected))
        assert found[name] == same(metric, expected[name])

    def test_get_what_the_page_begins_with_without_options(self, program, metric):
        found = program(metric).predict(PREDICTIONS, REFERENCES, api_name="/compute")
        assert found["signature"] == scored(metric, PREDICTIONS, REFERENCES)["signature"]

    def test_get_intervals_and_segments(self, program, metric):
        more = {"confidence_level": 0.9, "n_resamples": 200, "segments": True}
        found = program(metric).predict(PREDICTIONS, REFERENCES, more, api_name="/compute")
        expected = scored(metric, PREDICTIONS, REFERENCES, **more)
        assert found["signature"] == expected["signature"]
        assert found["intervals"].keys() == expected["intervals"].keys()
        for name, bounds in expected["intervals"].items():
            assert found["intervals"][name] == same(metric, bounds)
        for name, values in expected["segments"].items():
            assert found["segments"][name] == same(metric, values)

    @pytest.mark.parametrize("metric", ["bertscore_idf"])
    def test_name_an_encoder_as_the_page_does(self, program, metric):
        given = {"model_type": "all-MiniLM-L6-v2", "num_layers": 5}
        found = program(metric).predict(["a cat"], [["the cat"]], given, api_name="/compute")
        assert found["signature"] == scored("bertscore_idf", ["a cat"], [["the cat"]])["signature"]
        with pytest.raises(AppError) as refusal:
            program(metric).predict(["a"], [["a"]], {"model_type": "bert"}, api_name="/compute")
        assert "one of 'all-MiniLM-L6-v2', 'roberta-large', 'bert-base-multi" in str(refusal.value)
        assert MINILM not in str(refusal.value)

    def test_see_one_function(self, program, metric):
        found = program(metric).view_api(return_format="dict", print_info=False)
        assert (list(found["named_endpoints"]), found["unnamed_endpoints"]) == (["/compute"], {})
        names = [each["parameter_name"] for each in found["named_endpoints"]["/compute"]["parameters"]]
        assert names == ["predictions", "references", "options"]

    @pytest.mark.parametrize(
        ("metric", "options", "message"),
        [
            ("bleu_multi", {"tokenizer": "lambda text: text"}, "'tokenizer' option must here be one of"),
            ("bleu_multi", {"smooth_metod": "exp"}, "Did you mean 'smooth_method'?"),
            ("bleu_multi", {"n_jobs": 64}, "'n_jobs' cannot be chosen here"),
            ("bleu_multi", {"max_order": 10**400}, "a whole number from 1 to 20"),
            ("bleu_multi", {"weights": [[0.5], 0.5]}, "weights"),
            ("bleu_multi", {"weights": {"a": {"b": 1}}}, "weights"),
            ("bleu_multi", ["tokenizer"], "The options must be names with values"),
            ("bleu_multi", "tokenizer", "The options must be names with values"),
            ("rouge_nlws", {"rouge_types": [["rouge1"]]}, "a list of some of"),
            ("rouge_nlws", {"rouge_types": ["rougeX"]}, "rougeX"),
            ("rouge_nlws", {"tokenizer": {"a": 1}}, "'tokenizer' option must here be one of"),
            ("bertscore_idf", {"model_type": "/etc"}, "'model_type' option must here be one of"),
            ("bertscore_idf", {"model_type": "http://127.0.0.1/model"}, "'model_type' option must here be one of"),
            ("bertscore_idf", {"num_layers": "5; import os"}, "must here be a number"),
            ("bertscore_idf", {"idf": "/etc/passwd"}, "must here be True or False"),
        ],
    )
    def test_are_told_which_option_is_refused(self, program, metric, options, message):
        with pytest.raises(AppError, match=message.replace("?", r"\?")):
            program(metric).predict(["a"], [["a"]], options, api_name="/compute")

    @pytest.mark.parametrize("metric", UNLIKE)
    @pytest.mark.parametrize(
        ("predictions", "references", "message"),
        [
            (["a"] * 30_000, [["a"]] * 30_000, "30,000 items are more than"),
            (["a", None], [["a"], ["b"]], "item 1 of predictions must be a string"),
            ([["a"]], [["a"]], "predictions"),
            (["a"], [[["a"]]], "references"),
            (["a"], [[None]], "references"),
            ("a", "a", "predictions"),
            (None, None, "predictions"),
            (["a"], [[]], "reference"),
            (["a"], [["b"], ["c"]], "2"),
        ],
    )
    def test_are_told_which_item_is_refused(self, program, metric, predictions, references, message):
        with pytest.raises(AppError, match=message):
            program(metric).predict(predictions, references, api_name="/compute")
