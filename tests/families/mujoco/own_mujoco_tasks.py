"""Tasks with models of one's own, and a plain loop over the package mujoco that they must equal."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import mujoco
from envpool.families.mujoco.distributions import (
    Choice,
    Distribution,
    LogUniform,
    Normal,
    Uniform,
)
from envpool.families.mujoco.model.task import Batch, Outcome, Task

POLE = """
<mujoco>
  <option timestep="0.01" integrator="RK4"/>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 .1" pos="0 0 -1"/>
    <body name="cart">
      <joint name="slide" type="slide" axis="1 0 0" range="-2 2" limited="true"/>
      <geom name="box" type="box" size=".1 .1 .1" mass="1"/>
      <body name="pole" pos="0 0 .1">
        <joint name="hinge" type="hinge" axis="0 1 0" damping=".01"/>
        <geom name="rod" type="capsule" fromto="0 0 0 0 0 .6" size=".05" mass=".3"/>
        <site name="tip" pos="0 0 .6"/>
      </body>
    </body>
    <body name="ball" pos="1 0 0"><freejoint name="free"/>
      <geom name="ball" type="sphere" size=".1" mass=".2"/>
    </body>
  </worldbody>
  <actuator>
    <motor name="push" joint="slide" gear="10" ctrllimited="true" ctrlrange="-1 2"/>
    <motor name="turn" joint="hinge"/>
  </actuator>
  <sensor>
    <framepos name="tip" objtype="site" objname="tip"/>
    <touch name="touch" site="tip"/>
  </sensor>
  <keyframe><key name="raised" qpos=".1 .05 1 0 .5 1 0 0 0"/></keyframe>
