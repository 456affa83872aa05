"""Who is timed in the suite of Box2D."""

from contender import ceiling, gymnasium, ours, real

CONTENDERS = [*ours(1, 2), *real(1, 2), *ceiling("box2d", 1, 2), gymnasium()]
