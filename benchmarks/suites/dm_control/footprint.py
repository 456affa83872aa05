"""Of which environments, and for whom, the footprint of dm_control's worlds is measured."""

from contender import ceiling, ours, real

TASKS = ("CheetahRun-v1",)
NUM_ENVS = 64
CONTENDERS = [*ours(2), *real(2), *ceiling("dm_control", 2, name="bare mjData")]
