"""Environments on the MuJoCo physics engine; a package for each family of them.

Here is what one needs for a model of one's own, see :func:`envpool.make_mujoco`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from envpool.late import late

if TYPE_CHECKING:
    from envpool.families.mujoco.distributions import Choice, LogUniform, Normal, Uniform
    from envpool.families.mujoco.model.making import register_mujoco as register
    from envpool.families.mujoco.model.task import Batch, Outcome, Task
    from envpool.families.mujoco.robots import export_robots

__all__ = [
    "Batch",
    "Choice",
    "LogUniform",
    "Normal",
    "Outcome",
    "Task",
    "Uniform",
    "export_robots",
    "register",
]

_MODEL = "envpool.families.mujoco.model"
_LATE = {
    **dict.fromkeys(
        ("Choice", "LogUniform", "Normal", "Uniform"), "envpool.families.mujoco.distributions"
    ),
    **dict.fromkeys(("Batch", "Outcome", "Task"), f"{_MODEL}.task"),
    "export_robots": "envpool.families.mujoco.robots",
    "register": f"{_MODEL}.making:register_mujoco",
}
__getattr__ = late(__name__, _LATE)


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATE})
