"""Whether the tasks of each family can be made: their libraries, engines and assets."""

from __future__ import annotations

from collections.abc import Iterator

from envpool.doctor.finding import PROBLEM, REMARK, Finding, command_in, told

_PATIENCE_S = 60.0
_OURS = "envpool.families."


def families() -> Iterator[Finding]:
    """Makes an environment of each family, in a process that may crash."""
    import envpool.entry  # noqa: F401 - registers them
    from envpool.testing.process import Process, ProcessEnded

    waiting = first_tasks()
    while waiting:
        try:
            for family, error in Process(make_each, waiting, seconds=_PATIENCE_S, plugins=False):
                task_id, count = waiting.pop(family)
                yield _finding(family, task_id, count, error)
        except ProcessEnded as end:
            if not waiting:
                return
            family = next(iter(waiting))  # the one that was under way
            task_id, _ = waiting.pop(family)
            yield Finding(_shown(family), f"{task_id} {end}", PROBLEM)


def first_tasks() -> dict[str, tuple[str, int]]:
    """By the modules of our families: one task, and how many there are."""
    from envpool.tasks.registration import registry

    found: dict[str, tuple[str, int]] = {}
    for task_id, task in registry.tasks.items():
        if task.import_path.startswith(_OURS):
            first, count = found.get(task.import_path, (task_id, 0))
            found[task.import_path] = first, count + 1
    return found


def make_each(tasks: dict[str, tuple[str, int]]) -> Iterator[tuple[str, str]]:
    """Steps an environment of each, and yields the family and what was raised.

    Args:
        tasks: What :func:`first_tasks` returns.
    """
    import envpool

    for family, (task_id, _) in tasks.items():
        error = ""
        try:
            with envpool.make_gymnasium(task_id, num_envs=1) as pool:
                pool.reset()
        except ImportError as missing:
            error = str(missing)
        except Exception as failure:
            error = told(failure)
        yield family, error


def _finding(family: str, task_id: str, count: int, error: str) -> Finding:
    if not error:
        return Finding(_shown(family), f"{count} ids; {task_id} runs")
    command = command_in(error)
    # What somebody has not installed, they may not want.
    return Finding(_shown(family), error, REMARK if command else PROBLEM, command)


def _shown(family: str) -> str:
    return family.removeprefix(_OURS)
