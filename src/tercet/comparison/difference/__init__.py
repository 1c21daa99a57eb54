"""Why another package gives a different score: the rules between the two, one step each."""
