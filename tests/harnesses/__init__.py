"""Imported as a package: its conftest is not that of all tests."""
