"""What the suite of Box2D times."""

from case import simulator_case

SECONDS = 0.5
CASES = [
    simulator_case("LunarLander-v3", 1, num_threads=1),
    simulator_case("LunarLander-v3", 64),
    simulator_case("LunarLander-v3", 64, batch_size=16, num_threads=2),
    simulator_case("BipedalWalker-v3", 64, without=("ceiling",)),
    simulator_case("CarRacing-v3", 64, without=("ceiling",)),
]
