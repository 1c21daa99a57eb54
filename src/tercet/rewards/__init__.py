"""Rewards for reinforcement learning: metrics as the functions that trainers call."""
