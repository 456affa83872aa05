"""Who is timed in the suite of environments written in Python."""

from typing import Any

from case import Group
from contender import Contender

IN_PROCESS = "ours, in process"
TWO_WORKERS = "ours, 2 workers"
THREADS = "ours, 2 workers of 2 threads"
EIGHT_WORKERS = "ours, 8 workers"
OUR_ASYNC = "our AsyncVectorEnv"
OUR_SYNC = "our SyncVectorEnv"
ASYNC = "Gymnasium's AsyncVectorEnv"
SYNC = "Gymnasium's SyncVectorEnv"
SB3 = "SB3's SubprocVecEnv"
ALONE = "2 processes alone"


def contender(who: str, group: Group, package: str, **options: Any) -> Contender:
    return Contender(who, group, package, options, beside_ours=True)


CONTENDERS = [
    contender(IN_PROCESS, "ours", "envpool_python", num_workers=0),
    contender(TWO_WORKERS, "ours", "envpool_python", num_workers=2),
    contender(THREADS, "ours", "envpool_python", num_workers=2, worker_threads=2),
    contender(EIGHT_WORKERS, "ours", "envpool_python", num_workers=8),
    contender(OUR_ASYNC, "ours", "vector", module="envpool.vector", name="AsyncVectorEnv"),
    contender(OUR_SYNC, "ours", "vector", module="envpool.vector", name="SyncVectorEnv"),
    contender(ASYNC, "gymnasium", "vector", module="gymnasium.vector", name="AsyncVectorEnv"),
    contender(SYNC, "gymnasium", "vector", module="gymnasium.vector", name="SyncVectorEnv"),
    contender(SB3, "sb3", "sb3"),
    contender(ALONE, "ceiling", "suites.python.ceiling", num_workers=2),
]
