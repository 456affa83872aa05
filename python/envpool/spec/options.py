"""The options of pools: one row of a table for each of them.

Who needs some of them asks the table: ``options_about(About.POOL)``. What an option does is
elsewhere; to add one, write a row here, its keyword in ``tasks/registration.py``, and, if native
pools need it (``About.NATIVE``), a member of ``PoolConfig`` with a line in ``spec_bridge.cpp``;
if only the processes of Python environments need it (``About.PROCESSES``), an attribute of
``PoolOptions``.
"""

from __future__ import annotations

import dataclasses
import math
import os
from collections.abc import Callable, Mapping
from enum import Flag, auto
from typing import Any

import numpy as np

from envpool.errors import ArgumentError, did_you_mean, shown
from envpool.machine import MOST_THREADS, PACKAGE_FOLDER
from envpool.schedules import read_schedule
from envpool.spec.values import (
    INT_MAX,
    MOST_ENVS,
    MOST_FAILURES,
    MOST_PIXELS,
    check_seed,
    failures_survived,
    integer,
    is_sequence,
    parse_mode,
    seeds_for,
)

RENDER_MODES = ("human", "rgb_array")
START_METHODS = ("spawn", "forkserver", "fork")

# A check gets an option's name, the value that was given, and a named tuple with all options, and
# returns the value as pools have it.
Check = Callable[[str, Any, Any], Any]


class About(Flag):
    """The subjects that an option may be about."""

    POOL = auto()  # a pool of several tasks has it, and its tasks do not
    TASK = auto()  # each task has a default of its own
    SINGLE = auto()  # a single environment, made by gymnasium.make, has it too
    RUN = auto()  # how a pool runs: commands that play and checks of tasks set it themselves
    COURSE = auto()  # what happens depends on it, so recordings of Python environments have it
    HERE = auto()  # it means nothing in another process, and recordings leave it out
    NATIVE = auto()  # native pools get it by this name
    PICTURE = auto()  # it is of pictures; Gymnasium's name for it has no "render_"
    ENVPOOL = auto()  # EnvPool has it, so it is accepted; tables for readers leave it out
    CORE = auto()  # only pools of native environments have it
    PROCESSES = auto()  # only pools of environments written in Python have it


@dataclasses.dataclass(frozen=True)
class Option:
    """An option of pools.

    Attributes:
        default: Its value if none is given.
        check: Its check.
        description: A line about it.
        about: What it is about.
    """

    default: Any
    check: Check
    description: str
    about: About


def _whole(least: int, most: int = INT_MAX) -> Check:
    return lambda name, value, _: integer(name, value, least, most)


def _anything(name: str, value: Any, config: Any) -> Any:
    return value


def _batch_size(name: str, value: Any, config: Any) -> int:
    return integer(name, value, 0, config.num_envs) or int(config.num_envs)


def _seed(name: str, value: Any, config: Any) -> int:
    """The seed; 0 if there is one for each environment, which is then the ``env_seed``."""
    if not is_sequence(config.env_seed):
        raise TypeError(f"env_seed is {shown(config.env_seed)}, expected a sequence of integers")
    return 0 if is_sequence(value) or len(config.env_seed) > 0 else check_seed(value)


def _env_seed(name: str, value: Any, config: Any) -> Any:
    if is_sequence(config.seed):
        name, value = "seed", config.seed
    elif len(value) == 0:
        return []  # whatever else has no entries
    return seeds_for(value, range(config.num_envs), config.num_envs, name)


def _of_type(types: Any, expected: str) -> Check:
    def check(name: str, value: Any, config: Any) -> Any:
        if not isinstance(value, types):
            raise TypeError(f"{name} is {shown(value)}, expected {expected}")
        return value

    return check


def _bool(name: str, value: Any, config: Any) -> bool:
    return bool(_of_type(bool | np.bool_, "a bool")(name, value, config))


def _autoreset_mode(name: str, value: Any, config: Any) -> str:
    return str(parse_mode(value).value)


def _on_failure(name: str, value: Any, config: Any) -> str:
    failures_survived(value, config.max_failures)
    return str(value)


