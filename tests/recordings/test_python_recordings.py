"""Recordings of environments written in Python: in this process and in others."""

import contextlib
import itertools
import json
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from textwrap import dedent

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.vector.utils import batch_space

import envpool
from envpool.errors import ArgumentError
from envpool.flavours.recording_header import signed
from envpool.recordings.rollouts import roll_out
from envpool.spec.plain import from_plain, to_plain
from helpers import run_python
from python_envs import SPACES, Fuse, Guess, Tag, Walk
from recorded import Recorded

TASK = "replays/Walk-v0"
LOCAL = {"num_workers": 0}
FORKED = {"num_workers": 2, "start_method": "fork"}


@pytest.fixture(scope="module", autouse=True)
def _registered() -> Iterator[None]:
    envpool.register_python(TASK, Walk)
    yield
    del envpool.registration.registry.python_tasks[TASK]


class RecordedPython(Recorded):
    """The same for environments with any space of actions."""

    def actions(self, ids):
        space = batch_space(self.pool.action_space, len(ids))
        space.seed(int(self._taken.sum()))
        return space.sample()


@pytest.mark.slow
@pytest.mark.parametrize("workers", [LOCAL, FORKED], ids=["local", "forked"])
@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_synchronous(tmp_path, workers, mode):
    recorded = RecordedPython(
        tmp_path / "a",
        TASK,
        num_envs=3,
        seed=5,
        autoreset_mode=mode,
        max_episode_steps=7,
        **workers,
    )
    recorded.reset()
    for turn in range(24):
        if mode == "Disabled" and recorded._is_over.any():
            recorded.reset(np.flatnonzero(recorded._is_over))
        recorded.step([0, 2] if turn % 5 == 3 else None)
        if turn == 11:
            recorded.reset([1], seed=77, options={"start": 0.25})
        if turn == 17:
            recorded.reset([0, 1], options={"start": np.array([0.5, -0.5])})
    recording = recorded.check(at_least=6)
    assert set(recording.episodes["end"]) == {"terminated", "truncated"}
    assert {78, 5, 7} <= set(recording.episodes["seed"].tolist())


@pytest.mark.slow
@pytest.mark.parametrize("workers", [LOCAL, FORKED], ids=["local", "forked"])
def test_asynchronous(tmp_path, workers):
    recorded = RecordedPython(
        tmp_path / "a", TASK, num_envs=4, batch_size=2, max_episode_steps=7, **workers
    )
    pool = recorded.pool
    pool.async_reset(seed=[3, 1, 4, 1])
    for _ in range(60):
        results = pool.recv()
        recorded.note(results)
        ids = results[-1]["env_id"]
        pool.send(recorded.actions(ids), ids)
    recorded.check(at_least=4)


@pytest.mark.parametrize("actions", SPACES)
def test_spaces_of_actions(tmp_path, actions):
    recorded = RecordedPython(
        tmp_path / "a", TASK, num_envs=2, env_kwargs={"actions": actions}, **LOCAL
    )
    recorded.reset()
    for _ in range(15):
        recorded.step()
    recorded.check(at_least=2)


def play(pool, steps=20):
    """So many steps of the first action; failed environments are reset."""
    for _ in range(steps):
        try:
            pool.step(np.zeros((pool.num_envs, *pool.action_space.shape), int))
        except envpool.EnvironmentFailure as failure:
            pool.reset(np.array(failure.to_reset))


@contextmanager
def recorded_pool(folder, source=Walk, **options):
    options = {"num_envs": 2, "seed": 3, "record": folder} | LOCAL | options
    with envpool.make_python(source, **options) as pool:
        pool.reset()
        yield pool


def rollouts(recording):
    return [episode.rollout() for episode in recording]


