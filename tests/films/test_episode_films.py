"""Films of recorded episodes, and what a notebook shows of episodes and recordings."""

import numpy as np
import pytest

import envpool
import envpool.families.testing.registration
from envpool.films import episodes as films
from envpool.recordings import episode as episodes

pytest.importorskip("PIL")
pytest.importorskip("imageio_ffmpeg")


def record(folder, task, **options):
    with envpool.make_gymnasium(task, num_envs=2, seed=1, record=folder, **options) as pool:
        pool.reset()
        for _ in range(14):
            pool.step(np.zeros(2, int))
    return envpool.replay(folder)


def test_save(tmp_path):
    episode = record(tmp_path / "a", "testing/Canvas-v0")[1]
    film = episode.save(tmp_path / "best.gif", fps=10, title=True)
    assert repr(film) == f"{tmp_path}/best.gif: 6 pictures, 0.6 s at 10 per second"
    assert episode.save().fps == 25  # the task's own
    frames = episode.rollout(frames=True).frames
    np.testing.assert_array_equal(np.stack(list(episode.pictures())), frames)
    with pytest.raises(ValueError, match=r"expected a name that ends with .gif or .mp4"):
        episode.save(tmp_path / "best.txt")


def test_titles(tmp_path, monkeypatch):
    told = []
    monkeypatch.setattr(episodes, "titled", lambda picture, *title: told.append(title) or picture)
    list(record(tmp_path / "a", "testing/Canvas-v0")[0].pictures(title=True))
    assert told == [("testing/Canvas-v0", step, float(step)) for step in range(6)]


def test_notebooks(tmp_path, monkeypatch):
    recording = record(tmp_path / "<a>", "testing/Canvas-v0")
    shown = recording[0]._repr_html_()
    assert "<td>testing/Canvas-v0</td>" in shown and "<td>terminated</td></tr></table><vid" in shown
    whole = recording._repr_html_()
    assert "&lt;a&gt;&#x27;): 4 episodes" in whole and whole.count("<tr>") == 1 + len(recording)
    monkeypatch.setattr(films, "_MOST_STEPS", 4)
    assert "films its 5 steps" in recording[0]._repr_html_()


def test_tasks_that_cannot_be_drawn(tmp_path):
    recording = record(tmp_path / "a", "testing/Counting-v0", max_episode_steps=5)
    assert "Not drawn: " in recording[0]._repr_html_()
    with pytest.raises(ValueError, match="cannot be rendered"):
        recording[0].save(tmp_path / "a.gif")
    assert not (tmp_path / "a.gif").exists()
