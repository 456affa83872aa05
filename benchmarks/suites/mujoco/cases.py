"""What the suite of MuJoCo times."""

from case import simulator_case

SECONDS = 0.5  # Steps differ more among themselves than those of classic control.
CASES = [
    case
    for task in ("Ant-v5", "HalfCheetah-v5", "Humanoid-v5")
    for case in (
        *(simulator_case(task, n) for n in (1, 8, 64)),
        simulator_case(task, 64, batch_size=16, num_threads=2),
    )
]
