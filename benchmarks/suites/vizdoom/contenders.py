"""Who is timed in the suite of ViZDoom, whose engines are processes that threads wait for."""

from contender import ours, real

CONTENDERS = [*ours(2, 4), *real(2, 4)]
