"""How fast a robot of one's own runs, by the routes that there are: HalfCheetah, as if it was one.

    python benchmarks/own_model.py --num-envs 64 --rounds 5

Every route computes the same observations, rewards, ends and resets of as many environments, with
two threads or processes where it can have them. What counts is the processor's time, of all
processes together: two cores give twice as many steps per second. Rounds alternate, so that what
else the machine does meets all of them.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

import envpool

Array = NDArray[Any]

MODEL = Path(gymnasium.__file__).parent / "envs" / "mujoco" / "assets" / "half_cheetah.xml"
FRAME_SKIP, DT, MOST_STEPS = 5, 0.05, 1000
THREADS = 2
SECONDS = 2.0
OURS = envpool.mujoco


class Cheetah(OURS.Task):
    """HalfCheetah-v5 as a task."""

    model = MODEL
    frame_skip = FRAME_SKIP
    observation = ("qpos[1:]", "qvel")
    watch = ("qpos:rootx", "ctrl")
    randomise = {"qpos": OURS.Uniform(-0.1, 0.1), "qvel": OURS.Normal(0.1)}
    max_episode_steps = MOST_STEPS
    memory = {"x": ()}

    def reward(self, batch: Any) -> Any:
        x = batch["qpos:rootx"]
        reward = (x - batch.memory["x"]) / DT - 0.1 * np.square(batch["ctrl"]).sum(-1)
        batch.memory["x"] = x
        return OURS.Outcome(reward, info={"x": x})


class RandomCheetah(Cheetah):
    """The same with ten fields of the model that differ from episode to episode."""

    randomise = dict(Cheetah.randomise) | {
        name: OURS.Uniform(0.9, 1.1, scale=True)
        for name in (
            *("body_mass", "body_inertia", "geom_friction", "geom_solref", "dof_damping"),
            *("dof_armature", "dof_frictionloss", "jnt_stiffness", "actuator_gear", "opt.gravity"),
        )
    }


class LoopEnv(gymnasium.Env[Array, Array]):
    """The same as a class of Gymnasium's, over the package mujoco."""

    def __init__(self) -> None:
        import mujoco

        self._mujoco = mujoco
        self._model = mujoco.MjModel.from_xml_path(str(MODEL))
        self._data = mujoco.MjData(self._model)
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (17,), np.float64)
        self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (6,), np.float32)
        self._elapsed = 0

    def _observe(self) -> Array:
        return np.concatenate([self._data.qpos[1:], self._data.qvel])

    def reset(self, *, seed: Any = None, options: Any = None) -> tuple[Array, dict[str, Any]]:
        super().reset(seed=seed)
        self._mujoco.mj_resetData(self._model, self._data)
        self._data.qpos += self.np_random.uniform(-0.1, 0.1, 9)
        self._data.qvel += self.np_random.normal(0.0, 0.1, 9)
        self._mujoco.mj_forward(self._model, self._data)
        self._elapsed = 0
        return self._observe(), {}

    def step(self, action: Array) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        before = self._data.qpos[0]
        self._data.ctrl[:] = action
        self._mujoco.mj_step(self._model, self._data, FRAME_SKIP)
        x = self._data.qpos[0]
        reward = (x - before) / DT - 0.1 * np.square(action).sum()
        self._elapsed += 1
        return self._observe(), float(reward), False, self._elapsed >= MOST_STEPS, {"x": x}


