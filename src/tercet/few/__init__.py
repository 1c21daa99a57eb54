"""Few items at a time, as a reward or a progress bar has them: in arrays that are kept."""
