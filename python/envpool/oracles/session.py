"""Comparing many tasks with their upstreams, in processes of their own, several at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from envpool.batched.ids import ENVPOOL_IDS
from envpool.errors import UnknownTaskError, described, did_you_mean, shown
from envpool.isolation import Process, ProcessEnded
from envpool.oracles.comparison import Outcome, Plan, compare_tasks
from envpool.oracles.opengl import VARIABLE, find_backend
from envpool.oracles.upstreams import UPSTREAMS, Upstream
from envpool.tasks.registration import list_all_envs
from envpool.tasks.registry import registry

_TASKS_PER_PROCESS = 12  # few enough that all of them end at about the same time
_GLOB_CHARACTERS = "*?["
_FOREIGN = "no package that it must equal is known: it is of {}"


class _Job(NamedTuple):
    """The tasks that one process compares."""

    upstream: Upstream
    task_ids: list[str]
    plan: Plan
    variables: dict[str, str]


class Session:
    """A run of comparisons in several processes, which Ctrl-C ends early.

    Args:
        task_ids: The tasks.
        plan: How.
        tell: Is called with each message of :func:`compare_tasks`, and never by two threads at
            once.
        any_version: Compares also with other versions of packages than those that ours equal.
            Outcomes have a remark that names them.
    """

    def __init__(
        self,
        task_ids: Sequence[str],
        plan: Plan,
        tell: Callable[[Any], object],
        any_version: bool = False,
    ) -> None:
        self._plan, self._tell, self._any_version = plan, tell, any_version
        self._lock, self._stopped = threading.Lock(), threading.Event()
        self._processes: set[Process] = set()
        by_family: dict[str, list[str]] = {}
        for task_id in task_ids:
            by_family.setdefault(family_of(task_id), []).append(task_id)
        self._families = by_family

    def run(self, processes: int) -> None:
        """Compares all tasks.

        Args:
            processes: How many at a time.
        """
        jobs = list(self._jobs())
        with ThreadPoolExecutor(processes) as executor:
            running = [executor.submit(self._run, job) for job in jobs]
            try:
                for future in running:
                    future.result()
            except BaseException:  # Ctrl-C
                self._stopped.set()
                executor.shutdown(wait=False, cancel_futures=True)
                for process in list(self._processes):
                    process.kill()
                raise

    def _jobs(self) -> Iterator[_Job]:
        """Yields the jobs; tells why other tasks cannot be compared."""
        for family, task_ids in self._families.items():
            try:
                yield from self._jobs_of(family, task_ids)
            except Exception as error:  # of packages that are damaged
                self._tell_all(task_ids, "failed", f"its comparison raises {described(error)}")

    def _jobs_of(self, family: str, task_ids: Sequence[str]) -> list[_Job]:
        upstream = UPSTREAMS.get(family)
        if upstream is None:
            self._tell_all(task_ids, "not compared", _FOREIGN.format(family or "Python"))
            return []
        lack = upstream.lack()
        if lack and not (self._any_version and upstream.others()):
            self._tell_all(task_ids, "not compared", lack)
            return []
        plan, variables = self._drawing(upstream)
        return [
            _Job(upstream, list(task_ids[start : start + _TASKS_PER_PROCESS]), plan, variables)
            for start in range(0, len(task_ids), _TASKS_PER_PROCESS)
        ]

    def _drawing(self, upstream: Upstream) -> tuple[Plan, dict[str, str]]:
        """The plan, without pictures where there is no OpenGL, and the variables that choose it."""
        unseen = Plan(self._plan.steps, self._plan.seeds, pictures=False)
        if not upstream.has_pictures:
            return unseen, {}
        if not (upstream.draws and self._plan.pictures):
            return self._plan, {}
        backend, _ = find_backend()
        if backend:
            return self._plan, {VARIABLE: backend, "PYOPENGL_PLATFORM": backend}
        return unseen, {}

    def _tell_all(self, task_ids: Iterable[str], result: str, why: str) -> None:
        for task_id in task_ids:
            self._send(Outcome(task_id, result, text=why))

    def _run(self, job: _Job) -> None:
        waiting = list(job.task_ids)
        while waiting and not self._stopped.is_set():
            for message in self._messages(job, waiting):
                if isinstance(message, Outcome):
                    waiting.remove(message.task_id)
                    self._note(message, job)
                else:
                    self._send(message)

    def _messages(self, job: _Job, waiting: Sequence[str]) -> Iterator[Any]:
        """Yields the messages of a new process about the tasks that wait.

        If it does not come to its end, the last is an outcome of the task that was under way.
        """
        try:
            process = Process(
                compare_tasks,
                job.upstream,
                waiting,
                job.plan,
                seconds=job.upstream.patience_s,
                variables=job.variables,
            )
            self._processes.add(process)
            try:
                if self._stopped.is_set():  # by a call that did not see this one
                    process.kill()
                yield from process
                return
            finally:
                self._processes.discard(process)
        except ProcessEnded as end:
            why = str(end)
        except Exception as error:  # of a system without more processes, say
            why = f"raises {described(error)}"
        if waiting and not self._stopped.is_set():
            yield Outcome(waiting[0], "failed", text=f"its comparison {why}")

    def _note(self, outcome: Outcome, job: _Job) -> None:
        is_blind = job.upstream.draws and self._plan.pictures and not job.plan.pictures
        if is_blind and outcome.result == "equal":
            outcome.remark = f"no pictures: no OpenGL: {find_backend()[1].splitlines()[0]}"
        if others := job.upstream.others():
            outcome.remark = f"with {others}{'; ' if outcome.remark else ''}{outcome.remark}"
        self._send(outcome)

    def _send(self, message: Any) -> None:
        with self._lock:
            self._tell(message)


def family_of(task_id: str) -> str:
    """The module of a task's family, or the package of JAX; empty if it is written in Python.

    Args:
        task_id: A registered task, or an id that has one of JAX's environments.
    """
    if task_id in registry.tasks:
        return registry.tasks[task_id].import_path
    return (registry.find_batched(task_id) or "").partition(":")[0]


def chosen_tasks(patterns: Sequence[str]) -> list[str]:
    """The tasks that are meant, each once.

    Args:
        patterns: Ids, globs, or names of families, such as ``atari``, or of packages of JAX, such
            as ``pgx``; nothing: all listed tasks that can be compared.

    Raises:
        UnknownTaskError: There is nothing of a name.
    """
    known = list_all_envs()
    if not patterns:
        return _without_aliases(name for name in known if family_of(name) in UPSTREAMS)
    known += [name for name in ENVPOOL_IDS if "/" not in name]
    chosen: list[str] = []
    for pattern in patterns:
        found = _matches(pattern, known)
        if not found:
            raise UnknownTaskError(
                f"there is no task or family {shown(pattern)}"
                + did_you_mean(pattern.strip(_GLOB_CHARACTERS), [*known, *_families()])
            )
        chosen += found
    return list(dict.fromkeys(chosen))


def _matches(pattern: str, known: Sequence[str]) -> list[str]:
    if pattern in known or registry.find_batched(pattern):
        return [_first_id(pattern)]
    if pattern in _families():
        return _without_aliases(name for name in known if pattern in _names_of(family_of(name)))
    if any(character in pattern for character in _GLOB_CHARACTERS):
        return _without_aliases(
            name for name in known if fnmatchcase(name.lower(), pattern.lower())
        )
    return []


def _families() -> list[str]:
    return sorted({name for family in UPSTREAMS for name in _names_of(family)})


def _names_of(family: str) -> tuple[str, ...]:
    """mujoco.gym is also mujoco."""
    name = family.removeprefix("envpool.families.")
    return (name, name.partition(".")[0])


def _without_aliases(names: Iterable[str]) -> list[str]:
    """One id of each task."""
    return list(dict.fromkeys(map(_first_id, names)))


def _first_id(task_id: str) -> str:
    """The id under which a task was registered first; upstream may not know the others."""
    task = registry.tasks.get(task_id)
    return next((name for name, other in registry.tasks.items() if other == task), task_id)
