"""The engine in plain Python: what each function is, what tests hold the compiled one against, and its fallback."""

from .plain_chrf import chrf_rows as chrf_rows
from .plain_chrf import f_scores as f_scores
from .plain_edits import edit_path as edit_path
from .plain_edits import ter_rows as ter_rows
from .plain_text import intern as intern
from .plain_text import letters as letters
