"""Why another package gives another number: the rules between the two, one step each."""
