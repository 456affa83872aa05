"""Who is timed in the suite of MuJoCo."""

from contender import ceiling, gymnasium, ours, real

CONTENDERS = [*ours(1, 2), *real(1, 2), *ceiling("mujoco", 1, 2), gymnasium()]
