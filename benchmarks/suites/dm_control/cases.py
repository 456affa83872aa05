"""What the suite of dm_control times."""

from case import simulator_case

SECONDS = 0.5
CASES = [
    simulator_case(task, num_envs, without=() if num_envs == 1 else ("dm_control",))
    for task in ("WalkerWalk-v1", "CheetahRun-v1", "HumanoidRun-v1", "QuadrupedWalk-v1")
    for num_envs in (1, 64)
]
