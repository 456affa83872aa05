"""The environments: a package for each family."""
