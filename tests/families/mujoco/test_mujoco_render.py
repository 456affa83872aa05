"""MuJoCo's environments draw themselves, pixel by pixel, as Gymnasium's and MuJoCo's renderers do.

Pictures as observations are in ``test_mujoco_pixels.py``, contexts and threads in
``test_mujoco_opengl.py``.
"""

from pathlib import Path

import gymnasium
import numpy as np
import pytest

from helpers import assert_same_results, begun, random_actions, refused
from helpers import make as make_task
from mujoco_oracle import (
    MARKS,
    NEW,
    NEXT_STEP,
    MujocoPair,
    modified,
    mujoco,
    name_of,
    without_textures,
)
from opengl import FAST, assert_same_picture, make_context, their_picture

pytestmark = [*MARKS, pytest.mark.usefixtures("opengl")]

SIZE = {"width": 64, "height": 48}
WITH_CAMERAS = [
    task_id
    for task_id in NEW
    if name_of(task_id) not in ("InvertedDoublePendulum", "InvertedPendulum", "Pusher", "Reacher")
]


class Pictures(MujocoPair):
    """An environment of ours and Gymnasium's that draw pictures.

    Unless these are of the default quality, there are no textures, and theirs has a model that says
    what our options do.
    """

    def __init__(self, task_id, limit=None, default=False, **options):
        if not default:
            options = without_textures(task_id) | options
        options = {"render_mode": "rgb_array", **SIZE} | options
        super().__init__(task_id, NEXT_STEP, limit, num_envs=1, seed=2, **options)
        if not default:
            self.ours.set_attr("render_shadow_size", 0)
            self.ours.set_attr("render_multisamples", 0)
            quality = self.theirs.envs[0].unwrapped.model.vis.quality
            quality.shadowsize = quality.offsamples = 0

    def compare(self):
        (picture,) = self.ours.render()
        assert_same_picture(picture, their_picture(self.theirs.envs[0]))
        return picture

    def close(self):
        self.ours.close()
        self.theirs.close()


def make(task_id="HalfCheetah-v5", num_envs=3, env_type="gymnasium", **options):
    """A pool in EnvPool's dialect that draws quickly."""
    options = FAST | SMALL | without_textures(task_id) | options
    return make_task(task_id, num_envs, env_type, **options)


SMALL = {"render_mode": "rgb_array", "render_width": 64, "render_height": 48, "seed": 5}


def make_vec(task_id="HalfCheetah-v5", num_envs=1, **options):
    options = {"render_mode": "rgb_array", **SIZE} | FAST | without_textures(task_id) | options
    return gymnasium.make_vec(f"envpool/{task_id}", num_envs, **options)


def draw(num_envs=1, **options):
    """What environments look like after a reset."""
    pool = begun(make(num_envs=num_envs, **options))
    return pool.render(pool.all_env_ids)


# --- Gymnasium's pictures -----------------------------------------------------------------------
# test_originals.py compares those of all tasks.


@pytest.mark.parametrize(
    "size", [(1, 1), (7, 3), (3, 7), (200, 100), (641, 1), (1, 481), (700, 500)]
)
@pytest.mark.one_in(4)
def test_sizes(size):
    pair = Pictures("Reacher-v5", default=True, width=size[0], height=size[1])
    assert pair.compare().shape == (size[1], size[0], 3)
    pair.close()


def test_the_size_by_default():
    with gymnasium.make_vec("envpool/Reacher-v5", 1, render_mode="rgb_array", **FAST) as env:
        env.reset()
        assert env.render()[0].shape == (480, 480, 3)


