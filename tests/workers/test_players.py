"""Environments of several agents, PettingZoo's ParallelEnv, as environments with players."""

from __future__ import annotations

import functools
import importlib
import os
import re
import signal
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces

import envpool
from envpool.tasks.registry import registry
from envpool.vector import AsyncVectorEnv, SyncVectorEnv
from helpers import assert_identical
from parallel_envs import NAMES, Alone, ByHand, Fixed, Herd, Toolbox
from pools import FORKED, LOCAL, local_or_forked
from worker_envs import kill_itself


def made(source: Any = Herd, **options: Any) -> Any:
    return envpool.make_python(source, **options)


def who_goes_on(info: dict[str, Any]) -> np.ndarray:
    return ~(info["players"]["terminated"] | info["players"]["truncated"])


def assert_shows(results: tuple[Any, ...], hands: list[ByHand], ends: Any = None) -> None:
    """Do results, of any environments, have the rows that these have by hand?"""
    observation, *middle, info = results
    by_id = [hands[env_id] for env_id in info["env_id"]]
    rows = [row for hand in by_id for row in hand.rows]
    players = info["players"]
    owners = np.repeat(info["env_id"], [len(hand.rows) for hand in by_id])
    assert_identical(players["env_id"], owners)
    assert_identical(players["id"], np.array([row.id for row in rows], np.int32))
    assert_identical(observation, np.stack([row.observation for row in rows]))
    assert_identical(players["terminated"], np.array([row.terminated for row in rows]))
    assert_identical(players["truncated"], np.array([row.truncated for row in rows]))
    for key in {key for row in rows for key in row.info}:
        assert players[f"_{key}"].tolist() == [key in row.info for row in rows]
        given = [row.info[key] for row in rows if key in row.info]
        assert players[key][players[f"_{key}"]].tolist() == given
    if middle:
        reward, terminated, truncated = middle
        assert_identical(reward, np.array([row.reward for row in rows], np.float32))
        assert list(zip(terminated, truncated, strict=True)) == ends


def assert_follows(pool: Any, hands: list[ByHand], steps: int, of_rows: int = 2) -> int:
    """Steps all with random actions; returns how many episodes ended.

    Args:
        pool: A synchronous one.
        hands: The same environments.
        steps: How many.
        of_rows: In every so many steps, those who are gone are given actions, too.
    """
    random = np.random.default_rng(3)
    space = pool.action_space
    for hand in hands:
        hand.reset()
    results = pool.reset()
    assert_shows(results, hands)
    num_ended = 0
    for step in range(steps):
        goes_on = who_goes_on(results[-1])
        actions = np.stack([sampled(space, random) for _ in goes_on])
        own = [
            actions[np.flatnonzero(goes_on & (results[-1]["players"]["env_id"] == i))]
            for i in range(len(hands))
        ]
        ends = [hand.step(list(rows)) for hand, rows in zip(hands, own, strict=True)]
        results = pool.step(actions if step % of_rows == 0 else actions[goes_on])
        assert_shows(results, hands, ends)
        num_ended += sum(map(any, ends))
    return num_ended


def sampled(space: Any, random: np.random.Generator) -> Any:
    if isinstance(space, spaces.Discrete):
        return random.integers(space.n)
    return random.uniform(space.low, space.high).astype(space.dtype)


@local_or_forked
def test_rows_are_those_of_the_environments_themselves(way: dict[str, Any]) -> None:
    with made(num_envs=4, seed=7, **way) as pool:
        assert assert_follows(pool, [ByHand(Herd(), 7 + i) for i in range(4)], 150) > 10


def test_rows_of_batches_are_in_the_order_of_finishing() -> None:
    hands = [ByHand(Herd(), 7 + i) for i in range(6)]
    with made(num_envs=6, batch_size=2, seed=7, **FORKED) as pool:
        for hand in hands:
            hand.reset()
        pool.async_reset()
        for _ in range(3):
            assert_shows(pool.recv(reset=True), hands)
        pool.send(np.zeros(3 * len(hands), int))
        for _ in range(200):
            results = pool.recv()
            info = results[-1]
            batch = [hands[env_id] for env_id in info["env_id"]]
            ends = [hand.step([0] * len(hand.going_on)) for hand in batch]
            assert_shows(results, hands, ends)
            pool.send(np.zeros(who_goes_on(info).sum(), int), info["env_id"])


