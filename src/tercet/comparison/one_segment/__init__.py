"""One segment explained: which one, and how two outputs of it differ."""
