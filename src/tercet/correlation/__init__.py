"""Tables of texts and human grades -> which metric to trust; in words, tables and files."""
