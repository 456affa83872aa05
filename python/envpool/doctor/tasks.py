"""A task of each family: whether it can be made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from envpool.doctor.finding import PROBLEM, REMARK, Finding, command_in, judged, tried


def families() -> Iterator[Finding]:
    """Makes an environment of each family, in a process that may crash."""
    import envpool.entry  # noqa: F401 - registers them
    from envpool.families.record import records
    from envpool.tasks.registry import registry

    ids = Counter(task.import_path for task in registry.tasks.values())
    task_ids = [record.shown for record in records().values()]
    results = tried(try_task, task_ids)
    for (name, record), (task_id, text, error) in zip(records().items(), results, strict=True):
        command = command_in(error)
        # Somebody who has not installed a package may not want it.
        state = REMARK if command else PROBLEM
        good = f"{ids[record.package]} ids; {task_id} {text}"
        yield judged(name, good, error and f"{task_id}: {error}", state, command)


def try_task(task_id: str) -> str:
    """Makes and resets a task; returns what it runs with."""
    import envpool

    with envpool.make_gymnasium(task_id, num_envs=1) as pool:
        pool.reset()
        return f"runs with {pool.spec.engine}" if pool.spec.engine else "runs"
