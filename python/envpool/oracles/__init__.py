"""The environments that ours must equal, byte for byte, and how they are compared.

Tests compare with them at length, and ``python -m envpool verify`` on anybody's machine; see
docs/verify.md. A family is compared once :data:`envpool.oracles.upstreams.UPSTREAMS` has its line.
"""