</mujoco>
"""


class Balance(Task):
    """A pole on a cart, whose masses, friction, gravity and state differ between episodes."""

    model = POLE
    frame_skip = 2
    observation = ("qpos", "qvel[:3]", "sensordata:tip", "cfrc_ext:ball")
    watch = ("site_xpos:tip", "qpos:hinge", "ctrl", "body_mass", "opt.gravity", "time")
    randomise = {
        "qpos:slide": Uniform(-0.1, 0.1),
        "body_mass:pole": Uniform(0.5, 1.5, scale=True),
        "geom_friction": LogUniform(0.5, 2.0, scale=True),
        "qpos:hinge": Normal(0.05),
        "dof_damping": Normal(0.1, scale=True, shared=True),
        "opt.gravity[2]": Choice([-9.81, -8.0, -3.7], absolute=True),
        "geom_size:ball[0]": Uniform(0.05, 0.15, absolute=True),
        "qvel[2:5]": Uniform([-0.1, -0.2, 0.0], [0.1, 0.2, 0.3]),
    }
    keyframe = "raised"
    max_episode_steps = 20
    memory = {"tip": (3,)}

    def reward(self, batch: Batch) -> Outcome:
        """Rewards a tip that moves."""
        tip = batch["site_xpos:tip"]
        moved = np.abs(tip - batch.memory["tip"]).sum(-1)
        batch.memory["tip"] = tip
        fallen = np.abs(batch["qpos:hinge"]) > 0.3
        return Outcome(moved - 0.01 * batch["ctrl"][:, 0] ** 2, fallen, {"moved": moved})


class Physics(Task):
    """The same without a reward."""

    model, frame_skip = POLE, 2
    observation = {"state": ("qpos", "qvel"), "tip": "site_xpos:tip"}
    max_episode_steps = 20


def start_of(generator: np.random.Generator) -> dict[str, Any]:
    """A ball that does not lie on the cart, in one of two gravities, and other masses."""
    place = generator.uniform(-2.0, 2.0, 2)
    while np.square(place).sum() < 1.0:
        place = generator.uniform(-2.0, 2.0, 2)
    return {
        "qpos": [0.0, generator.normal(0.0, 0.05), *place, 0.5, 1.0, 0.0, 0.0, 0.0],
        "body_mass": [0.0, *generator.uniform(0.5, 2.0, 3)],
        "opt_gravity": np.array([0.0, 0.0, generator.choice([-9.81, -5.0])]),
    }


class Scattered(Balance):
    """What it says comes after what it draws by `randomise`."""

    def start(self, generator: np.random.Generator, env_id: int) -> Mapping[str, Any]:
        """See :func:`start_of`."""
        return start_of(generator)


STATE = {"qpos", "qvel", "act", "ctrl", "mocap_pos", "mocap_quat", "qfrc_applied", "xfrc_applied"}


# For the loop: how native names are read by hand.
def array_of(model: Any, data: Any, name: str) -> Any:
    """The array, or part of it, that a name of :class:`Balance` stands for: a view."""
    name, _, cut = name.replace("opt_", "opt.").partition("[")
    base, _, other = name.partition(":")
    owner = model.opt if base.startswith("opt.") else data if hasattr(data, base) else model
    array = getattr(owner, base.removeprefix("opt."))
    if other:
        if base in ("qpos", "qvel"):
            joint = model.joint(other)
            start = (joint.qposadr if base == "qpos" else joint.dofadr)[0]
            array = array[start : start + 1]
        elif base == "sensordata":
            sensor = model.sensor(other)
            array = array[sensor.adr[0] : sensor.adr[0] + sensor.dim[0]]
        else:
            kind = base.partition("_")[0] if "_" in base else "body"
            kind = {"cfrc": "body"}.get(kind, kind)
            array = array[getattr(model, kind)(other).id :][:1].reshape(-1)
    if cut:
        cut = cut.rstrip("]")
        ends = [int(each) if each else None for each in cut.split(":")]
        array = array[slice(*ends)] if ":" in cut else array[ends[0] : ends[0] + 1]
    return array


def draw(generator: np.random.Generator, distribution: Distribution, count: int) -> Any:
    """What an episode draws for an array of so many numbers."""
    size = 1 if distribution.shared else count
    match distribution:
        case LogUniform(low=low, high=high):
            logs = generator.uniform(math.log(low), math.log(high), size)
            return np.array([math.exp(each) for each in logs])
        case Uniform(low=low, high=high):
            return generator.uniform(low, high, size)
        case Normal():
            mean, deviation = distribution.parameters()
            return generator.normal(mean, deviation, size)
        case Choice(values=values):
            return np.array(values)[generator.integers(len(values), size=size)]
    raise AssertionError(distribution)


def change(array: Any, old: Any, how: Distribution, numbers: Any) -> None:
    """Changes an array from what it was, by what was drawn."""
    flat = old.reshape(-1)
    new = numbers if how.absolute else flat * numbers if how.scale else flat + numbers
    array[...] = np.broadcast_to(new, flat.shape).reshape(array.shape)


class Loop:
    """One environment of a task, in a plain loop over mujoco.

    Args:
        task: The task.
        seed: Of its generator.
        needs_constants: True if something varies that mj_setConst is needed for.
    """

    def __init__(self, task: Task, seed: int, needs_constants: bool = True) -> None:
        self.task, self.generator = task, np.random.default_rng(seed)
        self.model = mujoco.MjModel.from_xml_string(task.model)
        self.data = mujoco.MjData(self.model)
        self.original = mujoco.MjModel.from_xml_string(task.model)
        self._needs_constants = needs_constants
        self.elapsed = 0

    def reset(self, given: Mapping[str, Any] | None = None) -> None:
        """Begins an episode, with these arrays of the model and the state."""
        given = given or {}
        scratch = mujoco.MjData(self.original)
        names = self.task.randomise
        drawn = [
            draw(self.generator, how, array_of(self.model, self.data, name).size)
            for name, how in names.items()
        ]
        is_model = {name: not name.startswith(("qpos", "qvel")) for name in names}
        for name, how, numbers in zip(names, names.values(), drawn, strict=True):
            if is_model[name]:
                old = array_of(self.original, scratch, name)
                change(array_of(self.model, self.data, name), old, how, numbers)
        for name in given.keys() - STATE:
            array_of(self.model, self.data, name).flat = given[name]
        if self._needs_constants:
            mujoco.mj_setConst(self.model, self.data)
        mujoco.mj_resetData(self.model, self.data)
        if self.task.keyframe:
            key = self.model.key(self.task.keyframe).id
            mujoco.mj_resetDataKeyframe(self.model, self.data, key)
        for name, how, numbers in zip(names, names.values(), drawn, strict=True):
            if not is_model[name]:
                array = array_of(self.model, self.data, name)
                change(array, array.copy(), how, numbers)
        for name in given.keys() & STATE:
            array_of(self.model, self.data, name).flat = given[name]
        mujoco.mj_forward(self.model, self.data)
        mujoco.mj_rnePostConstraint(self.model, self.data)
        self.elapsed = 0

    def step(self, action: Any) -> None:
        """A step."""
        self.data.ctrl[:] = action
        mujoco.mj_step(self.model, self.data, self.task.frame_skip)
        mujoco.mj_rnePostConstraint(self.model, self.data)
        self.elapsed += 1

    def observe(self) -> Any:
        """The observation, of a task whose observation is a list."""
        parts = [array_of(self.model, self.data, name) for name in self.task.observation]
        return np.concatenate([np.asarray(part).reshape(-1) for part in parts])

    def watched(self, name: str) -> Any:
        """An array that is watched."""
        if name == "time":
            return self.data.time
        array = np.array(array_of(self.model, self.data, name))
        return array[0] if name == "qpos:hinge" else array


class LoopPool:
    """Plain loops as the environments of a pool.

    Args:
        task: A :class:`Balance`.
        seeds: Of the environments.

    Attributes:
        counts: How many episodes each has begun since it got its seed.
        rows: What a pool returns of each: observation, reward, terminated, truncated, and `moved`.
    """

    def __init__(self, task: Task, seeds: Sequence[int]) -> None:
        self.task, self.loops = task, [Loop(task, int(seed)) for seed in seeds]
        self.seeds, self.counts = [int(seed) for seed in seeds], [0] * len(seeds)
        self.rows: list[tuple[Any, ...]] = [()] * len(seeds)
        self._tips = np.zeros((len(seeds), 3))

    def seed(self, i: int, seed: int) -> None:
        """Gives an environment a seed."""
        self.seeds[i], self.counts[i] = seed, 0
        self.loops[i].generator = np.random.default_rng(seed)

    def reset(self, i: int, given: Mapping[str, Any] | None = None) -> Any:
        """Begins an episode; returns its observation."""
        start: dict[str, Any] = {}
        if isinstance(self.task, Scattered):
            start = start_of(np.random.default_rng([self.seeds[i], self.counts[i]]))
        self.counts[i] += 1
        self.loops[i].reset(start | dict(given or {}))
        self._tips[i] = 0.0
        return self._observe(i, is_first=True)

    def step(self, i: int, action: Any) -> Any:
        """A step, or the reset after an episode and before the first; returns its observation."""
        if not self.rows[i] or self.rows[i][2] or self.rows[i][3]:
            return self.reset(i)
        self.loops[i].step(action)
        return self._observe(i, is_first=False)

    def _observe(self, i: int, is_first: bool) -> Any:
        loop = self.loops[i]
        tip = loop.watched("site_xpos:tip")
        moved = np.abs(tip - self._tips[i]).sum()
        self._tips[i] = tip
        reward = 0.0 if is_first else moved - 0.01 * loop.data.ctrl[0] ** 2
        terminated = not is_first and abs(loop.watched("qpos:hinge")) > 0.3
        truncated = not is_first and loop.elapsed >= self.task.max_episode_steps
        self.rows[i] = loop.observe(), np.float32(reward), terminated, truncated, moved
        return self.rows[i][0]
