"""Pictures beside the state, of some environments or all, and colours that vary."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

import envpool
import mujoco
from envpool.families.mujoco.model.task import Batch
from opengl import FAST
from own_mujoco_tasks import POLE, Balance, Physics

MODEL = POLE.replace(
    "<worldbody>",
    '<worldbody><camera name="side" pos="0 -3 0" euler="90 0 0"/>'
    '<camera name="top" pos="0 0 4"/><light name="sun" pos="0 0 5"/>',
)
CAMERAS = {"top": (32, 48), "side": (40, 24)}
ACTIONS = np.random.default_rng(1).uniform(-1.0, 1.0, (30, 3, 2)) * [1.0, 0.05]


def _make(task: Any = Balance, **options: Any) -> Any:
    return envpool.make_mujoco(task, num_envs=3, model=MODEL, seed=5, **FAST, **options)


def test_cameras_without_environments_that_draw_are_black() -> None:
    env = _make(cameras=CAMERAS, pixel_envs=[])
    plain = _make()
    space = env.observation_space
    assert list(space) == ["side", "state", "top"] and space["top"].shape == (32, 48, 3)
    obs, _ = env.reset()
    np.testing.assert_array_equal(obs["state"], plain.reset()[0])
    assert obs["top"].dtype == np.uint8 and obs["side"].shape == (3, 40, 24, 3)
    for action in ACTIONS:
        ours, theirs = env.step(action), plain.step(action)
        np.testing.assert_array_equal(ours[0]["state"], theirs[0])
        np.testing.assert_array_equal(ours[1], theirs[1])
        assert not ours[0]["top"].any()


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"cameras": {"tpo": (2, 2)}}, ValueError, "cameras has 'tpo', expected .*'side', 'top'"),
        (
            {"cameras": {"top": (0, 2)}},
            ValueError,
            r"cameras\['top'\] must be a height and a width",
        ),
        ({"cameras": {"top": 2}}, ValueError, r"cameras\['top'\] must be a height and a width"),
        ({"cameras": ["top"]}, ValueError, "cameras"),
        ({"cameras": CAMERAS, "frame_stack": 2}, ValueError, "none with from_pixels or frame_st"),
        ({"cameras": CAMERAS, "from_pixels": True}, ValueError, "none with from_pixels or frame"),
        ({"cameras": CAMERAS, "observation": {"top": "qpos"}}, ValueError, "cameras has 'top'"),
        ({"cameras": CAMERAS, "pixel_envs": [3]}, ValueError, r"pixel_envs is \[3\], expected ids"),
        ({"cameras": CAMERAS, "pixel_envs": "all"}, TypeError, "pixel_envs is 'all', expected ids"),
    ],
)
def test_wrong_cameras_are_named(options: dict[str, Any], error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        _make(**options)


@pytest.mark.slow
def test_they_show_what_is_rendered() -> None:
    env = _make(cameras=CAMERAS)
    drawn = {
        name: _make(
            render_mode="rgb_array",
            render_camera_id=camera,
            render_height=CAMERAS[name][0],
            render_width=CAMERAS[name][1],
        )
        for camera, name in enumerate(["side", "top"])
    }
    obs, _ = env.reset()
    for other in drawn.values():
        other.reset()
    for action in ACTIONS:
        for name, other in drawn.items():
            assert obs[name].any()
            np.testing.assert_array_equal(obs[name], other.render([0, 1, 2]))
            other.step(action)
        obs, *_ = env.step(action)


@pytest.mark.slow
def test_some_environments_draw_the_same_as_if_all_did() -> None:
    env, every = _make(cameras=CAMERAS, pixel_envs=[0, 2]), _make(cameras=CAMERAS)
    obs, whole = env.reset()[0], every.reset()[0]
    for action in ACTIONS[:5]:
        for name in CAMERAS:
            np.testing.assert_array_equal(obs[name][[0, 2]], whole[name][[0, 2]])
            assert not obs[name][1].any()
        state = env.get_state()
        obs, whole = env.step(action)[0], every.step(action)[0]
        env.set_state(state)
        np.testing.assert_array_equal(env.step(action)[0]["top"], obs["top"])
    env.set_attr("draws_cameras", [False, True, False])
    obs, *_ = env.step(ACTIONS[5])
    assert [bool(row.any()) for row in obs["top"]] == [False, True, False]
    with pytest.raises(ValueError, match="set draws_cameras instead"):
        env.set_attr("pixel_envs", [[0]] * 3)


@pytest.mark.slow
def test_observations_in_numpy_and_dicts_have_pictures_too() -> None:
    class Tip(Balance):
        observed_size = 3

        def observe(self, batch: Batch) -> Any:
            return batch["site_xpos:tip"]

    env = _make(Tip, cameras=CAMERAS)
    obs, _ = env.reset()
    assert obs["state"].shape == (3, 3) and obs["state"].any() and obs["top"].any()
    obs, _ = _make(Physics, cameras={"top": (8, 8)}).reset()
    assert sorted(obs) == ["state", "tip", "top"] and obs["top"].any()


@pytest.mark.slow
def test_gymnasiums_robots_have_them_too() -> None:
    options = {"cameras": {"track": (30, 40)}, "pixel_envs": [1], **FAST}
    env = envpool.make("HalfCheetah-v5", num_envs=2, seed=1, **options)
    plain = gymnasium.make_vec("envpool/HalfCheetah-v5", num_envs=2, seed=1, **options)
    obs, same = env.reset()[0], plain.reset(seed=1)[0]
    np.testing.assert_array_equal(obs["state"], same["state"])
    np.testing.assert_array_equal(obs["track"], same["track"])
    assert obs["track"][1].any() and not obs["track"][0].any()


def test_arrays_of_float32_are_read_and_vary() -> None:
    names = ("geom_rgba", "light_diffuse:sun", "geom_rgba:ball[3]")
    randomise = {
        "geom_rgba:ball[:3]": envpool.mujoco.Uniform(0.0, 1.0, absolute=True),
        "light_diffuse": envpool.mujoco.Uniform(0.5, 1.0, scale=True),
    }
    env = _make(Physics, observation=names, randomise=randomise)
    model = mujoco.MjModel.from_xml_string(MODEL)
    rgba, light = model.geom_rgba.copy(), model.light_diffuse.copy()
    generators = [np.random.default_rng(5 + i) for i in range(3)]
    for _ in range(3):
        obs, _ = env.reset()
        for row, generator in zip(obs, generators, strict=True):
            model.geom_rgba[...], model.light_diffuse[...] = rgba, light
            model.geom("ball").rgba[:3] = generator.uniform(0.0, 1.0, 3)
            model.light_diffuse[...] = light * generator.uniform(0.5, 1.0, 3)
            expected = [*model.geom_rgba.flat, *model.light_diffuse.flat, rgba[-1, 3]]
            np.testing.assert_array_equal(row, np.array(expected, np.float64))
    given = np.arange(16) / 16.0
    obs, _ = env.reset(options={"geom_rgba": given})
    state = env.get_state()
    np.testing.assert_array_equal(obs[:, :16], np.tile(given, (3, 1)))
    env.reset()
    env.set_state(state)
    np.testing.assert_array_equal(env.step(ACTIONS[0])[0], obs)


@pytest.mark.slow
def test_pictures_show_colours_that_vary() -> None:
    colours = {"geom_rgba:floor[:3]": envpool.mujoco.Uniform(0.0, 1.0, absolute=True)}
    obs, _ = _make(Physics, cameras={"top": (8, 8)}, randomise=colours).reset()
    assert not np.array_equal(obs["top"][0], obs["top"][1])
