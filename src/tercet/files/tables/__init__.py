"""Tables of any program: TSV, CSV, JSON, Parquet, Arrow, workbooks, and data frames in memory."""
