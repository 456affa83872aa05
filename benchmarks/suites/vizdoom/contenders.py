"""Who is timed in the suite of ViZDoom."""

from contender import ours, real

CONTENDERS = [*ours(1, 2), *real(1, 2)]
