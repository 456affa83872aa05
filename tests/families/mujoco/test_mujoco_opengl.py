"""The OpenGL below MuJoCo's pictures: contexts, threads, and what happens where there is none."""

import gc
import sys
import threading
from ctypes.util import find_library
from pathlib import Path

import numpy as np
import pytest

from envpool.oracles.opengl import TINY_PICTURE
from helpers import assert_same_bytes, begun, in_threads, output_of, run_python
from helpers import make as make_task
from mujoco_oracle import MARKS, mujoco
from opengl import FAST, assert_same_picture, make_context

pytestmark = MARKS

TASK = "Reacher-v5"  # has no textures, whose first picture takes software half a second
N = 4
SMALL = FAST | {"render_mode": "rgb_array", "render_width": 32, "render_height": 24, "seed": 5}
needs_opengl = pytest.mark.usefixtures("opengl")


def make(num_envs=N, **options):
    return make_task(TASK, num_envs, **(SMALL | options))


# --- threads ------------------------------------------------------------------------------------


def expected_pictures(count, **options):
    """Of a reset and so many steps."""
    pool = begun(make(**options))
    pictures = [pool.render(pool.all_env_ids)]
    for _ in range(count):
        pool.step(np.full((N, 2), 0.3))
        pictures.append(pool.render(pool.all_env_ids))
    return pictures


@needs_opengl
@pytest.mark.long
def test_many_threads_draw_observe_and_close():
    """Parts of one pool, pools of other sizes, and some that give their renderers back."""
    sizes = (20, 48)
    by_size = {size: expected_pictures(5, num_threads=1, render_width=size) for size in sizes}
    drawn, observing, alone = make(8, num_threads=4), make(from_pixels=True, num_threads=3), make()
    closed = [make(2, num_threads=1) for _ in range(2)]
    for pool in (drawn, alone, *closed):
        pool.reset()
    expected, action = drawn.render(drawn.all_env_ids), np.full((N, 2), 0.3)
    done = threading.Event()

    def draw(ids):
        for _ in range(50):
            assert_same_bytes(drawn.render(ids), expected[ids])

    def play(size):
        for _ in range(2):
            pictures = expected_pictures(5, render_width=size, num_threads=2)
            assert_same_bytes(np.stack(pictures), np.stack(by_size[size]))

    def observe():
        try:
            obs, _ = observing.reset()
            for _ in range(40):
                pictures = np.moveaxis(alone.render(alone.all_env_ids), -1, 1)
                assert_same_bytes(obs, np.ascontiguousarray(pictures))
                obs = observing.step(action)[0]
                alone.step(action)
        finally:
            done.set()

    def close(pool):
        while not done.is_set():
            pool.close()
            assert_same_bytes(pool.render([0, 1]), expected[:2])

    bodies = [lambda ids=ids: draw(ids) for ids in ([0], [1, 2], [3, 4, 5], [7, 6])]
    bodies += [lambda size=size: play(size) for size in sizes]
    in_threads(*bodies, observe, *[lambda pool=pool: close(pool) for pool in closed])


@needs_opengl
def test_threads_that_come_and_go():
    pool = begun(make(num_threads=1))
    expected = pool.render(pool.all_env_ids)
    for _ in range(30):
        in_threads(lambda: assert_same_bytes(pool.render(pool.all_env_ids), expected))
    in_threads(pool.close)
    in_threads(lambda: assert_same_bytes(pool.render(pool.all_env_ids), expected))


# --- closing ------------------------------------------------------------------------------------


def resources():
    """How many files are open, and how many threads there are."""
    return tuple(len(list(Path(f"/proc/self/{what}").iterdir())) for what in ("fd", "task"))


DRAW_AND_CLOSE = """
import gc, os, sys
from pathlib import Path
import envpool

def draw_and_close():
    pool = envpool.make("Hopper-v5", "gymnasium", num_envs=2, num_threads=1, {options})
    pool.reset()
    pool.render([0, 1])
    pool.close()

def resident_bytes():
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

def resources():
    return [len(os.listdir(f"/proc/self/{what}")) for what in ("fd", "task")]

for _ in range(3):
    draw_and_close()
gc.collect()
before, memory = resources(), resident_bytes()
cycles = 8
for _ in range(cycles):
    draw_and_close()
gc.collect()
assert resources() == before
# A renderer takes tens of megabytes.
assert resident_bytes() - memory < cycles * 2_000_000, resident_bytes() - memory
"""


