"""Random draws of segments: bootstrap intervals and paired tests."""