def test_the_interface_is_one_agents() -> None:
    with made(num_envs=2, **LOCAL) as pool:
        assert pool.observation_space == Herd().observation_space("ant")
        assert pool.action_space == spaces.Discrete(100)
        assert pool.config["max_num_players"] == len(NAMES)
        assert pool.spec.spaces.info_keys["players.id"] == "int32 ()"
        assert pool.spec.action_array_spec["players.action"].shape == (-1,)
        assert pool.get_attr("possible_agents") == (NAMES, NAMES)
        assert pool.call("observation_space", "bee")[0] == pool.observation_space
        pool.reset()
        pool.set_attr("first", [1, 2])
        assert pool.reset()[1]["players"]["env_id"].tolist() == [0, 1, 1]
        assert pool.render([1]).tolist() == np.zeros((1, 2, 2, 3)).tolist()


@local_or_forked
def test_spaces_of_several_arrays(way: dict[str, Any]) -> None:
    with made(functools.partial(Toolbox, first=2), num_envs=2, seed=1, **way) as pool:
        observation, info = pool.reset()
        assert observation["place"].shape == (4, 2)
        assert [part.shape for part in observation["mask"]] == [(4, 3), (4,)]
        action = {"say": np.arange(4), "move": np.full((4, 2), 0.5, np.float32)}
        ids = {"env_id": np.arange(2), "players": {"env_id": info["players"]["env_id"]}}
        with pytest.raises(ValueError, match=r"players.move has 3 rows, expected 4"):
            pool.step(action | {"move": action["move"][:3]})
        assert pool.step(action | ids)[1].tolist() == [1, 2, 3, 4]


# --- actions ----------------------------------------------------------------------------------


def test_actions_name_their_environments() -> None:
    with made(Fixed, num_envs=2, **LOCAL) as pool:
        pool.reset()
        action, owners = np.arange(8), np.repeat([1, 0], 4)
        for given in (
            {"action": action, "players.env_id": owners, "env_id": [1, 0]},
            {"players": {"action": action, "env_id": owners}, "env_id": [1, 0]},
            {"players.action": action, "players.env_id": owners, "env_id": [1, 0]},
        ):
            _, reward, *_, info = pool.step(given)
            assert reward.tolist() == list(range(8))
            assert info["players"]["env_id"].tolist() == owners.tolist()
        for call in (pool.step, pool.send):
            with pytest.raises(ValueError, match=r"players.env_id\[0\] is 1, expected 0"):
                call({"players": {"action": action, "env_id": owners}})
            with pytest.raises(ValueError, match=r"players.env_id has 5 entries, expected 8"):
                call({"players": {"action": action, "env_id": owners[:5]}, "env_id": [1, 0]})
            with pytest.raises(ValueError, match="unknown key 'acton'; did you mean 'action'"):
                call({"players": {"acton": action}})
        with pytest.raises(TypeError, match=r"players.env_id has dtype float64"):
            pool.step({"players": {"action": action, "env_id": owners * 1.0}, "env_id": [1, 0]})


def leaves(herd: Herd, observations: Any, rewards: Any, terminated: Any, *rest: Any) -> Any:
    herd.agents.remove("bee")
    return observations, rewards, terminated | {"bee": True}, *rest


def test_there_is_an_action_for_each_who_goes_on() -> None:
    with made(functools.partial(Fixed, step1=leaves), num_envs=2, **LOCAL) as pool:
        with pytest.raises(
            ValueError, match=r"players.action has 2 rows, expected 0, one per play"
        ):
            pool.step(np.zeros(2, int))
        pool.step(np.zeros(0, int))  # which is a reset
        pool.step(np.zeros(8, int))
        expected = "expected 6, one per player who is still there, or 8, one per row of results"
        with pytest.raises(ValueError, match=f"players.action has 7 rows, {expected}"):
            pool.step(np.zeros(7, int))
        with pytest.raises(ValueError, match=r"players.action\[5\] is 100, expected an integer"):
            pool.step(np.array([0, 0, 0, 0, 0, 100]))


