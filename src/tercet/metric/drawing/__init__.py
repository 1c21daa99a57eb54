"""How explanations are drawn: tokens in colour, tables, heat maps."""
