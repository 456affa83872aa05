"""Who is timed in the suite of MuJoCo's pictures."""

from contender import gymnasium, ours

FAST = {"render_shadows": False, "render_reflections": False, "render_multisamples": 0}

# Without the real EnvPool, whose process exits at the first frame where there is no GPU.
CONTENDERS = [*ours(1, 2), *ours(1, 2, name="ours, fast", **FAST), gymnasium()]
