"""Who is timed in the suite of MiniGrid and BabyAI."""

from contender import gymnasium, ours, real

CONTENDERS = [*ours(1, 2), *real(1, 2), gymnasium(package="suites.minigrid.tasks")]
