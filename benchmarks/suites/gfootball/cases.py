"""What the suite of Google Research Football times."""

from case import simulator_case

SECONDS = 1.0
CASES = [
    simulator_case("gfootball/academy_run_to_score-v1", 1, num_threads=1),
    simulator_case("gfootball/11_vs_11_stochastic-v1", 1, num_threads=1),
    simulator_case("gfootball/academy_run_to_score-v1", 8),
    simulator_case("gfootball/11_vs_11_stochastic-v1", 8),
    simulator_case("gfootball/11_vs_11_stochastic-v1", 8, batch_size=4),
]