# --- episodes ---------------------------------------------------------------------------------


def test_a_limit_truncates_all_who_are_left() -> None:
    with made(Fixed, num_envs=2, max_episode_steps=3, **LOCAL) as pool:
        pool.reset()
        for step in range(1, 4):
            _, _, terminated, truncated, info = pool.step(np.ones(8, int))
            assert truncated.tolist() == [step == 3] * 2 and not terminated.any()
            assert info["players"]["truncated"].tolist() == [step == 3] * 8
        _, reward, _, _, info = pool.step(np.zeros(0, int))
        assert info["elapsed_step"].tolist() == [0, 0] and reward.tolist() == [0] * 8


def test_statistics_add_up_all_rewards() -> None:
    with made(
        Fixed, num_envs=1, max_episode_steps=2, record_episode_statistics=True, **LOCAL
    ) as pool:
        pool.reset()
        pool.step(np.arange(4))
        info = pool.step(np.arange(4))[-1]
        assert info["episode"]["r"].tolist() == [12.0] and info["episode"]["l"].tolist() == [2]


def test_without_autoreset_an_episode_that_is_over_is_reset() -> None:
    with made(Fixed, num_envs=2, max_episode_steps=1, autoreset_mode="Disabled", **LOCAL) as pool:
        pool.reset()
        pool.step(np.zeros(8, int))
        with pytest.raises(RuntimeError, match="episode"):
            pool.step(np.zeros(0, int))
        assert pool.reset(np.array([1]))[1]["players"]["env_id"].tolist() == [1] * 4
        pool.step(np.zeros(4, int), np.array([1]))


@local_or_forked
def test_one_agent_is_a_player_as_well(way: dict[str, Any]) -> None:
    with made(Alone, num_envs=2, **way) as pool:
        assert pool.config["max_num_players"] == 1
        info = pool.reset()[1]
        rewards = []
        for step in range(8):
            action = np.full(who_goes_on(info).sum(), step)
            _, reward, terminated, _, info = pool.step(action)
            assert info["players"]["id"].tolist() == [0, 0]
            assert info["players"]["terminated"].tolist() == terminated.tolist()
            rewards.append(reward.tolist())
        assert rewards == [[r, r] for r in (0, 1, 2, 0, 4, 5, 6, 0)]


def test_who_leaves_without_a_reason_counts_as_terminated() -> None:
    def vanishes(herd: Herd, *returned: Any) -> Any:
        herd.agents = ["ant"]
        return returned

    with made(functools.partial(Fixed, step1=vanishes), num_envs=1, **LOCAL) as pool:
        pool.reset()
        info = pool.step(np.zeros(4, int))[-1]
        assert info["players"]["terminated"].tolist() == [False, True, True, True]


def test_dm_env_has_them_in_its_observation() -> None:
    with envpool.make_python(Fixed, "dm", num_envs=2, max_episode_steps=2, **LOCAL) as pool:
        step = pool.reset()
        assert step.observation.players.id.tolist() == [0, 1, 2, 3] * 2
        assert step.observation.players.env_id.tolist() == [0] * 4 + [1] * 4
        assert step.observation.obs.shape == (8, 2) and step.discount.shape == (8,)
        pool.step(np.zeros(8, int))
        step = pool.step(np.arange(8))
        assert step.step_type.tolist() == [2, 2] and step.reward.tolist() == list(range(8))
        assert step.observation.players.truncated.all()
        assert pool.observation_spec().players.terminated.dtype == bool
        assert pool.step(np.zeros(0, int)).step_type.tolist() == [0, 0]


# --- seeds, snapshots, names --------------------------------------------------------------------


def test_seeds_are_one_for_each_environment() -> None:
    with made(num_envs=3, seed=5, **LOCAL) as pool:
        for given, expected in ((None, [5, 6, 7]), (9, [9, 10, 11]), ([1, 4, 2], [1, 4, 2])):
            players = pool.reset(seed=given)[1]["players"]
            assert players["seed"].tolist() == np.repeat(expected, 3).tolist()
        assert "seed" not in pool.reset()[1]["players"]


