"""Pictures of environments: in all flavours, and with everything else going on."""

import time
from types import SimpleNamespace

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ClosedEnvironmentError, ResetNeeded

import envpool.families.testing.registration
from canvas import (
    FLAVOURS,
    SIZE,
    N,
    actions,
    assert_pictures,
    make,
    make_one,
    make_vec,
    paint,
    paint_all,
    states_of,
    strict,
)
from envpool.render.drawing import Painter
from envpool.spec.env_spec import EnvSpec
from helpers import assert_runs, assert_same_results, in_thread, refused
from helpers import make as make_task

# --- pictures ---------------------------------------------------------------------------------


@pytest.mark.parametrize("env_type", FLAVOURS)
def test_pictures_of_each_flavour(env_type):
    pool = make(env_type=env_type)
    assert pool.render_mode == "rgb_array"
    states = states_of(pool.reset())
    for _ in range(8):  # auto-reset comes in between
        assert_pictures(pool.render(), paint_all(states[:1]))
        assert_pictures(pool.render(2), paint_all(states[2:3]))
        assert_pictures(pool.render(np.int64(1)), paint_all(states[1:2]))
        assert_pictures(pool.render(np.array(3)), paint_all(states[3:]))
        assert_pictures(pool.render([3, 0, 2]), paint_all(states[[3, 0, 2]]))
        assert_pictures(pool.render(pool.all_env_ids), paint_all(states))
        assert_pictures(
            pool.render(env_ids=np.array([1]), camera_id=2), paint_all(states[1:2], camera=2)
        )
        states = states_of(pool.step(actions()))
    assert pool.render([]).shape == (0, 24, 32, 3)


@pytest.mark.parametrize("width", [0, 1, 7, 200, 640])
@pytest.mark.parametrize("height", [0, 3, 480])
def test_sizes(width, height):
    """0 is the environment's own."""
    pool = make(render_width=width, render_height=height)
    states, _ = pool.reset()
    size = (width or SIZE[0], height or SIZE[1])
    assert_pictures(pool.render([1, 3]), paint_all(states[[1, 3]], size=size))


@pytest.mark.parametrize("camera", [-1, 0, 1, 2, np.int32(1)])
def test_cameras(camera):
    pool = make(render_camera_id=camera, render_env_id=2)
    states, _ = pool.reset()
    assert_pictures(pool.render(), paint_all(states[2:3], camera=int(camera)))
    assert_pictures(pool.render(3), paint_all(states[3:], camera=int(camera)))
    assert_pictures(pool.render(3, camera_id=-1), paint_all(states[3:]))
    assert_pictures(pool.render(3, 2), paint_all(states[3:], camera=2))


@pytest.mark.parametrize("num_threads", [1, 2, 16])
def test_many_environments(num_threads):
    pool = make(50, num_threads=num_threads)
    states, _ = pool.reset()
    ids = np.random.default_rng(0).permutation(50)
    assert_pictures(pool.render(ids), paint_all(states[ids]))


def test_nothing_else_changes():
    drawn, plain = make(), make(render_mode=None)
    assert_same_results(drawn.reset(), plain.reset())
    for _ in range(15):
        drawn.render(drawn.all_env_ids)
        assert_same_results(drawn.step(actions()), plain.step(actions()))
        assert drawn.get_state() == plain.get_state()


def test_pictures_are_not_shared():
    pool = make()
    pool.reset()
    first = pool.render()
    copy = first.copy()
    pool.step(actions())
    second = pool.render()
    assert not np.shares_memory(first, second)
    np.testing.assert_array_equal(first, copy)
    assert (second != first).any()


def test_the_last_state_of_an_episode():
    pool = make(autoreset_mode="Disabled", episode_length=2)
    pool.reset()
    pool.step(actions())
    last = pool.step(actions())[0]
    assert_pictures(pool.render(1), paint_all(last[1:2]))
    refused(RuntimeError, "no episode to step", pool.step, actions())
    assert_pictures(pool.render(1), paint_all(last[1:2]))


# --- options ----------------------------------------------------------------------------------


@pytest.mark.parametrize("env_type", FLAVOURS)
def test_gymnasiums_names(env_type):
    pool = make(env_type=env_type, width=6, height=5, camera_id=1)
    config = pool.config
    assert (config["render_width"], config["render_height"]) == (6, 5)
    assert config["render_camera_id"] == 1
    assert "width" not in config
    states = states_of(pool.reset())
    assert_pictures(pool.render(), paint_all(states[:1], camera=1, size=(6, 5)))


