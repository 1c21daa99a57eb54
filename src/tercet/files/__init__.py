"""Files of texts: TSV, CSV, JSON Lines, TMX and plain lines -> tables; files that are written whole or not at all."""
