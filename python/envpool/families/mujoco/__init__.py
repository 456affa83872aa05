"""Environments on the MuJoCo physics engine; a package for each family of them."""