def test_both_names():
    for name in ("width", "height", "camera_id"):
        spec = envpool.make_spec("testing/Canvas-v0", **{name: 2, f"render_{name}": 2})
        assert getattr(spec.config, f"render_{name}") == 2
        refused(
            TypeError,
            f"^{name} is 2 and render_{name} is 1, expected one of them",
            envpool.make_spec,
            "testing/Canvas-v0",
            **{name: 2, f"render_{name}": 1},
        )


def test_the_names_of_a_tasks_own_options(monkeypatch):
    registry = envpool.tasks.registration.registry
    monkeypatch.setattr(registry, "tasks", dict(registry.tasks))
    envpool.tasks.registration.register_family_task(
        "envpool.families.testing", "testing/WideCanvas-v0", "Canvas", render_width=50, height=10
    )
    assert envpool.make_spec("testing/WideCanvas-v0").pictures.size == (50, 10)
    assert envpool.make_spec("testing/WideCanvas-v0", width=7).pictures.size == (7, 10)
    assert envpool.make_spec("testing/WideCanvas-v0", render_height=7).pictures.size == (50, 7)


def test_an_own_option_comes_before_gymnasiums_name():
    described = {
        "width": {"default": 3.0, "description": "its own"},
        "render_height": {"default": 9, "description": "its own, too"},
    }
    seen = []
    fields = dict.fromkeys(("observation", "action", "info"), ())
    native = SimpleNamespace(
        can_render=True,
        frame_size=lambda: (1, 1),
        memory=lambda: 0,
        spec=lambda: {"max_num_players": 1, "observation_structure": "dict", **fields},
    )
    env_type = SimpleNamespace(
        name="Wide",
        options=described,
        reset_options={},
        read=lambda options: seen.append(options) or native,
    )

    spec_cls = type("WideEnvSpec", (EnvSpec,), {"env_type": env_type})
    config = spec_cls.gen_config(width=5.0, height=20)
    assert (config.width, config.render_width, config.render_height) == (5.0, 0, 20)
    spec_cls(config)
    assert seen == [{"width": 5.0, "render_height": 20}]
    assert spec_cls(spec_cls.gen_config()).pictures.size == (1, 9)


@pytest.mark.parametrize("names", [("render_width", "render_height"), ("width", "height")])
def test_native_options_of_the_same_names(names):
    task_id = "testing/PixelCanvas-v0"
    own = envpool.make_spec(task_id)
    assert own.pictures.size == (16, 12)
    assert own.observation_space.shape == (12, 16, 3)
    assert own.known.describe()["render_width"] == "width of observed pictures"
    options = dict(zip(names, (7, 5), strict=True))
    pool = make_task(task_id, N, render_mode="rgb_array", camera_id=2, **options)
    obs, _ = pool.reset()
    assert obs.shape == (N, 5, 7, 3)
    assert_pictures(pool.render(pool.all_env_ids), obs)
    obs = pool.step(actions())[0]
    assert_pictures(pool.render(1), obs[1:2])
    assert (pool.render(1, camera_id=0) != obs[1:2]).any()


def test_spec():
    spec = envpool.make_spec("testing/Canvas-v0", render_mode="human", fps=12.6)
    assert spec.pictures.modes == ["human", "rgb_array"]
    assert spec.pictures.size == SIZE
    assert spec.pictures.metadata == {"render_modes": ["human", "rgb_array"], "render_fps": 13}
    assert envpool.make_spec("testing/PixelCanvas-v0").pictures.metadata == {
        "render_modes": ["human", "rgb_array"]
    }
    assert envpool.make_spec("testing/Counting-v0").pictures.metadata == {"render_modes": []}
    described = spec.known.describe()
    for name in ("mode", "env_id", "width", "height", "camera_id"):
        assert described[f"render_{name}"]


