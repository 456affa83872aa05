"""What the suite of Atari times."""

from case import simulator_case

SECONDS = 0.5
HARDEST = ("Seaquest-v5", "Qbert-v5", "MsPacman-v5", "Galaxian-v5")  # for emulators
CASES = [
    *(simulator_case("Pong-v5", n) for n in (1, 8, 64)),
    simulator_case("Pong-v5", 64, batch_size=16),
    simulator_case("Breakout-v5", 64),
    simulator_case("Breakout-v5", 64, batch_size=16),
    *(simulator_case(task, 64) for task in HARDEST),
]
