"""What the suite of toy text times."""

from case import Case

SECONDS = 0.1
CASES = [
    *(Case(task, 1024) for task in ("FrozenLake-v1", "Taxi-v3", "CliffWalking-v1", "Blackjack-v1")),
    *(Case(task, 1024, without=("gymnasium",)) for task in ("NChain-v0", "Catch-v0")),
]
