"""For those who installed the package: files, the command line. A Space gets nothing of it."""
