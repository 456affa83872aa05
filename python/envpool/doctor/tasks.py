"""A task of each family: can it be made, does it give the same bytes twice, and how fast."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator

from envpool.doctor.finding import PROBLEM, REMARK, Finding, command_in, tried
from envpool.errors import described

_PATIENCE_S = 120.0  # with the making of one
_NUM_ENVS = 64
_STEPS = 20  # that are compared


def families(seconds: float = 0.0) -> Iterator[Finding]:
    """Makes environments of each family and tests them, in a process that may crash.

    Args:
        seconds: For how long they are tested, in all.
    """
    import envpool.entry  # noqa: F401 - registers them
    from envpool.families.record import records
    from envpool.tasks.registration import registry

    ids = Counter(task.import_path for task in registry.tasks.values())
    task_ids = [record.shown for record in records().values()]
    share = seconds / len(task_ids)
    results = tried(try_each, task_ids, share, seconds=_PATIENCE_S + share)
    for (name, record), (task_id, result) in zip(records().items(), results, strict=True):
        if not isinstance(result, tuple):
            yield Finding(name, f"{task_id} {result}", PROBLEM)
            continue
        text, error = result
        command = command_in(error)
        if error:  # somebody who has not installed a package may not want it
            yield Finding(name, error, REMARK if command else PROBLEM, command)
        else:
            yield Finding(name, f"{ids[record.package]} ids; {task_id} {text}")


def try_each(task_ids: list[str], seconds: float) -> Iterator[tuple[str, tuple[str, str]]]:
    """Tests a task after the other; yields each id with what it does, and what is wrong.

    Args:
        task_ids: The tasks.
        seconds: For each; 0: it is only reset.
    """
    for task_id in task_ids:
        text = error = ""
        try:
            text = _run(task_id)
            if seconds > 0:
                text += _tested(task_id, seconds)
        except ImportError as missing:
            error = str(missing)
        except Exception as failure:
            error = described(failure)
        yield task_id, (text, error)


def _run(task_id: str) -> str:
    import envpool

    with envpool.make_gymnasium(task_id, num_envs=1) as pool:
        pool.reset()
        return f"runs with {pool.spec.engine}" if pool.spec.engine else "runs"


def _tested(task_id: str, seconds: float) -> str:
    import numpy as np

    import envpool
    from envpool.checks.actions import Actions
    from envpool.checks.events import first_difference
    from envpool.checks.probe import played

    options = {"num_envs": _NUM_ENVS, "seed": 1}
    spec = envpool.make_spec(task_id, **options)
    if first_difference(played(spec, _STEPS), played(spec, _STEPS)):
        raise RuntimeError(f"the same seeds gave different bytes in {task_id}")
    choose, ids, ones = Actions(spec).of, np.arange(_NUM_ENVS), np.ones(_NUM_ENVS, int)
    actions = [choose(ids, step * ones, ones) for step in range(_STEPS)]
    with envpool.make_gymnasium(task_id, **options) as pool:
        pool.reset()
        count, started = 0, time.perf_counter()
        while (elapsed := time.perf_counter() - started) < seconds:
            pool.step(actions[count % _STEPS])
            count += 1
    rate = count * _NUM_ENVS / elapsed
    return f", {rate:,.0f} steps/s with {_NUM_ENVS} environments, the same bytes twice"
