"""What the suite of Procgen times."""

from case import simulator_case

SECONDS = 0.5
CASES = [
    simulator_case("CoinrunEasy-v0", 1, num_threads=1),
    *(simulator_case(f"{game}Easy-v0", 64) for game in ("Coinrun", "Starpilot", "Bigfish")),
    simulator_case("CoinrunEasy-v0", 64, batch_size=16),
    simulator_case("MazeHard-v0", 64),
]
