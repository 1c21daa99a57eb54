"""The engine in plain Python: what each function is, what tests hold the compiled one against, and its fallback."""

from .plain_sums import add_draws as add_draws
from .plain_sums import hash_texts as hash_texts
from .plain_sums import order_sums as order_sums
from .plain_sums import poisson_sums as poisson_sums
