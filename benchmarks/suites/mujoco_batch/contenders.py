"""Who is timed: our pool, and MuJoCo's batches, which step and do nothing else.

They are in MuJoCo from 4.0 on: `--ours` has to be an interpreter that has both.
"""

from contender import ceiling, ours

CONTENDERS = [*ours(1, 2), *ceiling("mujoco_batch", 1, 2, name="mujoco.batch")]
