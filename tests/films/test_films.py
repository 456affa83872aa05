"""envpool.film: pools of Gymnasium's API, policies, and what a notebook shows."""

import functools
import gc
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

import envpool
import envpool.families.testing.registration
from envpool.films import filming
from envpool.films.filming import Stage, shoot
from envpool.films.pictures import grid, titled
from envpool.films.policies import policy_of

Image = pytest.importorskip("PIL.Image")
pytest.importorskip("imageio_ffmpeg")

TASK = "testing/Canvas-v0"  # of 24 x 32 pixels, whose episodes have 5 steps with reward 1
N = 3


class Paint(gymnasium.Env):
    observation_space = spaces.Dict({"a": spaces.Box(0, 99, (), np.float32)})
    action_space = spaces.Tuple([spaces.Discrete(2), spaces.Box(0, 1, (1,), np.float32)])
    metadata = {"render_modes": ["rgb_array"], "render_fps": 5}  # noqa: RUF012

    def __init__(self, render_mode="rgb_array"):
        self.render_mode = render_mode

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.taken = 0
        return {"a": np.float32(0)}, {}

    def step(self, action):
        self.taken += 1
        return {"a": np.float32(self.taken)}, 1.0, self.taken == 5, False, {}

    def render(self):
        return np.full((24, 32, 3), 20 * self.taken, np.uint8)


def make_gymnasium(**options):
    return envpool.make_gymnasium(TASK, num_envs=N, render_mode="rgb_array", **options)


def make_strict():
    task = "envpool/testing-Canvas-v0"
    return gymnasium.make_vec(task, num_envs=N, seed=42, render_mode="rgb_array")


def make_wrapped():
    return gymnasium.wrappers.vector.RecordEpisodeStatistics(make_gymnasium())


def pictures(pool, act=None, steps=4, **kwargs):
    stage = Stage(pool)
    shots = list(shoot(stage, act or policy_of(None, pool, 0), steps, None, **kwargs))
    assert len(shots) == steps + 1
    return np.stack(shots), stage


@pytest.mark.parametrize("make", [make_gymnasium, make_strict, make_wrapped])
def test_all_kinds_of_pools(make):
    with make_gymnasium() as pool:
        pool.reset()
        expected = [grid(pool.render(pool.all_env_ids))]
        for _ in range(4):
            pool.step(np.zeros(N, int))
            expected.append(grid(pool.render(pool.all_env_ids)))
    pool = make()
    for act in (None, lambda observation, info, over: np.zeros(N, int)):
        frames, stage = pictures(pool, act)
        if act is None:
            np.testing.assert_array_equal(frames, expected)
        assert stage.ended == 0
    pool.close()


@pytest.mark.parametrize(
    "make",
    [
        lambda: envpool.make_python(Paint, num_envs=N, num_workers=0, render_mode="rgb_array"),
        lambda: envpool.vector.SyncVectorEnv([Paint] * N),
    ],
)
def test_environments_written_in_python(make):
    pool = make()
    frames, stage = pictures(pool, steps=6)  # the sixth is the reset
    pool.close()
    assert frames[:, 0, 0, 0].tolist() == [0, 20, 40, 60, 80, 100, 0]
    assert (stage.ended, stage.metadata["render_fps"]) == (N, 5)


@pytest.mark.parametrize(
    ("mode", "steps"),
    [("NextStep", [0, 1, 2, 3, 4, 5, 0, 1]), ("SameStep", [0, 1, 2, 3, 4, 0, 1, 2])],
)
def test_titles(monkeypatch, mode, steps):
    """They tell of the picture's episode, which one of the other environments does not share."""
    told = []
    monkeypatch.setattr(
        filming, "titled", lambda picture, *title: told.append(title) or titled(picture, *title)
    )
    with make_gymnasium(autoreset_mode=mode) as pool:
        frames, _ = pictures(pool, steps=7, title=True)
    assert told == [(TASK, step, float(step)) for step in steps for _ in range(N)]
    assert (frames[1] != frames[2]).any()


def test_titles_of_several_players(monkeypatch):
    """The return is the sum of all players' rewards."""
    told = []
    monkeypatch.setattr(filming, "titled", lambda picture, *title: told.append(title) or picture)
    rewards = np.zeros((5, 2))
    options = {"num_envs": 2, "render_mode": "rgb_array"}
    with envpool.make_gymnasium("testing/Players-v0", **options) as pool:
        act = policy_of(None, pool, 0)
        observation, info = pool.reset()
        for step in range(1, 5):
            observation, reward, _, _, info = pool.step(act(observation, info, np.zeros(2, bool)))
            for env in range(2):
                rewards[step, env] = reward[info["players"]["env_id"] == env].sum()
        pictures(pool, title=True)
    assert rewards.std() > 0
    totals = [total for _, _, total in told]
    np.testing.assert_allclose(np.reshape(totals, (5, 2)), rewards.cumsum(0))


def test_titles_keep_the_picture():
    picture = np.arange(24 * 32 * 3, dtype=np.uint8).reshape(24, 32, 3)
    one, other = titled(picture, "A-v0", 1, 1.5), titled(picture, "A-v0", 2, -1.5)
    np.testing.assert_array_equal(one[-24:], picture)
    assert one.shape == other.shape and one.shape[1] == 32
    assert (one[:-24] != other[:-24]).any() and one[:-24].max() > 200


