"""What the suite of environments written in Python times."""

from case import Case
from suites.python.contenders import (
    ALONE,
    ASYNC,
    EIGHT_WORKERS,
    IN_PROCESS,
    OUR_ASYNC,
    OUR_SYNC,
    SB3,
    SYNC,
    THREADS,
    TWO_WORKERS,
)

SECONDS = 0.5

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