# --- misuse -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        (
            {"render_mode": "humna"},
            ValueError,
            "render_mode is 'humna', expected one of 'human', 'rgb_a",
        ),
        ({"render_mode": "rgb_array_list"}, ValueError, "render_mode is 'rgb_array_list'"),
        ({"render_mode": 3}, ValueError, "render_mode is 3"),
        ({"render_mode": np.array(["human", "human"])}, ValueError, "render_mode"),
        ({"render_env_id": N}, ValueError, "render_env_id is 4, expected 0 <= render_env_id <= 3"),
        ({"render_env_id": 1.0}, TypeError, "render_env_id is 1.0, expected an integer"),
        ({"render_width": -1}, ValueError, "render_width is -1"),
        ({"render_width": 16385}, ValueError, "render_width is 16385"),
        ({"render_width": "640"}, TypeError, "render_width is '640'"),
        ({"render_width": True}, TypeError, "render_width is True"),
        ({"width": -1}, ValueError, "render_width is -1"),
        ({"height": [480] * N}, TypeError, "render_height"),
        ({"render_camera_id": -2}, ValueError, "render_camera_id is -2"),
        ({"render_camera_id": "track"}, TypeError, "render_camera_id is 'track'"),
        ({"render_size": 3}, TypeError, "no option 'render_size'"),
    ],
)
def test_options_are_refused(options, error, match):
    refused(error, match, make, **options)


@pytest.mark.parametrize("mode", ["rgb_array", "human"])
@pytest.mark.parametrize("task_id", ["testing/Counting-v0", "testing/Structured-v0"])
def test_what_cannot_be_rendered(task_id, mode):
    match = f"render_mode is '{mode}', expected None: [A-Za-z]+ cannot be rendered"
    refused(ValueError, match, make_task, task_id, render_mode=mode)
    refused(ValueError, "render_mode is 'x', expected", make_task, task_id, render_mode="x")
    # Sizes do no harm.
    assert make_task(task_id, width=640).metadata["render_modes"] == []


@pytest.mark.parametrize(
    ("arguments", "error", "match"),
    [
        ((4,), ValueError, r"env_id\[0\] is 4, expected 0 <= env_id < num_envs = 4"),
        ((-1,), ValueError, "env_id"),
        (([0, 2, 0],), ValueError, "env_id 0 is repeated"),
        ((2**80,), TypeError, "env_id"),
        ((1.0,), TypeError, "env_id has dtype float64, expected integers"),
        (([True, False, True, False],), TypeError, "env_id has dtype bool"),
        (("0",), TypeError, "env_id"),
        (([[0], [1]],), ValueError, "env_id has shape"),
        (([None],), TypeError, "env_id"),
        ((0, 3), ValueError, "environment 0 was not rendered: camera_id is 3, expected -1 to 2"),
        ((0, -2), ValueError, "camera_id is -2, expected -1 <= camera_id"),
        ((0, 2**31), ValueError, "camera_id is 2147483648, expected"),
        ((0, 1.0), TypeError, "camera_id is 1.0, expected an integer"),
        ((0, "side"), TypeError, "camera_id is 'side'"),
    ],
)
def test_arguments_are_refused(arguments, error, match):
    pool = make()
    states, _ = pool.reset()
    refused(error, match, pool.render, *arguments)
    assert_pictures(pool.render(pool.all_env_ids), paint_all(states))
    pool.step(actions())


def test_a_camera_that_there_is_not_is_refused_when_it_draws():
    pool = make(render_camera_id=7)
    pool.reset()
    refused(ValueError, "camera_id is 7, expected -1 to 2", pool.render)
    pool.render(camera_id=1)


@pytest.mark.parametrize("env_type", FLAVOURS)
def test_no_render_mode(env_type):
    pool = make(env_type=env_type, render_mode=None)
    assert pool.render_mode is None
    refused(RuntimeError, "render_mode", pool.render)
    pool.reset()
    refused(RuntimeError, "render_mode", pool.render, [0])


def test_before_the_first_reset():
    pool = make()
    refused(RuntimeError, "environment 0 has no episode to render: reset it first", pool.render)
    pool.reset(np.array([1, 2]))
    refused(RuntimeError, "environment 3 has no episode", pool.render, [1, 3])
    assert pool.render([1, 2]).shape == (2, 24, 32, 3)


@pytest.mark.parametrize("error", ["runtime_error", "bad_alloc", "number"])
def test_an_environment_that_cannot_draw_itself(error):
    said = {
        "runtime_error": "failed on purpose in render",
        "bad_alloc": "std::bad_alloc",
        "number": "no std::exception",
    }[error]
    pool = make(render_error=["none", error, "none", error])
    states, _ = pool.reset()
    refused(RuntimeError, f"environment 1 was not rendered: .*{said}", pool.render, [0, 1, 2, 3])
    refused(RuntimeError, f"environment 3 was not rendered: .*{said}", pool.render, [3, 1])
    assert_pictures(pool.render([2, 0]), paint_all(states[[2, 0]]))
    assert pool.step(actions())[0][:, 1].tolist() == [1] * N


