"""How explanations look: matched words in colour, tables of tokens, heat maps."""
