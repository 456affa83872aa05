"""The environments that ours must equal, byte for byte, and how they are compared.

Tests compare with them at length, and ``python -m envpool verify`` on anybody's machine; see
docs/verify.md. The module of a family's name has a class ``Environments``, which makes them. The
family's record says which packages that needs.
"""
