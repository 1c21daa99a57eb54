"""HTML reports: of a comparison, and of human grades."""
