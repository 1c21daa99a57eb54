"""A comparison as people and programs read it: terminal, notebook, tables, records, workbooks, model cards."""
