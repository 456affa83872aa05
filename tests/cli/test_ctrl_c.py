"""Ctrl-C in the command line: the exit status, no traceback, and no files that are cut off."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from envpool.films import files


def interrupt(*arguments, after, cwd=None):
    """The exit status and the standard error of a command that Ctrl-C ends."""
    process = subprocess.Popen(
        [sys.executable, "-m", "envpool", *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # Ctrl-C reaches all processes of a terminal
        cwd=cwd,
    )
    time.sleep(after)
    os.killpg(process.pid, signal.SIGINT)
    _, stderr = process.communicate(timeout=20)
    return process.returncode, stderr


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a.gif", "a.mp4"])
def test_a_film_that_is_cut_off_is_none(tmp_path, name):
    pytest.importorskip("imageio_ffmpeg")
    pytest.importorskip("pygame")
    arguments = ("film", "CartPole-v1", "--out", name, "--steps", "5000")
    assert interrupt(*arguments, after=3, cwd=tmp_path) == (130, "")
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_while_a_film_is_completed(tmp_path, monkeypatch):
    ffmpeg = pytest.importorskip("imageio_ffmpeg")

    def write_half(path, *_, **__):
        try:
            while True:
                yield
        finally:
            path.write_text("half of it")
            raise KeyboardInterrupt

    monkeypatch.setattr(ffmpeg, "write_frames", write_half)
    with pytest.raises(KeyboardInterrupt):
        files.write_film(tmp_path / "a.gif", None, {}, [np.zeros((8, 8, 3), np.uint8)])
    assert list(tmp_path.iterdir()) == []
