"""Do two machines compute the same?

    python tests/checks/digests.py > here            # on one machine, and on the other one:
    python tests/checks/digests.py --against here    # prints a row for each family

Tasks run with random actions, the same everywhere. All that they return goes into a digest, which
is looked at after 1, 10, ... steps. Tasks whose engine is not installed are left out, by name.
One task of each environment runs, and all games of Atari, which are one environment.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

import envpool
from envpool.tasks.registry import registry
from own_tasks import TASKS, one_per_environment

POINTS = (1, 10, 100, 1000)


def family(task_id: str) -> str:
    """The last part of the family's package."""
    return registry.find(task_id).import_path.rpartition(".")[2]


def leaves(tree: Any) -> list[np.ndarray]:
    """The arrays of a nested observation, in the order of their names."""
    if isinstance(tree, dict):
        return [array for name in sorted(tree) for array in leaves(tree[name])]
    return [np.asarray(tree)]


def random_actions(space: Any, random: np.random.Generator, rows: int) -> np.ndarray:
    """Actions from what NumPy computes alike everywhere."""
    if hasattr(space, "n"):
        return space.start + random.integers(space.n, size=rows)
    if hasattr(space, "nvec"):
        return random.integers(space.nvec, size=(rows, *space.nvec.shape))
    low, high = np.clip(space.low, -1, 1), np.clip(space.high, -1, 1)
    return (low + (high - low) * random.random((rows, *space.shape))).astype(space.dtype)


def digests(env: Any, steps: int) -> list[str]:
    """The digest after each of POINTS, as far as there are so many steps."""
    random = np.random.default_rng(2)
    digest = hashlib.blake2b(digest_size=8)
    *results, info = env.reset()
    found = []
    for step in range(1, steps + 1):
        for array in (array for result in results for array in leaves(result)):
            digest.update(array.tobytes())
        rows = len(info["players"]["env_id"])
        *results, info = env.step(random_actions(env.action_space, random, rows))
        if step in POINTS:
            found.append(digest.hexdigest())
    return found


def compare(there: dict[str, list[str]], here: dict[str, list[str]]) -> None:
    """Prints a row for each family: of its tasks, how many are equal after each of POINTS."""
    points = POINTS[: min(map(len, [*there.values(), *here.values()]))]
    families = defaultdict(list)
    for task_id in sorted(there.keys() & here.keys()):
        families[family(task_id)].append(task_id)
    print("| family | tasks |", " | ".join(f"equal after {point}" for point in points), "|")
    print("| --- " * (2 + len(points)) + "|")
    for name, task_ids in families.items():
        pairs = [(there[task_id], here[task_id]) for task_id in task_ids]
        counts = [sum(one[i] == other[i] for one, other in pairs) for i in range(len(points))]
        print(f"| {name} | {len(task_ids)} |", " | ".join(map(str, counts)), "|")


def main() -> None:
    """Prints the digests as JSON, or how they compare with another machine's."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--against", type=Path, help="what this command printed elsewhere")
    parser.add_argument("--steps", type=int, default=POINTS[-1])
    arguments = parser.parse_args()
    tasks = dict.fromkeys(one_per_environment())
    tasks |= dict.fromkeys(task_id for task_id in TASKS if family(task_id) == "atari")
    here = {}
    for task_id in tasks:
        try:
            env = envpool.make(task_id, "gymnasium", num_envs=2, num_threads=1, seed=1)
        except (ImportError, RuntimeError) as error:
            print(f"{task_id} is left out: {error}", file=sys.stderr)
            continue
        here[task_id] = digests(env, arguments.steps)
        env.close()
    if arguments.against:
        compare(json.loads(arguments.against.read_text()), here)
    else:
        print(json.dumps(here, indent=1))


if __name__ == "__main__":
    main()
