"""Meta-World's benchmarks: options of pools with their tasks, goals and seeds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from envpool.errors import ArgumentError, did_you_mean, shown
from envpool.families.metaworld.registration import BY_NAME, TASKS, Task
from envpool.spec.values import integer


def _tasks(*lines: str) -> list[str]:
    return " ".join(lines).split()


_MT10 = _tasks(
    "reach push pick-place door-open drawer-open drawer-close button-press-topdown",
    "peg-insert-side window-open window-close",
)
_MT25 = _tasks(
    *_MT10,
    "coffee-pull pick-out-of-hole disassemble pick-place-wall basketball stick-pull",
    "button-press-wall faucet-open door-lock lever-pull sweep-into faucet-close coffee-button",
    "button-press-topdown-wall dial-turn",
)
# Tasks to train with, and to test with, by upstream's names without versions, in its order.
BENCHMARKS: dict[str, tuple[list[str], list[str]]] = {
    "MT10": (_MT10, []),
    "MT25": (_MT25, []),
    "MT50": ([task.name for task in BY_NAME.values()], []),
    "ML10": (
        _tasks(
            "reach push pick-place door-open drawer-close button-press-topdown peg-insert-side",
            "window-open sweep basketball",
        ),
        _tasks("drawer-open door-close shelf-place sweep-into lever-pull"),
    ),
    "ML25": (_MT25, _tasks("basketball door-close shelf-place sweep button-press")),
    "ML45": (
        _tasks(
            "assembly basketball button-press-topdown button-press-topdown-wall button-press",
            "button-press-wall coffee-button coffee-pull coffee-push dial-turn disassemble",
            "door-close door-open drawer-close drawer-open faucet-open faucet-close hammer",
            "handle-press-side handle-press handle-pull-side handle-pull lever-pull",
            "pick-place-wall pick-out-of-hole push-back pick-place plate-slide plate-slide-side",
            "plate-slide-back plate-slide-back-side peg-insert-side peg-unplug-side soccer",
            "stick-push stick-pull push-wall push reach-wall reach shelf-place sweep-into sweep",
            "window-open window-close",
        ),
        _tasks("bin-picking box-close hand-insert door-lock door-unlock"),
    ),
}
_IDS = {name: task_id for task_id, name in TASKS.items()}
_HOLE = (0.0, 0.84)  # where SweepInto's goal is always, m


def goals(names: Sequence[str], seed: int, num_goals: int = 50) -> list[list[list[float]]]:
    """The random vectors that upstream draws for a benchmark.

    Upstream resets an environment of each task so often, and keeps the last vector of each reset.

    Args:
        names: The benchmark's tasks, by upstream's names, such as ``"reach-v3"``.
        seed: Of the benchmark, less than ``2**32``.
        num_goals: How many vectors there are of each task.

    Returns:
        Vectors of 3 or 6 numbers for each task.
    """
    if isinstance(names, str) or not all(each in BY_NAME for each in names):
        raise ArgumentError(f"names is {shown(names)}, expected tasks' names, as ['reach-v3']")
    random = np.random.RandomState(integer("seed", seed, 0, 2**32 - 1))
    num_goals = integer("num_goals", num_goals, 1)
    return [
        # Each reset draws twice.
        [[_draw(BY_NAME[name], random) for _ in range(2)][-1] for _ in range(num_goals)]
        for name in names
    ]


def _draw(task: Task, random: np.random.RandomState) -> list[float]:
    while True:
        vector = random.uniform(task.low, task.high)
        other = _HOLE if task.name == "sweep-into" else vector[3:5]
        if not task.apart or np.linalg.norm(vector[:2] - other) >= task.apart:
            numbers: list[float] = vector.tolist()
            return numbers


def benchmark(
    name: str,
    seed: int = 42,
    *,
    split: Literal["train", "test"] = "train",
    num_goals: int = 50,
    use_one_hot: bool = False,
    meta_batch_size: int | None = None,
    total_tasks_per_cls: int | None = None,
) -> dict[str, Any]:
    """The arguments of :func:`envpool.make_multi` for one of upstream's benchmarks.

    Their parameters are upstream's. In those whose names begin with ``MT``, goals are visible and
    each reset takes one of the task's vectors at random. In the others goals are hidden; a vector
    stays until ``reset(options={"sample_task": True})`` takes the next one, and while testing,
    episodes end with success.

    Args:
        name: ``"MT10"``, ``"MT25"``, ``"MT50"``, ``"ML10"``, ``"ML25"`` or ``"ML45"``; or, for MT1
            and ML1, one of these and a task, as in ``"MT1:reach-v3"``.
        seed: Of the lists of vectors, and of all environments.
        split: Of those for meta-learning: with which tasks, and for ML1 with which vectors.
        num_goals: How many vectors there are of each task.
        use_one_hot: Observations of ``MT`` end with a number for each task, one of which is 1.
        meta_batch_size: How many environments there are for meta-learning: as many of each task,
            among which its vectors are dealt out. None: upstream's 20, or if that does not deal
            them out evenly, one of each.
        total_tasks_per_cls: How many of the vectors are used then; None: all.

    Raises:
        ArgumentError: There is no such benchmark or split, or ``meta_batch_size`` does not deal
            out the vectors evenly (also a ValueError).
        TypeError: A number is no integer, or ``use_one_hot`` is no bool.
    """
    train, test = _tasks_of(name)
    if not isinstance(split, str) or split not in ("train", "test"):
        raise ArgumentError(f"split is {shown(split)}, expected 'train' or 'test'")
    if not isinstance(use_one_hot, bool | np.bool_):
        raise TypeError(f"use_one_hot is {shown(use_one_hot)}, expected a bool")
    names = [f"{task}-v3" for task in (train if split == "train" else test)]
    if not names:
        raise ArgumentError(f"split is 'test', and {name} has tasks to train with only")
    if name.startswith("MT"):
        vectors = goals(names, seed, num_goals)
        one_hot = len(names) if use_one_hot else 0
        options: dict[str, Any] = {"partially_observable": False, "one_hot_size": one_hot}
        options["one_hot_index"] = list(range(len(names)))
        return _arguments(names, vectors, seed) | options
    is_test_of_one = split == "test" and ":" in name  # which has the same task, and other goals
    kept = num_goals
    if total_tasks_per_cls is not None:
        kept = integer("total_tasks_per_cls", total_tasks_per_cls, 1, num_goals)
    vectors = [each[:kept] for each in goals(names, seed + is_test_of_one, num_goals)]
    times = _environments_of_each(name, meta_batch_size, len(names), kept)
    names = [each for each in names for _ in range(times)]
    dealt = [each[i::times] for each in vectors for i in range(times)]
    return _arguments(names, dealt, seed) | {
        "task_select": "pseudorandom",
        "sample_tasks_on_reset": False,
        "terminate_on_success": split == "test",
    }


def _environments_of_each(name: str, meta_batch_size: int | None, tasks: int, vectors: int) -> int:
    """How many environments there are of each task of a benchmark for meta-learning."""
    size = 20 if meta_batch_size is None else integer("meta_batch_size", meta_batch_size, 1)
    times, rest = divmod(size, tasks)
    if times > 0 and rest == 0 and vectors % times == 0:
        return times
    if meta_batch_size is None:
        return 1
    raise ArgumentError(
        f"meta_batch_size is {size}, expected the product of {tasks}, the number of {name}'s "
        f"tasks, and a number that divides {vectors}, the number of vectors of each"
    )


def _tasks_of(name: str) -> tuple[list[str], list[str]]:
    if not isinstance(name, str):
        raise TypeError(f"name is {shown(name)}, expected a benchmark's, such as 'MT10'")
    kind, _, task = name.partition(":")
    if kind in ("MT1", "ML1") and task in BY_NAME:
        task = BY_NAME[task].name
        return [task], [task]
    if name in BENCHMARKS:
        return BENCHMARKS[name]
    known = [*BENCHMARKS, *(f"{kind}1:{task}" for kind in ("MT", "ML") for task in BY_NAME)]
    raise ArgumentError(f"there is no benchmark {shown(name)}{did_you_mean(name, known)}")


def _arguments(
    names: Sequence[str], vectors: Sequence[list[list[float]]], seed: int
) -> dict[str, Any]:
    return {
        "tasks": [_IDS[name] for name in names],
        "seed": [seed] * len(names),
        "task_vectors": [[number for vector in each for number in vector] for each in vectors],
    }
