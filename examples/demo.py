"""Score three systems in four languages with every metric of the suite, offline, and write a report of them.

The scores come from evaluate's modules. With ``--light``, with the metrics that need no neural network.
"""

import argparse
import os
import sys
import warnings
from pathlib import Path

from networks import NETWORKS, options_of_networks
from rich.console import Console
from rich.table import Column, Table

import tercet
from tercet.report.comparison import to_html

HERE = Path(__file__).resolve().parent
REPORT = HERE.parent / "build" / "demo" / "report.html"
LANGUAGES = {"en": "English", "es": "Spanish", "ru": "Russian", "zh": "Chinese"}
SYSTEMS = ("baseline", "tuned", "large")
COLUMNS = {
    "bleu_multi": ("bleu",),
    "chrf_multi": ("chrf",),
    "ter": ("ter",),
    "rouge_nlws": ("rouge1", "rouge2", "rougeL", "rougeSU4"),
    "bleu_rouge_f": ("bleu_rouge_f",),
    "jaccard_sets": ("jaccard",),
    "bertscore_idf": ("mean_f1",),
    "embedding_cosine": ("cosine",),
    "perplexity_lm": ("perplexity",),
}
OPTIONS = {
    ("bleu_multi", "zh"): {"tokenizer": "zh"},  # Chinese has no blanks: BLEU counts its characters
    ("ter", "zh"): {"normalized": True, "asian_support": True},  # so does TER
}


def read_test_sets():
    """Return the test sets by language: several references per item, some cells of them empty."""
    return {language: tercet.read_test_sets([HERE / "data" / f"{language}.tsv"])[0] for language in LANGUAGES}


def options_by_metric(language, of_networks):
    """Return the options of each metric that scores this language."""
    names = [name for name in COLUMNS if name not in NETWORKS or (name, language) in of_networks]
    return {name: {**OPTIONS, **of_networks}.get((name, language), {}) for name in names}


def shown(result, name):
    low, high = result["intervals"][name]
    return f"{result[name]:.1f} ({low:.0f}-{high:.0f})"


def score_table(test_sets, of_networks):
    """Return a table of all scores, each from the metric's evaluate module."""
    columns = [Column(system, justify="right") for system in SYSTEMS]
    table = Table("language", "score", *columns, title="Sample test set: scores with 95 % bootstrap intervals")
    for language, title in LANGUAGES.items():
        systems, references = test_sets[language].systems, test_sets[language].references
        for name, options in options_by_metric(language, of_networks).items():
            module = tercet.load(name)
            given = {"references": references, "confidence_level": 0.95, "scale": 100, **options}
            results = [module.compute(predictions=systems[system], **given) for system in SYSTEMS]
            for column in COLUMNS[name]:
                table.add_row(title, column, *(shown(result, column) for result in results))
        table.add_section()
    return table


def compare_systems(test_sets, of_networks):
    """Return the comparison of the systems in each language, by the same metrics, with tests of significance."""
    comparisons = []
    for language, test_set in test_sets.items():
        options = options_by_metric(language, of_networks)
        comparisons.append(tercet.compare(test_set, [tercet.scorer(name, **options[name]) for name in options]))
    return comparisons


def answer(comparisons, metric="chrf_multi"):
    """Return in which languages which system is better than the next best, and by how much."""
    languages, differences, pvalues = {}, [], []
    for title, comparison in zip(LANGUAGES.values(), comparisons, strict=True):
        table = next(table for table in comparison.tables if table.metric == metric)
        best, second = sorted(range(len(table.rows)), key=lambda place: -table.rows[place].value)[:2]
        pvalue = table.pvalues[best, second]
        verdict = "is better than" if pvalue < comparison.alpha else "is not significantly better than"
        sentence = f"{table.rows[best].system} {verdict} {table.rows[second].system}"
        languages.setdefault(sentence, []).append(title)
        differences.append(table.rows[best].value - table.rows[second].value)
        pvalues.append(pvalue)
    which = "; ".join(f"{sentence} in {listed(titles)}" for sentence, titles in languages.items())
    apart = f"{min(differences):.1f} to {max(differences):.1f} points of {table.title}"
    return f"{which}, by {apart} (adjusted p ≤ {max(max(pvalues), 0.0001):.4f})."


def listed(names):
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--light", action="store_true", help="with the metrics that need no neural network")
    of_networks = {} if parser.parse_args().light else options_of_networks()
    test_sets = read_test_sets()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the report has them, with the signatures
        table, comparisons = score_table(test_sets, of_networks), compare_systems(test_sets, of_networks)
        REPORT.parent.mkdir(parents=True, exist_ok=True)
        REPORT.write_text(to_html(comparisons), encoding="utf-8")
    command = os.path.relpath(Path(sys.executable).with_name("tercet"))
    console = Console(width=100, highlight=False)
    console.print(table)
    console.print(f"\n[bold]{answer(comparisons)}[/bold]", soft_wrap=True)
    console.print(f"The report has every score, test, signature and segment: open {os.path.relpath(REPORT)}")
    console.print("\nTry it on a file of your own, with one column of references and one per system:")
    console.print(f"  {command} compare FILE.tsv --metric chrf --metric bleu --out report.html", soft_wrap=True)
    console.print(f"  {command} explain bleu FILE.tsv", soft_wrap=True)


if __name__ == "__main__":
    main()
