"""More texts than one process takes: their parts are counted by the workers of Ray, and the sums put together."""
