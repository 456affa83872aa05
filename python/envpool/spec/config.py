"""The options that all tasks share, and limits of their values.

Imports neither NumPy nor the native core, and so registering tasks needs neither.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

INT_MAX = 2**31 - 1
MOST_ENVS = 2**30 - 1  # cpp/executor/scheduling/request_ring.h packs an id into 30 bits
MOST_PIXELS = 16384  # in a row or column of a picture; graphics cards have about that limit

RENDER_MODES = ("human", "rgb_array")

COMMON_CONFIG: dict[str, Any] = {
    "num_envs": 1,
    "batch_size": 0,
    "num_threads": 0,
    "max_num_players": 1,
    "thread_affinity_offset": -1,
    "base_path": str(Path(__file__).parents[1]),
    "seed": 42,
    "env_seed": [],
    "gym_reset_return_info": True,
    "max_episode_steps": INT_MAX,
    "reward_threshold": None,
    "record_episode_statistics": False,
    "autoreset_mode": "NextStep",
    "thread_pool": None,
    "record": None,
    "render_mode": None,
    "render_env_id": 0,
    "render_width": 0,
    "render_height": 0,
    "render_camera_id": -1,
}

# What Gymnasium's own environments call these options.
OTHER_NAMES: dict[str, str] = {
    "width": "render_width",
    "height": "render_height",
    "camera_id": "render_camera_id",
}

COMMON_DESCRIPTIONS: dict[str, str] = {
    "num_envs": "how many environments",
    "batch_size": "how many results recv() returns; 0: num_envs",
    "num_threads": "how many threads step them; 0: min(batch_size, cores), see docs/scaling.md",
    "max_num_players": "maximum number of players per environment",
    "thread_affinity_offset": "pin thread i to core offset + i; -1: don't",
    "thread_pool": "an envpool.ThreadPool that several pools share; None: threads of its own",
    "record": "a new folder for a recording of all that happens, see docs/recording.md; None: none",
    "base_path": "the installed package's folder",
    "seed": "environment i gets seed + i; or one seed per environment",
    "env_seed": "the seeds, if one per environment was given",
    "gym_reset_return_info": "reset() returns (observation, info); False only with an old gym",
    "max_episode_steps": "episodes are truncated after this many steps",
    "reward_threshold": "the mean return at which the task counts as solved",
    "record_episode_statistics": "report finished episodes in info['episode'] and info['_episode']",
    "autoreset_mode": "after an episode: NextStep or SameStep reset; Disabled: refuse to step",
    "render_mode": "render() returns pictures (rgb_array) or shows one (human); None: neither",
    "render_env_id": "the environment that render() draws unless it is given others",
    "render_width": "pixels in a row of a picture; 0: the task's own size",
    "render_height": "rows of a picture; 0: the task's own size",
    "render_camera_id": "the camera; -1: the task's own view",
}
