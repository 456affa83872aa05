"""Who is timed in the suite of Gymnasium-Robotics."""

from contender import ceiling, gymnasium, ours, real

CONTENDERS = [
    *ours(1, 2),
    *real(1, 2),
    *ceiling("robotics", 1, 2),
    gymnasium(package="suites.robotics.tasks"),
]
