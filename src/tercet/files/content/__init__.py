"""What a file holds, whatever it is called: other formats than text, chats, logs of harnesses, columns that go with references."""
