"""From user input to texts that are checked, encoded and tokenized once."""
