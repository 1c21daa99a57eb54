"""What a comparison is made of: its design, scores, slices and sections."""
