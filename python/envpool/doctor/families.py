"""Whether the tasks of each family can be made: their libraries, engines and assets."""

from __future__ import annotations

from collections.abc import Iterator

from envpool.doctor.finding import PROBLEM, REMARK, Finding, command_in
from envpool.doctor.trials import tried
from envpool.errors import described

_PATIENCE_S = 60.0
_OURS = "envpool.families."


def families() -> Iterator[Finding]:
    """Makes an environment of each family, in a process that may crash."""
    import envpool.entry  # noqa: F401 - registers them

    tasks = first_tasks()
    task_ids = [task_id for task_id, _ in tasks.values()]
    results = tried(make_each, task_ids, seconds=_PATIENCE_S)
    for (family, (task_id, count)), (_, result) in zip(tasks.items(), results, strict=True):
        if isinstance(result, str):
            yield _finding(family, task_id, count, result)
        else:
            yield Finding(_shown(family), f"{task_id} {result}", PROBLEM)


def first_tasks() -> dict[str, tuple[str, int]]:
    """By the modules of our families: one task, and how many there are."""
    from envpool.tasks.registration import registry

    found: dict[str, tuple[str, int]] = {}
    for task_id, task in registry.tasks.items():
        if task.import_path.startswith(_OURS):
            first, count = found.get(task.import_path, (task_id, 0))
            found[task.import_path] = first, count + 1
    return found


def make_each(task_ids: list[str]) -> Iterator[tuple[str, str]]:
    """Resets an environment of each task, and yields its id and what was raised.

    Args:
        task_ids: The tasks.
    """
    import envpool

    for task_id in task_ids:
        error = ""
        try:
            with envpool.make_gymnasium(task_id, num_envs=1) as pool:
                pool.reset()
        except ImportError as missing:
            error = str(missing)
        except Exception as failure:
            error = described(failure)
        yield task_id, error


def _finding(family: str, task_id: str, count: int, error: str) -> Finding:
    if not error:
        return Finding(_shown(family), f"{count} ids; {task_id} runs")
    command = command_in(error)
    # What somebody has not installed, they may not want.
    return Finding(_shown(family), error, REMARK if command else PROBLEM, command)


def _shown(family: str) -> str:
    return family.removeprefix(_OURS)
