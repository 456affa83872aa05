"""Environments on the MuJoCo physics engine."""
