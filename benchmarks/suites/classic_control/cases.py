"""What the suite of classic control times."""

from case import Case

SECONDS = 0.1
CASES = [
    *(Case("CartPole-v1", n, vector_entry_point=True) for n in (1, 8, 64, 1024)),
    Case("CartPole-v1", 64, batch_size=16),
    Case("CartPole-v1", 1024, batch_size=256),
    Case("Pendulum-v1", 64),
    Case("Acrobot-v1", 64),
]
