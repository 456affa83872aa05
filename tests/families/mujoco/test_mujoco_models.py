"""Environments of one configuration share a model, whoever makes, steps and closes them."""

import ctypes
import importlib.util
import os
import shutil
import struct
import subprocess
import threading
import warnings
from pathlib import Path

import gymnasium
import numpy as np
import pytest

import envpool
import mujoco_oracle
from envpool.families.mujoco import engine
from helpers import assert_same_bytes, begun, in_threads
from mujoco_oracle import ASSETS, DISABLED, MujocoPair, digest, make_ours, modified, name_of, within

pytestmark = mujoco_oracle.MARKS

THREADS = 6
OTHER_CONTENT = r"was saved with content of xml_file=\w+ in MuJ.*, expected c"
LIBC = ctypes.CDLL(None, use_errno=True)


class Opened:
    """Counts how often a file is opened, by anybody (inotify)."""

    def __init__(self, path):
        in_open = 0x20
        self._fd = LIBC.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self._fd < 0 or LIBC.inotify_add_watch(self._fd, os.fsencode(path), in_open) < 0:
            pytest.skip(f"needs inotify: {os.strerror(ctypes.get_errno())}")

    def count(self):
        """Since the last call."""
        header = struct.Struct("iIII")
        try:
            events = os.read(self._fd, 1 << 16)
        except BlockingIOError:
            return 0
        assert len(events) % header.size == 0  # the watch is on a file, so events have no names
        return len(events) // header.size

    def close(self):
        os.close(self._fd)


def edit(path, old, new):
    """Changes a file in place; to the same length, if the texts have it."""
    text = Path(path).read_text()
    assert text.count(old) == 1
    before = Path(path).stat().st_mtime_ns
    while Path(path).stat().st_mtime_ns == before:  # the file system's clock may be coarse
        Path(path).write_text(text.replace(old, new))


# --- one model for all --------------------------------------------------------------------------


def test_a_thousand_ants_share_a_model(tmp_path):
    """The file is read as often for 1,024 environments as for one, and not at all for more."""
    path = str(shutil.copy(ASSETS / "ant.xml", tmp_path))
    opened = Opened(path)
    single = envpool.make("Ant-v5", "gymnasium", num_envs=1, seed=5, xml_file=path)
    for_one = opened.count()
    assert 0 < for_one < 10
    options = {"num_threads": 2, "seed": 5, "xml_file": path}
    more = envpool.make("Ant-v5", "gymnasium", num_envs=3, **options)
    envpool.make_spec("Ant-v5", xml_file=path)
    assert opened.count() == 0
    del single, more

    pool = envpool.make("Ant-v5", "gymnasium", num_envs=1024, **options)
    assert opened.count() <= for_one
    few = envpool.make("Ant-v5", "gymnasium", num_envs=3, **options)
    actions = np.random.default_rng(0).uniform(-1, 1, (1024, 8))
    assert_same_bytes(pool.reset()[0][:3], few.reset()[0])
    results, expected = pool.step(actions), few.step(actions[:3])
    for ours, theirs in zip(results[:4], expected[:4], strict=True):
        assert_same_bytes(ours[:3], theirs)
    assert len(np.unique(results[0], axis=0)) == 1024
    assert opened.count() == 0
    opened.close()


def test_options_per_environment_share_a_model(tmp_path):
    path = str(shutil.copy(ASSETS / "hopper.xml", tmp_path))
    opened = Opened(path)
    make_ours("Hopper-v5", num_envs=1, xml_file=path).close()
    for_one = opened.count()
    env = make_ours("Hopper-v5", num_envs=200, xml_file=path, frame_skip=[1, 4] * 100)
    assert opened.count() <= for_one
    env.set_attr("healthy_reward", 2.0)
    assert opened.count() == 0
    opened.close()


def test_the_same_model_as_mujocos():
    """It is compiled by another process, and comes as bytes."""
    mujoco = mujoco_oracle.mujoco
    library = importlib.util.find_spec(engine.library_of(engine.GYM, "mujoco_gym")).origin
    command = str(Path(library).with_name(f"compile_model-{engine.installed()}"))
    libraries = {"LD_LIBRARY_PATH": str(Path(mujoco.__file__).parent)}
    for path in ASSETS.glob("*.xml"):
        ours = subprocess.run([command, path], capture_output=True, check=True, env=libraries)
        model = mujoco.MjModel.from_xml_path(str(path))
        theirs = np.empty(mujoco.mj_sizeModel(model), np.uint8)
        mujoco.mj_saveModel(model, None, theirs)
        assert ours.stdout == theirs.tobytes(), path


# --- files that change --------------------------------------------------------------------------


