"""Bytes -> tokens: tokenizers, sentence splitting, stems."""
