"""The engine in plain Python: what each function is, what tests hold the compiled one against, and its fallback."""

# mypy: implicit-reexport
# ruff: noqa: F401
from .plain_bleu import bleu_rows, bleu_scores, nltk_precisions
from .plain_chrf import chrf_rows, f_scores
from .plain_diversity import diversity_rows
from .plain_ngrams import clipped_matches, crossed_matches, ngram_ids, overlaps, pair_matches, skip_bigram_matches
from .plain_null_draws import count_as_large, exchange
from .plain_plan import bleu_plan, chrf_plan, error_plan, gleu_plan, rouge_plan, ter_plan
from .plain_porter import porter
from .plain_rouge import item_means, rouge_rows
from .plain_rows import bleu_rouge_rows, gleu_rows, gleu_scores, jaccard_rows
from .plain_subsequences import union_lcs_hits, weighted_lcs_hits
from .plain_sums import add_draws, hash_texts, order_sums, poisson_sums, span_of_column, sum_rows
from .plain_ter import edit_path, pair_edits, ter_rows, ter_scores
from .plain_text import all_strings, intern, is_plain, letters, lowered, paired_strings
from .plain_wer import edit_counts, edit_steps, error_rates, error_rows
