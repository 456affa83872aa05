"""Folders and files of recordings: whole ones, damaged ones, and those that end early."""

import copy
import gzip
import json
import os
import shutil
import sys
from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest

import envpool
import envpool.families.testing.registration
from envpool.errors import ArgumentError
from envpool.flavours.recording_header import signed
from envpool.flavours.strict import EnvPoolVectorEnv
from envpool.recordings.chunks import Event
from helpers import run_python

STEPS = 120


def record(folder, steps=STEPS, **options):
    """Records CartPole; returns how many episodes ended."""
    with envpool.make_gymnasium("CartPole-v1", num_envs=4, record=folder, **options) as pool:
        pool.reset()
        return sum(int(pool.step(np.ones(4, int))[2].sum()) for _ in range(steps))


def make_in_python(task_id, **options):
    return envpool.make_python(task_id, num_workers=0, **options)


def test_table(tmp_path):
    ended = record(tmp_path / "a", seed=9)
    recording = envpool.replay(tmp_path / "a")
    table = recording.episodes
    assert len(table) == len(recording) == ended > 20
    assert table["return"].tolist() == table["length"].tolist()
    assert (np.diff(table["end_call"]) >= 0).all() and (table["seed"] == 9 + table["env"]).all()
    steps = table["end_call"] - table["begin_call"]  # of which one begins an episode
    assert (steps == table["length"] + (table["begin_call"] > 0)).all()
    assert [episode.total for episode in recording.best(3)] == sorted(table["return"])[:-4:-1]
    assert str(recording[-1]).startswith(f"Episode {ended - 1} of environment ")
    assert recording[-1].length == table["length"][-1]
    with pytest.raises(IndexError, match=f"there is no episode {ended}: the recording has {ended}"):
        recording[ended]
    with pytest.raises(AttributeError, match="no 'lenght'"):
        _ = recording[0].lenght
    for number in ("x", 1.5, slice(2), True):
        with pytest.raises(TypeError, match=r"number is .*, expected an integer"):
            recording[number]
    with pytest.raises(ArgumentError, match="count is -1, expected 0 <= count"):
        recording.best(-1)
    with pytest.raises(TypeError, match=r"step is 1\.5, expected an integer"):
        recording[0].state(1.5)
    with pytest.raises(TypeError, match="path is 3, expected the folder of a recording"):
        envpool.replay(3)


def test_folders(tmp_path):
    record(tmp_path / "a")
    with pytest.raises(ArgumentError, match="expected a folder that can be made: there is one"):
        record(tmp_path / "a")
    with pytest.raises(ArgumentError, match="can be made: Not a directory"):
        record(tmp_path / "a" / "header.json" / "b")
    with pytest.raises(TypeError, match="record is 5, expected the path of a folder or None"):
        record(5)
    with pytest.raises(ArgumentError, match="is not a recording, expected a folder"):
        envpool.replay(tmp_path)
    with pytest.raises(ArgumentError, match=r"make the pool by envpool\.make"):
        spec = envpool.make_spec("CartPole-v1", record=tmp_path / "b")
        spec.id = None
        EnvPoolVectorEnv(spec)
    with pytest.raises(RuntimeError, match="constructor"):  # while the pool is made
        envpool.make_gymnasium("testing/Failing-v0", place="constructor", record=tmp_path / "c")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a"]


def test_a_header_that_cannot_be_written_leaves_nothing(tmp_path, monkeypatch):
    def write_text(path, text, encoding):
        path.write_bytes(text[:10].encode(encoding))
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", write_text)
    with pytest.raises(ArgumentError, match="can be made: No space left on device"):
        record(tmp_path / "a")
    assert not list(tmp_path.iterdir())


def change_header(folder, **changes):
    """Changes the header; what is None goes."""
    path = folder / "header.json"
    header = json.loads(path.read_text()) | changes
    path.write_text(
        json.dumps(signed({name: value for name, value in header.items() if value is not None}))
    )


@pytest.mark.parametrize("was", ['"seed": 41', "CartPole", '"numpy', "checksum"])
def test_a_damaged_header_is_refused(tmp_path, was):
    record(tmp_path / "a", seed=41)
    path = tmp_path / "a" / "header.json"
    text = path.read_text()
    assert was in text
    path.write_text(text.replace(was, was[:-1] + chr(ord(was[-1]) ^ 1), 1))
    with pytest.raises(ArgumentError, match=r"is damaged: header\.json has been changed since"):
        envpool.replay(tmp_path / "a")


