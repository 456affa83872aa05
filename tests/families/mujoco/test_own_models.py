"""Models of one's own: the same bits as a plain loop over mujoco, and as robots of Gymnasium's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import envpool
import mujoco
from envpool.families.mujoco.model.task import Batch, Outcome, Task
from helpers import assert_same_results, begun
from own_mujoco_tasks import POLE, Balance, Loop, LoopPool, Physics, Scattered

NUM_ENVS, STEPS = 6, 60
ASSETS = Path(gymnasium.__file__).parent / "envs" / "mujoco" / "assets"


def _actions(num_envs: int = NUM_ENVS) -> Any:
    return np.random.default_rng(3).uniform(-1.0, 2.0, (STEPS, num_envs, 2)) * [1.0, 0.05]


def _require_row(results: Any, place: int, loop: LoopPool, i: int) -> None:
    obs, reward, terminated, truncated, info = results
    ours = (obs[place], reward[place], terminated[place], truncated[place], info["moved"][place])
    for theirs, value in zip(loop.rows[i], ours, strict=True):
        np.testing.assert_array_equal(value, theirs, err_msg=str((loop.counts[i], i)))


@pytest.mark.parametrize("task", [Balance, Scattered])
@pytest.mark.parametrize("num_threads", [1, 2, 8])
def test_pools_equal_a_plain_loop(num_threads: int, task: Any) -> None:
    env = envpool.make_mujoco(task, num_envs=NUM_ENVS, num_threads=num_threads, seed=7)
    loop = LoopPool(task(), 7 + np.arange(NUM_ENVS))
    obs, info = env.reset()
    for i in range(NUM_ENVS):
        np.testing.assert_array_equal(obs[i], loop.reset(i))
        np.testing.assert_array_equal(info["moved"][i], loop.rows[i][-1])
    ends = 0
    for action in _actions():
        results = env.step(action)
        ends += int((results[2] | results[3]).sum())
        for i in range(NUM_ENVS):
            loop.step(i, action[i])
            _require_row(results, i, loop, i)
    assert ends > NUM_ENVS  # both kinds of them
    assert min(loop.counts) > 2
    env.close()


@pytest.mark.parametrize("task", [Balance, Scattered])
def test_asynchronous_pools_equal_a_plain_loop(task: Any) -> None:
    env = envpool.make_mujoco(task, num_envs=NUM_ENVS, batch_size=2, num_threads=3, seed=7)
    loop = LoopPool(task(), 7 + np.arange(NUM_ENVS))
    actions, counts = _actions(), np.zeros(NUM_ENVS, int)
    env.async_reset()
    for _ in range(STEPS):
        results = env.recv()
        ids = results[4]["env_id"]
        for place, i in enumerate(ids):
            loop.step(i, actions[counts[i] - 1, i])
            _require_row(results, place, loop, i)
        env.send(actions[counts[ids], ids], ids)
        counts[ids] += 1
    env.close()


def test_watched_arrays_have_the_shapes_and_values_of_the_model() -> None:
    seen: list[dict[str, Any]] = []

    class Watching(Balance):
        def reward(self, batch: Batch) -> Outcome:
            names = (*self.observation, *self.watch)
            seen.append({name: batch[name].copy() for name in names})
            return super().reward(batch)

    env = envpool.make_mujoco(Watching(), num_envs=2, seed=7)
    loops = [Loop(Balance(), 7 + i) for i in range(2)]
    env.reset()
    for i, loop in enumerate(loops):
        loop.reset()
        for name in Balance.watch:
            expected = loop.watched(name)
            assert seen[0][name].shape == (2, *np.shape(expected))
            np.testing.assert_array_equal(seen[0][name][i], expected, err_msg=name)
        # What was drawn, and what mj_setConst has made of it.
        assert loop.model.body_mass[2] != loop.original.body_mass[2]
    assert [seen[0][name].shape[1:] for name in Balance.observation] == [(9,), (3,), (3,), (6,)]
    env.close()


class HalfCheetah(Task):
    """Gymnasium's HalfCheetah-v5."""

    model = ASSETS / "half_cheetah.xml"
    frame_skip = 5
    observation = ("qpos[1:]", "qvel")
    watch = ("qpos:rootx", "ctrl")
    randomise = {
        "qpos": envpool.mujoco.Uniform(-0.1, 0.1),
        "qvel": envpool.mujoco.Normal(0.1),
    }
    max_episode_steps = 1000
    memory = {"x": ()}

    def reward(self, batch: Batch) -> Outcome:
        """Runs forward."""
        x, before = batch["qpos:rootx"], batch.memory["x"]
        batch.memory["x"] = x
        forward = (x - before) / 0.05
        cost = 0.1 * np.square(batch["ctrl"]).sum(-1)
        return Outcome(forward - cost, None, {"x_position": x, "reward_ctrl": -cost})


