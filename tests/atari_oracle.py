"""Gymnasium's stack of wrappers around ``ale_py`` as the oracle of our Atari tasks.

As a command it compares whole games, which takes a while; the tests do so for fewer steps:

    python tests/atari_oracle.py --steps 2000
    python tests/atari_oracle.py --help
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import gymnasium
import numpy as np
import pytest
import typer
from rich.progress import track

import envpool
from envpool.atari.registration import atari_game_list
from helpers import GYMNASIUM, assert_same_bytes

ALE = "0.12.1"  # what third_party/ale.cmake builds
ale_py = pytest.importorskip("ale_py", reason=f"needs ale-py=={ALE}")
pytest.importorskip("cv2", reason="needs OpenCV")
if ale_py.__version__ != ALE or GYMNASIUM != (1, 4):
    pytest.skip(f"needs ale-py=={ALE} and gymnasium==1.4", allow_module_level=True)

from ale_py.env import AtariEnv  # noqa: E402
from gymnasium.wrappers import AtariPreprocessing, FrameStackObservation, TimeLimit  # noqa: E402

TASKS = {
    "".join(word.capitalize() for word in game.split("_")) + "-v5": game for game in atari_game_list
}
# Gymnasium refuses no-ops where action 0 is none.
NO_NOOP = ("Backgammon-v5", "VideoCheckers-v5")

# What Gymnasium calls our options, with its names for their values.
_ENV = ("repeat_action_probability", "full_action_space", "mode", "difficulty")
_WRAPPER = {
    "noop_max": "noop_max",
    "frame_skip": "frame_skip",
    "terminal_on_life_loss": "terminal_on_life_loss",
    "gray_scale": "grayscale_obs",
}


def defaults(task_id: str, **options: Any) -> dict[str, Any]:
    """Our options for what Gymnasium can do, too: it knows no fire at a reset."""
    noops = {"noop_max": 0} if task_id in NO_NOOP else {}
    return {"use_fire_reset": False} | noops | options


def upstream(task_id: str, **options: Any) -> gymnasium.Env[Any, Any]:
    """Gymnasium's environment with the same options, by our names."""
    options = dict(options)
    assert not options.pop("use_fire_reset")
    env_options = {name: options.pop(name) for name in _ENV if name in options}
    wrapper_options = {
        theirs: options.pop(ours) for ours, theirs in _WRAPPER.items() if ours in options
    }
    size = (options.pop("img_width", 84), options.pop("img_height", 84))
    steps, frames = options.pop("max_episode_steps", 27_000), options.pop("stack_num", 4)
    assert not options
    env = AtariEnv(
        TASKS[task_id], frameskip=1, **({"repeat_action_probability": 0.0} | env_options)
    )
    env = AtariPreprocessing(env, screen_size=size, **wrapper_options)
    return FrameStackObservation(TimeLimit(env, steps), frames)


class Transition(NamedTuple):
    """What one environment returned; after a reset, only observation and infos count."""

    obs: np.ndarray
    reward: float
    terminated: bool
    truncated: bool
    lives: int
    ram: np.ndarray


class Upstream:
    """One environment of Gymnasium's, which resets itself in the step after an episode."""

    def __init__(self, task_id: str, seed: int, **options: Any) -> None:
        self.env = upstream(task_id, **options)
        self.seed, self.over = seed, True

    def reset(self) -> Transition:
        obs, _ = self.env.reset(seed=self.seed)
        self.over, self.seed = False, None
        return self._row(obs, 0.0, False, False)

    def step(self, action: int) -> Transition:
        if self.over:
            return self.reset()
        obs, reward, terminated, truncated, _ = self.env.step(action)
        self.over = terminated or truncated
        return self._row(obs, float(reward), terminated, truncated)

    def _row(self, obs: np.ndarray, *rest: Any) -> Transition:
        ale = self.env.unwrapped.ale
        if obs.ndim == 4:  # frames of rows of pixels of colours: ours are frames of planes
            obs = obs.transpose(0, 3, 1, 2).reshape(-1, *obs.shape[1:3])
        return Transition(np.ascontiguousarray(obs), *rest, ale.lives(), ale.getRAM())


