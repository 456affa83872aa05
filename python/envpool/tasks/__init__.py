"""How tasks become known and are made. Importing it does not load the native core."""
