"""Which of three systems is better, and is the difference more than chance? A table, a report, an evaluate module."""

from pathlib import Path

import tercet

HERE = Path(__file__).resolve().parent
METRICS = ("bleu_multi", "rouge_nlws:rouge_types=rouge1+rougeL")


def main():
    # A file with a column for the source, some for references, and one for each system: recognized by name.
    (test_set,) = tercet.read_test_sets([str(HERE / "data" / "en.tsv")])
    print(f"{test_set.name}: {len(test_set.references)} segments, systems {', '.join(test_set.systems)}\n")

    comparison = tercet.compare(test_set, METRICS, baseline="baseline")
    columns = ["score", "system", "value", "low", "high", "difference", "adjusted_pvalue"]
    print(comparison.to_dataframe()[columns].round(4).to_string(index=False, na_rep=""), "\n")

    # Every number of the table is there for programs.
    bleu = comparison.tables[0]
    large = next(row for row in bleu.rows if row.system == "large")
    interval = f"[{large.low:.2f}, {large.high:.2f}]"
    print(f"large: BLEU {large.value:.2f} in {interval}, adjusted p = {large.adjusted_pvalue:.4f}\n")

    report = HERE.parent / "build" / "comparison.html"
    report.parent.mkdir(exist_ok=True)
    report.write_text(comparison.to_html(), encoding="utf-8")
    print(f"The report: build/{report.name}, one file for any browser\n")

    # The same test for two systems, as evaluate's users know comparisons.
    significance = tercet.load("paired_significance")
    result = significance.compute(
        predictions1=test_set.systems["baseline"],
        predictions2=test_set.systems["tuned"],
        references=test_set.references,
        metric="bleu_multi",
        scale=100,
    )
    print(f"paired_significance, tuned - baseline: {result['stat']:+.2f} BLEU, p = {result['p']:.4f}")


if __name__ == "__main__":
    main()
