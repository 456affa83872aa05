"""How Procgen's engine comes to a machine, and what is said where it is not, or is damaged."""

import hashlib
import os
import shutil
import zipfile

import pytest
from typer.testing import CliRunner

import envpool
from envpool.cli import app
from envpool.families.procgen import engine
from helpers import LACKS, run_python

LIBRARY = "procgen/data/prebuilt/libenv.so"
PICTURE = "procgen/data/assets/misc_assets/ship.png"
LACK = LACKS["envpool.families.procgen"]
needs_engine = pytest.mark.skipif(bool(LACK), reason=LACK)


@pytest.fixture
def wheel(tmp_path, monkeypatch):
    """A small one, and envpool takes it for Procgen's."""
    files = {LIBRARY: b"library", PICTURE: b"picture", "procgen/env.py": b"not needed"}
    listed = "".join(
        f"{name},sha256={engine.digest_in_list(data)},{len(data)}\n" for name, data in files.items()
    )
    path = tmp_path / "procgen.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in (files | {engine.LIST: listed.encode()}).items():
            archive.writestr(name, data)
    monkeypatch.setattr(engine, "WHEEL_HASH", hashlib.sha256(path.read_bytes()).hexdigest())
    monkeypatch.setattr(engine, "LIST_HASH", hashlib.sha256(listed.encode()).hexdigest())
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv(engine.VARIABLE, raising=False)
    return path


def test_fetch_from_a_wheel(wheel, tmp_path):
    told = []
    folder = engine.fetch(wheel, lambda count, total: told.append((count, total)))
    assert folder == tmp_path / "cache/envpool/procgen-0.10.7"
    kept = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
    assert kept == sorted([LIBRARY, PICTURE, engine.LIST])
    assert told == [(1, 3), (2, 3), (3, 3)]
    assert engine.checked_folder() == folder
    assert sorted(folder.parent.iterdir()) == [folder]


def test_what_is_there_is_not_fetched_again(wheel):
    engine.fetch(wheel)
    wheel.unlink()
    engine.fetch(wheel)


def test_damaged_files_are_found_and_replaced(wheel):
    folder = engine.fetch(wheel)
    (folder / PICTURE).write_bytes(b"pictore")
    with pytest.raises(
        ImportError, match=r"ship\.png is not as in procgen==0\.10\.7.*fetch procgen"
    ):
        engine.checked_folder()
    engine.fetch(wheel)
    assert (folder / PICTURE).read_bytes() == b"picture"
    assert engine.checked_folder() == folder
    (folder / LIBRARY).unlink()
    engine.fetch(wheel)
    assert (folder / LIBRARY).exists()


@pytest.mark.parametrize("name", [PICTURE, engine.LIST])
@pytest.mark.parametrize("what", ["a pipe", "a device"])
def test_files_without_an_end_are_not_read(wheel, name, what):
    folder = engine.fetch(wheel)
    (folder / name).unlink()
    if what == "a pipe":
        os.mkfifo(folder / name)
    else:
        (folder / name).symlink_to("/dev/zero")
    with pytest.raises(ImportError, match=r"is not as in procgen==0\.10\.7"):
        engine.checked_folder()


