"""What the suite of MuJoCo's pictures times."""

from case import Case, Frames

SECONDS = 0.5
CASES = [
    # Four environments, so that two threads have something to share.
    Case("Ant-v5", 4, frames=Frames(call, size))
    for call in ("render", "step")
    for size in (84, 480)
]
