"""evaluate modules, the hook of Trainers, and the ranks of a run."""
