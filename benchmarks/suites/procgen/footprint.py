"""Of which environments, and for whom, the footprint of Procgen's games is measured."""

from contender import ours, real

TASKS = ("CoinrunEasy-v0", "StarpilotEasy-v0", "BigfishEasy-v0")
NUM_ENVS = 256
CONTENDERS = [*ours(2), *real(2)]