@pytest.mark.long
@needs_opengl
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("options", [{}, {"from_pixels": True}])
def test_nothing_is_left_of_closed_pools(options):
    """In a process of its own, where freed blocks go back to the system at once."""
    arguments = ", ".join(f"{name}={value!r}" for name, value in (SMALL | options).items())
    output_of(DRAW_AND_CLOSE.replace("{options}", arguments), MALLOC_MMAP_THRESHOLD_="65536")


@needs_opengl
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_nothing_is_left_of_pools_that_were_never_closed():
    def use():
        pool = make(2, num_threads=1, from_pixels=True)
        pool.reset()

    use()
    gc.collect()
    before = resources()
    for _ in range(2):
        use()
    gc.collect()
    assert resources() == before


EXITS = """
import os, threading
import numpy as np
{first}
import envpool, mujoco
from opengl import FAST, make_context

def make(**options):
    return envpool.make("Reacher-v5", "gymnasium", num_envs=2, num_threads=2, from_pixels=True,
                        render_mode="rgb_array", **FAST, **options)

def theirs():
    context = make_context()
    context.make_current()
    return context

{body}
"""


DRAWS_FOR_EVER = """
pool = make(); pool.reset()
def draw():
    while True:
        pool.render()
threading.excepthook = lambda _: None
threading.Thread(target=draw, daemon=True).start()
"""


@needs_opengl
@pytest.mark.parametrize(
    ("first", "body"),
    [
        ("", "pool = make(); pool.reset(); pool.render([0, 1])"),
        ("", "pool = make(); pool.async_reset()"),
        ("", "pool = make(); pool.reset(); pool.close(); pool.render()"),
        ("", DRAWS_FOR_EVER),
        # MuJoCo's package ends the display at exit, before or after our pools end.
        ("import envpool", "pool = make(); pool.reset(); kept = theirs(); pool.render([0, 1])"),
        ("import mujoco", "pool = make(); pool.reset(); kept = theirs(); pool.render([0, 1])"),
        ("import mujoco", "kept = theirs(); pool = make(); pool.reset()"),
        ("", "pool = make(); pool.reset(); theirs().free(); pool.step(np.zeros((2, 2)))"),
    ],
)
@pytest.mark.one_in(9)
def test_the_interpreters_exit(first, body):
    code = EXITS.format(first=first, body=body)
    tests = str(Path(__file__).parents[2])
    done = run_python(f"import sys\nsys.path.insert(0, {tests!r})\n{code}")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


# --- others who use OpenGL ----------------------------------------------------------------------

SCENE = """
<mujoco><worldbody><light pos='1 1 3'/><geom type='box' size='1 1 1' rgba='1 0 0 1'/>
<geom type='sphere' size='1' pos='0 0 1.5' rgba='0 1 0 1'/></worldbody></mujoco>
"""


class Theirs:
    """Somebody else's renderer: MuJoCo's own, whose context stays current on this thread."""

    def __init__(self, monkeypatch):
        monkeypatch.setattr("mujoco.rendering.classic.gl_context.GLContext", make_context)
        model = mujoco.MjModel.from_xml_string(SCENE)
        self.data = mujoco.MjData(model)
        mujoco.mj_forward(model, self.data)
        self.renderer = mujoco.Renderer(model, 24, 32)
        self.expected = self.draw()

    def draw(self):
        self.renderer.update_scene(self.data)
        return self.renderer.render()

    def assert_undisturbed(self):
        assert_same_picture(self.draw(), self.expected)