def test_infos_and_pictures(tmp_path):
    with recorded_pool(tmp_path / "a", num_envs=1, record_episode_statistics=True) as pool:
        seen = [pool.step(np.ones(1, int))[-1] for _ in range(20)]
    first = envpool.replay(tmp_path / "a")[0].rollout(frames=True)
    assert first.frames.shape == (len(first) + 1, 4, 6, 3) and first.frames.any()
    far = np.array([info["far"][0] if "far" in info else 0 for info in seen[: len(first)]])
    assert first.infos["far"].tolist() == [0, *far] and far.any()
    assert first.infos["_far"].tolist() == [False, *(far > 0)]
    assert first.infos["begins"].tolist() == [True] + [False] * len(first)
    assert first.infos["episode"]["r"][-1] == np.float64(seen[len(first) - 1]["episode"]["r"][0])


@pytest.mark.slow
def test_players(tmp_path):
    random = np.random.default_rng(0)
    for name, options in (("a", LOCAL), ("b", FORKED)):
        returns, sums = [], np.zeros(3)
        with envpool.make_python(
            Tag, num_envs=3, seed=1, record=tmp_path / name, **options
        ) as pool:
            players = pool.reset()[1]["players"]
            for turn in range(40):
                goes_on = ~(players["terminated"] | players["truncated"])
                action = random.integers(0, 3, len(goes_on))
                # Those who are gone may be given one, too.
                _, reward, terminated, truncated, info = pool.step(
                    action if turn % 2 else action[goes_on]
                )
                players = info["players"]
                np.add.at(sums, players["env_id"], reward.astype(float))
                for env in np.flatnonzero(terminated | truncated):
                    returns.append(sums[env])
                    sums[env] = 0
        recording = envpool.replay(tmp_path / name)
        assert len(recording) > 5
        assert recording.episodes["return"] == pytest.approx(returns, abs=1e-5)
        for rollout, length in zip(rollouts(recording), recording.episodes["length"], strict=True):
            assert len(rollout) == length and len(rollout.rewards[0]) == 2


def test_failures_by_what_is_observed(tmp_path):
    (tmp_path / "fuse").touch()
    kwargs = {"path": str(tmp_path / "fuse"), "how": "shape"}
    with recorded_pool(tmp_path / "a", Fuse, env_kwargs=kwargs) as pool:
        play(pool, 8)
    for episode in envpool.replay(tmp_path / "a"):
        rollout = episode.rollout()
        assert (episode.end, episode.length, len(rollout)) == ("failed", 5, 4)
        assert "shape (3,)" in rollout.failure


def test_failures_are_found_again(tmp_path):
    fuse = tmp_path / "fuse"
    fuse.touch()
    kwargs = {"path": str(fuse), "how": "raise"}
    for name, options in (("a", LOCAL), ("b", FORKED)):
        with recorded_pool(tmp_path / name, Fuse, env_kwargs=kwargs, **options) as pool:
            play(pool, 8)
            with pytest.raises(envpool.EnvironmentFailure):
                pool.reset([1], options={"fail": True})
        recording = envpool.replay(tmp_path / name)
        assert recording.episodes["end"].tolist() == ["failed"] * 3
        assert recording.episodes["length"].tolist() == [4, 4, 0]
        for episode in recording:
            rollout = episode.rollout()
            why = "told to" if episode.length == 0 else "the fuse is there"
            assert rollout.failure == f"ValueError: {why}"
            assert len(rollout) == episode.length


@pytest.mark.slow
def test_workers_that_end(tmp_path):
    """What they were at has failed, and nothing after that is replayed of their environments."""
    folder = tmp_path / "a"
    options = {"num_envs": 4, "max_episode_steps": 9} | FORKED
    with recorded_pool(folder, env_kwargs={"limit": 1e9}, **options) as pool:
        play(pool, 12)
        os.kill(pool._pool._workers.processes[1].pid, signal.SIGKILL)
        play(pool, 12)
    recording = envpool.replay(folder)
    failed = recording.episodes[recording.episodes["end"] == "failed"]
    assert failed["env"].tolist() == [2, 3] and (failed["length"] <= 3).all()
    lost = (recording.episodes["env"] >= 2) & (recording.episodes["end_call"] > 10)
    assert lost.sum() >= 4
    for episode in recording:
        if lost[episode.episode]:
            with pytest.raises(RuntimeError, match=r"cannot be replayed: .*killed by SIGKILL"):
                episode.rollout()
        else:
            assert len(episode.rollout()) == episode.length
    assert len(recording.rollouts(itertools.compress(recording, ~lost))) == (~lost).sum()


