"""Few items at a time, as a reward or a progress bar has them: from bytes to counts in one call of one kernel."""