@needs_opengl
def test_a_context_of_the_users_own(monkeypatch):
    ours = begun(make())
    expected = ours.render(ours.all_env_ids)
    theirs = Theirs(monkeypatch)
    for _ in range(2):
        assert_same_bytes(ours.render(ours.all_env_ids), expected)
        theirs.assert_undisturbed()
        # They share this thread: a step of one environment runs on it.
        observing = begun(make(1, num_threads=1, from_pixels=True))
        theirs.assert_undisturbed()
        observing.close()
        theirs.assert_undisturbed()
        del observing
        gc.collect()
        theirs.assert_undisturbed()
        ours.close()
        theirs.assert_undisturbed()
    theirs.renderer.close()
    assert_same_bytes(ours.render(ours.all_env_ids), expected)


@needs_opengl
def test_the_current_context_stays_current(opengl):
    if opengl != "egl":
        pytest.skip("asks EGL")
    from mujoco.egl import egl_ext

    pool = begun(make(1, num_threads=1, from_pixels=True))
    pool.render()
    context = make_context()
    assert not egl_ext.eglGetCurrentContext()
    context.make_current()
    current = egl_ext.eglGetCurrentContext().address
    assert current
    for call in (pool.render, pool.reset, pool.close, pool.render):
        call()
        assert egl_ext.eglGetCurrentContext().address == current
    context.free()
    pool.render()
    assert not egl_ext.eglGetCurrentContext()


# --- OSMesa -------------------------------------------------------------------------------------

DRAW = """
import envpool, numpy as np
pictures = []
for quality in ({fast!r}, {{}}):
    pool = envpool.make("Ant-v5", "gymnasium", num_envs=2, num_threads=1, seed=5, from_pixels=True,
                        render_mode="rgb_array", render_width=64, render_height=48, **quality)
    pictures.append(pool.reset()[0])
    pictures.append(pool.render([0, 1], camera_id=0))
np.savez({path!r}, *pictures)
"""


@needs_opengl
@pytest.mark.long
def test_osmesa_draws_the_same(opengl, tmp_path):
    if opengl != "egl" or not find_library("OSMesa"):
        pytest.skip("needs EGL and libOSMesa")
    drawn = []
    for backend in ("egl", " OSMesa"):
        path = str(tmp_path / f"{backend}.npz")
        done = run_python(DRAW.format(fast=FAST, path=path), MUJOCO_GL=backend)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        drawn.append(np.load(path))
    # A graphics card draws edges and textures a little differently.
    tolerance = 0 if "llvmpipe" in name_of_driver() else 3
    for name in drawn[0]:
        egl, osmesa = (each[name].astype(int) for each in drawn)
        assert egl.min() < egl.max()
        assert np.abs(egl - osmesa).mean() <= tolerance


def name_of_driver():
    context = make_context()
    context.make_current()
    from OpenGL import GL

    name = GL.glGetString(GL.GL_RENDERER).decode()
    context.free()
    return name


# --- without OpenGL -----------------------------------------------------------------------------

WITHOUT = """
import numpy as np
import envpool

def message_of(call):
    try:
        call()
    except RuntimeError as error:
        return f"{type(error).__name__}: {error}"

plain = envpool.make("Hopper-v5", "gymnasium", num_envs=2, render_mode="rgb_array", seed=1)
other = envpool.make("Hopper-v5", "gymnasium", num_envs=2, seed=1)
pixels = envpool.make("Hopper-v5", "gymnasium", num_envs=2, from_pixels=True)
single = envpool.make("Hopper-v5", "gymnasium", num_envs=1, from_pixels=True)
for pool in (plain, other):
    pool.reset()
for _ in range(3):
    print(message_of(plain.render))
    action = np.ones((2, 3))
    np.testing.assert_array_equal(plain.step(action)[0], other.step(action)[0])
print(message_of(single.reset))
print(message_of(single.reset))
print(message_of(pixels.reset))
print(message_of(lambda: pixels.step(action)))
for pool in (plain, pixels, single):
    pool.close()
"""
INSTALL = (
    "To install it on Debian or Ubuntu: apt-get install libegl1 libgl1-mesa-dri (EGL), "
    "or libosmesa6 (OSMesa)."
)


