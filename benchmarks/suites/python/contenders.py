"""The suite of environments written in Python: who is timed, and on what."""

from typing import Any

from case import Case, Group
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
    contender(ALONE, "ceiling", "python_ceiling", num_workers=2),
]

PROCESSES = (OUR_ASYNC, ASYNC, SB3)
CHEAP = (IN_PROCESS, TWO_WORKERS, *PROCESSES, OUR_SYNC, SYNC)

CASES = [
    Case("CartPole-v1", 8, contenders=CHEAP),
    Case("CartPole-v1", 64, contenders=CHEAP),
    Case("CartPole-v1", 64, batch_size=16, contenders=(TWO_WORKERS,)),
    *(Case("0.1 ms of CPU", n, contenders=(IN_PROCESS, TWO_WORKERS, ASYNC, SYNC)) for n in (8, 64)),
    Case("1 ms of CPU", 8, contenders=(IN_PROCESS, TWO_WORKERS, ASYNC, SYNC)),
    Case("1 ms of CPU", 64, contenders=(TWO_WORKERS, *PROCESSES, ALONE)),
    Case("1 ms of sleep", 8, contenders=(EIGHT_WORKERS, *PROCESSES)),
    Case("1 ms of sleep", 64, contenders=PROCESSES),
    Case("1 ms of CPU", 64, batch_size=16, contenders=(THREADS,)),
    Case("1 ms of CPU, one sleeps 100 ms", 64, batch_size=16, contenders=(THREADS,)),
    Case("84x84x4 frames", 64, contenders=(TWO_WORKERS, *PROCESSES, ALONE)),
    Case("84x84x4 frames", 64, batch_size=16, contenders=(TWO_WORKERS,)),
    Case("CartPole-v1", 64, what="idle", contenders=(TWO_WORKERS, OUR_ASYNC, ASYNC)),
    Case("CartPole-v1", 64, what="start", contenders=(TWO_WORKERS, *PROCESSES)),
]