@pytest.mark.parametrize("workers", [LOCAL, FORKED], ids=["local", "forked"])
def test_what_is_not_deterministic_is_found_out(tmp_path, workers):
    with recorded_pool(tmp_path / "a", Guess, **workers) as pool:
        play(pool)
    recording = envpool.replay(tmp_path / "a")
    with pytest.raises(RuntimeError, match=r"does not end as .*is not deterministic"):
        recording[0].rollout()
    for episode in recording:
        with pytest.raises(RuntimeError, match="is not deterministic"):
            episode.rollout()


def test_failures_that_were_none(tmp_path):
    """An environment that fails where it went on is no other than one that ends otherwise."""
    kwargs = {"path": str(tmp_path / "fuse"), "how": "raise"}
    with recorded_pool(tmp_path / "a", Fuse, env_kwargs=kwargs, max_episode_steps=7) as pool:
        play(pool)
    recording = envpool.replay(tmp_path / "a")
    assert len(rollouts(recording)) > 2
    (tmp_path / "fuse").touch()
    with pytest.raises(RuntimeError, match="failed, which it did not when it was recorded"):
        recording[0].rollout()


def test_nothing_is_run_twice_for_many_rollouts(tmp_path, monkeypatch):
    with recorded_pool(tmp_path / "a", max_episode_steps=5) as pool:
        play(pool, 40)
    recording = envpool.replay(tmp_path / "a")
    taken = []
    step = Walk.step
    monkeypatch.setattr(Walk, "step", lambda *a: taken.append(a) or step(*a))
    together = recording.rollouts()
    assert len(taken) <= 40 * recording.num_envs
    for rollout, episode in zip(together, recording, strict=True):
        alone, _ = roll_out(recording, episode.row)
        assert rollout.observations["place"].tobytes() == alone.observations["place"].tobytes()
    assert len(taken) > 100 * recording.num_envs


def test_options_and_seeds_are_those_of_each_environment(tmp_path):
    kwargs = [{"limit": 2.0}, {"limit": 5.0}]
    with recorded_pool(tmp_path / "a", env_kwargs=kwargs, seed=[8, 4]) as pool:
        play(pool, 40)
    recording = envpool.replay(tmp_path / "a")
    episodes = recording.episodes
    assert episodes["seed"].tolist() == np.where(episodes["env"] == 0, 8, 4).tolist()
    for episode, rollout in zip(recording, rollouts(recording), strict=True):
        last = abs(rollout.observations["place"][-1, 0])
        assert last > kwargs[episode.env]["limit"]


def test_reset_options(tmp_path):
    options = {"start": np.float32([1, -1]), "more": (1, "two", [None, 3.5]), "none": None}
    with recorded_pool(tmp_path / "a", max_episode_steps=3, num_envs=1) as pool:
        first = pool.reset(options=options)[0]["place"]
        play(pool, 4)
        pool.reset(options={"start": 0.0, "what": object()})
        play(pool, 4)
        pool.reset(seed=9)
        play(pool, 4)
    recording = envpool.replay(tmp_path / "a")
    assert recording[0].rollout().observations["place"][0].tobytes() == first.tobytes()
    with pytest.raises(RuntimeError, match="the options of its reset have a object"):
        recording[1].rollout()


def count_threads() -> int:
    """How many threads this process has, native ones included."""
    return len(list(Path("/proc/self/task").iterdir()))