# --- with everything else going on ------------------------------------------------------------


@pytest.mark.parametrize("batch_size", [1, 2, 3])
def test_asynchronous_pools(batch_size):
    pool = make(6, batch_size=batch_size)
    pool.async_reset()
    seen = {}
    for _ in range(200):
        obs, *_, info = pool.recv()
        ids = info["env_id"]
        seen |= dict(zip(ids.tolist(), obs, strict=True))
        assert_pictures(pool.render(ids), paint_all(obs))
        others = np.setdiff1d(pool.all_env_ids, ids)
        refused(RuntimeError, "is already running: recv\\(\\) its result", pool.render, others[:1])
        pool.send(actions(batch_size), ids)
    assert len(seen) == 6


def start_slow_render(pool, ids):
    """A thread that has begun to render these environments."""

    def render():
        while True:
            try:
                return pool.render(ids)
            except RuntimeError as error:
                if "is being saved by another call" not in str(
                    error
                ):  # by what asks for its status
                    raise

    thread, results = in_thread(render)
    while True:  # its status tells
        try:
            pool.get_state([ids[0]])
        except RuntimeError as error:
            assert "is being rendered by another call" in str(error)
            return thread, results
        time.sleep(0.001)


def test_close_while_rendering():
    pool = make(20, render_ms=100, num_threads=2)
    pool.reset()
    thread, results = start_slow_render(pool, list(range(20)))
    start = time.monotonic()
    pool.close()
    assert time.monotonic() - start < 0.9  # all of them would take a second
    thread.join()
    assert isinstance(results[0], RuntimeError)
    assert str(results[0]) == "the pool was closed during render()"
    assert pool.render([0, 1]).shape == (2, 24, 32, 3)


def test_rendering_after_close():
    pool = make()
    states, _ = pool.reset()
    assert pool.step(actions())[-1]["releases"].tolist() == [0] * N
    pool.close()
    states, *_, info = pool.step(actions())
    assert info["releases"].tolist() == [1] * N
    pool.close()
    assert_pictures(pool.render([1, 2]), paint_all(states[[1, 2]]))
    assert pool.step(actions())[-1]["releases"].tolist() == [2] * N


def test_collection_while_rendering():
    pool = make(render_ms=200)
    pool.reset()
    thread, results = start_slow_render(pool, [0])
    del pool
    thread.join()
    assert results[0].shape == (1, 24, 32, 3)


CANVASES = """
pool = make("Canvas", 100, num_threads={threads}, render_mode="rgb_array", render_ms=50)
pool.reset()
"""


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 4])
def test_ctrl_c(threads):
    assert_runs(
        CANVASES.format(threads=threads)
        + """
assert_notices_ctrl_c(lambda: pool.render(pool.all_env_ids))
assert pool.render([0, 99]).shape == (2, 24, 32, 3)
assert pool.step(np.zeros(100, int))[0].shape == (100, 2)
pool.close()
""",
        attempts=3,
    )


# --- Gymnasium's own API ----------------------------------------------------------------------


@strict
@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_vector_env(mode):
    env = make_vec(autoreset_mode=mode, width=9, height=8)
    assert env.render_mode == "rgb_array"
    assert env.get_attr("render_mode") == ("rgb_array",) * N
    assert env.metadata["render_modes"] == ["human", "rgb_array"]
    assert env.metadata["render_fps"] == 25
    states, _ = env.reset()
    for _ in range(4):
        frames = env.render()
        assert isinstance(frames, tuple)
        assert len(frames) == N
        for frame, state in zip(frames, states, strict=True):
            assert_pictures(frame, paint(state, size=(9, 8)))
        states = env.step(actions())[0]
    env.close()
    refused(ClosedEnvironmentError, "render", env.render)


@strict
def test_vector_env_needs_a_reset():
    env = make_vec()
    refused(ResetNeeded, "reset", env.render)
    states, _ = env.reset()
    saved = env.get_state()
    other = make_vec()
    other.set_state(saved)
    assert_pictures(other.render()[2], paint(states[2]))


@strict
def test_single_env():
    env = make_one(width=9, height=8, camera_id=2)
    base = env.unwrapped
    assert (env.render_mode, base.render_mode) == ("rgb_array", "rgb_array")
    assert base.metadata == {"render_modes": ["human", "rgb_array"], "render_fps": 25}
    refused(ResetNeeded, "reset", env.render)
    refused(ResetNeeded, "reset", base.render)
    state, _ = env.reset()
    for _ in range(4):
        assert_pictures(env.render(), paint(state, camera=2, size=(9, 8)))
        state = env.step(0)[0]
    env.close()
    refused(ClosedEnvironmentError, "render", base.render)