@pytest.mark.parametrize(
    ("task_id", "options"),
    [
        *(
            (task_id, {"camera_id": 0} if task_id[0] == "H" else {"camera_name": "track"})
            for task_id in WITH_CAMERAS
        ),
        *(
            ("HalfCheetah-v5", {"default_camera_config": config})
            for config in (
                {},
                {"distance": 1.5, "azimuth": 400.0, "elevation": -100},
                {"lookat": np.array([1.0, -0.5, 2.0]), "distance": 7},
                {"trackbodyid": 3, "fixedcamid": 0},
                {"orthographic": 1},
            )
        ),
        # MuJoCo warns where they are too few, and leaves the others out.
        *(("Walker2d-v5", {"max_geom": number}) for number in (1, 4, 5000)),
    ],
)
@pytest.mark.one_in(3)
def test_cameras_and_numbers_of_geoms(task_id, options):
    pair = Pictures(task_id, **options)
    pair.compare()
    pair.step()
    pair.compare()
    pair.close()


@pytest.mark.parametrize(
    "options",
    [
        {flag: not mujoco.MjvOption().flags[flag] for flag in range(mujoco.mjtVisFlag.mjNVISFLAG)},
        {int(mujoco.mjtVisFlag.mjVIS_CONTACTPOINT): 1, np.int64(2): np.bool_(True)},
        {mujoco.mjtVisFlag.mjVIS_TRANSPARENT: True},
        {},
    ],
)
@pytest.mark.one_in(4)
def test_visual_options(options):
    pairs = [Pictures("Ant-v5", visual_options=options), Pictures("Ant-v5")]
    for pair in pairs:
        pair.play(3)
    assert np.array_equal(*(pair.compare() for pair in pairs)) == (options == {})
    for pair in pairs:
        pair.close()


def test_the_first_picture_decides_where_the_camera_looks():
    late, early = (
        Pictures("Swimmer-v5", limit=20, default_camera_config={"distance": 1.0}) for _ in range(2)
    )
    early.compare()
    for pair in (late, early):
        pair.play(19)
    assert (early.compare() != late.compare()).any()
    late.play(2)  # the next episode, seen from where this one was
    late.compare()
    for pair in (late, early):
        pair.close()


# --- MuJoCo's own renderer ----------------------------------------------------------------------


HALF_CHEETAH = without_textures("HalfCheetah-v5")


class Reference:
    """HalfCheetah's model under ``mujoco.Renderer``, put into the state that ours observes."""

    def __init__(self, monkeypatch):
        # Which context it takes was decided when MuJoCo was imported.
        monkeypatch.setattr("mujoco.rendering.classic.gl_context.GLContext", make_context)
        self.model = mujoco.MjModel.from_xml_path(HALF_CHEETAH["xml_file"])
        self.model.vis.quality.shadowsize = self.model.vis.quality.offsamples = 0
        self.data = mujoco.MjData(self.model)

    def follow(self, obs):
        """An observation of qpos and qvel, right after a reset."""
        self.data.qpos[:], self.data.qvel[:] = np.split(obs, 2)
        mujoco.mj_forward(self.model, self.data)

    def picture(self, camera):
        with mujoco.Renderer(self.model, SIZE["height"], SIZE["width"]) as renderer:
            renderer.update_scene(self.data, camera)
            return renderer.render()


TRACKING, FIXED = mujoco.mjtCamera.mjCAMERA_TRACKING, mujoco.mjtCamera.mjCAMERA_FIXED


@pytest.mark.parametrize(
    "config",
    [
        {"lookat": (0.5, 0.0, 0.25), "distance": 4.0, "azimuth": 30.0, "elevation": -30.0},
        # Gymnasium's draws with a free camera whatever the type is.
        {"type": TRACKING, "trackbodyid": 4, "distance": 2.0},
        {"type": FIXED, "fixedcamid": 0},
    ],
)
@pytest.mark.one_in(2)
def test_the_same_camera_in_mujocos_renderer(config, monkeypatch):
    reference = Reference(monkeypatch)
    camera = mujoco.MjvCamera()
    for key, value in ({"distance": reference.model.stat.extent} | config).items():
        setattr(camera, key, value)
    options = SMALL | HALF_CHEETAH | {"render_shadow_size": 0, "render_multisamples": 0}
    options["exclude_current_positions_from_observation"] = False
    pool = make_task("HalfCheetah-v5", 2, default_camera_config=config, **options)
    obs, _ = pool.reset()
    for row, picture in zip(obs, pool.render([0, 1]), strict=True):
        reference.follow(row)
        if "lookat" not in config:
            camera.lookat[:] = np.median(reference.data.geom_xpos, axis=0)
        assert_same_picture(picture, reference.picture(camera))


