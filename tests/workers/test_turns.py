"""Games of turns, written in Python: a row per game, with what PettingZoo's own loop sees."""

import functools
import importlib

import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.vector import AutoresetMode

import envpool
from envpool.checks.checks import check_task
from envpool.vector import SyncVectorEnv

LOCAL, FORKED = {"num_workers": 0}, {"num_workers": 2}


class Countdown:
    """Players take 1 or 2 from a heap in turn; who has taken 2 four times is out.

    It ends with one player or an empty heap, and is cut off where more was taken than there was. It
    has what PettingZoo's AECEnv has, and agents who leave before others.
    """

    possible_agents = ("ann", "bob", "cat")

    def observation_space(self, agent):
        return spaces.Box(-1, 30, (2,), np.int64)

    def action_space(self, agent):
        return spaces.Discrete(2)

    def agent_iter(self):
        while self.agents:
            yield self.agent_selection

    def reset(self, seed=None, options=None):
        if seed is not None:
            self.random = np.random.default_rng(seed)
        self.heap = int((options or {}).get("heap", self.random.integers(12, 20)))
        self.agents, self.agent_selection = list(self.possible_agents), "ann"
        self.pairs = dict.fromkeys(self.agents, 0)
        self.rewards, self.totals = dict.fromkeys(self.agents, 0), dict.fromkeys(self.agents, 0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {"pairs": 0} for agent in self.agents}

    def observe(self, agent):
        return np.array([self.heap, self.possible_agents.index(agent)])

    def last(self):
        agent = self.agent_selection
        is_out = self.terminations[agent], self.truncations[agent]
        return self.observe(agent), self.totals[agent], *is_out, self.infos[agent]

    def _leave(self, agent):
        for each in (self.terminations, self.truncations, self.rewards, self.totals, self.infos):
            del each[agent]
        self.agents.remove(agent)
        self.rewards = dict.fromkeys(self.agents, 0)
        out = [each for each in self.agents if self.terminations[each] or self.truncations[each]]
        self.agent_selection = out[0] if out else self.next_one

    def step(self, action):
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            assert action is None
            self._leave(agent)
            return
        self.totals[agent] = 0
        self.rewards = dict.fromkeys(self.agents, -0.5) | {agent: 0.25 * (action + 1)}
        self.heap -= action + 1
        self.pairs[agent] += int(action)
        self.infos[agent] = {"pairs": self.pairs[agent]}
        playing = [each for each in self.agents if not self.terminations[each]]
        self.next_one = self.agent_selection = playing[(playing.index(agent) + 1) % len(playing)]
        if self.pairs[agent] == 4:
            self.terminations[agent], self.agent_selection = True, agent
            playing.remove(agent)
        if self.heap <= 0 or len(playing) == 1:
            self.terminations = dict.fromkeys(self.agents, self.heap >= 0)
            self.truncations = dict.fromkeys(self.agents, self.heap < 0)
            self.agent_selection = self.agents[0]
        for each, reward in self.rewards.items():
            self.totals[each] += reward

    def get_state(self):
        return vars(self).copy()

    def set_state(self, state):
        vars(self).update(state)


class Strict(Countdown):
    """A game that raises where a move is illegal."""

    def action_space(self, agent):
        return spaces.Discrete(3)

    def step(self, action):
        if action == 2:
            raise ValueError(f"{self.agent_selection} cheats")
        super().step(action)


class ByHand:
    """One game as PettingZoo's users play it, by ``last`` and ``step``."""

    def __init__(self, game, seed):
        self.game, self.agents = game, list(game.possible_agents)
        game.reset(seed=seed)
        self.since = np.zeros(len(self.agents))  # what each has got since its own last move

    def check(self, observation, rewards, current):
        """Compares what ``last`` says of the agent to move with a row."""
        self.since += rewards
        theirs, reward, terminated, truncated, _ = self.game.last()
        assert self.agents[current] == self.game.agent_selection
        for name, part in theirs.items() if isinstance(theirs, dict) else [("", theirs)]:
            ours = observation[name] if name else observation
            assert ours.tobytes() == np.asarray(part, ours.dtype).tobytes()
        assert reward == pytest.approx(self.since[current])
        return terminated, truncated

    def step(self, action):
        self.since[self.agents.index(self.game.agent_selection)] = 0
        self.game.step(action)
        while self.playing() and self.game.agent_selection not in self.playing():
            self.game.step(None)

    def playing(self):
        out = {agent for agent, is_out in self.game.terminations.items() if is_out}
        out |= {agent for agent, is_out in self.game.truncations.items() if is_out}
        return set(self.game.agents) - out


