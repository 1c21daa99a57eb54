"""ROUGE on real test sets: every figure of ROUGE-1.5.5 (Perl), rouge_score and rouge-metric stored beside them."""

import json
import re
from functools import cache

import pytest

from tercet import score

SETS = (
    "e2e_devel_baseline", "multiling2011", "sfres_d2t", "google_rouge_large", "google_rouge_multi", "realsumm_a",
    "summeval_a",
)  # fmt: skip

# Runs with -t 1 are left out: averages over tokens, whose F the script computes by a formula that is no F.


@cache
def read_rows(folder, name):
    rows = map(json.loads, (folder / f"{name}.jsonl").read_text().splitlines())
    return {row["id"]: row for row in rows}


def read_golden(folder, name, tool):
    golden = json.loads((folder / f"{name}.{tool}.json").read_text())
    listed = [run["per_doc"] for run in golden["runs"].values() if run.get("per_doc")]
    ids = list(next(iter(listed[0].values())))
    return golden["runs"], ids


def texts_of(rows, ids, system):
    return [rows[each]["hyps"][system] for each in ids], [rows[each]["refs"] for each in ids]


def triples(result, names, item=None):
    """Return [recall, precision, F] by name, of the corpus or of an item."""

    keys = {name: (f"{name}_recall", f"{name}_precision", name) for name in names}
    return {name: [result[key] if item is None else result[key][item] for key in keys[name]] for name in names}


def options_of_script(command):
    words = command.split()

    def value(flag):
        return words[words.index(flag) + 1]

    return {
        "use_stemmer": "-m" in words,
        "stopwords": "smart" if "-s" in words else None,
        "multi_ref": {"A": "average", "B": "best"}[value("-f")],
        "max_words": int(value("-l")) if "-l" in words else None,
        "max_bytes": int(value("-b")) if "-b" in words else None,
        "alpha": float(value("-p")),
        "compat": "rouge155",
    }


@pytest.mark.parametrize("name", [*SETS[:3], *(pytest.param(name, marks=pytest.mark.long) for name in SETS[3:])])
def test_the_perl_script_to_the_last_digit(sets, name):
    runs, ids = read_golden(sets, name, "rouge155")
    rows = read_rows(sets, name)
    compared = 0
    for label, run in runs.items():
        if "-t" in run["options"].split():
            continue
        for system, means in run["mean"].items():
            predictions, references = texts_of(rows, ids, system)
            names = {metric: re.sub(r"[-*]", "", metric.replace("ROUGE-", "rouge")) for metric in means}
            options = options_of_script(run["options"])
            options |= {"rouge_types": list(names.values()), "output": "all"}
            result = score("rouge_nlws", predictions, references, **options)
            for metric, figures in means.items():
                ours = triples(result, [names[metric]])[names[metric]]
                assert ours == pytest.approx(figures, abs=6e-7), (label, system, metric)
                compared += 1
            if run["per_doc"]:
                items = score("rouge_nlws", predictions, references, use_aggregator=False, **options)
                for item, each in enumerate(ids):
                    for metric, figures in run["per_doc"][system][each].items():
                        ours = triples(items, [names[metric]], item)[names[metric]]
                        assert ours == pytest.approx(figures, abs=1e-9), (label, system, each, metric)
                        compared += 1
    assert compared > 50


@pytest.mark.parametrize("name", SETS)
def test_rouge_score_with_and_without_stemmer(sets, name):
    runs, ids = read_golden(sets, name, "pyrouge")
    rows = read_rows(sets, name)
    compared = 0
    for label, run in runs.items():
        if not label.startswith("rouge_score"):
            continue
        for system, docs in run["per_doc"].items():
            types = list(docs[ids[0]])
            options = {"rouge_types": types, "use_stemmer": "stem=True" in label, "output": "all"}
            result = score("rouge_nlws", *texts_of(rows, ids, system), use_aggregator=False, **options)
            for item, each in enumerate(ids):
                ours = triples(result, types, item)
                for metric, figures in docs[each].items():
                    assert ours[metric] == pytest.approx(figures, abs=6e-6), (label, system, each, metric)
                    compared += 1
    assert compared > 10


# rouge-metric pools or picks references as ROUGE-1.5.5 does, but for these differences (its F of a corpus is
# also the F of the averages, so corpora are compared by precision and recall only):
PICKED_OTHERWISE = {("best", "rouge-w-1.2")}  # it ranks references for ROUGE-W by the score, the script does not


@pytest.mark.parametrize("name", SETS)
def test_rouge_metric_on_the_same_tokens(sets, name):
    runs, ids = read_golden(sets, name, "pyrouge")
    rows = read_rows(sets, name)
    compared = 0
    for label, run in runs.items():
        if "lower-cased" not in label:
            continue
        rule = re.search(r"multi_ref=(\w+)", label)[1]
        for system, means in run["average"].items():
            names = {metric: re.sub(r"[-*]", "", metric) for metric in means}
            names = {key: re.sub("rouge(l|su|s|w)", lambda m: "rouge" + m[1].upper(), n) for key, n in names.items()}
            predictions, references = texts_of(rows, ids, system)
            options = {"rouge_types": list(names.values()), "output": "all", "multi_ref": rule, "compat": "rouge155"}
            result = score("rouge_nlws", predictions, references, **options)
            several = any(len(texts) > 1 for texts in references)
            for metric, figures in means.items():
                if several and (rule, metric) in PICKED_OTHERWISE:
                    continue
                ours = triples(result, [names[metric]])[names[metric]]
                assert ours[:2] == pytest.approx(figures[:2], abs=1.2e-5), (label, system, metric)
                compared += 1
    assert compared > 5


def test_figures_published_by_the_authors_of_rouge_score(sets):
    published = json.loads((sets / "google_rouge.published.json").read_text())
    rows = list(read_rows(sets, "google_rouge_large").values())[:2]
    for label, stem in (("rows 0,1 no stem [R,P,F]", False), ("rows 0,1 stem", True)):
        figures = published["google_rouge_large"][label]
        options = {"rouge_types": list(figures), "output": "all", "use_stemmer": stem, "use_aggregator": False}
        result = score("rouge_nlws", *texts_of(rows, [0, 1], "pred"), **options, compat="rouge155")
        for metric, items in figures.items():
            for item, figure in enumerate(items):
                assert triples(result, [metric], item)[metric] == pytest.approx(figure, abs=1.1e-5)
