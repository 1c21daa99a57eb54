"""Files of any format -> tables, and systems joined; files that are written whole or not at all.

`formats.py` lists the formats, and `read.py` reads a file by its own. Readers are in `tables/`, `translation/` and
`shared_tasks/`; which harness wrote a table or JSON is found in `logs/`, what a column is in `columns/`. Here is what
they share: a `table.py`, its `rows.py` and `numbers.py`, `lines.py` of texts, `encodings.py`, `limits.py`, `join.py`.
"""
