"""Of which environments, and for whom, the footprint of Meta-World is measured."""

from contender import gymnasium, ours, real

TASKS = ("MetaWorld/Reach-v3", "MetaWorld/Assembly-v3")
NUM_ENVS = 64
CONTENDERS = [*ours(2), *real(2), gymnasium(package="suites.metaworld.tasks")]
