"""A task of each family: can it be made, does it give the same bytes twice, and how fast."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator

from envpool.doctor.finding import OK, PROBLEM, REMARK, Finding, command_in, tried
from envpool.errors import described

_PATIENCE_S = 60.0  # with the making of one
_RUN_PATIENCE_S = 120.0
_NUM_ENVS = 64
_STEPS = 20  # that are compared


def families() -> Iterator[Finding]:
    """Makes an environment of each family, in a process that may crash."""
    import envpool.entry  # noqa: F401 - registers them
    from envpool.families.record import records
    from envpool.tasks.registration import registry

    ids = Counter(task.import_path for task in registry.tasks.values())
    results = tried(make_each, _shown_tasks(), seconds=_PATIENCE_S)
    for (name, record), (task_id, result) in zip(records().items(), results, strict=True):
        if isinstance(result, tuple):
            yield _finding(name, task_id, ids[record.package], *result)
        else:
            yield Finding(name, f"{task_id} {result}", PROBLEM)


def _shown_tasks() -> list[str]:
    """A task of each family."""
    from envpool.families.record import records

    return [record.shown for record in records().values()]


def make_each(task_ids: list[str]) -> Iterator[tuple[str, tuple[str, str]]]:
    """Resets an environment of each task, and yields its id, what was raised, and its engine.

    Args:
        task_ids: The tasks.
    """
    import envpool

    for task_id in task_ids:
        error = engine = ""
        try:
            with envpool.make_gymnasium(task_id, num_envs=1) as pool:
                pool.reset()
                engine = pool.spec.engine
        except ImportError as missing:
            error = str(missing)
        except Exception as failure:
            error = described(failure)
        yield task_id, (error, engine)


def _finding(family: str, task_id: str, count: int, error: str, engine: str) -> Finding:
    if not error:
        return Finding(family, f"{count} ids; {task_id} runs{engine and f' with {engine}'}")
    command = command_in(error)
    # Somebody who has not installed a package may not want it.
    return Finding(family, error, REMARK if command else PROBLEM, command)


def self_test(seconds: float) -> Iterator[Finding]:
    """Runs them in a process that may crash.

    Args:
        seconds: For how long, in all.
    """
    import envpool.entry  # noqa: F401 - registers them

    task_ids = _shown_tasks()
    share = seconds / max(1, len(task_ids))
    for task_id, result in tried(run_each, task_ids, share, seconds=_RUN_PATIENCE_S + share):
        text, state = result if isinstance(result, tuple) else (str(result), PROBLEM)
        yield Finding(task_id, text, state)


def run_each(task_ids: list[str], seconds: float) -> Iterator[tuple[str, tuple[str, str]]]:
    """Runs tasks one after the other; yields each id with what is to be said, and the state.

    Args:
        task_ids: The tasks.
        seconds: For each.
    """
    for task_id in task_ids:
        try:
            yield task_id, _run(task_id, seconds)
        except Exception as error:
            text = described(error)
            if isinstance(error, ImportError) or command_in(text):  # which the families tell
                yield task_id, ("not tried: something is missing", REMARK)
            else:
                yield task_id, (text, PROBLEM)


def _run(task_id: str, seconds: float) -> tuple[str, str]:
    import numpy as np

    import envpool
    from envpool.checks.actions import Actions
    from envpool.checks.events import first_difference
    from envpool.checks.probe import played

    options = {"num_envs": _NUM_ENVS, "seed": 1}
    spec = envpool.make_spec(task_id, **options)
    if first_difference(played(spec, _STEPS), played(spec, _STEPS)):
        return "the same seeds gave different bytes", PROBLEM
    choose, ids, ones = Actions(spec).of, np.arange(_NUM_ENVS), np.ones(_NUM_ENVS, int)
    actions = [choose(ids, step * ones, ones) for step in range(_STEPS)]
    with envpool.make_gymnasium(task_id, **options) as pool:
        pool.reset()
        count, started = 0, time.perf_counter()
        while (elapsed := time.perf_counter() - started) < seconds:
            pool.step(actions[count % _STEPS])
            count += 1
    rate = count * _NUM_ENVS / elapsed
    return f"{rate:,.0f} steps/s with {_NUM_ENVS} environments; the same bytes twice", OK
