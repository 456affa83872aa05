"""Of which environments, and for whom, the footprint of Box2D's worlds is measured."""

from contender import ours, real

TASKS = ("CarRacing-v3", "LunarLander-v3")
NUM_ENVS = 256
CONTENDERS = [*ours(2), *real(2)]
