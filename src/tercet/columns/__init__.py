"""What a user has, a list or a column -> checked texts in UTF-8, and rows of different lengths."""
