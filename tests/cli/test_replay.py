"""``python -m envpool replay``: lists, videos and pictures of recordings."""

import importlib
import json
import re
import shutil

import numpy as np
import pytest

import envpool
from envpool.flavours.recording_header import signed
from test_cli import run

iio = pytest.importorskip("imageio.v3")
pytest.importorskip("imageio_ffmpeg")
pytest.importorskip("pygame")


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    folder = tmp_path_factory.mktemp("recordings") / "a"
    with envpool.make_gymnasium("CartPole-v1", num_envs=3, seed=1, record=folder) as pool:
        pool.reset()
        for _ in range(60):
            pool.step(np.array([0, 1, 0]))
    return folder


def said(*arguments):
    """What a replay that succeeds prints."""
    code, output = run("replay", *map(str, arguments))
    assert code == 0, output
    return output


def test_list(recording):
    episodes = envpool.replay(recording).episodes
    lines = said(recording).splitlines()
    assert lines[0] == f"CartPole-v1, 3 environments: {len(episodes)} episodes"
    assert lines[1].startswith(f"returns: mean {episodes['return'].mean():.6g}, least ")
    last = [str(len(episodes) - 1), str(episodes["env"][-1]), f"{episodes['return'][-1]:.6g}"]
    assert [line for line in lines if "terminated" in line][-1].split()[:3] == last
    some = said(recording, "--env", 1, "--count", 2)
    rows = [line.split() for line in some.splitlines() if "terminated" in line]
    last_of_1 = episodes["return"][episodes["env"] == 1][-2:]
    assert [row[1] for row in rows] == ["1", "1"]
    assert [float(row[2]) for row in rows] == last_of_1.tolist()


@pytest.mark.slow
def test_videos(recording, tmp_path):
    recorded = envpool.replay(recording)
    for out, arguments, chosen in (
        ("a.gif", ["--best", 2], recorded.best(2)),
        ("b.mp4", ["--episode", 3, "--episode", 0], [recorded[3], recorded[0]]),
    ):
        output = said(recording, *arguments, "--out", tmp_path / out)
        pictures = sum(episode.length + 1 for episode in chosen)
        assert f"{pictures} pictures" in output and str(chosen[0]) in output
    without = iio.imread(tmp_path / "b.mp4")
    assert len(without) == pictures
    said(recording, "--episode", 3, "--episode", 0, "--title", "--out", tmp_path / "b.mp4")
    titled = iio.imread(tmp_path / "b.mp4")
    assert len(titled) == pictures and titled.shape[1] > without.shape[1]


def test_text_is_no_markup(recording, tmp_path):
    folder = tmp_path / "[bold]a"
    shutil.copytree(recording, folder)
    header = json.loads((folder / "header.json").read_text())
    header["versions"]["numpy"] = "[red]1[/]"
    (folder / "header.json").write_text(json.dumps(signed(header)))
    with pytest.warns(RuntimeWarning, match=re.escape("was recorded with numpy [red]1[/] (here ")):
        said(folder)
    code, output = run("replay", str(folder / "no"))
    assert code == 2 and str(folder) in output


def test_wrong_usage(recording, tmp_path):
    for arguments, message in (
        ([tmp_path], "is not a recording"),
        ([recording, "--best", 1, "--env", 0], "expected one of them"),
        ([recording, "--best", 0], "Invalid value for '--best'"),
        ([recording, "--episode", 1000], "there is no episode 1000"),
        ([recording, "--out", tmp_path / "a.txt"], "a name that ends with .gif or .mp4"),
        ([recording, "--env", 7, "--out", tmp_path / "a.gif"], "there is no episode in"),
    ):
        code, output = run("replay", *map(str, arguments))
        assert code == 2 and message in output, output


WALKS = """
import gymnasium, numpy as np
from gymnasium import spaces


class Walk(gymnasium.Env):
    observation_space = spaces.Box(-9, 9, (1,), np.float32)
    action_space = spaces.Discrete(2)
    metadata = {"render_modes": ["rgb_array"], "render_fps": 5}

    def __init__(self, render_mode=None):
        self.render_mode = render_mode

    def reset(self, *, seed=None, options=None):
        self.place = np.zeros(1, np.float32)
        return self.place, {}

    def step(self, action):
        self.place = self.place + action
        return self.place, 1.0, bool(self.place > 4), False, {}

    def render(self):
        return np.full((16, 16, 3), 20 * int(self.place[0]), np.uint8)
"""


def test_environments_written_in_python(tmp_path, monkeypatch):
    (tmp_path / "some_walks.py").write_text(WALKS)
    monkeypatch.syspath_prepend(tmp_path)
    walk = importlib.import_module("some_walks").Walk
    folder, out = tmp_path / "a", tmp_path / "a.gif"
    with envpool.make_python([walk] * 2, num_envs=2, num_workers=0, record=folder) as pool:
        pool.reset()
        for _ in range(12):
            pool.step(np.ones(2, int))
    assert "list, 2 environments: 4 episodes" in said(folder)
    code, output = run("replay", str(folder), "--best", "1", "--out", str(out))
    assert code == 2 and "is not known here" in output
    code, output = run("replay", str(folder), "--make", "no_such_module:Walk")
    assert code == 1 and "No module named 'no_such_module'" in output
    output = said(folder, "--best", 1, "--out", out, "--make", "some_walks:Walk")
    assert "6 pictures, 1.2 s at 5 per second" in output
    assert len(iio.imread(out)) == 6