def test_a_header_imports_nothing(tmp_path, monkeypatch):
    record(tmp_path / "a")
    (tmp_path / "imported_by_a_header.py").write_text("raise SystemExit('imported')")
    monkeypatch.syspath_prepend(tmp_path)
    change_header(tmp_path / "a", task="imported_by_a_header:CartPole-v1")
    with pytest.raises(ArgumentError, match="expected a task that can be recorded"):
        envpool.replay(tmp_path / "a")
    assert "imported_by_a_header" not in sys.modules


@pytest.mark.parametrize("header", ["5", "[]", "null", "{", "[" * 100_000, "\xff"])
def test_headers_that_are_none(tmp_path, header):
    record(tmp_path / "a")
    (tmp_path / "a" / "header.json").write_bytes(header.encode("latin1"))
    with pytest.raises(ArgumentError, match="is not a recording, expected a folder"):
        envpool.replay(tmp_path / "a")


def test_wrong_options_and_missing_chunks(tmp_path):
    record(tmp_path / "a")
    options = json.loads((tmp_path / "a" / "header.json").read_text())["options"]
    for name, value in (("num_envs", "many"), ("num_envs", 2**40), ("lenght", 5)):
        change_header(tmp_path / "a", options=options | {name: value})
        with pytest.raises(ArgumentError, match="has a wrong option: "):
            envpool.replay(tmp_path / "a")
    change_header(tmp_path / "a", options=options)
    (tmp_path / "a" / "chunks").unlink()
    with pytest.raises(ArgumentError, match="chunks cannot be read: No such file"):
        envpool.replay(tmp_path / "a")


@pytest.mark.parametrize("make", [envpool.make_gymnasium, envpool.make_dm, make_in_python])
def test_paths_that_no_system_has(tmp_path, make):
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    for record in ("a\0b", "\ud800", loop, loop / "a", "x" * 10_000):
        with pytest.raises(
            ArgumentError, match=r"record is .*, expected a folder that can be made"
        ):
            make("CartPole-v1", record=record)
        with pytest.raises(ArgumentError, match="is not a recording"):
            envpool.replay(record)


def test_a_path_that_is_no_utf8(tmp_path):
    folder = tmp_path / os.fsdecode(b"\xff")
    ended = record(folder)
    assert len(envpool.replay(folder)) == ended


def test_large_seeds_are_whole(tmp_path):
    record(tmp_path / "a", seed=2**60 + 1)
    episodes = envpool.replay(tmp_path / "a").episodes
    assert [int(row["seed"]) - 2**60 - 1 for row in episodes] == episodes["env"].tolist()


def test_a_copy_is_not_recorded(tmp_path):
    env = EnvPoolVectorEnv(envpool.make_spec("CartPole-v1", num_envs=2, record=tmp_path / "a"))
    env.reset()
    other = copy.deepcopy(env)
    assert other.config["record"] is None
    assert env.step(np.ones(2, int))[0].tobytes() == other.step(np.ones(2, int))[0].tobytes()


def test_other_formats_and_versions(tmp_path):
    record(tmp_path / "a")
    header = tmp_path / "a" / "header.json"
    text = json.loads(header.read_text())
    text["versions"]["numpy"] = "1.0"
    header.write_text(json.dumps(signed(text)))
    with pytest.warns(RuntimeWarning, match=r"was recorded with numpy 1\.0 \(here "):
        envpool.replay(tmp_path / "a")
    text["format"] = 1
    header.write_text(json.dumps(text))
    with pytest.raises(ArgumentError, match="is a recording of format 1, expected 4"):
        envpool.replay(tmp_path / "a")
    (tmp_path / "a" / "chunks").write_bytes(b"PK" * 100)
    text["format"] = 4
    header.write_text(json.dumps(signed(text)))
    with pytest.warns(RuntimeWarning), pytest.raises(ArgumentError, match="it begins with"):
        envpool.replay(tmp_path / "a")


@pytest.mark.filterwarnings("ignore:.*cannot be read:RuntimeWarning")
def test_damaged_files_are_read_up_to_the_damage(tmp_path):
    folder = tmp_path / "a"
    with envpool.make_gymnasium("CartPole-v1", num_envs=4, record=folder) as pool:
        pool.reset()
        for _ in range(4):
            for _ in range(30):
                pool.step(np.ones(4, int))
            pool.close()  # ends a chunk
    chunks = folder / "chunks"
    whole, episodes = chunks.read_bytes(), envpool.replay(folder).episodes
    parts = envpool.replay(folder).timeline.chunks
    ends = [(chunk.events["kind"] == Event.END).sum() for chunk in parts]
    assert len(ends) == 4 and sum(ends) == len(episodes)
    for cut in range(0, len(whole), 97):
        chunks.write_bytes(whole[:cut])
        found = envpool.replay(folder).episodes
        assert len(found) in np.cumsum([0, *ends])
        assert found.tobytes() == episodes[: len(found)].tobytes()
    for place in range(16, len(whole), 101):
        damaged = bytearray(whole)
        damaged[place] ^= 0x10
        chunks.write_bytes(damaged)
        with pytest.warns(
            RuntimeWarning, match=r"a: chunks cannot be read beyond its first \d+ bytes"
        ):
            found = envpool.replay(folder)
        assert len(found) < len(episodes)
        assert found.episodes.tobytes() == episodes[: len(found)].tobytes()
    chunks.write_bytes(whole[:5])
    with pytest.warns(RuntimeWarning, match="chunks cannot be read beyond its first 5 bytes"):
        assert len(envpool.replay(folder)) == 0
    chunks.write_bytes(whole[:-1])
    assert len(envpool.replay(folder)[0].rollout()) == episodes["length"][0]


