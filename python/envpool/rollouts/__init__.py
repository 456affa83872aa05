"""Rollouts: steps of all environments of a pool in arrays that the pool's threads write."""
