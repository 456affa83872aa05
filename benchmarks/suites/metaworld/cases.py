"""What the suite of Meta-World times."""

from case import simulator_case

SECONDS = 0.5
CASES = [
    simulator_case(f"MetaWorld/{task}-v3", num_envs)
    for task in ("Reach", "Push", "DoorOpen", "Assembly")
    for num_envs in (1, 64)
]