@pytest.mark.parametrize("snapshots", ["own", "pickle"])
@local_or_forked
def test_the_same_follows_after_a_snapshot(way: dict[str, Any], snapshots: str) -> None:
    def roll_out(steps: int, info: dict[str, Any]) -> list[Any]:
        results = []
        for _ in range(steps):
            results.append(pool.step(np.ones(who_goes_on(info).sum(), int)))
            info = results[-1][-1]
        return results

    with made(num_envs=3, seed=2, max_episode_steps=5, snapshots=snapshots, **way) as pool:
        info = pool.reset()[1]
        for before in (2, 3, 1):
            info = roll_out(before, info)[-1][-1]
            states = pool.get_state()
            first = roll_out(12, info)
            pool.set_state(states)
            assert_identical(roll_out(12, info), first)
            info = first[-1][-1]


@local_or_forked
def test_who_was_gone_acts_again_in_an_earlier_state(way: dict[str, Any]) -> None:
    with made(functools.partial(Fixed, step1=leaves), num_envs=2, **way) as pool:
        pool.reset()
        states = pool.get_state()
        for _ in range(2):
            info = pool.step(np.arange(8))[-1]
            assert who_goes_on(info).sum() == 6
            pool.set_state(states)
        assert pool.step(np.arange(8))[1].tolist() == list(range(8))


def test_ids_and_specs() -> None:
    envpool.register_python("test/Herd-v0", Herd)
    try:
        spec = envpool.make_spec("test/Herd-v0")
        assert spec.config.max_num_players == 4 and spec.spaces.action_names == ["players.action"]
        with envpool.make("test/Herd-v0", "gymnasium", num_envs=2, **LOCAL) as pool:
            assert pool.spec.action_space == spec.action_space
            options = dict(zip(spec._config_keys, spec._config_values, strict=True))
        assert envpool.make_spec("test/Herd-v0", **options) == spec
    finally:
        del registry.python_tasks["test/Herd-v0"]


# --- what is refused ----------------------------------------------------------------------------


class Uneven(Herd):
    def observation_space(self, agent):
        return spaces.Discrete(3 if agent == "cow" else 2)


class Nameless(Herd):
    def __init__(self):
        super().__init__()
        del self.possible_agents


class Twins(Herd):
    def __init__(self):
        super().__init__()
        self.possible_agents = ["ant", "ant"]


class TurnByTurn(Herd):
    observe = None

    def agent_iter(self):
        return iter(self.agents)


class Writing(Herd):
    def observation_space(self, agent):
        return spaces.Text(5)


class Odd(Herd):
    def action_space(self, agent):
        return 5


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (Uneven, "observation_space is Discrete.2. of agent 'ant' and Discrete.3. of agent 'cow'"),
        (Nameless, "possible_agents of .* is None, expected a list of all agents"),
        (Twins, "possible_agents has an agent twice"),
        (TurnByTurn, "has no observe.., which an AECEnv has"),
        (Odd, "action_space.'ant'. is 5, expected a gymnasium.Space"),
    ],
)
def test_what_is_no_such_environment(source: Any, message: str) -> None:
    with pytest.raises(envpool.EnvironmentFailure, match=message):
        made(source, **LOCAL)