def test_a_recording_that_gzip_has_compressed(tmp_path):
    ended = record(tmp_path / "a")
    chunks, packed = tmp_path / "a" / "chunks", tmp_path / "a" / "chunks.gz"
    whole = envpool.replay(tmp_path / "a").episodes
    packed.write_bytes(gzip.compress(chunks.read_bytes()))
    assert packed.stat().st_size < chunks.stat().st_size
    chunks.unlink()
    assert envpool.replay(tmp_path / "a").episodes.tobytes() == whole.tobytes()
    packed.write_bytes(packed.read_bytes()[:-100])
    with pytest.warns(RuntimeWarning, match="a: chunks cannot be read beyond"):
        assert len(envpool.replay(tmp_path / "a")) < ended


def test_versions_are_those_of_what_a_task_needs(tmp_path):
    record(tmp_path / "a")
    envpool.make_gymnasium("Pong-v5", record=tmp_path / "b").close()
    usual = {"python", "machine", "envpool-next", "numpy", "gymnasium"}
    assert {*envpool.replay(tmp_path / "a").versions} <= usual
    assert {*envpool.replay(tmp_path / "b").versions} - usual == {"ale-py"}


@pytest.mark.slow
def test_a_killed_process_loses_a_second_at_most(tmp_path):
    script = f"""
        import envpool, numpy as np, os, time
        pool = envpool.make_gymnasium("CartPole-v1", num_envs=4, record={str(tmp_path / "a")!r})
        pool.reset()
        for _ in range({STEPS}):
            pool.step(np.ones(4, int))
        time.sleep(1)
        os.kill(os.getpid(), 9)
    """
    assert run_python(dedent(script)).returncode == -9
    record(tmp_path / "b")
    killed, whole = envpool.replay(tmp_path / "a"), envpool.replay(tmp_path / "b")
    assert len(killed) == len(whole) > 0
    for name in set(killed.episodes.dtype.names) - {"time"}:
        assert killed.episodes[name].tolist() == whole.episodes[name].tolist()


def test_a_process_that_closes_nothing_loses_nothing(tmp_path):
    script = f"""
        import envpool, numpy as np
        pool = envpool.make_gymnasium("CartPole-v1", num_envs=4, record={str(tmp_path / "a")!r})
        pool.reset()
        for _ in range({STEPS}):
            pool.step(np.ones(4, int))
    """
    run_python(dedent(script))
    assert len(envpool.replay(tmp_path / "a")) == record(tmp_path / "b")


@pytest.mark.slow
def test_a_full_disk_ends_the_recording_only(tmp_path):
    script = f"""
        import resource, time, warnings
        import envpool, numpy as np
        resource.setrlimit(resource.RLIMIT_FSIZE, (30_000, 30_000))
        pool = envpool.make_gymnasium("Pendulum-v1", num_envs=4, record={str(tmp_path / "a")!r},
                                      max_episode_steps=50)
        pool.reset()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            while not caught:
                results = pool.step(np.random.default_rng(0).random((4, 1)))
                time.sleep(0.0005)
            for _ in range(100):
                pool.step(np.zeros((4, 1)))
            pool.close()
        print([str(warning.message) for warning in caught])
    """
    out = run_python(dedent(script)).stdout
    why = f"{tmp_path / 'a' / 'chunks'}: File too large"
    assert out.strip() == f"['the recording has ended, and the pool goes on: {why}']"
    recording = envpool.replay(tmp_path / "a")
    assert len(recording) > 0 and len(recording[-1].rollout()) == 50


def test_a_recording_that_goes_on_can_be_read(tmp_path):
    pool = envpool.make_gymnasium("CartPole-v1", num_envs=4, record=tmp_path / "a")
    assert len(envpool.replay(tmp_path / "a")) == 0
    pool.reset()
    for _ in range(STEPS):
        pool.step(np.ones(4, int))
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    pool.close()
    assert len(envpool.replay(tmp_path / "b")) <= len(envpool.replay(tmp_path / "a"))
