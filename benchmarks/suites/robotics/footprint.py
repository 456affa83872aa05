"""Of which environments, and for whom, the footprint of robots with goals is measured."""

from contender import ceiling, ours, real

TASKS = ("FetchReach-v4",)
NUM_ENVS = 64
CONTENDERS = [*ours(2), *real(2), *ceiling("robotics", 2, name="bare mjData")]
