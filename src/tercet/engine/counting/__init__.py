"""What texts share, in the terms of metrics: the engine called for many texts."""