@strict
@pytest.mark.filterwarnings("ignore:.*render")
def test_single_env_misuse():
    refused(ValueError, "render_mode is 'ansi'", make_one, render_mode="ansi")
    refused(TypeError, "render_env_id is an option of pools", make_one, render_env_id=0)
    refused(TypeError, "width is 1 and render_width is 2", make_one, width=1, render_width=2)
    env = make_one(render_mode=None)
    env.reset()
    assert env.unwrapped.render_mode is None
    refused(RuntimeError, "render_mode", env.unwrapped.render)


@strict
def test_wrappers_of_single_environments():
    from gymnasium import wrappers

    env = wrappers.AddRenderObservation(make_one(), render_only=True)
    assert env.observation_space.shape == (24, 32, 3)
    plain = make_one()
    state, _ = plain.reset(seed=1)
    obs, _ = env.reset(seed=1)
    for _ in range(3):
        np.testing.assert_array_equal(obs, paint(state))
        state, obs = plain.step(0)[0], env.step(0)[0]

    env = wrappers.RenderCollection(make_one())
    states = [env.reset()[0], *(env.step(0)[0] for _ in range(3))]
    np.testing.assert_array_equal(np.stack(env.render()), paint_all(states))


class Clip:
    """Stands for moviepy's ImageSequenceClip; keeps the pictures."""

    made: list = []  # noqa: RUF012

    def __init__(self, frames, fps):
        self.frames, self.fps = frames, fps
        Clip.made.append(self)

    def write_videofile(self, path, logger):
        self.path = path


@strict
@pytest.mark.parametrize("make_env", [make_one, make_vec])
def test_record_video(make_env, tmp_path, monkeypatch):
    clips = pytest.importorskip("moviepy.video.io.ImageSequenceClip", reason="needs moviepy")
    monkeypatch.setattr(clips, "ImageSequenceClip", Clip)
    Clip.made.clear()
    wrappers = gymnasium.wrappers if make_env is make_one else gymnasium.wrappers.vector
    env = wrappers.RecordVideo(make_env(), str(tmp_path / "videos"), episode_trigger=lambda _: True)
    states = [env.reset()[0]]
    for _ in range(5):
        action = 0 if make_env is make_one else actions()
        states.append(env.step(action)[0])
    env.close()
    clip = Clip.made[0]
    assert clip.fps == 25
    assert len(clip.frames) == len(states)
    for frame, state in zip(clip.frames, states, strict=True):
        if make_env is make_one:
            np.testing.assert_array_equal(frame, paint(state))
        else:  # two by two
            rows = [np.hstack([paint(state[i]), paint(state[i + 1])]) for i in (0, 2)]
            np.testing.assert_array_equal(frame, np.vstack(rows))


@strict
@pytest.mark.parametrize("make_env", [make_one, make_vec])
def test_human_rendering(make_env, monkeypatch):
    pygame = pytest.importorskip("pygame")
    if make_env is make_vec:
        pytest.importorskip("cv2")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    wrappers = gymnasium.wrappers if make_env is make_one else gymnasium.wrappers.vector
    env = wrappers.HumanRendering(make_env(render_mode="rgb_array"))
    state, _ = env.reset()
    if make_env is make_one:
        shown = pygame.surfarray.array3d(pygame.display.get_surface())
        np.testing.assert_array_equal(shown.transpose(1, 0, 2), paint(state))
    env.step(0 if make_env is make_one else actions())
    env.close()


# --- drawers of other people ------------------------------------------------------------------


class Goals:
    """Asks for what it is not told."""

    def __init__(self, options):
        pass

    def draw(self, scene):
        if not scene:
            raise ValueError("no scene")
        return scene["goalsx"]


@pytest.mark.parametrize(
    ("scene", "reason"),
    [
        (
            {"goals": np.zeros(2), "place": np.zeros(2)},
            "Goals raised KeyError: 'goalsx'",
        ),
        ({}, "Goals raised ValueError: no scene"),
    ],
)
def test_a_drawers_exception_is_told_with_its_type(scene, reason):
    with pytest.raises(RuntimeError) as caught:
        Painter(Goals).paint([3], [scene], [{}], SIZE, -1)
    assert str(caught.value) == f"environment 3 was not rendered: {reason}"
