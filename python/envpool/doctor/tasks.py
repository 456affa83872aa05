"""A task of each family: whether it can be made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from envpool.doctor.finding import PROBLEM, REMARK, Finding, command_in, tried
from envpool.errors import described

_PATIENCE_S = 120.0


def families() -> Iterator[Finding]:
    """Makes an environment of each family, in a process that may crash."""
    import envpool.entry  # noqa: F401 - registers them
    from envpool.families.record import records
    from envpool.tasks.registry import registry

    ids = Counter(task.import_path for task in registry.tasks.values())
    task_ids = [record.shown for record in records().values()]
    results = tried(try_each, task_ids, seconds=_PATIENCE_S)
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


def try_each(task_ids: list[str]) -> Iterator[tuple[str, tuple[str, str]]]:
    """Makes and resets a task after the other; yields each id with what it does, and what is wrong.

    Args:
        task_ids: The tasks.
    """
    import envpool

    for task_id in task_ids:
        text = error = ""
        try:
            with envpool.make_gymnasium(task_id, num_envs=1) as pool:
                pool.reset()
                text = f"runs with {pool.spec.engine}" if pool.spec.engine else "runs"
        except ImportError as missing:
            error = str(missing)
        except Exception as failure:
            error = described(failure)
        yield task_id, (text, error)
