"""Score three systems in four languages with every metric of the suite, through evaluate.load, offline.

With ``--light``, with those that need no neural network.
"""

import csv
import sys
import warnings
from pathlib import Path

import evaluate
from networks import NETWORKS, options_of_networks
from rich.console import Console
from rich.table import Column, Table

HERE = Path(__file__).resolve().parent
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


def read_test_set(language):
    """Return the rows of a test set: several references per item, some cells of them empty."""
    with open(HERE / "data" / f"{language}.tsv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    names = [name for name in rows[0] if name.startswith("reference")]
    return rows, [[row[name] for name in names if row[name]] for row in rows]


def shown(result, name):
    low, high = result["intervals"][name]
    return f"{result[name]:.1f} ({low:.0f}-{high:.0f})"


def main():
    of_networks = {} if sys.argv[1:] == ["--light"] else options_of_networks()
    systems = [Column(system, justify="right") for system in SYSTEMS]
    table = Table("language", "score", *systems, title="Sample test set: scores with 95 % bootstrap intervals")
    notes = {}
    for language, title in LANGUAGES.items():
        rows, references = read_test_set(language)
        for name, columns in COLUMNS.items():
            if name in NETWORKS and (name, language) not in of_networks:
                continue
            module = evaluate.load(str(HERE.parent / "metrics" / name))
            options = {"references": references, "confidence_level": 0.95, "scale": 100}
            options |= {**OPTIONS, **of_networks}.get((name, language), {})
            with warnings.catch_warnings(record=True) as caught:  # said below, with the signatures
                warnings.simplefilter("always")
                results = [module.compute(predictions=[row[system] for row in rows], **options) for system in SYSTEMS]
            for column in columns:
                table.add_row(title, column, *(shown(result, column) for result in results))
            for note in [results[0].signature, *(str(warning.message) for warning in caught)]:
                notes.setdefault(note, []).append(title)
        table.add_section()
    (console := Console(width=100)).print(table)
    for note, titles in notes.items():
        console.print(f"[bold]{', '.join(dict.fromkeys(titles))}[/bold]: {note}", soft_wrap=True, highlight=False)


if __name__ == "__main__":
    main()
