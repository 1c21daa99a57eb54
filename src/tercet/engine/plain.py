"""The engine in plain Python: what each function is, what tests hold the compiled one against, and its fallback."""

from .plain_text import intern as intern
from .plain_text import letters as letters
