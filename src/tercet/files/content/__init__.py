"""What a file holds, whatever it is called: other formats than text, chats, columns of systems, logs of harnesses."""
