"""What the suite of programs that JAX compiles times."""

from case import Case
from suites.xla.contenders import GPU, PYTHON, SCAN

SECONDS = 0.5

# What an asynchronous pool has in flight does not go with a call that sends nothing.
ASYNCHRONOUS = (PYTHON, SCAN, GPU)

CASES = [
    *(Case("CartPole-v1", n) for n in (1, 8, 64, 1024)),
    Case("CartPole-v1", 64, batch_size=16, contenders=ASYNCHRONOUS),
    Case("CartPole-v1", 1024, batch_size=256, contenders=ASYNCHRONOUS),
    Case("Pong-v5", 8, contenders=ASYNCHRONOUS),
]