def _env_id(name: str, value: Any, config: Any) -> int:
    return integer(name, value, 0, config.num_envs - 1)


def _episodes(name: str, value: Any, config: Any) -> Any:
    read_schedule(value, config.num_envs)
    return value


def _or_none(check: Check) -> Check:
    return lambda name, value, config: None if value is None else check(name, value, config)


def _one_of(*choices: str) -> Check:
    def check(name: str, value: Any, config: Any) -> str:
        if not isinstance(value, str) or value not in choices:
            expected = ", ".join(map(repr, choices))
            hint = did_you_mean(value, choices)
            raise ArgumentError(f"{name} is {shown(value)}, expected one of {expected}{hint}")
        return str(value)

    return check


def _step_timeout(name: str, value: Any, config: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float | np.number):
        raise TypeError(f"{name} is {shown(value)}, expected a number of seconds, or None")
    if not 0 < value < math.inf:
        raise ArgumentError(f"{name} is {shown(value)}, expected a finite number of seconds > 0")
    if config.num_workers == 0:
        raise ArgumentError(
            f"{name} is {value} and num_workers is 0, expected one of them: an environment that "
            "hangs can only be ended with its process"
        )
    return value


def _env_kwargs(name: str, value: Any, config: Any) -> Any:
    if isinstance(value, Mapping):
        return value
    if not isinstance(value, list | tuple) or not all(isinstance(k, Mapping) for k in value):
        raise TypeError(f"{name} is {shown(value)}, expected a dict, or a list of dicts")
    if len(value) != config.num_envs:
        raise ArgumentError(
            f"{name} has {len(value)} dicts, expected one, or num_envs = {config.num_envs}"
        )
    return value


POOL, TASK, SINGLE, RUN, COURSE, HERE, NATIVE, PICTURE, ENVPOOL, CORE, PROCESSES = About

_SEEDS = POOL | RUN | COURSE
_pixels = _whole(0, MOST_PIXELS)
_folder = _of_type(str | os.PathLike | None, "the path of a folder or None")

