"""Memories of translators (TMX, XLIFF, PO), subtitles and transcripts of speech, and how all these are joined."""