@pytest.mark.parametrize(
    ("source", "options", "message"),
    [
        (Herd, {"autoreset_mode": "SameStep"}, "'SameStep'.* only for environments of one player"),
        (Herd, {"max_num_players": 3}, "max_num_players is 3, expected 4"),
        (Writing, {}, "observation space has a part Text.*, which is not an array"),
        ([Herd, Alone], {}, "environment 1 has another possible_agents than environment 0"),
    ],
)
def test_what_does_not_go_together(source: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        made(source, **options, **LOCAL)


@pytest.mark.parametrize("kind", [AsyncVectorEnv, SyncVectorEnv])
def test_vector_environments_are_of_one_player(kind: Any) -> None:
    with pytest.raises(ValueError, match="vector environment has one player per environment"):
        kind([Herd, Herd])


# --- faults -------------------------------------------------------------------------------------


def lacks(what: int) -> Callable[..., Any]:
    def command(herd: Herd, *returned: Any) -> Any:
        del returned[what]["cow"]
        return returned

    return command


def has_stranger(herd: Herd, *returned: Any) -> Any:
    returned[0]["elk"] = 0
    return returned


def says_stranger(herd: Herd, *returned: Any) -> Any:
    herd.agents.append("elk")
    return returned


def forgets(herd: Herd, observations: Any, rewards: Any, terminated: Any, *rest: Any) -> Any:
    return observations, rewards, terminated | {"cow": True}, *rest


def grows(herd: Herd, observations: Any, *rest: Any) -> Any:
    return observations | {"cow": np.zeros(3, np.float32)}, *rest


def turns_complex(herd: Herd, observations: Any, *rest: Any) -> Any:
    return observations | {"cow": np.zeros(2, complex)}, *rest


def gives_list(herd: Herd, observations: Any, *rest: Any) -> Any:
    return [1], *rest


def gives_two(herd: Herd, *returned: Any) -> Any:
    return returned[:2]


def informs_badly(herd: Herd, *returned: Any) -> Any:
    return *returned[:-1], {"cow": 5}


def leaves_nobody(herd: Herd, *returned: Any) -> Any:
    herd.agents = []
    return returned


FAULTS = {
    "observation": ({"step2": lacks(0)}, "there is no observation of agent 'cow', who takes part"),
    "reward": ({"step2": lacks(1)}, "there is no reward of agent 'cow'"),
    "truncation": ({"step2": lacks(3)}, "there is no truncation of agent 'cow'"),
    "stranger": ({"step2": has_stranger}, "observations of agent 'elk', which is not in possible"),
    "in agents": ({"step2": says_stranger}, "agents has agent 'elk', which is not in possible"),
    "stays": ({"step2": forgets}, "agent 'cow' is terminated, but agents still has it"),
    "shape": ({"step2": grows}, r"agent 'cow': obs has shape \(3,\), expected \(2,\)"),
    "dtype": ({"step2": turns_complex}, "agent 'cow': obs has dtype complex128, expected float32"),
    "list": ({"step2": gives_list}, r"step\(\) returned as observations \[1\], expected a dict"),
    "two": ({"step2": gives_two}, r"step\(\) returned .*, expected \(observations, rewards, term"),
    "info": ({"step2": informs_badly}, "the info of agent 'cow' is 5, expected a dict"),
}


@local_or_forked
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.one_in(2)
def test_faults_are_of_their_environments(fault: str, way: dict[str, Any]) -> None:
    commands, message = FAULTS[fault]
    sources = [Fixed, functools.partial(Fixed, **commands), Fixed]
    with made(sources, **way) as pool:
        pool.reset()
        pool.step(np.zeros(12, int))
        with pytest.raises(envpool.EnvironmentFailure, match=message) as caught:
            pool.step(np.arange(12))
        assert caught.value.env_ids == [1]
        _, reward, _, _, info = caught.value.results
        assert reward.tolist() == [0, 1, 2, 3, 8, 9, 10, 11]
        assert info["players"]["env_id"].tolist() == [0] * 4 + [2] * 4
        pool.reset(np.array([1]))
        assert pool.step(np.arange(12))[1].tolist() == list(range(12))


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (leaves_nobody, r"agents is empty after reset\(\)"),
        (lacks(0), "there is no observation of agent"),
        (gives_list, r"reset\(\) returned as observations"),
    ],
)
def test_faults_of_resets(command: Any, message: str) -> None:
    source = functools.partial(Herd, first=4, reset=command)
    with (
        made(source, num_envs=1, **LOCAL) as pool,
        pytest.raises(envpool.EnvironmentFailure, match=message),
    ):
        pool.reset()


