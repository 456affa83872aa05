"""Who is timed in the suite of football. Upstream cannot be installed any more."""

from contender import ours, real

CONTENDERS = [*ours(1, 2), *real(1, 2)]