class Ant(Task):
    """Gymnasium's Ant-v5, which clips the contact forces that it observes."""

    model = ASSETS / "ant.xml"
    frame_skip = 5
    observation = ("qpos[2:]", "qvel", "cfrc_ext")
    observed_size = 105
    watch = ("qpos", "xpos:torso", "ctrl")
    randomise = HalfCheetah.randomise
    max_episode_steps = 1000
    memory = {"place": (2,)}

    def reward(self, batch: Batch) -> Outcome:
        """Runs forward, and stays alive."""
        place, z = batch["xpos:torso"][:, :2], batch["qpos"][:, 2]
        forward = (place - batch.memory["place"])[:, 0] / 0.05
        batch.memory["place"] = place
        forces = np.clip(batch["cfrc_ext"], -1.0, 1.0)
        costs = 0.5 * np.square(batch["ctrl"]).sum(-1), 5e-4 * np.square(forces).sum((1, 2))
        is_healthy = (z >= 0.2) & (z <= 1.0)
        reward = forward + is_healthy - sum(costs)
        return Outcome(reward, ~is_healthy, {"x_position": batch["qpos"][:, 0]})

    def observe(self, batch: Batch) -> Any:
        """Without place, and without the world's forces."""
        forces = np.clip(batch["cfrc_ext"][:, 1:], -1.0, 1.0).reshape(len(batch), -1)
        return np.concatenate([batch["qpos[2:]"], batch["qvel"], forces], axis=1)


@pytest.mark.parametrize("env_type", ["gymnasium", "dm"])
@pytest.mark.parametrize(("task", "task_id"), [(HalfCheetah, "HalfCheetah-v5"), (Ant, "Ant-v5")])
def test_gymnasiums_robots_as_tasks_equal_these(
    task: type[Task], task_id: str, env_type: str
) -> None:
    options = {"env_type": env_type, "num_envs": 3, "seed": 5, "max_episode_steps": 80}
    ours, theirs = envpool.make_mujoco(task, **options), envpool.make(task_id, **options)
    assert ours.spec.observation_space == theirs.spec.observation_space
    rng = np.random.default_rng(0)
    is_dm, ends = env_type == "dm", 0
    one, other = ours.reset(), theirs.reset()
    for _ in range(200):
        if is_dm:
            assert one.observation.obs.tobytes() == other.observation.obs.tobytes()
            pairs = list(zip(one[:3], other[:3], strict=True))
        else:
            assert one[0].tobytes() == other[0].tobytes()
            np.testing.assert_array_equal(one[-1]["x_position"], other[-1]["x_position"])
            pairs = list(zip(one[1:-1], other[1:-1], strict=True))
            ends += one[2].sum() if pairs else 0
        for ours_, theirs_ in pairs:  # rewards are float32 here, of sums in another order
            np.testing.assert_allclose(ours_, theirs_, rtol=1e-6, atol=1e-6)
        action = rng.uniform(-1.0, 1.0, (3, *ours.spec.action_space.shape))
        one, other = ours.step(action), theirs.step(action)
    assert is_dm or task is HalfCheetah or ends
    ours.close()
    theirs.close()


@pytest.mark.parametrize("kind", ["path", "bytes", "MjModel", "MjSpec"])
def test_models_may_be_files_or_what_mujoco_has_made(kind: str, tmp_path: Path) -> None:
    compiled = mujoco.MjModel.from_xml_string(POLE)
    path = tmp_path / "pole.mjb"
    mujoco.mj_saveModel(compiled, str(path), None)
    (tmp_path / "pole.xml").write_text(POLE)
    model: Any = {
        "path": tmp_path / "pole.xml",
        "bytes": path.read_bytes(),
        "MjModel": compiled,
        "MjSpec": mujoco.MjSpec.from_string(POLE),
    }[kind]
    first, second = (
        begun(envpool.make_mujoco(Balance, num_envs=2, model=each)) for each in (POLE, model)
    )
    for action in _actions(2)[:30]:
        assert_same_results(first.step(action), second.step(action))


def test_without_a_reward_there_is_physics() -> None:
    env = envpool.make_mujoco(Physics, num_envs=2)
    assert env.observation_space["state"].shape == (17,)
    env.reset()
    loop = Loop(Physics(), 0, needs_constants=False)
    loop.reset()
    action = np.array([[0.5, 0.01]] * 2)
    for step in range(1, 21):
        obs, reward, terminated, truncated, info = env.step(action)
        loop.step(action[0])
        expected = np.concatenate([loop.data.qpos, loop.data.qvel])
        np.testing.assert_array_equal(obs["state"][1], expected)
        np.testing.assert_array_equal(obs["tip"][0], loop.watched("site_xpos:tip"))
        assert not reward.any() and not terminated.any() and truncated.all() == (step == 20)
    assert set(info) == {"env_id", "players", "elapsed_step"}


def test_options_take_the_place_of_the_tasks_attributes() -> None:
    env = envpool.make_mujoco(Balance, frame_skip=3, randomise={}, observation=["qpos"])
    spec = env.spec
    assert (spec.config.frame_skip, spec.config.max_episode_steps) == (3, 20)
    assert env.observation_space.shape == (9,)
    np.testing.assert_array_equal(env.reset()[0][0][:2], [0.1, 0.05])  # the keyframe
    assert spec.changed(frame_skip=4).config.observation == ["qpos"]


def test_actions_have_the_ranges_of_the_model() -> None:
    space = envpool.make_mujoco(Balance).action_space
    np.testing.assert_array_equal(space.low, [-1.0, -np.inf])
    np.testing.assert_array_equal(space.high, [2.0, np.inf])
