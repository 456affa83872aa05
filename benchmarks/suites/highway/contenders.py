"""Who is timed in the suite of driving."""

from contender import gymnasium, ours, real

CONTENDERS = [*ours(1, 2), *real(1, 2), gymnasium(package="suites.highway.tasks")]