@pytest.mark.parametrize("workers", [LOCAL, FORKED], ids=["local", "forked"])
def test_nothing_is_noted_once_it_is_closed(tmp_path, workers):
    pool = envpool.make_python(Walk, num_envs=2, record=tmp_path / "a", **workers)
    pool.reset()
    play(pool, 4)
    pool.close()
    written = (tmp_path / "a" / "chunks").read_bytes()
    threads = count_threads()
    with pytest.raises(RuntimeError, match="closed"):
        pool.call("reset")
    assert count_threads() <= threads  # none has begun, and an old one may be ending
    pool.close()
    assert (tmp_path / "a" / "chunks").read_bytes() == written


def test_a_forked_child_leaves_its_parents_recording_alone(tmp_path):
    pool = envpool.make_python(Walk, num_envs=2, record=tmp_path / "a", **LOCAL)
    child = os.fork()
    if child == 0:
        with contextlib.suppress(RuntimeError):
            pool.call("reset")
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    with pool:
        pool.reset()
        play(pool, 40)
    assert envpool.replay(tmp_path / "a")[0].rollout().rewards.size


@pytest.mark.parametrize("record", [True, False])
def test_the_exit_closes_environments_in_any_order(tmp_path, record):
    """Also if native pools, which JAX's programs may use, end first; and once more after that."""
    program = f"""
        import atexit, sys
        atexit.register(lambda: pool.close())
        sys.path.insert(0, {str(Path(__file__).parent)!r})
        import envpool
        from envpool.flavours import native
        from python_envs import Walk

        class Loud(Walk):
            def close(self):
                print("closed", flush=True)

        pool = envpool.make_python(
            Loud, num_envs=2, num_workers=0, record={str(tmp_path / "a") if record else None!r}
        )
        native.expect_programs()
        pool.reset()
    """
    done = run_python(dedent(program))
    assert (done.stdout, done.stderr) == ("closed\nclosed\n", "")
    if record:
        assert (tmp_path / "a" / "chunks").stat().st_size > 100


@pytest.mark.parametrize(
    "call",
    [
        lambda pool: pool.set_attr("limit", [2.0, 2.0]),
        lambda pool: pool.set_state(pool.get_state()),
        lambda pool: pool.call("observe"),
    ],
    ids=["set_attr", "set_state", "observe"],
)
def test_what_is_not_recorded_is_not_replayed(tmp_path, call, request):
    with recorded_pool(tmp_path / "a", max_episode_steps=5) as pool:
        play(pool, 7)
        pool.get_attr("limit"), pool.get_state(), pool._pool.call("render")
        count = len(envpool.replay(tmp_path / "a"))
        call(pool)
        play(pool, 7)
    recording = envpool.replay(tmp_path / "a")
    assert count <= 2 < len(recording)
    recording[0].rollout(), recording[1].rollout()
    with pytest.raises(RuntimeError, match=rf"{request.node.callspec.id}\(\) was called"):
        recording[-1].rollout()


def test_names(tmp_path):
    kwargs = {"num_envs": 2, "seed": 3}
    sources = {
        "gymnasium": "CartPole-v1",
        "module": "gymnasium:CartPole-v1",
        "class": Walk,
        "registered": TASK,
    }
    for name, source in sources.items():
        make = envpool.make if name == "registered" else envpool.make_python
        with make(source, "gymnasium", record=tmp_path / name, **kwargs, **LOCAL) as pool:
            pool.reset()
            play(pool)
        recording = envpool.replay(tmp_path / name)
        assert len(recording) == len(rollouts(recording)) > 0
        assert recording.spec.action_space == pool.action_space


def test_what_has_no_name(tmp_path):
    sources = [lambda: Walk(limit=2.0), lambda: Walk(limit=4.0)]
    with recorded_pool(tmp_path / "a", sources) as pool:
        play(pool)
    recording = envpool.replay(tmp_path / "a")
    assert len(recording) > 0  # which needs no environments
    for call in (recording[0].rollout, lambda: recording.spec):
        with pytest.raises(
            ArgumentError, match=r"not known here: import .*replay\(path, make=\.\.\."
        ):
            call()
    assert rollouts(envpool.replay(tmp_path / "a", make=sources))
    with pytest.raises(TypeError, match="source of environments is 5, expected a function"):
        envpool.replay(tmp_path / "a", make=5)
    with pytest.raises(ArgumentError, match="make has 1 functions, expected 2"):
        envpool.replay(tmp_path / "a", make=sources[:1])[0].rollout()
    with pytest.raises(RuntimeError, match="or is made otherwise here"):
        rollouts(envpool.replay(tmp_path / "a", make=sources[::-1]))


