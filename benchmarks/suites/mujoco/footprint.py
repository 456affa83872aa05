"""Of which environments, and for whom, the footprint of MuJoCo's robots is measured."""

from contender import ceiling, ours, real

TASKS = ("Ant-v5",)
NUM_ENVS = 1024
CONTENDERS = [*ours(2), *real(2), *ceiling("mujoco", 2, name="bare mjData")]
