"""Of which environments, and for whom, the footprint of ViZDoom's scenarios is measured."""

from contender import ours, real

TASKS = ("Basic-v1",)
NUM_ENVS = 32
CONTENDERS = [*ours(4), *real(4)]
