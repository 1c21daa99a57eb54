"""BLEU on real test sets: the figures of mteval-v13a, multi-bleu, sacrebleu and NLTK stored beside them."""

import gzip
import json

import pytest

from conftest import ZERO_BLEU
from tercet import score

SETS = (
    "comet_da_mixed", "e2e_devel_baseline", "ntrex_en_a", "ntrex_es_a", "ntrex_fr_a", "ntrex_pt_a", "ntrex_yue_a",
    "ntrex_zh_a", "sfres_d2t", "summeval_a", "wmt19_darr_lten",
)  # fmt: skip

# The Perl scripts lower-case a to z only, tercet every letter: these sets have capitals with accents that matter.
LOWERCASED_BY_ASCII = {
    *(("ntrex_fr_a", "mteval-v13a"), ("ntrex_fr_a", "multi-bleu.perl -lc"), ("wmt19_darr_lten", "mteval-v13a"))
}

# Chinese by words, as the tools did: a number that nobody wants, and a warning that says so
pytestmark = [ZERO_BLEU, pytest.mark.filterwarnings("ignore:bleu_multi. tokenizer=.* splits at spaces:UserWarning")]


def read_set(folder, name):
    """Yield (system, predictions, references, figures), with the white space squeezed as the tools saw it."""
    golden = json.loads((folder / f"{name}.bleu.json").read_text())
    rows = {}
    for line in (folder / golden["set"]).read_text().splitlines():
        row = json.loads(line)
        rows[row["id"]] = row
    ids = golden["row_ids"] if isinstance(golden["row_ids"], list) else list(rows)
    count = int(golden["references_used"].split()[1])
    for system, figures in golden["scores"].items():
        predictions = [squeezed(rows[each]["hyps"][system]) for each in ids]
        yield system, predictions, [[squeezed(text) for text in rows[each]["refs"][:count]] for each in ids], figures


def squeezed(text):
    return " ".join(text.split())


def options_of(run):
    """Return the options that stand for a run of a tool, what is compared, and the tool's precision."""
    words = run.split()
    if run.startswith("sacrebleu BLEU"):
        given = dict(word.split("=") for word in words if "=" in word)
        options = {"tokenizer": given["tok"], "smooth_method": given.get("smooth", "exp"), "lowercase": "lc" in words}
        return {**options, "compat": "sacrebleu", "scale": 100}, "score", 6e-7
    if run.startswith("sacrebleu sentence-BLEU"):
        return {"segments": True, "scale": 100}, "segments", 6e-6
    if run.startswith("nltk"):
        options = {"compat": "nltk", "segments": "sentence_bleu" in run}
        if "BLEU-" in run:
            options["weights"] = [1 / int(run[-1])] * int(run[-1])
        if "method" in run:
            options["smooth_method"] = f"nltk{run[-1]}"
        return options, "segments" if "sentence_bleu" in run else "plain", 6e-7 if "sentence" in run else 1e-9
    if run.startswith("mteval"):
        options = {"smooth_method": "none" if "--no-smoothing" in words else "exp", "lowercase": "-c" not in words}
        options["tokenizer"] = "intl" if "--international-tokenization" in words else "13a"
        options["reference_length"] = "shortest" if "shortest" in words else "closest"
        return options, "BLEU", 6e-5
    if run.startswith("multi-bleu"):
        tokenizer = "13a" if "detok" in run else "none"
        options = {"tokenizer": tokenizer, "lowercase": "-lc" in words, "smooth_method": "none"}
        return {**options, "scale": 100}, "BLEU", 6e-3
    return None


@pytest.mark.parametrize("name", SETS)
def test_every_figure_of_every_tool(sets, name):
    compared = 0
    for system, predictions, references, figures in read_set(sets, name):
        for run, figure in figures.items():
            known = options_of(run)
            if known is None or (name, run) in LOWERCASED_BY_ASCII:
                continue
            options, key, precision = known
            result = score("bleu_multi", predictions, references, **options)
            found = result["segments"]["bleu"] if key == "segments" else result["bleu"]
            expected = figure[key] if isinstance(figure, dict) else figure
            assert found == pytest.approx(expected, abs=precision), (system, run)
            if run.startswith("sacrebleu BLEU"):
                there = ("precisions", "sys_len", "ref_len", "bp")
                names = ("precisions", "translation_length", "reference_length", "brevity_penalty")
                for name, each in zip(names, there, strict=True):
                    assert result[name] == pytest.approx(figure[each], abs=6e-7), (system, run, name)
            compared += 1
    assert compared >= 20


@pytest.mark.parametrize(("name", "run"), sorted(LOWERCASED_BY_ASCII))
def test_the_sets_whose_capitals_have_accents_differ_by_the_lower_case_alone(sets, name, run):
    small = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")
    for system, predictions, references, figures in read_set(sets, name):
        options, key, precision = options_of(run)
        options["lowercase"], predictions = False, [text.translate(small) for text in predictions]
        lowered = [[text.translate(small) for text in texts] for texts in references]
        result = score("bleu_multi", predictions, lowered, **options)
        assert result["bleu"] == pytest.approx(figures[run][key], abs=precision), system


def test_sixteen_systems_of_wmt17(sets):
    golden = json.loads((sets / "wmt17_ende_16sys.golden.json").read_text())["scores"]
    with gzip.open(sets / "wmt17_ende_16sys.jsonl.gz", "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    references = [row["refs"] for row in rows]
    assert len(golden) == 16
    for system, runs in golden.items():
        predictions = [row["hyps"][system] for row in rows]
        for run, figures in runs.items():
            result = score("bleu_multi", predictions, references, tokenizer=run.split("tok=")[1], scale=100)
            assert result["bleu"] == pytest.approx(figures["score"], abs=6e-7), (system, run)