@pytest.mark.slow
@pytest.mark.parametrize("batch_size", [6, 2])
@pytest.mark.parametrize("seconds", [0.35, pytest.param(3.0, marks=pytest.mark.long)])
def test_random_kills_mix_up_no_rows(seconds: float, batch_size: int) -> None:
    random = np.random.default_rng()
    sent: dict[tuple[int, int], int] = {}
    killed: set[int] = set()
    options = FORKED | {"num_workers": 3}
    with made(num_envs=6, batch_size=batch_size, seed=1, **options) as pool:
        pool.async_reset()
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            failed = []
            try:
                results = pool.recv(timeout=20)
            except envpool.EnvironmentFailure as failure:
                results, failed = failure.results, failure.env_ids
            observation, reward, _, _, info = results
            steps = dict(zip(info["env_id"], info["elapsed_step"], strict=True))
            whose = list(zip(info["players"]["env_id"], info["players"]["id"], strict=True))
            assert observation.tolist() == [[steps[env_id], player] for env_id, player in whose]
            for key, won in zip(whose, reward, strict=True):
                assert won == (sent.get(key, 0) if steps[key[0]] else 0)
            if failed:
                pool.async_reset(np.array(failed))
            goes_on = who_goes_on(info)
            actions = random.integers(100, size=goes_on.sum())
            try:
                pool.send(actions, info["env_id"])
            except RuntimeError:  # some have lost their worker since
                pool.async_reset(info["env_id"])
            sent = {key: action for key, action in sent.items() if key[0] not in steps}
            going_on = [key for key, goes in zip(whose, goes_on, strict=True) if goes]
            sent |= dict(zip(going_on, actions, strict=True))
            if random.random() < 0.05:
                pid = pool._pool._workers.processes[int(random.integers(3))].pid
                if pid not in killed:
                    os.kill(pid, signal.SIGKILL)
                    killed.add(pid)


# --- PettingZoo's own ---------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "options", "steps"),
    [
        ("butterfly.knights_archers_zombies_v11", {"max_cycles": 200, "spawn_delay": 1}, 250),
        ("classic.rps_v2", {"max_cycles": 7}, 40),
        ("sisl.multiwalker_v9", {"n_walkers": 2, "max_cycles": 40}, 90),
    ],
)
def test_pettingzoos_rows_are_its_own(
    name: str, options: dict[str, Any], steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pettingzoo")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    try:
        module = importlib.import_module(f"pettingzoo.{name}")
    except ImportError as error:
        pytest.skip(str(error))
    source = functools.partial(module.parallel_env, **options)
    hands = [ByHand(source(), 5 + i) for i in range(2)]
    with made(source, num_envs=2, seed=5, **FORKED) as pool:
        assert assert_follows(pool, hands, steps) > 0


def run_away(*_):
    raise OSError("the herd ran away")


@pytest.mark.parametrize(
    ("way", "command", "failure"),
    [
        (LOCAL, run_away, "OSError: the herd ran away"),
        (FORKED, run_away, "OSError: the herd ran away"),
        (FORKED, lambda *_: kill_itself(), "worker 0 .* was killed by SIGKILL.*this environment"),
    ],
    ids=["local", "workers", "killed"],
)
def test_failures_that_end_episodes(way, command, failure):
    fails = functools.partial(Herd, step1=command)
    with made([fails, Herd], on_failure="reset", seed=3, **way) as pool:
        _, info = pool.reset()
        actions = np.ones(len(info["players"]["env_id"]), np.int32)
        with pytest.warns(RuntimeWarning, match=f"environment 0 failed.*{failure}"):
            _, reward, terminated, truncated, info = pool.step(actions)
        assert (terminated.tolist(), truncated.tolist()) == ([False] * 2, [True, False])
        players = info["players"]
        own = players["env_id"] == 0
        assert own.sum() == 3
        assert players["truncated"][own].all()
        assert not reward[own].any()
        (text,) = set(players["failure"][own])
        assert re.fullmatch(failure, text)
        assert players["_failure"].tolist() == own.tolist()
        actions = np.ones(int(who_goes_on(info).sum()), np.int32)
        *_, truncated, info = pool.step(actions)  # the first environment's is its reset
        assert not truncated[0]
        assert who_goes_on(info)[info["players"]["env_id"] == 0].all()
