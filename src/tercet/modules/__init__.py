"""What the suite's evaluate modules share: checks, gathering over processes, loading by name."""
