"""Who is timed in the suite of toy text."""

from contender import gymnasium, ours, real

CONTENDERS = [*ours(1, 2), *real(1, 2), gymnasium(beside_ours=False)]