def hide_libraries(folder):
    """A folder for LD_LIBRARY_PATH whose libraries of OpenGL are none."""
    for name in ("libEGL.so", "libEGL.so.1", "libOSMesa.so", "libOSMesa.so.6", "libOSMesa.so.8"):
        (folder / name).write_text("garbage")
    return {"LD_LIBRARY_PATH": str(folder)}


@pytest.mark.skipif(sys.platform != "linux", reason="hides libraries as Linux finds them")
@pytest.mark.parametrize(
    ("variables", "reasons", "hint"),
    [
        ({"MUJOCO_GL": ""}, ["  EGL: libEGL.so.1: ", "  OSMesa: libOSMesa.so.8: "], ""),
        ({"MUJOCO_GL": "off"}, ["  EGL: libEGL.so.1: ", "  OSMesa: libOSMesa.so.8: "], ""),
        (
            {"MUJOCO_GL": "egl"},
            ["  EGL: libEGL.so.1: "],
            " (The environment variable MUJOCO_GL=egl allows no other.)",
        ),
        (
            {"MUJOCO_GL": " OSMesa"},
            ["  OSMesa: libOSMesa.so.8: "],
            " (The environment variable MUJOCO_GL= OSMesa allows no other.)",
        ),
    ],
)
@pytest.mark.one_in(2)
def test_no_libraries(variables, reasons, hint, tmp_path):
    done = run_python(WITHOUT, **hide_libraries(tmp_path), **variables)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.replace(f"{tmp_path}/", "").splitlines()
    size = 2 + len(reasons)
    # Every time the same: it could have been installed meanwhile.
    for start in range(0, 5 * size, size):
        first, *tried, advice = lines[start : start + size]
        assert first.endswith("MuJoCo can't draw: there is no offscreen OpenGL.")
        for reason, said in zip(reasons, tried, strict=True):
            assert said.startswith(reason)
        assert advice.startswith(INSTALL + hint)
    assert lines[0].startswith("RuntimeError: environment 0 was not rendered: MuJoCo can't")
    alone = "EnvironmentFailure: environment 0: MuJoCo can't"
    assert [lines[i * size].startswith(alone) for i in (3, 4)] == [True, True]
    both = "\n".join(lines[5 * size :])
    assert both.count(INSTALL) == 2
    assert both.startswith("EnvironmentFailure: environment ")
    for env_id in (0, 1):  # as they finish
        assert f" environment {env_id}: MuJoCo can't" in both
    assert lines[-1] == "RuntimeError: environment 0 has failed: reset it first"


@needs_opengl
@pytest.mark.parametrize(
    ("variables", "reason"),
    [
        ({"__EGL_VENDOR_LIBRARY_DIRS": "/nowhere"}, "EGL: no display, so no driver is installed"),
        ({"MUJOCO_EGL_DEVICE_ID": "99"}, "EGL: no device is MUJOCO_EGL_DEVICE_ID=99"),
        ({"MUJOCO_EGL_DEVICE_ID": "gpu"}, "EGL: no device is MUJOCO_EGL_DEVICE_ID=gpu"),
    ],
)
@pytest.mark.one_in(3)
def test_egl_without_a_display(opengl, variables, reason):
    if opengl != "egl":
        pytest.skip("needs EGL")
    done = run_python(TINY_PICTURE, MUJOCO_GL="egl", **variables)
    assert done.returncode == 1
    assert "RuntimeError: environment 0 was not rendered: MuJoCo can't draw" in done.stderr
    assert f"  {reason}\n" in done.stderr
    assert INSTALL in done.stderr


@needs_opengl
@pytest.mark.slow
@pytest.mark.parametrize(
    "variables",
    [
        {"MUJOCO_GL": "egl", "MUJOCO_EGL_DEVICE_ID": "0"},
        # Those of windows, and MuJoCo's other values, leave the choice to us.
        {"MUJOCO_GL": ""},
        {"MUJOCO_GL": "glfw"},
    ],
)
def test_the_first_device_and_values_that_mean_nothing_here(opengl, variables):
    if opengl != "egl" and variables["MUJOCO_GL"] == "egl":
        pytest.skip("needs EGL")
    done = run_python(TINY_PICTURE, **variables)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
