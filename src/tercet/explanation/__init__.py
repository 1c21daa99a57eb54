"""How a score is explained, and how explanations look: tokens in colour, tables, heat maps."""
