"""What users give to compare: texts, files, frames, scores and metrics, checked and read."""