def row_of(observation, row):
    if isinstance(observation, dict):
        return {name: part[row] for name, part in observation.items()}
    return observation[row]


def assert_is_as_by_hand(source, way, steps, legal):
    """Follows three games of a pool; returns how many have ended."""
    ends = 0
    with envpool.make_python(source, "gymnasium", num_envs=3, seed=4, **way) as pool:
        observation, info = pool.reset()
        games = [ByHand(source(), 4 + i) for i in range(3)]
        over, random = np.zeros(3, bool), np.random.default_rng(0)
        for _ in range(steps):
            for row, game in enumerate(games):
                if not over[row]:
                    place = row_of(observation, row), info["rewards"][row]
                    assert game.check(*place, info["current_player"][row]) == (False, False)
            chances = random.random((3, int(pool.action_space.n)))
            action = (chances * legal(observation)).argmax(axis=1)
            movers = info["current_player"]
            observation, reward, terminated, truncated, info = pool.step(action)
            for row, game in enumerate(games):
                if over[row]:  # that was the reset, whose seed nobody gave
                    game.game.reset()
                    game.since[:] = 0
                    assert not info["rewards"][row].any()
                    continue
                game.step(action[row])
                assert reward[row] == np.float32(info["rewards"][row, movers[row]])
                if terminated[row] or truncated[row]:
                    place = row_of(observation, row), info["rewards"][row]
                    ended, cut = game.check(*place, info["current_player"][row])
                    assert (truncated[row], terminated[row]) == (cut, ended and not cut)
            over = terminated | truncated
            ends += int(over.sum())
    return ends


@pytest.mark.parametrize("way", [LOCAL, FORKED], ids=["local", "workers"])
def test_rows_are_those_of_the_games_own_loop(way):
    assert assert_is_as_by_hand(Countdown, way, 60, lambda _: 1) > 6


@pytest.mark.slow
@pytest.mark.parametrize("name", ["connect_four_v3", "tictactoe_v3", "rps_v2"])
def test_pettingzoos_games_are_its_own(name):
    pytest.importorskip("pettingzoo")
    try:
        module = importlib.import_module(f"pettingzoo.classic.{name}")
    except ImportError as error:
        pytest.skip(str(error))
    legal = lambda seen: seen["action_mask"] if isinstance(seen, dict) else 1  # noqa: E731
    source = functools.partial(module.env, max_cycles=5) if name == "rps_v2" else module.env
    assert assert_is_as_by_hand(source, LOCAL, 90, legal) > 3


def test_illegal_moves_are_what_the_game_makes_of_them():
    pytest.importorskip("pettingzoo")
    games = pytest.importorskip("pettingzoo.classic.tictactoe_v3")
    with envpool.make_python(games.env, "gymnasium", num_envs=1, **LOCAL) as pool:
        pool.reset()
        pool.step(np.array([4]))
        _, reward, terminated, _, info = pool.step(np.array([4]))
    assert (reward[0], terminated[0]) == (-1, True)
    assert info["rewards"].tolist() == [[0, -1]]
    with envpool.make_python(Strict, "gymnasium", num_envs=2, **LOCAL) as pool:
        pool.reset()
        with pytest.raises(envpool.EnvironmentFailure, match="ann cheats"):
            pool.step(np.array([0, 2]))
        pool.reset()


def test_games_are_environments_of_one_player():
    with envpool.make_python(
        Countdown, "gymnasium", num_envs=3, seed=1, autoreset_mode="SameStep", **LOCAL
    ) as pool:
        pool.reset(options={"heap": 2})
        _, _, terminated, _, info = pool.step(np.array([1, 1, 0]))
        assert terminated.tolist() == [True, True, False]
        assert info["final_info"]["rewards"][0].tolist() == [0.5, -0.5, -0.5]
        assert info["elapsed_step"].tolist() == [0, 0, 1]
    vector = SyncVectorEnv([Countdown, Countdown], autoreset_mode=AutoresetMode.SAME_STEP)
    assert vector.reset(seed=3)[1]["current_player"].tolist() == [0, 0]


def test_states_of_games():
    with envpool.make_python(Countdown, "gymnasium", num_envs=2, seed=1, **LOCAL) as pool:
        pool.reset()
        pool.step(np.array([0, 1]))
        states = pool.get_state()
        twice = []
        for _ in range(2):
            pool.set_state(states)
            twice.append(pool.step(np.array([1, 0])))
        np.testing.assert_array_equal(twice[0][0], twice[1][0])
        assert twice[0][-1]["current_player"].tolist() == [2, 2]


def test_check_looks_at_games():
    assert not check_task(Countdown, quick=True).failed