class BatchOfMujoco:
    """`mujoco.batch` with the same around it in NumPy."""

    def __init__(self, num_envs: int) -> None:
        from mujoco.batch import Batch

        import mujoco

        model = mujoco.MjModel.from_xml_path(str(MODEL))
        self._batch: Any = Batch(model, num_envs, nthread=THREADS)
        self._ctrl, self._qpos, self._qvel = map(self._batch.bind, ("ctrl", "qpos", "qvel"))
        self._elapsed = np.zeros(num_envs, int)
        self._random = np.random.default_rng(0)
        self._start = self._qpos[0].copy()
        self._begin(np.ones(num_envs, bool))

    def _begin(self, rows: Array) -> None:
        self._qpos[rows] = self._start + self._random.uniform(-0.1, 0.1, (rows.sum(), 9))
        self._qvel[rows] = self._random.normal(0.0, 0.1, (rows.sum(), 9))
        self._elapsed[rows] = 0

    def step(self, actions: Array) -> Any:
        before = self._qpos[:, 0].copy()
        self._ctrl[:] = actions
        self._batch.step(nstep=FRAME_SKIP)
        x = self._qpos[:, 0].copy()
        reward = (x - before) / DT - 0.1 * np.square(actions).sum(-1)
        self._elapsed += 1
        over = self._elapsed >= MOST_STEPS
        observation = np.concatenate([self._qpos[:, 1:], self._qvel], axis=1)
        if over.any():
            self._begin(over)
        return observation, reward, np.zeros(len(x), bool), over, {"x": x}

    def close(self) -> None:
        del self._batch


def routes(num_envs: int) -> dict[str, Callable[[], Any]]:
    """What makes the environments of each route."""
    ours: dict[str, Any] = {"num_envs": num_envs, "num_threads": THREADS}
    return {
        "envpool.make_mujoco(Task)": lambda: envpool.make_mujoco(Cheetah, **ours),
        "the same, ten fields vary": lambda: envpool.make_mujoco(RandomCheetah, **ours),
        'envpool.make("HalfCheetah-v5")': lambda: envpool.make("HalfCheetah-v5", **ours),
        "mujoco.batch and NumPy": lambda: BatchOfMujoco(num_envs),
        "envpool.make_python, 2 workers": lambda: envpool.make_python(
            LoopEnv, num_envs=num_envs, num_workers=THREADS
        ),
        "Gymnasium's AsyncVectorEnv": lambda: gymnasium.vector.AsyncVectorEnv([LoopEnv] * num_envs),
        "Gymnasium's SyncVectorEnv": lambda: gymnasium.vector.SyncVectorEnv([LoopEnv] * num_envs),
    }


def processor_seconds(process: str = "self") -> float:
    """The time that a process and all that it has started have computed for."""
    folder = Path("/proc") / process
    fields = (folder / "stat").read_text().rpartition(")")[2].split()
    own = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    children = " ".join(path.read_text() for path in folder.glob("task/*/children")).split()
    return float(own + sum(map(processor_seconds, children)))


def rate(env: Any, actions: Array) -> float:
    """Steps of environments per second of the processor's time."""
    calls, start, before = 0, time.perf_counter(), processor_seconds()
    while time.perf_counter() - start < SECONDS:
        env.step(actions[calls % len(actions)])
        calls += 1
    return float(calls * actions.shape[1]) / (processor_seconds() - before)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--num-envs", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    shape = (50, arguments.num_envs, 6)
    actions = np.random.default_rng(0).uniform(-1.0, 1.0, shape).astype(np.float32)
    envs: dict[str, Any] = {}
    for name, make in routes(arguments.num_envs).items():
        try:
            envs[name] = make()
        except ImportError as error:
            print(f"{name}: {error}")
    rates: dict[str, list[float]] = {name: [] for name in envs}
    for env in envs.values():
        if hasattr(env, "reset"):
            env.reset()
        env.step(actions[0])
    for _ in range(arguments.rounds):
        for name, env in envs.items():
            rates[name].append(rate(env, actions))
    for env in envs.values():
        env.close()
    first = statistics.median(next(iter(rates.values())))
    print("| route | steps per core and second | of the first |\n| --- | ---: | ---: |")
    for name, each in rates.items():
        median = statistics.median(each)
        print(f"| {name} | {median:,.0f} | {median / first:.2f} |")


if __name__ == "__main__":
    main()
