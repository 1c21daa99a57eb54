"""What is said of a comparison: the sentences of a verdict, and the legends of its tables."""
