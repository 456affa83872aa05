"""A program's own windows, with their OpenGL, beside our pictures: on a real display, Xvfb's."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from ctypes.util import find_library

import pytest

from helpers import HANG_S, NO_MUJOCO, run_command, run_python
from opengl import FAST, find_backend

pytestmark = pytest.mark.skipif(not shutil.which("Xvfb"), reason="needs Xvfb")
needs_mujoco = pytest.mark.skipif(
    bool(NO_MUJOCO or find_backend()[1]), reason=NO_MUJOCO or find_backend()[1]
)


@pytest.fixture(scope="module")
def display() -> Iterator[str]:
    """The value of DISPLAY for an X server of the tests' own."""
    read, write = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", "800x600x24", "-nolisten", "tcp"],
        pass_fds=[write],
        stderr=subprocess.DEVNULL,
    )
    os.close(write)
    with os.fdopen(read) as pipe:
        number = pipe.readline().strip()  # as soon as it answers; empty if it has ended
    try:
        assert number, "Xvfb does not start"
        yield f":{number}"
    finally:
        server.terminate()
        server.wait(HANG_S)


# Quick pictures, because those are drawn where they are asked for. A step of one environment is,
# too, even the first, when no context has been made yet.
PICTURES = f"""
import ctypes, threading
import envpool

def make(**options):
    pool = envpool.make("InvertedPendulum-v5", "gymnasium", num_envs=1, num_threads=1, seed=1,
                        render_mode="rgb_array", render_width=8, render_height=8, **{FAST},
                        **options)
    return pool, pool.reset()[0].tobytes()

def draw():
    pool, observed = make(from_pixels=True)
    drawn = [pool.render().tobytes() for _ in range(4)]
    pool.close()
    assert len(set(drawn)) == 1
    return drawn[0], observed
"""

WINDOWS = {
    # SDL's acceleration leaves a context of its own current on the thread.
    "surface": "flags = 0",
    "OpenGL": "flags = pygame.OPENGL | pygame.DOUBLEBUF",
}

BESIDE_A_WINDOW = """
import pygame
{flags}
pygame.display.init()
surface = pygame.display.set_mode((60, 60), flags)
gl = ctypes.CDLL("libGL.so.1")
gl.glXGetCurrentContext.restype = ctypes.c_void_p
current = gl.glXGetCurrentContext()
assert current or not flags
red = (ctypes.c_float * 4)(1, 0, 0, 1)

def use():
    assert gl.glXGetCurrentContext() == current
    if flags:
        pixel = (ctypes.c_ubyte * 4)()
        gl.glClearColor(*map(ctypes.c_float, (1, 0, 0, 1)))
        gl.glClear(0x4000)
        gl.glReadPixels(0, 0, 1, 1, 0x1908, 0x1401, pixel)
        assert list(pixel) == [255, 0, 0, 255]
        assert gl.glGetError() == 0
    else:
        surface.fill("red")
    pygame.display.flip()

use()
drawn = [draw()]
use()
kept, _ = make()
kept.render()
use()
thread = threading.Thread(target=lambda: drawn.append(draw()))
thread.start()
thread.join()
drawn.append(draw())
use()
pygame.display.quit()
drawn.append(draw())
assert set(drawn) == {{draw()}}
kept.render()
print(drawn[0][0].hex())
"""


@pytest.fixture(scope="module")
def undisturbed() -> str:
    """The picture without a window."""
    done = run_python(PICTURES + "print(draw()[0].hex())", MUJOCO_GL=find_backend()[0])
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.slow
@needs_mujoco
@pytest.mark.skipif(not find_library("GL"), reason="needs libGL")
@pytest.mark.parametrize("kind", WINDOWS)
@pytest.mark.parametrize("backend", ["", "egl", "osmesa"])
@pytest.mark.one_in(6)
def test_pictures_beside_a_window(display, undisturbed, backend, kind):
    pytest.importorskip("pygame")
    if backend and not find_library({"egl": "EGL", "osmesa": "OSMesa"}[backend]):
        pytest.skip(f"needs {backend}")
    program = PICTURES + BESIDE_A_WINDOW.format(flags=WINDOWS[kind])
    done = run_python(program, DISPLAY=display, MUJOCO_GL=backend, PYGAME_HIDE_SUPPORT_PROMPT="1")
    assert (done.returncode, done.stderr) == (0, "")
    if backend in ("", find_backend()[0]):
        assert done.stdout == undisturbed


BESIDE_GYMNASIUM = """
import gymnasium
env = gymnasium.make("{task}", render_mode="{mode}")
env.reset(seed=1)
env.render()
drawn = set()
for _ in range(3):
    drawn.add(draw())
    env.step(env.action_space.sample())
    env.render()
assert len(drawn) == 1
env.close()
drawn.add(draw())
assert len(drawn) == 1
"""


@pytest.mark.slow
@needs_mujoco
@pytest.mark.parametrize(
    ("task", "mode"),
    [
        ("CartPole-v1", "human"),
        ("InvertedPendulum-v5", "human"),
        ("InvertedPendulum-v5", "rgb_array"),
    ],
)
@pytest.mark.one_in(2)
def test_pictures_beside_gymnasiums(display, task, mode):
    pytest.importorskip("pygame")
    pytest.importorskip("glfw")
    program = PICTURES + BESIDE_GYMNASIUM.format(task=task, mode=mode)
    done = run_python(program, DISPLAY=display, MUJOCO_GL=find_backend()[0])
    assert done.returncode == 0, done.stderr


PLAY = [sys.executable, "-m", "envpool", "play"]
SMALL = ["--option", "render_width=32", "--option", "render_height=32"]


@pytest.mark.slow
@needs_mujoco
def test_play_in_a_window(display):
    pytest.importorskip("pygame")
    arguments = ("InvertedPendulum-v5", "--policy", "random", "--max-steps", "4", *SMALL)
    done = run_command(*PLAY, *arguments, DISPLAY=display)
    assert (done.returncode, done.stderr) == (0, "")
    assert "episode 1: return" in done.stdout


# A shell ignores Ctrl-C for what it runs in the background, and children inherit that.
PLAY_WITH_CTRL_C = """
import signal
from envpool.cli import app
signal.signal(signal.SIGINT, signal.default_int_handler)
app(["play", "Pendulum-v1", "--policy", "random"])
"""


@pytest.mark.slow
def test_ctrl_c_ends_play(display):
    pytest.importorskip("pygame")
    with subprocess.Popen(
        [sys.executable, "-c", PLAY_WITH_CTRL_C],
        env=os.environ | {"DISPLAY": display, "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as game:
        assert game.stdout.readline() == "escape ends it\n"
        time.sleep(0.5)
        game.send_signal(signal.SIGINT)
        _, errors = game.communicate(timeout=HANG_S)
    assert game.returncode == 130
    assert "Traceback" not in errors


SHOW = """
import envpool
import envpool.families.testing.registration
pool = envpool.make_gymnasium("testing/Canvas-v0", render_mode="human")
pool.reset()
pool.render()
print("shown", flush=True)
while True:
    pool.render()
"""


@pytest.mark.slow
def test_sigterm_ends_a_process_with_a_window(display):
    """SDL would make an event of it."""
    pytest.importorskip("pygame")
    with subprocess.Popen(
        [sys.executable, "-c", SHOW], env=os.environ | {"DISPLAY": display}, stdout=subprocess.PIPE
    ) as process:
        while process.stdout.readline() != b"shown\n":
            assert process.poll() is None
        process.terminate()
        assert process.wait(HANG_S) == -signal.SIGTERM