# --- EnvPool's dialect --------------------------------------------------------------------------


def test_cameras_by_id_and_name():
    fixed = draw(render_camera_id=0)
    assert_same_picture(draw(camera_name="track"), fixed)
    pool = begun(make(num_envs=1, render_camera_id=0))
    assert_same_picture(pool.render(), fixed)
    assert_same_picture(pool.render(camera_id=-1), draw())
    assert (draw() != fixed).any()
    # An id comes before the name.
    two_cameras = begun(make("Humanoid-v5", 1, camera_name="track"))
    assert_same_picture(two_cameras.render(), two_cameras.render(camera_id=0))
    assert (two_cameras.render() != two_cameras.render(camera_id=1)).any()


def test_cameras_that_there_are_not():
    pool = begun(make(num_envs=1))
    match = "environment 0 was not rendered: there is no camera 1: the model has 1"
    refused(ValueError, match, pool.render, 0, 1)
    assert_same_picture(pool.render(), draw())
    without = begun(make("Reacher-v5", 1, render_camera_id=0))
    refused(ValueError, "there is no camera 0: the model has 0", without.render)
    assert without.render(camera_id=-1).shape == (1, 48, 64, 3)


@pytest.mark.parametrize(
    ("option", "value", "error", "match"),
    [
        ("camera_name", "side", ValueError, "'side', but the model has no such camera"),
        ("camera_name", 0, TypeError, "expected a string"),
        ("default_camera_config", {"zoom": 1.0}, ValueError, "unknown key 'zoom'.*distance"),
        ("default_camera_config", {1: 1.0}, ValueError, "unknown key '1'"),
        ("default_camera_config", {"lookat": (0, 1)}, ValueError, r"\['lookat'\] must be three"),
        ("default_camera_config", {"lookat": 1}, ValueError, r"\['lookat'\] must be three"),
        (
            "default_camera_config",
            {"distance": (1, 2)},
            ValueError,
            r"\['distance'\] .* one number",
        ),
        ("default_camera_config", {"distance": []}, ValueError, r"\['distance'\] .* one number"),
        ("default_camera_config", {"distance": "4"}, TypeError, r"\['distance'\] is '4', expected"),
        ("default_camera_config", {"distance": None}, TypeError, r"\['distance'\] is None"),
        ("default_camera_config", {"lookat": [[1, 2, 3]]}, TypeError, "expected numbers"),
        ("default_camera_config", {"type": 3}, ValueError, r"\['type'\] .* from 0 to 2"),
        ("default_camera_config", {"type": 0.5}, ValueError, r"\['type'\] .* an integer"),
        ("default_camera_config", {"type": 1}, ValueError, "lacks 'trackbodyid'"),
        ("default_camera_config", {"type": 2}, ValueError, "lacks 'fixedcamid'"),
        ("default_camera_config", {"fixedcamid": 1}, ValueError, r"\['fixedcamid'\] .* -1 to 0"),
        ("default_camera_config", {"trackbodyid": -2}, ValueError, r"\['trackbodyid'\]"),
        (
            "default_camera_config",
            {"type": 1, "trackbodyid": 8},
            ValueError,
            r"\['trackbodyid'\] must be less than 8",
        ),
        ("default_camera_config", {"orthographic": 2}, ValueError, r"\['orthographic'\]"),
        ("default_camera_config", {"distance=1,2": 3}, ValueError, "has the entry"),
        ("default_camera_config", "distance=1", TypeError, "expected a dict"),
        ("default_camera_config", 4.0, TypeError, "is 4.0, expected a dict"),
        ("default_camera_config", ["distance"], ValueError, "has the entry 'distance'"),
        ("visual_options", {-1: 1}, ValueError, "the entry '-1', expected a flag from 0 to 30"),
        ("visual_options", {31: 1}, ValueError, "the entry '31'"),
        ("visual_options", {"3rd": 1}, ValueError, "the entry '3rd'"),
        ("visual_options", {1.5: 1}, ValueError, "the entry '1.5'"),
        ("visual_options", {"transparent": 1}, ValueError, "the entry 'transparent'"),
        ("visual_options", {1: (1, 1)}, ValueError, "the entry '1'"),
        ("visual_options", {1: "on"}, TypeError, r"\[1\] is 'on', expected numbers"),
        ("visual_options", [1, 2], TypeError, r"is \[1, 2\], expected a dict"),
        ("visual_options", True, TypeError, "is True, expected a dict"),
        ("max_geom", 0, ValueError, "is 0, expected 1 <= max_geom <= 65536"),
        ("max_geom", 65537, ValueError, "is 65537"),
        ("max_geom", 10.5, TypeError, "is 10.5, expected an integer"),
        ("render_shadow_size", -2, ValueError, "is -2, expected -1 <="),
        ("render_shadow_size", 65537, ValueError, "is 65537"),
        ("render_multisamples", -2, ValueError, "is -2, expected -1 <="),
        ("render_multisamples", 2**40, ValueError, "is 1099511627776"),
        ("render_multisamples", "4", TypeError, "is '4', expected an integer"),
        ("render_shadows", 1, TypeError, "is 1, expected a bool"),
        ("render_reflections", None, TypeError, "is None, expected a bool"),
    ],
)
def test_options_are_refused(option, value, error, match):
    # By both, before anything is drawn or even reset.
    refused(error, f"{option}.*{match}", make, **{option: value})
    refused(error, f"{option}.*{match}", make_vec, **{option: value})


