"""From what a user has to texts that are checked, encoded and split into tokens once."""
