"""One segment of all systems: side by side, and why it has its scores."""
