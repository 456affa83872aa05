"""Who is timed in the suite of Procgen. Upstream has no wheels for a Python that has ours."""

from contender import ceiling, ours, real

CONTENDERS = [*ours(1, 2), *real(1, 2), *ceiling("procgen", 1, 2)]
