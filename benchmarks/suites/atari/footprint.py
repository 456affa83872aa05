"""Of which environments, and for whom, the footprint of Atari's consoles is measured."""

from contender import ale, ours, real

TASKS = ("Pong-v5",)
NUM_ENVS = 256
CONTENDERS = [*ours(2), *real(2), *ale(2)]