@pytest.mark.parametrize(
    "option",
    [
        {"render_shadows": True},
        {"render_shadows": True, "render_shadow_size": 64},
        {"render_reflections": True},
        {"render_multisamples": 4},
    ],
)
@pytest.mark.one_in(2)
def test_quality(option):
    task = {"task_id": "Hopper-v5", "render_width": 200, "render_height": 200}
    fast = draw(**task)
    better = draw(**task, **option)
    assert (fast != better).any()
    assert (draw(**task, **option) == better).all()
    assert np.abs(fast.astype(int) - better).mean() < 10  # but of the same


def test_quality_by_default_is_that_of_the_model():
    best = dict.fromkeys(FAST, True) | {"render_multisamples": -1}
    names = {"render_shadow_size": 4096, "render_multisamples": 4}
    assert_same_picture(draw(**best), draw(**best | names))
    assert (draw(**best) != draw(**best, render_shadow_size=256)).any()


def test_sizes_of_the_shadow():
    assert_same_picture(
        draw(render_shadows=True, render_shadow_size=0), draw(render_shadow_size=256)
    )


@pytest.mark.parametrize("max_geom", [1, 1000])
@pytest.mark.one_in(2)
def test_nothing_else_changes(max_geom):
    drawn = make("Ant-v5", max_geom=max_geom, max_episode_steps=5, xml_file="ant.xml")
    plain = make("Ant-v5", max_episode_steps=5, xml_file="ant.xml", render_mode=None)
    assert_same_results(drawn.reset(), plain.reset())
    rng = np.random.default_rng(0)
    for _ in range(12):
        pictures = drawn.render(drawn.all_env_ids)
        assert_same_picture(drawn.render(drawn.all_env_ids), pictures)
        drawn.render(0, camera_id=0)
        action = random_actions(drawn, rng)
        assert_same_results(drawn.step(action), plain.step(action))