@pytest.mark.parametrize("task_id", ["Ant-v5", "Humanoid-v5", "Swimmer-v5"])
def test_a_deleted_model_goes_on(task_id, tmp_path):
    """Steps, resets and snapshots need no file; new environments do."""
    source = f"{name_of(task_id).lower()}.xml"
    path = str(shutil.copy(ASSETS / source, tmp_path))
    pair = MujocoPair(task_id, DISABLED, 8, xml_file=path)
    pool = envpool.make(task_id, "gymnasium", num_envs=2, seed=3, xml_file=path)
    expected = envpool.make(task_id, "gymnasium", num_envs=2, seed=3)
    single = gymnasium.make(f"envpool/{task_id}", xml_file=path)
    Path(path).unlink()
    pair.reset(seed=1)
    assert pair.play(20).truncated >= 3
    states = pair.ours.get_state()
    pair.play(3)
    pair.ours.set_state(states)
    assert pair.ours.get_state() == states
    # It makes environments anew.
    with pytest.raises(ValueError, match=r"No such file"):
        pair.ours.set_attr("frame_skip", 3)
    assert pair.ours.get_state() == states

    pool.async_reset()
    expected.async_reset()
    actions = np.zeros((2, *pool.action_space.shape))
    assert_same_bytes(pool.recv()[0], expected.recv()[0])
    assert_same_bytes(pool.step(actions)[0], expected.step(actions)[0])
    single.reset(seed=1)
    single.step(actions[0])
    for make in (envpool.make_spec, make_ours):
        with pytest.raises(ValueError, match=r"No such file"):
            make(task_id, xml_file=path)


