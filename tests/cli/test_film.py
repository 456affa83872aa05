"""``python -m envpool film``: files that others read."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

import envpool
import envpool.families.testing.registration
from envpool.cli.console import make_progress
from envpool.films.pictures import grid
from test_cli import assert_one_line, run

iio = pytest.importorskip("imageio.v3")
Image = pytest.importorskip("PIL.Image")
pytest.importorskip("imageio_ffmpeg")
pytest.importorskip("pygame")


def frames_of_gif(path, fps):
    """The pictures, of which each is shown for its time, up to 10 ms."""
    with Image.open(path) as image:
        assert image.info["loop"] == 0
        frames = []
        for index in range(image.n_frames):
            image.seek(index)
            assert abs(image.info["duration"] - 1000 / fps) < 10
            frames.append(np.array(image.convert("RGB")))
        return np.stack(frames)


def rollout(task, actions, num_envs=1, seed=0, **options):
    """A picture of each environment in each step."""
    pool = envpool.make_gymnasium(
        task, num_envs=num_envs, seed=seed, render_mode="rgb_array", **options
    )
    pool.reset()
    frames = [pool.render(pool.all_env_ids)]
    for action in actions:
        pool.step(np.full(num_envs, action))
        frames.append(pool.render(pool.all_env_ids))
    return np.stack(frames)


@pytest.fixture(autouse=True)
def _own_modules(monkeypatch):
    """Forgets the module of a policy after each test."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield
    sys.modules.pop("pushes", None)


@pytest.fixture
def pushes(scratch_directory):
    """A policy."""
    (scratch_directory / "pushes.py").write_text("def right(obs):\n    return [1] * len(obs)\n")
    return "pushes:right"


def test_gif(pushes, scratch_directory):
    arguments = ["--policy", pushes, "--steps", "6", "--seed", "4", "--out", "push.gif"]
    exit_code, output = run("film", "CartPole-v1", *arguments)
    assert exit_code == 0
    assert output == "push.gif: 7 pictures, 0.1 s at 50 per second; 0 episodes ended\n"
    frames = frames_of_gif(scratch_directory / "push.gif", 50)
    expected = rollout("CartPole-v1", [1] * 6, seed=4)[:, 0]
    assert frames.shape == expected.shape
    assert np.abs(frames.astype(int) - expected).max() <= 8  # it has only so many colours


def test_mp4(pushes, scratch_directory):
    arguments = ["--policy", pushes, "--steps", "6", "--out", "push.MP4", "--fps", "10"]
    exit_code, output = run("film", "CartPole-v1", *arguments)
    assert exit_code == 0
    assert output == "push.MP4: 7 pictures, 0.7 s at 10 per second; 0 episodes ended\n"
    path = scratch_directory / "push.MP4"
    frames = iio.imread(path, plugin="FFMPEG")
    meta = iio.immeta(path, plugin="FFMPEG")
    expected = rollout("CartPole-v1", [1] * 6)[:, 0]
    assert (meta["fps"], meta["codec"]) == (10.0, "h264")
    assert frames.shape == expected.shape
    assert np.abs(frames.astype(int) - expected).mean() < 3  # it is lossy


def test_odd_sizes_of_videos(scratch_directory):
    arguments = ["--out", "odd.mp4", "--steps", "2", "-o", "width=75", "-o", "height=51"]
    assert run("film", "CartPole-v1", *arguments)[0] == 0
    assert iio.imread(scratch_directory / "odd.mp4", plugin="FFMPEG").shape == (3, 52, 76, 3)


@pytest.mark.parametrize(
    ("count", "shape"),
    [(1, (1, 1)), (2, (1, 2)), (3, (2, 2)), (4, (2, 2)), (5, (2, 3)), (7, (3, 3)), (10, (3, 4))],
)
def test_grid(count, shape):
    frames = np.arange(count * 2 * 5 * 3, dtype=np.uint8).reshape(count, 2, 5, 3) + 100
    picture = grid(frames)
    assert picture.shape == (6 * shape[0] - 4, 9 * shape[1] - 4, 3)
    expected = np.full_like(picture, 96)
    for i in range(count):
        row, column = divmod(i, shape[1])
        expected[6 * row : 6 * row + 2, 9 * column : 9 * column + 5] = frames[i]
    np.testing.assert_array_equal(picture, expected)


def test_episodes(scratch_directory):
    options = ["-o", "max_episode_steps=5", "-o", "width=30", "-o", "height=20"]
    arguments = ["--out", "a.gif", "--episodes", "3", *options]
    _, output = run("film", "MountainCar-v0", *arguments)
    # Each episode has five steps, and a reset follows it.
    assert output == "a.gif: 18 pictures, 0.6 s at 30 per second; 3 episodes ended\n"
    _, output = run("film", "MountainCar-v0", *arguments, "--num-envs", "2")
    assert "12 pictures" in output
    _, output = run("film", "MountainCar-v0", *arguments, "--steps", "7")
    assert "8 pictures" in output