def test_snapshots_carry_the_camera():
    pool = begun(make("Swimmer-v5"))
    rng = np.random.default_rng(0)
    pool.render([0, 1])  # but not 2, which chooses its camera later
    for _ in range(20):
        pool.step(random_actions(pool, rng))
    others = [make("Swimmer-v5", seed=9) for _ in range(2)]
    others[1].reset()
    others[1].render(others[1].all_env_ids)  # has cameras of its own until then
    for other in others:
        other.set_state(pool.get_state())
    for _ in range(2):
        pictures = pool.render(pool.all_env_ids)
        for other in others:
            assert_same_picture(other.render(other.all_env_ids), pictures)
        action = random_actions(pool, rng)
        results = pool.step(action)
        for other in others:
            assert_same_results(other.step(action), results)


def test_changing_an_option_of_living_environments():
    env = begun(make_vec(num_envs=2, seed=5))
    env.render()
    env.step(np.ones((2, 6), np.float32))
    before = env.render()
    env.set_attr("camera_name", ["track", ""])
    after = env.render()
    assert (after[0] != before[0]).any()
    assert_same_picture(after[1], before[1])
    env.set_attr("camera_name", "")
    env.set_attr("default_camera_config", [{}, {"lookat": (0, 0, 3), "elevation": -20.0}])
    closer = env.render()
    env.set_attr("default_camera_config", [{}, {"distance": 9.0}])
    farther = env.render()
    assert (closer[0] != before[0]).any()
    assert_same_picture(closer[0], farther[0])
    assert (closer[1] != farther[1]).any()
    env.set_attr("default_camera_config", {"distance": 4.0})  # the task's own
    assert_same_picture(np.stack(env.render()), np.stack(before))


@pytest.mark.parametrize("size", [(16384, 2), (2, 16384)])
def test_large_pictures(size):
    picture = draw(render_width=size[0], render_height=size[1])
    assert picture.shape == (1, size[1], size[0], 3)
    assert picture.min() < picture.max()


def test_several_sizes_share_a_renderer():
    pools = {
        size: make("Hopper-v5", 1, render_width=size, render_height=size)
        for size in (20, 700, 30, 900)
    }
    pictures = {}
    for size, pool in pools.items():
        pool.reset()
        pictures[size] = pool.render()
    for size in (900, 20, 700, 30):
        assert_same_picture(pools[size].render(), pictures[size])


# --- errors -------------------------------------------------------------------------------------


def test_a_buffer_that_opengl_cannot_make(capfd):
    pool = begun(make(num_envs=1, render_shadows=True, render_shadow_size=65536))
    for _ in range(2):
        refused(RuntimeError, "environment 0 was not rendered: MuJoCo: .*hadow", pool.render)
    pool.step(np.zeros((1, 6)))
    assert_same_picture(draw(), draw())  # others can still draw
    pool.close()
    assert capfd.readouterr() == ("", "")


def test_nothing_is_printed(capfd, scratch_directory):
    # Too few geoms are a warning, a camera that is nowhere an empty picture.
    for options in ({"max_geom": 1}, {"default_camera_config": {"distance": np.nan}}):
        assert draw(num_envs=2, **options).shape == (2, 48, 64, 3)
    observed = begun(make(max_geom=1, from_pixels=True))
    observed.step(np.zeros((3, 6)))
    assert capfd.readouterr() == ("", "")
    assert list(Path.cwd().iterdir()) == []


def test_a_model_of_the_users_own(tmp_path):
    colour = ('rgba="0.8 0.9 0.8 1"', 'rgba="1 0 0 1"')
    path = modified(tmp_path / "red.xml", HALF_CHEETAH["xml_file"], colour)
    red = draw(xml_file=path).reshape(-1, 3).astype(int)
    plain = draw().reshape(-1, 3).astype(int)
    redness = [(each[:, 0] - each[:, 1]).mean() for each in (red, plain)]
    assert redness[0] > redness[1] + 20
