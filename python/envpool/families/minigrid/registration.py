"""The tasks of MiniGrid: every id that minigrid registers, with its options there.

No task has a ``max_episode_steps``: levels have limits of their own, which depend on their options.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from envpool.tasks.registration import register_family_task

_register = partial(register_family_task, "envpool.families.minigrid")
_ANYWHERE: dict[str, Any] = {"agent_start_pos": [-1, -1], "agent_start_dir": -1}

for _size in (5, 6, 8, 16):
    _register(f"MiniGrid-Empty-{_size}x{_size}-v0", "MiniGridEmpty", size=_size)
    _register(f"MiniGrid-DoorKey-{_size}x{_size}-v0", "MiniGridDoorKey", size=_size)
for _size in (5, 6):
    _register(f"MiniGrid-Empty-Random-{_size}x{_size}-v0", "MiniGridEmpty", size=_size, **_ANYWHERE)
for _size, _count in ((5, 2), (6, 2), (8, 3)):
    _register(
        f"MiniGrid-Fetch-{_size}x{_size}-N{_count}-v0",
        "MiniGridFetch",
        size=_size,
        num_objs=_count,
    )
for _size in (5, 6, 8):
    _register(f"MiniGrid-GoToDoor-{_size}x{_size}-v0", "MiniGridGoToDoor", size=_size)
for _size in (6, 8):
    _register(
        f"MiniGrid-GoToObject-{_size}x{_size}-N2-v0", "MiniGridGoToObject", size=_size, num_objs=2
    )