def test_the_seed_counts(scratch_directory):
    contents = []
    for seed in (1, 1, 2):
        arguments = ["--out", "a.gif", "--steps", "3", "--seed", f"{seed}"]
        run("film", "Acrobot-v1", *arguments)
        contents.append((scratch_directory / "a.gif").read_bytes())
    assert contents[0] == contents[1]
    assert contents[0] != contents[2]


def test_tasks_that_draw_themselves(scratch_directory):
    arguments = ["--out", "a.gif", "--steps", "4", "--num-envs", "2"]
    assert run("film", "testing/Canvas-v0", *arguments)[0] == 0
    assert frames_of_gif(scratch_directory / "a.gif", 25).shape == (5, 24, 68, 3)


def test_tasks_of_several_players(scratch_directory):
    """Their number changes with every step, and the episode ends after seven."""
    arguments = ["--out", "a.gif", "--steps", "9", "--num-envs", "2"]
    exit_code, output = run("film", "testing/Players-v0", *arguments)
    assert exit_code == 0
    assert "10 pictures, " in output
    frames = frames_of_gif(scratch_directory / "a.gif", 30)
    players = (frames[:, :, :4, 0] > 128).all(2).sum(1)
    assert players.tolist() == [1, 2, 3, 1, 2, 3, 1, 2, 1, 2]


def test_gifs_are_not_too_fast(scratch_directory):
    arguments = ["--out", "a.gif", "--steps", "2", "-o", "fps=125.0"]
    assert "at 50 per second" in run("film", "testing/Canvas-v0", *arguments)[1]


@pytest.mark.parametrize(
    ("arguments", "exit_code", "message"),
    [
        (["CartPol-v1", "--out", "a.gif"], 2, "there is no task 'CartPol-v1'; did you mean"),
        (["CartPole-v1", "--out", "a.avi"], 2, "'a.avi', expected a name that ends with .gif or"),
        (["CartPole-v1", "--out", "no/a.gif"], 2, "'no/a.gif', where no file can be written"),
        (["CartPole-v1", "--out", "a.gif", "--fps", "60"], 2, "fps is 60.0, expected 0.0015259 <="),
        (["CartPole-v1", "--out", "a.mp4", "--fps", "2e3"], 2, "expected 0.001 <= fps <= 1000 for"),
        (["CartPole-v1", "--out", "a.gif", "--fps", "1e-3"], 2, "expected 0.0015259 <= fps <= 50"),
        (
            ["CartPole-v1", "--out", "a.gif", "-o", "num_envs=2"],
            2,
            "multiple values for keyword argument 'num_envs'",
        ),
        (
            ["CartPole-v1", "--out", "a.gif", "-o", "render_mode=x"],
            2,
            "multiple values for keyword argument 'render_mode'",
        ),
        (["CartPole-v1", "--out", "a.gif", "--policy", "x"], 2, "--policy is 'x', expected random"),
        (["CartPole-v1", "--out", "a.gif", "-o", "camera_id=3"], 2, "camera_id is 3, expected -1"),
        (["testing/Counting-v0", "--out", "a.gif"], 2, "Counting cannot be rendered"),
    ],
)
def test_errors_are_one_line(scratch_directory, arguments, exit_code, message):
    assert_one_line(exit_code, message, "film", *arguments)
    assert list(scratch_directory.iterdir()) == []


@pytest.mark.parametrize("name", ["a.gif", "a.mp4"])
def test_where_nothing_can_be_written(scratch_directory, name):
    (scratch_directory / name).mkdir()
    code, output = run("film", "CartPole-v1", "--out", name)
    assert code == 2
    assert f"--out is '{name}', where no file can be written: [Errno 21] Is a dir" in output


@pytest.mark.parametrize("name", ["a.gif", "a.mp4"])
@pytest.mark.slow
def test_a_file_that_cannot_be_completed(scratch_directory, monkeypatch, name):
    for module in ("cli.film", "films.files"):
        monkeypatch.setattr(f"envpool.{module}.check_path", lambda path, name="": path)
    (scratch_directory / name).mkdir()
    code, output = run("film", "CartPole-v1", "--out", name, "--steps", "2")
    assert code == 1
    assert f"error: {name} cannot be written: " in output


@pytest.mark.parametrize(
    ("module", "options", "package"),
    [("PIL.Image", ["--title"], "pillow"), ("imageio_ffmpeg", [], "imageio-ffmpeg")],
)
def test_missing_libraries(scratch_directory, monkeypatch, module, options, package):
    monkeypatch.setitem(sys.modules, module, None)
    message = f'error: this needs {package}: pip install "envpool-next[render]" ('
    assert_one_line(1, message, "film", "testing/Canvas-v0", "--out", "a.gif", *options)


@pytest.mark.parametrize("is_notebook", [False, True])
def test_a_bar_is_for_real_terminals(monkeypatch, is_notebook):
    """The one that a notebook's kernel gives its commands keeps each state of a bar."""
    monkeypatch.setattr(sys, "stderr", SimpleNamespace(isatty=lambda: True))
    monkeypatch.delenv("JPY_PARENT_PID", raising=False)
    if is_notebook:
        monkeypatch.setenv("JPY_PARENT_PID", "1")
    assert make_progress().disable == is_notebook
