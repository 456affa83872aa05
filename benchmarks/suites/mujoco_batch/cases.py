"""What is timed against MuJoCo's own batches."""

from case import simulator_case

SECONDS = 0.5
CASES = [simulator_case(task, 64) for task in ("Ant-v5", "HalfCheetah-v5")]
