"""The engine in plain Python: what each function is, what tests hold the compiled one against, and its fallback."""
