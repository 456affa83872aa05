"""Times environments of JAX: processor time per step, what compiling takes, and EnvPool's ports.

python benchmarks/jax_environments.py pgx:tic_tac_toe jumanji:Snake-v1
python benchmarks/jax_environments.py --envpool ConnectFour-v1 Snake-v1

Steps are of 64 environments with random actions, of those that a mask allows. Time is the
processor's, of all threads, so it is comparable on machines that do something else, too. With
--envpool, EnvPool's ports of the same ids are timed beside them, one after the other, in processes
of their own, which have one thread each (XLA's are as many as the variable NPROC says); without
ids, all that both have. EnvPool returns the observations of both players of a game, JAX's programs
those of the one to move.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import envpool

NUM_ENVS, STEPS, ROUNDS = 64, 60, 5
MASKS = ("action_mask", "legal_action_mask")  # in EnvPool, pgx's have the second name
LIMIT_S = 300  # for a task


def choose(random: np.random.Generator, space: Any, observation: Any, info: dict[str, Any]) -> Any:
    """A random action for each environment."""
    for found in (observation, info):
        for name in MASKS:
            mask = found.get(name) if isinstance(found, dict) else None
            if mask is not None and mask.ndim == 2 and hasattr(space, "n"):
                return (random.random(mask.shape) * mask).argmax(axis=1).astype(np.int32)
    return np.stack([space.sample() for _ in range(NUM_ENVS)]).astype(space.dtype)


def measure(task: str, **options: Any) -> tuple[float, float]:
    """Microseconds per environment's step, the best of some rounds; seconds until the first one."""
    begin = time.process_time()
    env = envpool.make(task, "gymnasium", num_envs=NUM_ENVS, seed=1, **options)
    random, space = np.random.default_rng(0), env.action_space
    observation, info = env.reset()
    observation, *_, info = env.step(choose(random, space, observation, info))
    compiled = time.process_time() - begin
    rounds = []
    for _ in range(ROUNDS):
        spent = 0.0
        for _ in range(STEPS):
            action = choose(random, space, observation, info)
            start = time.process_time()
            observation, *_, info = env.step(action)
            spent += time.process_time() - start
        rounds.append(spent / STEPS / NUM_ENVS * 1e6)
    return min(rounds), compiled


def apart(command: list[str], task: str, **options: Any) -> tuple[float, float]:
    """What :func:`measure` returns in a process of another interpreter."""
    given = json.dumps([task, options])
    command = [*command, __file__, "--measure", given]
    done = subprocess.run(
        command,
        env=os.environ | {"NPROC": "1"},
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    if done.returncode:
        raise RuntimeError((done.stderr.strip() or "it has crashed").splitlines()[-1])
    us, seconds = json.loads(done.stdout.splitlines()[-1])
    return us, seconds


def against_envpool(tasks: list[str]) -> None:
    """Prints a table of ours and EnvPool's, and the median of how many times faster ours are."""
    import real_env
    from envpool.batched.ids import ENVPOOL_IDS

    theirs = real_env.ensure(real_env.default_directory())
    print(f"| id | us per step | compiling, s | {real_env.NAME}, us | times |")
    print("| --- | ---: | ---: | ---: | ---: |")
    ratios = []
    for task in tasks or [name for name in ENVPOOL_IDS if not name.startswith("Jumanji/")]:
        try:
            us, compiling = apart([sys.executable], task)
            other, _ = apart([*theirs], task, num_threads=1)
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            print(f"{task} is left out: {error}", file=sys.stderr)
            continue
        ratios.append(other / us)
        row = f"| `{task}` | {us:.1f} | {compiling:.1f} | {other:.1f} | {ratios[-1]:.2f}x |"
        print(row, flush=True)
    print(f"Median of {len(ratios)}: {statistics.median(ratios):.2f}x")


def main(arguments: list[str]) -> None:
    """See above."""
    if arguments[:1] == ["--measure"]:
        task, options = json.loads(arguments[1])
        print(json.dumps(measure(task, **options)))
    elif arguments[:1] == ["--envpool"]:
        sys.path.insert(0, str(Path(__file__).parent))
        against_envpool(arguments[1:])
    else:
        print("| environment | us per step | compiling, s |\n| --- | ---: | ---: |")
        for name in arguments:
            us, compiling = measure(name)
            print(f"| `{name}` | {us:.1f} | {compiling:.1f} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
