"""Pools, one module for each API that they speak."""