def test_tasks_and_policies(tmp_path):
    seen = []

    def act(observation, info):
        seen.append((observation.shape, info["elapsed_step"].shape))
        return np.zeros(len(observation), int)

    for policy in (None, lambda observation: [0, 0], act):
        film = envpool.film(
            TASK, policy, path=tmp_path / "a.gif", steps=3, num_envs=2, title=True, seed=5
        )
        assert (film.path, film.pictures, film.fps) == (tmp_path / "a.gif", 4, 25)
        assert repr(film) == f"{tmp_path}/a.gif: 4 pictures, 0.2 s at 25 per second"
        assert Path(film).read_bytes().startswith(b"GIF89a")
    assert seen == [((2, 2), (2,))] * 3
    film = envpool.film(TASK, path=f"{tmp_path}/a.gif", episodes=2, fps=10)
    assert (film.pictures, film.fps) == (12, 10)  # five steps, a reset and five more


def test_notebooks(tmp_path, monkeypatch):
    film = envpool.film(TASK, path=tmp_path / "<a>.gif", steps=1)
    shown = film._repr_html_()
    assert shown.startswith('<img src="data:image/gif;base64,R0lGODlh') and "&lt;a&gt;.gif" in shown
    monkeypatch.setattr("envpool.films.files._MOST_EMBEDDED", 10)
    assert "which is not shown here" in film._repr_html_() and "base64" not in film._repr_html_()


def test_temporary_films():
    film = envpool.film(TASK, steps=1)
    path = film.path
    assert path.suffix == ".mp4" and path.stat().st_size > 0
    assert film._repr_html_().startswith('<video src="data:video/mp4;base64,')
    del film
    gc.collect()
    assert not path.exists()


def test_a_policy_that_fails(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    calls = []

    def act(observation):
        calls.append(observation)
        return [{}["a"] if len(calls) == 3 else 0]

    place = r"\(.*test_films.py, line \d+\)$"
    with pytest.raises(RuntimeError, match=rf"failed at step 3: KeyError: 'a' {place}") as e:
        envpool.film(TASK, act)
    assert isinstance(e.value.__cause__, KeyError)
    assert list(tmp_path.iterdir()) == []
    calls.clear()
    with pytest.raises(RuntimeError, match="failed at step 3"):
        envpool.film(TASK, act, path=tmp_path / "a.gif")
    with Image.open(tmp_path / "a.gif") as image:
        assert image.n_frames == 3  # what there was until then


class Growing(gymnasium.Env):
    metadata = {"render_modes": ["rgb_array"], "render_fps": 30}  # noqa: RUF012
    observation_space = action_space = spaces.Discrete(2)
    render_mode = "rgb_array"

    def __init__(self, size):
        self.first = size

    def reset(self, *, seed=None, options=None):
        self.size = self.first
        return 0, {}

    def step(self, action):
        self.size += 2
        return 0, 0.0, False, False, {}

    def render(self):
        return np.zeros((self.size, self.size, 3), np.uint8)


@pytest.mark.parametrize("kind", ["gif", "mp4"])
@pytest.mark.parametrize(
    ("size", "message"),
    [
        (4, r"picture 1 of .* has the shape \(6, 6, 3\), expected \(4, 4, 3\) as those before"),
        (0, r"picture 0 of .* has the shape \(0, 0, 3\), expected rows and columns"),
    ],
)
def test_pictures_of_other_sizes(kind, size, message, tmp_path):
    pool = gymnasium.vector.SyncVectorEnv([functools.partial(Growing, size)])
    with pytest.raises(envpool.ArgumentError, match=message):
        envpool.film(pool, path=tmp_path / f"a.{kind}", steps=3)


def test_what_is_refused(tmp_path):
    out = {"path": tmp_path / "a.gif"}
    pool = make_gymnasium()
    for error, message, arguments, options in (
        (TypeError, "pool_or_task is 3, expected a pool of Gymnasium's API or", [3], {}),
        (envpool.UnknownTaskError, "no task 'Canvas-v7'", ["Canvas-v7"], {}),
        (TypeError, "policy is 'random', expected a function", [pool, "random"], {}),
        (TypeError, r"options \(num_envs\), and the pool is made already", [pool], {"num_envs": 2}),
        (TypeError, "path is 3, expected the name of a file", [pool], {"path": 3}),
        (ValueError, "where no file can be written: embedded null", [pool], {"path": "\0.gif"}),
        (ValueError, "expected a name that ends with .gif or .mp4", [pool], {"path": "a.avi"}),
        (ValueError, "fps is 60, expected .* <= 50 for .gif", [pool], {"fps": 60}),
        (ValueError, "fps is 'x', expected", [pool], {"fps": "x"}),
        (TypeError, "steps is 2.5, expected an integer", [pool], {"steps": 2.5}),
        (ValueError, "episodes is -1, expected 0 <= episodes <= ", [pool], {"episodes": -1}),
        (ValueError, "Counting cannot be rendered", ["testing/Counting-v0"], {}),
        (ValueError, "render_mode is None, expected 'rgb_array'", [TASK], {"render_mode": None}),
        (ValueError, "expected a synchronous pool", [TASK], {"num_envs": 2, "batch_size": 1}),
        (ValueError, "autoreset_mode is 'Disabled'", [TASK], {"autoreset_mode": "Disabled"}),
    ):
        with pytest.raises(error, match=message):
            envpool.film(*arguments, **(out | options))
    pool.close()
    assert list(tmp_path.iterdir()) == []
