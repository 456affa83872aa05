"""What the suite of ViZDoom times."""

from case import simulator_case

SECONDS = 1.0
CASES = [
    simulator_case("Basic-v1", 1, num_threads=1),
    *(simulator_case(f"{name}-v1", 8) for name in ("Basic", "DefendTheCenter", "HealthGathering")),
    simulator_case("Basic-v1", 8, batch_size=4),
]
