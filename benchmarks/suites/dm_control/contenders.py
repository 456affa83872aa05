"""Who is timed in the suite of dm_control."""

from contender import Contender, ceiling, ours, real

CONTENDERS = [
    *ours(1, 2),
    *real(1, 2),
    *ceiling("dm_control", 1, 2),
    Contender("dm_control", "dm_control", "suites.dm_control.tasks", {}, beside_ours=True),
]
