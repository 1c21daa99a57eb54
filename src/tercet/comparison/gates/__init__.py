"""Whether a system may pass: losses beyond a margin, and texts that are missing."""
