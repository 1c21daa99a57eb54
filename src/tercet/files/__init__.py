"""Files of texts and logs of harnesses -> tables, and systems joined; files that are written whole or not at all."""
