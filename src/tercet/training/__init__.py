"""Token ids of a Trainer or a training loop -> texts -> scores that loggers accept."""
