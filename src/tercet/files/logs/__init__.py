"""Logs and results of harnesses, a module for each; by what each is known (`recognition.py`); runs, joined."""
