"""What users give to compare: texts, files, frames, scores, metrics and settings, checked and read."""
