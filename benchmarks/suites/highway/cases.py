"""What the suite of driving times."""

from case import Case

SECONDS = 0.2
# Every kind of scenario. One environment for the original, of which 64 would take seconds.
_TASKS = (
    *("highway-v0", "highway-fast-v0", "merge-v0", "exit-v0", "two-way-v0", "u-turn-v0"),
    *("roundabout-v0", "intersection-v0", "intersection-v1"),
    *("racetrack-v0", "racetrack-large-v0", "racetrack-oval-v0"),
    *("parking-v0", "parking-parked-v0", "lane-keeping-v0"),
)
CASES = [
    *(Case(task, 1) for task in _TASKS),
    *(Case(task, 64, without=("gymnasium",)) for task in _TASKS),
    *(Case(task, 1024, without=("gymnasium",)) for task in ("highway-v0", "highway-fast-v0")),
]
