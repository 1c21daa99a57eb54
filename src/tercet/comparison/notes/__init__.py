"""Sections below a score: groups that differ, what can be told apart, and differences that few segments decide."""