def test_an_edited_model_is_a_new_one(tmp_path):
    """Who has the model keeps it, and who comes later gets what the file is by then."""
    # Of the same length, and back again.
    old, new = 'density="5.0"', 'density="9.0"'
    path = modified(tmp_path / "model.xml", "ant.xml")
    first = MujocoPair("Ant-v5", xml_file=path)
    before = list(digest(make_ours("Ant-v5", xml_file=path)))
    edit(path, old, new)
    second = MujocoPair("Ant-v5", xml_file=path)
    after = list(digest(make_ours("Ant-v5", xml_file=path)))
    assert before != after
    for pair in (first, second, first):
        pair.reset(seed=3)
        pair.play(5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        in_threads(*(lambda pair=pair: pair.play(20) for pair in (first, second)))

    edit(path, new, old)
    MujocoPair("Ant-v5", xml_file=path, seed=3).play(5)
    assert list(digest(make_ours("Ant-v5", xml_file=path))) == before
    second.play(5)  # still is what it was


def test_a_model_edited_to_another_shape(tmp_path):
    path = modified(tmp_path / "model.xml", "swimmer.xml")
    pool = envpool.make("Swimmer-v5", "gymnasium", num_envs=2, xml_file=path)
    edit(path, '<motor ctrllimited="true" ctrlrange="-1 1" gear="150.0" joint="motor1_rot"/>', "")
    other = envpool.make("Swimmer-v5", "gymnasium", num_envs=2, xml_file=path)
    assert (pool.action_space.shape, other.action_space.shape) == ((2,), (1,))
    pool.reset()
    other.reset()
    pool.step(np.zeros((2, 2)))
    other.step(np.zeros((2, 1)))


@pytest.mark.parametrize("more", ['<geom size=".1" pos="9 9 9"/>', '<site pos="0 0 1"/>', ""])
def test_states_of_an_edited_model(more, tmp_path):
    """Those of a model with more or fewer parts, whose observations look the same, are refused."""
    rock, end = '<geom size=".2" pos="8 8 8"/>', "</worldbody>"
    path = modified(tmp_path / "model.xml", "ant.xml", (end, f"{rock}{end}"))
    env, undisturbed = (begun(make_ours("Ant-v5", xml_file=path), seed=0) for _ in range(2))
    states = env.get_state()
    edit(path, rock, rock + more if more else "")
    with pytest.raises(ValueError, match=r"model\.xml: the state is of another model"):
        env.set_attr("healthy_reward", 2.0)
    assert env.get_state() == states
    other = make_ours("Ant-v5", xml_file=path)
    with pytest.raises(ValueError, match=OTHER_CONTENT):
        other.set_state(states)
    other.reset(seed=0)
    actions = np.zeros(env.action_space.shape, np.float32)
    assert_same_bytes(env.step(actions)[0], undisturbed.step(actions)[0])


@pytest.mark.parametrize(
    ("old", "new"), [('density="5.0"', 'density="6.0"'), ('timestep="0.01"', 'timestep="0.02"')]
)
def test_states_of_a_model_with_other_numbers(old, new, tmp_path):
    path, moved = (
        modified(tmp_path / name, "ant.xml", ("</worldbody>", "</worldbody>"))
        for name in ("model.xml", "moved.xml")
    )
    env = begun(make_ours("Ant-v5", xml_file=path), seed=0)
    states = env.get_state()
    make_ours("Ant-v5", xml_file=path).set_state(states)
    edit(path, old, new)
    with pytest.raises(ValueError, match=OTHER_CONTENT):
        make_ours("Ant-v5", xml_file=path).set_state(states)
    env.set_attr("xml_file", moved)  # the same content elsewhere: another option
    with pytest.raises(ValueError, match="was saved with xml_file="):
        env.set_state(states)


def test_a_model_that_is_replaced_by_a_broken_one(tmp_path):
    path = modified(tmp_path / "model.xml", "swimmer.xml")
    env, undisturbed = make_ours("Swimmer-v5", xml_file=path), make_ours("Swimmer-v5")
    Path(path).write_text("<mujoco><worldbody></mujoco>")
    for _ in range(2):
        with pytest.raises(ValueError, match=r"model\.xml"):
            make_ours("Swimmer-v5", xml_file=path)
    assert list(digest(env)) == list(digest(undisturbed))
    shutil.copy(ASSETS / "swimmer.xml", path)
    assert list(digest(make_ours("Swimmer-v5", xml_file=path))) == list(digest(undisturbed))


# --- threads of Python --------------------------------------------------------------------------


@pytest.mark.parametrize("task_id", ["Ant-v5", "HalfCheetah-v4", "Reacher-v2"])
@pytest.mark.one_in(3)
def test_pools_in_many_threads(task_id):
    """Each makes, steps and closes pools of the same model; the last one to close deletes it."""
    expected = list(digest(make_ours(task_id), 10))

    def body():
        for _ in range(8):
            env = make_ours(task_id)
            assert list(digest(env, 10)) == expected
            env.close()

    in_threads(*[body] * THREADS)


@pytest.mark.long
def test_different_models_in_many_threads(tmp_path):
    """Each thread has a model of its own, another task, or one that all others have, too."""
    ants = [
        modified(tmp_path / f"{i}.xml", "ant.xml", ('density="5.0"', f'density="{i + 6}.0"'))
        for i in range(3)
    ]
    cases = [("Ant-v5", {"xml_file": path}) for path in [*ants, "ant.xml"]]
    cases += [("Humanoid-v4", {}), ("HalfCheetah-v5", {"frame_skip": 2})]
    expected = [list(digest(make_ours(task_id, **options), 8)) for task_id, options in cases]
    assert len({tuple(each) for each in expected}) == len(cases)

    def body(start):
        for i in range(start, start + 2 * len(cases)):
            task_id, options = cases[i % len(cases)]
            assert list(digest(make_ours(task_id, **options), 8)) == expected[i % len(cases)]

    in_threads(*(lambda start=start: body(start) for start in range(THREADS)))


def test_errors_and_warnings_stay_in_their_threads(tmp_path, capfd):
    """The engine's messages belong to whose call it was, though others are calling it as well."""
    broken = tmp_path / "broken.xml"
    broken.write_text("<mujoco><worldbody></mujoco>")
    strong = modified(
        tmp_path / "strong.xml", "inverted_pendulum.xml", ('gear="100"', 'gear="1e12"')
    )
    expected = list(digest(make_ours("Ant-v5"), 10))
    warned = threading.Event()

    def refused():
        for _ in range(20):
            with pytest.raises(ValueError, match=r"broken\.xml.*XML"):
                make_ours("Ant-v5", xml_file=str(broken))

    def unstable():
        env = begun(make_ours("InvertedPendulum-v5", xml_file=strong), seed=0)
        rng = np.random.default_rng(0)
        for _ in range(40):
            env.step(within(env.action_space, None, rng))
        warned.set()

    def calm():
        for _ in range(8):
            assert list(digest(make_ours("Ant-v5"), 10)) == expected

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        in_threads(refused, unstable, calm, calm)
    assert warned.is_set()
    said = [str(warning.message) for warning in caught if warning.category is RuntimeWarning]
    assert said
    assert all("unstable" in text for text in said)
    assert capfd.readouterr() == ("", "")
    assert list(Path().glob("MUJOCO_LOG.TXT")) == []


@pytest.mark.long
def test_making_while_a_file_changes(tmp_path):
    """Every environment has one of the two models, and never a part of each."""
    path = tmp_path / "model.xml"
    texts = [
        (ASSETS / "ant.xml").read_text().replace('density="5.0"', f'density="{d}"')
        for d in ("5.0", "9.0")
    ]
    allowed = []
    for text in texts:
        path.write_text(text)
        allowed.append(list(digest(make_ours("Ant-v5", num_envs=1, xml_file=str(path)), 3)))
    done = threading.Event()

    def change():
        for i in range(1_000_000):
            if done.is_set():
                break
            other = tmp_path / "other.xml"
            other.write_text(texts[i % 2])
            other.replace(path)

    def make():
        try:
            for _ in range(40):
                assert (
                    list(digest(make_ours("Ant-v5", num_envs=1, xml_file=str(path)), 3)) in allowed
                )
        finally:
            done.set()

    in_threads(change, make)
