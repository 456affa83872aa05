"""Native pools: how they are made, and how they end with the interpreter."""

from __future__ import annotations

import atexit
import functools
import itertools
import os
import threading
import time
from typing import Any, Literal, NoReturn

from envpool import _core
from envpool.errors import ArgumentError, shown
from envpool.flavours.python_spec import PythonEnvSpec
from envpool.flavours.recording_header import CHUNKS, native_header, recording, write_header
from envpool.machine import cores, demanded
from envpool.spec.env_spec import EnvSpec
from envpool.spec.options import About, options_about
from envpool.spec.plans import Plans
from envpool.spec.values import failures_survived

# For how long the interpreter's exit waits for environments and calls to end.
_PATIENCE_S = 0.5
# How long a compiled program may take from one of its calls to the next one, which fails.
_PROGRAM_S = 0.02
_programs_may_run = False


@atexit.register
def _end_all() -> None:
    """Ends all calls and all pools before the interpreter exits.

    What has not ended after some time, or when Ctrl-C comes, ends with the process.
    """
    _core.begin_exit()
    deadline = time.monotonic() + _PATIENCE_S
    pools = _core.Pool.living()
    try:
        for pool in pools:
            pool.end(0.0)  # begins it for all of them
        for pool in pools:
            pool.end(deadline - time.monotonic())
        while _core.count_calls() and time.monotonic() < deadline:
            time.sleep(0.001)  # lets daemon threads leave their calls
        if _programs_may_run:
            _await_programs(deadline)
    except KeyboardInterrupt:
        pass
    for pool in pools:
        pool.warn_of_recording()


def _await_programs(deadline: float) -> None:
    """Lets daemon threads get back to Python from JAX, whose programs the pools' end has ended.

    Those that only try when the interpreter is being torn down would abort the process.
    """
    time.sleep(_PROGRAM_S)
    me = threading.current_thread()
    while _core.count_refused_programs() and time.monotonic() < deadline:
        if all(thread is me for thread in threading.enumerate()):
            break
        time.sleep(0.001)


def expect_programs() -> None:
    """JAX is loaded, and its programs may call pools from now on.

    When the interpreter exits, JAX waits for its programs; so pools must end before that.
    """
    global _programs_may_run  # noqa: PLW0603 - like the registration, the process's
    _programs_may_run = True
    atexit.unregister(_end_all)
    atexit.register(_end_all)  # the last to be registered is the first to be called


def make_native(
    spec: EnvSpec,
    plans: Plans,
    *,
    reward_dtype: Literal["float32", "float64"] = "float32",
    time_step: bool = False,
) -> _core.Pool:
    """Makes a native pool.

    Args:
        spec: What to make.
        plans: What its results look like.
        reward_dtype: The type of rewards in them.
        time_step: True if they have dm_env's step types and discounts.

    Raises:
        ArgumentError: The environments are written in Python.
        MemoryError: There is too little for so many environments.
    """
    if isinstance(spec, PythonEnvSpec):
        refuse_python(spec.id)
    try:
        make = functools.partial(_make_native, spec, reward_dtype=reward_dtype, time_step=time_step)
        pool: _core.Pool = spec.pool_around(make, plans)
        return pool
    except MemoryError as error:
        raise MemoryError(
            f"there is too little memory for num_envs = {spec.config.num_envs} environments: "
            f"lower num_envs ({error})"
        ) from error


def _make_native(
    spec: EnvSpec, plans: Plans, reward_dtype: Literal["float32", "float64"], time_step: bool
) -> _core.Pool:
    config = spec.config
    options = {name: getattr(config, name) for name in options_about(About.NATIVE)} | {
        "num_threads": _num_threads(config),
        "tasks": spec.spaces.shows_tasks,
        "reward_dtype": reward_dtype,
        "time_step": time_step,
        "failures": failures_survived(config.on_failure, config.max_failures),
    }
    header = None if config.record is None else native_header(spec, reward_dtype)
    typed = [itertools.cycle(each.options.typed()) for each in spec.task_specs if spec.kind_of]
    with recording(config.record) as folder:
        if folder and header:
            write_header(folder, header)
        return _core.Pool(
            kinds=[
                (each.id or each.known.name, each.options.native, each.config.max_episode_steps)
                for each in spec.task_specs
            ],
            kind_of=spec.kind_of,
            environments=[next(typed[kind]) for kind in spec.kind_of] or spec.options.typed(),
            seeds=spec.options.seeds(),
            options=options | {"record": os.fsencode(folder / CHUNKS) if folder else b""},
            plans=plans,
        )


def _num_threads(config: Any) -> int:
    """How many threads step the environments. None: the caller does."""
    num_threads: int = config.num_threads or min(config.batch_size, cores())
    is_synchronous = config.batch_size == config.num_envs
    return 0 if num_threads == 1 and is_synchronous and demanded() == 1 else num_threads


def refuse_python(task_id: object) -> NoReturn:
    """Tells who wants a native pool of environments written in Python what to do instead.

    Raises:
        ArgumentError: Always.
    """
    raise ArgumentError(
        f"task_id is {shown(task_id)}, which is written in Python, expected a native task: "
        "envpool.make() and envpool.make_python() make a pool of such environments, "
        "envpool.vector.AsyncVectorEnv a vector environment"
    )
