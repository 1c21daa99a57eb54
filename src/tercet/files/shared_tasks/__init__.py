"""Files as shared tasks publish them: test sets of WMT, annotations of translations and of summaries."""
