"""The engine in plain Python: what each function is, what tests hold the compiled one against, and its fallback."""

from .plain_chrf import chrf_rows as chrf_rows
from .plain_chrf import f_scores as f_scores
from .plain_counts import clipped_matches as clipped_matches
from .plain_counts import ngram_ids as ngram_ids
from .plain_counts import overlaps as overlaps
from .plain_counts import pair_matches as pair_matches
from .plain_counts import skip_bigram_matches as skip_bigram_matches
from .plain_edits import edit_path as edit_path
from .plain_edits import ter_rows as ter_rows
from .plain_rouge import rouge_rows as rouge_rows
from .plain_rows import bleu_rows as bleu_rows
from .plain_subsequences import union_lcs_hits as union_lcs_hits
from .plain_subsequences import weighted_lcs_hits as weighted_lcs_hits
from .plain_sums import add_draws as add_draws
from .plain_sums import hash_texts as hash_texts
from .plain_sums import order_sums as order_sums
from .plain_sums import poisson_sums as poisson_sums
from .plain_text import intern as intern
from .plain_text import letters as letters
