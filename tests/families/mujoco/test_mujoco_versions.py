"""MuJoCo's versions compute different numbers: the one in use is named, and none are mixed."""

import json

import numpy as np
import pytest

import envpool
import mujoco_oracle
from envpool.families import dm_control
from envpool.families.mujoco import engine
from envpool.flavours.recording_header import signed
from helpers import NO_ROBOTICS, begun
from mujoco_oracle import mujoco
from robustness.forged_states import mend

pytestmark = mujoco_oracle.MARKS


@pytest.fixture
def pretend(tmp_path, monkeypatch):
    """Returns a function after which another version seems to be installed."""

    def install(version):
        (tmp_path / engine.file_of(version)).touch()
        monkeypatch.setattr(engine, "folder_of", lambda _: tmp_path)

    return install


def test_a_version_without_a_library_is_refused(pretend):
    pretend("4.1.0")
    with pytest.raises(ImportError) as caught:
        engine.load_engine()
    assert str(caught.value) == (
        "MuJoCo's tasks need mujoco==3.17.0 or 4.0.0, and 4.1.0 is installed: "
        'pip uninstall -y mujoco mujoco-core mujoco-studio; pip install "envpool-next[mujoco]"'
    )


def test_dm_controls_own_limit_is_told(pretend):
    pretend("4.0.0")
    with pytest.raises(ImportError) as caught:
        dm_control.load_settings()
    assert (
        "dm_control's tasks need mujoco==3.17.0, and 4.0.0 is installed, with which dm_control "
        f"{dm_control.VERSION} itself does not run: {engine.REMOVE}; pip install "
        in str(caught.value)
    )


def test_specs_say_which_it_is():
    assert envpool.make_spec("Ant-v5").engine == f"MuJoCo {mujoco.__version__}"
    assert envpool.make_spec("CartPole-v1").engine == ""


def test_what_an_older_installation_has_left_does_not_count(pretend):
    pretend("4.9.0")
    pretend(mujoco.__version__)
    assert engine.installed() == mujoco.__version__


def test_the_library_is_found_on_macos(pretend, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(engine.sys, "platform", "darwin")
        pretend("4.9.0")
        assert engine.installed() == "4.9.0"
    assert engine.installed() != "4.9.0"


def test_a_library_that_does_not_load_is_told(pretend):
    pretend(mujoco.__version__)  # an empty file
    with pytest.raises(ImportError, match=r"does not load: .*: pip uninstall -y mujoco"):
        engine.load_engine()


@pytest.mark.parametrize("task_id", ["Ant-v5", "AdroitHandDoor-v1"])
def test_states_say_which_it_is(task_id):
    """So they are refused by the other, before anything changes."""
    if NO_ROBOTICS and task_id.startswith("Adroit"):
        pytest.skip(NO_ROBOTICS)
    pool = begun(envpool.make_gymnasium(task_id, num_envs=1))
    before = pool.get_state()
    version = f" in MuJoCo {mujoco.__version__}".encode()
    assert before[0].count(version) == 1
    other = mend(bytes(before[0]).replace(version, version[:-1] + b"9"))
    with pytest.raises(ValueError, match=r"was saved with .* in MuJoCo [\d.]+9, expected "):
        pool.set_state([other])
    assert pool.get_state() == before


def test_recordings_of_another_version_are_refused(tmp_path):
    with envpool.make_gymnasium("Ant-v5", num_envs=1, record=tmp_path / "run") as pool:
        pool.reset()
        pool.step(np.zeros((1, 8)))
    assert envpool.replay(tmp_path / "run").task == "Ant-v5"
    header = tmp_path / "run" / "header.json"
    other = json.loads(header.read_text().replace(engine.installed(), "4.0.9"))
    header.write_text(json.dumps(signed(other)))
    with pytest.raises(ValueError, match=r"recorded with MuJoCo 4\.0\.9, and here is MuJoCo"):
        envpool.replay(tmp_path / "run")