def rows(result: tuple[Any, ...]) -> Iterator[Transition]:
    """The environments' parts of a result of our pool."""
    obs, *rest, info = result
    reward, terminated, truncated = rest or np.zeros((3, len(obs)))
    for i in range(len(obs)):
        lives, ram = int(info["lives"][i]), info["ram"][i]
        yield Transition(obs[i], reward[i], bool(terminated[i]), bool(truncated[i]), lives, ram)


def assert_same(ours: Transition, theirs: Transition, what: str) -> None:
    """Bit for bit."""
    assert ours[1:5] == theirs[1:5], what
    assert_same_bytes(ours.obs, theirs.obs, what)
    assert_same_bytes(ours.ram, theirs.ram, what)


def compare(task_id: str, steps: int, seed: int, num_envs: int = 1, **options: Any) -> int:
    """Plays random actions in ours and in Gymnasium's.

    Returns:
        How many episodes ended.
    """
    options = defaults(task_id, **options)
    theirs = [Upstream(task_id, seed + i, **options) for i in range(num_envs)]
    native = options | {name: -1 for name in ("mode", "difficulty") if options.get(name, 0) is None}
    with envpool.make(task_id, "gymnasium", num_envs=num_envs, seed=seed, **native) as pool:
        assert pool.action_space == theirs[0].env.action_space
        policy = np.random.default_rng(seed)
        result = pool.reset()
        expected = [env.reset() for env in theirs]
        ended = 0
        for step in range(steps + 1):
            for env, (row, other) in enumerate(zip(rows(result), expected, strict=True)):
                assert_same(row, other, f"{task_id}, seed {seed + env}, step {step}")
                ended += row.terminated or row.truncated
            if step == steps:
                return ended
            # Random actions end no game soon where they cancel each other out.
            if step % 8 == 0:
                actions = policy.integers(pool.action_space.n, size=num_envs, dtype=np.int32)
            result = pool.step(actions)
            expected = [env.step(int(a)) for env, a in zip(theirs, actions, strict=True)]
    raise AssertionError("unreachable")


# --- as a command -------------------------------------------------------------------------------

VARIANTS: dict[str, dict[str, Any]] = {
    "grey": {},
    "RGB": {"gray_scale": False},
    "sticky": {"repeat_action_probability": 0.25, "full_action_space": True},
    "life": {"terminal_on_life_loss": True},
}


def _compare(task_id: str, variant: str, seed: int, steps: int) -> dict[str, Any]:
    started = time.perf_counter()
    ended, error = 0, ""
    try:
        ended = compare(task_id, steps, seed, **VARIANTS[variant])
    except Exception as failure:  # noqa: BLE001, to tell of it and go on
        error = f"{task_id}: {type(failure).__name__}: {str(failure).splitlines()[0]}"
    seconds = round(time.perf_counter() - started, 2)
    return {"task": task_id, "variant": variant, "seed": seed, "steps": steps, "episodes": ended,
            "seconds": seconds, "error": error}  # fmt: skip


def _call(arguments: tuple[str, str, int, int]) -> dict[str, Any]:
    return _compare(*arguments)


def main(
    steps: Annotated[int, typer.Option(min=1, help="Of each comparison.")] = 2000,
    seeds: Annotated[int, typer.Option(min=1, help="How many.")] = 3,
    task: Annotated[list[str] | None, typer.Option(help="Default: all.")] = None,
    variant: Annotated[list[str] | None, typer.Option(help="Default: all.")] = None,
    processes: Annotated[int, typer.Option(min=1)] = 2,
    output: Annotated[Path | None, typer.Option(help="A JSON file of all results.")] = None,
) -> None:
    """Compares our Atari tasks with Gymnasium's, bit for bit."""
    work = [
        (task_id, name, seed, steps)
        for task_id in task or TASKS
        for name in variant or VARIANTS
        for seed in range(seeds)
    ]
    with ProcessPoolExecutor(processes) as pool:
        results = list(track(pool.map(_call, work), "comparing", len(work)))
    different = [result for result in results if result["error"]]
    for result in different:
        print(result["error"], result["variant"])
    total = sum(result["steps"] for result in results)
    ended = sum(result["episodes"] for result in results)
    same = len(results) - len(different)
    print(
        f"{same} of {len(results)} comparisons are equal: {total:,} steps, {ended:,} episode ends"
    )
    if output:
        output.write_text(json.dumps(results, indent=1) + "\n")
    raise typer.Exit(bool(different))


if __name__ == "__main__":
    typer.run(main)