OPTIONS = {
    "num_envs": Option(1, _whole(1, MOST_ENVS), "how many environments", POOL | RUN | COURSE),
    "batch_size": Option(
        0, _batch_size, "how many results recv() returns; 0: num_envs", POOL | RUN | COURSE | NATIVE
    ),
    "num_threads": Option(
        0,
        _whole(0, MOST_THREADS),
        "how many threads step them; 0: min(batch_size, cores)",
        POOL | RUN | CORE,
    ),
    "max_num_players": Option(1, _whole(1), "maximum number of players per environment", HERE),
    "thread_affinity_offset": Option(
        -1,
        _whole(-1),
        "pin thread i to core offset + i; -1: don't",
        POOL | RUN | NATIVE | CORE,
    ),
    "base_path": Option(
        PACKAGE_FOLDER, _anything, "the installed package's folder", HERE | ENVPOOL
    ),
    "seed": Option(
        42, _seed, "environment i gets seed + i; or one seed per environment", _SEEDS | SINGLE
    ),
    "env_seed": Option([], _env_seed, "the seeds, if one per environment was given", _SEEDS),
    "gym_reset_return_info": Option(
        True,
        _anything,
        "reset() returns (observation, info); False only with an old gym",
        POOL | RUN | HERE | ENVPOOL,
    ),
    "max_episode_steps": Option(
        INT_MAX, _whole(1), "episodes are truncated after this many steps", TASK
    ),
    "reward_threshold": Option(
        None,
        _of_type(int | float | None, "a number or None"),
        "the mean return at which the task counts as solved",
        TASK,
    ),
    "record_episode_statistics": Option(
        False,
        _bool,
        "report finished episodes in info['episode'] and info['_episode']",
        RUN | COURSE | NATIVE,
    ),
    "autoreset_mode": Option(
        "NextStep",
        _autoreset_mode,
        "after an episode: NextStep or SameStep reset; Disabled: refuse to step",
        RUN | COURSE | NATIVE,
    ),
    "on_failure": Option(
        "raise",
        _on_failure,
        "an environment's exception: raise EnvironmentFailure; or reset it, which ends its episode",
        RUN | COURSE,
    ),
    "max_failures": Option(
        MOST_FAILURES,
        _or_none(_whole(1)),
        "how many of them reset survives, the next one is raised; None: all",
        RUN | COURSE,
    ),
    "record": Option(
        None,
        _folder,
        "a new folder for a recording, see envpool.replay; None: none",
        RUN | HERE,
    ),
    "episodes": Option(
        None,
        _or_none(_episodes),
        "what episodes begin with, see envpool.curriculum; None: their generators go on",
        POOL | RUN | HERE,
    ),
    "render_mode": Option(
        None,
        _or_none(_one_of(*RENDER_MODES)),
        "render() returns pictures (rgb_array) or shows one (human); None: neither",
        RUN | SINGLE,
    ),
    "render_env_id": Option(
        0, _env_id, "the environment that render() draws unless it is given others", POOL
    ),
    "render_width": Option(
        0,
        _pixels,
        "pixels in a row of a picture; 0: the task's own size",
        SINGLE | PICTURE | CORE,
    ),
    "render_height": Option(
        0, _pixels, "rows of a picture; 0: the task's own size", SINGLE | PICTURE | CORE
    ),
    "render_camera_id": Option(
        -1, _whole(-1), "the camera; -1: the task's own view", SINGLE | PICTURE | CORE
    ),
    "num_workers": Option(
        None,
        _or_none(_whole(0)),
        "processes that run them; None: min(num_envs, cores), 0: this one",
        RUN | COURSE | PROCESSES,
    ),
    "worker_threads": Option(
        1, _whole(1), "environments of a process that run at the same time", RUN | PROCESSES
    ),
    "start_method": Option(
        "spawn",
        _one_of(*START_METHODS),
        "how processes start: spawn, forkserver or fork",
        RUN | COURSE | PROCESSES,
    ),
    "step_timeout": Option(
        None,
        _or_none(_step_timeout),
        "seconds after which a step or reset counts as hanging; None: never",
        RUN | COURSE | PROCESSES,
    ),
    "snapshots": Option(
        "own",
        _one_of("own", "pickle"),
        "states of: their own get_state() and set_state(), or whole: pickle",
        RUN | PROCESSES,
    ),
    "env_kwargs": Option(
        {},
        _env_kwargs,
        "keyword arguments of Gymnasium's make; or one dict per environment",
        PROCESSES,
    ),
}


def options_about(about: About) -> tuple[str, ...]:
    """The names of the options that are about this.

    Args:
        about: What they are about, among other things.
    """
    return tuple(name for name, option in OPTIONS.items() if about in option.about)


# Those that all pools have, and those of them that are of interest to readers.
COMMON = {name: option for name, option in OPTIONS.items() if PROCESSES not in option.about}
SHOWN = tuple(name for name, option in COMMON.items() if ENVPOOL not in option.about)

# What to do in place of options that there are not, and of those of processes.
INSTEAD = dict.fromkeys(
    options_about(PROCESSES),
    ": it runs in num_threads threads of this process, and in processes of its own by "
    'envpool.make_python("envpool:envpool/CartPole-v1", num_workers=2, step_timeout=2, '
    'on_failure="reset"), say',
) | {
    "env_kwargs": ": give its own options one by one",
    "thread_pool": ": give each pool its share of the cores as num_threads",
    # TorchRL's GymEnv always gives it, and looks for these words.
    "frameskip": ": it is an unexpected keyword argument 'frameskip'",
}

# What Gymnasium's own environments call options.
OTHER_NAMES = {name.removeprefix("render_"): name for name in options_about(PICTURE)}


def resolve(config: Any, options: Mapping[str, Option]) -> Any:
    """The values with batch_size and the seeds resolved.

    Args:
        config: The values as a named tuple, which may have those of other options too.
        options: The options to check.

    Raises:
        TypeError: An option has a wrong type.
        ValueError: An option's value is not allowed, whatever the task.
    """
    checked = {
        name: option.check(name, getattr(config, name), config) for name, option in options.items()
    }
    return config._replace(**checked)
