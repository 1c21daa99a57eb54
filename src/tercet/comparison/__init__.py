"""Test sets and their systems -> scores, intervals and significance; tables and exports."""
