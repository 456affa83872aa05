"""Pictures of dm_control's suite: what ``physics.render`` draws, pixel by pixel."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

import envpool
from helpers import assert_same_bytes, begun
from opengl import FAST, assert_same_picture, let_dm_control_draw
from suite_oracle import make_ours, make_theirs, suite

# Where more than the state differs between environments and episodes. test_originals.py has all
# tasks, in full quality.
EVERY_DAY = ["FingerSpin-v1", "FishUpright-v1", "QuadrupedEscape-v1", "SwimmerSwimmer6-v1"]
TASK = "ReacherEasy-v1"
SIZE = {"render_width": 40, "render_height": 30}
THEIR_SIZE = {"width": 40, "height": 30}
OFF = {"shadow": False, "reflection": False}
SEEDS = [3, 4]


@pytest.fixture(autouse=True)
def contexts(opengl: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """dm_control draws with the same driver as we do, and Quadruped's escape draws, too."""
    let_dm_control_draw(monkeypatch, opengl)
    monkeypatch.delattr(suite.quadruped.Physics, "contexts")


class Pictures:
    """Ours and dm_control's, one per seed, that are small and quick."""

    def __init__(self, name: str, seeds: list[int] = SEEDS, **options: Any) -> None:
        self.ours = make(name, len(seeds), seed=seeds, **FAST, **SIZE, **options)
        self.theirs = [make_theirs(name, seed) for seed in seeds]
        for env in self.theirs:
            env.task.visualize_reward = options.get("visualize_reward", False)
            env.physics.model.vis.quality.offsamples = 0
        self.kwargs = THEIR_SIZE | {"render_flag_overrides": OFF}
        self.rng = np.random.default_rng(0)
        self.reset()

    def reset(self) -> None:
        self.ours.reset()
        for env in self.theirs:
            env.reset()

    def step(self) -> None:
        actions = self.rng.uniform(-0.8, 0.8, (len(self.theirs), *self.ours.action_space.shape))
        self.ours.step(actions)
        for env, action in zip(self.theirs, actions, strict=True):
            env.step(action)

    def compare(self, camera: int = -1, their_camera: str | None = None) -> list[bytes]:
        camera_id = camera if their_camera is None else their_camera
        theirs = [env.physics.render(camera_id=camera_id, **self.kwargs) for env in self.theirs]
        for i, picture in enumerate(self.ours.render(self.ours.all_env_ids, camera)):
            assert_same_picture(picture, theirs[i])
        return [picture.tobytes() for picture in theirs]

    def close(self) -> None:
        self.ours.close()
        for env in self.theirs:
            env.physics.free()


def make(name: str = TASK, num_envs: int = 2, **options: Any) -> Any:
    return envpool.make_gymnasium(name, num_envs=num_envs, render_mode="rgb_array", **options)


@pytest.mark.parametrize("name", EVERY_DAY)
@pytest.mark.one_in(4)
def test_pictures_are_dm_controls(name):
    pair = Pictures(name)
    seen = pair.compare()
    pair.step()
    seen += pair.compare()
    pair.reset()  # what a task draws for an episode
    seen += pair.compare()
    if pair.theirs[0].physics.model.ncam > 0:
        pair.compare(camera=0)
    pair.close()
    assert len(set(seen)) > 3, "they show the same"


def test_cameras_by_name():
    pair = Pictures("HopperHop-v1", seeds=[3], camera_name="back")
    pair.compare(their_camera="back")
    pair.close()


@pytest.mark.slow
def test_rewards_can_be_seen():
    pair, plain = (
        Pictures("CartpoleBalance-v1", seeds=[3], visualize_reward=shown) for shown in (True, False)
    )
    assert pair.compare() != plain.compare()  # rewards are nearly 1
    for each in (pair, plain):
        each.step()
    assert pair.compare() != plain.compare()
    for each in (pair, plain):
        each.close()


def test_environments_share_what_draws_and_not_their_terrain():
    pool = begun(make("QuadrupedEscape-v1", 2, seed=SEEDS, **FAST, **SIZE))
    both = pool.render([0, 1])
    assert (both[0] != both[1]).any()
    assert_same_bytes(pool.render([1, 0]), both[::-1])
    assert_same_bytes(make_and_draw("QuadrupedEscape-v1", seed=SEEDS[1]), both[1:])


def make_and_draw(name: str, **options: Any) -> np.ndarray:
    pool = begun(make(name, 1, **FAST, **SIZE, **options))
    return pool.render([0])


def test_observed_pictures_are_of_envpools_size():
    spec = envpool.make_spec("WalkerWalk-v1", from_pixels=True)
    assert spec.observation_space == gymnasium.spaces.Box(0, 255, (3, 84, 84), np.uint8)
    assert spec.pictures.size == (320, 240)  # of render()
    env = make_ours("WalkerWalk-v1", [0], from_pixels=True, **FAST)
    assert env.reset()[0].shape == (1, 3, 84, 84)
