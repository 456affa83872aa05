"""How tasks become known and are made. Imports neither NumPy nor the native core."""
