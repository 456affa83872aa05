"""Who is timed in the suite of Atari."""

from contender import ale, ceiling, gymnasium, ours, real

CONTENDERS = [
    *ours(1, 2),
    *real(1, 2),
    *ale(1, 2),
    *ceiling("atari", 1, 2),
    gymnasium(package="suites.atari.tasks"),
]
