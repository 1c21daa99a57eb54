"""What a person looks at: the report of a comparison, and of human grades."""
