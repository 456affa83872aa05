"""Who is timed in the suite of classic control."""

from contender import gymnasium, ours, real

CONTENDERS = [
    *ours(1, 2, 8),
    *real(1, 2),
    *(gymnasium(mode, beside_ours=False) for mode in ("sync", "async", "vector_entry_point")),
]
