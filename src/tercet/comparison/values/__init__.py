"""What a comparison is made of: its design, scores, slices and sections; what `compare` may be asked."""