def test_a_path_that_is_too_long(monkeypatch):
    monkeypatch.delenv(engine.VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/" + "x" * 5000)
    with pytest.raises(ImportError, match="needs Procgen's engine"):
        engine.require()


def test_a_folder_of_the_users_is_left_alone(wheel, tmp_path, monkeypatch):
    """It may be their home, or where an installed procgen is, whose list of files is another."""
    folder = tmp_path / "mine"
    monkeypatch.setenv(engine.VARIABLE, str(folder))
    folder.mkdir()
    assert engine.fetch(wheel) == folder
    (folder / PICTURE).write_bytes(b"pictore")
    (folder / "thesis.tex").write_text("mine")
    with pytest.raises(RuntimeError, match=r"ENVPOOL_PROCGEN names .*mine, which has other files"):
        engine.fetch(wheel)
    assert (folder / "thesis.tex").read_text() == "mine"


def test_another_wheel(wheel, tmp_path):
    other = tmp_path / "other.whl"
    other.write_bytes(wheel.read_bytes() + b"\0")
    with pytest.raises(RuntimeError, match=r"other\.whl is not the wheel of procgen==0.10.7"):
        engine.fetch(other)
    assert not list((tmp_path / "cache/envpool").iterdir())


def test_without_pip(wheel, monkeypatch):
    monkeypatch.setattr(engine.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match="pip install pip, or, with uv"):
        engine.fetch()


def test_another_system(wheel, monkeypatch):
    monkeypatch.setattr(engine.platform, "machine", lambda: "aarch64")
    with pytest.raises(ImportError, match=r"for Linux on x86_64 only, and this is .* on aarch64"):
        engine.fetch(wheel)


def test_command(wheel):
    done = CliRunner().invoke(app, ["fetch", "procgen", "--from", str(wheel)])
    assert done.exit_code == 0, done.output
    assert "36 MB to download" in done.output
    assert "CC-BY 4.0" in done.output
    done = CliRunner().invoke(app, ["fetch", "doom"])
    assert done.exit_code == 2
    assert "'doom' is not" in done.output


@pytest.mark.slow
def test_without_the_engine():
    """Spaces are known; pools say what to do, and the doctor that somebody may not want it."""
    done = run_python(
        """
import envpool
from envpool.doctor import tasks
print(envpool.make_spec("CoinrunEasy-v0").observation_space.shape)
try:
    envpool.make("CoinrunEasy-v0")
except RuntimeError as error:
    print(error)
for finding in tasks.families():
    if finding.name == "procgen":
        print(finding.state, finding.command)
""",
        ENVPOOL_PROCGEN="/nowhere",
    )
    assert done.stdout.splitlines() == [
        "(3, 64, 64)",
        "the engine of Procgen's games is not there, in /nowhere: python -m envpool fetch procgen",
        "remark python -m envpool fetch procgen",
    ], done.stderr


@pytest.mark.slow
@needs_engine
def test_fetched_while_a_program_runs(tmp_path):
    """The same process can make pools then."""
    done = run_python(
        f"""
import shutil
import envpool
try:
    envpool.make("CoinrunEasy-v0")
except RuntimeError as error:
    assert "fetch procgen" in str(error)
shutil.copytree({str(engine.folder())!r}, {str(tmp_path / "there")!r})
envpool.make("CoinrunEasy-v0").reset()
print("made")
""",
        ENVPOOL_PROCGEN=str(tmp_path / "there"),
    )
    assert done.stdout == "made\n", done.stderr


@needs_engine
def test_a_picture_that_is_damaged(tmp_path, monkeypatch):
    """The engine would end the process."""
    folder = shutil.copytree(engine.folder(), tmp_path / "there")
    (folder / "procgen/data/assets/misc_assets").joinpath("ufoRed2.png").write_bytes(b"")
    monkeypatch.setenv(engine.VARIABLE, str(folder))
    with pytest.raises(ImportError, match=r"misc_assets/ufoRed2\.png is not as in procgen"):
        engine.checked_folder()


def test_tasks_are_envpools():
    known = [name for name in envpool.list_all_envs() if name.endswith("-v0")]
    assert {"BigfishEasy-v0", "MinerMemory-v0", "LeaperExtreme-v0", "NinjaExploration-v0"} <= {
        *known
    }
    spec = envpool.make_spec("BigfishHard-v0")
    assert spec.config.max_episode_steps == 6000
    assert spec.config.env_name == "bigfish"
    assert spec.config.distribution_mode == 1
    assert spec.action_space.n == 15
    assert [*spec.spaces.info_keys][-4:] == [
        "prev_level_seed", "prev_level_complete", "level_seed", "elapsed_step",
    ]  # fmt: skip