def test_a_native_task_needs_nothing_to_make_it(tmp_path):
    envpool.make_gymnasium("CartPole-v1", record=tmp_path / "a").close()
    with pytest.raises(ArgumentError, match="CartPole-v1 is a native task"):
        envpool.replay(tmp_path / "a", make=Walk)


def change_header(folder: Path, **changes):
    path = folder / "header.json"
    path.write_text(json.dumps(signed(json.loads(path.read_text()) | changes)))


def test_a_header_imports_and_calls_nothing(tmp_path, monkeypatch):
    with recorded_pool(tmp_path / "a") as pool:
        play(pool)
    (tmp_path / "imported_by_a_header.py").write_text("raise SystemExit('imported')")
    monkeypatch.syspath_prepend(tmp_path)
    for source in (
        {"class": "imported_by_a_header:Walk"},
        {"gymnasium": "imported_by_a_header:Walk-v0"},
        {"registered": "imported_by_a_header:Walk-v0"},
        {"class": "os:system"},
        {"class": "python_envs:total"},
        {"class": "subprocess:Popen"},
    ):
        change_header(tmp_path / "a", source=source)
        with pytest.raises(ArgumentError, match="which is not known here"):
            envpool.replay(tmp_path / "a")[0].rollout()
    assert "imported_by_a_header" not in sys.modules


def test_wrong_options(tmp_path):
    with recorded_pool(tmp_path / "a"):
        pass
    options = json.loads((tmp_path / "a" / "header.json").read_text())["options"]
    for name, value in (("num_envs", "many"), ("lenght", 5), ("seed", {"$array": ["O", 0, [1]]})):
        change_header(tmp_path / "a", options=options | {name: value})
        with pytest.raises(ArgumentError, match="has a wrong option: "):
            envpool.replay(tmp_path / "a")


class Talk(Walk):
    """Takes texts."""

    def __init__(self):
        super().__init__()
        self.action_space = spaces.Text(5)


class Broken(Walk):
    """Cannot be made."""

    def __init__(self):
        raise ValueError("told to")


def test_what_cannot_be_recorded(tmp_path):
    folder = tmp_path / "a"
    with pytest.raises(ArgumentError, match="a recording has only arrays: leave record out"):
        envpool.make_python(Talk, record=folder, **LOCAL)
    with pytest.raises(
        ArgumentError, match=r"env_kwargs cannot be kept by a recording \(a module\)"
    ):
        envpool.make_python(Walk, record=folder, env_kwargs={"limit": os}, **LOCAL)
    with pytest.raises(envpool.EnvironmentFailure):
        envpool.make_python(Broken, record=folder, **FORKED)
    assert not list(tmp_path.iterdir())
    folder.mkdir()
    with pytest.raises(ArgumentError, match="expected a folder that can be made: there is one"):
        envpool.make_python(Walk, record=folder, **LOCAL)


@pytest.mark.parametrize(
    "value",
    [
        None,
        [1, 2.5, "three", True, None, float("inf")],
        {"a": {"b": (1, (2, []))}},
        np.arange(6, dtype=np.int16).reshape(2, 3),
        [np.float32(0.1), np.bool_(True), np.int64(-(2**60))],
    ],
)
def test_plain_values(value):
    again = from_plain(json.loads(json.dumps(to_plain(value))))
    assert repr(again) == repr(value)


@pytest.mark.parametrize("value", [object(), {1: 2}, {"$tuple": []}, {1, 2}, [gymnasium]])
def test_values_that_are_not_plain(value):
    with pytest.raises(TypeError, match=r"^a \w+$"):
        to_plain(value)
